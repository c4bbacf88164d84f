# SPDX-License-Identifier: MIT
"""Reports how long compiling took: each time to Python's `logging`, and to people who are waiting for it.

The logger is "pycuda". PYCUDA_LOG sets its level, and prints its records where the program has not configured logging.

A compilation that lasts longer than two seconds is announced on `sys.stderr` while it runs, once for each source. That
is done without a terminal as well: notebooks and CI logs, where people wait most, are none. A program whose standard
error stream must stay empty sets PYCUDA_LOG, to "warning" for instance.
"""

import os
import sys
import threading
import time

from pycuda._source_text import kernel_names

_LONG_SECONDS = 2.0
_LEVELS = {"quiet": "CRITICAL", "warning": "WARNING", "info": "INFO", "debug": "DEBUG"}
_logger = None
_announced = set()  # the texts that were printed
_running = {}  # what is being compiled, oldest first, by identity
_lock = threading.Lock()  # protects _running and _watcher
_watcher = None


def configured_logger():
    """The logger, or None when there is no listener: then `logging` is not even imported."""
    global _logger
    level = _LEVELS.get(os.environ.get("PYCUDA_LOG", "").lower())
    if _logger is None and (level or "logging" in sys.modules):
        import logging  # start-up time: only for programs that log

        _logger = logging.getLogger("pycuda")
        if level:
            _logger.setLevel(level)
            if not _logger.hasHandlers():
                handler = logging.StreamHandler()
                handler.setFormatter(logging.Formatter("pycuda: %(message)s"))
                _logger.addHandler(handler)
    return _logger


def _name_of(source):
    """The kernels of a source, for people."""
    names = kernel_names(source)
    if not names:
        return f"a source of {len(source)} bytes"
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{'kernels' if len(names) > 1 else 'kernel'} {', '.join(names[:3])}{more}"


def _report(what, source, seconds, from_cache):
    logger = configured_logger()
    if logger is not None and logger.isEnabledFor(20):
        how = "from the cache, " if from_cache else ""
        logger.info("%s: %s, %s%.3f s", _name_of(source), what, how, seconds)


def _announce(compilation):
    cached = "; the result is cached for the next run" if compilation.is_kept else ""
    text = f"pycuda: {compilation.doing} {_name_of(compilation.source)} takes longer than {_LONG_SECONDS:.0f} s{cached}"
    if sys.stderr is not None and text not in _announced:
        _announced.add(text)
        print(text, file=sys.stderr, flush=True)


def _watch():
    """Announce what lasts too long. One thread watches all that start while it runs."""
    global _watcher
    while True:
        with _lock:
            oldest = next((one for one in _running.values() if not one.is_announced), None)
            if oldest is None:
                if _watcher is threading.current_thread():
                    _watcher = None
                return
        left = oldest.started + _LONG_SECONDS - time.perf_counter()
        if left <= 0:
            oldest.is_announced = True
            _announce(oldest)
        else:
            time.sleep(left)


class Compilation:
    """A compilation, timed while the object is used in a `with` statement.

    `doing` and `done` are the words for it while it runs and afterwards, `is_kept` says whether the result is cached.
    One that raises an exception is not reported.
    """

    def __init__(self, doing, done, source, is_kept=False):
        self.doing, self.done, self.source, self.is_kept = doing, done, source, is_kept
        self.from_cache = self.is_announced = False

    def __enter__(self):
        global _watcher
        self.started = time.perf_counter()
        if not os.environ.get("PYCUDA_LOG"):
            with _lock:
                _running[id(self)] = self
                if _watcher is None:
                    watcher = threading.Thread(target=_watch, name="pycuda-long-compilations", daemon=True)
                    try:
                        watcher.start()
                        _watcher = watcher
                    except RuntimeError:  # no thread can be started, or Python is exiting: nothing is announced
                        del _running[id(self)]
        return self

    def __exit__(self, kind, error, traceback):
        with _lock:
            _running.pop(id(self), None)
        ended = time.perf_counter()
        if kind is None:
            _report(self.done, self.source, ended - self.started, self.from_cache)
        profiles = sys.modules.get("pycuda._profile")
        if profiles is not None and profiles.is_recording():
            profiles.add_compilation(f"{self.doing} {_name_of(self.source)}", self.started, ended)
