# SPDX-License-Identifier: MIT
"""cuSOLVER's sparse systems and orders on the CPU driver, compared with NumPy."""

import ctypes

import cusolver_calls as cusolver
import cusolver_sparse_calls as sparse_calls
import numpy as np
import pytest
from cusolver_calls import LETTERS, close
from cusolver_sparse_calls import REALS, Csr, Sparse, definite, laplacian, place, random, value_of
from programs import is_cpu

KINDS = {"csrlsvluHost": False, "csrlsvqrHost": False, "csrlsvcholHost": False, "csrlsvqr": True, "csrlsvchol": True}


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture(params=[0, 1])
def sparse(request):
    made = Sparse(request.param)
    yield made
    made.close()


@pytest.mark.parametrize("dtype", cusolver.TYPES)
class TestSystems:
    def solve(self, sparse, name, dtype, a, b, reorder=0):
        """The solution and where the matrix is singular."""
        where, singular = ctypes.c_int(77), KINDS[name]
        matrix, x = Csr(sparse, a, singular), place(np.zeros_like(b), singular)
        sparse(LETTERS[dtype] + name, len(b), *matrix.numbers, place(b, singular), REALS[dtype](1e-6), reorder, x,
               ctypes.byref(where))  # fmt: skip
        return value_of(x, b), where.value

    @pytest.mark.parametrize("name", KINDS)
    @pytest.mark.parametrize("reorder", [0, 1, 2, 3])
    def test_are_solved_in_every_order(self, sparse, name, dtype, reorder):
        a = definite(21, dtype) if "chol" in name else random(21, dtype)
        b = cusolver.random(21, dtype, 5)
        x, singular = self.solve(sparse, name, dtype, a, b, reorder)
        assert singular == -1
        close(a @ x, b, 40)

    @pytest.mark.parametrize("name", KINDS)
    def test_that_are_singular_are_told(self, sparse, name, dtype):
        a = np.diag(np.arange(6, 0, -1)).astype(dtype)
        a[4, 4] = 0
        a[4, 3] = a[3, 4] = 1e-30
        _, singular = self.solve(sparse, name, dtype, a, np.ones(6, dtype))
        assert singular == 4

    def test_rows_are_exchanged(self, sparse, dtype):
        a = np.array([[0, 2, 0], [1, 0, 0], [0, 1, 3]], dtype)
        for name in ("csrlsvluHost", "csrlsvqrHost", "csrlsvqr"):
            x, singular = self.solve(sparse, name, dtype, a, np.array([2, 5, 4], dtype))
            assert singular == -1
            close(x, np.array([5, 1, 1], dtype), 3)


def mixed_laplacian(side):
    a = laplacian(side).toarray()
    mixed = np.random.default_rng(3).permutation(len(a))
    return a[mixed][:, mixed]


def order_of(sparse, name, a):
    order = np.zeros(len(a), np.int32)
    more = (None,) if name == "csrmetisndHost" else ()
    sparse("X" + name, len(a), *Csr(sparse, a).pattern, *more, order)
    assert sorted(order) == list(range(len(a)))
    return order


@pytest.mark.parametrize("name", ["csrsymmdqHost", "csrsymamdHost", "csrmetisndHost"])
def test_orders_leave_fewer_entries_in_the_factor(sparse, name):
    a = mixed_laplacian(12)
    order = order_of(sparse, name, a)
    fill = [np.count_nonzero(abs(np.linalg.cholesky(m)) > 1e-13) for m in (a, a[order][:, order])]
    assert fill[1] < 0.55 * fill[0]


def test_an_order_makes_a_narrow_band(sparse):
    a = mixed_laplacian(12)
    order = order_of(sparse, "csrsymrcmHost", a)
    rows, columns = np.nonzero(a[order][:, order])
    assert abs(rows - columns).max() <= 13


def test_parts_without_connection_are_put_in_order(sparse):
    a = np.kron(np.eye(3), laplacian(3).toarray())
    for name in ("csrsymrcmHost", "csrsymamdHost"):
        order_of(sparse, name, a)


def test_a_matrix_is_put_into_another_order(sparse):
    a = random(7, "f8", 5)
    p, q = np.random.default_rng(1).permutation(7).astype(np.int32), np.array([3, 0, 4, 1, 2], np.int32)
    matrix, size = Csr(sparse, a), ctypes.c_size_t()
    sparse("Xcsrperm_bufferSizeHost", 7, 5, *matrix.pattern, p, q, ctypes.byref(size))
    places = np.arange(matrix.entries, dtype=np.int32)
    sparse("XcsrpermHost", 7, 5, *matrix.pattern, p, q, places, np.zeros(size.value, np.uint8))
    result = np.zeros_like(a)
    for row in range(7):
        for i in range(matrix.offsets[row] - sparse.base, matrix.offsets[row + 1] - sparse.base):
            result[row, matrix.indices[i] - sparse.base] = matrix.values[places[i]]
    np.testing.assert_array_equal(result, a[p][:, q])


def test_symmetric_places_are_told(sparse):
    found = ctypes.c_int(77)
    for a, expected in [(laplacian(3), 1), (np.array([[1, 2], [0, 1]], "f8"), 0)]:
        matrix = Csr(sparse, a)
        entries, descriptor, offsets, indices = matrix.pattern
        ends = offsets[1:].copy()
        sparse("XcsrissymHost", a.shape[0], entries, descriptor, offsets, ends, indices, ctypes.byref(found))
        assert found.value == expected


def test_mistakes_have_their_statuses(sparse, capfd):
    a, b, where = Csr(sparse, random(4, "f8")), np.ones(4), ctypes.c_int()
    entries, descriptor, values, offsets, indices = a.numbers
    end = b, ctypes.c_double(0), 0, np.zeros(4), ctypes.byref(where)
    solve = "DcsrlsvqrHost"
    assert sparse.status(solve, -1, *a.numbers, *end) == cusolver.INVALID_VALUE
    assert sparse.status(solve, 4, entries, None, values, offsets, indices, *end) == cusolver.INVALID_VALUE
    assert sparse.status(solve, 4, *a.numbers, b, ctypes.c_double(0), 9, *end[3:]) == cusolver.INVALID_VALUE
    assert sparse.status("Dcsrlsvqr", 4, *a.numbers, *end) == cusolver.EXECUTION_FAILED, "memory of the host"
    assert sparse.status(solve, 4, entries, descriptor, values, offsets, indices + 9, *end) == cusolver.EXECUTION_FAILED
    assert sparse.cusparse.cusparseSetMatType(descriptor, 1) == 0
    assert sparse.status(solve, 4, *a.numbers, *end) == cusolver.NOT_SUPPORTED
    assert sparse.library.cusolverSpDestroy(None) == cusolver.NOT_INITIALIZED
    assert sparse.status("DcsrzfdHost") == cusolver.NOT_SUPPORTED
    assert "cusolverSpDcsrzfdHost is not supported" in capfd.readouterr().err


def test_one_library_reads_the_descriptors_of_the_other(sparse):
    assert sparse_calls.cusparse().cusparseGetMatIndexBase(sparse.descriptor) == sparse.base
