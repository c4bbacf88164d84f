# SPDX-License-Identifier: MIT
"""Where in the user's program the source of a kernel stands: faults and compile errors name that place."""

import contextlib
import os
import sys
import threading
from typing import NamedTuple


class Place(NamedTuple):
    """The place of a source.

    Attributes
    ----------
    name : str
        How a message names one of its lines; "{}" stands for the line's number.
    first_line : int
        The number of the source's first line.
    detail : str
        What a source was generated from, for compile errors.
    """

    name: str
    first_line: int = 1
    detail: str = ""

    def in_compile_error(self):
        """The place of a whole source, for the end of a compile error's headline."""
        if self.name.startswith(_PASSED):
            return f"the source was passed at {self.name.removeprefix(_PASSED)}"
        if "{}" in self.name:
            return f"line 1 of kernel.cu is {self.name.replace('{}', str(self.first_line))}"
        return f"kernel.cu is the source of {self.name.removeprefix('a line of ')}{self.detail}"


_PASSED = "line {} of the source passed at "
# The package's modules that hand a program's source on as it is.
_HANDING_ON = ("pycuda.compiler", "pycuda._compiling", "pycuda._cuda_modules", "pycuda._source_places")
_override = threading.local()
_files = {}  # lines without blanks at their ends, by file name


def _user_frame():
    """The innermost frame outside of this package, or None."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "pycuda":
        if frame.f_globals.get("__name__") == "pycuda.__main__":
            break
        frame = frame.f_back
    return frame


def _cell_name(filename):
    """What Jupyter and IPython call the code of this file name, such as "cell In[3]"; None for other code."""
    if "ipykernel" not in filename and not filename.startswith("<ipython-input"):
        return None
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive is not None else None
    naming = getattr(getattr(shell, "compile", None), "format_code_name", None)
    named = naming(filename) if naming is not None else None
    return " ".join(named).replace("Cell", "cell") if named else "the notebook's cell"


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


def place_of_call():
    """Where the program called the package: "program.py:12" or "line 3 of cell In[2]"; "" without such a place."""
    frame = _user_frame()
    return "" if frame is None else _place_in(frame.f_code.co_filename, frame.f_lineno)


def _lines_of(filename, module_globals):
    """The lines of a file or a cell, without blanks at their ends; none where there is no text."""
    import linecache  # start-up time: rarely needed

    lines = linecache.getlines(filename, module_globals)
    known = _files.get(filename)
    if known is None or known[0] is not lines:
        if len(_files) > 100:
            _files.clear()
        known = _files[filename] = (lines, [line.strip() for line in lines])
    return known[1]


def _line_of_literal(source, lines, called_at):
    """The line on which `source` begins in a file, if it stands there once, or around the calling line; else None."""
    wanted = [line.strip() for line in source.split("\n")]
    first, last = wanted[0], wanted[-1]
    count = len(wanted)
    # The line that is compared first: blank lines are everywhere.
    probe = next((index for index, line in enumerate(wanted) if 0 < index < count - 1 and line), None)
    found = []
    for start in range(len(lines) - count + 1):
        if probe is not None and lines[start + probe] != wanted[probe]:
            continue
        if count == 1:
            if first not in lines[start]:
                continue
        elif not lines[start].endswith(first) or not lines[start + count - 1].startswith(last):
            continue
        if lines[start + 1 : start + count - 1] == wanted[1:-1]:
            found.append(start + 1)
    if len(found) > 1:
        found = [line for line in found if line - 1 <= called_at <= line + count]
    return found[0] if len(found) == 1 else None


def place_of_source(source):
    """The place of a source that the program passes to the package now.

    A source that stands in the calling file as it is, indented or not, has the lines of that file. Of other sources
    (read from a file, put together) the place is the call.

    Parameters
    ----------
    source : bytes

    Returns
    -------
    Place
    """
    set_place = placed_already()
    if set_place is not None:
        return set_place
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__") in _HANDING_ON:
        frame = frame.f_back
    if frame is not None and frame.f_globals.get("__name__", "").startswith("pycuda."):
        return Place("a line of a kernel of this package")
    if frame is None:
        return Place("line {} of the source")
    filename = frame.f_code.co_filename
    text = source.decode(errors="replace")
    if text.strip():
        begin = _line_of_literal(text, _lines_of(filename, frame.f_globals), frame.f_lineno)
        if begin is not None:
            return Place(_place_in(filename, "{}"), begin)
    return Place(_PASSED + _place_in(filename, frame.f_lineno))


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


def place_of_generated(what, made_at="", **parts):
    """The `Place` of a source that the package generates; its lines are not the user's, so no number is named.

    Parameters
    ----------
    what : str
        Such as "ElementwiseKernel 'scale'".
    made_at : str
        What `place_of_call` returned when the object was made.
    **parts : str
        The texts of the user's that are in the source, by what they are called.
    """
    made = f" made at {made_at}" if made_at else ""
    texts = ", ".join(f"{name}={text!r}" for name, text in parts.items() if text)
    return Place(f"a line of {what}{made}", detail=f", which has {texts}" if texts else "")
