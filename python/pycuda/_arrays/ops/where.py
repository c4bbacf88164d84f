# SPDX-License-Identifier: MIT
"""Elements by condition: where, clip, logical functions; rounding."""

import builtins

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.ops.reductions import allocated, delivered
from pycuda._arrays.ops.selection import nonzero
from pycuda._arrays.ops.views import _parts

_array = _driver._array
_apply = _array.apply


def where(criterion, then_=None, else_=None, out=None, stream=None):
    """`then_` where the criterion is not zero, else `else_`: a new array of NumPy's common dtype.

    All three broadcast; numbers count weakly, as Python's do. With the criterion alone it is `nonzero`.

    Examples
    --------
    >>> a = gpuarray.arange(4, dtype=np.int32)
    >>> gpuarray.where(a > 1, a, -1)
    array([-1, -1,  2,  3], dtype=int32)
    """
    if then_ is None and else_ is None:
        return nonzero(criterion)
    return _apply("where", (criterion, then_, else_), out, None, stream)


def clip(a, min=None, max=None, out=None, stream=None):
    """The elements, no smaller than `min` and no larger than `max`. Where `min` exceeds `max` the result is `max`.

    A Python integer that a dtype of integers does not hold is not a limit where all elements are within it, and
    OverflowError else.

    Examples
    --------
    >>> gpuarray.clip(gpuarray.arange(5, dtype=np.int32), 1, 3)
    array([1, 1, 2, 3, 3], dtype=int32)
    """
    try:
        return _clipped(a, min, max, out, stream)
    except OverflowError:
        limits = _beyond(a.dtype, min, -1), _beyond(a.dtype, max, 1)
        if limits == (min, max):
            raise
        return _clipped(a, *limits, out, stream)


def _beyond(dtype, limit, side):
    """The limit; None if it is below (`side` is -1) or above (1) all numbers of a dtype of integers."""
    if type(limit) is not int or dtype.kind not in "iu":
        return limit
    numbers = np.iinfo(dtype)
    outside = limit < numbers.min if side < 0 else limit > numbers.max
    return None if outside else limit


def _clipped(a, min, max, out, stream):
    if min is None and max is None:
        return _apply("copy", (a,), out, None, stream)
    if min is None:
        return _apply("minimum", (a, max), out, None, stream)
    if max is None:
        return _apply("maximum", (a, min), out, None, stream)
    return _apply("clip", (a, min, max), out, None, stream)


def _logical(name, operands, out, allocator):
    for operand in operands:
        if isinstance(operand, np.ndarray):
            raise ValueError(f"{name} takes arrays on the device and numbers, not numpy.ndarray")
    if not builtins.any(isinstance(one, GPUArray) or hasattr(one, "_apply_operation") for one in operands):
        value = getattr(np, name)(*operands)
        result = GPUArray((), np.bool_, allocator) if out is None else out
        return result.fill(bool(value))
    result = _apply(name, operands, out, None, None)
    return allocated(result, allocator) if out is None else result


def logical_and(x1, x2, /, out=None, *, allocator=None):
    """Whether both elements are not zero: bool; the operands broadcast."""
    return _logical("logical_and", (x1, x2), out, allocator)


def logical_or(x1, x2, /, out=None, *, allocator=None):
    """Whether at least one of both elements is not zero: bool; the operands broadcast."""
    return _logical("logical_or", (x1, x2), out, allocator)


def logical_not(x, /, out=None, *, allocator=None):
    """Whether the element is zero: a bool array of the same shape."""
    return _logical("logical_not", (x,), out, allocator)


def round_(a, decimals=0, out=None, stream=None):
    """The elements rounded to so many decimals (tens, hundreds ... if negative), halves to even.

    The dtype stays, but for bool, which becomes float16. `out`, if given, has the same shape and takes the result.
    TypeError for bool with `decimals` other than 0.
    """
    if a.dtype.kind in "iu":
        whole = a if decimals >= 0 else _rounded_integers(a, 10**-decimals, stream)
        return a.copy() if whole is a and out is None else delivered(whole, out, stream)
    if decimals == 0:
        return delivered(_apply("rint", (a,), None, None, stream), out, stream)
    if a.dtype.kind == "b":
        raise TypeError("bool is not rounded to decimals: convert it with astype")
    if a.dtype.kind == "c":
        result = _array.empty_like(a, None, "K")
        for number in (0, 1):
            _array.copy(_parts(result, number), round_(_parts(a, number), decimals, None, stream), stream)
        return delivered(result, out, stream)
    factor = 10.0 ** abs(decimals)
    there, back = ("multiply", "true_divide") if decimals > 0 else ("true_divide", "multiply")
    scaled = _apply("rint", (_apply(there, (a, factor), None, None, stream),), None, None, stream)
    return delivered(_apply(back, (scaled, factor), None, None, stream), out, stream)


def _rounded_integers(a, unit, stream):
    """Integers rounded to multiples of `unit`, without the detour that floats would be; too large ones wrap around."""
    wide = np.dtype(np.uint64 if a.dtype.kind == "u" else np.int64)
    if unit > np.iinfo(wide).max:
        return _array.empty_like(a, None, "K").fill(0, stream)

    def apply(name, *operands):
        return _apply(name, operands, None, None, stream)

    elements = a.astype(wide, stream, copy=False)
    below = apply("floor_divide", elements, unit)
    rest = apply("subtract", elements, apply("multiply", below, unit))
    # Compared with the distance to the unit above, as twice the rest may not fit.
    above = apply("subtract", unit, rest)
    odd_half = apply("logical_and", apply("equal", rest, above), apply("bitwise_and", below, 1))
    up = apply("logical_or", apply("greater", rest, above), odd_half)
    return apply("multiply", apply("add", below, up), unit).astype(a.dtype, stream, copy=False)


def rounded(self, decimals=0, out=None, stream=None):
    """`pycuda.gpuarray.round_` as NumPy's method."""
    return round_(self, decimals, out, stream)


def round_to(self, ndigits=None):
    """``round(self, ndigits)``."""
    return round_(self, ndigits or 0)
