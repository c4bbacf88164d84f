# SPDX-License-Identifier: MIT
"""Says how long compiling took: each time to Python's `logging`, and once to people who had to wait.

The logger is "pycuda". PYCUDA_LOG sets its level, and prints its records where the program has not configured logging.
"""

import os
import re
import sys

_KERNEL = re.compile(r"__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*|static\s+|void\s+)*(\w+)\s*\(")
_LONG_SECONDS = 2.0
_LEVELS = {"quiet": "CRITICAL", "warning": "WARNING", "info": "INFO", "debug": "DEBUG"}
_logger = None
_said = False


def _configured_logger():
    """The logger, or None when nobody can be listening: then `logging` is not even imported."""
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
    text = source.decode(errors="replace") if isinstance(source, (bytes, bytearray)) else str(source)
    names = list(dict.fromkeys(_KERNEL.findall(text)))
    if not names:
        return f"a source of {len(text)} characters"
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{'kernels' if len(names) > 1 else 'kernel'} {', '.join(names[:3])}{more}"


def report(what, source, seconds, from_cache=False):
    """Note that something was done to a source; `what` is a participle.

    A wait of more than two seconds is printed once to a terminal, unless PYCUDA_LOG is "quiet".
    """
    global _said
    logger = _configured_logger()
    if logger is not None and logger.isEnabledFor(20):
        how = "from the cache, " if from_cache else ""
        logger.info("%s: %s, %s%.3f s", _name_of(source), what, how, seconds)
    if seconds < _LONG_SECONDS or _said or os.environ.get("PYCUDA_LOG", "").lower() in ("quiet", "info", "debug"):
        return
    if sys.stderr is not None and sys.stderr.isatty():
        _said = True
        cache = "" if os.environ.get("PYCUDA_DISABLE_CACHE") else "; the result is cached for the next run"
        print(f"pycuda: {_name_of(source)}: {what} in {seconds:.1f} s{cache}", file=sys.stderr)
