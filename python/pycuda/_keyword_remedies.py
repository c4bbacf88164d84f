# SPDX-License-Identifier: MIT
"""What Python's own error about an unknown keyword of this package's functions lacks: the keyword that was meant.

The functions take no keywords that they do not know, so that calls cost nothing; the error is completed when it is
shown: by `sys.excepthook`, in notebooks with the extension, and by the pytest plug-in.
"""

import contextlib
import dis
import inspect
import re
import sys

from pycuda._wrong_keywords import remedy_of

_TEXT = re.compile(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'")


def _is_ours(name):
    return name == "pycuda" or name.startswith("pycuda.")


def _called(frame, place, name):
    """The function of this name that the code of a frame was to call at `place`; None if that is not found."""
    last = name.rpartition(".")[2]
    loads = [one for one in dis.get_instructions(frame.f_code) if one.offset < place and one.opname[:5] == "LOAD_"]
    while loads:
        path = [loads.pop()]
        while path[0].opname in ("LOAD_ATTR", "LOAD_METHOD") and loads:
            path.insert(0, loads.pop())
        value = frame.f_locals.get(path[0].argval, frame.f_globals.get(path[0].argval))
        for step in path[1:]:
            value = vars(value).get(step.argval) if inspect.ismodule(value) else None
        if path[-1].argval == last or getattr(value, "__qualname__", None) == name:
            return value
    return None


def _methods(name):
    """The package's functions that are attributes of classes, by their names as in "GPUArray.sum"."""
    owner, _, method = name.rpartition(".")
    modules = [vars(module) for key, module in [*sys.modules.items()] if _is_ours(key)]
    classes = {id(known[owner]): known[owner] for known in modules if inspect.isclass(known.get(owner))}
    return [vars(one)[method] for one in classes.values() if method in vars(one)]


def _remedy(said, traceback):
    name, keyword = said.groups()
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    known = _methods(name) if "." in name else [_called(traceback.tb_frame, traceback.tb_lasti, name)]
    for function in known:
        code = getattr(function, "__code__", None)
        if code is not None and _is_ours(function.__module__):
            names = code.co_varnames[
                max("." in name, code.co_posonlyargcount) : code.co_argcount + code.co_kwonlyargcount
            ]
            return f"; {remedy_of(keyword, names)}"
    return ""


def add_remedy(error, traceback):
    """Complete a TypeError of Python's about a keyword of one of the package's functions.

    Parameters
    ----------
    error : TypeError
        Its text is replaced.
    traceback
        Of the error.
    """
    said = _TEXT.fullmatch(str(error))
    if said and traceback:
        # Whatever a program's frames and modules hold, its error is shown.
        with contextlib.suppress(Exception):
            error.args = (f"{error}{_remedy(said, traceback)}",)
