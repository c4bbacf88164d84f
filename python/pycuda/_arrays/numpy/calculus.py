# SPDX-License-Identifier: MIT
"""NumPy's differences, gradients, integrals and interpolation along axes."""

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray, _apply
from pycuda._arrays.core.shapes import _axes, _axis
from pycuda._arrays.numpy.joining import concatenate
from pycuda._arrays.ops.joining import broadcast_to
from pycuda._arrays.ops.operands import device, floating
from pycuda._arrays.ops.searching import searchsorted
from pycuda._arrays.ops.selection import take
from pycuda._arrays.ops.sorting import argsort
from pycuda._arrays.ops.views import _parts
from pycuda.array_api import statistics


def diff(a, n=1, axis=-1, prepend=np._NoValue, append=np._NoValue):
    """The differences of neighbours along an axis, so many times."""
    a = device(a)
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if n == 0:
        return a
    if not a.ndim:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = _axis(axis, a.ndim)
    one = tuple(1 if i == axis else length for i, length in enumerate(a.shape))
    around = []
    for part in (prepend, append):
        part = None if part is np._NoValue else device(part)
        around.append(broadcast_to(part, one) if part is not None and not part.ndim else part)
    return statistics.diff(a, axis=axis, n=n, prepend=around[0], append=around[1])


def ediff1d(ary, to_end=None, to_begin=None):
    """The differences of neighbours of the flattened array, between other values."""
    flat = device(ary).ravel()
    parts = []
    for part in (to_begin, to_end):
        if part is not None:
            part = device(part)
            if not np.can_cast(part.dtype, flat.dtype, "same_kind"):
                raise TypeError(f"dtype of {part.dtype} must be compatible with input {flat.dtype}")
            part = part.ravel().astype(flat.dtype, copy=False)
        parts.append(part)
    middle = flat[1:] - flat[:-1]
    return concatenate([part for part in (parts[0], middle, parts[1]) if part is not None])


def _along(ndim, axis):
    """An index of parts along an axis."""
    return lambda part: (*(slice(None),) * axis, part)


def _gradient_along(f, spacing, axis, edge_order):
    at = _along(f.ndim, axis)
    result = GPUArray(f.shape, f.dtype)
    even = not isinstance(spacing, GPUArray)
    if even:
        result[at(slice(1, -1))] = (f[at(slice(2, None))] - f[at(slice(None, -2))]) / (2.0 * spacing)
        first = last = spacing
    else:
        wide = spacing.reshape((-1, *(1,) * (f.ndim - axis - 1)))
        earlier, later = wide[:-1], wide[1:]
        result[at(slice(1, -1))] = (
            -later / (earlier * (earlier + later)) * f[at(slice(None, -2))]
            + (later - earlier) / (earlier * later) * f[at(slice(1, -1))]
            + earlier / (later * (earlier + later)) * f[at(slice(2, None))]
        )
        first, last = spacing[0], spacing[-1]
    if edge_order == 1:
        result[at(0)] = (f[at(1)] - f[at(0)]) / first
        result[at(-1)] = (f[at(-1)] - f[at(-2)]) / last
        return result
    if even:
        result[at(0)] = -1.5 / spacing * f[at(0)] + 2.0 / spacing * f[at(1)] - 0.5 / spacing * f[at(2)]
        result[at(-1)] = 0.5 / spacing * f[at(-3)] - 2.0 / spacing * f[at(-2)] + 1.5 / spacing * f[at(-1)]
        return result
    one, two = spacing[0], spacing[1]
    result[at(0)] = (
        -(2.0 * one + two) / (one * (one + two)) * f[at(0)]
        + (one + two) / (one * two) * f[at(1)]
        - one / (two * (one + two)) * f[at(2)]
    )
    one, two = spacing[-2], spacing[-1]
    result[at(-1)] = (
        two / (one * (one + two)) * f[at(-3)]
        - (two + one) / (one * two) * f[at(-2)]
        + (2.0 * two + one) / (two * (one + two)) * f[at(-1)]
    )
    return result


def gradient(f, *varargs, axis=None, edge_order=1):
    """The slopes along axes, from both neighbours: an array, or a tuple of one for each axis."""
    f = device(f)
    axes = _axes(axis, f.ndim)
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("invalid number of arguments")
    if len(varargs) == 1 and len(axes) > 1 and np.ndim(varargs[0]):
        raise TypeError("invalid number of arguments")
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind == "b":
        raise TypeError("boolean subtract is not supported: convert the array with astype")
    f = floating(f)
    spacings = list(varargs) * len(axes) if len(varargs) == 1 and len(axes) > 1 else list(varargs) or [1.0] * len(axes)
    results = []
    for one, spacing in zip(axes, spacings):
        if np.ndim(spacing):
            spacing = floating(device(spacing))
            if spacing.ndim != 1:
                raise ValueError("distances must be either scalars or 1d")
            if spacing.size != f.shape[one]:
                raise ValueError("when 1d, distances must match the length of the corresponding dimension")
            spacing = spacing[1:] - spacing[:-1]
        elif isinstance(spacing, GPUArray):
            spacing = spacing.item()
        if f.shape[one] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are "
                "required."
            )
        results.append(_gradient_along(f, spacing, one, edge_order))
    return results[0] if len(results) == 1 else tuple(results)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral along an axis by the trapezoidal rule."""
    y = device(y)
    axis = _axis(axis, y.ndim)
    at = _along(y.ndim, axis)
    if x is not None:
        x = device(x)
        if x.ndim == 1:
            dx = (x[1:] - x[:-1]).reshape((-1, *(1,) * (y.ndim - axis - 1)))
        else:
            along = _along(x.ndim, _axis(axis - y.ndim, x.ndim))
            dx = x[along(slice(1, None))] - x[along(slice(None, -1))]
    return (dx * (y[at(slice(1, None))] + y[at(slice(None, -1))]) / 2.0).sum(axis)


def _on_lines(x, xp, fp):
    """The values at `x` on the lines between two points or more, all real; beyond them of the first or last line."""
    at = _apply("clip", (searchsorted(xp, x, "right") - 1, 0, xp.size - 2), None, None, None)
    slope = take((fp[1:] - fp[:-1]) / (xp[1:] - xp[:-1]), at)
    start, end = take(fp, at), take(fp, at + 1)
    inside = slope * (x - take(xp, at)) + start
    # Where that is not a number because a value is infinite, the other end may give one.
    other = slope * (x - take(xp, at + 1)) + end
    other = _apply("where", ((other != other) & (start == end), start, other), None, None, None)
    inside = _apply("where", (inside != inside, other, inside), None, None, None)
    inside = _apply("where", (x == take(xp, at), start, inside), None, None, None)
    return _apply("where", (x == xp[-1], fp[-1], inside), None, None, None)


def interp(x, xp, fp, left=None, right=None, period=None):
    """The values at `x` on the lines between points, of which `xp` ascends."""
    x, xp, fp = device(x), device(xp), device(fp)
    for one in (x, xp):
        if one.dtype.kind == "c":
            raise TypeError(f"Cannot cast array data from {one.dtype} to float64 according to the rule 'safe'")
    dtype = np.dtype(np.complex128 if fp.dtype.kind == "c" else np.float64)
    x, xp, fp = x.astype(np.float64, copy=False), xp.astype(np.float64, copy=False), fp.astype(dtype, copy=False)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if not xp.size:
        raise ValueError("array of sample points is empty")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period, left, right = abs(period), None, None
        x, xp = x % period, xp % period
        order = argsort(xp)
        xp, fp = take(xp, order), take(fp, order)
        xp = concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = concatenate((fp[-1:], fp, fp[:1]))
    left = fp[0] if left is None else left
    right = fp[-1] if right is None else right
    result = broadcast_to(fp[-1], x.shape)
    if xp.size > 1:
        if dtype.kind == "c":
            result = GPUArray(x.shape, dtype)
            for number in (0, 1):
                _parts(result, number)[...] = _on_lines(x, xp, _parts(fp, number))
        else:
            result = _on_lines(x, xp, fp)
    result = _apply("where", (x < xp[0], left, result), None, None, None)
    result = _apply("where", (x > xp[-1], right, result), None, None, None)
    if xp.size > 1:
        result = _apply("where", (x == x, result, x), None, None, None)
    return result.astype(dtype, copy=False)
