# SPDX-License-Identifier: MIT
"""cuBLASLt of the CPU driver: what is done to products before they are stored."""

import math

import cublaslt_calls as calls
import ml_dtypes
import numpy as np
import pytest
from cublaslt_calls import AUX, BIAS, COMPUTE_32, GELU, RELU, Matrices
from programs import is_cpu

BFLOAT16 = ml_dtypes.bfloat16
M, N, K = 16, 24, 8


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def lt():
    one = calls.Lt(calls.library())
    yield one
    one.close()


def numbers(shape, seed, dtype="f2"):
    return (np.random.default_rng(seed).integers(-8, 9, shape) / 8).astype(dtype)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def slope_of_gelu(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    steepness = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2)
    return 0.5 * (1 + np.tanh(inner)) + 0.5 * x * (1 - np.tanh(inner) ** 2) * steepness


def close(result, expected):
    tolerance = {2: 4e-3, 4: 2e-5}[result.dtype.itemsize] * (4 if result.dtype == BFLOAT16 else 1)
    np.testing.assert_allclose(result.astype("f8"), expected, rtol=tolerance, atol=tolerance)


def bits_of(memory, ld):
    """The mask of relu: a bit for each element, in columns."""
    packed = calls.from_device(memory, ld // 8 * N, np.uint8).reshape(N, ld // 8)
    return np.unpackbits(packed, axis=1, bitorder="little")[:, :M].T.astype(bool)


class Problem:
    def __init__(self, lt, dtype):
        self.lt, self.dtype = lt, np.dtype(dtype)
        self.a, self.b = numbers((M, K), 1, dtype), numbers((K, N), 2, dtype)
        self.product = self.a.astype("f8") @ self.b.astype("f8")
        self.places = Matrices(lt, self.a), Matrices(lt, self.b), Matrices(lt, np.zeros((M, N), dtype))

    def run(self, epilogue, order=calls.COLUMNS, **attributes):
        result = Matrices(self.lt, np.zeros((M, N), self.dtype), order)
        assert self.lt.multiply(COMPUTE_32, self.places[0], self.places[1], result, scale="f4", epilogue=epilogue,
                                **attributes) == 0  # fmt: skip
        return result.get()[0]


@pytest.fixture(params=["f2", BFLOAT16, "f4"], ids=["half", "bfloat16", "float"])
def problem(lt, request):
    return Problem(lt, request.param)


def test_bias(problem):
    bias = numbers((M,), 3, problem.dtype)
    memory, column = calls.on_device(bias), bias.astype("f8")[:, None]
    close(problem.run(BIAS, bias=memory), problem.product + column)
    close(problem.run(RELU | BIAS, bias=memory), np.maximum(problem.product + column, 0))
    close(problem.run(GELU | BIAS, bias=memory), gelu(problem.product + column))


def test_without_bias(problem):
    close(problem.run(RELU), np.maximum(problem.product, 0))
    close(problem.run(GELU), gelu(problem.product))


def test_rows_have_the_same_bias_in_either_order(problem):
    bias = numbers((M,), 3, problem.dtype)
    close(problem.run(BIAS, calls.ROWS, bias=calls.on_device(bias)), problem.product + bias.astype("f8")[:, None])


def test_relu_and_its_gradient(problem):
    ld, bias = 128, numbers((M,), 3, problem.dtype)
    mask = calls.on_device(np.zeros(ld // 8 * N, np.uint8))
    before = problem.product + bias.astype("f8")[:, None]
    result = problem.run(RELU | AUX | BIAS, bias=calls.on_device(bias), aux=mask, aux_ld=ld)
    close(result, np.maximum(before, 0))
    assert (bits_of(mask, ld) == (before > 0)).all()
    gradient = problem.product * (before > 0)
    close(problem.run(calls.GRADIENT_OF_RELU | AUX, aux=mask, aux_ld=ld), gradient)
    sums = calls.on_device(np.zeros(M, problem.dtype))
    both = problem.run(calls.GRADIENT_OF_RELU | AUX | calls.GRADIENT_OF_BIAS, aux=mask, aux_ld=ld, bias=sums)
    close(both, gradient)
    close(calls.from_device(sums, M, problem.dtype), gradient.sum(axis=1))


def test_gelu_and_its_gradient(problem):
    ld, bias = M + 8, numbers((M,), 3, problem.dtype)
    kept = calls.on_device(np.zeros(ld * N, problem.dtype))
    before = problem.product + bias.astype("f8")[:, None]
    close(problem.run(GELU | AUX | BIAS, bias=calls.on_device(bias), aux=kept, aux_ld=ld), gelu(before))
    stored = calls.from_device(kept, ld * N, problem.dtype).reshape(N, ld)
    close(np.ascontiguousarray(stored[:, :M].T), before)
    assert (stored[:, M:] == 0).all()
    gradient = problem.product * slope_of_gelu(stored[:, :M].T.astype("f8"))
    close(problem.run(calls.GRADIENT_OF_GELU | AUX, aux=kept, aux_ld=ld), gradient)
    sums = calls.on_device(np.zeros(M, problem.dtype))
    both = problem.run(calls.GRADIENT_OF_GELU | AUX | calls.GRADIENT_OF_BIAS, aux=kept, aux_ld=ld, bias=sums)
    close(both, gradient)
    close(calls.from_device(sums, M, problem.dtype), gradient.sum(axis=1))


def test_gradients_of_the_bias_before(problem):
    sums = calls.on_device(np.zeros(max(M, N), problem.dtype))
    close(problem.run(calls.GRADIENT_OF_BIAS_A, bias=sums), problem.product)
    close(calls.from_device(sums, M, problem.dtype), problem.a.astype("f8").sum(axis=1))
    close(problem.run(calls.GRADIENT_OF_BIAS_B, bias=sums), problem.product)
    close(calls.from_device(sums, N, problem.dtype), problem.b.astype("f8").sum(axis=0))


def test_each_matrix_of_a_batch_has_its_own(lt):
    a, b, bias = numbers((2, M, K), 1), numbers((2, K, N), 2), numbers((2, 20), 3)
    ld, mask = 128, calls.on_device(np.zeros(2 * 128 // 8 * N, np.uint8))
    result = Matrices(lt, np.zeros((2, M, N), "f2"))
    vectors = {"bias": calls.on_device(bias), "bias_stride": 20, "aux": mask, "aux_ld": ld, "aux_stride": ld * N}
    assert lt.multiply(COMPUTE_32, Matrices(lt, a), Matrices(lt, b), result, scale="f4", epilogue=RELU | AUX | BIAS,
                       **vectors) == 0  # fmt: skip
    before = a.astype("f8") @ b.astype("f8") + bias.astype("f8")[:, :M, None]
    close(result.get(), np.maximum(before, 0))
    for i in range(2):
        assert (bits_of(int(mask) + i * ld // 8 * N, ld) == (before[i] > 0)).all()


def test_small_integers_have_a_bias_of_floats(lt):
    a, b = np.arange(-8, 8, dtype="i1").reshape(4, 4), np.eye(4, dtype="i1")
    bias, result = np.array([0.25, 0.5, -300, 300], "f4"), Matrices(lt, np.zeros((4, 4), "i1"))
    assert lt.multiply(calls.COMPUTE_INT, Matrices(lt, a.T.copy()), Matrices(lt, b), result, None, 0.5, 0, "f4",
                       epilogue=BIAS, bias=calls.on_device(bias), operation_a=1) == 0  # fmt: skip
    expected = np.clip(np.rint(a * 0.5 + bias[:, None]), -128, 127)
    assert (result.get()[0] == expected).all()


def test_relu_keeps_what_is_no_number(lt):
    a = np.full((M, K), np.nan, "f2")
    result = Matrices(lt, np.zeros((M, N), "f2"))
    assert lt.multiply(COMPUTE_32, Matrices(lt, a), Matrices(lt, numbers((K, N), 2)), result, scale="f4",
                       epilogue=RELU) == 0  # fmt: skip
    assert np.isnan(result.get()).all()
