# SPDX-License-Identifier: MIT
"""cuSOLVER of the CPU driver: versions, handles, wrong arguments, functions that are not there."""

import ctypes

import cusolver_calls as cusolver
import numpy as np
import pycuda.driver as cuda
import pytest
from cusolver_calls import INVALID_VALUE, Matrix, Vector, definite, named, random, real
from programs import is_cpu


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def solver():
    with cusolver.handle() as one:
        yield one


@pytest.mark.parametrize("major", [12, 11])
def test_both_libraries_say_their_version(major):
    library, number = cusolver.library(major), ctypes.c_int()
    assert library.cusolverGetVersion(ctypes.byref(number)) == 0 and number.value == 1000 * major
    assert library.cusolverGetProperty(0, ctypes.byref(number)) == 0 and number.value == major
    assert library.cusolverGetProperty(3, ctypes.byref(number)) == INVALID_VALUE
    assert library.cusolverGetVersion(None) == INVALID_VALUE
    with cusolver.handle(major) as solver:
        place = Matrix(definite(3, "f8"))
        assert solver("Dpotrf", 0, 3, place, place.ld, *solver.workspace("Dpotrf", 0, 3, place, place.ld)) == 0


def test_what_is_no_handle_is_refused(solver):
    size, library = ctypes.c_int(), solver.library
    for handle in (None, ctypes.c_void_p(64)):
        assert library.cusolverDnSpotrf_bufferSize(handle, 0, 1, None, 1, ctypes.byref(size)) == 1
        assert library.cusolverDnDestroy(handle) == cusolver.NOT_INITIALIZED
        assert library.cusolverDnSetStream(handle, None) == cusolver.NOT_INITIALIZED
    assert library.cusolverDnCreate(None) == INVALID_VALUE
    assert library.cusolverDnGetStream(solver.handle, None) == INVALID_VALUE
    mode = ctypes.c_int()
    for name in ("DeterministicMode", "MathMode"):
        assert solver.status("Get" + name, ctypes.byref(mode)) == 0 and mode.value == 1
        assert solver.status("Set" + name, 2) == 0
        assert solver.status("Get" + name, ctypes.byref(mode)) == 0 and mode.value == 2
        assert solver.status("Set" + name, 3) == INVALID_VALUE


class Call:
    """A right call of a function, of which one argument after the other is made wrong."""

    def __init__(self, solver, name, arguments, wrong, sized=True):
        self.solver, self.name, self.arguments, self.wrong, self.sized = solver, name, arguments, wrong, sized

    def status(self, arguments, size_change=0, info=True, function=""):
        size = ctypes.c_int()
        tail = [self.solver.info] if info else [None]
        if function:
            return self.solver.status(self.name + function, *arguments, ctypes.byref(size))
        if self.sized:
            assert self.status(self.arguments, function="_bufferSize") == 0
            assert self.solver.status(self.name + "_bufferSize", *self.arguments, ctypes.byref(size)) == 0
            tail = [cuda.mem_alloc(size.value * 16), size.value + size_change, *tail]
        return self.solver.status(self.name, *arguments, *tail)

    def check(self):
        assert self.status(self.arguments) == 0
        for position, values in self.wrong.items():
            for value in values:
                changed = [*self.arguments[:position], value, *self.arguments[position + 1 :]]
                assert self.status(changed) == INVALID_VALUE, (self.name, position, value)
                if self.sized:
                    assert self.status(changed, function="_bufferSize") == INVALID_VALUE, (self.name, position, value)
        if self.sized:
            assert self.status(self.arguments, size_change=-100000) == INVALID_VALUE
            assert self.solver.status(self.name + "_bufferSize", *self.arguments, None) == INVALID_VALUE
        assert self.status(self.arguments, info=False) == cusolver.EXECUTION_FAILED
        for position, value in enumerate(self.arguments):
            if isinstance(value, (Matrix, Vector)):
                changed = [*self.arguments[:position], ctypes.c_void_p(64), *self.arguments[position + 1 :]]
                assert self.status(changed) == cusolver.EXECUTION_FAILED, (self.name, position)


@pytest.mark.parametrize("dtype", cusolver.TYPES)
class TestWrongArguments:
    def test_of_definite_matrices(self, solver, dtype):
        a, b = Matrix(definite(4, dtype)), Matrix(random((4, 2), dtype))
        wrong = {0: [-1, 2], 1: [-1], 3: [3, 0]}
        for name in ("potrf", "potri", "lauum"):
            Call(solver, named(dtype, name), [0, 4, a, a.ld], wrong).check()
        Call(solver, named(dtype, "potrs"), [0, 4, 2, a, a.ld, b, b.ld],
             {0: [-1, 2], 1: [-1], 2: [-1], 4: [3], 6: [3]}, sized=False).check()  # fmt: skip

    def test_of_lu_factors(self, solver, dtype):
        a, b, pivots = Matrix(definite(4, dtype)), Matrix(random((4, 2), dtype)), Vector(4, np.int32)
        work, _ = solver.workspace(named(dtype, "getrf"), 4, 4, a, a.ld)
        Call(solver, named(dtype, "getrf"), [4, 4, a, a.ld, work, pivots], {0: [-1], 1: [-1], 3: [3]}, False).check()
        size = ctypes.c_int()
        for m, n, lda in ((-1, 4, 6), (4, -1, 6), (4, 4, 3)):
            status = solver.status(named(dtype, "getrf_bufferSize"), m, n, a, lda, ctypes.byref(size))
            assert status == INVALID_VALUE
        Call(solver, named(dtype, "getrs"), [0, 4, 2, a, a.ld, pivots, b, b.ld],
             {0: [-1, 3], 1: [-1], 2: [-1], 4: [3], 7: [3]}, sized=False).check()  # fmt: skip

    def test_of_qr_factors(self, solver, dtype):
        a, c, tau = Matrix(random((5, 3), dtype)), Matrix(random((5, 4), dtype)), Vector(3, dtype)
        geqrf = named(dtype, "geqrf")
        for m, n, lda in ((-1, 3, 6), (5, -1, 6), (5, 3, 4)):
            assert solver.status(geqrf, m, n, a, lda, tau, a, 100, solver.info) == INVALID_VALUE
            size = ctypes.c_int()
            assert solver.status(geqrf + "_bufferSize", m, n, a, lda, ctypes.byref(size)) == INVALID_VALUE
        assert solver.status(geqrf, 5, 3, a, a.ld, tau, a, 1, solver.info) == INVALID_VALUE
        assert solver.status(geqrf, 5, 3, a, a.ld, ctypes.c_void_p(64), a, 9, solver.info) == cusolver.EXECUTION_FAILED
        Call(solver, named(dtype, "orgqr", "ungqr"), [5, 3, 3, a, a.ld, tau],
             {0: [-1, 2], 1: [-1, 2], 2: [-1, 4], 4: [4]}).check()  # fmt: skip
        Call(solver, named(dtype, "ormqr", "unmqr"), [0, 0, 5, 4, 3, a, a.ld, tau, c, c.ld],
             {0: [2, -1], 1: [3, -1], 2: [-1], 3: [-1], 4: [-1, 6], 6: [4], 9: [4]}).check()  # fmt: skip

    def test_of_indefinite_matrices(self, solver, dtype):
        a, pivots = Matrix(definite(4, dtype)), Vector(4, np.int32)
        sytrf, size = named(dtype, "sytrf"), ctypes.c_int()
        for n, lda in ((-1, 6), (4, 3)):
            assert solver.status(sytrf + "_bufferSize", n, a, lda, ctypes.byref(size)) == INVALID_VALUE
            assert solver.status(sytrf, 0, n, a, lda, pivots, a, 9, solver.info) == INVALID_VALUE
        assert solver.status(sytrf, 2, 4, a, a.ld, pivots, a, 9, solver.info) == INVALID_VALUE
        assert solver.status(sytrf, 0, 4, a, a.ld, None, a, 9, solver.info) == cusolver.NOT_SUPPORTED
        assert solver(sytrf, 0, 4, a, a.ld, pivots, *solver.workspace(sytrf, 4, a, a.ld)) == 0
        Call(solver, named(dtype, "sytri"), [0, 4, a, a.ld, pivots], {0: [2], 1: [-1], 3: [3]}).check()

    def test_of_eigenvalues(self, solver, dtype):
        a, b, w = Matrix(definite(4, dtype)), Matrix(definite(4, dtype)), Vector(4, real(dtype))
        Call(solver, named(dtype, "syevd", "heevd"), [1, 0, 4, a, a.ld, w],
             {0: [2, -1], 1: [2, -1], 2: [-1], 4: [3]}).check()  # fmt: skip
        Call(solver, named(dtype, "sygvd", "hegvd"), [1, 1, 0, 4, a, a.ld, b, b.ld, w],
             {0: [0, 4], 1: [2, -1], 2: [2, -1], 3: [-1], 5: [3], 7: [3]}).check()  # fmt: skip
        number = ctypes.c_float if real(dtype) == np.float32 else ctypes.c_double
        low, high, count = number(0), number(1), ctypes.c_int()
        Call(solver, named(dtype, "syevdx", "heevdx"),
             [1, 1002, 0, 4, a, a.ld, low, high, 1, 2, ctypes.byref(count), w],
             {0: [2], 1: [1000, 1004], 2: [2], 3: [-1], 5: [3], 8: [0, 3], 9: [0, 5]}).check()  # fmt: skip
        Call(solver, named(dtype, "sygvdx", "hegvdx"),
             [1, 1, 1003, 0, 4, a, a.ld, b, b.ld, low, high, 1, 2, ctypes.byref(count), w],
             {0: [0, 4], 1: [2], 2: [1000], 3: [2], 4: [-1], 6: [3], 8: [3], 9: [high], 10: [low]}).check()  # fmt: skip
        e, tau = Vector(3, real(dtype)), Vector(3, dtype)
        Call(solver, named(dtype, "sytrd", "hetrd"), [0, 4, a, a.ld, w, e, tau], {0: [2], 1: [-1], 3: [3]}).check()
        Call(solver, named(dtype, "orgtr", "ungtr"), [0, 4, a, a.ld, tau], {0: [2], 1: [-1], 3: [3]}).check()
        Call(solver, named(dtype, "ormtr", "unmtr"), [0, 0, 0, 4, 4, a, a.ld, tau, b, b.ld],
             {0: [2], 1: [2], 2: [3], 3: [-1], 4: [-1], 6: [3], 9: [3]}).check()  # fmt: skip

    def test_of_singular_values(self, solver, dtype):
        a, s = Matrix(random((5, 3), dtype)), Vector(3, real(dtype))
        u, v = Matrix(random((5, 5), dtype)), Matrix(random((3, 3), dtype))
        name, size = named(dtype, "gesvd"), ctypes.c_int()
        for shape in ((-1, 3), (5, -1), (3, 5)):
            assert solver.status(name + "_bufferSize", *shape, ctypes.byref(size)) == INVALID_VALUE
        work = solver.workspace(name, 5, 3)
        right = [65, 65, 5, 3, a, a.ld, s, u, u.ld, v, v.ld, *work, None]
        assert solver(name, *right) == 0
        wrong = {0: [66], 1: [90], 2: [-1, 2], 3: [-1], 5: [4], 8: [4], 10: [2], 12: [1]}
        for position, values in wrong.items():
            for value in values:
                changed = [*right[:position], value, *right[position + 1 :], solver.info]
                assert solver.status(name, *changed) == INVALID_VALUE, position
        assert solver.status(name, 79, 79, *right[2:], solver.info) == INVALID_VALUE
        for position in (4, 6, 7, 9, 11):
            changed = [*right[:position], ctypes.c_void_p(64), *right[position + 1 :], solver.info]
            assert solver.status(name, *changed) == cusolver.EXECUTION_FAILED, position
        name = named(dtype, "gebrd")
        for shape in ((-1, 3), (5, -1), (3, 5)):
            assert solver.status(name + "_bufferSize", *shape, ctypes.byref(size)) == INVALID_VALUE
        e, tau = Vector(2, real(dtype)), Vector(3, dtype)
        work, count = solver.workspace(name, 5, 3)
        assert solver(name, 5, 3, a, a.ld, s, e, tau, tau, work, count) == 0
        for arguments in ((3, 5, a, 6), (5, 3, a, 4)):
            status = solver.status(name, *arguments, s, e, tau, tau, work, count, solver.info)
            assert status == INVALID_VALUE
        Call(solver, named(dtype, "orgbr", "ungbr"), [0, 5, 3, 3, a, a.ld, tau],
             {0: [2], 1: [-1, 2], 2: [-1, 2], 3: [-1], 5: [4]}).check()  # fmt: skip


class TestTypedMatrices:
    """The functions whose matrices' types are numbers."""

    def arguments(self, dtype="f8"):
        code, n = cusolver.DATA_TYPES[dtype], ctypes.c_int64(4)
        a = Matrix(definite(4, dtype))
        return [None, 0, n, code, a, ctypes.c_int64(a.ld), code], a

    @pytest.mark.parametrize("dtype", cusolver.TYPES)
    def test_factors_and_solutions(self, solver, dtype):
        arguments, place = self.arguments(dtype)
        code, n, lda = cusolver.DATA_TYPES[dtype], ctypes.c_int64(4), ctypes.c_int64(place.ld)
        a, b = definite(4, dtype), random((4, 2), dtype, 3)
        solution, columns = Matrix(b), ctypes.c_int64(2)
        ldb = ctypes.c_int64(solution.ld)
        assert solver("Xpotrf", *arguments, *solver.bytes_workspace("Xpotrf", *arguments)) == 0
        assert solver("Xpotrs", None, 0, n, columns, code, place, lda, code, solution, ldb) == 0
        cusolver.close(a @ solution.get(), b, 10)
        for pivots in (Vector(4, np.int64), None):
            place, solution = Matrix(a), Matrix(b)
            arguments = [None, n, n, code, place, lda]
            work = solver.bytes_workspace("Xgetrf", *arguments, code)
            assert solver("Xgetrf", *arguments, pivots, code, *work) == 0
            assert solver("Xgetrs", None, 1, n, columns, code, place, lda, pivots, code, solution, ldb) == 0
            cusolver.close(a.T @ solution.get(), b, 10)
        place, tau = Matrix(a), Vector(4, dtype)
        arguments = [None, n, n, code, place, lda, code, tau, code]
        assert solver("Xgeqrf", *arguments, *solver.bytes_workspace("Xgeqrf", *arguments)) == 0
        r = np.triu(place.get())
        cusolver.close(r.conj().T @ r, a.conj().T @ a, 100)
        for diagonal in (0, 1):
            place = Matrix(a)
            arguments = [0, diagonal, n, code, place, lda]
            assert solver("Xtrtri", *arguments, *solver.bytes_workspace("Xtrtri", *arguments)) == 0
            lower = np.tril(a, -1) + (np.eye(4) if diagonal else np.diag(np.diag(a)))
            expected = np.linalg.inv(lower)
            cusolver.close(np.tril(place.get(), -diagonal), np.tril(expected, -diagonal).astype(dtype), 10)

    def test_singular_triangles_are_told(self, solver):
        place = Matrix(np.diag([1.0, 0.0, 2.0]))
        arguments = [0, 0, ctypes.c_int64(3), 1, place, ctypes.c_int64(place.ld)]
        assert solver("Xtrtri", *arguments, *solver.bytes_workspace("Xtrtri", *arguments)) == 2

    @pytest.mark.parametrize(
        ("position", "value"),
        [(0, 64), (1, 2), (2, -1), (3, 2), (3, 0), (3, 99), (5, 3), (6, 0), (6, 5)],
    )
    def test_wrong_arguments(self, solver, position, value):
        arguments, _ = self.arguments()
        work = solver.bytes_workspace("Xpotrf", *arguments)
        changed = list(arguments)
        changed[position] = value if position in (1, 3, 6) else ctypes.c_int64(value)
        assert solver.status("Xpotrf", *changed, *work, solver.info) == INVALID_VALUE
        sizes = ctypes.c_size_t(), ctypes.c_size_t()
        assert solver.status("Xpotrf_bufferSize", *changed, *map(ctypes.byref, sizes)) == INVALID_VALUE

    def test_workspaces_that_are_too_small(self, solver):
        arguments, _ = self.arguments()
        work, device, _, host = solver.bytes_workspace("Xpotrf", *arguments)
        short = ctypes.c_size_t(device.value - 1)
        assert solver.status("Xpotrf", *arguments, work, short, None, host, solver.info) == INVALID_VALUE
        status = solver.status("Xpotrf", *arguments, ctypes.c_void_p(64), device, None, host, solver.info)
        assert status == cusolver.EXECUTION_FAILED

    def test_parameters_are_objects(self, solver):
        parameters, library = ctypes.c_void_p(), solver.library
        assert library.cusolverDnCreateParams(ctypes.byref(parameters)) == 0
        assert library.cusolverDnSetAdvOptions(parameters, 0, 1) == 0
        assert library.cusolverDnSetAdvOptions(parameters, 7, 1) == INVALID_VALUE
        arguments, place = self.arguments()
        arguments[0] = parameters
        assert solver("Xpotrf", *arguments, *solver.bytes_workspace("Xpotrf", *arguments)) == 0
        cusolver.close(np.tril(place.get()), np.linalg.cholesky(definite(4, "f8")), 10)
        assert library.cusolverDnDestroyParams(parameters) == 0
        assert library.cusolverDnDestroyParams(parameters) == INVALID_VALUE


@pytest.mark.parametrize(
    "name",
    [
        "cusolverSpDcsrzfdHost",
        "cusolverSpZcsreigvsi",
        "cusolverRfAccessBundledFactorsDevice",
        "cusolverDnDSgesv",
        "cusolverDnXgesvdr",
    ],
)
def test_functions_that_are_not_there_say_so(solver, name):
    assert getattr(solver.library, name)(None, None) == cusolver.NOT_SUPPORTED


def test_pivots_that_are_no_rows_end_the_next_call(solver):
    a, b, pivots = Matrix(definite(3, "f8")), Matrix(random((3, 1), "f8")), Vector(3, np.int32, [1, 2, 900])
    assert solver.status("Dgetrs", 0, 3, 1, a, a.ld, pivots, b, b.ld, solver.info) == 0
    cuda.Context.synchronize()
    assert solver.status("Dpotrs", 0, 3, 1, a, a.ld, b, b.ld, solver.info) == cusolver.EXECUTION_FAILED
    np.testing.assert_array_equal(b.get(), random((3, 1), "f8"))
