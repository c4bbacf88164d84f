# SPDX-License-Identifier: MIT
"""cuSOLVER of the CPU driver: eigenvalues of symmetric and Hermitian matrices, compared with NumPy and SciPy."""

import contextlib
import ctypes

import cusolver_calls as cusolver
import numpy as np
import pycuda.driver as cuda
import pytest
import scipy.linalg
from cusolver_calls import Matrix, Vector, close, definite, half, hermitian, marked, named, on_device, random, real
from programs import is_cpu

SIZES = [0, 1, 5, 33]
FILLS = [cusolver.LOWER, cusolver.UPPER]
MODES = [cusolver.NO_VECTORS, cusolver.VECTORS]
PROBLEMS = [1, 2, 3]


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def solver():
    with cusolver.handle() as one:
        yield one


@contextlib.contextmanager
def jacobi_info(solver):
    info = ctypes.c_void_p()
    assert solver.library.cusolverDnCreateSyevjInfo(ctypes.byref(info)) == 0
    yield info
    assert solver.library.cusolverDnDestroySyevjInfo(info) == 0


def are_vectors(a, values, vectors):
    close(a @ vectors, vectors * values, len(a) + 1)
    close(vectors.conj().T @ vectors, np.eye(vectors.shape[1]), len(a) + 1)


def pair_values(problem, a, b):
    if problem == 1:
        return scipy.linalg.eigh(a, b, eigvals_only=True)
    product = a @ b if problem == 2 else b @ a
    return np.sort(np.linalg.eigvals(product).real)


def are_pair_vectors(problem, a, b, values, vectors):
    left = {1: a, 2: a @ b, 3: b @ a}[problem] @ vectors
    close(left, (b @ vectors if problem == 1 else vectors) * values, 100 * len(a) + 1)


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", cusolver.TYPES)
class TestOneMatrix:
    def test_all_values_ascend(self, solver, dtype, n, mode, fill):
        a = hermitian(n, dtype)
        place, values = Matrix(marked(a, fill)), Vector(n, real(dtype))
        name = named(dtype, "syevd", "heevd")
        arguments = mode, fill, n, place, place.ld, values
        assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
        close(values.get(), np.linalg.eigvalsh(a), n + 1)
        if mode == cusolver.VECTORS:
            are_vectors(a, values.get(), place.get())

    def test_by_jacobis_name(self, solver, dtype, n, mode, fill):
        a = hermitian(n, dtype)
        place, values = Matrix(marked(a, fill)), Vector(n, real(dtype))
        name = named(dtype, "syevj", "heevj")
        size, residual, sweeps = ctypes.c_int(), ctypes.c_double(-1), ctypes.c_int(-1)
        with jacobi_info(solver) as info:
            arguments = mode, fill, n, place, place.ld, values
            assert solver.status(name + "_bufferSize", *arguments, ctypes.byref(size), info) == 0
            work = cuda.mem_alloc(size.value * 16)
            assert solver.status(name, *arguments, work, size.value, solver.info, info) == 0
            assert solver.status("XsyevjGetResidual", info, ctypes.byref(residual)) == 0
            assert solver.status("XsyevjGetSweeps", info, ctypes.byref(sweeps)) == 0
        assert solver.info.get()[0] == 0 and sweeps.value == 1
        close(values.get(), np.linalg.eigvalsh(a), n + 1)
        if mode == cusolver.VECTORS:
            are_vectors(a, values.get(), place.get())
            actual = np.linalg.norm(a.astype("c16") @ place.get() - place.get() * values.get().astype("f8"))
            assert abs(residual.value - actual) < (2e-3 if dtype in ("f4", "c8") else 1e-10)

    def test_by_64_bit_sizes(self, solver, dtype, n, mode, fill):
        a = hermitian(n, dtype)
        place, values = Matrix(marked(a, fill)), Vector(n, real(dtype))
        code, real_code = cusolver.DATA_TYPES[dtype], cusolver.DATA_TYPES[real(dtype).str[1:]]
        sizes = ctypes.c_int64(n), ctypes.c_int64(place.ld)
        arguments = None, mode, fill, sizes[0], code, place, sizes[1], real_code, values, code
        assert solver("Xsyevd", *arguments, *solver.bytes_workspace("Xsyevd", *arguments)) == 0
        close(values.get(), np.linalg.eigvalsh(a), n + 1)
        if mode == cusolver.VECTORS:
            are_vectors(a, values.get(), place.get())


def chosen_range(selection, expected):
    """The range as arguments, and the numbers, from 0, of its values."""
    n = len(expected)
    if selection == "all" or n < 3:
        return (cusolver.ALL, 0.0, 0.0, 0, 0), slice(0, n)
    if selection == "numbers":
        return (cusolver.BY_INDEX, 0.0, 0.0, 2, n - 1), slice(1, n - 1)
    low, high = (expected[0] + expected[1]) / 2, (expected[-2] + expected[-1]) / 2
    if selection == "none":
        low, high = expected[-1] + 1, expected[-1] + 2
        return (cusolver.BY_VALUE, low, high, 0, 0), slice(0, 0)
    return (cusolver.BY_VALUE, low, high, 0, 0), slice(1, n - 1)


def typed_range(dtype, arguments):
    number = ctypes.c_float if real(dtype) == np.float32 else ctypes.c_double
    kind, low, high, first, last = arguments
    return kind, number(low), number(high), first, last


@pytest.mark.parametrize("selection", ["all", "numbers", "values", "none"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", cusolver.TYPES)
class TestSomeValues:
    def test_of_one_matrix(self, solver, dtype, n, mode, selection):
        a = hermitian(n, dtype)
        place, values, count = Matrix(marked(a, 1)), Vector(n, real(dtype)), ctypes.c_int(-1)
        expected = np.linalg.eigvalsh(a)
        chosen, numbers = chosen_range(selection, expected)
        kind, low, high, first, last = typed_range(dtype, chosen)
        name = named(dtype, "syevdx", "heevdx")
        arguments = mode, kind, 1, n, place, place.ld, low, high, first, last, ctypes.byref(count), values
        assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
        assert count.value == numbers.stop - numbers.start
        close(values.get()[: count.value], expected[numbers], n + 1)
        assert (values.get()[count.value :] == 55).all()
        if mode == cusolver.VECTORS:
            are_vectors(a, values.get()[: count.value], place.get()[:, : count.value])

    def test_of_a_pair(self, solver, dtype, n, mode, selection):
        a, b = hermitian(n, dtype), definite(n, dtype, 1)
        place, other, values, count = Matrix(a), Matrix(b), Vector(n, real(dtype)), ctypes.c_int(-1)
        expected = pair_values(1, a, b)
        chosen, numbers = chosen_range(selection, expected)
        kind, low, high, first, last = typed_range(dtype, chosen)
        name = named(dtype, "sygvdx", "hegvdx")
        arguments = (1, mode, kind, 0, n, place, place.ld, other, other.ld, low, high, first, last,
                     ctypes.byref(count), values)  # fmt: skip
        assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
        close(values.get()[: count.value], expected[numbers], n + 1)
        if mode == cusolver.VECTORS:
            are_pair_vectors(1, a, b, values.get()[: count.value], place.get()[:, : count.value])

    def test_by_64_bit_sizes(self, solver, dtype, n, mode, selection):
        a = hermitian(n, dtype)
        place, values, count = Matrix(a), Vector(n, real(dtype)), ctypes.c_int64(-1)
        expected = np.linalg.eigvalsh(a)
        chosen, numbers = chosen_range(selection, expected)
        kind, low, high, first, last = typed_range(dtype, chosen)
        code, real_code = cusolver.DATA_TYPES[dtype], cusolver.DATA_TYPES[real(dtype).str[1:]]
        arguments = (None, mode, kind, 0, ctypes.c_int64(n), code, place, ctypes.c_int64(place.ld), ctypes.byref(low),
                     ctypes.byref(high), ctypes.c_int64(first), ctypes.c_int64(last), ctypes.byref(count), real_code,
                     values, code)  # fmt: skip
        assert solver("Xsyevdx", *arguments, *solver.bytes_workspace("Xsyevdx", *arguments)) == 0
        assert count.value == numbers.stop - numbers.start
        close(values.get()[: count.value], expected[numbers], n + 1)


@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("n", [0, 1, 6])
@pytest.mark.parametrize("dtype", cusolver.TYPES)
class TestPairs:
    def test_all_values(self, solver, dtype, n, fill, problem):
        a, b = hermitian(n, dtype), definite(n, dtype, 1)
        for mode in MODES:
            place, other, values = Matrix(marked(a, fill)), Matrix(marked(b, fill)), Vector(n, real(dtype))
            name = named(dtype, "sygvd", "hegvd")
            arguments = problem, mode, fill, n, place, place.ld, other, other.ld, values
            assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
            close(values.get(), pair_values(problem, a, b), 10 * n + 1)
        are_pair_vectors(problem, a, b, values.get(), place.get())
        factor = half(other.get(), fill)
        close(factor @ factor.conj().T if fill == cusolver.LOWER else factor.conj().T @ factor, b, n + 1)

    def test_by_jacobis_name(self, solver, dtype, n, fill, problem):
        a, b = hermitian(n, dtype), definite(n, dtype, 1)
        place, other, values = Matrix(marked(a, fill)), Matrix(marked(b, fill)), Vector(n, real(dtype))
        name, size = named(dtype, "sygvj", "hegvj"), ctypes.c_int()
        with jacobi_info(solver) as info:
            arguments = problem, 1, fill, n, place, place.ld, other, other.ld, values
            assert solver.status(name + "_bufferSize", *arguments, ctypes.byref(size), info) == 0
            work = cuda.mem_alloc(size.value * 16)
            assert solver.status(name, *arguments, work, size.value, solver.info, info) == 0
        assert solver.info.get()[0] == 0
        are_pair_vectors(problem, a, b, values.get(), place.get())


@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_second_matrices_that_are_not_definite_are_told(solver, dtype):
    b = definite(5, dtype)
    b[2, 2] = -1
    place, other, values = Matrix(hermitian(5, dtype)), Matrix(b), Vector(5, real(dtype))
    name = named(dtype, "sygvd", "hegvd")
    arguments = 1, 1, 0, 5, place, place.ld, other, other.ld, values
    assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 5 + 3
    name, size, other = named(dtype, "sygvj", "hegvj"), ctypes.c_int(), Matrix(b)
    with jacobi_info(solver) as info:
        arguments = 1, 1, 0, 5, place, place.ld, other, other.ld, values
        assert solver.status(name + "_bufferSize", *arguments, ctypes.byref(size), info) == 0
        work = cuda.mem_alloc(size.value * 16)
        assert solver.status(name, *arguments, work, size.value, solver.info, info) == 0
    assert solver.info.get()[0] == 3


@pytest.mark.parametrize("interface", ["jacobi", "sizes"])
@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_batches(solver, dtype, interface):
    matrices = [hermitian(4, dtype, seed) for seed in range(3)]
    place = Matrix(np.hstack(matrices))
    values, status = Vector(12, real(dtype)), Vector(3, np.int32)
    if interface == "jacobi":
        name, size, residual = named(dtype, "syevjBatched", "heevjBatched"), ctypes.c_int(), ctypes.c_double()
        with jacobi_info(solver) as info:
            arguments = 1, 0, 4, place, place.ld, values
            assert solver.status(name + "_bufferSize", *arguments, ctypes.byref(size), info, 3) == 0
            work = cuda.mem_alloc(size.value * 16)
            assert solver.status(name, *arguments, work, size.value, status, info, 3) == 0
            assert solver.status("XsyevjGetResidual", info, ctypes.byref(residual)) == cusolver.NOT_SUPPORTED
    else:
        code, real_code = cusolver.DATA_TYPES[dtype], cusolver.DATA_TYPES[real(dtype).str[1:]]
        arguments = (None, 1, 0, ctypes.c_int64(4), code, place, ctypes.c_int64(place.ld), real_code, values, code)
        device, host, count = ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_int64(3)
        sizes = ctypes.byref(device), ctypes.byref(host)
        assert solver.status("XsyevBatched_bufferSize", *arguments, *sizes, count) == 0
        work = cuda.mem_alloc(device.value), device, None, host
        assert solver.status("XsyevBatched", *arguments, *work, status, count) == 0
    assert not status.get().any()
    for i, a in enumerate(matrices):
        are_vectors(a, values.get()[4 * i : 4 * i + 4], place.get()[:, 4 * i : 4 * i + 4])


@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_three_diagonals(solver, dtype, n, fill):
    a = hermitian(n, dtype)
    place = Matrix(marked(a, fill))
    d, e, tau = Vector(n, real(dtype)), Vector(max(n - 1, 0), real(dtype)), Vector(max(n - 1, 0), dtype)
    name = named(dtype, "sytrd", "hetrd")
    arguments = fill, n, place, place.ld, d, e, tau
    assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
    reduced = (np.diag(d.get()) + np.diag(e.get(), 1)[:n, :n] + np.diag(e.get(), -1)[:n, :n]).astype(dtype)
    # A = Q * T * Q^H: by products with the reflections, then with the matrix.
    name = named(dtype, "ormtr", "unmtr")
    left = Matrix(reduced)
    arguments = cusolver.LEFT, fill, cusolver.NONE, n, n, place, place.ld, tau, left, left.ld
    assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
    transposed = cusolver.CONJUGATED if dtype[0] == "c" else cusolver.TRANSPOSED
    arguments = cusolver.RIGHT, fill, transposed, n, n, place, place.ld, tau, left, left.ld
    assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
    close(left.get(), a, n + 1)
    name = named(dtype, "orgtr", "ungtr")
    arguments = fill, n, place, place.ld, tau
    assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
    close(place.get() @ reduced @ place.get().conj().T, a, n + 1)


@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_numbers_that_are_none_are_told(solver, dtype):
    place, values = Matrix(np.full((3, 3), np.nan, dtype)), Vector(3, real(dtype))
    name = named(dtype, "syevd", "heevd")
    arguments = 1, 0, 3, place, place.ld, values
    status = solver(name, *arguments, *solver.workspace(name, *arguments))
    assert status > 0 or np.isnan(values.get()).any()


def test_objects_are_checked(solver):
    info, object_ = ctypes.c_void_p(64), ctypes.c_void_p()
    library = solver.library
    assert library.cusolverDnDestroySyevjInfo(info) == cusolver.INVALID_VALUE
    assert library.cusolverDnXsyevjSetSortEig(info, 1) == cusolver.INVALID_VALUE
    assert library.cusolverDnCreateSyevjInfo(None) == cusolver.INVALID_VALUE
    assert library.cusolverDnCreateSyevjInfo(ctypes.byref(object_)) == 0
    assert library.cusolverDnXsyevjSetTolerance(object_, ctypes.c_double(1e-7)) == 0
    assert library.cusolverDnXsyevjSetMaxSweeps(object_, 15) == 0
    assert library.cusolverDnXsyevjSetMaxSweeps(object_, -1) == cusolver.INVALID_VALUE
    assert library.cusolverDnXsyevjSetSortEig(object_, 2) == cusolver.INVALID_VALUE
    assert library.cusolverDnXsyevjSetSortEig(object_, 0) == 0
    assert library.cusolverDnDestroyGesvdjInfo(object_) == cusolver.INVALID_VALUE
    assert library.cusolverDnDestroySyevjInfo(object_) == 0
    assert library.cusolverDnDestroySyevjInfo(object_) == cusolver.INVALID_VALUE
    size, place, values = ctypes.c_int(), on_device(random((2, 2), "f8")), on_device(np.zeros(2))
    status = solver.status("Dsyevj_bufferSize", 1, 0, 2, place, 2, values, ctypes.byref(size), object_)
    assert status == cusolver.INVALID_VALUE
