# SPDX-License-Identifier: MIT
"""Reductions and scans of lengths around which another kernel takes over: few elements, several blocks, parts."""

import numpy as np
import pytest
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

LENGTHS = [1, 2, 15, 16, 17, 31, 33, 255, 256, 257, 1000, 2047, 2048, 2049, 4095, 4096, 4097, 70001]
DTYPES = [np.dtype(name) for name in "bool uint16 float16 float32 complex128".split()]


def numbers(length, dtype, seed=0):
    """Small whole numbers: their sums are exact in any order, in float16 too."""
    few = np.random.default_rng(seed).integers(-1 if dtype.kind in "ifc" else 0, 2, length)
    return (few + 1j * few[::-1] if dtype.kind == "c" else few).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_reductions_to_one_number(dtype):
    for length in LENGTHS:
        host = numbers(length, dtype, length)
        device, backwards = gpuarray.to_gpu(host), gpuarray.to_gpu(np.repeat(host, 2))[::-2]
        np.testing.assert_array_equal(backwards.get(), host[::-1])
        for name in ["sum", "all"] + ["max", "argmin"] * (dtype.kind != "c"):
            expected = getattr(np, name)(host)
            assert getattr(np, name)(device).get() == expected, (name, length)
            expected = getattr(np, name)(host[::-1])
            assert getattr(np, name)(backwards).get() == expected, (name, length, "backwards")
        if dtype.kind in "fc":
            expected = np.dot(host.astype(np.complex128), host.astype(np.complex128))
            expected = expected.astype(dtype) if dtype.kind == "c" else expected.real.astype(dtype)
            assert gpuarray.dot(device, device).get() == expected, length


@pytest.mark.parametrize("name", ["max", "argmin"])
def test_what_is_no_number_wins_wherever_it_is(name):
    for length in LENGTHS:
        for place in {0, length // 2, length - 1}:
            host = numbers(length, np.dtype(np.float32))
            host[place] = np.nan
            np.testing.assert_equal(getattr(np, name)(gpuarray.to_gpu(host)).get(), getattr(np, name)(host))


@pytest.mark.parametrize("in_columns", [False, True])
@pytest.mark.parametrize("rows", [1, 3, 8, 9])
def test_reductions_to_a_few_numbers(rows, in_columns):
    for length in LENGTHS:
        host = numbers(rows * length, np.dtype(np.float32), length).reshape(rows, length)
        if in_columns:
            host = np.ascontiguousarray(host.T)
        device = gpuarray.to_gpu(host)
        for name in ["sum", "max", "argmin"]:
            for along in (0, 1):
                expected = getattr(np, name)(host, axis=along)
                np.testing.assert_array_equal(getattr(np, name)(device, axis=along).get(), expected)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_running_sums(dtype):
    for length in LENGTHS:
        host = numbers(length, dtype, length)
        if dtype == np.float16:
            host[1::2] = -host[::2][: len(host[1::2])]  # stays where float16 is exact
        device, backwards = gpuarray.to_gpu(host), gpuarray.to_gpu(np.repeat(host, 2))[::-2]
        np.testing.assert_array_equal(gpuarray.cumsum(device).get(), np.cumsum(host))
        np.testing.assert_array_equal(gpuarray.cumsum(backwards).get(), np.cumsum(host[::-1]))
        np.testing.assert_array_equal(gpuarray.cumprod(device).get(), np.cumprod(host))


@pytest.mark.parametrize("rows", [1, 3, 8, 9])
def test_running_sums_of_a_few_lines(rows):
    for length in LENGTHS:
        host = numbers(rows * length, np.dtype(np.float32), length).reshape(rows, length)
        for order in "CF":
            device = gpuarray.to_gpu(np.asarray(host, order=order))
            for axis in (0, 1):
                np.testing.assert_array_equal(gpuarray.cumsum(device, axis).get(), np.cumsum(host, axis=axis))
