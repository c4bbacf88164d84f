# SPDX-License-Identifier: MIT
"""Matrix products against NumPy."""

import numpy as np
import pytest
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize(("left", "right"), [((17, 33), (33, 5)), ((64, 64), (64, 64)), ((9,), (9, 4)), ((3, 7), (7,))])
def test_products_agree_with_numpy(dtype, left, right):
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-9, 9, shape).astype(dtype) for shape in (left, right))
    product = gpuarray.to_gpu(a) @ gpuarray.to_gpu(b)
    assert product.shape == (a @ b).shape and product.dtype == dtype
    assert (product.get() == a @ b).all()


def test_transposed_and_mixed_operands():
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    b = np.arange(12, dtype=np.float64).reshape(3, 4)
    product = gpuarray.matmul(gpuarray.to_gpu(a), gpuarray.to_gpu(b).T)
    assert product.dtype == np.float64 and (product.get() == a @ b.T).all()


def test_lengths_that_do_not_fit_are_an_error():
    with pytest.raises(ValueError, match="4 is not 3"):
        gpuarray.zeros((3, 4), np.float32) @ gpuarray.zeros((3, 4), np.float32)
    with pytest.raises(NotImplementedError, match="complex64"):
        gpuarray.zeros((3, 3), np.complex64) @ gpuarray.zeros((3, 3), np.complex64)


def test_an_inner_length_of_zero_gives_zeros():
    product = gpuarray.zeros((2, 0), np.float32) @ gpuarray.zeros((0, 3), np.float32)
    assert (product.get() == np.zeros((2, 3))).all()
