# SPDX-License-Identifier: MIT
"""What kernels have done wrong in a run of tests, by the test that launched them: for the pytest plug-in."""

from __future__ import annotations

import sys

from pycuda._checks import CAPTURE_ERRORS
from pycuda._ended_contexts import EndedContexts


def said_by(found):
    """Findings as one text, the first one in its first line.

    Parameters
    ----------
    found : list of str

    Returns
    -------
    str
    """
    count = f"{len(found)} findings, the first: " if len(found) > 1 else ""
    return count + "\n".join(found)


class KernelWatch:
    """Collects findings of the CPU driver's checks, and faults that no call of a test has reported.

    Parameters
    ----------
    checks : str
        The session's, as PYCUDA_CPU_CHECK has them.
    """

    def __init__(self, checks):
        self._checks = checks
        self._token = None
        self._is_cpu = None
        self._ended = EndedContexts()
        self._lost = []  # a context, the test that lost it, and how
        #: What was found outside of tests.
        self.outside = []

    def begin(self):
        """Collect findings from now on, where the CPU driver runs the kernels. Loads the driver."""
        if self._is_cpu is None:
            from pycuda._driver import _rtc  # start-up time: pytest loads the plug-in for every project

            self._is_cpu = _rtc.driver_origin()["kind"] == "CPU"
        if self._is_cpu and self._token is None:
            from pycuda import _checks  # start-up time: as above

            self._token = _checks.collect_rest(self._checks)

    def end(self):
        """Let findings be printed again."""
        self._ended.end()
        if self._token is not None:
            from pycuda import _checks  # start-up time: as above

            token, self._token = self._token, None
            _checks.end_rest(token)

    def context(self):
        """The context that this thread's calls use; None without any. Loads no driver."""
        if "pycuda.driver" not in sys.modules:
            return None
        from pycuda import _driver  # start-up time: as above

        current = _driver.Context.get_current()
        return _driver._process_context() if current is None else current

    def settle(self, test, after=""):
        """Wait for all kernels.

        Parameters
        ----------
        test : str
            Who has launched those that still run.
        after : str
            What has ended.

        Returns
        -------
        list of str
            What was found since the last call, without faults that a call has reported.
        """
        if self._is_cpu is not None and not sys.modules.get("pycuda._driver"):
            return []  # a test hides the package, until its fixtures end
        self._ended.watch()
        context = self.context()
        if context is not None:
            self.begin()
        found = self._ended.take() + ([] if context is None else self._fault(context, test, after))
        if self._token is None:
            return found
        from pycuda import _checks  # start-up time: as above

        # Other errors of memory have ended their launch: they are faults.
        return found + [str(finding) for finding in _checks.take_rest() if not finding.ended_launch]

    def _fault(self, context, test, after):
        """What ended the context, in a list, unless a call has reported that before."""
        import pycuda.driver as cuda  # start-up time: as above

        known = context._fault_told
        try:
            context.synchronize()
        except cuda.Error as error:
            if error.code in CAPTURE_ERRORS:
                return []
            if not any(context == lost for lost, _, _ in self._lost):
                self._lost.append((context, test, str(error).partition("\n")[0]))
            return [] if known else [f"a kernel failed{' after ' * bool(after)}{after}: {error}"]
        # A new context may have the place of a lost one.
        self.forget(context)
        return []

    def forget(self, context):
        """Nothing that was lost concerns this context any more."""
        self._lost = [entry for entry in self._lost if entry[0] != context]

    def lost_before(self, test):
        """Why the current context was lost in another test; "" if it was not."""
        context = self.context()
        for lost, by, why in self._lost:
            if lost == context and by != test:
                return f"the context was lost earlier, by {by}: {why}"
        return ""
