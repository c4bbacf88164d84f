# SPDX-License-Identifier: MIT
"""Elements by condition: where, clip, larger and smaller, logical functions, rounding."""

import builtins

import numpy as np

from pycuda import _driver
from pycuda._arrays.array import GPUArray

_apply = _driver._array.apply


def if_positive(criterion, then_, else_, out=None, stream=None):
    """`then_` where the criterion is greater than zero, else `else_`."""
    shapes = [one.shape for one in (criterion, then_, else_) if isinstance(one, GPUArray)]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"shapes do not match: {shapes}") from None
    return _apply("if_positive", (criterion, then_, else_), out, None, stream)


def where(criterion, then_=None, else_=None, out=None, stream=None):
    """`then_` where the criterion is not zero, else `else_`: a new array of NumPy's common dtype.

    All three broadcast; numbers count weakly, as Python's do. With the criterion alone it is `nonzero`.
    """
    if then_ is None and else_ is None:
        from pycuda._arrays.selection import nonzero

        return nonzero(criterion)
    return _apply("where", (criterion, then_, else_), out, None, stream)


def _extreme(name, a, b, out, stream):
    if not isinstance(a, GPUArray) and not isinstance(b, GPUArray):
        return getattr(np, name)(a, b)
    return _apply(name, (a, b), out, None, stream)


def maximum(a, b, out=None, stream=None):
    """The larger of each pair of elements; a NaN gives way to a number."""
    return _extreme("fmax", a, b, out, stream)


def minimum(a, b, out=None, stream=None):
    """The smaller of each pair of elements; a NaN gives way to a number."""
    return _extreme("fmin", a, b, out, stream)


def clip(a, min=None, max=None, out=None, stream=None):
    """The elements, no smaller than `min` and no larger than `max`."""
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
    if not builtins.any(isinstance(operand, GPUArray) for operand in operands):
        value = getattr(np, name)(*operands)
        result = GPUArray((), np.bool_, allocator) if out is None else out
        return result.fill(bool(value))
    return _apply(name, operands, out, None, None)


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
    """The elements rounded to so many decimals, halves to even."""
    if a.dtype.kind in "iub" and decimals >= 0:
        return a.copy()
    if decimals == 0:
        return _apply("rint", (a,), out, a.dtype, stream)
    factor = 10.0**decimals
    return _apply("rint", (a * factor,), None, None, stream) / factor
