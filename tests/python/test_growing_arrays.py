# SPDX-License-Identifier: MIT
"""Arrays that grow in place."""

import numpy as np
import pycuda.driver as cuda
import pytest
from own_memory import own_bytes
from programs import is_cpu
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def test_an_array_grows_without_moving():
    a = gpuarray.GrowingArray(0, np.float32, capacity=10_000_000)
    address = a.ptr
    expected = np.empty(0, np.float32)
    random = np.random.default_rng(3)
    for length in (1, 1000, 1_000_000, 7):
        rows = random.random(length, np.float32)
        a.append(rows)
        expected = np.concatenate([expected, rows])
    assert a.shape == (1_001_008,) and a.ptr == address
    assert (a.get() == expected).all()
    assert a.allocated >= len(a)


def test_views_see_what_comes_later():
    a = gpuarray.GrowingArray(4, np.int32, capacity=1 << 22)
    view = a[1:]
    assert view.get().tolist() == [0, 0, 0]
    a.resize(1 << 21)
    a.fill(5)
    assert view.get().tolist() == [5, 5, 5]


def test_rows_of_several_axes():
    a = gpuarray.GrowingArray((0, 3), np.int64, capacity=1000)
    a.append([1, 2, 3])
    a.append([[4, 5, 6], [7, 8, 9]])
    a.append(a[:1])
    a.append(a)
    assert a.get().tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 2, 3]] * 2


def test_values_are_cast():
    a = gpuarray.GrowingArray(1, np.float32, capacity=10)
    a.append(gpuarray.to_gpu(np.arange(3, dtype=np.int32)))
    a.append(2)
    assert a.get().tolist() == [0, 0, 1, 2, 2]


def test_a_shorter_array_keeps_its_memory_and_what_it_held():
    a = gpuarray.GrowingArray(5, np.int32, capacity=100)
    a.fill(4)
    held = a.allocated
    a.resize(2)
    assert a.get().tolist() == [4, 4] and a.allocated == held
    a.resize(5)
    assert a.get().tolist() == [4] * 5


def test_operations_give_ordinary_arrays():
    a = gpuarray.GrowingArray(3, np.float32, capacity=10)
    b = a + 1
    assert type(b) is gpuarray.GPUArray and b.get().tolist() == [1, 1, 1]
    assert np.asarray((a.sum() + b.sum()).get()) == 3


def test_kernels_take_it():
    a = gpuarray.GrowingArray(0, np.int32, capacity=1 << 20)
    source = "__global__ void number(int *a, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) a[i] = i; }"
    number = SourceModule(source).get_function("number")
    a.resize(600_000)
    number(a, np.int32(len(a)), block=(256, 1, 1), grid=(-(-len(a) // 256), 1))
    assert (a.get() == np.arange(600_000)).all()


def test_more_than_the_capacity_is_refused():
    a = gpuarray.GrowingArray(2, np.float32, capacity=3)
    with pytest.raises(ValueError, match="4 rows exceed the array's capacity of 3"):
        a.append([1, 2])
    assert a.shape == (2,)
    with pytest.raises(ValueError, match="the number of rows must not be negative: -1"):
        a.resize(-1)


@pytest.mark.parametrize(
    "arguments, match",
    [
        (((), np.float32, 5), "needs at least one axis"),
        ((5, np.float32, 4), "capacity must be at least the array's 5 rows, not 4"),
        (((2, 0), np.float32, 4), "have no bytes"),
    ],
)
def test_arrays_that_cannot_grow_are_refused(arguments, match):
    with pytest.raises(ValueError, match=match):
        gpuarray.GrowingArray(*arguments)


def test_values_of_another_shape_are_refused():
    a = gpuarray.GrowingArray((1, 3), np.float32, capacity=9)
    with pytest.raises(ValueError, match=r"values of shape \(2,\) do not fit as rows of an array of shape \(1, 3\)"):
        a.append([1, 2])
    with pytest.raises(ValueError, match="do not fit as rows"):
        a.append(np.zeros((1, 2, 3)))


def test_memory_comes_when_it_is_needed_and_goes_with_the_array():
    step = cuda.mem_get_allocation_granularity(recommended=True)
    before = own_bytes()
    a = gpuarray.GrowingArray(1, np.uint8, capacity=100 * step)
    assert a.allocated == step
    a.resize(8 * step)
    assert a.allocated == 8 * step
    if is_cpu():
        assert own_bytes() == before + 8 * step
    del a
    assert own_bytes() == before
