# SPDX-License-Identifier: MIT
"""cuBLAS of the CPU driver: vectors and matrices of the four types, compared with NumPy."""

import ctypes

import cublas_calls as cublas
import numpy as np
import pycuda.driver as cuda
import pytest
from cublas_calls import close, from_device, on_device, operated, random
from programs import is_cpu

TYPES = ["f4", "f8", "c8", "c16"]
COMPLEX = ["c8", "c16"]


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def blas():
    with cublas.handle() as one:
        yield one


def scalar(value, dtype):
    return np.dtype(dtype).type(value)


@pytest.mark.parametrize("dtype", TYPES)
class TestVectors:
    def test_sums_of_scaled_vectors(self, blas, dtype):
        x, y = random(9, dtype), random(6, dtype, 1)
        place = on_device(y)
        blas(f"{cublas.LETTERS[dtype]}axpy_v2", 3, scalar(2.5, dtype), on_device(x), 4, place, 2)
        expected = y.copy()
        expected[:5:2] += 2.5 * x[::4]
        close(from_device(place, y), expected)

    def test_steps_may_be_negative(self, blas, dtype):
        x, y = random(5, dtype), random(5, dtype, 1)
        place = on_device(y)
        blas(f"{cublas.LETTERS[dtype]}axpy_v2_64", ctypes.c_int64(5), scalar(1, dtype), on_device(x),
             ctypes.c_int64(-1), place, ctypes.c_int64(1))  # fmt: skip
        close(from_device(place, y), y + x[::-1])

    def test_copies_and_exchanges(self, blas, dtype):
        x, y = random(5, dtype), random(5, dtype, 1)
        a, b = on_device(x), on_device(y)
        blas(f"{cublas.LETTERS[dtype]}swap_v2", 5, a, 1, b, 1)
        close(from_device(a, x), y)
        blas(f"{cublas.LETTERS[dtype]}copy_v2", 5, b, 1, a, 1)
        close(from_device(a, x), x)

    def test_scaling(self, blas, dtype):
        x = random(6, dtype)
        place = on_device(x)
        blas(f"{cublas.LETTERS[dtype]}scal_v2", 3, scalar(3, dtype), place, 2)
        expected = x.copy()
        expected[::2] *= 3
        close(from_device(place, x), expected)

    def test_numbers_are_there_when_a_host_pointer_is_given(self, blas, dtype):
        letter, real = cublas.LETTERS[dtype], cublas.REALS[dtype]
        x, y = random(7, dtype), random(7, dtype, 1)
        norm = np.zeros(1, real)
        prefix = {"C": "Sc", "Z": "Dz"}.get(letter, letter)
        blas(f"{prefix}nrm2_v2", 7, on_device(x), 1, norm)
        close(norm[0], np.linalg.norm(x))
        blas(f"{prefix}asum_v2", 7, on_device(x), 1, norm)
        close(norm[0], np.sum(np.abs(x.real) + np.abs(x.imag)))
        product = np.zeros(1, dtype)
        blas(f"{letter}{'dotu' if letter in 'CZ' else 'dot'}_v2", 7, on_device(x), 1, on_device(y), 1, product)
        close(product[0], np.sum(x * y))

    def test_extremes_are_counted_from_one(self, blas, dtype):
        x = np.array([3, -5, 1, 5, -1], dtype)
        place, number = on_device(x), np.zeros(1, np.int32)
        letter = cublas.LETTERS[dtype].lower()
        blas(f"I{letter}amax_v2", 5, place, 1, number)
        assert number[0] == 2
        blas(f"I{letter}amin_v2", 5, place, 1, number)
        assert number[0] == 3
        blas(f"I{letter}amax_v2", 0, place, 1, number)
        assert number[0] == 0

    def test_device_pointers_are_read_in_stream_order(self, blas, dtype):
        x, y = random(4, dtype), random(4, dtype, 1)
        letter = cublas.LETTERS[dtype]
        factor, place = on_device(np.zeros(1, dtype)), on_device(y)
        blas("SetPointerMode_v2", cublas.DEVICE)
        blas(f"{letter}{'dotu' if letter in 'CZ' else 'dot'}_v2", 4, on_device(x), 1, on_device(x), 1, factor)
        blas(f"{letter}axpy_v2", 4, factor, on_device(x), 1, place, 1)
        close(from_device(place, y), y + np.sum(x * x) * x)

    def test_rotations(self, blas, dtype):
        x, y = random(4, dtype), random(4, dtype, 1)
        a, b = on_device(x), on_device(y)
        c, s = scalar(0.6, cublas.REALS[dtype]), scalar(0.8, dtype)
        blas(f"{cublas.LETTERS[dtype]}rot_v2", 4, a, 1, b, 1, c, s)
        close(from_device(a, x), c * x + s * y)
        close(from_device(b, y), c * y - np.conj(s) * x)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_products_with_conjugates(blas, dtype):
    x, y, product = random(6, dtype), random(6, dtype, 1), np.zeros(1, dtype)
    blas(f"{cublas.LETTERS[dtype]}dotc_v2", 6, on_device(x), 1, on_device(y), 1, product)
    close(product[0], np.vdot(x, y))


def triangle(matrix, fill, diagonal=cublas.NON_UNIT):
    half = np.tril(matrix) if fill == cublas.LOWER else np.triu(matrix)
    if diagonal == cublas.UNIT:
        np.fill_diagonal(half, 1)
    return half


def whole(matrix, fill, hermitian):
    """The matrix of which one triangle counts."""
    half = triangle(matrix, fill)
    other = half.conj().T if hermitian else half.T
    result = half + other - np.diag(np.diag(half))
    if hermitian:
        np.fill_diagonal(result, result.diagonal().real)
    return result


def well_conditioned(n, dtype):
    return np.asfortranarray(random((n, n), dtype) + 3 * np.eye(n, dtype=dtype))


@pytest.mark.parametrize("dtype", TYPES)
class TestMatrixAndVector:
    @pytest.mark.parametrize("operation", [cublas.NONE, cublas.TRANSPOSED, cublas.CONJUGATED])
    def test_gemv(self, blas, dtype, operation):
        a = random((4, 3), dtype)
        x, y = random(3 if operation == 0 else 4, dtype, 1), random(4 if operation == 0 else 3, dtype, 2)
        place = on_device(y)
        blas(f"{cublas.LETTERS[dtype]}gemv_v2", operation, 4, 3, scalar(2, dtype), on_device(a), 4, on_device(x), 1,
             scalar(0.5, dtype), place, 1)  # fmt: skip
        close(from_device(place, y), 2 * operated(a, operation) @ x + 0.5 * y)

    @pytest.mark.parametrize("fill", [cublas.LOWER, cublas.UPPER])
    def test_symmetric_and_hermitian_products(self, blas, dtype, fill):
        a, x, y = random((4, 4), dtype), random(4, dtype, 1), random(4, dtype, 2)
        complex_type = dtype in COMPLEX
        place = on_device(y)
        blas(f"{cublas.LETTERS[dtype]}{'hemv' if complex_type else 'symv'}_v2", fill, 4, scalar(2, dtype),
             on_device(a), 4, on_device(x), 1, scalar(1, dtype), place, 1)  # fmt: skip
        close(from_device(place, y), 2 * whole(a, fill, complex_type) @ x + y)

    def test_symmetric_matrices_are_not_conjugated(self, blas, dtype):
        a, x, y = random((4, 4), dtype), random(4, dtype, 1), random(4, dtype, 2)
        letter, lower = cublas.LETTERS[dtype], np.tri(4, dtype=bool)
        place, square = on_device(y), on_device(a)
        blas(f"{letter}symv_v2", cublas.LOWER, 4, scalar(2, dtype), square, 4, on_device(x), -1, scalar(0, dtype),
             place, 1)  # fmt: skip
        close(from_device(place, y), 2 * whole(a, cublas.LOWER, False) @ x[::-1])
        blas(f"{letter}syr_v2", cublas.LOWER, 4, scalar(2, dtype), on_device(x), 1, square, 4)
        updated = a + 2 * np.outer(x, x)
        close(from_device(square, a), np.where(lower, updated, a))
        blas(f"{letter}syr2_v2", cublas.LOWER, 4, scalar(1, dtype), on_device(x), 1, on_device(y), 1, square, 4)
        close(from_device(square, a), np.where(lower, updated + np.outer(x, y) + np.outer(y, x), a))

    def test_outer_products(self, blas, dtype):
        a, x, y = random((4, 3), dtype), random(4, dtype, 1), random(3, dtype, 2)
        place = on_device(a)
        blas(f"{cublas.LETTERS[dtype]}{'geru' if dtype in COMPLEX else 'ger'}_v2", 4, 3, scalar(2, dtype),
             on_device(x), 1, on_device(y), 1, place, 4)  # fmt: skip
        close(from_device(place, a), a + 2 * np.outer(x, y))

    @pytest.mark.parametrize("diagonal", [cublas.NON_UNIT, cublas.UNIT])
    def test_triangles(self, blas, dtype, diagonal):
        a, x = well_conditioned(4, dtype), random(4, dtype, 1)
        place = on_device(x)
        letter = cublas.LETTERS[dtype]
        blas(f"{letter}trmv_v2", cublas.UPPER, cublas.NONE, diagonal, 4, on_device(a), 4, place, 1)
        close(from_device(place, x), triangle(a, cublas.UPPER, diagonal) @ x)
        blas(f"{letter}trsv_v2", cublas.UPPER, cublas.NONE, diagonal, 4, on_device(a), 4, place, 1)
        close(from_device(place, x), x)

    def test_packed_triangles(self, blas, dtype):
        a, x, y = random((4, 4), dtype), random(4, dtype, 1), random(4, dtype, 2)
        packed = np.concatenate([a[: column + 1, column] for column in range(4)])
        place = on_device(y)
        blas(f"{cublas.LETTERS[dtype]}{'hpmv' if dtype in COMPLEX else 'spmv'}_v2", cublas.UPPER, 4,
             scalar(1, dtype), on_device(packed), on_device(x), 1, scalar(0, dtype), place, 1)  # fmt: skip
        close(from_device(place, y), whole(a, cublas.UPPER, dtype in COMPLEX) @ x)

    def test_bands(self, blas, dtype):
        a = np.triu(np.tril(random((4, 4), dtype), 1), -1)
        band = np.zeros((3, 4), dtype)
        for row in range(4):
            for column in range(max(0, row - 1), min(4, row + 2)):
                band[1 + row - column, column] = a[row, column]
        x, y = random(4, dtype, 1), random(4, dtype, 2)
        place = on_device(y)
        blas(f"{cublas.LETTERS[dtype]}gbmv_v2", cublas.NONE, 4, 4, 1, 1, scalar(1, dtype), on_device(band), 3,
             on_device(x), 1, scalar(1, dtype), place, 1)  # fmt: skip
        close(from_device(place, y), a @ x + y)

    def test_rank_one_updates(self, blas, dtype):
        a, x = random((4, 4), dtype), random(4, dtype, 1)
        place = on_device(a)
        letter, real = cublas.LETTERS[dtype], cublas.REALS[dtype]
        blas(f"{letter}{'her' if dtype in COMPLEX else 'syr'}_v2", cublas.LOWER, 4, scalar(2, real),
             on_device(x), 1, place, 4)  # fmt: skip
        updated = a + 2 * np.outer(x, x.conj())
        if dtype in COMPLEX:
            np.fill_diagonal(updated, updated.diagonal().real)
        close(from_device(place, a), np.where(np.tri(4, dtype=bool), updated, a))


@pytest.mark.parametrize("dtype", TYPES)
class TestMatrices:
    @pytest.mark.parametrize("op_a", [cublas.NONE, cublas.TRANSPOSED, cublas.CONJUGATED])
    @pytest.mark.parametrize("op_b", [cublas.NONE, cublas.TRANSPOSED])
    def test_gemm(self, blas, dtype, op_a, op_b):
        m, n, k = 4, 5, 3
        a = random((m, k) if op_a == 0 else (k, m), dtype)
        b = random((k, n) if op_b == 0 else (n, k), dtype, 1)
        c = random((m, n), dtype, 2)
        place = on_device(c)
        blas(f"{cublas.LETTERS[dtype]}gemm_v2", op_a, op_b, m, n, k, scalar(2, dtype), on_device(a), len(a),
             on_device(b), len(b), scalar(0.5, dtype), place, m)  # fmt: skip
        close(from_device(place, c), 2 * operated(a, op_a) @ operated(b, op_b) + 0.5 * c)

    def test_symmetric_products(self, blas, dtype):
        a, b, c = random((4, 4), dtype), random((4, 3), dtype, 1), random((4, 3), dtype, 2)
        place = on_device(c)
        blas(f"{cublas.LETTERS[dtype]}symm_v2", cublas.LEFT, cublas.LOWER, 4, 3, scalar(1, dtype), on_device(a), 4,
             on_device(b), 4, scalar(1, dtype), place, 4)  # fmt: skip
        close(from_device(place, c), whole(a, cublas.LOWER, False) @ b + c)

    def test_rank_k_updates_write_one_triangle(self, blas, dtype):
        a, b, c = random((4, 3), dtype), random((4, 3), dtype, 1), random((4, 4), dtype, 2)
        letter = cublas.LETTERS[dtype]
        upper = np.tri(4, dtype=bool).T
        place = on_device(c)
        blas(f"{letter}syrk_v2", cublas.UPPER, cublas.NONE, 4, 3, scalar(2, dtype), on_device(a), 4,
             scalar(1, dtype), place, 4)  # fmt: skip
        close(from_device(place, c), np.where(upper, 2 * a @ a.T + c, c))
        place = on_device(c)
        blas(f"{letter}syr2k_v2", cublas.UPPER, cublas.NONE, 4, 3, scalar(1, dtype), on_device(a), 4, on_device(b), 4,
             scalar(0, dtype), place, 4)  # fmt: skip
        close(from_device(place, c), np.where(upper, a @ b.T + b @ a.T, c))

    @pytest.mark.parametrize("side", [cublas.LEFT, cublas.RIGHT])
    def test_triangular_products_and_solutions(self, blas, dtype, side):
        a, b = well_conditioned(4 if side == cublas.LEFT else 3, dtype), random((4, 3), dtype, 1)
        lower = triangle(a, cublas.LOWER)
        product, source = on_device(np.zeros_like(b)), on_device(b)
        letter = cublas.LETTERS[dtype]
        shape = (side, cublas.LOWER, cublas.NONE, cublas.NON_UNIT, 4, 3, scalar(2, dtype), on_device(a), len(a))
        blas(f"{letter}trmm_v2", *shape, source, 4, product, 4)
        close(from_device(product, b), 2 * (lower @ b if side == cublas.LEFT else b @ lower))
        close(from_device(source, b), b)
        shape = (*shape[:6], scalar(0.5, dtype), *shape[7:])
        blas(f"{letter}trsm_v2", *shape, product, 4)
        close(from_device(product, b), b)

    def test_sums_and_turned_matrices(self, blas, dtype):
        a, b = random((3, 4), dtype), random((4, 3), dtype, 1)
        place = on_device(np.zeros((4, 3), dtype))
        blas(f"{cublas.LETTERS[dtype]}geam", cublas.CONJUGATED, cublas.NONE, 4, 3, scalar(2, dtype), on_device(a), 3,
             scalar(3, dtype), on_device(b), 4, place, 4)  # fmt: skip
        close(from_device(place, b), 2 * a.conj().T + 3 * b)

    def test_rows_times_a_vector(self, blas, dtype):
        a, x = random((4, 3), dtype), random(4, dtype, 1)
        place = on_device(np.zeros_like(a))
        blas(f"{cublas.LETTERS[dtype]}dgmm", cublas.LEFT, 4, 3, on_device(a), 4, on_device(x), 1, place, 4)
        close(from_device(place, a), x[:, None] * a)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_hermitian_updates(blas, dtype):
    a, c = random((4, 3), dtype), random((4, 4), dtype, 2)
    place, real = on_device(c), cublas.REALS[dtype]
    blas(f"{cublas.LETTERS[dtype]}herk_v2", cublas.LOWER, cublas.NONE, 4, 3, scalar(2, real), on_device(a), 4,
         scalar(0, real), place, 4)  # fmt: skip
    close(from_device(place, c), np.where(np.tri(4, dtype=bool), 2 * a @ a.conj().T, c))


@pytest.mark.parametrize("major", [12, 13])
def test_versions_and_settings(major):
    with cublas.handle(major) as blas:
        version, mode, stream = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
        blas("GetVersion_v2", ctypes.byref(version))
        assert version.value // 10000 == major
        blas("SetMathMode", 3)
        blas("GetMathMode", ctypes.byref(mode))
        assert mode.value == 3
        own = cuda.Stream()
        blas("SetStream_v2", ctypes.c_void_p(own.handle))
        blas("GetStream_v2", ctypes.byref(stream))
        assert stream.value == own.handle
        blas.library.cublasGetStatusName.restype = ctypes.c_char_p
        assert blas.library.cublasGetStatusName(13) == b"CUBLAS_STATUS_EXECUTION_FAILED"


def test_mistakes_have_their_statuses(blas):
    x, a = on_device(random(4, "f4")), on_device(random((4, 4), "f4"))
    one, number = scalar(1, "f4"), np.zeros(1, "f4")
    host = random(4, "f4")
    gemm = (cublas.NONE, cublas.NONE)
    assert blas.status("Saxpy_v2", 4, one, host, 1, x, 1) == cublas.EXECUTION_FAILED
    assert blas.status("Saxpy_v2", 5, one, x, 1, x, 1) == cublas.EXECUTION_FAILED
    assert blas.status("Saxpy_v2", 4, None, x, 1, x, 1) == cublas.INVALID_VALUE
    assert blas.status("Snrm2_v2", 4, x, 1, None) == cublas.INVALID_VALUE
    assert blas.status("Sgemm_v2", *gemm, 4, 4, 4, one, a, 3, a, 4, one, a, 4) == cublas.INVALID_VALUE
    assert blas.status("Sgemm_v2", *gemm, -1, 4, 4, one, a, 4, a, 4, one, a, 4) == cublas.INVALID_VALUE
    assert blas.status("Sgemm_v2", 7, 0, 4, 4, 4, one, a, 4, a, 4, one, a, 4) == cublas.INVALID_VALUE
    assert blas.status("Strsv_v2", 5, 0, 0, 4, a, 4, x, 1) == cublas.INVALID_VALUE
    assert blas.status("SetPointerMode_v2", 9) == cublas.INVALID_VALUE
    assert blas.library.cublasSnrm2_v2(None, 4, ctypes.c_void_p(int(x)), 1, None) == cublas.NOT_INITIALIZED
    blas("Snrm2_v2", 0, None, 1, number)
    assert number[0] == 0


def test_a_graph_repeats_captured_work(blas):
    stream = cuda.Stream()
    x, y = random(4, "f8"), random(4, "f8", 1)
    source, place = on_device(x), on_device(y)
    blas("SetStream_v2", ctypes.c_void_p(stream.handle))
    stream.begin_capture()
    blas("Daxpy_v2", 4, scalar(2, "f8"), source, 1, place, 1)
    assert blas.status("Dnrm2_v2", 4, source, 1, np.zeros(1)) == cublas.NOT_SUPPORTED
    graph = stream.end_capture().instantiate()
    for _ in range(3):
        graph.launch(stream)
    stream.synchronize()
    close(from_device(place, y), y + 6 * x)


def test_vectors_and_matrices_are_copied_with_their_distances(blas):
    library = blas.library
    x, a = random(8, "f4"), random((3, 4), "f4")
    place = cuda.mem_alloc(64)
    result = np.zeros(8, "f4")
    assert library.cublasSetVector(4, 4, cublas.argument(x), 2, cublas.argument(place), 1) == 0
    assert library.cublasGetVector(4, 4, cublas.argument(place), 1, cublas.argument(result), 2) == 0
    np.testing.assert_array_equal(result[::2], x[::2])
    wide = np.zeros((5, 4), "f4", order="F")
    assert library.cublasSetMatrix(3, 4, 4, cublas.argument(a), 3, cublas.argument(place), 4) == 0
    assert library.cublasGetMatrix(3, 4, 4, cublas.argument(place), 4, cublas.argument(wide), 5) == 0
    np.testing.assert_array_equal(wide[:3], a)
    assert library.cublasSetVector(4, 4, cublas.argument(x), 0, cublas.argument(place), 1) == cublas.INVALID_VALUE


def test_the_interface_without_handles_is_refused_by_name(blas, capfd):
    assert blas.library.cublasInit() == cublas.NOT_SUPPORTED
    assert blas.library.cublasChpr2() == cublas.NOT_SUPPORTED
    assert "cublasChpr2 is not supported: it belongs to cuBLAS's interface without handles" in capfd.readouterr().err
