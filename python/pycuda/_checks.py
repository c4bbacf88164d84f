# SPDX-License-Identifier: MIT
"""`pycuda.checks`: races, uninitialised reads and misused barriers of kernels on the CPU driver, as objects."""

from __future__ import annotations

import contextlib
import json
import re
import threading
import warnings
from dataclasses import dataclass, field

from pycuda._check_names import unknown_checks
from pycuda._cxx_names import readable_name

#: The first of the codes that the driver has for captures, and the last.
CAPTURE_ERRORS = range(900, 910)

_COORDINATES = tuple[int, int, int]
# Of each `with` statement that has not ended, the outermost first: the names of its checks, its list.
_open = []
_setting = threading.RLock()  # while the driver gets the checks of all that are open
# For a program that takes whatever no statement asks for: the names of its checks, its list. None: there is none.
_rest: tuple[frozenset[str], list] | None = None


@dataclass(frozen=True)
class FoundPlace:
    """One side of a race, or one of the places of another finding.

    Attributes
    ----------
    file : str
        The file of the program, or the notebook's cell; "" if it is not known.
    line : int
        Its line; 0 if it is not known. For a source that is put together or generated: the line that passes it, or
        that makes the object that generates it.
    place : str
        Both, as in messages: "program.py:12", or "line 3 of the source passed at program.py:12".
    source : str
        The line's text.
    thread, block : tuple of int
        `threadIdx` and `blockIdx`; None for a copy or a fill.
    access : str
        Such as "write of 4 bytes", or "write by a copy in stream 7"; "" if it is not an access.
    kernel : str
        The kernel's name; "" for the other side of a race in one launch.
    stream : str
        For a race between streams, "the default stream", or "stream 7" with the stream's `id`; "" otherwise.
    """

    file: str = ""
    line: int = 0
    place: str = ""
    source: str = ""
    thread: _COORDINATES | None = (0, 0, 0)
    block: _COORDINATES | None = (0, 0, 0)
    access: str = ""
    kernel: str = ""
    stream: str = ""
    # File and line as the driver, and so the counters of its lines, have them: of a source that is put together, the
    # line of that.
    _counted_at: tuple[str, int] = field(default=("", 0), repr=False, compare=False)

    def __str__(self):
        return f"kernel {readable_name(self.kernel)}, {self._text()}" if self.kernel else self._text()

    def _text(self):
        if self.block is None:
            return self.access
        text = f"{self.place or 'an unknown line'}, block {self.block}, thread {self.thread}"
        if self.access:
            text += f": {self.access}"
        return f"{text}\n    {self.source}" if self.source else text


@dataclass(frozen=True, repr=False)
class Finding(FoundPlace):
    """What a check has found. Each place of the program is reported once.

    Attributes
    ----------
    check : str
        "memory", "init", "race" or "sync".
    message : str
        What is wrong.
    other : FoundPlace or None
        The other access of a race, or the other place of a misused barrier.
    ended_launch : bool
        Whether the launch also failed with an error that says the same.
    remedy : str
        What to do about it, in a sentence; "" if that depends on the program.
    """

    check: str = ""
    message: str = ""
    other: FoundPlace | None = None
    ended_launch: bool = field(default=False, compare=False)
    remedy: str = field(default="", compare=False)

    def __str__(self):
        text = f"{self.check}: {self.message}"
        text += f" in kernel {readable_name(self.kernel)} at {self._text()}" if self.kernel else f": {self._text()}"
        if self.other:
            text += f"\n  the other: {self.other}"
        return f"{text}\n  what to do: {self.remedy}" if self.remedy else text

    def __repr__(self):
        return f"<Finding {self}>"


@dataclass(frozen=True, repr=False)
class KernelFault(FoundPlace):
    """A fault that ended a launch; `access` is what else is known of it.

    Attributes
    ----------
    message : str
        What happened.
    """

    message: str = ""

    def __str__(self):
        where = [f"{self.message} in kernel {readable_name(self.kernel)}"]
        if self.place:
            where[0] += f" at {self.place}"
        where += [f"{name} {at}" for name, at in (("block", self.block), ("thread", self.thread)) if at is not None]
        text = ", ".join(where) + (f": {self.access}" if self.access else "")
        return f"{text}\n    {self.source}" if self.source else text

    def __repr__(self):
        return f"<KernelFault {self}>"


def _file_and_line(place):
    """What a place in words says of the user's file; None if it is not in words."""
    if found := re.search(r" (?:passed|made) at (.+)$", place):
        place = found[1]
        if found := re.fullmatch(r"(.+):(\d+)", place):
            return found[1], int(found[2])
    if found := re.fullmatch(r"line (\d+) of (.+)", place):
        return "" if found[2] == "the source" else found[2], int(found[1])
    return ("", 0) if place.startswith("a line of ") else None


def _place_of(record):
    place = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in record.items()
        if name in ("file", "line", "place", "source", "thread", "block", "access", "kernel", "stream")
    }
    place["_counted_at"] = place.get("file", ""), place.get("line", 0)
    if found := _file_and_line(place.get("place", "")):
        place["file"], place["line"] = found
    return place


def as_reported(record):
    """A record of the driver's as `--check-report` writes it: file and line are those of the `Finding`.

    Parameters
    ----------
    record : dict

    Returns
    -------
    dict
    """
    reported = {**record}
    if found := _file_and_line(record.get("place", "")):
        reported["file"], reported["line"] = found
    if "other" in record:
        reported["other"] = as_reported(record["other"])
    return reported


def finding_of(record):
    """The `Finding` of a record of the driver's.

    Parameters
    ----------
    record : dict

    Returns
    -------
    Finding
    """
    other = record.get("other")
    return Finding(
        **_place_of(record),
        check=record["check"],
        message=record["message"],
        other=FoundPlace(**_place_of(other)) if other else None,
        ended_launch=record["ended_launch"],
        remedy=record["remedy"],
    )


def fault_of(record):
    """The `KernelFault` of a record of the driver's.

    Parameters
    ----------
    record : dict

    Returns
    -------
    KernelFault
    """
    return KernelFault(**_place_of(record), message=record["message"])


def _take():
    """Move what was found to the lists of the `with` statements that asked for it, else to the innermost one's."""
    from pycuda import _driver  # start-up time: as below

    if _open or _rest is not None:
        taken = json.loads(_driver._take_findings())
        for record in taken["findings"]:
            finding = finding_of(record)
            asked = [found for names, found in _open if names & {"all", finding.check}]
            for found in asked or [_open[-1][1] if _rest is None else _rest[1]]:
                found.append(finding)
        if taken["left_out"]:
            warnings.warn(
                f"pycuda.checks() lists {len(taken['findings'])} places and leaves out {taken['left_out']} more: fix "
                "these first",
                RuntimeWarning,
                stacklevel=4,
            )


def failed_launch():
    """Wait for the current context's kernels.

    Returns
    -------
    Error or None
        Of one that failed.
    """
    import pycuda.driver as cuda  # start-up time: `pycuda` imports this module for nothing else

    if cuda.Context.get_current() is not None:
        try:
            cuda.Context.synchronize()
        except cuda.Error as error:
            return None if error.code in CAPTURE_ERRORS else error
    return None


def _tells_of(finding, failed):
    """Whether a finding is what ended the launch that an error is about."""
    error, kernel = str(failed), readable_name(finding.kernel)
    what = finding.message.split()[0] if finding.check == "memory" else ""  # "illegal" or "misaligned"
    return finding.ended_launch and kernel in error and what in error


class checking(contextlib.ContextDecorator):  # noqa: N801 (used as a function, as those of contextlib)
    """As `pycuda.checks`."""

    def __init__(self, *names):
        self._names, self._opened = names, None
        _names_of(names)  # a mistake is an error here, not where the statement begins
        self._has_reader = True  # of the list

    def __repr__(self):
        return f"<pycuda.checks({', '.join(map(repr, self._names))}), for a with statement or as a decorator>"

    def _recreate_cm(self):  # of a decorator, for each call
        one = checking(*self._names)
        one._has_reader = False
        return one

    def __enter__(self):
        from pycuda import _driver  # start-up time: as above

        if self._opened is not None:
            raise RuntimeError("the object of pycuda.checks() is for one with statement: make a new one for the next")
        wanted, found = _names_of(self._names), []
        failed = failed_launch()
        _take()
        if failed is not None:
            raise failed
        self._opened = wanted, found
        with _setting:
            _open.append(self._opened)
            try:
                _driver._set_checks(_together())
            except BaseException:
                _open.pop()
                raise
        return found

    def __exit__(self, kind, error, traceback):
        from pycuda import _driver  # start-up time: as above

        failed = None
        try:
            failed = failed_launch()
            _take()
        finally:
            # Statements of several threads end in any order.
            with _setting:
                _open[:] = [one for one in _open if one is not self._opened]
                _driver._set_checks(_together())
        # The statement's own error goes on, and the list says what a check found.
        if failed is None or kind is not None:
            return
        if not self._has_reader or not any(_tells_of(finding, failed) for finding in self._opened[1]):
            raise failed


def _names_of(names):
    """The checks that the arguments of `pycuda.checks` name."""
    if not names:
        raise TypeError('pycuda.checks() needs the names of checks: "memory", "init", "race", "sync" or "all"')
    for name in names:
        if not isinstance(name, str):
            raise TypeError(
                f"pycuda.checks() takes the names of checks as strings, not {type(name).__name__}: "
                'pycuda.checks("race", "sync")'
            )
        if not name.strip():
            raise ValueError("an empty name of a check: the checks are memory, init, race, sync and all")
        if (unknown := unknown_checks(name)) is not None:
            raise ValueError(f"unknown check in {unknown.strip()!r}: the checks are memory, init, race, sync and all")
    wanted = {part.strip() for name in names for part in name.split(",")}
    return frozenset("memory" if name == "1" else name for name in wanted - {"0"})


def _together():
    """The checks of all statements that are open, as the driver takes them."""
    everything = [*_open, _rest] if _rest is not None else _open
    names = ",".join(sorted(frozenset().union(*(names for names, _ in everything))))
    return names or ("0" if everything else "")


def collect_rest(names):
    """Check all launches, and keep what no `with` statement asks for, until `end_rest`: nothing is printed meanwhile.

    Parameters
    ----------
    names : str
        Names of checks with commas between them, or 0.

    Returns
    -------
    object
        What `end_rest` takes.
    """
    global _rest
    from pycuda import _driver  # start-up time: as above

    before, _rest = _rest, (frozenset(name.strip() for name in names.split(",")), [])
    try:
        _driver._set_checks(_together())
    except BaseException:
        _rest = before
        raise
    return (before,)


def take_rest():
    """What was found since the last call.

    Returns
    -------
    list of Finding
    """
    _take()
    found = list(_rest[1])
    _rest[1].clear()
    return found


def end_rest(token):
    """End what `collect_rest` began, which returned `token`."""
    global _rest
    from pycuda import _driver  # start-up time: as above

    (_rest,) = token
    _driver._set_checks(_together())
