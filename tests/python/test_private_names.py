# SPDX-License-Identifier: MIT
"""Names that are private in PyCUDA, or were public once, and that published programs use."""

import sys
import warnings

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import _driver, compiler, curandom, elementwise, gpuarray

pytestmark = pytest.mark.usefixtures("context")


def _line_above():
    return sys._getframe(1).f_lineno - 1


def test_modules_are_found_in_modules():
    assert gpuarray.drv is cuda
    assert gpuarray.elementwise is elementwise
    assert gpuarray.np is np
    assert cuda.SourceModule is compiler.SourceModule
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        cuda.nothing  # noqa: B018


def test_a_method_made_of_an_operator():
    class Array(gpuarray.GPUArray):
        is_below = gpuarray._make_binary_op("<")
        plus = gpuarray._make_binary_op("+")

    host = np.arange(5.0)
    a = Array(host.shape, host.dtype)
    a.set(host)
    np.testing.assert_array_equal(a.is_below(2).get(), host < 2)
    np.testing.assert_array_equal(a.plus(a).get(), host + host)
    with pytest.raises(ValueError, match="the operator must be one of .*, not '<=>'"):
        gpuarray._make_binary_op("<=>")


def test_the_launch_shape_of_a_device_is_that_of_the_current_one():
    device = cuda.Context.get_device()
    for n in (1, 1000, 1 << 20):
        assert gpuarray._splay_backend(n, device) == gpuarray.splay(n) == gpuarray.splay(n, device)


def test_compact_strides_keep_the_order_of_the_axes():
    for order in "CF":
        part = gpuarray.to_gpu(np.zeros((4, 6, 8), np.float32, order=order))[::2, ::3, :5]
        assert gpuarray._compact_strides(part) == np.zeros(part.shape, np.float32, order=order).strides


def test_room_for_the_result_of_an_operator():
    a, b = gpuarray.zeros((3, 1), np.float32), gpuarray.zeros((3, 4), np.int32)
    made = gpuarray._get_broadcasted_binary_op_result(a, b)
    assert (made.shape, made.dtype) == ((3, 4), np.float64)
    made = gpuarray._get_broadcasted_binary_op_result(a, a.T, lambda x, y: np.dtype(bool))
    assert (made.shape, made.dtype) == ((3, 3), bool)
    with pytest.raises(ValueError, match="broadcast"):
        gpuarray._get_broadcasted_binary_op_result(a, gpuarray.zeros((2, 1), np.int32))


def test_powers_new_and_in_place():
    a = gpuarray.to_gpu(np.arange(4.0))
    squares = a._pow(2, new=True)
    np.testing.assert_array_equal(squares.get(), [0, 1, 4, 9])
    np.testing.assert_array_equal(a.get(), [0, 1, 2, 3])
    assert a._pow(3, new=False) is a
    np.testing.assert_array_equal(a.get(), [0, 1, 8, 27])


def test_a_timer_of_a_linear_combination():
    a = gpuarray.to_gpu(np.arange(1000.0))
    told = []
    result = a.mul_add(2, a, 3, add_timer=lambda count, seconds: told.append((count, seconds)))
    np.testing.assert_array_equal(result.get(), 5 * np.arange(1000.0))
    ((count, seconds),) = told
    assert count == 3000
    assert 0 < seconds() < 60


@pytest.mark.parametrize("bits", [32, 64])
def test_tables_of_the_sobol_generators(bits):
    assert _driver.get_curand_version() == curandom.get_curand_version()
    if curandom.get_curand_version() is None:
        pytest.skip("needs cuRAND")
    dtype = np.dtype(f"uint{bits}")
    kind = getattr(cuda.direction_vector_set, f"VECTOR_{bits}")
    vectors = np.zeros((3, bits), dtype)
    _driver._get_direction_vectors(kind, vectors, 3)
    np.testing.assert_array_equal(vectors, curandom.generate_direction_vectors(3, kind).get().reshape(3, bits))
    constants = np.zeros(3, dtype)
    scrambling = getattr(_driver, f"_get_scramble_constants{bits}")
    scrambling(constants, 3)
    expected = getattr(curandom, f"generate_scramble_constants{bits}")(3)
    np.testing.assert_array_equal(constants, expected.get())
    with pytest.raises(ValueError, match="the table"):
        scrambling(constants, 4)


def test_preparing_with_a_block_and_shared_memory():
    function = compiler.SourceModule("""
        __global__ void reversed(int *out)
        {
          extern __shared__ int row[];
          row[threadIdx.x] = threadIdx.x;
          __syncthreads();
          out[threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
        }
    """).get_function("reversed")
    with pytest.warns(DeprecationWarning, match="setting the"):
        function.prepare("P", block=(8, 1, 1), shared=32)
    out = gpuarray.zeros(8, np.int32)
    with pytest.warns(DeprecationWarning, match="Not passing the block size"):
        function.prepared_call((1, 1), out.gpudata)
    np.testing.assert_array_equal(out.get(), np.arange(8)[::-1])
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        function.prepare("P", shared=32)
    assert (told[0].filename, told[0].lineno) == (__file__, _line_above())
    function.prepared_call((1, 1), (8, 1, 1), out.gpudata, shared_size=64)
    cuda.Context.synchronize()
    with pytest.raises(OverflowError), pytest.warns(DeprecationWarning, match="shared memory size"):
        function.prepare("P", shared=-1)
