# SPDX-License-Identifier: MIT
"""cuSOLVER of the CPU driver: factors, solutions and inverses of the four types, compared with NumPy and SciPy."""

import ctypes

import cusolver_calls as cusolver
import numpy as np
import pycuda.driver as cuda
import pytest
import scipy.linalg
from cusolver_calls import LOWER, Matrix, Vector, close, definite, half, marked, named, on_device, random, symmetric
from programs import is_cpu

SIZES = [0, 1, 5, 33]
FILLS = [cusolver.LOWER, cusolver.UPPER]


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def solver():
    with cusolver.handle() as one:
        yield one


def operated(matrix, operation):
    return (matrix, matrix.T, matrix.conj().T)[operation]


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", cusolver.TYPES)
class TestDefiniteMatrices:
    def factor(self, solver, dtype, n, fill):
        a = definite(n, dtype)
        place = Matrix(marked(a, fill))
        name = named(dtype, "potrf")
        shape = fill, n, place, place.ld
        assert solver(name, *shape, *solver.workspace(name, *shape)) == 0
        return a, place

    def test_factor(self, solver, dtype, n, fill):
        a, place = self.factor(solver, dtype, n, fill)
        factor = half(place.get(), fill)
        close(factor @ factor.conj().T if fill == LOWER else factor.conj().T @ factor, a, n + 1)
        np.testing.assert_array_equal(marked(factor, fill), place.get())

    @pytest.mark.parametrize("columns", [0, 1, 3])
    def test_solution(self, solver, dtype, n, fill, columns):
        a, place = self.factor(solver, dtype, n, fill)
        b = random((n, columns), dtype, 7)
        solution = Matrix(b)
        assert solver(named(dtype, "potrs"), fill, n, columns, place, place.ld, solution, solution.ld) == 0
        close(a @ solution.get(), b, n + 1)

    def test_inverse(self, solver, dtype, n, fill):
        a, place = self.factor(solver, dtype, n, fill)
        name = named(dtype, "potri")
        shape = fill, n, place, place.ld
        assert solver(name, *shape, *solver.workspace(name, *shape)) == 0
        close(half(place.get(), fill), half(np.linalg.inv(a), fill))
        np.testing.assert_array_equal(marked(half(place.get(), fill), fill), place.get())

    def test_product_of_a_triangle(self, solver, dtype, n, fill):
        a = half(random((n, n), dtype), fill)
        np.fill_diagonal(a, a.diagonal().real)  # as Cholesky factors have it
        place = Matrix(marked(a, fill))
        name = named(dtype, "lauum")
        shape = fill, n, place, place.ld
        assert solver(name, *shape, *solver.workspace(name, *shape)) == 0
        product = a.conj().T @ a if fill == LOWER else a @ a.conj().T
        close(half(place.get(), fill), half(product, fill), n + 1)


@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_matrices_that_are_not_definite_are_told(solver, dtype):
    a = definite(5, dtype)
    a[2, 2] = -1
    place = Matrix(a)
    name = named(dtype, "potrf")
    shape = LOWER, 5, place, place.ld
    assert solver(name, *shape, *solver.workspace(name, *shape)) == 3
    factor = np.eye(3, dtype=dtype)
    factor[1, 1] = 0
    place = Matrix(factor)
    name = named(dtype, "potri")
    shape = LOWER, 3, place, place.ld
    assert solver(name, *shape, *solver.workspace(name, *shape)) == 2


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_batches_of_definite_matrices(solver, dtype, fill):
    matrices = [definite(4, dtype, seed) for seed in range(3)]
    matrices[1][1, 1] = -5
    right = [random((4, 1), dtype, seed) for seed in range(3)]
    places, solutions = [Matrix(one) for one in matrices], [Matrix(one) for one in right]
    listed = [on_device(np.array([int(one.memory) for one in group], np.uint64)) for group in (places, solutions)]
    info = Vector(3, np.int32)
    assert solver.status(named(dtype, "potrfBatched"), fill, 4, listed[0], places[0].ld, info, 3) == 0
    assert info.get().tolist() == [0, 2, 0]
    one = Vector(1, np.int32)
    arguments = listed[0], places[0].ld, listed[1], solutions[0].ld, one, 3
    assert solver.status(named(dtype, "potrsBatched"), fill, 4, 1, *arguments) == 0
    assert one.get()[0] == 0
    for i in (0, 2):
        close(matrices[i] @ solutions[i].get(), right[i])
    assert solver.status(named(dtype, "potrsBatched"), fill, 4, 2, *arguments) == cusolver.NOT_SUPPORTED
    for n, count in ((0, 3), (4, 0)):
        assert solver.status(named(dtype, "potrfBatched"), fill, n, listed[0], 6, info, count) == 0
    assert not info.get().any()


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (5, 5), (7, 3), (3, 7), (0, 4), (130, 101), (101, 130)])
@pytest.mark.parametrize("dtype", cusolver.TYPES)
class TestFactors:
    def test_lu_with_pivots(self, solver, dtype, shape):
        m, n = shape
        a = random(shape, dtype)
        place, pivots = Matrix(a), Vector(min(shape), np.int32)
        name = named(dtype, "getrf")
        work, _ = solver.workspace(name, m, n, place, place.ld)
        assert solver(name, m, n, place, place.ld, work, pivots) == 0
        lower, upper = np.tril(place.get(), -1)[:, : min(shape)], np.triu(place.get())[: min(shape)]
        product = (lower + np.eye(m, min(shape), dtype=dtype)) @ upper
        for row, pivot in reversed(list(enumerate(pivots.get() - 1))):
            product[[row, pivot]] = product[[pivot, row]]
        close(product, a, max(shape) / 10 + 1)

    def test_lu_without_pivots(self, solver, dtype, shape):
        m, n = shape
        a = random(shape, dtype) + np.eye(m, n, dtype=dtype) * max(shape)
        place = Matrix(a)
        name = named(dtype, "getrf")
        work, _ = solver.workspace(name, m, n, place, place.ld)
        assert solver(name, m, n, place, place.ld, work, None) == 0
        lower, upper = np.tril(place.get(), -1)[:, : min(shape)], np.triu(place.get())[: min(shape)]
        close((lower + np.eye(m, min(shape), dtype=dtype)) @ upper, a, max(shape) / 10 + 1)

    def test_qr(self, solver, dtype, shape):
        m, n = shape
        least = min(shape)
        a = random(shape, dtype)
        place, tau = Matrix(a), Vector(least, dtype)
        name = named(dtype, "geqrf")
        assert solver(name, m, n, place, place.ld, tau, *solver.workspace(name, m, n, place, place.ld)) == 0
        upper = np.triu(place.get())
        # Q as its reflections multiply a matrix from the left.
        name = named(dtype, "ormqr", "unmqr")
        c = Matrix(np.vstack([upper[:least], np.zeros((m - least, n), dtype)]) if m else upper)
        arguments = cusolver.LEFT, cusolver.NONE, m, n, least, place, place.ld, tau, c, c.ld
        assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
        close(c.get(), a, max(shape) / 10 + 1)
        # And as a matrix.
        name = named(dtype, "orgqr", "ungqr")
        q = Matrix(place.get()[:, :least])
        arguments = m, least, least, q, q.ld, tau
        assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
        close(q.get() @ upper[:least], a, max(shape) / 10 + 1)


@pytest.mark.parametrize("dtype", cusolver.TYPES)
@pytest.mark.parametrize("side", [cusolver.LEFT, cusolver.RIGHT])
@pytest.mark.parametrize("operation", [cusolver.NONE, cusolver.TRANSPOSED, cusolver.CONJUGATED])
def test_products_with_reflections(solver, dtype, side, operation):
    (q, tau), _ = scipy.linalg.qr(random((6, 4), dtype), mode="raw")
    c = random((6, 5) if side == cusolver.LEFT else (5, 6), dtype, 3)
    whole = scipy.linalg.qr(random((6, 4), dtype))[0]
    factors, place, taus = Matrix(q), Matrix(c), Vector(4, dtype, tau)
    name = named(dtype, "ormqr", "unmqr")
    arguments = side, operation, *c.shape, 4, factors, factors.ld, taus, place, place.ld
    if dtype[0] == "c" and operation == cusolver.TRANSPOSED:
        size = ctypes.c_int()
        assert solver.status(name + "_bufferSize", *arguments, ctypes.byref(size)) == cusolver.INVALID_VALUE
        return
    assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
    other = operated(whole, operation)
    close(place.get(), other @ c if side == cusolver.LEFT else c @ other)


@pytest.mark.parametrize("with_pivots", [True, False])
@pytest.mark.parametrize("operation", [cusolver.NONE, cusolver.TRANSPOSED, cusolver.CONJUGATED])
@pytest.mark.parametrize("n", [0, 1, 5, 33])
@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_solutions_of_systems(solver, dtype, n, operation, with_pivots):
    a = random((n, n), dtype) + 2 * n * np.eye(n, dtype=dtype)
    if with_pivots:
        a = np.asfortranarray(a[::-1])
    b = random((n, 3), dtype, 5)
    place, solution = Matrix(a), Matrix(b)
    pivots = Vector(n, np.int32) if with_pivots else None
    name = named(dtype, "getrf")
    work, _ = solver.workspace(name, n, n, place, place.ld)
    assert solver(name, n, n, place, place.ld, work, pivots) == 0
    name = named(dtype, "getrs")
    assert solver(name, operation, n, 3, place, place.ld, pivots, solution, solution.ld) == 0
    close(operated(a, operation) @ solution.get(), b, n + 1)


@pytest.mark.parametrize("dtype", cusolver.TYPES)
@pytest.mark.parametrize("with_pivots", [True, False])
def test_singular_matrices_are_told(solver, dtype, with_pivots):
    a = np.array([[1, 2, 3], [0, 0, 4], [0, 0, 5]], dtype, order="F")
    place, pivots = Matrix(a), Vector(3, np.int32) if with_pivots else None
    name = named(dtype, "getrf")
    work, _ = solver.workspace(name, 3, 3, place, place.ld)
    assert solver(name, 3, 3, place, place.ld, work, pivots) == 2


@pytest.mark.parametrize("step", [1, 2, -1])
@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_exchanges_of_rows(solver, dtype, step):
    a = random((6, 3), dtype)
    place = Matrix(a)
    rows = [5, 2, 6]  # of rows 2 to 4
    pivots = np.full(1 + 2 * abs(step) + 1, 99, np.int32)
    pivots[1 :: abs(step)][:3] = rows
    status = solver.status(named(dtype, "laswp"), 3, place, place.ld, 2, 4, on_device(pivots), step)
    assert status == 0
    expected, order = a.copy(), list(zip([2, 3, 4], rows))
    for row, pivot in order if step > 0 else order[::-1]:
        expected[[row - 1, pivot - 1]] = expected[[pivot - 1, row - 1]]
    np.testing.assert_array_equal(place.get(), expected)


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("n", [0, 1, 5, 40])
@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_indefinite_matrices(solver, dtype, n, fill):
    a = symmetric(n, dtype)
    place, pivots = Matrix(marked(a, fill)), Vector(n, np.int32)
    name = named(dtype, "sytrf")
    work = solver.workspace(name, n, place, place.ld)
    assert solver(name, fill, n, place, place.ld, pivots, *work) == 0
    b = random((n, 2), dtype, 4)
    solution, wide = Matrix(b), Vector(n, np.int64, pivots.get())
    sizes = ctypes.c_int64(n), ctypes.c_int64(2)
    code = cusolver.DATA_TYPES[dtype]
    arguments = (fill, *sizes, code, place, ctypes.c_int64(place.ld), wide, code, solution, ctypes.c_int64(solution.ld))
    assert solver("Xsytrs", *arguments, *solver.bytes_workspace("Xsytrs", *arguments)) == 0
    close(a @ solution.get(), b, 10 * n + 1)
    name = named(dtype, "sytri")
    arguments = fill, n, place, place.ld, pivots
    assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
    close(half(place.get(), fill), half(np.linalg.inv(a), fill), 100 * n + 1)


@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_singular_indefinite_matrices_are_told(solver, dtype):
    place, pivots = Matrix(np.diag([1, 0, 2]).astype(dtype)), Vector(3, np.int32)
    name = named(dtype, "sytrf")
    work = solver.workspace(name, 3, place, place.ld)
    assert solver(name, LOWER, 3, place, place.ld, pivots, *work) == 2


def test_work_is_done_in_the_order_of_the_stream(solver):
    stream, other = cuda.Stream(), ctypes.c_void_p()
    assert solver.library.cusolverDnSetStream(solver.handle, ctypes.c_void_p(stream.handle)) == 0
    assert solver.library.cusolverDnGetStream(solver.handle, ctypes.byref(other)) == 0
    assert other.value == stream.handle
    a = definite(30, "f8")
    place = Matrix(np.zeros((30, 30)))
    source = cuda.pagelocked_empty((32, 30), np.float64, order="F")
    source[:30] = a
    source[30:] = 77
    work, size = solver.workspace("Dpotrf", LOWER, 30, place, place.ld)
    cuda.memcpy_htod_async(place.memory, source, stream)
    assert solver.status("Dpotrf", LOWER, 30, place, place.ld, work, size, solver.info) == 0
    stream.synchronize()
    close(np.tril(place.get()), np.linalg.cholesky(a))


def test_captured_work_is_done_by_each_launch_of_the_graph(solver):
    stream = cuda.Stream()
    solver.library.cusolverDnSetStream(solver.handle, ctypes.c_void_p(stream.handle))
    a = definite(3, "f8")
    place = Matrix(np.zeros((3, 3)))
    work, size = solver.workspace("Dpotrf", LOWER, 3, place, place.ld)
    stream.begin_capture()
    assert solver.status("Dpotrf", LOWER, 3, place, place.ld, work, size, solver.info) == 0
    graph = stream.end_capture().instantiate()
    for factor in (1, 4):
        padded = np.full((5, 3), 77.0, order="F")
        padded[:3] = factor * a
        cuda.memcpy_htod(place.memory, padded)
        graph.launch(stream)
        stream.synchronize()
        close(np.tril(place.get()), np.linalg.cholesky(factor * a))
