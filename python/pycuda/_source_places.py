# SPDX-License-Identifier: MIT
"""Where in the user's program the source of a kernel is: faults and compile errors name that place."""

import contextlib
import os
import sys
import threading
from typing import NamedTuple

_override = threading.local()
_texts = {}  # (linecache's lines, the same lines stripped and joined), by file name


class Place(NamedTuple):
    """The place of a source in the user's program.

    Attributes
    ----------
    filename : str
        The file that contains the source, passes it, or makes the object that generates it; "" if there is none.
    line : int
        The line of that file.
    is_literal : bool
        Whether the source itself is in the file, from `line` on.
    generator : str
        What generated the source, such as "ElementwiseKernel 'scale'"; "" for a source of the user's.
    parts : tuple of (str, str)
        The user's texts in a generated source, after what they are called.
    cell : bool
        Whether the source is a notebook's cell, after the line of its magic command.
    """

    filename: str = ""
    line: int = 0
    is_literal: bool = False
    generator: str = ""
    parts: tuple = ()
    cell: bool = False

    @property
    def line_name(self):
        """How a message names a line of the source; "{}" stands for its number, counted from `first_line`."""
        if self.cell:
            return "line {} of the cell"
        if self.generator:
            return f"a line of {self._generator_and_place()}"
        if self.is_literal:
            return _place_in(self.filename, "{}")
        return f"line {{}} of the source passed at {self._call()}" if self.filename else "line {} of the source"

    @property
    def first_line(self):
        """The number of the source's first line."""
        return 2 if self.cell else self.line if self.is_literal else 1

    def in_compile_error(self, line=1):
        """The place of a line of the source, or of the whole source, for the end of a compile error's headline."""
        if self.generator:
            texts = ", ".join(f"{name}={text!r}" for name, text in self.parts if text)
            return f"kernel.cu is the source of {self._generator_and_place()}{f', which has {texts}' if texts else ''}"
        if self.is_literal or self.cell or not self.filename:
            return f"line {line} of kernel.cu is {self.line_name.replace('{}', str(self.first_line + line - 1))}"
        return f"the source was passed at {self._call()}"

    def _call(self):
        return _place_in(self.filename, self.line)

    def _generator_and_place(self):
        return f"{self.generator} made at {self._call()}" if self.filename else self.generator


def user_frame():
    """The innermost frame outside of this package, or None, and how many frames above the caller it is."""
    level = 1
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "pycuda":
        if frame.f_globals.get("__name__") == "pycuda.__main__":
            break
        frame = frame.f_back
        level += 1
    return frame, level


def _cell_name(filename):
    """What Jupyter and IPython call the code of this file name, such as "cell In[3]"; None for other code."""
    if "ipykernel" not in filename and not filename.startswith("<ipython-input"):
        return None
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    naming = getattr(getattr(shell, "compile", None), "format_code_name", None)
    named = naming(filename) if naming is not None else None
    return " ".join(named).replace("Cell", "cell") if named else "the notebook's cell"


def running_cell():
    """The notebook's cell that runs, such as "In[3]"; "" outside of notebooks."""
    frame = sys._getframe(1)
    while frame is not None:
        named = _cell_name(frame.f_code.co_filename)
        if named is not None:
            return named.removeprefix("cell ")
        frame = frame.f_back
    return ""


def _shown_name(filename):
    """A file's name, relative to the current folder if it is below it."""
    with contextlib.suppress(OSError, ValueError):
        relative = os.path.relpath(filename)
        if not relative.startswith(os.pardir):
            return relative
    return os.path.basename(filename)


def _place_in(filename, line):
    cell = _cell_name(filename)
    if cell is not None:
        return f"line {line} of {cell}"
    if filename.startswith("<"):
        return f"{filename}:{line}"
    return f"{_shown_name(filename)}:{line}"


def _stripped_text(filename, module_globals):
    """The text of a file or a cell with stripped lines; empty where there is none."""
    import linecache  # start-up time: programs without kernels of their own

    lines = linecache.getlines(filename, module_globals)
    known = _texts.get(filename)
    if known is None or known[0] is not lines:
        if len(_texts) > 100:
            _texts.clear()
        known = _texts[filename] = (lines, "\n".join(line.strip() for line in lines))
    return known[1]


def _line_of_literal(source, text, called_at):
    """The line of `text` on which `source` begins, if it is there once, or around the calling line; else None."""
    count = source.count("\n") + 1
    if count > text.count("\n") + 1:
        return None
    wanted = "\n".join(line.strip() for line in source.split("\n"))
    found = []
    at = text.find(wanted)
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(wanted, at + 1)
    if len(found) > 1:
        found = [line for line in found if line - 1 <= called_at <= line + count]
    return found[0] if len(found) == 1 else None


def place_of_source(source):
    """The place of a source that the program passes to the package now.

    A source that is in the calling file as it is, indented or not, has the lines of that file. The place of others
    (read from a file, put together) is the call.

    Parameters
    ----------
    source : bytes

    Returns
    -------
    Place
    """
    place = placed_already()
    if place is not None:
        return place
    frame, _ = user_frame()
    if frame is None:
        return Place()
    filename = frame.f_code.co_filename
    text = source.decode(errors="replace")
    if text.strip():
        begin = _line_of_literal(text, _stripped_text(filename, frame.f_globals), frame.f_lineno)
        if begin is not None:
            return Place(filename, begin, is_literal=True)
    return Place(filename, frame.f_lineno)


def placed_already():
    """The `Place` that an enclosing `placed` has set, or None."""
    return getattr(_override, "place", None)


@contextlib.contextmanager
def placed(place):
    """Sources that are compiled in this block, by this thread, have this `Place`."""
    before = placed_already()
    _override.place = place
    try:
        yield
    finally:
        _override.place = before


def place_of_generated(generator, *, is_users=True, **parts):
    """The `Place` of a source that the package generates; its lines are not the user's, so no number is named.

    Parameters
    ----------
    generator : str
        Such as "ElementwiseKernel 'scale'".
    is_users : bool
        Whether the caller's caller, outside of the package, made what generates it.
    **parts : str
        The texts of the user's that are in the source, by what they are called.
    """
    place = placed_already()
    if place is not None:
        return place
    frame = user_frame()[0] if is_users else None
    made_at = ("", 0) if frame is None else (frame.f_code.co_filename, frame.f_lineno)
    return Place(*made_at, generator=generator, parts=tuple(parts.items()))
