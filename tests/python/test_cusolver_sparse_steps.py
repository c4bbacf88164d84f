# SPDX-License-Identifier: MIT
"""cuSOLVER's sparse factorisations step by step, and cuSolverRf, on the CPU driver, compared with NumPy."""

import ctypes

import cusolver_calls as cusolver
import numpy as np
import pycuda.driver as cuda
import pytest
import scipy.sparse
from cusolver_calls import LETTERS, close, on_device
from cusolver_sparse_calls import REALS, Csr, Sparse, as_c, definite, laplacian, place, random, value_of
from programs import is_cpu

ZERO_PIVOT = 10


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture(params=[0, 1])
def sparse(request):
    made = Sparse(request.param)
    yield made
    made.close()


def scalar(dtype, value):
    """By value, as C passes it."""
    if dtype[0] == "f":
        return REALS[dtype](value)

    class Complex(ctypes.Structure):
        _fields_ = [("real", REALS[dtype]), ("imaginary", REALS[dtype])]

    return Complex(value.real, value.imag)


class Steps:
    """The steps of one kind of factors, in the memory of the host or the device."""

    def __init__(self, sparse, kind, dtype, a, on_device=False):
        self.sparse, self.kind, self.dtype, self.on_device = sparse, kind, dtype, on_device
        self.suffix = "" if on_device else "Host"
        self.shape = a.shape if kind == "csrqr" else a.shape[:1]
        self.matrix = Csr(sparse, a, on_device)
        self.info = sparse.made(kind[0].upper() + kind[1:] + "Info" + self.suffix)
        sparse(f"X{kind}Analysis{self.suffix}", *self.shape, *self.matrix.pattern, self.info)
        sizes = ctypes.c_size_t(), ctypes.c_size_t()
        self("BufferInfo", *self.shape, *self.matrix.numbers, self.info, *map(ctypes.byref, sizes))
        self.workspace = place(np.zeros(sizes[1].value, np.uint8), on_device)

    def __call__(self, name, *arguments):
        self.sparse(LETTERS[self.dtype] + self.kind + name + self.suffix, *arguments)

    def factor(self, *extra):
        self("Factor", *self.shape, *self.matrix.numbers, self.info, *extra, self.workspace)

    def factor_shifted(self, mu=0):
        self("Setup", *self.shape, *self.matrix.numbers, scalar(self.dtype, mu), self.info)
        self("Factor", *self.shape, self.matrix.entries, None, None, self.info, self.workspace)

    def zero_pivot(self):
        position = ctypes.c_int(77)
        self("ZeroPivot", self.info, REALS[self.dtype](1e-6), ctypes.byref(position))
        return position.value

    def solve(self, b):
        like = np.zeros(self.shape[-1], b.dtype)
        x = place(like, self.on_device)
        self("Solve", *self.shape, place(b, self.on_device), x, self.info, self.workspace)
        return value_of(x, like)


@pytest.mark.parametrize("where", [False, True], ids=["host", "device"])
@pytest.mark.parametrize("dtype", cusolver.TYPES)
class TestSteps:
    def test_of_definite_matrices(self, sparse, dtype, where):
        a, b = definite(17, dtype), cusolver.random(17, dtype, 5)
        steps = Steps(sparse, "csrchol", dtype, a, where)
        steps.factor()
        assert steps.zero_pivot() == -1
        close(a @ steps.solve(b), b, 40)
        if where:
            diagonal = on_device(np.zeros(17, cusolver.real(dtype)))
            sparse(LETTERS[dtype] + "csrcholDiag", steps.info, diagonal)
            found = value_of(diagonal, np.zeros(17, cusolver.real(dtype)))
            close(found, np.linalg.cholesky(a).diagonal().real.astype(found.dtype), 20)

    def test_of_matrices_that_are_not_definite(self, sparse, dtype, where):
        a = definite(6, dtype)
        a[3, 3] = -1
        steps = Steps(sparse, "csrchol", dtype, a, where)
        steps.factor()
        assert steps.zero_pivot() == 3

    def test_of_rotations(self, sparse, dtype, where):
        a, b = random(17, dtype), cusolver.random(17, dtype, 5)
        steps = Steps(sparse, "csrqr", dtype, a, where)
        steps.factor_shifted()
        assert steps.zero_pivot() == -1
        close(a @ steps.solve(b), b, 40)
        steps.factor_shifted(1.5)
        close(a @ steps.solve(b) - 1.5 * steps.solve(b), b, 40)

    def test_of_least_squares(self, sparse, dtype, where):
        a, b = random(23, dtype, 9), cusolver.random(23, dtype, 5)
        steps = Steps(sparse, "csrqr", dtype, a, where)
        steps.factor_shifted()
        close(steps.solve(b), np.linalg.lstsq(a, b, rcond=None)[0], 40)


@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_systems_of_a_batch(sparse, dtype):
    places = random(9, "f8", seed=2) != 0
    matrices = [np.where(places, cusolver.random((9, 9), dtype, i) + 4 * np.eye(9), 0).astype(dtype) for i in range(3)]
    b = cusolver.random((3, 9), dtype, 5).copy("C")
    made = [Csr(sparse, a) for a in matrices]
    info = sparse.made("CsrqrInfo")
    offsets, indices = on_device(made[0].offsets), on_device(made[0].indices)
    values = on_device(np.concatenate([one.values for one in made]))
    sparse("XcsrqrAnalysisBatched", 9, 9, made[0].entries, sparse.descriptor, offsets, indices, info)
    numbers = 9, 9, made[0].entries, sparse.descriptor, values, offsets, indices
    sizes = ctypes.c_size_t(), ctypes.c_size_t()
    sparse(LETTERS[dtype] + "csrqrBufferInfoBatched", *numbers, 3, info, *map(ctypes.byref, sizes))
    x = on_device(np.zeros_like(b.ravel()))
    sparse(LETTERS[dtype] + "csrqrsvBatched", *numbers, on_device(b.ravel()), x, 3, info, None)
    found = value_of(x, b.ravel()).reshape(3, 9)
    for a, right, solution in zip(matrices, b, found):
        close(a @ solution, right, 40)


def factored(sparse, dtype, a, threshold=1.0):
    """The steps, and P, Q, L and U with A(P, Q) = (L + I) U."""
    steps = Steps(sparse, "csrlu", dtype, a)
    steps.factor(ctypes.c_double(threshold))
    lower, upper = ctypes.c_int(), ctypes.c_int()
    sparse("XcsrluNnzHost", ctypes.byref(lower), ctypes.byref(upper), steps.info)
    n = len(a)
    p, q = np.zeros(n, np.int32), np.zeros(n, np.int32)
    factors = [
        (np.zeros(c.value, dtype), np.zeros(n + 1, np.int32), np.zeros(c.value, np.int32)) for c in (lower, upper)
    ]
    arguments = [part for factor in factors for part in (sparse.descriptor, *factor)]
    steps("Extract", p, q, *arguments, steps.info, steps.workspace)
    return steps, p, q, factors


@pytest.mark.parametrize("threshold", [0, 1])
@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_steps_of_lu(sparse, dtype, threshold):
    a, b = random(17, dtype), cusolver.random(17, dtype, 5)
    steps, p, q, factors = factored(sparse, dtype, a, threshold)
    assert steps.zero_pivot() == -1
    close(a @ steps.solve(b), b, 40)
    lower, upper = (
        scipy.sparse.csr_matrix((v, i - sparse.base, o - sparse.base), (17, 17)).toarray() for v, o, i in factors
    )
    assert not np.triu(lower).any() and not np.tril(upper, -1).any()
    close((lower + np.eye(17, dtype=dtype)) @ upper, a[p][:, q], 20)
    if threshold == 0:
        np.testing.assert_array_equal(p, np.arange(17))


def test_solving_before_the_factors_are_there_is_refused(sparse):
    steps = Steps(sparse, "csrqr", "f8", random(4, "f8"))
    b = np.ones(4)
    end = b, b, steps.info, None
    assert sparse.status("DcsrqrSolveHost", 4, 4, *end) == cusolver.INVALID_VALUE
    steps.factor_shifted()
    assert sparse.status("DcsrqrSolveHost", 5, 5, *end) == cusolver.INVALID_VALUE
    assert sparse.status("ScsrqrSolveHost", 4, 4, *end) == cusolver.INVALID_VALUE
    assert sparse.library.cusolverSpDestroyCsrqrInfoHost(steps.info) == 0
    assert sparse.status("DcsrqrSolveHost", 4, 4, *end) == cusolver.INVALID_VALUE


class Refactor:
    """cuSolverRf, set up with the factors of the first of some matrices with equal places."""

    def __init__(self, matrices):
        self.sparse = Sparse()
        self.library, self.handle = self.sparse.library, ctypes.c_void_p()
        _, p, q, factors = factored(self.sparse, "f8", matrices[0])
        self.n, self.orders = len(p), (on_device(p), on_device(q))
        self.made = [Csr(self.sparse, a) for a in matrices]
        self.entries = self.made[0].entries
        self.places = on_device(self.made[0].offsets), on_device(self.made[0].indices)
        assert self.library.cusolverRfCreate(ctypes.byref(self.handle)) == 0
        self("SetMatrixFormat", self.handle, 0, 2)
        counted = [part for v, o, i in factors for part in (len(v), o, i, v)]
        lists = (ctypes.c_void_p * len(matrices))(*(one.values.ctypes.data for one in self.made))
        own = self.n, self.entries, self.made[0].offsets, self.made[0].indices
        self("BatchSetupHost", len(matrices), *own, lists, *counted, p, q, self.handle)
        self("BatchAnalyze", self.handle)

    def status(self, name, *arguments):
        return getattr(self.library, "cusolverRf" + name)(*map(as_c, arguments))

    def __call__(self, name, *arguments):
        status = self.status(name, *arguments)
        assert status == 0, f"cusolverRf{name}: status {status}"


def with_the_places_of(a, seed):
    return np.where(a != 0, a + 0.1 * cusolver.random(a.shape, "f8", seed), 0)


def test_a_matrix_with_other_values_is_factored_again():
    first, b = laplacian(6).toarray(), cusolver.random(36, "f8", 5)
    again, second = Refactor([first]), with_the_places_of(first, 3)
    for a in (first, second):
        values, x = on_device(Csr(again.sparse, a).values), on_device(b)
        again("ResetValues", again.n, again.entries, *again.places, values, *again.orders, again.handle)
        again("Refactor", again.handle)
        again("Solve", again.handle, *again.orders, 1, None, 36, x, 36)
        close(a @ value_of(x, b), b, 40)
    again("Destroy", again.handle)
    assert again.status("Refactor", again.handle) == cusolver.NOT_INITIALIZED


def test_a_batch_of_matrices_is_factored_again():
    first = laplacian(5).toarray()
    matrices = [first, with_the_places_of(first, 3), with_the_places_of(first, 4)]
    again, b = Refactor(matrices), cusolver.random(25, "f8", 5)
    x = [on_device(b) for _ in matrices]
    again("BatchRefactor", again.handle)
    places = on_device(np.array([int(one) for one in x], np.uint64))
    again("BatchSolve", again.handle, *again.orders, 1, None, 25, places, 25)
    for a, solution in zip(matrices, x):
        close(a @ value_of(solution, b), b, 40)


def test_a_pivot_that_is_zero_is_told_or_replaced():
    again = Refactor([np.diag([2.0, 3, 4])])
    values, x = on_device(np.array([2.0, 0, 4])), on_device(np.ones(3))
    again("ResetValues", 3, 3, *again.places, values, *again.orders, again.handle)
    assert again.status("Refactor", again.handle) == ZERO_PIVOT
    position = np.zeros(1, np.int32)
    again("BatchZeroPivot", again.handle, position)
    assert position[0] == 1
    again("SetNumericProperties", again.handle, ctypes.c_double(1e-9), ctypes.c_double(0.5))
    again("Refactor", again.handle)
    again("Solve", again.handle, *again.orders, 1, None, 3, x, 3)
    close(value_of(x, np.ones(3)), np.array([0.5, 2, 0.25]))
    cuda.Context.synchronize()
