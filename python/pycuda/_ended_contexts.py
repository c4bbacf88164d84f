# SPDX-License-Identifier: MIT
"""Faults of kernels in contexts that a test gives up before it has waited for them: for the pytest plug-in."""

from __future__ import annotations

import functools
import sys


class EndedContexts:
    """Waits for the kernels of contexts that are popped or detached, and keeps what failed.

    Nothing else reports such a fault: it ends with its context.
    """

    def __init__(self):
        self._replaced = {}
        self._found = []

    def watch(self):
        """Begin, if the program has loaded `pycuda.driver`."""
        if self._replaced or "pycuda.driver" not in sys.modules:
            return
        from pycuda.driver import Context  # start-up time: pytest loads the plug-in for every project

        self._replaced = {name: vars(Context)[name] for name in ("pop", "detach", "__exit__")}
        pop, detach, leave = self._replaced.values()

        @staticmethod
        @functools.wraps(pop)
        def waiting_pop():
            self._wait_for(Context.get_current(), "popped")
            pop()

        @functools.wraps(detach)
        def waiting_detach(context):
            self._wait_for(context, "detached")
            detach(context)

        @functools.wraps(leave)
        def waiting_leave(context, *exception):
            self._wait_for(Context.get_current(), "popped")
            return leave(context, *exception)

        Context.pop, Context.detach, Context.__exit__ = waiting_pop, waiting_detach, waiting_leave

    def end(self):
        """Watch no longer."""
        if self._replaced:
            from pycuda.driver import Context  # start-up time: as above

            for name, function in self._replaced.items():
                setattr(Context, name, function)
            self._replaced = {}

    def take(self):
        """What was found since the last call, a list of sentences."""
        found, self._found = self._found, []
        return found

    def _wait_for(self, context, how):
        import pycuda.driver as cuda  # start-up time: as above

        if context is None or context._fault_told:
            return
        is_current = cuda.Context.get_current() == context
        try:
            if not is_current:
                context.push()
        except cuda.Error:  # it is gone already
            return
        try:
            cuda.Context.synchronize()
        except cuda.Error as error:  # else a capture that is open
            if context._fault_told:
                self._found.append(f"a kernel failed before its context was {how}: {error}")
        finally:
            if not is_current:
                self._replaced["pop"]()
