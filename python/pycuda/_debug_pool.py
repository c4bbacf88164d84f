# SPDX-License-Identifier: MIT
"""A device memory pool that prints who allocates what."""

from __future__ import annotations

import sys
import traceback
import weakref

from pycuda import driver as cuda

__all__ = ["DebugMemoryPool"]


class DebugMemoryPool(cuda.DeviceMemoryPool):
    """Prints each allocation with its place in the program and a histogram of what is held.

    Parameters
    ----------
    interactive : bool
        Wait for Enter after each allocation; a name typed before it is remembered for that place.
    logfile : TextIO, optional
        Where to print; the standard output by default.
    """

    def __init__(self, interactive=True, logfile=None):
        super().__init__()
        self.last_free, _ = cuda.mem_get_info()
        self.interactive = interactive
        if logfile is not None and not hasattr(logfile, "write"):
            raise TypeError(f"logfile must be a file that is open for writing, not {type(logfile).__name__}")
        self.logfile = sys.stdout if logfile is None else logfile
        self.blocks = []
        self.stacktrace_mnemonics = {}

    def allocate(self, size):
        """Allocate `size` bytes and say so."""
        stack = tuple(frame[:3] for frame in traceback.extract_stack()[:-1])
        description = self.describe(stack, size)
        allocation = super().allocate(size)
        free, _ = cuda.mem_get_info()
        print(
            f"allocated {size} bytes ({description}); the driver has {free} bytes free, "
            f"{self.last_free - free} less than before",
            file=self.logfile,
        )
        self.last_free = free
        self.blocks.append((weakref.ref(allocation), size, description))
        self._print_histogram()
        if self.interactive:
            input("Enter to go on: ")
        return allocation

    def describe(self, stack, size):
        """The name for an allocation of `size` bytes made at `stack`."""
        known = self.stacktrace_mnemonics.get((stack, size))
        if known is not None:
            return known
        place = " < ".join(f"{name} ({path}:{line})" for path, line, name in stack[::-1][:3])
        if self.interactive:
            print(f"new allocation of {size} bytes at {place}", file=self.logfile)
            name = input("a name for it (or Enter): ")
            if name:
                self.stacktrace_mnemonics[stack, size] = name
                return name
        return place

    def _print_histogram(self):
        self.blocks = [block for block in self.blocks if block[0]() is not None]
        totals: dict = {}
        for _, size, description in self.blocks:
            count, held = totals.get(description, (0, 0))
            totals[description] = (count + 1, held + size)
        for description, (count, held) in sorted(totals.items(), key=lambda item: -item[1][1]):
            print(f"  {held:>12} bytes in {count:>5} blocks: {description}", file=self.logfile)
