# SPDX-License-Identifier: MIT
"""Pickles of arrays and of functions on them name `pycuda.gpuarray`, wherever the code is."""

import copy
import pickle

import numpy as np
import pytest
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")


class Subclass(gpuarray.GPUArray):
    pass


@pytest.mark.parametrize("kind", [gpuarray.GPUArray, Subclass])
def test_arrays_keep_elements_and_class(kind):
    plain = gpuarray.to_gpu(np.arange(6, dtype=np.float32).reshape(2, 3))
    array = kind(plain.shape, plain.dtype, base=plain, gpudata=plain.gpudata)
    restored = pickle.loads(pickle.dumps(array))
    assert type(restored) is kind
    assert np.array_equal(restored.get(), plain.get())


@pytest.mark.parametrize("copied", [lambda a: pickle.loads(pickle.dumps(a)), copy.copy, copy.deepcopy])
def test_copies_of_growing_arrays_grow(copied):
    array = gpuarray.GrowingArray((2,), np.float32, capacity=50)
    array[...] = np.float32([1, 2])
    other = copied(array)
    assert type(other) is gpuarray.GrowingArray
    assert other.capacity == 50
    other.append(np.float32([3]))
    assert other.get().tolist() == [1, 2, 3]
    assert array.get().tolist() == [1, 2]


def test_pickles_name_no_private_module():
    assert b"_arrays" not in pickle.dumps(gpuarray.zeros(2))
    assert b"_arrays" not in pickle.dumps(gpuarray.GrowingArray(2, np.float32, capacity=2))


def test_arrays_pickled_before_version_0_2_are_restored():
    written = pickle.dumps(gpuarray.arange(3, dtype=np.int32), protocol=2)
    older = written.replace(b"cpycuda.gpuarray\n_restore\n", b"cpycuda._arrays.creation\n_restore\n")
    assert older != written
    assert pickle.loads(older).get().tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", sorted(gpuarray.__all__))
def test_functions_are_pickled_by_name(name):
    thing = getattr(gpuarray, name)
    if callable(thing):
        assert pickle.loads(pickle.dumps(thing)) is thing


def test_methods_are_named_by_their_class():
    assert gpuarray.GPUArray.reshape.__qualname__ == "GPUArray.reshape"
    with pytest.raises(TypeError, match=r"GPUArray\.mean\(\) got an unexpected keyword argument 'no'"):
        gpuarray.zeros(2).mean(no=1)
