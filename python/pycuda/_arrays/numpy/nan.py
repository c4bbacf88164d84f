# SPDX-License-Identifier: MIT
"""NumPy's reductions that leave out elements that are not a number, and what replaces these."""

import math

import numpy as np

from pycuda._arrays.core.dtype_kinds import kind, wide
from pycuda._arrays.core.gpuarray import _apply
from pycuda._arrays.numpy.arguments import keeps, refuse
from pycuda._arrays.numpy.joining import concatenate
from pycuda._arrays.numpy.statistics import (
    asked_quantiles,
    between,
    has_nan,
    in_front,
    median,
    percentile,
    quantile,
    rows_along,
    with_nan,
)
from pycuda._arrays.ops.creation import to_gpu
from pycuda._arrays.ops.operands import device
from pycuda._arrays.ops.reductions import _reduce, delivered
from pycuda._arrays.ops.scans import cumprod, cumsum
from pycuda._arrays.ops.sorting import sort
from pycuda._arrays.ops.views import _part, _parts
from pycuda.array_api.ordering import take_along_axis


def _is_nan(a):
    return _apply("isnan", (a,), None, None, None)


def _filled(a, value):
    """The array with a value in place of NaN, in its dtype."""
    if not has_nan(a.dtype):
        return a
    return _apply("where", (_is_nan(a), value, a), None, None, None).astype(a.dtype, copy=False)


def nansum(a, axis=None, dtype=None, out=None, keepdims=np._NoValue, initial=np._NoValue, where=np._NoValue):
    """The sum along axes; NaN counts as zero."""
    refuse("nansum", initial=initial, where=where)
    return _filled(device(a), 0).sum(axis, dtype, out, keeps(keepdims))


def nanprod(a, axis=None, dtype=None, out=None, keepdims=np._NoValue, initial=np._NoValue, where=np._NoValue):
    """The product along axes; NaN counts as one."""
    refuse("nanprod", initial=initial, where=where)
    return _filled(device(a), 1).prod(axis, dtype, out, keeps(keepdims))


def nancumsum(a, axis=None, dtype=None, out=None):
    """The sums of all elements up to each; NaN counts as zero."""
    return cumsum(_filled(device(a), 0), axis, dtype, out)


def nancumprod(a, axis=None, dtype=None, out=None):
    """The products of all elements up to each; NaN counts as one."""
    return cumprod(_filled(device(a), 1), axis, dtype, out)


def _extreme(name, a, axis, out, keepdims, initial, where):
    refuse(f"nan{name}", initial=initial, where=where)
    a = device(a)
    if a.dtype.kind == "c":
        raise TypeError(f"np.nan{name} of device arrays takes real numbers, not {a.dtype}")
    return _reduce(f"f{name}" if has_nan(a.dtype) else name, a, axis, None, None, keeps(keepdims), out)


def nanmax(a, axis=None, out=None, keepdims=np._NoValue, initial=np._NoValue, where=np._NoValue):
    """The largest element along axes; NaN only if there is nothing else."""
    return _extreme("max", a, axis, out, keepdims, initial, where)


def nanmin(a, axis=None, out=None, keepdims=np._NoValue, initial=np._NoValue, where=np._NoValue):
    """The smallest element along axes; NaN only if there is nothing else."""
    return _extreme("min", a, axis, out, keepdims, initial, where)


def _position(name, a, axis, out, keepdims):
    a = device(a)
    if has_nan(a.dtype):
        nan = _is_nan(a)
        if bool(nan.all(axis).any()) and a.size:
            raise ValueError("All-NaN slice encountered")
        a = _filled(a, -math.inf if name == "argmax" else math.inf)
    return getattr(a, name)(axis, out, keeps(keepdims))


def nanargmax(a, axis=None, out=None, *, keepdims=np._NoValue):
    """Where the first largest element is; ValueError where there is nothing but NaN."""
    return _position("argmax", a, axis, out, keepdims)


def nanargmin(a, axis=None, out=None, *, keepdims=np._NoValue):
    """Where the first smallest element is; ValueError where there is nothing but NaN."""
    return _position("argmin", a, axis, out, keepdims)


def _counts(a, axis, keepdims):
    return (~_is_nan(a)).sum(axis, keepdims=keepdims)


def nanmean(a, axis=None, dtype=None, out=None, keepdims=np._NoValue, *, where=np._NoValue):
    """The mean along axes of what is a number; NaN where there is none."""
    refuse("nanmean", where=where)
    a, keepdims = device(a), keeps(keepdims)
    if not has_nan(a.dtype):
        return a.mean(axis, dtype, out, keepdims)
    dtype = a.dtype if dtype is None else np.dtype(dtype)
    total = nansum(a, axis, wide(dtype), None, keepdims)
    return delivered((total / _counts(a, axis, keepdims)).astype(dtype, copy=False), out)


def nanvar(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=np._NoValue, *, where=np._NoValue, mean=None, correction=None
):
    """The variance along axes of what is a number; NaN where there are no more elements than `ddof`."""
    refuse("nanvar", where=where, mean=mean)
    a, keepdims = device(a), keeps(keepdims)
    ddof = ddof if correction is None or correction is np._NoValue else correction
    if not has_nan(a.dtype):
        return a.var(axis, dtype, out, ddof, keepdims)
    shown = _part(a.dtype) if dtype is None and a.dtype.kind == "c" else a.dtype if dtype is None else np.dtype(dtype)
    dtype = a.dtype if dtype is None else np.dtype(dtype)
    apart = a - nanmean(a, axis, wide(dtype), None, True)
    size = _apply("absolute", (apart,), None, None, None) if kind(apart.dtype) == "c" else apart
    squares = _apply("where", (_is_nan(a), 0, size * size), None, None, None)
    total = squares.sum(axis, keepdims=keepdims)
    freedom = _counts(a, axis, keepdims) - ddof
    result = with_nan(total / freedom, freedom <= 0)
    return delivered(result.astype(shown, copy=False), out)


def nanstd(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=np._NoValue, *, where=np._NoValue, mean=None, correction=None
):
    """The standard deviation along axes of what is a number: the root of `nanvar`."""
    variance = nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    return delivered(_apply("sqrt", (variance,), None, None, None), out)


def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=np._NoValue):
    """The middle element along axes of what is a number; NaN where there is none."""
    a = device(a)
    rows, kept = rows_along(a, axis)
    if not rows.shape[-1] or not has_nan(a.dtype):
        return median(a, axis, out, overwrite_input, keeps(keepdims))
    ordered = sort(rows, -1)  # NaN is last
    count = _counts(ordered, -1, True)
    first = _apply("maximum", (count - 1, 0), None, None, None) // 2
    second = _apply("minimum", (count // 2, rows.shape[-1] - 1), None, None, None)
    both = take_along_axis(ordered, concatenate([first, second], -1), axis=-1)
    same = (first == second)[..., 0]
    result = _apply("where", (same, both[..., 0], both.mean(-1)), None, None, None)
    return delivered(result.reshape(kept) if keeps(keepdims) else result, out)


def _quantiles(name, a, q, per, axis, out, method, keepdims, weights):
    q, dtype = asked_quantiles(name, a.dtype, q, per, method, ("linear",), weights)
    rows, kept = rows_along(a, axis)
    if not rows.shape[-1]:
        result = to_gpu(np.full((*rows.shape[:-1], q.size), math.nan, dtype))
    else:
        ordered = sort(rows, -1)  # NaN is last
        last = _apply("maximum", (_counts(ordered, -1, True) - 1, 0), None, None, None)
        place = last * to_gpu(q.reshape(-1))
        before = _apply("floor", (place,), None, None, None)
        at = before.astype(np.int64)
        after = _apply("minimum", (at + 1, last), None, None, None)
        low, high = take_along_axis(ordered, at, axis=-1), take_along_axis(ordered, after, axis=-1)
        result = between(low, high, place - before, dtype)
    return in_front(result, q, kept if keepdims else rows.shape[:-1], out)


def nanquantile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=np._NoValue, *, weights=None
):
    """The numbers below which such parts (0 to 1) of all lie, along axes; NaN where there is none."""
    a, keepdims = device(a), keeps(keepdims)
    if not has_nan(a.dtype):
        return quantile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights)
    return _quantiles("nanquantile", a, q, 1, axis, out, method, keepdims, weights)


def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=np._NoValue, *, weights=None
):
    """The numbers below which such percentages of all lie, along axes; NaN where there is none."""
    a, keepdims = device(a), keeps(keepdims)
    if not has_nan(a.dtype):
        return percentile(a, q, axis, out, overwrite_input, method, keepdims, weights=weights)
    return _quantiles("nanpercentile", a, q, 100, axis, out, method, keepdims, weights)


def _largest(dtype):
    """The largest finite number; NumPy knows no limits of bfloat16."""
    return np.finfo(dtype).max if dtype.kind == "f" else float.fromhex("0x1.fep127")


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """The elements, with numbers in place of NaN and of the infinities (None: the largest there are)."""
    x = device(x)
    result = x.copy() if copy else x
    if not has_nan(x.dtype):
        return result
    limit = _largest(_part(x.dtype) if x.dtype.kind == "c" else x.dtype)
    highest, lowest = limit if posinf is None else posinf, -limit if neginf is None else neginf
    for part in (_parts(result, 0), _parts(result, 1)) if x.dtype.kind == "c" else (result,):
        chosen = part
        for condition, value in ((_is_nan(part), nan), (part == math.inf, highest), (part == -math.inf, lowest)):
            value = to_gpu(np.asarray(value, part.dtype))
            chosen = _apply("where", (condition, value, chosen), None, None, None)
        part[...] = chosen
    return result
