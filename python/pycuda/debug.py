# SPDX-License-Identifier: MIT
"""`python -m pycuda.debug SCRIPT [ARGS]` runs a script with every kernel compiled for debugging."""

import os
import runpy
import sys


def main():
    """Run the script named on the command line; 2 without one, 1 when it does not exist."""
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: python -m pycuda.debug SCRIPT [ARGS]")
        print("Runs SCRIPT with debugging code in its kernels and keeps the compiler's files.")
        return 2
    script = sys.argv[1]
    if not os.path.exists(script):
        print(f"pycuda.debug: script not found: {script}", file=sys.stderr)
        return 1

    from pycuda.driver import set_debugging  # start-up time: the usage text needs no driver

    set_debugging()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    runpy.run_path(script, run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
