# SPDX-License-Identifier: MIT
"""NumPy's averages, quantiles and correlations."""

import math

import numpy as np

from pycuda._arrays.core.dtype_kinds import kind
from pycuda._arrays.core.gpuarray import GPUArray, _apply
from pycuda._arrays.core.shapes import _axes
from pycuda._arrays.numpy.arguments import keeps, refuse
from pycuda._arrays.numpy.joining import concatenate
from pycuda._arrays.ops.creation import to_gpu
from pycuda._arrays.ops.joining import broadcast_to
from pycuda._arrays.ops.operands import device, host
from pycuda._arrays.ops.products import matmul
from pycuda._arrays.ops.reductions import delivered
from pycuda._arrays.ops.selection import take
from pycuda._arrays.ops.sorting import sort
from pycuda._arrays.ops.views import _parts
from pycuda.array_api import ordering, statistics
from pycuda.array_api.linalg import diagonal


def ptp(a, axis=None, out=None, keepdims=np._NoValue):
    """The largest element less the smallest, along axes."""
    keepdims = keeps(keepdims)
    return delivered(a.max(axis, keepdims=keepdims) - a.min(axis, keepdims=keepdims), out)


def average(a, axis=None, weights=None, returned=False, *, keepdims=np._NoValue):
    """The mean along axes, of elements that count as much as their weights say; with `returned` also their sum."""
    a, keepdims = device(a), keeps(keepdims)
    if weights is None:
        mean = a.mean(axis, keepdims=keepdims)
        if not returned:
            return mean
        return mean, GPUArray(mean.shape, mean.dtype).fill(a.size // max(mean.size, 1))
    weights = device(weights)
    least = (np.float64,) if a.dtype.kind in "biu" else ()
    dtype = np.result_type(a.dtype, weights.dtype, *least)
    if weights.shape != a.shape:
        if axis is None:
            raise TypeError("Axis must be specified when shapes of a and weights differ.")
        axes = _axes(axis, a.ndim)
        if weights.shape != tuple(a.shape[one] for one in axes):
            raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
        weights = weights.transpose(sorted(range(len(axes)), key=axes.__getitem__))
        weights = weights.reshape(tuple(length if i in axes else 1 for i, length in enumerate(a.shape)))
    whole = weights.astype(dtype, copy=False)
    scale = broadcast_to(whole, a.shape).sum(axis, keepdims=keepdims)
    if bool((scale == 0).any()):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    mean = (a.astype(dtype, copy=False) * whole).sum(axis, keepdims=keepdims) / scale
    return (mean, scale) if returned else mean


def rows_along(a, axis):
    """The array with the axes (None: all) flattened to its last one, and its shape where they stay with length one."""
    axes = _axes(axis, a.ndim)
    rest = [i for i in range(a.ndim) if i not in axes]
    length = math.prod(a.shape[i] for i in axes)
    rows = a.transpose([*rest, *axes]).reshape((*(a.shape[i] for i in rest), length))
    return rows, tuple(1 if i in axes else n for i, n in enumerate(a.shape))


def has_nan(dtype):
    """Whether there are elements that are not a number."""
    return kind(dtype) in "fc"


def with_nan(result, where_nan):
    """The result, NaN where that is said."""
    return _apply("where", (where_nan, math.nan, result), None, None, None)


def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """The middle element along axes, the mean of both where their number is even; NaN if there is one."""
    a = device(a)
    rows, kept = rows_along(a, axis)
    length = rows.shape[-1]
    if not length:
        result = rows.mean(-1)
    else:
        ordered = sort(rows, -1)
        result = ordered[..., (length - 1) // 2 : length // 2 + 1].mean(-1)
        if has_nan(a.dtype):
            result = with_nan(result, _apply("isnan", (ordered[..., -1],), None, None, None)).astype(
                result.dtype, copy=False
            )
    return delivered(result.reshape(kept) if keepdims else result, out)


# alpha and beta of the methods that go from element to element: Hyndman and Fan, 1996.
_CONTINUOUS = {
    "linear": (1, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_QUANTILE_METHODS = (*_CONTINUOUS, "lower", "higher", "nearest", "midpoint")


def _places(q, length, method):
    """The element before each quantile, and how far on towards the next one it is."""
    alpha, beta = _CONTINUOUS.get(method, (1, 1))
    if (alpha, beta) == (1, 1):
        place = (length - 1) * q
    else:
        place = length * q + (alpha + q * (1 - alpha - beta)) - 1
    place = np.clip(place, 0, length - 1)
    before = np.floor(place)
    on = place - before
    if method == "lower":
        on = np.zeros_like(on)
    elif method == "higher":
        on = np.where(on > 0, 1, 0).astype(on.dtype)
    elif method == "midpoint":
        on = np.where(on > 0, 0.5, 0).astype(on.dtype)
    elif method == "nearest":
        on = np.where((on > 0.5) | ((on == 0.5) & (before % 2 == 1)), 1, 0).astype(on.dtype)
    return before.astype(np.int64), on


def asked_quantiles(name, dtype, q, per, method, known, weights):
    """The parts (0 to 1) that are asked for, and the dtype of results; NumPy says what is wrong with the arguments."""
    refuse(name, weights=weights)
    asked = host(q)
    result = np.asarray(getattr(np, name)(np.zeros(1, dtype), asked, method=method)).dtype
    if method not in known:
        raise NotImplementedError(
            f"np.{name} does not support the method {method!r} for device arrays: supported are {', '.join(known)}"
        )
    return np.asarray(asked, np.float64) / per, result


def between(low, high, on, dtype):
    """What lies so far from one element to the next one."""
    if kind(low.dtype) != "f":  # whose differences may not fit into their dtype
        low, high = low.astype(dtype, copy=False), high.astype(dtype, copy=False)
    apart, part, rest = high - low, on.astype(dtype, copy=False), (1 - on).astype(dtype, copy=False)
    result = _apply("where", (on >= 0.5, high - apart * rest, low + apart * part), None, None, None)
    return result.astype(dtype, copy=False)


def in_front(result, q, shape, out):
    """The quantiles along the first axes, as `q` has them, not along the last one."""
    result = result.transpose([result.ndim - 1, *range(result.ndim - 1)])
    return delivered(result.reshape(q.shape + shape), out)


def _quantiles(name, a, q, per, axis, out, method, keepdims, weights):
    a = device(a)
    q, dtype = asked_quantiles(name, a.dtype, q, per, method, _QUANTILE_METHODS, weights)
    rows, kept = rows_along(a, axis)
    length = rows.shape[-1]
    if not length:
        raise IndexError(f"quantiles of no elements: shape {a.shape}, axis {axis}")
    before, on = _places(q.ravel(), length, method)
    ordered = sort(rows, -1)
    low, high = (take(ordered, np.minimum(at, length - 1), axis=rows.ndim - 1) for at in (before, before + 1))
    if method in ("lower", "higher", "nearest"):
        result = _apply("where", (to_gpu(on > 0), high, low), None, None, None).astype(dtype, copy=False)
    else:
        result = between(low, high, to_gpu(on), dtype)
    if has_nan(a.dtype):
        nan = _apply("isnan", (ordered[..., -1:],), None, None, None)
        result = with_nan(result, nan).astype(dtype, copy=False)
    return in_front(result, q, kept if keepdims else rows.shape[:-1], out)


def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The elements below which such parts (0 to 1) of all lie, along axes; NaN if there is one."""
    return _quantiles("quantile", a, q, 1, axis, out, method, keepdims, weights)


def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    """The elements below which such percentages of all lie, along axes; NaN if there is one."""
    return _quantiles("percentile", a, q, 100, axis, out, method, keepdims, weights)


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    """The covariances of variables, of which each is a row (or a column, without `rowvar`) of the matrix."""
    refuse("cov", fweights=fweights, aweights=aweights)
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    parts = [device(one) for one in (m, y) if one is not None]
    if any(part.ndim > 2 for part in parts):
        raise ValueError("an array of variables has more than 2 dimensions")
    if dtype is None:
        dtype = np.result_type(*(part.dtype for part in parts), np.float64)
    variables = []
    for number, part in enumerate(parts):
        columns = not rowvar and part.ndim == 2 and (number == 0 or part.shape[0] != 1)
        part = part.astype(dtype, copy=False)
        part = part.reshape((1, part.size)) if part.ndim < 2 else part
        variables.append(part.T if columns else part)
    x = concatenate(variables, 0) if len(variables) > 1 else variables[0]
    if not x.shape[0]:
        return GPUArray((0, 0), dtype)
    divisor = x.shape[1] - ((0 if bias else 1) if ddof is None else ddof)
    x = x - x.mean(1, keepdims=True)
    # Without a degree of freedom NumPy divides by zero.
    factor = 1 / divisor if divisor > 0 else math.inf
    return (matmul(x, x.conj().T) * factor).astype(dtype, copy=False).squeeze()


def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    """The correlation coefficients of variables, of which each is a row (or a column) of the matrix."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    deviations = _apply("sqrt", (diagonal(c).real,), None, None, None)
    result = c / deviations[:, None] / deviations[None, :]
    if c.dtype.kind == "c":
        return _clipped_parts(result)
    return _apply("clip", (result, -1, 1), None, None, None)


def _clipped_parts(z):
    for number in (0, 1):
        part = _parts(z, number)
        part[...] = _apply("clip", (part, -1, 1), None, None, None)
    return z


def count_nonzero(a, axis=None, *, keepdims=False):
    """How many elements are not zero, along axes."""
    return ordering.count_nonzero(device(a), axis=axis, keepdims=keepdims)


def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The sums of all elements up to each."""
    return delivered(statistics.cumulative_sum(x, axis=axis, dtype=dtype, include_initial=include_initial), out)


def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    """The products of all elements up to each."""
    return delivered(statistics.cumulative_prod(x, axis=axis, dtype=dtype, include_initial=include_initial), out)
