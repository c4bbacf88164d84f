# SPDX-License-Identifier: MIT
"""Arrays as indices: types of indices, sizes of elements, layouts, and places beyond 2**31."""

import numpy as np
import pytest
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize("index_type", ["int8", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_of_every_size_are_indices(index_type):
    host = np.arange(100, dtype=np.float32).reshape(10, 10)
    device = gpuarray.to_gpu(host)
    rows = np.array([[9, 0], [3, 3]], index_type)
    columns = np.array([1, 7], np.int32)
    np.testing.assert_array_equal(device[gpuarray.to_gpu(rows)].get(), host[rows])
    both = device[gpuarray.to_gpu(rows), gpuarray.to_gpu(columns)]  # of different types, broadcast
    np.testing.assert_array_equal(both.get(), host[rows, columns])
    np.testing.assert_array_equal(device.take(gpuarray.to_gpu(rows), axis=1).get(), host.take(rows, axis=1))


@pytest.mark.parametrize("index_type", ["int32", "int64"])
@pytest.mark.parametrize("wrong", [5, -6, 1 << 30, -(1 << 31), (1 << 31) - 1])
def test_indices_out_of_range_are_told_and_touch_nothing(index_type, wrong):
    host = np.arange(5, dtype=np.int16)
    device = gpuarray.to_gpu(host)
    index = gpuarray.to_gpu(np.array([1, wrong, -1], index_type))
    with pytest.raises(IndexError, match=r"out of bounds for an array of shape \(5,\)"):
        device[index]
    with pytest.raises(IndexError, match=r"out of bounds for an array of shape \(5,\)"):
        device[index] = gpuarray.to_gpu(np.array([7, 8, 9], np.int16))
    np.testing.assert_array_equal(device.get(), [0, 7, 2, 3, 9])  # NumPy writes nothing; the device is past that


@pytest.mark.parametrize(
    "dtype",
    [
        "int8",
        "float16",
        "float32",
        "complex64",
        "complex128",
        "V3",
        "V6",
        "V12",
        "V20",
        "V48",
        [("a", "i1"), ("b", "f8")],
    ],
)
def test_elements_of_every_size_are_moved(dtype):
    dtype = np.dtype(dtype)
    host = np.random.default_rng(0).integers(0, 256, 37 * dtype.itemsize, dtype=np.uint8).view(dtype)
    device = gpuarray.to_gpu(host)
    index = np.array([36, 0, -1, 17, 17, 5], np.int32)
    assert device[gpuarray.to_gpu(index)].get().tobytes() == host[index].tobytes()
    turned = gpuarray.to_gpu(host[:36].reshape(4, 9)).T
    assert turned[gpuarray.to_gpu(index[3:] % 9)].get().tobytes() == host[:36].reshape(4, 9).T[index[3:] % 9].tobytes()
    target, expected = gpuarray.to_gpu(host), host.copy()
    target[gpuarray.to_gpu(index[1:4])] = gpuarray.to_gpu(host[10:13])
    expected[index[1:4]] = host[10:13]
    assert target.get().tobytes() == expected.tobytes()


def test_fields_that_do_not_lie_aligned_are_moved():
    packed = np.dtype([("flag", "i1"), ("number", "c8"), ("more", "i1", 3)])
    host = np.zeros(11, packed)
    host["number"] = np.arange(11) * (1 - 2j)
    device = gpuarray.to_gpu(host)
    view = gpuarray.GPUArray((11,), np.complex64, gpudata=int(device.gpudata) + 1, strides=(12,))
    index = np.array([10, 3, -2])
    np.testing.assert_array_equal(view[gpuarray.to_gpu(index)].get(), host["number"][index])


def test_axes_longer_than_32_bits_count():
    row = np.arange(6, dtype=np.float64)
    long = gpuarray.broadcast_to(gpuarray.to_gpu(row), (1 << 33, 6))
    index = np.array([0, (1 << 33) - 1, -(1 << 33), 1 << 32])
    np.testing.assert_array_equal(long[gpuarray.to_gpu(index)].get(), np.broadcast_to(row, (4, 6)))
    columns = long[gpuarray.to_gpu(index), gpuarray.to_gpu(np.array([5, -1, 2, 0], np.int32))]
    np.testing.assert_array_equal(columns.get(), row[[5, 5, 2, 0]])
    with pytest.raises(IndexError):
        long[gpuarray.to_gpu(np.array([1 << 33]))]


def test_many_elements_through_several_axes():
    random = np.random.default_rng(4)
    host = random.normal(size=(40, 50, 60)).astype(np.float32)
    device = gpuarray.to_gpu(host)
    first, last = random.integers(-40, 40, (300, 1)), random.integers(-60, 60, (1, 70)).astype(np.int32)
    ours = device[gpuarray.to_gpu(first), :, gpuarray.to_gpu(last)]
    np.testing.assert_array_equal(ours.get(), host[first, :, last])
    mask = host > 0.4
    np.testing.assert_array_equal(device[gpuarray.to_gpu(mask)].get(), host[mask])
    flat = gpuarray.to_gpu(mask.ravel())
    np.testing.assert_array_equal(gpuarray.nonzero(flat)[0].get(), np.nonzero(mask.ravel())[0])
    index = random.permutation(host.size).astype(np.int32)
    target = gpuarray.zeros(host.size, np.float32)
    target[gpuarray.to_gpu(index)] = device.ravel()
    expected = np.zeros(host.size, np.float32)
    expected[index] = host.ravel()
    np.testing.assert_array_equal(target.get(), expected)


@pytest.mark.parametrize("share", [0, 1, 0.5])
@pytest.mark.parametrize("size", [1, 4095, 4096, 12289])
def test_places_of_few_and_many_true_elements(share, size):
    mask = np.random.default_rng(size).random(size) < share
    np.testing.assert_array_equal(gpuarray.nonzero(gpuarray.to_gpu(mask))[0].get(), np.nonzero(mask)[0])


def test_an_array_without_axes_is_an_index_as_an_integer_is():
    host = np.arange(50.0).reshape(2, 5, 5)
    device = gpuarray.to_gpu(host)
    for place in (np.array(-1), np.array(2, np.uint8)):
        for index in ((slice(None), slice(None), place), (place % 2,), (0, place), (..., place)):
            got = device[index]
            assert got.shape == host[index].shape
            np.testing.assert_array_equal(got.get(), host[index])
            on_device = tuple(gpuarray.to_gpu(one) if isinstance(one, np.ndarray) else one for one in index)
            np.testing.assert_array_equal(device[on_device].get(), host[index])
    host[:, np.array(1)] = 7
    device[:, np.array(1)] = 7
    np.testing.assert_array_equal(device.get(), host)


def test_take_names_its_array_as_numpy_does():
    host = np.arange(5.0)
    indices = gpuarray.to_gpu(np.array([3, 1]))
    assert gpuarray.take(a=gpuarray.to_gpu(host), indices=indices).get().tolist() == [3, 1]
    assert np.take(a=gpuarray.to_gpu(host), indices=indices).get().tolist() == [3, 1]


def test_one_truth_value_chooses_all_or_nothing():
    host = np.arange(6.0).reshape(2, 3)
    indices = [True, False, np.True_, np.False_, np.array(True), (..., True), (True, 0), (0, True), (None, True)]
    indices += [(True, True), (True, [0, 1]), (False, [0]), ([0, 1], slice(None), True), (True, host > 2)]
    for index in indices:
        device = gpuarray.to_gpu(host)
        got = device[index]
        assert got.shape == host[index].shape, index
        np.testing.assert_array_equal(got.get(), host[index])
        expected = host.copy()
        device[index] = 9
        expected[index] = 9
        np.testing.assert_array_equal(device.get(), expected)
    on_device = gpuarray.to_gpu(np.array(True))
    assert device[on_device].shape == (1, 2, 3) and device[0, ~on_device].shape == (0, 3)
    assert gpuarray.to_gpu(np.array(5.0))[True].get().tolist() == [5]
    with pytest.raises(IndexError):
        device[False, [0, 1]]
    with pytest.raises(IndexError):
        device[True, 0, 0, 0]


def test_values_with_axes_of_length_one_before_those_of_the_place():
    for value in (np.array([[[7.0, 8.0, 9.0]]]), np.full((1, 1, 1), 7.0)):
        host = np.arange(6.0).reshape(2, 3)
        device = gpuarray.to_gpu(host)
        other = gpuarray.to_gpu(host)
        host[0] = device[0] = value
        other[0] = gpuarray.to_gpu(value)
        np.testing.assert_array_equal(device.get(), host)
        np.testing.assert_array_equal(other.get(), host)
        for wrong in (np.ones((2, 1, 3)), gpuarray.to_gpu(np.ones((2, 1, 3)))):
            with pytest.raises(ValueError, match=r"\(2, 1, 3\).*\(3,\)"):
                device[0] = wrong


def test_what_is_in_an_array():
    host = np.arange(6.0).reshape(2, 3)
    device = gpuarray.to_gpu(host)
    for value in (5, 7, None, "text", np.nan, [0, 1, 2], [0, 1, 3]):
        assert (value in device) == (value in host), value


def test_sequences_within_an_index_are_arrays():
    indices = [
        ((0, 1), (1, 2)),
        ([0, 1], (1, 2)),
        ((0, 1),),
        range(2),
        (range(2), 1),
        (..., (2, 0)),
        (((0, 1), (1, 0)),),
    ]
    indices += [((True, False), slice(None)), ((),), (slice(None), memoryview(np.array([0, 2])))]
    for index in indices:
        host = np.arange(6.0).reshape(2, 3)
        device = gpuarray.to_gpu(host)
        got, expected = device[index], host[index]
        assert got.shape == expected.shape, index
        np.testing.assert_array_equal(got.get(), expected)
        host[index] = device[index] = 9
        np.testing.assert_array_equal(device.get(), host)
    for wrong in ("01", ("01",), (b"01", 0), ((0.5, 1.0),), ((0, 5),)):
        with pytest.raises(IndexError):
            device[wrong]
        with pytest.raises(IndexError):
            device[wrong] = 1


@pytest.mark.parametrize("axes", [(0, 1, 2, 3, 4, 5), (5, 4, 3, 2, 1, 0), (3, 1, 5, 0, 4, 2)])
@pytest.mark.parametrize("step", [1, -1, 2])
def test_more_arrays_than_kernels_take(axes, step):
    wide = np.arange(4 * 3**5, dtype=np.int32).reshape((3, 3, 4, 3, 3, 3))
    cut = np.index_exp[..., ::step, ::step]
    host, whole = wide.transpose(axes)[cut], gpuarray.to_gpu(wide)
    device = whole.transpose(axes)[cut]
    mask = host % 5 == 0
    places = [np.array([[0], [-1]]) % np.array(n) - n for n in host.shape]
    few = [one[:, 0].astype(np.int8) for one in places]

    def on_device(index):
        return tuple(gpuarray.to_gpu(one) if isinstance(one, np.ndarray) else one for one in index)

    indices = [mask.nonzero(), (mask,), (mask[..., 0],), (1, mask[0]), (*few[:5],), (few[0], ..., *few[2:])]
    indices += [(slice(None), *places[1:]), (*few[:2], slice(1, None), *few[3:]), (places[0].T, *places[1:])]
    for index in indices:
        for given in (index, on_device(index)):
            got, expected = device[given], host[index]
            assert got.shape == expected.shape
            np.testing.assert_array_equal(got.get(), expected)
            host[index] += 1000
            device[given] = gpuarray.to_gpu(np.ascontiguousarray(host[index]))
            np.testing.assert_array_equal(whole.get(), wide)
    for wrong in (host.shape[2], -host.shape[2] - 1):
        index = (*few[:2], np.array([0, wrong]), *few[3:])
        with pytest.raises(IndexError, match=f"out of bounds for axis 2 with size {host.shape[2]}"):
            device[index]
        with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis 2 with size {host.shape[2]}"):
            device[on_device(index)] = 0
    np.testing.assert_array_equal(whole.get(), wide)


def test_more_arrays_than_kernels_take_of_arrays_without_elements_and_without_strides():
    empty = gpuarray.empty((2, 0, 2, 2, 2), np.float32)
    nothing = (gpuarray.empty(0, np.int64),) * 5
    assert empty[nothing].shape == empty[np.zeros((2, 0, 2, 2, 2), bool)].shape == (0,)
    with pytest.raises(IndexError, match="axis 1 with size 0"):
        empty[(gpuarray.to_gpu(np.array([0])),) * 5]
    same = gpuarray.broadcast_to(gpuarray.to_gpu(np.array(7.0)), (2,) * 5)
    assert same[(gpuarray.to_gpu(np.array([0, 1])),) * 5].get().tolist() == [7, 7]


def test_elements_cannot_be_deleted():
    device = gpuarray.zeros(3, np.float32)
    for index in (0, slice(2), [0, 1]):
        with pytest.raises(ValueError, match="cannot delete array elements"):
            del device[index]
