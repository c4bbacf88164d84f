# SPDX-License-Identifier: MIT
"""turns.c, the loops that measure: compiles it, and calls it in the processes that BENCH_TURNS tells where it is."""

import ctypes
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).parent
#: A turn takes at least this long, so that the clock and the start weigh little.
TURN_SECONDS = 0.02


def compile_turns(folder: pathlib.Path) -> str:
    """The library, also for the processes that this one starts."""
    library = str(folder / "turns.so")
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", str(HERE / "turns.c"), "-o", library], check=True)
    os.environ["BENCH_TURNS"] = library
    return library


class LaunchError(Exception):
    pass


class Turns:
    """Each call gives seconds of wall-clock and of processor time."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ["BENCH_TURNS"])

    def take(self, name: str, *arguments) -> tuple[float, float]:
        seconds = (ctypes.c_double * 2)()
        status = getattr(self.library, name)(seconds, *arguments)
        if status != 0:
            raise LaunchError(f"the launch failed with {status}")
        return tuple(seconds)


def pointer_array(addresses) -> ctypes.Array:
    return (ctypes.c_void_p * len(addresses))(*addresses)
