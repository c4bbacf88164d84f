# SPDX-License-Identifier: MIT
"""What a fused function depends on besides its arrays: other arguments, and variables outside of it."""

import enum
import functools
import types
import weakref

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray

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


class CallsFunction:
    """Base of what calls a Python function of its own, `_function`."""

    __slots__ = ()


def key_of(argument):
    """A part of a key for an argument that is not an array: equal for arguments that mean the same to the function."""
    if type(argument) is float:
        # 0.0 and -0.0 are equal, and NaN is not equal to itself.
        return (float, argument) if argument and argument == argument else (float, str(argument))
    if isinstance(argument, (np.generic, np.ndarray)) and not argument.ndim:
        return (type(argument), argument.dtype, argument.tobytes())
    if isinstance(argument, complex):
        return (type(argument), repr(argument))
    if type(argument) is tuple:
        return (tuple, tuple([key_of(part) for part in argument]))
    if not isinstance(argument, _CONSTANTS):
        raise TypeError(
            f"a fused function takes arrays on the device, numbers and strings, not {type(argument).__name__}: "
            + _remedy(argument)
        )
    return (type(argument), argument)


def _remedy(argument):
    if isinstance(argument, np.ndarray):
        return "copy it with to_gpu"
    if contains_array(argument):
        return "pass each array as an argument of its own"
    return "pass what it needs of it as arrays and numbers"


def contains_array(argument):
    """Whether an argument is an array on the device, or a tuple, list or dict of some."""
    if isinstance(argument, dict):
        argument = tuple(argument.values())
    return isinstance(argument, GPUArray) or (
        isinstance(argument, (tuple, list)) and any(contains_array(part) for part in argument)
    )


class Surroundings:
    """The values of the variables outside of functions that their code, and that of functions there, names.

    Parameters
    ----------
    functions : iterable
        Others than Python functions, and what is made of them, are left out.
    """

    __slots__ = ("_cells", "_names", "_seen")

    def __init__(self, functions):
        self._names, self._cells, self._seen = [], [], set()
        for function in functions:
            self._collect(function)
        self._seen = None

    def unchanged(self):
        """Whether all of them still have the same values."""
        for names, name, known in self._names:
            if names.get(name, _MISSING) is not known():
                return False
        return all(_contents(cell) is known() for cell, known in self._cells)

    def _collect(self, function):
        if isinstance(function, CallsFunction):
            function = function._function
        if isinstance(function, functools.partial):
            for one in (function.func, *function.args, *function.keywords.values()):
                self._collect(one)
            return
        if isinstance(function, types.MethodType):
            function = function.__func__
        if not isinstance(function, types.FunctionType) or function in self._seen:
            return
        self._seen.add(function)
        for one in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self._collect(one)
        for cell in function.__closure__ or ():
            value = _contents(cell)
            self._cells.append((cell, _held(value)))
            self._collect(value)
        names = _names(function.__code__)
        for name in names:
            value = function.__globals__.get(name, _MISSING)
            self._note(function.__globals__, name, value)
            if isinstance(value, types.ModuleType):
                for attribute in names:
                    if attribute in vars(value):
                        self._note(vars(value), attribute, vars(value)[attribute])

    def _note(self, names, name, value):
        self._names.append((names, name, _held(value)))
        self._collect(value)


def _held(value):
    """A function that gives the value, which it does not keep alive where that can be."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


def _names(code):
    """The names that the code, and functions and comprehensions in it, may look up among globals or attributes."""
    names = set(code.co_names)
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            names.update(_names(one))
    return sorted(names)


def _contents(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return _MISSING
