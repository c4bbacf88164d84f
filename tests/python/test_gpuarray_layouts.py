# SPDX-License-Identifier: MIT
"""Layouts that programs rely on which hand an array's pointer to a kernel of their own."""

import numpy as np
import pytest
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kept", ["C", "F"])
@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (2, 3, 4)])
def test_reshaped_contiguous_arrays_are_contiguous_in_the_order_asked_for(kept, order, shape):
    host = np.asarray(np.arange(24.0).reshape(4, 6), order=kept)
    device = gpuarray.to_gpu(host)
    result = device.reshape(shape, order=order)
    assert result.flags.c_contiguous if order == "C" else result.flags.f_contiguous
    np.testing.assert_array_equal(result.get(), host.reshape(shape, order=order))
    if order == "C":
        assert device.reshape(shape).flags.c_contiguous


def test_what_reshape_need_not_change_is_not_copied():
    device = gpuarray.to_gpu(np.arange(24.0).reshape(4, 6))
    assert device.reshape(4, 6) is device
    assert device.reshape(6, 4).ptr == device.ptr
    assert device[:, ::2].reshape(2, 2, 3).base is not None  # not contiguous: a view as NumPy has it


@pytest.mark.parametrize("order", ["C", "F"])
def test_parts_of_complex_arrays_lie_side_by_side(order):
    host = np.asarray(np.arange(12).reshape(3, 4) * (1 - 2j), order=order)
    device = gpuarray.to_gpu(host)
    for part, expected in ((device.real, host.real), (device.imag, host.imag)):
        assert part.flags.c_contiguous if order == "C" else part.flags.f_contiguous
        np.testing.assert_array_equal(part.get(), expected)
        part.fill(7)  # no view
    np.testing.assert_array_equal(device.get(), host)


def test_parts_of_complex_arrays_are_stored():
    host = np.arange(12).reshape(3, 4) * (1 - 2j)
    device = gpuarray.to_gpu(host)
    for array in host, device:
        array.real *= 3
        array[1:, ::2].imag = 5
        array.imag += array.real
    device.T.real = gpuarray.to_gpu(host.T.real)
    np.testing.assert_array_equal(device.get(), host)


def test_real_arrays_have_real_parts_alone():
    numbers = gpuarray.arange(3, dtype=np.float32)
    numbers.real = 4
    assert numbers.get().tolist() == [4, 4, 4]
    with pytest.raises(TypeError, match="float32 has no imaginary parts to store"):
        numbers.imag = 1


def test_packages_that_subclass_arrays_copy_between_layouts():
    host = np.arange(24.0).reshape(4, 6)
    device = gpuarray.to_gpu(host)
    copy = gpuarray.empty((6, 4), np.float64).T
    gpuarray._memcpy_discontig(copy, device, async_=True, stream=None)
    np.testing.assert_array_equal(copy.get(), host)
    part = np.zeros((4, 12))[:, ::2]
    gpuarray._memcpy_discontig(part, copy)
    np.testing.assert_array_equal(part, host)
    gpuarray._memcpy_discontig(copy, -part)
    np.testing.assert_array_equal(copy.get(), -host)
    with pytest.raises(ValueError, match="same shape"):
        gpuarray._memcpy_discontig(copy, part[:2])
    with pytest.raises(TypeError, match="same dtype"):
        gpuarray._memcpy_discontig(copy, part.astype(np.float32))
    with pytest.raises(TypeError, match="src must be"):
        gpuarray._memcpy_discontig(copy, [1])
