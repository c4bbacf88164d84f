# SPDX-License-Identifier: MIT
"""cuBLAS of the CPU driver: many matrices by one call, and matrices of small floats and integers."""

import ctypes

import cublas_calls as cublas
import ml_dtypes
import numpy as np
import pycuda.driver as cuda
import pytest
from cublas_calls import close, from_device, on_device, random
from programs import is_cpu

TYPES = ["f4", "f8", "c8", "c16"]
FLOAT, HALF, INT8, INT32, BFLOAT16 = 0, 2, 3, 10, 14
COMPUTE_16, COMPUTE_32, COMPUTE_INT = 64, 68, 72


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def blas():
    with cublas.handle() as one:
        yield one


@pytest.fixture
def pointers():
    """Makes an array of pointers on the device; what they point to lives until the test ends."""
    held = []

    def listed(places):
        held.extend(places)
        return on_device(np.array([int(place) for place in places], np.uint64))

    yield listed
    cuda.Context.synchronize()
    held.clear()


def matrices(count, shape, dtype):
    values = [random(shape, dtype, seed) for seed in range(count)]
    return values, [on_device(value) for value in values]


@pytest.mark.parametrize("dtype", TYPES)
def test_products_by_pointers_and_by_strides(blas, pointers, dtype):
    letter, one, zero = cublas.LETTERS[dtype], np.dtype(dtype).type(1), np.dtype(dtype).type(0)
    a, a_places = matrices(3, (4, 2), dtype)
    b, b_places = matrices(3, (2, 5), dtype)
    c, c_places = matrices(3, (4, 5), dtype)
    blas(f"{letter}gemmBatched", 0, 0, 4, 5, 2, one, pointers(a_places), 4, pointers(b_places), 2, zero,
         pointers(c_places), 4, 3)  # fmt: skip
    for i in range(3):
        close(from_device(c_places[i], c[i]), a[i] @ b[i])
    stacked = [on_device(np.concatenate([m.ravel("F") for m in group])) for group in (a, b, c)]
    stride = ctypes.c_longlong
    blas(f"{letter}gemmStridedBatched", 0, 0, 4, 5, 2, one, stacked[0], 4, stride(8), stacked[1], 2, stride(10), one,
         stacked[2], 4, stride(20), 3)  # fmt: skip
    result = from_device(stacked[2], np.zeros(60, dtype))
    for i in range(3):
        close(result[20 * i : 20 * i + 20].reshape((4, 5), order="F"), a[i] @ b[i] + c[i])


@pytest.mark.parametrize("dtype", TYPES)
def test_factors_solutions_and_inverses(blas, pointers, dtype):
    letter = cublas.LETTERS[dtype]
    a = [random((4, 4), dtype, seed) + 2 * np.eye(4, dtype=dtype)[::-1] for seed in range(3)]
    right = [random((4, 2), dtype, 9 + seed) for seed in range(3)]
    factors, solutions = [on_device(one) for one in a], [on_device(one) for one in right]
    pivots, info = cuda.mem_alloc(4 * 4 * 3), on_device(np.full(3, -1, np.int32))
    listed = pointers(factors)
    blas(f"{letter}getrfBatched", 4, listed, 4, pivots, info, 3)
    assert not from_device(info, np.zeros(3, np.int32)).any()
    host_info = ctypes.c_int(-1)
    blas(f"{letter}getrsBatched", 0, 4, 2, listed, 4, pivots, pointers(solutions), 4, ctypes.byref(host_info), 3)
    inverses = [on_device(np.zeros((4, 4), dtype)) for _ in range(3)]
    blas(f"{letter}getriBatched", 4, listed, 4, pivots, pointers(inverses), 4, info, 3)
    assert host_info.value == 0
    for i in range(3):
        close(from_device(solutions[i], right[i]), np.linalg.solve(a[i], right[i]))
        close(from_device(inverses[i], a[i]), np.linalg.inv(a[i]))
    transposed = [on_device(one) for one in right]
    blas(f"{letter}getrsBatched", 1, 4, 2, listed, 4, pivots, pointers(transposed), 4, ctypes.byref(host_info), 3)
    close(from_device(transposed[1], right[1]), np.linalg.solve(a[1].T, right[1]))
    direct = [on_device(one) for one in a]
    blas(f"{letter}matinvBatched", 4, pointers(direct), 4, pointers(inverses), 4, info, 3)
    close(from_device(inverses[2], a[2]), np.linalg.inv(a[2]))


@pytest.mark.parametrize("dtype", TYPES)
def test_least_squares_and_qr_factors(blas, pointers, dtype):
    letter = cublas.LETTERS[dtype]
    a, a_places = matrices(2, (5, 3), dtype)
    c, c_places = matrices(2, (5, 2), dtype)
    info, device_info = ctypes.c_int(-1), on_device(np.full(2, -1, np.int32))
    blas(f"{letter}gelsBatched", 0, 5, 3, 2, pointers(a_places), 5, pointers(c_places), 5, ctypes.byref(info),
         device_info, 2)  # fmt: skip
    assert info.value == 0 and not from_device(device_info, np.zeros(2, np.int32)).any()
    for i in range(2):
        close(from_device(c_places[i], c[i])[:3], np.linalg.lstsq(a[i], c[i], rcond=None)[0].astype(dtype))
    places, taus = [on_device(one) for one in a], [on_device(np.zeros(3, dtype)) for _ in a]
    blas(f"{letter}geqrfBatched", 5, 3, pointers(places), 5, pointers(taus), ctypes.byref(info), 2)
    packed, tau = from_device(places[1], a[1]), from_device(taus[1], np.zeros(3, dtype))
    q = np.eye(5, dtype=dtype)
    for k in range(3):
        v = np.concatenate([np.zeros(k), [1], packed[k + 1 :, k]]).astype(dtype)
        q = q @ (np.eye(5) - tau[k] * np.outer(v, v.conj()))
    close((q @ np.triu(packed)).astype(dtype), a[1])
    wide = (0, 3, 5, 2, pointers(a_places), 5, pointers(c_places), 5, ctypes.byref(info), device_info, 2)
    assert blas.status(f"{letter}gelsBatched", *wide) == cublas.NOT_SUPPORTED


def test_singular_matrices_are_told(blas, pointers):
    a = np.array([[1, 2], [2, 4]], "f8", order="F")
    info, pivots = on_device(np.zeros(1, np.int32)), cuda.mem_alloc(8)
    listed = pointers([on_device(a)])
    blas("DgetrfBatched", 2, listed, 2, pivots, info, 1)
    assert from_device(info, np.zeros(1, np.int32))[0] == 2
    inverse = pointers([on_device(a)])
    blas("DgetriBatched", 2, listed, 2, pivots, inverse, 2, info, 1)
    assert from_device(info, np.zeros(1, np.int32))[0] == 2


@pytest.mark.parametrize("dtype", TYPES)
def test_triangular_solutions(blas, pointers, dtype):
    a = [np.tril(random((3, 3), dtype, seed)) + 3 * np.eye(3, dtype=dtype) for seed in range(2)]
    b, places = matrices(2, (3, 2), dtype)
    blas(f"{cublas.LETTERS[dtype]}trsmBatched", 0, 0, 0, 0, 3, 2, np.dtype(dtype).type(1),
         pointers([on_device(one) for one in a]), 3, pointers(places), 3, 2)  # fmt: skip
    for i in range(2):
        close(from_device(places[i], b[i]), np.linalg.solve(a[i], b[i]))


def test_pointers_of_a_batch_must_be_the_devices(blas, pointers):
    a = on_device(random((2, 2), "f4"))
    good, bad = pointers([a, a]), on_device(np.array([int(a), 64], np.uint64))
    one = np.float32(1)
    for lists in ((bad, good, good), (good, bad, good), (good, good, bad)):
        status = blas.status("SgemmBatched", 0, 0, 2, 2, 2, one, lists[0], 2, lists[1], 2, one, lists[2], 2, 2)
        assert status == cublas.EXECUTION_FAILED


@pytest.mark.parametrize(
    ("dtype", "code", "result", "result_code"),
    [
        (np.float16, HALF, np.float16, HALF),
        (np.float16, HALF, np.float32, FLOAT),
        (ml_dtypes.bfloat16, BFLOAT16, ml_dtypes.bfloat16, BFLOAT16),
        (ml_dtypes.bfloat16, BFLOAT16, np.float32, FLOAT),
        (np.int8, INT8, np.float32, FLOAT),
    ],
)
def test_small_types_are_summed_in_float(blas, dtype, code, result, result_code):
    generator = np.random.default_rng(1)
    a = np.asfortranarray(generator.integers(-8, 8, (6, 40)).astype(dtype))
    b = np.asfortranarray(generator.integers(-8, 8, (40, 5)).astype(dtype))
    place = on_device(np.full((6, 5), np.nan, result))  # not read: beta is 0
    blas("GemmEx", 0, 0, 6, 5, 40, np.float32(0.5), on_device(a), code, 6, on_device(b), code, 40, np.float32(0), place,
         result_code, 6, COMPUTE_32, -1)  # fmt: skip
    expected = (0.5 * (a.astype(np.float64) @ b.astype(np.float64))).astype(result)
    np.testing.assert_array_equal(from_device(place, expected).astype(np.float32), expected.astype(np.float32))


def test_integers_are_summed_exactly(blas):
    generator = np.random.default_rng(1)
    a = np.asfortranarray(generator.integers(-128, 128, (4, 3000)).astype(np.int8))
    b = np.asfortranarray(generator.integers(-128, 128, (3000, 3)).astype(np.int8))
    c = np.asfortranarray(generator.integers(-9, 9, (4, 3)).astype(np.int32))
    place = on_device(c)
    blas("GemmEx", 0, 0, 4, 3, 3000, np.int32(1), on_device(a), INT8, 4, on_device(b), INT8, 3000, np.int32(2), place,
         INT32, 4, COMPUTE_INT, -1)  # fmt: skip
    np.testing.assert_array_equal(from_device(place, c), a.astype(np.int32) @ b.astype(np.int32) + 2 * c)


def test_halves_of_every_size_round_to_even(blas):
    values = np.array([1, 2049, 2051, 65504, 65520, 1e-8, 6e-8, 3e-5, 6.1e-5, -0.0, np.inf, np.nan], np.float32)
    left = on_device(values.reshape(-1, 1))
    place = on_device(np.zeros((len(values), 1), np.float16))
    one = on_device(np.ones((1, 1), np.float16))
    with np.errstate(over="ignore"):
        halves = values.astype(np.float16)
    exact = on_device(halves.reshape(-1, 1))
    shape = (0, 0, len(values), 1, 1)
    blas("Hgemm", *shape, np.float16(1), exact, len(values), one, 1, np.float16(0), place, len(values))
    result = from_device(place, np.zeros(len(values), np.float16))
    np.testing.assert_array_equal(result, halves)
    status = blas.status("GemmEx", *shape, np.float32(1), left, FLOAT, len(values), one, HALF, 1, np.float32(0), place,
                         HALF, len(values), COMPUTE_32, -1)  # fmt: skip
    assert status == cublas.NOT_SUPPORTED
    with_scale = (np.float32(1), exact, HALF, len(values), one, HALF, 1, np.float32(0), place)
    assert blas.status("GemmEx", *shape, *with_scale, HALF, len(values), 99, -1) == cublas.NOT_SUPPORTED


def test_batches_of_halves(blas, pointers):
    a = np.asfortranarray(np.arange(8).reshape(2, 4).astype(np.float16))
    place, listed = on_device(np.zeros((2, 2), np.float16)), on_device(np.zeros((2, 2), np.float16))
    stride = ctypes.c_longlong(0)
    halves = (np.float16(1), on_device(a), 2, stride, on_device(a), 2, stride, np.float16(0), place, 2, stride, 1)
    blas("HgemmStridedBatched", 0, 1, 2, 2, 4, *halves)
    blas("GemmBatchedEx", 0, 1, 2, 2, 4, np.float32(1), pointers([on_device(a)]), HALF, 2, pointers([on_device(a)]),
         HALF, 2, np.float32(0), pointers([listed]), HALF, 2, 1, COMPUTE_32, -1)  # fmt: skip
    expected = a @ a.T
    np.testing.assert_array_equal(from_device(place, expected), expected)
    np.testing.assert_array_equal(from_device(listed, expected), expected)
