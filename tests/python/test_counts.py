# SPDX-License-Identifier: MIT
"""PyCUDA's sums count truth values: programs written when comparisons returned numbers sum them."""

import numpy as np
import pytest
from pycuda import driver, gpuarray

HOST = np.array([[0, 1, 2], [3, 4, 5]], np.float32)


@pytest.fixture
def chosen(context):
    """Four of six elements."""
    return gpuarray.to_gpu(HOST) > 1


SUMS = {
    "sum": gpuarray.sum,
    "sum in a stream": lambda mask: gpuarray.sum(mask, stream=driver.Stream()),
    "dot": lambda mask: gpuarray.dot(mask, mask),
    "dot of two shapes": lambda mask: gpuarray.dot(mask, mask.reshape(3, 2)),
    "dot in a stream": lambda mask: gpuarray.dot(mask, mask, stream=driver.Stream()),
    "subset_sum": lambda mask: gpuarray.subset_sum(gpuarray.to_gpu(np.int32([5, 4, 3, 2, 1])), mask),
    "subset_dot": lambda mask: gpuarray.subset_dot(gpuarray.to_gpu(np.int32([5, 4, 3, 2, 1])), mask, mask),
}


@pytest.mark.parametrize("count", SUMS.values(), ids=list(SUMS))
def test_sums_count(chosen, count):
    total = count(chosen)
    assert total.dtype == np.int64
    assert total.get() == 4


def test_sums_along_an_axis_count(chosen):
    assert gpuarray.sum(chosen, axis=1).get().tolist() == [1, 3]
    assert gpuarray.prod(chosen, axis=0).get().tolist() == [0, 0, 1]


def test_the_dtype_asked_for_is_kept(chosen):
    assert gpuarray.sum(chosen, dtype=np.float32).dtype == np.float32
    assert gpuarray.sum(chosen, dtype=bool).get() == True  # noqa: E712
    assert gpuarray.dot(chosen, gpuarray.to_gpu(HOST)).dtype == np.float32


def test_numpys_products_of_truth_values_stay(chosen):
    flat = chosen.ravel()
    assert flat.dot(flat).dtype == np.dot(flat, flat).dtype == np.bool_
    assert flat.dot(flat, driver.Stream()).dtype == np.bool_
