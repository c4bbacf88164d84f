# SPDX-License-Identifier: MIT
"""Sorting, running sums, places in sorted arrays, different elements, truth arrays as indices."""

import numpy as np
import pytest
from pycuda import driver, gpuarray

pytestmark = pytest.mark.usefixtures("context")


def values(size, dtype, seed=0):
    random = np.random.default_rng(seed)
    numbers = random.normal(size=size) * 20
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        numbers = np.round(numbers) + 1j * np.round(random.normal(size=size))
    if dtype.kind in "ub":
        numbers = np.abs(numbers)
    result = numbers.astype(dtype)
    if dtype.kind in "fc" and result.size > 4:
        result.flat[3] = result.flat[1] = np.nan
    return result


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("size", [1, 5000])
def test_sorted_elements_and_their_positions_are_numpys(dtype, size):
    host = values(size, dtype)
    device = gpuarray.to_gpu(host)
    np.testing.assert_array_equal(gpuarray.sort(device).get(), np.sort(host))
    np.testing.assert_array_equal(gpuarray.argsort(device).get(), np.argsort(host, kind="stable"))


def test_many_chunks_are_merged():
    host = values(70001, "float32")
    np.testing.assert_array_equal(gpuarray.argsort(gpuarray.to_gpu(host)).get(), np.argsort(host, kind="stable"))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_zeros_of_both_signs_are_equal_and_nans_of_both_too(dtype):
    host = np.array([0.0, -np.nan, 3, -0.0, np.inf, np.nan, -np.inf, 0.0, -3, -0.0] * 5, dtype)
    if host.dtype.kind == "c":
        host[::7] = complex(1, np.nan)
        host[1::7] = complex(np.nan, -1)
        host[2::7] = complex(np.nan, np.nan)
        host[3::7] = complex(-0.0, -2)
    order = gpuarray.argsort(gpuarray.to_gpu(host)).get()
    np.testing.assert_array_equal(order, np.argsort(host, kind="stable"))
    np.testing.assert_array_equal(gpuarray.sort(gpuarray.to_gpu(host)).get(), host[order])


@pytest.mark.parametrize("size", [33, 9000])
def test_equal_elements_stay_where_they_are(size):
    host = np.full(size, 7, np.int32)
    np.testing.assert_array_equal(gpuarray.argsort(gpuarray.to_gpu(host)).get(), np.arange(size))
    np.testing.assert_array_equal(gpuarray.sort(gpuarray.to_gpu(host)).get(), host)


@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_any_axis_is_sorted_and_summed(axis):
    host = np.random.default_rng(1).integers(-9, 9, (5, 4, 4200)).astype(np.int16)
    device = gpuarray.to_gpu(host)
    np.testing.assert_array_equal(gpuarray.sort(device, axis).get(), np.sort(host, axis))
    np.testing.assert_array_equal(gpuarray.argsort(device, axis).get(), np.argsort(host, axis, kind="stable"))
    running = gpuarray.cumsum(device, axis)
    assert running.dtype == np.int64
    np.testing.assert_array_equal(running.get(), np.cumsum(host, axis))


def test_descending_order_keeps_equal_elements_in_place():
    host = np.array([2, 5, 2, 7, 5, 5], np.int32)
    device = gpuarray.to_gpu(host)
    np.testing.assert_array_equal(gpuarray.sort(device, descending=True).get(), np.sort(host)[::-1])
    np.testing.assert_array_equal(gpuarray.argsort(device, descending=True).get(), [3, 1, 4, 5, 0, 2])


def test_arrays_are_sorted_in_place():
    host = values((6, 7), "float32")
    device = gpuarray.to_gpu(host).T
    device.sort(0)
    np.testing.assert_array_equal(device.get(), np.sort(host.T, 0))


def test_structs_have_no_order():
    device = gpuarray.GPUArray(3, np.dtype([("a", "i4"), ("b", "i4")]))
    with pytest.raises(TypeError, match="cannot be computed with"):
        gpuarray.sort(device)
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.sort(gpuarray.zeros((2, 3)), 2)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_running_sums_and_products(dtype):
    host = np.random.default_rng(2).normal(size=9000).astype(dtype)
    device = gpuarray.to_gpu(host)
    tolerance = 1e-4 if dtype == "float32" else 1e-10
    expected = np.cumsum(host, dtype=np.complex128 if host.dtype.kind == "c" else np.float64)
    np.testing.assert_allclose(gpuarray.cumsum(device).get(), expected, tolerance, tolerance * 100)
    few = gpuarray.cumprod(device[:30])
    np.testing.assert_allclose(few.get(), np.cumprod(host[:30]), tolerance)


def test_running_sums_of_halves_are_rounded_once():
    host = np.full(3000, 1.0, np.float16)
    np.testing.assert_array_equal(
        gpuarray.cumsum(gpuarray.to_gpu(host)).get(), np.cumsum(host.astype(np.float32)).astype(np.float16)
    )


def test_running_sums_lie_in_memory_of_their_arrays_allocator():
    asked = []

    def allocator(size):
        asked.append(size)
        return driver.mem_alloc(size)

    device = gpuarray.to_gpu(np.arange(6, dtype=np.int32).reshape(2, 3), allocator)
    asked.clear()
    for running in (gpuarray.cumsum(device, 1), gpuarray.cumsum(device)):
        assert running.allocator is allocator
    assert asked == [48, 48]


def test_running_sums_into_an_array():
    device = gpuarray.arange(6, dtype=np.int32)
    out = gpuarray.zeros(6, np.int64)
    assert gpuarray.cumsum(device, out=out) is out
    np.testing.assert_array_equal(out.get(), np.cumsum(np.arange(6)))
    with pytest.raises(ValueError, match=r"out has shape \(5,\), the result has shape \(6,\)"):
        gpuarray.cumsum(device, out=gpuarray.zeros(5, np.int64))


@pytest.mark.parametrize("side", ["left", "right"])
def test_places_in_sorted_arrays(side):
    ordered = np.sort(values(500, "float32"))
    wanted = values((7, 9), "float32", 3)
    places = gpuarray.searchsorted(gpuarray.to_gpu(ordered), gpuarray.to_gpu(wanted), side)
    np.testing.assert_array_equal(places.get(), np.searchsorted(ordered, wanted, side))
    shuffled = np.random.default_rng(4).permutation(ordered)
    order = gpuarray.argsort(gpuarray.to_gpu(shuffled))
    places = gpuarray.to_gpu(shuffled).searchsorted(gpuarray.to_gpu(wanted), side, order)
    np.testing.assert_array_equal(places.get(), np.searchsorted(ordered, wanted, side))


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_different_elements(dtype):
    host = np.random.default_rng(5).integers(-5, 5, (40, 7)).astype(dtype)
    if dtype == "float32":
        host[3, 3:] = np.nan
    results = np.unique(gpuarray.to_gpu(host), return_index=True, return_inverse=True, return_counts=True)
    for ours, numpys in zip(results, np.unique(host, return_index=True, return_inverse=True, return_counts=True)):
        np.testing.assert_array_equal(ours.get(), numpys)


def test_no_elements_at_all():
    device = gpuarray.zeros(0, np.float32)
    for part in gpuarray.unique(device, True, True, True):
        assert part.shape == (0,)
    assert gpuarray.cumsum(device).shape == (0,)
    assert gpuarray.nonzero(device)[0].shape == (0,)
    assert device[device > 0].shape == (0,)


def test_truth_arrays_choose_without_the_host(monkeypatch):
    host = values((6, 50, 3), "float32")
    device = gpuarray.to_gpu(host)
    mask, on_host = device > 1, host > 1
    copied = []
    download = gpuarray.GPUArray.get

    def noted(self, *rest):
        copied.append(self.nbytes)
        return download(self, *rest)

    monkeypatch.setattr(gpuarray.GPUArray, "get", noted)
    chosen = device[mask]
    rows = device[mask[:, 0, 0]]
    places = gpuarray.nonzero(mask)
    device[mask] = 7
    device[~mask] = gpuarray.zeros(int((~on_host).sum()), np.float32)
    assert copied and max(copied) <= 8  # how many there are, no more
    monkeypatch.undo()
    np.testing.assert_array_equal(chosen.get(), host[on_host])
    np.testing.assert_array_equal(rows.get(), host[on_host[:, 0, 0]])
    for ours, numpys in zip(places, np.nonzero(on_host)):
        np.testing.assert_array_equal(ours.get(), numpys)
    host[on_host] = 7
    host[~on_host] = 0
    np.testing.assert_array_equal(device.get(), host)


def test_truth_arrays_of_views_and_of_no_axes():
    host = values((8, 9), "int32")
    device = gpuarray.to_gpu(host)
    view, host_view = device[::2, ::-1].T, host[::2, ::-1].T
    view[view > 3] = -1
    host_view[host_view > 3] = -1
    np.testing.assert_array_equal(device.get(), host)
    one = gpuarray.to_gpu(np.array(3.0))
    np.testing.assert_array_equal(one[one > 2].get(), [3.0])
    assert one[one > 5].shape == (0,)
    with pytest.raises(IndexError, match=r"boolean mask has shape \(8,\)"):
        device[:, device[:, 0] > 0]


def test_elements_are_put_by_flat_positions():
    host = values((4, 5), "float32")
    device = gpuarray.to_gpu(host)
    for target, reference in ((device, host), (device[:, 1:], host[:, 1:])):
        np.put(target, [0, 3, -1, 7], [1, 2])
        np.put(reference, [0, 3, -1, 7], [1, 2])
    np.testing.assert_array_equal(device.get(), host)
    with pytest.raises(IndexError, match=r"out of bounds for an array of shape \(4, 5\)"):
        device.put([20], [1])
    device.put([0], [])
    np.testing.assert_array_equal(device.get(), host)
    np.testing.assert_array_equal(device.take([3, 0], axis=1).get(), host.take([3, 0], axis=1))


@pytest.mark.parametrize("length", [1, 15, 16, 17, 63, 64, 65, 127, 1000, 8191, 8192, 8193, 40003])
def test_reductions_of_any_length_see_each_element_once(length):
    host = np.random.default_rng(length).integers(0, 3, length).astype(np.float32)
    array = gpuarray.to_gpu(host)
    assert array.sum().get() == host.sum()
    assert gpuarray.dot(array, array).get() == (host * host).sum()
    assert array.argmax().get() == host.argmax() and array.argmin().get() == host.argmin()
    for place in {0, length // 4, length // 2, length - 1}:
        array[place] = 9
        assert array.max().get() == 9 and array.argmax().get() == place
        array[place] = float(host[place])


def test_the_allocator_that_is_given_is_used_and_pycudas_order_of_arguments_taken():
    sizes = []

    def allocator(size):
        sizes.append(size)
        return driver.mem_alloc(size)

    truth = gpuarray.to_gpu(np.array([0, 1, 1], np.float32))
    stream = driver.Stream()
    assert truth.any(stream).get() and not truth.all(stream, allocator).get()
    assert truth.any(allocator=allocator).get() and truth.any(0, allocator=allocator).get()
    np.testing.assert_array_equal(gpuarray.logical_not(truth, allocator=allocator).get(), [True, False, False])
    np.testing.assert_array_equal(gpuarray.logical_or(truth, truth, allocator=allocator).get(), [False, True, True])
    assert len(sizes) == 5
    theirs = gpuarray.to_gpu(np.arange(4, dtype=np.float32), allocator)
    taken = gpuarray.take(theirs, gpuarray.to_gpu(np.array([1, 2], np.uint32)))
    assert taken.allocator is allocator and len(sizes) == 7
