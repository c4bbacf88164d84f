# SPDX-License-Identifier: MIT
"""cuSPARSE of the CPU driver: sparse vectors, sparse results and systems with several right sides."""

import ctypes

import numpy as np
import pytest
from cusparse_calls import (
    COLUMNS,
    EXECUTION_FAILED,
    INVALID_VALUE,
    NOT_SUPPORTED,
    ROWS,
    TYPES,
    by,
    close,
    i64,
    numbers,
    opened,
    operated,
    scalars,
    sparse,
)


@pytest.fixture
def lib(context):
    with opened() as one:
        yield one


def sparse_vector(lib, dense, index="i4", base=0):
    indices = np.flatnonzero(dense)
    made, place = ctypes.c_void_p(), lib.place(dense[indices])
    lib.check("CreateSpVec", by(made), i64(dense.size), i64(len(indices)), lib.place((indices + base).astype(index)),
              place, 3 if index == "i8" else 2, base, TYPES[dense.dtype.str[1:]])  # fmt: skip
    return made, place, indices


@pytest.mark.parametrize("index, base", [("i4", 0), ("i4", 1), ("i8", 1)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "f2"])
def test_sparse_vectors_with_dense_ones(lib, dtype, index, base):
    dense, y = sparse(20, dtype, 4), numbers(20, dtype, 5)
    compute = "f4" if dtype == "f2" else dtype
    x, place, indices = sparse_vector(lib, dense, index, base)
    vy, dense_place = lib.vector(y)
    with scalars(2, 3, compute) as (alpha, beta):
        lib.check("Axpby", lib.handle, alpha, x, beta, vy)
    expected = 2 * dense.astype(compute) + 3 * y.astype(compute)
    close(lib.get(dense_place, 20, dtype), expected)

    lib.check("Gather", lib.handle, vy, x)
    close(lib.get(place, len(indices), dtype), expected[indices].astype(dtype))

    zeros, target = lib.vector(np.zeros(20, dtype))
    lib.check("Scatter", lib.handle, x, zeros)
    scattered = np.zeros(20, dtype)
    scattered[indices] = expected[indices]
    close(lib.get(target, 20, dtype), scattered)


def test_a_dense_vector_that_is_not_kept_is_not_read(lib):
    dense = sparse(20, "f8", 4)
    vy, place = lib.vector(np.full(20, np.nan))
    with scalars(2, 0, "f8") as (alpha, beta):
        lib.check("Axpby", lib.handle, alpha, sparse_vector(lib, dense)[0], beta, vy)
    close(lib.get(place, 20, "f8"), 2 * dense)


def test_rotation_of_vectors(lib):
    dense, y = sparse(20, "f8", 4), numbers(20, "f8", 5)
    x, place, indices = sparse_vector(lib, dense)
    vy, dense_place = lib.vector(y)
    with scalars(0.6, 0.8, "f8") as (cosine, sine):
        lib.check("Rot", lib.handle, cosine, sine, x, vy)
    close(lib.get(place, len(indices), "f8"), 0.6 * dense[indices] + 0.8 * y[indices])
    rotated = y.copy()
    rotated[indices] = 0.6 * y[indices] - 0.8 * dense[indices]
    close(lib.get(dense_place, 20, "f8"), rotated)


@pytest.mark.parametrize("operation", [0, 2])
@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_dot_products_of_vectors(lib, dtype, operation):
    dense, y = sparse(20, dtype, 4), numbers(20, dtype, 5)
    (x, _, _), (vy, _), size = sparse_vector(lib, dense), lib.vector(y), ctypes.c_size_t()
    result = np.zeros(1, dtype)
    arguments = lib.handle, operation, x, vy, ctypes.c_void_p(result.ctypes.data), TYPES[dtype]
    lib.check("SpVV_bufferSize", *arguments, by(size))
    lib.check("SpVV", *arguments, None)
    close(result[0], (dense.conj() if operation else dense) @ y)


def test_mistakes_with_sparse_vectors_have_their_statuses(lib):
    dense, made = sparse(20, "f4", 4), ctypes.c_void_p()
    x, _, _ = sparse_vector(lib, dense)
    short, _ = lib.vector(np.zeros(19, "f4"))
    wide, _ = lib.vector(np.zeros(20, "f8"))
    right, _ = lib.vector(np.zeros(20, "f4"))
    assert lib.status("Gather", lib.handle, short, x) == INVALID_VALUE
    assert lib.status("Gather", lib.handle, wide, x) == NOT_SUPPORTED
    assert lib.status("CreateSpVec", by(made), i64(3), i64(4), None, None, 2, 0, 0) == INVALID_VALUE
    assert lib.status("DestroySpVec", x) == 0 and lib.status("DestroySpVec", x) == INVALID_VALUE


@pytest.mark.parametrize("operations", [(0, 0), (1, 0), (0, 2)])
@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize("form", ["csr", "csc"])
def test_sampled_products(lib, form, dtype, operations):
    c = sparse((7, 5), dtype)
    a, b = numbers((7, 4), dtype, 2), numbers((4, 5), dtype, 3)
    stored = [np.ascontiguousarray(operated(one, way)) for one, way in zip((a, b), operations, strict=True)]
    (ma, _), (mb, _), matrix, size = lib.dense(stored[0]), lib.dense(stored[1], ROWS), lib.matrix(c, form), i64(0)
    with scalars(2, 3, dtype) as (alpha, beta):
        arguments = lib.handle, *operations, alpha, ma, mb, beta, matrix, TYPES[dtype], 0
        lib.check("SDDMM_bufferSize", *arguments, by(size))
        lib.check("SDDMM_preprocess", *arguments, None)
        lib.check("SDDMM", *arguments, None)
    dense, place = lib.dense(np.zeros_like(c))
    lib.check("SparseToDense", lib.handle, matrix, dense, 0, None)
    close(lib.dense_values(place, c.shape, dtype), 2 * (a @ b) * (c != 0) + 3 * c)


def batched_csr(lib, pattern, values):
    """The descriptor of matrices with one pattern each, one behind the other."""
    offsets = np.concatenate([[0], np.cumsum(np.count_nonzero(pattern, axis=1))]).astype("i4")
    columns = np.nonzero(pattern)[1].astype("i4")
    made, place, count = ctypes.c_void_p(), lib.place(values), len(values)
    lib.check("CreateCsr", by(made), i64(pattern.shape[0]), i64(pattern.shape[1]), i64(len(columns)),
              lib.place(np.tile(offsets, count)), lib.place(np.tile(columns, count)), place, 2, 2, 0, 1)  # fmt: skip
    lib.check("CsrSetStridedBatch", made, count, i64(len(offsets)), i64(len(columns)))
    return made, place


def test_batches_of_sparse_matrices(lib):
    pattern = sparse((4, 4), "f8") != 0
    entries = np.count_nonzero(pattern)
    values = numbers((2, entries), "f8", 1)
    matrix, place = batched_csr(lib, pattern, values)
    count = ctypes.c_int()
    lib.check("SpMatGetStridedBatch", matrix, by(count))
    assert count.value == 2
    dense = np.zeros((2, 4, 4))
    dense[:, pattern] = values
    b = numbers((2, 4, 3), "f8", 2)
    descriptors = []
    for one in (b, np.zeros_like(b)):
        made, memory = ctypes.c_void_p(), lib.place(one.transpose(0, 2, 1))
        lib.check("CreateDnMat", by(made), i64(4), i64(3), i64(4), memory, 1, COLUMNS)
        lib.check("DnMatSetStridedBatch", made, 2, i64(12))
        descriptors.append((made, memory))
    with scalars(1, 0, "f8") as (alpha, beta):
        (left, _), (right, result) = descriptors
        lib.check("SpMM", lib.handle, 0, 0, alpha, matrix, left, beta, right, 1, 0, None)
        product = dense @ b
        close(lib.get(result, (2, 3, 4), "f8").transpose(0, 2, 1), product)
        lib.check("SDDMM", lib.handle, 0, 1, alpha, right, left, beta, matrix, 1, 0, None)
    sampled = product @ b.transpose(0, 2, 1)
    close(lib.get(place, (2, entries), "f8"), sampled[:, pattern])


@pytest.mark.parametrize("dtype, index", [("f4", "i4"), ("c16", "i8")])
def test_products_of_sparse_matrices(lib, dtype, index):
    a, b = sparse((7, 5), dtype), sparse((5, 6), dtype, 3)
    c, plan, size, entries = lib.matrix(np.zeros((7, 6), dtype), index=index), ctypes.c_void_p(), i64(0), i64(0)
    lib.check("SpGEMM_createDescr", by(plan))
    with scalars(2, 0, dtype) as (alpha, beta):
        arguments = (lib.handle, 0, 0, alpha, lib.matrix(a, index=index), lib.matrix(b, index=index), beta, c,
                     TYPES[dtype], 0, plan)  # fmt: skip
        buffer = lib.place(np.zeros(64, "u1"))
        for step in ("workEstimation", "compute"):
            lib.check(f"SpGEMM_{step}", *arguments, by(size), None)
            lib.check(f"SpGEMM_{step}", *arguments, by(size), buffer)
        lib.check("SpMatGetSize", c, None, None, by(entries))
        pattern = (a != 0).astype(int) @ (b != 0).astype(int)
        assert entries.value == np.count_nonzero(pattern)
        count = entries.value
        lib.check("CsrSetPointers", c, lib.place(np.zeros(8, index)), lib.place(np.zeros(count, index)),
                  lib.place(np.zeros(count, dtype)))  # fmt: skip
        lib.check("SpGEMM_copy", *arguments)
        products = i64(0)
        lib.check("SpGEMM_getNumProducts", plan, by(products))
        assert products.value == pattern.sum()
    dense, place = lib.dense(np.zeros((7, 6), dtype))
    lib.check("SparseToDense", lib.handle, c, dense, 0, None)
    close(lib.dense_values(place, (7, 6), dtype), 2 * a @ b)
    with scalars(2, 1, dtype) as (alpha, beta):
        kept = (*arguments[:3], alpha, *arguments[4:6], beta, *arguments[7:], by(size), buffer)
        assert lib.status("SpGEMM_compute", *kept) == NOT_SUPPORTED
    lib.check("SpGEMM_destroyDescr", plan)


@pytest.mark.parametrize("fill", [0, 1], ids=["lower", "upper"])
@pytest.mark.parametrize("operations", [(0, 0), (1, 0), (2, 2), (0, 1)])
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_triangular_systems_with_several_right_sides(lib, dtype, operations, fill):
    a = sparse((6, 6), dtype) + 4 * np.eye(6, dtype=dtype)
    triangle = np.triu(a) if fill else np.tril(a)
    b = numbers((6, 3), dtype, 2)
    matrix, (mb, _) = lib.matrix(a), lib.dense(np.ascontiguousarray(operated(b, operations[1])), ROWS)
    mx, place = lib.dense(np.zeros((6, 3), dtype))
    lib.check("SpMatSetAttribute", matrix, 0, by(ctypes.c_int(fill)), ctypes.c_size_t(4))
    plan, size = ctypes.c_void_p(), i64(0)
    lib.check("SpSM_createDescr", by(plan))
    with scalars(3, 0, dtype) as (alpha, _):
        arguments = lib.handle, *operations, alpha, matrix, mb, mx, TYPES[dtype], 0, plan
        assert lib.status("SpSM_solve", *arguments) == INVALID_VALUE
        lib.check("SpSM_bufferSize", *arguments, by(size))
        lib.check("SpSM_analysis", *arguments, None)
        lib.check("SpSM_solve", *arguments)
    close(lib.dense_values(place, (6, 3), dtype), np.linalg.solve(operated(triangle, operations[0]), 3 * b))
    lib.check("SpSM_destroyDescr", plan)


def test_an_index_outside_of_a_vector_fails_the_work(lib):
    made = ctypes.c_void_p()
    lib.check("CreateSpVec", by(made), i64(20), i64(1), lib.place(np.array([25], "i4")), lib.place(np.ones(1, "f4")),
              2, 0, 0)  # fmt: skip
    right, _ = lib.vector(np.zeros(20, "f4"))
    assert lib.status("SpVV", lib.handle, 0, made, right, by(ctypes.c_float()), 0, None) == EXECUTION_FAILED
