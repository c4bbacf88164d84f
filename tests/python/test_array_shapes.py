# SPDX-License-Identifier: MIT
"""Operations on arrays large enough for every form of kernel: layouts, axes, parts, running sums."""

import collections.abc

import numpy as np
import pytest
from pycuda import _driver, gpuarray
from pycuda.gpuarray import to_gpu

pytestmark = pytest.mark.usefixtures("context")

scan = _driver._array.scan
SHAPES = [(2048,), (70_001,), (33, 70), (3, 3000), (5, 40, 7)]


def values(shape, dtype=np.float32):
    return np.random.default_rng(sum(shape)).integers(-50, 50, shape).astype(dtype)


def views(host):
    """The array and views of other strides, as pairs of host and device arrays."""
    device = to_gpu(host)
    found = [(host, device), (host[::2], device[::2]), (host[..., ::-1], device[..., ::-1])]
    if host.ndim > 1:
        found += [(host.T, device.T), (host[:, 1:], device[:, 1:])]
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_layouts_and_broadcasting(shape):
    for h, d in views(values(shape)):
        assert ((d + d).get() == h + h).all()
        assert ((d * 2).get() == h * 2).all()
        if h.ndim > 1:
            assert ((d + d[0]).get() == h + h[0]).all()
            assert ((d + d[..., :1]).get() == h + h[..., :1]).all()
            assert ((d[..., :1] + d[:1]).get() == h[..., :1] + h[:1]).all()


@pytest.mark.parametrize("shape", SHAPES)
def test_sums_along_every_axis(shape):
    for h, d in views(values(shape, np.int64)):
        for axis in (None, *range(h.ndim)):
            assert (d.sum(axis=axis).get() == h.sum(axis=axis)).all()


@pytest.mark.parametrize("shape", [(70_001,), (33, 70), (3, 3000)])
def test_extremes_and_positions_along_every_axis(shape):
    h = values(shape)
    d = to_gpu(h)
    for axis in (None, *range(h.ndim)):
        assert (d.max(axis=axis).get() == h.max(axis=axis)).all()
        assert (d.argmin(axis=axis).get() == h.argmin(axis=axis)).all()


def test_reductions_in_many_parts():
    h = values((1_000_003,), np.int32)
    h[777_777] = 99
    d = to_gpu(h)
    assert d.sum().get() == h.sum() and d.argmax().get() == 777_777 and d.min().get() == h.min()
    assert gpuarray.dot(d[1:], d[:-1]).get() == np.dot(h[1:], h[:-1])
    m = values((20_000, 50), np.float64)
    for h, d in ((m, to_gpu(m)), (m.T, to_gpu(m).T)):
        for axis in (0, 1):
            assert (d.sum(axis=axis).get() == h.sum(axis=axis)).all()
            assert (d.argmax(axis=axis).get() == h.argmax(axis=axis)).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_extremes_of_rows_and_columns_with_nan_anywhere(dtype):
    h = np.random.default_rng(3).normal(size=(600, 301)).astype(dtype)
    h[[0, 17, 599], [0, 130, 300]] = np.nan  # the first, one within, and the last
    h[:, 200] = np.nan
    d = to_gpu(h)
    for axis in (None, 0, 1):
        assert np.array_equal(d.max(axis=axis).get(), h.max(axis=axis), equal_nan=True)
        assert np.array_equal(d.min(axis=axis).get(), h.min(axis=axis), equal_nan=True)
        if h.dtype.kind == "c":
            continue
        assert np.array_equal(gpuarray.max(d, axis=axis).get(), np.fmax.reduce(h, axis=axis), equal_nan=True)
        assert np.array_equal(gpuarray.min(d, axis=axis).get(), np.fmin.reduce(h, axis=axis), equal_nan=True)


def test_positions_of_nan_and_of_equal_elements():
    h = np.full(5000, -np.inf, np.float32)
    assert to_gpu(h).argmax().get() == 0
    h[[1234, 4000]] = 7
    assert to_gpu(h).argmax().get() == 1234
    h[[2345, 4500]] = np.nan
    assert to_gpu(h).argmax().get() == 2345 and to_gpu(h).argmin().get() == 2345
    assert np.isnan(to_gpu(h).max().get()) and gpuarray.max(to_gpu(h)).get() == 7


def running(name, d, axis, dtype):
    out = gpuarray.empty(d.shape, dtype)
    scan(name, d, axis, np.dtype(dtype), out, None)
    return out.get()


@pytest.mark.parametrize("shape", [(70_001,), (3, 40_000), (900, 70), (4, 5, 300)])
def test_running_sums_along_every_axis(shape):
    for h, d in views(values(shape, np.int16))[::2]:
        for axis in range(h.ndim):
            assert (running("sum", d, axis, np.int64) == np.cumsum(h, axis)).all()


def test_running_extremes_products_and_in_place():
    h = values((100_001,), np.float64)
    d = to_gpu(h)
    assert (running("max", d, 0, np.float64) == np.maximum.accumulate(h)).all()
    assert (running("min", d[::-1], 0, np.float64) == np.minimum.accumulate(h[::-1])).all()
    u = values((3000,), np.uint8)
    assert (running("prod", to_gpu(u), 0, np.uint64) == np.cumprod(u, dtype=np.uint64)).all()
    z = (h + 1j * h[::-1]).astype(np.complex128)
    assert (running("sum", to_gpu(z), 0, np.complex128) == np.cumsum(z)).all()
    scan("sum", d, 0, d.dtype, d, None)
    assert (d.get() == np.cumsum(h)).all()
    # The output overlaps the input elsewhere.
    d = to_gpu(h)
    scan("sum", d[:-1], 0, d.dtype, d[1:], None)
    assert (d.get()[1:] == np.cumsum(h[:-1])).all()


def test_scans_refuse_what_they_cannot_do():
    d = to_gpu(values((5, 6)))
    out = gpuarray.empty_like(d)
    with pytest.raises(ValueError, match="axis 2"):
        scan("sum", d, 2, d.dtype, out, None)
    with pytest.raises(ValueError, match=r"\(5, 6\)"):
        scan("sum", d, 0, d.dtype, gpuarray.empty((6, 5), d.dtype), None)
    with pytest.raises(TypeError, match="running form"):
        scan("argmax", d, 0, d.dtype, out, None)
    with pytest.raises(ValueError, match="no operation"):
        scan("median", d, 0, d.dtype, out, None)


def test_arrays_are_walked_along_their_first_axis():
    host = np.arange(6.0).reshape(2, 3)
    device = to_gpu(host)
    rows = list(device)
    assert all(isinstance(row, gpuarray.GPUArray) for row in rows)
    np.testing.assert_array_equal([row.get() for row in rows], host)
    rows[0].fill(7)  # they are views
    assert device[0, 1].get() == 7
    assert [float(x) for x in device[1]] == [3, 4, 5]
    assert list(gpuarray.zeros(0, np.int32)) == []
    assert 4 in device
    assert 1 not in device
    assert not isinstance(device, collections.abc.Iterable)  # what tells arrays from lists of them, in reikna
    assert hasattr(device, "__iter__") and not hasattr(device[0, 0], "__iter__")  # what pandas asks


def test_arrays_without_axes_fill_others():
    value = to_gpu(np.array(2.5))
    filled = gpuarray.full(3, value)
    assert filled.dtype == np.float64
    assert filled.get().tolist() == [2.5] * 3
    assert gpuarray.full((2, 2), value, np.int32).get().tolist() == [[2, 2], [2, 2]]
    strided = gpuarray.zeros((4, 6), np.float32)
    strided[::2, 1::2].fill(value)
    assert strided.get().sum() == 6 * 2.5
    with pytest.raises(TypeError, match="a number is needed"):
        gpuarray.zeros(3, np.float32).fill(gpuarray.zeros(3, np.float32))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("size", [63, 64, 1000, 8191, 40_000, 262_147])
def test_extremes_wherever_they_are(dtype, size):
    """At the ends of the stretches that a processor's threads read, between them and behind them."""
    h = values((size,), dtype)
    quarter = size // 64 * 16
    low, high = -10_000, 10_000
    for at in sorted({0, 15, 16, quarter - 1, quarter, 2 * quarter + 7, 4 * quarter - 1, size - 1} & set(range(size))):
        h2 = h.copy()
        h2[at] = high
        h2[size // 2 if at < size // 2 else 1] = low
        d = to_gpu(h2)
        assert d.max().get() == high and d.argmax().get() == at
        assert d.min().get() == low and d.argmin().get() == h2.argmin()
        if h.dtype.kind == "f":
            h2[at] = np.nan
            h2[max(at, size - 3)] = np.nan
            d = to_gpu(h2)
            assert np.isnan(d.max().get()) and np.isnan(d.min().get())
            assert d.argmax().get() == at and d.argmin().get() == at
            assert gpuarray.min(d).get() == np.fmin.reduce(h2)


def test_the_first_of_equal_extremes_counts():
    h = np.zeros(20_000, np.float32)
    h[::2] = -0.0
    d = to_gpu(h)
    assert d.argmax().get() == 0 and d.argmin().get() == 0 and d.max().get() == 0 == d.min().get()
    h[[9_000, 4_000, 15_001]] = 5
    h[[3_001, 17_000]] = -5
    assert to_gpu(h).argmax().get() == 4_000 and to_gpu(h).argmin().get() == 3_001
    assert to_gpu(h)[1::3].argmax().get() == h[1::3].argmax() == 1333
    assert to_gpu(h > 0).argmax().get() == 4_000 and to_gpu(h == 0).argmin().get() == 3_001
    for extreme in (np.inf, -np.inf):
        full = to_gpu(np.full(5_000, extreme, np.float32))
        assert full.argmax().get() == 0 == full.argmin().get() and full.max().get() == extreme == full.min().get()


@pytest.mark.parametrize("shape", [(1, 5), (7, 16), (8, 17), (9, 2049), (200, 33), (3000, 20), (70, 3, 50)])
def test_columns_of_any_number_and_rows_of_any_length(shape):
    h = values(shape, np.float32)
    first = tuple(range(h.ndim - 1))
    for one, d in views(h):
        for axis in (0, first):
            assert np.array_equal(d.sum(axis=axis).get(), one.sum(axis=axis))
            assert np.array_equal(d.max(axis=axis).get(), one.max(axis=axis))
    h = values(shape, np.float32)
    h.flat[:: h.size // 5 + 1] = np.nan
    d = to_gpu(h)
    for axis in (0, first):
        assert np.array_equal(d.min(axis=axis).get(), h.min(axis=axis), equal_nan=True)
        assert np.array_equal(gpuarray.max(d, axis=axis).get(), np.fmax.reduce(h, axis=axis), equal_nan=True)
        assert np.array_equal(d.any(axis=axis).get(), h.any(axis=axis))


@pytest.mark.parametrize("shape", [(257, 256), (259, 1000), (4, 100, 301), (1022, 2048)])
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex64"])
def test_rows_side_by_side(shape, dtype):
    h = values(shape, dtype)
    if dtype == "complex64":
        h += 1j * h[..., ::-1]
    wide = h.dtype if h.dtype.kind in "fc" else np.int64
    for one, d in views(h)[:2] + [(h[..., 1:], to_gpu(h)[..., 1:]), (h.swapaxes(0, -2), to_gpu(h).swapaxes(0, -2))]:
        assert np.array_equal(d.sum(axis=-1).get(), one.sum(axis=-1))
        assert np.array_equal(d.max(axis=-1).get(), one.max(axis=-1))
        assert np.array_equal(d.any(axis=-1).get(), one.any(axis=-1))
        assert np.array_equal(d.argmin(axis=-1).get(), one.argmin(axis=-1))
        # The same vector for all rows, one for each stack of rows, and one for each row.
        assert np.array_equal((d @ d.reshape(-1, d.shape[-1])[3]).get(), one @ one.reshape(-1, one.shape[-1])[3])
        turned = one[..., ::-1, :].astype(wide)
        ours = gpuarray.vecdot(d.astype(wide), to_gpu(turned))
        assert np.array_equal(ours.get(), (one.astype(wide).conj() * turned).sum(axis=-1))
        if one.ndim == 3:
            vectors = one[:, :1].swapaxes(-1, -2)
            assert np.array_equal((d @ to_gpu(vectors)).get(), one @ vectors)


def test_products_in_a_dot_product_are_not_rounded():
    # (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which a rounded product has lost. A pair meets in a lane of a processor's
    # vector, one in a thread of it that takes few elements, one in a thread of a GPU.
    x, y = np.zeros((2, 3, 512), np.float32)
    x[:, 0], y[:, 0] = -(1 + 2.0**-11), 1
    for row, place in ((0, 16), (1, 256), (2, 1)):
        x[row, place] = y[row, place] = 1 + 2.0**-12
    for rows in (x, np.tile(x, (200, 1))):
        found = gpuarray.vecdot(to_gpu(rows), to_gpu(np.resize(y, rows.shape))).get()
        assert np.float32(2.0**-24) in found[:3]


@pytest.mark.parametrize("dtype", ["?", "i1", "i4", "u8", "f4", "f8", "c16"])
def test_running_sums_and_positions_are_cast_to_out_as_numpys(dtype):
    host = np.array([[1, 5, 3], [4, 2, 6]])
    sums = gpuarray.empty((2, 3), dtype)
    for given in (host, host * 1.5):
        assert np.cumsum(to_gpu(given), axis=0, out=sums) is sums
        np.testing.assert_array_equal(sums.get(), np.cumsum(given, axis=0, out=np.empty((2, 3), dtype)))
    places, expected = gpuarray.empty(3, dtype), np.empty(3, dtype)
    try:
        np.argmax(host, axis=0, out=expected)
    except TypeError:
        with pytest.raises(TypeError, match="int64 cannot be stored"):
            to_gpu(host).argmax(axis=0, out=places)
    else:
        np.testing.assert_array_equal(to_gpu(host).argmax(axis=0, out=places).get(), expected)
