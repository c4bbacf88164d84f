# SPDX-License-Identifier: MIT
"""What a fused function depends on besides its arrays: other arguments, and variables outside of it."""

import enum
import types

import numpy as np

_CONSTANTS = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    type,
    enum.Enum,
    np.generic,
    np.dtype,
    np.ufunc,
    types.BuiltinFunctionType,
    types.FunctionType,
)
_MISSING = object()


def constant(one):
    """An argument that is not an array, as a part of a key: equal ones are the same to a kernel."""
    if type(one) is tuple:
        return (tuple, tuple([constant(part) for part in one]))
    if not isinstance(one, _CONSTANTS):
        if isinstance(one, np.ndarray):
            remedy = "copy it with to_gpu"
        else:
            remedy = "pass what it needs of it as arrays and numbers"
        raise TypeError(
            f"a fused function takes arrays on the device, numbers and strings, not {type(one).__name__}: {remedy}"
        )
    # 1, 1.0 and True are equal, and so are 0.0 and -0.0.
    number = isinstance(one, (float, complex, np.inexact))
    return (type(one), one, str(one) if number and (not one or isinstance(one, (complex, np.complexfloating))) else "")


class Surroundings:
    """The values of the variables outside of a function that its code, and that of functions there, names."""

    __slots__ = ("_cells", "_globals")

    def __init__(self, function):
        self._globals, self._cells = [], []
        self._collect(function, set())

    def unchanged(self):
        """Whether all of them still have the same values."""
        for names, name, value in self._globals:
            if names.get(name, _MISSING) is not value:
                return False
        return all(_contents(cell) is value for cell, value in self._cells)

    def _collect(self, function, seen):
        function = getattr(function, "_function", function)  # of another fused function
        if not isinstance(function, types.FunctionType) or function in seen:
            return
        seen.add(function)
        for cell in function.__closure__ or ():
            value = _contents(cell)
            self._cells.append((cell, value))
            self._collect(value, seen)
        for name in _names(function.__code__):
            value = function.__globals__.get(name, _MISSING)
            self._globals.append((function.__globals__, name, value))
            self._collect(value, seen)


def _names(code):
    """The names that the code, and functions and comprehensions in it, may look up among the globals."""
    names = set(code.co_names)
    for constant_ in code.co_consts:
        if isinstance(constant_, types.CodeType):
            names.update(_names(constant_))
    return sorted(names)


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _MISSING
