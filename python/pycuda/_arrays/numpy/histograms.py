# SPDX-License-Identifier: MIT
"""NumPy's functions that count elements in bins."""

import numpy as np

from pycuda._arrays.core.gpuarray import _apply
from pycuda._arrays.core.kernels import compiled
from pycuda._arrays.numpy.arguments import refuse
from pycuda._arrays.ops.creation import packed, to_gpu, zeros
from pycuda._arrays.ops.operands import device, host
from pycuda._arrays.ops.searching import searchsorted
from pycuda._splay import splay

_COUNT = """
extern "C" __global__ void count(const i64* at, const double* weights, i64* counts, double* sums, i64 n) {
  for (i64 i = blockIdx.x * static_cast<i64>(blockDim.x) + threadIdx.x; i < n;
       i += static_cast<i64>(gridDim.x) * blockDim.x) {
#if $0
    atomicAdd(sums + at[i], weights[i]);
#else
    atomicAdd(reinterpret_cast<unsigned long long*>(counts + at[i]), 1ull);
#endif
  }
}
"""


def _counted(at, bins, weights=None):
    """How many of the positions are each number below `bins` (int64), or the sums of their weights (float64)."""
    result = zeros((bins,), np.int64 if weights is None else np.float64)
    if at.size:
        none = np.uintp(0)
        grid, block = splay(at.size)
        kernel = compiled("count", _COUNT, "0" if weights is None else "1")
        at = packed(at, np.dtype(np.int64))
        if weights is None:
            kernel(at, none, result, none, np.int64(at.size), grid=grid, block=block)
        else:
            weights = packed(weights, np.dtype(np.float64))
            kernel(at, weights, none, result, np.int64(at.size), grid=grid, block=block)
    return result


def bincount(x, /, weights=None, minlength=0):
    """How often each whole number is there, or the sums of the weights there; these are added in any order."""
    x = device(x)
    if x.ndim != 1:
        raise ValueError("object of too small depth for desired array" if not x.ndim else "object too deep")
    if x.size and x.dtype.kind not in "biu":
        raise TypeError(f"Cannot cast array data from {x.dtype} to int64 according to the rule 'safe'")
    if minlength < 0:
        raise ValueError("'minlength' must not be negative")
    if weights is not None:
        weights = device(weights)
        if weights.shape != x.shape:
            raise ValueError("The weights and list don't have the same length.")
        if weights.dtype.kind == "c":
            raise TypeError(f"Cannot cast array data from {weights.dtype} to float64 according to the rule 'safe'")
    bins = minlength
    if not x.size:
        weights = None  # NumPy counts then
    else:
        if x.dtype.kind == "i" and x.min().item() < 0:
            raise ValueError("'list' argument must have no negative elements")
        largest = int(x.max().item())
        if largest > np.iinfo(np.int64).max:
            raise TypeError(f"{x.dtype} numbers up to {largest} are not cast to int64")
        bins = max(bins, largest + 1)
    return _counted(x, bins, weights)


def digitize(x, bins, right=False):
    """The number of the bin of each element: bins ascend or descend; `right` says which side belongs to them."""
    x, bins = device(x), host(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    bins = np.asarray(bins)
    steps = np.sign(np.diff(bins))
    if bins.ndim != 1:
        raise ValueError("object too deep for desired array")
    if (steps < 0).any() and (steps > 0).any():
        raise ValueError("bins must be monotonically increasing or decreasing")
    side = "left" if right else "right"
    if (steps < 0).any():
        # Behind is before in the other direction.
        return len(bins) - searchsorted(to_gpu(np.ascontiguousarray(bins[::-1])), x, side)
    return searchsorted(to_gpu(bins), x, side)


def histogram_bin_edges(a, bins=10, range=None, weights=None):  # noqa: A002
    """The edges of the bins of a histogram: an array of the device."""
    return to_gpu(_edges(device(a), bins, range))


def _edges(a, bins, limits):
    """The edges on the host; NumPy says what is wrong with them."""
    if isinstance(bins, str):
        raise NotImplementedError(f"histogram of device arrays with bins={bins!r}: give their number or edges")
    sample = np.empty(0, a.dtype)
    if a.size and limits is None and not np.ndim(host(bins)):
        sample = np.array([a.min().item(), a.max().item()], a.dtype)
    return np.histogram_bin_edges(sample, host(bins), host(limits))


def histogram(a, bins=10, range=None, density=None, weights=None):  # noqa: A002
    """How many elements are in each bin, or the sums of their weights, and the bins' edges: a pair of arrays."""
    a = device(a).ravel()
    if a.dtype.kind == "b":
        a = a.astype(np.uint8)
    if weights is not None:
        weights = device(weights).ravel()
        if weights.size != a.size:
            raise ValueError("weights should have the same shape as a.")
        if weights.dtype.kind == "c":
            refuse("histogram", weights=weights)
    edges = _edges(a, bins, range)
    count = edges.size - 1
    at = searchsorted(to_gpu(edges), a, "right") - 1
    inside = (a >= edges[0].item()) & (a <= edges[-1].item())
    at = _apply("minimum", (at, count - 1), None, None, None)
    at = _apply("where", (inside, at, count), None, None, None)
    counts = _counted(at, count + 1, weights)[:count]
    if weights is not None:
        counts = counts.astype(weights.dtype, copy=False)
    if density:
        counts = counts / to_gpu(np.diff(edges).astype(np.float64)) / counts.sum()
    return counts, to_gpu(edges)
