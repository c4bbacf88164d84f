# SPDX-License-Identifier: MIT
"""The names of the checks."""

_CHECKS = ("memory", "init", "race", "sync", "all", "1", "0")
ALLOWED = "the checks are memory, init, race, sync and all, with commas between them"


def unknown_checks(text):
    """The first name in `text` that is not a check, or None.

    Parameters
    ----------
    text : str
        Names with commas between them.
    """
    return next((name for name in text.split(",") if name.strip() not in _CHECKS), None)
