# SPDX-License-Identifier: MIT
"""Sparse matrices and conjugate gradients."""

import importlib
import sys
import warnings

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pycuda.sparse.cg import CGStateContainer, ConvergenceError, solve_pkt_with_cg
    from pycuda.sparse.inner import STREAM_POOL, AsyncInnerProduct, get_stream
    from pycuda.sparse.operator import DiagonalPreconditioner, IdentityOperator, OperatorBase


class Dense(OperatorBase):
    """A dense matrix as an operator."""

    def __init__(self, matrix):
        self.matrix = gpuarray.to_gpu(matrix)

    @property
    def dtype(self):
        return self.matrix.dtype

    @property
    def shape(self):
        return self.matrix.shape

    def __call__(self, x):
        return self.matrix @ x


def positive_definite(n, dtype=np.float64):
    random = np.random.default_rng(n)
    matrix = random.normal(size=(n, n))
    return (matrix @ matrix.T + n * np.eye(n)).astype(dtype)


def test_the_package_says_that_it_is_deprecated():
    for name in [name for name in sys.modules if name == "pycuda.sparse"]:
        with pytest.warns(DeprecationWarning, match="pycuda.sparse is deprecated"):
            importlib.reload(sys.modules[name])


def test_operators():
    vector = gpuarray.to_gpu(np.arange(1.0, 4))
    assert IdentityOperator(np.float64, 3)(vector) is vector
    assert IdentityOperator(np.float64, 3).shape == (3, 3)
    halves = DiagonalPreconditioner(gpuarray.to_gpu(np.full(3, 0.5)))
    assert halves.dtype == np.float64 and halves.shape == (3, 3)
    np.testing.assert_array_equal(halves(vector).get(), [0.5, 1, 1.5])
    with pytest.raises(NotImplementedError):
        OperatorBase().dtype  # noqa: B018


def test_inner_products_come_when_they_are_ready():
    a = np.random.default_rng(0).normal(size=1000)
    product = AsyncInnerProduct(gpuarray.to_gpu(a), gpuarray.to_gpu(a), cuda.pagelocked_empty)
    while (value := product.get_host_result()) is None:
        pass
    assert value == pytest.approx(a @ a)
    assert product.gpu_result.get() == pytest.approx(a @ a)
    pooled = len(STREAM_POOL)
    assert isinstance(get_stream(), cuda.Stream) and len(STREAM_POOL) == max(0, pooled - 1)


@pytest.mark.parametrize("preconditioned", [False, True])
def test_systems_are_solved(preconditioned):
    matrix = positive_definite(40)
    rhs = np.random.default_rng(1).normal(size=40)
    precon = DiagonalPreconditioner(gpuarray.to_gpu(1 / np.diag(matrix))) if preconditioned else None
    state = CGStateContainer(Dense(matrix), precon)
    state.reset(gpuarray.to_gpu(rhs))
    steps = []
    solution = state.run(tol=1e-10, debug_callback=lambda what, *rest: steps.append(what))
    np.testing.assert_allclose(solution.get(), np.linalg.solve(matrix, rhs), 1e-7)
    assert "it" in steps and "residual-computed" in steps


def test_the_parts_of_an_iteration():
    state = CGStateContainer(Dense(np.eye(3)))
    x, y = gpuarray.to_gpu(np.arange(3.0)), gpuarray.to_gpu(np.ones(3))
    two = gpuarray.to_gpu(np.array([2.0]))
    np.testing.assert_array_equal(state.lc2(2, x, 3, y).get(), [3, 5, 7])
    np.testing.assert_array_equal(state.lc2(two, x, two, y).get(), [2, 4, 6])
    np.testing.assert_array_equal(state.guarded_div(y, x).get(), [0, 1, 0.5])
    with pytest.raises(ValueError, match=r"\(3,\), \(1,\)"):
        state.lc2(1, x, 1, two)


def test_vectors_of_an_iteration_may_have_any_layout():
    state = CGStateContainer(Dense(np.eye(3)))
    x, y = np.arange(6.0), np.arange(6.0) + 10
    gaps, back = gpuarray.to_gpu(np.repeat(x, 2))[::2], gpuarray.to_gpu(y[::-1].copy())[::-1]
    np.testing.assert_array_equal(state.lc2(2, gaps, 3, back).get(), 2 * x + 3 * y)
    np.testing.assert_array_equal(state.guarded_div(back, gaps).get(), [0, *(y[1:] / x[1:])])
    columns = gpuarray.to_gpu(np.asfortranarray(x.reshape(2, 3)))
    rows, out = gpuarray.to_gpu(y.reshape(2, 3)), gpuarray.zeros((2, 6), np.float64)
    assert state.lc2(1, columns, 1, rows, out[:, ::2]).shape == (2, 3)
    np.testing.assert_array_equal(out.get(), np.insert((x + y).reshape(2, 3), [1, 2, 3], 0, 1))
    assert state.lc2(1, gaps[:0], 1, back[:0]).size == 0 and state.guarded_div(gaps[:0], back[:0]).size == 0


def test_operands_of_an_iteration_that_do_not_fit_are_refused():
    state = CGStateContainer(Dense(np.eye(3)))
    x, short = gpuarray.to_gpu(np.ones(5)), gpuarray.to_gpu(np.ones(3))
    for factor in (short, gpuarray.zeros(0, np.float64), gpuarray.to_gpu(np.ones(1, np.float32))):
        with pytest.raises(ValueError, match=r"one element of dtype float64, not of shape"):
            state.lc2(factor, x, 1, x)
        with pytest.raises(ValueError, match=r"^b must be one element of dtype float64, not of shape"):
            state.lc2(1, x, factor, x)
    for a, b in ((x, short), (short, x)):
        with pytest.raises(ValueError, match=r"a and b have shapes \(.,\) and \(.,\)"):
            state.guarded_div(a, b)
    for call in (lambda: state.lc2(1, x, 1, x, np.zeros(5)), lambda: state.guarded_div(x, np.zeros(5))):
        with pytest.raises(TypeError, match="must be a GPUArray, not ndarray"):
            call()


def test_a_residual_whose_square_vanishes_is_no_solution():
    state = CGStateContainer(Dense(positive_definite(5)), DiagonalPreconditioner(gpuarray.zeros(5)))
    state.reset(gpuarray.to_gpu(np.ones(5)))
    with pytest.raises(ConvergenceError, match="square is 0, though the residual is not"):
        state.run()
    state = CGStateContainer(Dense(positive_definite(5)))
    state.reset(gpuarray.to_gpu(np.full(5, 1e-200)))
    with pytest.raises(ConvergenceError, match="square is 0, though the residual is not"):
        state.run()


def test_what_does_not_converge_says_so():
    state = CGStateContainer(Dense(positive_definite(30)))
    state.reset(gpuarray.to_gpu(np.ones(30)))
    with pytest.raises(ConvergenceError, match="cg failed to converge"):
        state.run(max_iterations=2, tol=1e-12)


def test_nothing_is_done_for_a_right_side_of_zeros():
    state = CGStateContainer(Dense(positive_definite(5)))
    state.reset(gpuarray.zeros(5))
    assert not state.run().get().any()


@pytest.fixture
def sparse():
    return pytest.importorskip("scipy.sparse", reason="needs SciPy")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("density", [0.001, 0.05])
def test_matrices_of_coordinates(sparse, dtype, density):
    from pycuda.sparse.coordinate import CoordinateSpMV

    random = np.random.default_rng(2)
    matrix = sparse.random(300, 200, density, "coo", random_state=random, data_rvs=random.standard_normal)
    x = random.normal(size=200).astype(dtype)
    product = CoordinateSpMV(matrix, dtype)(gpuarray.to_gpu(x))
    np.testing.assert_allclose(product.get(), matrix @ x, 1e-4, 1e-5)
    again = CoordinateSpMV(matrix, dtype)(gpuarray.to_gpu(x), product)
    np.testing.assert_allclose(again.get(), 2 * (matrix @ x), 1e-4, 1e-5)
    with pytest.raises(ValueError, match=r"shape \(200,\)"):
        CoordinateSpMV(matrix, dtype)(gpuarray.zeros(300, dtype))
    with pytest.raises(TypeError, match="int32"):
        CoordinateSpMV(matrix, np.int32)


@pytest.fixture(params=["coordinates", "packets"])
def multiplier(request, sparse):
    """Of each kind: a function that makes one, which takes vectors in the order of the matrix."""
    from pycuda.sparse.coordinate import CoordinateSpMV
    from pycuda.sparse.packeted import PacketedSpMV

    return {"coordinates": CoordinateSpMV, "packets": lambda mat, dtype: PacketedSpMV(mat, False, dtype)}[request.param]


def test_elements_outside_of_the_matrix_are_refused(sparse, multiplier):
    for rows, columns, words in (
        ([0, 9], [0, 1], "elements of rows 0 to 9"),
        ([-1, 2], [0, 1], "elements of rows -1 to 2"),
        ([0, 1], [-3, 2], "elements of columns -3 to 2"),
    ):
        matrix = sparse.coo_matrix(([1.0, 2.0], ([0, 1], [0, 1])), (5, 5))
        matrix.row[:], matrix.col[:] = rows, columns
        with pytest.raises(ValueError, match=rf"{words} are not all in a matrix of shape \(5, 5\)"):
            multiplier(matrix, np.float64)
    if hasattr(sparse, "coo_array"):
        with pytest.raises(ValueError, match=r"rows and columns, its shape is \(4,\)"):
            multiplier(sparse.coo_array(np.arange(4.0)), np.float64)


def test_the_given_matrix_stays_as_it_is(sparse, multiplier):
    matrix = sparse.csr_matrix((np.ones(4), np.array([2, 2, 0, 1]), np.array([0, 2, 3, 4])), (3, 3))
    multiplier(matrix, np.float64)
    assert matrix.nnz == 4 and matrix.indices.tolist() == [2, 2, 0, 1]


@pytest.mark.parametrize("n", [20, 9000])
def test_the_result_may_be_added_to_the_vector_itself(sparse, multiplier, n):
    # With a seed alone SciPy shuffles all places of the matrix, eighty million.
    matrix = sparse.random(n, n, 20 / n, "csr", random_state=np.random.default_rng(1))
    spmv = multiplier(matrix, np.float64)
    vector = gpuarray.to_gpu(np.random.default_rng(5).normal(size=n))
    expected = vector.get() + spmv(vector).get()
    spmv(vector, vector)
    np.testing.assert_allclose(vector.get(), expected, 1e-12, 1e-12)


def test_elements_that_are_zero_are_elements(sparse, multiplier):
    matrix = sparse.coo_matrix(([0.0, 1.0], ([0, 1], [0, 1])), (2, 2))
    product = multiplier(matrix, np.float64)(gpuarray.to_gpu(np.array([np.inf, 1.0]))).get()
    assert np.isnan(product[0]) and product[1] == 1


def laplacian(sparse, n):
    line = sparse.diags([-1, 2.1, -1], [-1, 0, 1], (n, n))
    return sparse.csr_matrix(sparse.kron(line, sparse.eye(n)) + sparse.kron(sparse.eye(n), line))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [1, 50, 700])
def test_packets_of_every_dtype(sparse, dtype, n):
    from pycuda.sparse.packeted import PacketedSpMV

    random = np.random.default_rng(n)
    matrix = sparse.random(n, n, 20 / (n + 20), "csr", random_state=random, data_rvs=random.standard_normal)
    matrix = matrix.astype(dtype) * (1j if np.dtype(dtype).kind == "c" else 1)
    x = random.normal(size=n).astype(dtype)
    spmv = PacketedSpMV(matrix, False, dtype)
    product = spmv.unpermute(spmv(spmv.permute(gpuarray.to_gpu(x))))
    np.testing.assert_allclose(product.get(), matrix @ x, 1e-4, 1e-5)


def test_matrices_of_packets(sparse, monkeypatch):
    from pycuda.sparse.packeted import PacketedSpMV

    matrix = laplacian(sparse, 70)  # two packets of float64
    x = np.random.default_rng(3).normal(size=4900)
    spmv = PacketedSpMV(matrix, True, np.float64)
    assert spmv.block_count > 1 and spmv.remaining_coo_gpu is not None
    vector = gpuarray.to_gpu(x)
    np.testing.assert_array_equal(spmv.unpermute(spmv.permute(vector)).get(), x)
    product = spmv.unpermute(spmv(spmv.permute(vector)))
    np.testing.assert_allclose(product.get(), matrix @ x, 1e-12, 1e-12)
    with pytest.raises(ValueError, match="only square matrices are supported"):
        PacketedSpMV(sparse.eye(3, 4), True, np.float64)
    with pytest.raises(ValueError, match=r"shape \(4900,\)"):
        spmv(gpuarray.zeros(3))


def test_systems_with_packets_are_solved(sparse):
    from pycuda.sparse.packeted import PacketedSpMV

    matrix = laplacian(sparse, 20)
    rhs = np.random.default_rng(4).normal(size=400)
    spmv = PacketedSpMV(matrix, True, np.float64)
    solution, iterations, evaluations = solve_pkt_with_cg(spmv, gpuarray.to_gpu(rhs), tol=1e-9)
    np.testing.assert_allclose(matrix @ solution.get(), rhs, 1e-6, 1e-6)
    assert 0 < iterations < 400 and evaluations > 0
    with pytest.raises(ValueError, match=r"b must have shape \(400,\) and dtype float64, not \(399,\)"):
        solve_pkt_with_cg(spmv, gpuarray.zeros(399, np.float64))


def test_what_does_not_fit_a_matrix_is_refused(sparse):
    from pycuda.sparse.coordinate import CoordinateSpMV
    from pycuda.sparse.packeted import PacketedSpMV

    matrix = laplacian(sparse, 5)
    for make in (lambda mat, dtype: PacketedSpMV(mat, True, dtype), CoordinateSpMV):
        for none in (matrix.toarray(), None):
            with pytest.raises(TypeError, match=f"a sparse one of SciPy, not {type(none).__name__}"):
                make(none, np.float64)
        with pytest.raises(TypeError, match="float16"):
            make(matrix, np.float16)
        with pytest.raises(TypeError, match="complex128 does not fit elements of dtype float64"):
            make(matrix * 1j, np.float64)
    spmv = PacketedSpMV(matrix, True, np.float64)
    for call in (spmv, spmv.permute, spmv.unpermute, CoordinateSpMV(matrix, np.float64)):
        for n in (24, 26):
            with pytest.raises(ValueError, match=rf"shape \(25,\).*not \({n},\)"):
                call(gpuarray.zeros(n))
        with pytest.raises(ValueError, match=r"not \(25, 2\)"):
            call(gpuarray.zeros((25, 2)))
        with pytest.raises(TypeError, match="a GPUArray, not ndarray"):
            call(np.zeros(25))
