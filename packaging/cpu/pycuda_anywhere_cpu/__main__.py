# SPDX-License-Identifier: MIT
"""`python -m pycuda_anywhere_cpu`: prints the driver's folder, for LD_LIBRARY_PATH."""

import sys

from pycuda_anywhere_cpu import driver_folder


def main() -> int:
    print(driver_folder())
    return 0


if __name__ == "__main__":
    sys.exit(main())
