# SPDX-License-Identifier: MIT
"""What stands for arrays while a fused function is read: each operation becomes a step of its kernel."""

import re

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.numpy import protocols
from pycuda._arrays.ops import where


class Trace:
    """One call of a fused function with stand-ins, and the kernel that follows from it."""

    def __init__(self, name, dtypes, surroundings):
        self.surroundings = surroundings
        self._name = name
        identifier = re.sub(r"\W", "", name, flags=re.ASCII)[:40]
        self.fusion = _driver._array.Fusion(identifier or "function", tuple(dtypes))
        self.open = True
        self.single = True
        self._count = len(dtypes)

    def arguments(self):
        """A stand-in for each array."""
        return [Elements(self, value) for value in range(self._count)]

    def is_argument(self, value):
        return value < self._count

    def finish(self, returned):
        """Takes what the function has returned as the kernel's results."""
        self.single = not isinstance(returned, (tuple, list))
        results = (returned,) if self.single else returned
        for one in results:
            if not isinstance(one, Elements) or one._trace is not self:
                raise TypeError(
                    f"{self._name} returned {_description(one)}: a fused function returns what it has computed of its "
                    "arrays, or a tuple of that"
                )
        if not results:
            raise TypeError(f"{self._name} returned no results")
        self.fusion.finish([one._value for one in results])

    def check_open(self):
        """TypeError once the function has returned."""
        if not self.open:
            raise TypeError("elements of a fused function are known only while it runs: return them from it")

    def add(self, name, operands):
        """The elements that an operation gives."""
        self.check_open()
        if name == "power" and _is_square(*operands):
            name, operands = "square", operands[:1]
        values = []
        for one in operands:
            if isinstance(one, Elements):
                if one._trace is not self:
                    raise TypeError("elements of another call of a fused function: return them from it")
                values.append(one._value)
            elif isinstance(one, GPUArray) or (isinstance(one, np.ndarray) and one.ndim):
                raise TypeError(f"{_description(one)} inside a fused function: pass it to the function as an argument")
            else:
                values.append(-1)
        numbers = tuple(None if isinstance(one, Elements) else one for one in operands)
        return Elements(self, self.fusion.add(name, values, numbers))


def _is_square(base, exponent):
    """Whether a power is a product, to the bit: the kernel need not contain the code of powers."""
    if not isinstance(base, Elements) or type(exponent) not in (int, float) or exponent != 2:
        return False
    return base.dtype.kind in ("iufc" if type(exponent) is int else "fc")


def _description(one):
    if isinstance(one, GPUArray):
        return "an array on the device"
    if isinstance(one, np.ndarray):
        return "a numpy.ndarray"
    return "None" if one is None else f"an object of type {type(one).__name__}"


def _refusal(what, remedy):
    def refuse(self, *arguments, **named):
        raise TypeError(f"{what} inside a fused function: {remedy}")

    return refuse


_NO_VALUES = "its elements are not known yet"


class Elements(np.lib.mixins.NDArrayOperatorsMixin):
    """The elements of an array, or of what has been computed."""

    __slots__ = ("_trace", "_value")

    def __init__(self, trace, value):
        self._trace, self._value = trace, value

    def __repr__(self):
        return f"<elements of dtype {self.dtype} in a fused function>"

    @property
    def dtype(self):
        """The dtype that the array would have."""
        return self._trace.fusion.dtype(self._value)

    @property
    def real(self):
        """The real parts; of real elements themselves, as of arrays."""
        return self._trace.add("real", (self,)) if self.dtype.kind == "c" else self

    @property
    def imag(self):
        """The imaginary parts."""
        return self._trace.add("imag", (self,))

    def conj(self):
        """The complex conjugates; of real elements themselves, as of arrays."""
        return self._trace.add("conjugate", (self,)) if self.dtype.kind == "c" else self

    conjugate = conj

    def copy(self):
        """The same elements."""
        return self._trace.add("copy", (self,))

    def astype(self, dtype, stream=None, copy=True):
        """The elements converted to a dtype, as `GPUArray.astype` converts them."""
        _check_places(None, stream)
        dtype = np.dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        if self.dtype.kind == "c" and dtype.kind in "fiu":
            raise TypeError(f"{self.dtype} to {dtype} inside a fused function: take .real first")
        self._trace.check_open()
        return Elements(self._trace, self._trace.fusion.convert(self._value, dtype))

    def clip(self, min=None, max=None):
        """`pycuda.gpuarray.clip`."""
        return where.clip(self, min, max)

    def round(self, decimals=0):
        """`pycuda.gpuarray.round_`."""
        if self.dtype.kind == "c" and decimals:
            raise TypeError("complex elements are not rounded to decimals inside a fused function: round the result")
        return where.round_(self, decimals)

    def __round__(self, decimals=None):
        return self.round(decimals or 0)

    def __pos__(self):
        return self

    def _apply_operation(self, name, operands, out, dtype, stream):
        """An operation of arrays that has met these elements."""
        _check_places(out, stream)
        result = self._trace.add(name, operands)
        return result if dtype is None else result.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        out = named.pop("out", None)
        if method != "__call__":
            remedy = "reduce the result instead" if method == "reduce" else "it takes single elements only"
            raise TypeError(f"np.{ufunc.__name__}.{method} inside a fused function: {remedy}")
        if named:
            raise TypeError(f"np.{ufunc.__name__} inside a fused function does not take {', '.join(named)}")
        if ufunc is np.divmod and out is None:
            return tuple(self._trace.add(name, inputs) for name in ("floor_divide", "remainder"))
        name = protocols.plain_operation(ufunc)
        if name is None:
            raise TypeError(f"np.{ufunc.__name__} inside a fused function is not supported: call it on the result")
        result = self._trace.add(name, inputs)
        return result if out is None else out[0]._become(result) if isinstance(out[0], Elements) else _no_out(ufunc)

    def _become(self, result):
        """``self op= ...``"""
        if self._trace.is_argument(self._value):
            raise TypeError(
                "a fused function does not change its arguments: write x = x + 1 instead of x += 1, and pass out=x to "
                "the fused function to store the result there"
            )
        if not np.can_cast(result.dtype, self.dtype, "same_kind"):
            raise TypeError(f"a result of dtype {result.dtype} cannot be stored with dtype {self.dtype}")
        self._value = result.astype(self.dtype, copy=False)._value
        return self

    def __array_function__(self, function, types, arguments, named):
        answer = _FUNCTIONS.get(function)
        if answer is None:
            raise TypeError(
                f"np.{function.__name__} inside a fused function: it is not done element by element; call it on the "
                "result"
            )
        return answer(*arguments, **named)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(
            f"the elements in a fused function have no {name!r}: it takes operations on single elements; use the "
            "array itself outside of the function"
        )

    __bool__ = _refusal("a condition on elements", "choose with np.where(condition, a, b) instead of if, and, or")
    __len__ = _refusal("the length of an array", "pass it as a number")
    __iter__ = _refusal("a loop over elements", "operations are on all elements at once")
    __getitem__ = _refusal("an index", "pass the selected array as an argument")
    __setitem__ = _refusal("an assignment to elements", "choose with np.where")
    __float__ = _refusal("float() of elements", _NO_VALUES)
    __int__ = _refusal("int() of elements", _NO_VALUES)
    __index__ = _refusal("elements as an index", _NO_VALUES)
    __complex__ = _refusal("complex() of elements", _NO_VALUES)
    __array__ = _refusal("a copy on the host", _NO_VALUES)
    __matmul__ = __rmatmul__ = _refusal("a matrix product", "multiply the results instead")


def _check_places(out, stream):
    if out is not None or stream is not None:
        raise TypeError("out and stream inside a fused function: pass them to the fused function instead")


def _no_out(ufunc):
    raise TypeError(f"np.{ufunc.__name__} with out inside a fused function: pass out to the fused function instead")


def _where(condition, *choices):
    if len(choices) != 2:
        raise TypeError("np.where inside a fused function needs both choices: np.where(condition, a, b)")
    return where.where(condition, *choices)


def _clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    _check_places(out, None)
    # A number has a dtype of its own there.
    a = a if isinstance(a, Elements) else np.asarray(a)[()]
    return where.clip(a, a_min if min is None else min, a_max if max is None else max)


def _round(a, decimals=0, out=None):
    _check_places(out, None)
    return a.round(decimals)


def _angle(z, deg=False):
    angle = z._trace.add("angle", (z,))
    return angle * (180 / np.pi) if deg else angle


_FUNCTIONS = {
    np.where: _where,
    np.clip: _clip,
    np.round: _round,
    np.around: _round,
    np.real: lambda val: val.real,
    np.imag: lambda val: val.imag,
    np.angle: _angle,
    np.copy: lambda a: a.copy(),
}
