# SPDX-License-Identifier: MIT
"""cuSOLVER of the CPU driver: singular values and vectors, and the reduction to two diagonals."""

import contextlib
import ctypes

import cusolver_calls as cusolver
import numpy as np
import pycuda.driver as cuda
import pytest
from cusolver_calls import Matrix, Vector, close, named, random, real
from programs import is_cpu

TALL = [(0, 0), (1, 1), (5, 5), (7, 3), (4, 0), (37, 20)]
SHAPES = [*TALL, (3, 7), (0, 4), (20, 37)]
MODES = [cusolver.NO_VECTORS, cusolver.VECTORS]


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
    assert solver.library.cusolverDnCreateGesvdjInfo(ctypes.byref(info)) == 0
    yield info
    assert solver.library.cusolverDnDestroyGesvdjInfo(info) == 0


def are_singular(a, values, u, v):
    least = len(values)
    close(values, np.linalg.svd(a, compute_uv=False), max(a.shape) + 1)
    close(u[:, :least] * values @ v[:, :least].conj().T, a, max(a.shape) + 1)
    for one in (u, v):
        close(one.conj().T @ one, np.eye(one.shape[1]), max(a.shape) + 1)


def code_of(dtype):
    return cusolver.DATA_TYPES[dtype], cusolver.DATA_TYPES[real(dtype).str[1:]]


JOBS = ["AA", "SS", "NN", "OS", "AO", "NA", "SN"]


@pytest.mark.parametrize("jobs", JOBS)
@pytest.mark.parametrize("shape", TALL)
@pytest.mark.parametrize("dtype", cusolver.TYPES)
class TestWithTransposedVectors:
    def places(self, dtype, shape, jobs):
        m, n = shape
        a = random(shape, dtype)
        u = Matrix(np.zeros((m, m if jobs[0] == "A" else n), dtype)) if jobs[0] in "AS" else None
        vt = Matrix(np.zeros((n, n), dtype)) if jobs[1] in "AS" else None
        return a, Matrix(a), Vector(n, real(dtype)), u, vt

    def check(self, jobs, a, place, values, u, vt):
        m, n = a.shape
        close(values.get(), np.linalg.svd(a, compute_uv=False), m + 1)
        left = u.get() if u else place.get() if jobs[0] == "O" else None
        right = vt.get() if vt else place.get()[:n] if jobs[1] == "O" else None
        if left is not None and right is not None:
            are_singular(a, values.get(), left, right.conj().T)

    def test_gesvd(self, solver, dtype, shape, jobs):
        a, place, values, u, vt = places = self.places(dtype, shape, jobs)
        name = named(dtype, "gesvd")
        work = solver.workspace(name, *shape)
        assert solver(name, *map(ord, jobs), *shape, place, place.ld, values, u, u.ld if u else 1, vt,
                      vt.ld if vt else 1, *work, None) == 0  # fmt: skip
        self.check(jobs, *places)

    def test_rwork_is_not_written_without_a_failure(self, solver, dtype, shape, jobs):
        a, place, values, u, vt = places = self.places(dtype, shape, jobs)
        name, rwork = named(dtype, "gesvd"), np.full(max(shape[1], 1), 5, real(dtype))  # the host's, as scikit-cuda's
        assert solver(name, *map(ord, jobs), *shape, place, place.ld, values, u, u.ld if u else 1, vt,
                      vt.ld if vt else 1, *solver.workspace(name, *shape), rwork) == 0  # fmt: skip
        self.check(jobs, *places)
        assert (rwork == 5).all()

    def test_by_64_bit_sizes(self, solver, dtype, shape, jobs):
        a, place, values, u, vt = places = self.places(dtype, shape, jobs)
        code, real_code = code_of(dtype)
        wide = [ctypes.c_int64(one) for one in (*shape, place.ld, u.ld if u else 1, vt.ld if vt else 1)]
        arguments = (None, *map(ord, jobs), *wide[:2], code, place, wide[2], real_code, values, code, u, wide[3], code,
                     vt, wide[4], code)  # fmt: skip
        assert solver("Xgesvd", *arguments, *solver.bytes_workspace("Xgesvd", *arguments)) == 0
        self.check(jobs, *places)


@pytest.mark.parametrize("economic", [0, 1])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", cusolver.TYPES)
class TestWithVectors:
    def places(self, dtype, shape, economic):
        m, n = shape
        least = min(shape)
        a = random(shape, dtype)
        u, v = np.zeros((m, least if economic else m), dtype), np.zeros((n, least if economic else n), dtype)
        return a, Matrix(a), Vector(least, real(dtype)), Matrix(u), Matrix(v)

    def check(self, mode, a, place, values, u, v):
        if mode == cusolver.VECTORS:
            are_singular(a, values.get(), u.get(), v.get())
        else:
            close(values.get(), np.linalg.svd(a, compute_uv=False), max(a.shape) + 1)
            assert not u.get().any() and not v.get().any()

    def test_by_jacobis_name(self, solver, dtype, shape, mode, economic):
        a, place, values, u, v = places = self.places(dtype, shape, economic)
        name = named(dtype, "gesvdj")
        size, residual, sweeps = ctypes.c_int(), ctypes.c_double(-1), ctypes.c_int(-1)
        arguments = mode, economic, *shape, place, place.ld, values, u, u.ld, v, v.ld
        with jacobi_info(solver) as info:
            assert solver.status(name + "_bufferSize", *arguments, ctypes.byref(size), info) == 0
            work = cuda.mem_alloc(size.value * 16)
            assert solver.status(name, *arguments, work, size.value, solver.info, info) == 0
            assert solver.status("XgesvdjGetResidual", info, ctypes.byref(residual)) == 0
            assert solver.status("XgesvdjGetSweeps", info, ctypes.byref(sweeps)) == 0
        assert solver.info.get()[0] == 0 and sweeps.value == 1
        assert 0 <= residual.value < (1e-3 if dtype in ("f4", "c8") else 1e-11)
        assert residual.value > 0 or mode == cusolver.NO_VECTORS or min(shape) < 2
        self.check(mode, *places)

    def test_by_64_bit_sizes(self, solver, dtype, shape, mode, economic):
        a, place, values, u, v = places = self.places(dtype, shape, economic)
        code, real_code = code_of(dtype)
        m, n, lda, ldu, ldv = [ctypes.c_int64(one) for one in (*shape, place.ld, u.ld, v.ld)]
        arguments = None, mode, economic, m, n, code, place, lda, real_code, values, code, u, ldu, code, v, ldv, code
        work, changed = solver.bytes_workspace("Xgesvdp", *arguments), ctypes.c_double(-1)
        assert solver.status("Xgesvdp", *arguments, *work, solver.info, ctypes.byref(changed)) == 0
        assert solver.info.get()[0] == 0 and changed.value == 0
        self.check(mode, *places)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (32, 32)])
@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_batches(solver, dtype, shape, mode):
    m, n = shape
    least = min(shape)
    matrices = [random(shape, dtype, seed) for seed in range(3)]
    place, values, status = Matrix(np.hstack(matrices)), Vector(3 * least, real(dtype)), Vector(3, np.int32)
    u, v = Matrix(np.zeros((m, 3 * m), dtype)), Matrix(np.zeros((n, 3 * n), dtype))
    name, size, residual = named(dtype, "gesvdjBatched"), ctypes.c_int(), ctypes.c_double()
    arguments = mode, *shape, place, place.ld, values, u, u.ld, v, v.ld
    with jacobi_info(solver) as info:
        assert solver.status(name + "_bufferSize", *arguments, ctypes.byref(size), info, 3) == 0
        work = cuda.mem_alloc(size.value * 16)
        assert solver.status(name, *arguments, work, size.value, status, info, 3) == 0
        assert solver.status("XgesvdjGetResidual", info, ctypes.byref(residual)) == cusolver.NOT_SUPPORTED
        large = mode, 33, 2, *arguments[3:]
        assert solver.status(name, *large, work, size.value, status, info, 3) == cusolver.INVALID_VALUE
    assert not status.get().any()
    for i, a in enumerate(matrices):
        one = values.get()[least * i : least * (i + 1)]
        if mode == cusolver.VECTORS:
            are_singular(a, one, u.get()[:, m * i : m * (i + 1)], v.get()[:, n * i : n * (i + 1)])
        else:
            close(one, np.linalg.svd(a, compute_uv=False))


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
@pytest.mark.parametrize("shape", [(6, 3), (3, 6)])
@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_the_largest_values_of_batches(solver, dtype, shape, rank):
    m, n = shape
    matrices = [random(shape, dtype, seed) for seed in range(2)]
    place, values, status = Matrix(np.hstack(matrices)), Vector(2 * 4, real(dtype)), Vector(2, np.int32)
    u, v = Matrix(np.zeros((m, 2 * rank), dtype)), Matrix(np.zeros((n, 2 * rank), dtype))
    strides = [ctypes.c_longlong(one) for one in (place.ld * n, 4, u.ld * rank, v.ld * rank)]
    name, size, residuals = named(dtype, "gesvdaStridedBatched"), ctypes.c_int(), np.full(2, -1.0)
    arguments = (1, rank, *shape, place, place.ld, strides[0], values, strides[1], u, u.ld, strides[2], v, v.ld,
                 strides[3])  # fmt: skip
    assert solver.status(name + "_bufferSize", *arguments, ctypes.byref(size), 2) == 0
    work = cuda.mem_alloc(size.value * 16)
    assert solver.status(name, *arguments, work, size.value, status, residuals, 2) == 0
    assert not status.get().any()
    np.testing.assert_array_equal(place.get(), np.hstack(matrices))
    for i, a in enumerate(matrices):
        left, right = u.get()[:, rank * i : rank * (i + 1)], v.get()[:, rank * i : rank * (i + 1)]
        whole = np.linalg.svd(a, full_matrices=False)
        one = values.get()[4 * i : 4 * i + rank]
        close(one, whole[1][:rank])
        product = left * one @ right.conj().T
        close(product, whole[0][:, :rank] * whole[1][:rank] @ whole[2][:rank])
        assert abs(residuals[i] - np.linalg.norm(a - product)) < (1e-4 if dtype in ("f4", "c8") else 1e-11)
    assert solver.status(name, *arguments, work, size.value, status, None, 2) == 0


@pytest.mark.parametrize("shape", TALL)
@pytest.mark.parametrize("dtype", cusolver.TYPES)
def test_two_diagonals(solver, dtype, shape):
    m, n = shape
    a = random(shape, dtype)
    place, d, e = Matrix(a), Vector(n, real(dtype)), Vector(max(n - 1, 0), real(dtype))
    tau_q, tau_p = Vector(n, dtype), Vector(n, dtype)
    name = named(dtype, "gebrd")
    work = solver.workspace(name, *shape)
    assert solver(name, *shape, place, place.ld, d, e, tau_q, tau_p, *work) == 0
    name = named(dtype, "orgbr", "ungbr")
    q, p = Matrix(place.get()), Matrix(place.get()[:n])
    arguments = cusolver.LEFT, m, n, n, q, q.ld, tau_q
    assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
    arguments = cusolver.RIGHT, n, n, m, p, p.ld, tau_p
    assert solver(name, *arguments, *solver.workspace(name, *arguments)) == 0
    close(q.get() @ (np.diag(d.get()) + np.diag(e.get(), 1)[:n, :n]) @ p.get(), a, m + 1)


def test_objects_are_checked(solver):
    object_, library = ctypes.c_void_p(), solver.library
    assert library.cusolverDnXgesvdjSetSortEig(ctypes.c_void_p(64), 1) == cusolver.INVALID_VALUE
    assert library.cusolverDnCreateGesvdjInfo(ctypes.byref(object_)) == 0
    assert library.cusolverDnXgesvdjSetTolerance(object_, ctypes.c_double(1e-7)) == 0
    assert library.cusolverDnXgesvdjSetMaxSweeps(object_, 15) == 0
    assert library.cusolverDnXgesvdjSetSortEig(object_, 0) == 0
    assert library.cusolverDnDestroyGesvdjInfo(object_) == 0
