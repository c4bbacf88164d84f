# SPDX-License-Identifier: MIT
"""Classes that programs derive from GPUArray."""

import collections.abc
import copy

import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
import pytest

pytestmark = pytest.mark.usefixtures("context")


class Padded(gpuarray.GPUArray):
    """Has a constructor of its own, memory of its own and a size that counts padding."""

    def __init__(self, owner, shape, dtype, padding=0):
        dtype = np.dtype(dtype)
        nbytes = int(np.prod(shape)) * dtype.itemsize + padding
        self.memory = drv.mem_alloc(nbytes)
        super().__init__(shape, dtype, gpudata=int(self.memory))
        self.nbytes = nbytes
        self.owner = owner

    def _new_like_me(self, dtype=None):
        return Padded(self.owner, self.shape, dtype or self.dtype, self.nbytes - self.size * self.itemsize)

    def __getitem__(self, index):
        view = gpuarray.GPUArray.__getitem__(self, index)
        assert type(view) is gpuarray.GPUArray
        return view


def padded(values):
    made = Padded("me", values.shape, values.dtype, 64)
    made.set(values)
    return made


def test_a_class_with_another_constructor_makes_its_own_results():
    a = padded(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert a.nbytes == 24 + 64
    for result in (a + a, a * 2, 2 * a, -a, a / a):
        assert type(result) is Padded
        assert result.owner == "me"
        assert result.nbytes == 24 + 64
    assert ((a + 1).get() == np.arange(1, 7).reshape(2, 3)).all()


def test_its_views_sums_and_broadcast_results_are_plain():
    a = padded(np.arange(6, dtype=np.float32).reshape(2, 3))
    for view in (a[1], a[:, ::2], a.reshape(6), a.T, a.view(np.int32), a.ravel()):
        assert type(view) is gpuarray.GPUArray
    assert (a[1].get() == [3, 4, 5]).all()
    assert (a.T.get() == a.get().T).all()
    assert gpuarray.sum(a).get() == 15
    assert type(gpuarray.empty_like(a)) is gpuarray.GPUArray
    assert [row.get().sum() for row in a] == [3, 12]
    assert not isinstance(a, collections.abc.Iterable)  # what tells arrays from lists of them
    row = padded(np.ones(3, np.float32))
    assert ((row + a.reshape(2, 3)).get() == a.get() + 1).all()


def test_a_class_without_a_constructor_stays():
    class Named(gpuarray.GPUArray):
        pass

    a = Named((3,), np.float32)
    a.fill(2)
    a.name = "a"
    for made in (a + a, a[1:], a.reshape(3, 1), a._new_like_me()):
        assert type(made) is Named
    assert vars(a) == {"name": "a"}
    assert (copy.copy(a).get() == 2).all()


def test_numbers_that_follow_from_the_shape_can_be_overridden():
    a = gpuarray.zeros(4, np.float32)
    a.mem_size = 8
    assert (a.mem_size, a.size, a.nbytes) == (8, 4, 16)
    del a.mem_size
    assert a.mem_size == 4
    with pytest.raises(AttributeError):
        a.ndim = 3
