# SPDX-License-Identifier: MIT
"""cuBLASLt of the CPU driver: products of every type, order, batch and scale, compared with NumPy's."""

import ctypes

import cublaslt_calls as calls
import ml_dtypes
import numpy as np
import pycuda.driver as cuda
import pytest
from cublaslt_calls import COLUMNS, COMPUTE_16, COMPUTE_32, COMPUTE_64, COMPUTE_INT, COMPUTE_TF32, Matrices
from programs import is_cpu

BFLOAT16 = ml_dtypes.bfloat16
# Compute type, scale type, type of A and B, type of C and D.
PRODUCTS = [
    (COMPUTE_32, "f4", "f4", "f4"),
    (COMPUTE_64, "f8", "f8", "f8"),
    (COMPUTE_32, "c8", "c8", "c8"),
    (COMPUTE_64, "c16", "c16", "c16"),
    (COMPUTE_TF32, "f4", "f4", "f4"),
    (COMPUTE_16, "f2", "f2", "f2"),
    (COMPUTE_32, "f4", "f2", "f2"),
    (COMPUTE_32, "f4", "f2", "f4"),
    (COMPUTE_32, "f4", BFLOAT16, BFLOAT16),
    (COMPUTE_32, "f4", BFLOAT16, "f4"),
    (COMPUTE_32, "f4", "i1", "f4"),
    (COMPUTE_INT, "i4", "i1", "i4"),
    (COMPUTE_INT, "f4", "i1", "i1"),
]


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def lt():
    one = calls.Lt(calls.library())
    yield one
    one.close()


def numbers(shape, dtype, seed=0):
    generator = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "i":
        return generator.integers(-4, 5, shape).astype(dtype)
    values = generator.integers(-8, 9, shape) / 8
    if np.dtype(dtype).kind == "c":
        values = values + 1j * generator.integers(-8, 9, shape) / 8
    return values.astype(dtype)


def exact(values):
    """As double, or complex double."""
    return np.asarray(values).astype("c16" if np.asarray(values).dtype.kind == "c" else "f8")


def operated(values, operation):
    swapped = np.swapaxes(values, -1, -2)
    return (values, swapped, swapped.conj())[operation]


def stored(values, operation):
    """The matrix whose op() these are."""
    return np.ascontiguousarray(operated(values, operation))


def close(result, expected):
    coarse = {np.dtype("f2"): 2e-3, np.dtype(BFLOAT16): 1e-2, np.dtype("f4"): 1e-5, np.dtype("c8"): 1e-5}
    tolerance = coarse.get(result.dtype, 1e-13)
    np.testing.assert_allclose(exact(result), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("order", [COLUMNS, calls.ROWS], ids=["columns", "rows"])
@pytest.mark.parametrize("operation", [(0, 0), (1, 0), (0, 1), (2, 2)], ids=["NN", "TN", "NT", "CC"])
@pytest.mark.parametrize("compute, scale, ab, cd", PRODUCTS)
def test_products_of_all_types(lt, compute, scale, ab, cd, operation, order):
    m, n, k = 8, 12, 16
    a, b, c = numbers((m, k), ab, 1), numbers((k, n), ab, 2), numbers((m, n), cd, 3)
    if np.dtype(ab).kind != "c":
        operation = [min(one, 1) for one in operation]
    left, right, old = (Matrices(lt, stored(a, operation[0]), order), Matrices(lt, stored(b, operation[1]), order),
                        Matrices(lt, c, order))  # fmt: skip
    result = Matrices(lt, np.zeros_like(c), order)
    assert lt.multiply(compute, left, right, old, result, 2, 1, scale,
                       operation_a=operation[0], operation_b=operation[1]) == 0  # fmt: skip
    expected = 2 * (exact(a) @ exact(b)) + exact(c)
    close(result.get()[0], np.clip(expected, -128, 127) if np.dtype(cd) == "i1" else expected)
    assert (old.get()[0] == c).all()


@pytest.mark.parametrize("order", [calls.TILES_32, calls.TILES_32_BY_32], ids=["tiles", "tiles of 32 rows"])
def test_tiles(lt, order):
    a, b = numbers((40, 64), "i1", 1), numbers((64, 70), "i1", 2)
    result = Matrices(lt, np.zeros((40, 70), "i4"), calls.TILES_32)
    assert lt.multiply(COMPUTE_INT, Matrices(lt, a, calls.TILES_32), Matrices(lt, b.T.copy(), order), result,
                       scale="i4", operation_b=calls.TRANSPOSED) == 0  # fmt: skip
    assert (result.get()[0] == a.astype("i4") @ b.astype("i4")).all()


@pytest.mark.parametrize("a_order", [COLUMNS, calls.ROWS])
@pytest.mark.parametrize("d_order", [COLUMNS, calls.ROWS])
def test_orders_may_differ(lt, a_order, d_order):
    a, b, c = numbers((5, 3), "f4", 1), numbers((3, 7), "f4", 2), numbers((5, 7), "f4", 3)
    result = Matrices(lt, np.zeros_like(c), d_order)
    assert lt.multiply(COMPUTE_32, Matrices(lt, a, a_order), Matrices(lt, b), Matrices(lt, c), result, beta=3) == 0
    close(result.get()[0], exact(a) @ exact(b) + 3 * exact(c))


@pytest.mark.parametrize("mode", [calls.BY_STRIDES, calls.BY_POINTERS], ids=["strides", "pointers"])
def test_batches(lt, mode):
    a, b, c = numbers((3, 4, 6), "f8", 1), numbers((3, 6, 5), "f8", 2), numbers((3, 4, 5), "f8", 3)
    places = [Matrices(lt, values, mode=mode) for values in (a, b, c)]
    assert lt.multiply(COMPUTE_64, *places, alpha=-1, beta=0.5) == 0
    close(places[2].get(), 0.5 * c - a @ b)


def test_one_matrix_for_all_of_a_batch(lt):
    a, b = numbers((4, 6), "f4", 1), numbers((3, 6, 5), "f4", 2)
    left, result = Matrices(lt, np.stack([a] * 3)), Matrices(lt, np.zeros((3, 4, 5), "f4"))
    left.set(6, ctypes.c_int64(0))
    assert lt.multiply(COMPUTE_32, left, Matrices(lt, b), result) == 0
    close(result.get(), exact(a) @ exact(b))


def test_scalars_of_the_device(lt):
    a, b, c = numbers((4, 6), "f4", 1), numbers((6, 5), "f4", 2), numbers((4, 5), "f4", 3)
    vectors = [numbers((4,), "f4", seed) for seed in (4, 5)]
    expected = exact(a) @ exact(b)
    column = [exact(vector)[:, None] for vector in vectors]
    for mode, alpha, beta, right in [
        (calls.DEVICE, vectors[0][:1], vectors[1][:1], column[0][0] * expected + column[1][0] * exact(c)),
        (calls.DEVICE_VECTORS, *vectors, column[0] * expected + column[1] * exact(c)),
        (calls.DEVICE_VECTOR_AND_ZERO, vectors[0], None, column[0] * expected),
        (calls.DEVICE_VECTOR_AND_HOST, vectors[0], 2, column[0] * expected + 2 * exact(c)),
    ]:
        result = Matrices(lt, c)
        held = [calls.on_device(one) if isinstance(one, np.ndarray) else one for one in (alpha, beta)]
        assert lt.multiply(COMPUTE_32, Matrices(lt, a), Matrices(lt, b), result, None, held[0],
                           0 if held[1] is None else held[1], pointer_mode=mode) == 0  # fmt: skip
        close(result.get()[0], right)


def test_what_is_not_kept_is_not_read(lt):
    a, b = numbers((4, 6), "f4", 1), numbers((6, 5), "f4", 2)
    result = Matrices(lt, np.full((4, 5), np.nan, "f4"))
    assert lt.multiply(COMPUTE_32, Matrices(lt, a), Matrices(lt, b), result) == 0
    close(result.get()[0], exact(a) @ exact(b))
    nothing = Matrices(lt, np.full((4, 5), np.nan, "f4"))
    nothing.base = None
    assert lt.multiply(COMPUTE_32, Matrices(lt, a), Matrices(lt, b), nothing, result) == 0


def test_integers_wrap(lt):
    a, b = np.full((16, 16), 127, "i1"), np.full((16, 16), 127, "i1")
    result = Matrices(lt, np.zeros((16, 16), "i4"))
    factor = 1 << 20
    assert lt.multiply(COMPUTE_INT, Matrices(lt, a), Matrices(lt, b), result, None, factor, 0, "i4",
                       operation_a=1) == 0  # fmt: skip
    wrapped = (127 * 127 * 16 * factor + 2**31) % 2**32 - 2**31
    assert (result.get() == wrapped).all()


def test_work_runs_in_the_order_of_its_stream_and_in_graphs(lt):
    a, b = numbers((4, 6), "f4", 1), numbers((6, 5), "f4", 2)
    places = [Matrices(lt, values) for values in (a, b, np.zeros((4, 5), "f4"))]
    stream = cuda.Stream()
    assert lt.multiply(COMPUTE_32, *places, stream=ctypes.c_void_p(stream.handle)) == 0
    stream.synchronize()
    close(places[2].get()[0], exact(a) @ exact(b))
    stream.begin_capture()
    assert lt.multiply(COMPUTE_32, *places, beta=1, stream=ctypes.c_void_p(stream.handle)) == 0
    graph = stream.end_capture().instantiate()
    graph.launch(stream)
    graph.launch(stream)
    stream.synchronize()
    close(places[2].get()[0], 3 * exact(a) @ exact(b))


@pytest.mark.parametrize(
    "source, target", [(COLUMNS, calls.ROWS), (COLUMNS, calls.TILES_32), (calls.TILES_32_BY_32, 0)]
)
@pytest.mark.parametrize("kind", [("i1", "i1", "i4"), ("f4", "f2", "f4"), ("c8", "c8", "c8")])
def test_transforms(lt, source, target, kind):
    a, b = numbers((40, 70), kind[0], 1), numbers((70, 40), kind[0], 2)
    result, how = Matrices(lt, np.zeros((40, 70), kind[1]), target), ctypes.c_void_p()
    lt.check("MatrixTransformDescCreate", ctypes.byref(how), calls.TYPES[np.dtype(kind[2])])
    transposed = ctypes.c_int32(calls.TRANSPOSED)
    lt.check("MatrixTransformDescSetAttribute", how, 3, ctypes.byref(transposed), ctypes.c_size_t(4))
    alpha, beta = np.array(2, kind[2]), np.array(3, kind[2])
    first, second = Matrices(lt, a, source), Matrices(lt, b)
    arguments = [lt.handle, how, ctypes.c_void_p(alpha.ctypes.data), calls.address(first.memory), first.layout,
                 ctypes.c_void_p(beta.ctypes.data), calls.address(second.memory), second.layout,
                 calls.address(result.memory), result.layout, None]  # fmt: skip
    lt.check("MatrixTransform", *arguments)
    close(result.get()[0], 2 * exact(a) + 3 * exact(b).T)
    arguments[6:8] = None, None
    lt.check("MatrixTransform", *arguments)
    close(result.get()[0], 2 * exact(a))
    lt.check("MatrixTransformDescDestroy", how)


@pytest.mark.parametrize("major", [12, 13])
def test_versions(major):
    library = calls.library(major)
    value = ctypes.c_int()
    assert library.cublasLtGetVersion() // 10000 == major
    assert library.cublasLtGetProperty(0, ctypes.byref(value)) == 0 and value.value == major
