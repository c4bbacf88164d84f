# SPDX-License-Identifier: MIT
"""Arguments of NumPy's functions on device arrays: honoured as NumPy does, or refused, never swallowed."""

import numpy as np
import pytest
from numpy_cases import agree, fails_alike, numbers, same
from pycuda import gpuarray
from pycuda.gpuarray import to_gpu

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("decimals", [0, 1, 3, -1, -3])
def test_round(dtype, decimals):
    host = numbers((3, 4), dtype)
    if dtype == "?" and decimals:
        fails_alike(lambda a: np.round(a, decimals), host)
        return
    agree(lambda a: np.round(a, decimals), host, exact=True)
    expected = np.round(host, decimals)
    out = gpuarray.zeros(host.shape, expected.dtype).fill(9)
    assert np.round(to_gpu(host), decimals, out=out) is out
    same(out, expected, exact=True)


def test_integers_are_rounded_exactly():
    host = np.array([15, 25, -15, -25, 2**62 + 5, -(2**62) - 4, 2**53 + 1])
    expected = [20, 20, -20, -20, 2**62 + 6, -(2**62) - 6, 2**53 - 2]
    assert np.round(to_gpu(host), -1).get().tolist() == expected
    assert np.round(to_gpu(host), -30).get().tolist() == [0] * 7
    agree(lambda a: np.round(a, -1), np.array([255, 4, 5], np.uint8))


def test_results_of_round_that_do_not_fit_are_refused():
    host = numbers((2, 3), "f8")
    fails_alike(
        lambda a: np.round(a, 1, out=np.zeros((2, 3), "i4") if a is host else gpuarray.zeros((2, 3), "i4")), host
    )
    with pytest.raises(ValueError, match=r"\(2, 4\).*\(2, 3\)"):
        np.round(to_gpu(host), out=gpuarray.zeros((2, 4)))


def test_arrays_like_others_of_another_shape():
    host = numbers((2, 3), "f4")
    for call in (
        lambda a: np.zeros_like(a, shape=(3,)),
        lambda a: np.ones_like(a, shape=4),
        lambda a: np.full_like(a, 7, shape=(3, 2)),
        lambda a: np.full_like(a, fill_value=7, dtype="i4", shape=(0, 2)),
        lambda a: np.zeros_like(a, subok=False),
    ):
        agree(call, host)
    for order in "CFAK":
        for shape in ((4, 5), (4,), (2, 2, 2)):
            strides = np.empty_like(host.T, order=order, shape=shape).strides
            assert np.empty_like(to_gpu(host).T, order=order, shape=shape).strides == strides
    for name in ("zeros_like", "ones_like", "empty_like"):
        with pytest.raises(TypeError, match=f"np.{name} .*'device'"):
            getattr(np, name)(to_gpu(host), device="cpu")


@pytest.mark.parametrize("dtype", ["S5", "U3", "V3", "M8[s]", [("name", "S4"), ("size", "f4")]])
def test_zeros_and_ones_of_texts_and_structures(dtype):
    for name in ("zeros", "ones"):
        expected = getattr(np, name)(2, dtype)
        like = getattr(gpuarray, f"{name}_like"), getattr(np, f"{name}_like")
        for got in (getattr(gpuarray, name)(2, dtype), *(make(gpuarray.empty(2, dtype)) for make in like)):
            assert got.dtype == expected.dtype
            assert got.get().tobytes() == expected.tobytes()


def test_reshape_copies_only_where_that_is_allowed():
    host = numbers((2, 3), "f4")
    device = to_gpu(host)
    fails_alike(lambda a: np.reshape(a.T, 6, copy=False), host)
    fails_alike(lambda a: np.reshape(a, (3, 2), order="F", copy=False), host)
    for call in (
        lambda a: np.reshape(a, 6, copy=False),
        lambda a: np.reshape(a.T, (3, 2), copy=False),
        lambda a: np.reshape(a.T, 6, "F", copy=False),
    ):
        assert call(device).ptr == device.ptr
        same(call(device), call(host))
    assert device.reshape((2, 3), copy=True).ptr != device.ptr
    same(device.reshape(shape=(3, 2), order="F"), host.reshape((3, 2), order="F"))
    agree(lambda a: np.reshape(a.T, (2, 3), copy=True), host)


def test_where_takes_a_condition_of_the_host():
    host, condition = numbers((2, 3), "f4"), np.array([True, False, True])
    agree(lambda a: np.where(condition, a, 0), host)
    agree(lambda a: np.where([[True], [False]], 0, a), host)


def test_amax_and_amin():
    host = numbers((2, 3), "f4")
    agree(lambda a: np.amax(a, 0), host)
    agree(lambda a: np.amin(a, axis=1, keepdims=True), host)


def test_limits_of_clip():
    host = numbers((2, 3), "f4")
    agree(lambda a: np.clip(a, a_min=0, a_max=1), host)
    agree(lambda a: np.clip(a, min=0), host)
    agree(lambda a: np.clip(a), host)
    fails_alike(lambda a: np.clip(a, a_min=0), host)
    fails_alike(lambda a: np.clip(a, 0, 1, max=2), host)
    small = np.array([1, 200], np.uint8)
    for limits in ((-5, 300), (-5, 100), (None, 300), (-5, None), (-5, 2.5)):
        device = np.clip(to_gpu(small), *limits)
        # NumPy 2.0 and older refuse these numbers.
        same(device, np.clip(small.astype(int), *limits).astype(device.dtype))
    for limits in ((300, 400), (300, None), (None, -1)):
        with pytest.raises(OverflowError, match="out of bounds for uint8"):
            np.clip(to_gpu(small), *limits)


def test_degrees_and_corrections():
    host = numbers((2, 3), "c16")
    agree(lambda a: np.angle(a, deg=True), host)
    agree(lambda a: np.angle(a, True), numbers(4, "f4"))
    for function in (np.var, np.std):
        agree(lambda a, function=function: function(a, correction=1), host)
        agree(lambda a, function=function: function(a, axis=0, correction=1, keepdims=True), host)
        fails_alike(lambda a, function=function: function(a, ddof=1, correction=1), host)


def test_order_of_memory():
    host = numbers((2, 3, 4), "f4")
    for axes in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        agree(lambda a, axes=axes: np.transpose(a, axes).ravel("K"), host)
        agree(lambda a, axes=axes: np.transpose(a, axes).flatten("K"), host)
        agree(lambda a, axes=axes: np.ravel(np.transpose(a, axes)[::-1], "K"), host)
    same(np.broadcast_to(to_gpu(host[0]), (2, 3, 4)).ravel("K"), np.broadcast_to(host[0], (2, 3, 4)).ravel("K"))


@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_indices_beyond_the_ends(mode):
    host, places = numbers((2, 3), "f4"), [9, -1, -8, 2]
    agree(lambda a: np.take(a, places, mode=mode), host)
    agree(lambda a: np.take(a, places, axis=1, mode=mode), host)
    agree(lambda a: np.take(a, 7, axis=0, mode=mode), host)
    device, expected = to_gpu(host), host.copy()
    # Each of them another element: which of two values for one stays is not said on a GPU.
    places = [9, -1, 3, 2] if mode == "clip" else places
    np.put(device, places, [1, 2, 3, 4], mode=mode)
    np.put(expected, places, [1, 2, 3, 4], mode=mode)
    same(device, expected)
    fails_alike(lambda a: np.take(a, places), host)
    fails_alike(lambda a: np.take(a, places, mode="nearest"), host)


def test_sorting():
    host = numbers((2, 3), "f4")
    agree(lambda a: np.sort(a, kind="stable"), host)
    agree(lambda a: np.argsort(a, 0, kind="mergesort"), host)
    agree(lambda a: a.argsort(kind="stable"), host)
    device, expected = to_gpu(host), host.copy()
    device.sort(kind="stable")
    expected.sort(kind="stable")
    same(device, expected)
    for call in (lambda a: np.sort(a, kind="foo"), lambda a: np.sort(a, order="f"), lambda a: a.sort(order="f")):
        fails_alike(call, host)


def test_size_along_axes():
    host = numbers((2, 3, 4), "f4")
    for axis in (None, 1, -1, (0, 2)):
        if isinstance(axis, tuple) and np.lib.NumpyVersion(np.__version__) < "2.4.0":
            continue
        assert np.size(to_gpu(host), axis) == np.size(host, axis)
    fails_alike(lambda a: np.size(a, 3), host)
