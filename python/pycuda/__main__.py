# SPDX-License-Identifier: MIT
"""`python -m pycuda`: checks the installation; see `python -m pycuda --help`."""

import argparse
import os
import sys


def _diagnosis(arguments):
    from pycuda import _diagnosis  # start-up time: each command loads what it needs

    return _diagnosis.main()


def _selftest(arguments):
    from pycuda import _diagnosis, _selftest  # start-up time: as above

    _diagnosis.main()
    print(flush=True)
    return _selftest.main()


def _demo(arguments):
    from pycuda import _demo  # start-up time: as above

    return _demo.main(arguments.name, arguments.arguments)


def _cache(arguments):
    from pycuda import _cache_folder  # start-up time: as above

    return _cache_folder.clear() if arguments.action == "clear" else _cache_folder.show()


def _version():
    import pycuda  # start-up time: as above

    ours = getattr(pycuda, "ANYWHERE_VERSION", "(overwritten by the original PyCUDA)")
    return f"pycuda-anywhere {ours}, stands in for PyCUDA {pycuda.VERSION_TEXT}"


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m pycuda", description="Without a command: prints what this machine has and what is missing."
    )
    parser.add_argument("--version", action="version", version=_version())
    parser.set_defaults(command=_diagnosis)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def command_named(name, does):
        return commands.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.")

    command = command_named("selftest", "print the diagnosis, then compile, run and check a kernel")
    command.set_defaults(command=_selftest)
    command = command_named("demo", "run an example program; without a name, list them")
    command.add_argument("name", nargs="?", metavar="NAME", help="the program's, as the list has it")
    command.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="passed to the program")
    command.set_defaults(command=_demo)
    # Both parse their own arguments, before this parser runs.
    commands.add_parser("run", help="run any CUDA program on the CPU driver: run PROGRAM ARGS")
    commands.add_parser("env", help="print the environment of `run` for a shell")
    command = command_named("cache", "print where compiled code is kept and how much of it there is")
    command.add_argument("action", nargs="?", choices=["clear"], help="remove everything that was compiled")
    command.set_defaults(command=_cache)
    return parser


def main(arguments=None):
    chosen = _parser().parse_args(arguments)
    return chosen.command(chosen)


if __name__ == "__main__":
    if sys.argv[1:2] in (["run"], ["env"]):
        from pycuda import _programs

        sys.exit(getattr(_programs, sys.argv[1])(sys.argv[2:]))
    try:
        sys.exit(main())
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
