# SPDX-License-Identifier: MIT
"""NumPy's averages, quantiles, reductions without NaN, histograms and correlations of arrays of the device."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy_cases import agree, fails_alike, numbers, same
from pycuda import gpuarray
from pycuda.gpuarray import to_gpu
from test_gpuarray_properties import common

pytestmark = [
    pytest.mark.usefixtures("context"),
    pytest.mark.filterwarnings("ignore:.*(empty slice|All-NaN|Degrees of freedom|invalid value|divide by zero)"),
]

REAL = ["int8", "uint16", "int64", "float32", "float64"]


def axes_of(shape):
    yield None
    yield from range(-len(shape), len(shape))
    if len(shape) > 1:
        yield (0, -1)


REDUCTIONS = {
    "ptp": np.ptp,
    "median": np.median,
    "average": np.average,
    "percentile": lambda a, axis, keepdims=False: np.percentile(a, 37.5, axis, keepdims=keepdims),
    "percentiles": lambda a, axis, keepdims=False: np.percentile(a, [0, 12.5, 100], axis, keepdims=keepdims),
    "quantiles": lambda a, axis, keepdims=False: np.quantile(
        a, np.array([[0.25, 0.5], [0.9, 0]]), axis, keepdims=keepdims
    ),
    "nansum": np.nansum,
    "nanprod": np.nanprod,
    "nanmax": np.nanmax,
    "nanmin": np.nanmin,
    "nanmean": np.nanmean,
    "nanvar": np.nanvar,
    "nanstd": np.nanstd,
    "nanmedian": np.nanmedian,
    "nanpercentiles": lambda a, axis, keepdims=False: np.nanpercentile(a, [12.5, 50], axis, keepdims=keepdims),
    "nanquantile": lambda a, axis, keepdims=False: np.nanquantile(a, 0.3, axis, keepdims=keepdims),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_along_every_axis(name):
    for shape in [(), (6,), (1,), (3, 5), (2, 3, 4)]:
        for dtype in REAL:
            a = numbers(shape, dtype)
            if name == "nanprod":
                a = a % 3
            for axis in axes_of(shape):
                agree(lambda x: REDUCTIONS[name](x, axis=axis), a)
            agree(lambda x: REDUCTIONS[name](x, axis=None, keepdims=True), a)
            if shape:
                agree(lambda x: REDUCTIONS[name](x, axis=-1, keepdims=True), a)
                fails_alike(lambda x: REDUCTIONS[name](x, axis=len(shape)), a)
    if name not in ("ptp", "median", "average", "percentile", "percentiles", "quantiles", "nanprod"):
        agree(lambda x: REDUCTIONS[name](x, axis=0), numbers((4, 3), "float16"))


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_not_a_number(name, dtype):
    a = numbers((4, 5), dtype)
    a[1, 2] = a[3, 2] = a[0, 0] = math.nan
    a[2, 1] = math.inf
    a[:, 3] = math.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for axis in (None, 0, 1):
            agree(lambda x: REDUCTIONS[name](x, axis=axis), a)
        # NumPy gives nothing but NaN the dtype of the array.
        typed = name != "nanpercentiles"
        agree(lambda x: REDUCTIONS[name](x, axis=None), np.full((3,), math.nan, dtype), dtype=typed)


def test_positions_and_running_sums_without_nan():
    a = numbers((4, 5), "float32")
    a[1, 2] = a[0, 0] = math.nan
    for axis in (None, 0, 1, -1):
        for call in (np.nanargmax, np.nanargmin, np.nancumsum, np.nancumprod):
            agree(lambda x: call(x, axis=axis), a)
            agree(lambda x: call(x, axis=axis), numbers((4, 5), "int16") % 3)
    agree(lambda x: np.nanargmax(x, axis=0, keepdims=True), a)
    a[:, 3] = math.nan
    fails_alike(lambda x: np.nanargmin(x, axis=0), a)
    fails_alike(lambda x: np.nanargmax(x), a[:0])
    fails_alike(lambda x: np.nanmax(x), a[:0])


@pytest.mark.parametrize("call", [np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd])
def test_complex_numbers_without_nan(call):
    a = numbers((3, 4), "complex64")
    a[0, 1] = complex(math.nan, 1)
    for axis in (None, 0, 1):
        agree(lambda x: call(x, axis=axis), a)
    agree(lambda x: call(x, dtype=np.complex128), a.astype(np.complex128))


def test_nan_to_num():
    for dtype in ("float16", "float32", "float64", "complex128", "int32", "bool"):
        a = numbers((3, 4), dtype)
        if a.dtype.kind in "fc":
            a.flat[:3] = math.nan, math.inf, -math.inf
        agree(np.nan_to_num, a)
        agree(lambda x: np.nan_to_num(x, nan=2, posinf=9, neginf=-9), a)
    device = to_gpu(np.array([math.nan, 1]))
    assert np.nan_to_num(device, copy=False) is device and device.get().tolist() == [0, 1]


@pytest.mark.parametrize(
    "method",
    ["linear", "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased", "normal_unbiased"],
)
def test_methods_of_quantiles(method):
    for dtype in REAL:
        for size in (1, 2, 5, 8):
            a = numbers((size,), dtype)
            for q in (0, 0.1, 0.5, 0.75, 1, [0.2, 0.5], []):
                agree(lambda x: np.quantile(x, q, method=method), a)
    agree(lambda x: np.percentile(x, 30, axis=(0, 2), method=method, keepdims=True), numbers((3, 4, 5), "f4"))


def test_quantiles_are_refused_as_by_numpy():
    a = numbers((4,), "f4")
    fails_alike(lambda x: np.quantile(x, 1.5), a)
    fails_alike(lambda x: np.percentile(x, -1), a)
    fails_alike(lambda x: np.quantile(x, 0.5, method="none"), a)
    fails_alike(lambda x: np.quantile(x, 0.5), numbers((4,), "c8"))
    fails_alike(lambda x: np.quantile(x, 0.5), a[:0])
    with pytest.raises(NotImplementedError, match="inverted_cdf"):
        np.quantile(to_gpu(a), 0.5, method="inverted_cdf")
    out = gpuarray.empty((2,), np.float64)
    assert np.quantile(to_gpu(a), [0.25, 0.5], out=out) is out
    same(np.quantile(to_gpu(a), to_gpu(np.array([0.25, 0.5]))), np.quantile(a, np.array([0.25, 0.5])))
    same(np.median(gpuarray.zeros(0, np.float32)), np.float32(math.nan))


def test_weighted_averages():
    a = numbers((3, 4), "f4")
    agree(lambda x, w: np.average(x, 1, w), a, numbers((4,), "u1") + 1)
    agree(lambda x, w: np.average(x, weights=w, returned=True), a, np.abs(a))
    agree(lambda x, w: np.average(x, 0, w, True, keepdims=True), a, np.array([1, 2, 3]))
    agree(lambda x, w: np.average(x, (1, 0), w), numbers((3, 4, 2), "i2"), np.abs(numbers((4, 3), "f4")))
    agree(lambda x: np.average(x, 0, returned=True), a)
    agree(lambda x, w: np.average(x, 0, w), numbers((3, 2), "i4"), np.array([1, 2, 3]))
    fails_alike(lambda x, w: np.average(x, weights=w), a, np.ones(4))
    fails_alike(lambda x, w: np.average(x, 0, w), a, np.ones(4))
    fails_alike(lambda x, w: np.average(x, 1, w), a, np.zeros(4))


def test_covariances():
    for dtype in ("int32", "float32", "float64", "complex64"):
        a = numbers((3, 7), dtype)
        agree(np.cov, a)
        agree(np.corrcoef, a)
        agree(lambda x: np.cov(x, rowvar=False, bias=True), a)
        agree(lambda x: np.cov(x, ddof=0, dtype=np.complex128), a)
        agree(lambda x: np.corrcoef(x, rowvar=False), a)
        agree(np.cov, a[0])
        agree(np.corrcoef, a[0])
        agree(lambda x, y: np.cov(x, y), a[0], a[1])
        agree(lambda x, y: np.corrcoef(x, y), a[:2], a[1:])
    agree(np.cov, numbers((0, 3), "f8"))
    agree(np.cov, numbers((1,), "f8"))
    agree(lambda x, y: np.cov(x, y, False), numbers((5, 2), "f8"), numbers((1, 5), "f8"))
    fails_alike(np.cov, numbers((2, 2, 2), "f4"))
    fails_alike(lambda x: np.cov(x, ddof=0.5), a)


def test_histograms():
    for dtype in ("bool", "int16", "uint8", "float16", "float32", "float64"):
        for size in (0, 1, 7, 3000):
            a = numbers((size,), dtype)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                agree(np.histogram, a)
                agree(lambda x: np.histogram(x, 5, (-2.0, 3.0)), a)
                agree(lambda x: np.histogram(x, [-3, -1, 0, 2.5, 8]), a)
                if size:
                    agree(lambda x: np.histogram(x, 4, density=True), a)
                agree(np.histogram_bin_edges, a)
    a, weights = numbers((50, 4), "f4"), np.abs(numbers((50, 4), "f8"))
    agree(lambda x, w: np.histogram(x, 7, weights=w), a, weights)
    agree(lambda x, w: np.histogram(x, 7, weights=w, density=True), a, weights)
    single = weights.astype("f4")  # which NumPy sums in float32 in some versions
    ours, _ = np.histogram(to_gpu(a), 7, weights=to_gpu(single), density=True)
    np.testing.assert_allclose(ours.get(), np.histogram(a, 7, weights=single, density=True)[0], rtol=1e-6)
    agree(lambda x, w: np.histogram(x, 7, (-1, 1), weights=w), a, np.arange(200).reshape(50, 4))
    a[3, 1] = math.nan
    agree(lambda x: np.histogram(x, 3, (-1, 1)), a)
    fails_alike(np.histogram, a)
    fails_alike(lambda x: np.histogram(x, 0), a)
    fails_alike(lambda x: np.histogram(x, [2, 1]), a)
    fails_alike(lambda x: np.histogram(x, 3, (2, 1)), a)
    fails_alike(lambda x, w: np.histogram(x, 3, (0, 1), weights=w), a, np.ones(3))
    with pytest.raises(NotImplementedError, match="auto"):
        np.histogram(to_gpu(a), "auto")


def test_counts():
    agree(np.bincount, np.arange(3, dtype=np.uint32))
    for dtype in ("uint8", "int16", "int64", "bool"):
        for size in (0, 1, 500):
            a = np.abs(numbers((size,), dtype))
            agree(np.bincount, a)
            agree(lambda x: np.bincount(x, minlength=20), a)
            agree(lambda x, w: np.bincount(x, w, 3), a, numbers((size,), "f4"))
            agree(lambda x, w: np.bincount(x, w), a, numbers((size,), "i4"))
    for bad in (np.array([1, -1]), np.array([1.5]), np.ones((2, 2), int), np.ones((), int)):
        fails_alike(np.bincount, bad)
    fails_alike(lambda x, w: np.bincount(x, w), np.arange(3), np.ones(4))
    fails_alike(lambda x: np.bincount(x, minlength=-1), np.arange(3))


def test_digitize():
    a = numbers((4, 5), "f4")
    for right in (False, True):
        for bins in ([-2, 0, 1.5], [1.5, 0, -2], [1], [1, 1, 2], [2, 2, 1], []):
            agree(lambda x: np.digitize(x, bins, right), a)
            agree(lambda x: np.digitize(x, bins, right), numbers((6,), "i2"))
        agree(lambda x, b: np.digitize(x, b, right), a, np.array([-1.0, 0, 1]))
    fails_alike(lambda x: np.digitize(x, [1, 3, 2]), a)
    fails_alike(lambda x: np.digitize(x, [1]), numbers((3,), "c8"))


@common
@given(st.lists(st.integers(0, 40), max_size=60), st.integers(0, 50))
def test_counts_add_up(values, least):
    counts = np.bincount(to_gpu(np.array(values, np.int64)), minlength=least)
    assert int(counts.sum()) == len(values)
    same(counts, np.bincount(np.array(values, np.int64), minlength=least))


@common
@given(st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=40), st.floats(0, 1))
def test_quantiles_lie_between_elements(values, q):
    host = np.array(values, np.float32)
    result = np.quantile(to_gpu(host), q)
    assert host.min() <= float(result) <= host.max()
    same(result, np.quantile(host, q))


def test_nothing_has_no_average():
    empty = numbers((0, 3), "f4")
    for call in (np.median, np.nanmedian, np.nanmean, np.nansum, np.average, np.nanvar):
        agree(lambda x: call(x, axis=0), empty)
        if call is not np.average:
            agree(lambda x: call(x, axis=1), empty)
    fails_alike(np.ptp, empty)
    agree(np.median, numbers((5,), "bool"))
    agree(np.median, numbers((6,), "float16"))
    agree(np.median, numbers((5,), "complex64"))


def test_what_numpy_does_not_convert_is_refused():
    with pytest.raises(TypeError, match="complex128 to float64"):
        np.interp(to_gpu(np.array([1 + 5j, 2])), [-1.0, 0.0, 3.0], [1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="uint64 numbers up to 9223372036854775808 are not cast to int64"):
        np.bincount(to_gpu(np.array([1, 2**63], np.uint64)))
    with pytest.raises(TypeError, match="boolean subtract"):
        np.gradient(to_gpu(np.array([True, False, True])))
