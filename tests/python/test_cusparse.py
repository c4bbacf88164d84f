# SPDX-License-Identifier: MIT
"""cuSPARSE of the CPU driver: the generic interface, compared with dense matrices of NumPy."""

import ctypes

import numpy as np
import pycuda.driver as cuda
import pytest
from cusparse_calls import (
    COLUMNS,
    EXECUTION_FAILED,
    FORMATS,
    INVALID_VALUE,
    NOT_INITIALIZED,
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

PRODUCTS = [("f4", "f4", "f4"), ("f8", "f8", "f8"), ("c8", "c8", "c8"), ("c16", "c16", "c16"), ("f2", "f2", "f4"),
            ("f2", "f4", "f4"), ("i1", "i4", "i4"), ("i1", "f4", "f4")]  # fmt: skip


@pytest.fixture
def lib(context):
    with opened() as one:
        yield one


@pytest.mark.parametrize("operation", [0, 1, 2])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("types", PRODUCTS, ids="-".join)
def test_products_with_vectors(lib, types, form, operation):
    a = sparse((7, 5), types[0])
    effective = operated(a, operation)
    x, y = numbers(effective.shape[1], types[0], 2), numbers(effective.shape[0], types[1], 3)
    matrix, (vx, _), (vy, place) = lib.matrix(a, form), lib.vector(x), lib.vector(y)
    size = ctypes.c_size_t()
    with scalars(2, 3, types[2]) as (alpha, beta):
        arguments = lib.handle, operation, alpha, matrix, vx, beta, vy, TYPES[types[2]], 0
        lib.check("SpMV_bufferSize", *arguments, by(size))
        buffer = lib.place(np.zeros(size.value, np.uint8))
        lib.check("SpMV_preprocess", *arguments, buffer)
        lib.check("SpMV", *arguments, buffer)
    wide = "c16" if types[0][0] == "c" else "f8"
    close(lib.get(place, y.shape, y.dtype), 2 * (effective.astype(wide) @ x.astype(wide)) + 3 * y.astype(wide))


@pytest.mark.parametrize("index, base", [("i4", 1), ("i8", 0), ("i8", 1)])
@pytest.mark.parametrize("form", FORMATS)
def test_indices(lib, form, index, base):
    a, x = sparse((7, 5), "f8"), numbers(5, "f8", 2)
    y = np.full(7, np.nan)
    matrix, (vx, _), (vy, place) = lib.matrix(a, form, index, base), lib.vector(x), lib.vector(y)
    with scalars(1, 0, "f8") as (alpha, beta):
        lib.check("SpMV", lib.handle, 0, alpha, matrix, vx, beta, vy, 1, 0, None)
    close(lib.get(place, 7, "f8"), a @ x)  # y is not read when it is not kept


@pytest.mark.parametrize("orders", [(COLUMNS, COLUMNS), (ROWS, ROWS), (ROWS, COLUMNS)])
@pytest.mark.parametrize("operations", [(0, 0), (1, 0), (0, 1), (2, 2)])
@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize("form", FORMATS)
def test_products_with_matrices(lib, form, dtype, operations, orders):
    a = sparse((7, 5), dtype)
    effective = operated(a, operations[0])
    b, c = numbers((effective.shape[1], 3), dtype, 2), numbers((effective.shape[0], 3), dtype, 3)
    stored = np.ascontiguousarray(operated(b, operations[1]))
    matrix, (mb, _), (mc, place) = lib.matrix(a, form), lib.dense(stored, orders[0]), lib.dense(c, orders[1])
    size = ctypes.c_size_t()
    with scalars(2, 1, dtype) as (alpha, beta):
        arguments = lib.handle, *operations, alpha, matrix, mb, beta, mc, TYPES[dtype], 0
        lib.check("SpMM_bufferSize", *arguments, by(size))
        lib.check("SpMM", *arguments, None)
    close(lib.dense_values(place, c.shape, dtype, orders[1]), 2 * effective @ b + c)


def test_batches_of_dense_matrices(lib):
    a, b = sparse((4, 4), "f8"), numbers((2, 4, 3), "f8", 2)
    mb, mc = lib.dense(b.transpose(0, 2, 1).reshape(6, 4).T), lib.dense(np.zeros((4, 6)))
    places = []
    for _, place in (mb, mc):
        made = ctypes.c_void_p()
        lib.check("CreateDnMat", by(made), i64(4), i64(3), i64(4), place, 1, COLUMNS)
        lib.check("DnMatSetStridedBatch", made, 2, i64(12))
        places.append(made)
    with scalars(1, 0, "f8") as (alpha, beta):
        lib.check("SpMM", lib.handle, 0, 0, alpha, lib.matrix(a), places[0], beta, places[1], 1, 0, None)
    close(lib.get(mc[1], (2, 3, 4), "f8").transpose(0, 2, 1), a @ b)


@pytest.mark.parametrize("unit", [0, 1], ids=["diagonal", "unit"])
@pytest.mark.parametrize("fill", [0, 1], ids=["lower", "upper"])
@pytest.mark.parametrize("operation", [0, 1, 2])
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_triangular_systems(lib, dtype, form, operation, fill, unit):
    a = sparse((6, 6), dtype) + 4 * np.eye(6, dtype=dtype)  # the other triangle does not count
    triangle = np.triu(a) if fill else np.tril(a)
    if unit:
        np.fill_diagonal(triangle, 1)
    x = numbers(6, dtype, 2)
    matrix, (vx, _), (vy, place) = lib.matrix(a, form), lib.vector(x), lib.vector(np.zeros(6, dtype))
    for attribute, value in enumerate([fill, unit]):
        lib.check("SpMatSetAttribute", matrix, attribute, by(ctypes.c_int(value)), ctypes.c_size_t(4))
    plan, size = ctypes.c_void_p(), ctypes.c_size_t()
    lib.check("SpSV_createDescr", by(plan))
    with scalars(3, 0, dtype) as (alpha, _):
        arguments = lib.handle, operation, alpha, matrix, vx, vy, TYPES[dtype], 0, plan
        assert lib.status("SpSV_solve", *arguments) == INVALID_VALUE
        lib.check("SpSV_bufferSize", *arguments, by(size))
        lib.check("SpSV_analysis", *arguments, lib.place(np.zeros(size.value, np.uint8)))
        lib.check("SpSV_solve", *arguments)
    close(lib.get(place, 6, dtype), np.linalg.solve(operated(triangle, operation), 3 * x))
    lib.check("SpSV_destroyDescr", plan)


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("order", [COLUMNS, ROWS], ids=["columns", "rows"])
@pytest.mark.parametrize("dtype", ["f4", "f2", "c16", "i1"])
@pytest.mark.parametrize("form", FORMATS)
def test_conversions_there_and_back(lib, form, dtype, order, base):
    a = sparse((6, 9), dtype)
    a[2] = 0
    dense, place = lib.dense(np.full_like(a, 5), order)
    lib.check("SparseToDense", lib.handle, lib.matrix(a, form, base=base), dense, 0, None)
    assert (lib.dense_values(place, a.shape, dtype, order) == a).all()

    target = lib.matrix(np.zeros_like(a), form, base=base)
    entries, count = i64(0), np.count_nonzero(a)
    lib.check("DenseToSparse_analysis", lib.handle, dense, target, 0, None)
    lib.check("SpMatGetSize", target, None, None, by(entries))
    assert entries.value == count
    first = lib.place(np.zeros(a.shape[form == "csc"] + 1 if form != "coo" else count, "i4"))
    lib.check(f"{form.capitalize()}SetPointers", target, first, lib.place(np.zeros(count, "i4")),
              lib.place(np.zeros(count, dtype)))  # fmt: skip
    lib.check("DenseToSparse_analysis", lib.handle, dense, target, 0, None)
    lib.check("DenseToSparse_convert", lib.handle, dense, target, 0, None)
    again, place = lib.dense(np.full_like(a, 5), order)
    lib.check("SparseToDense", lib.handle, target, again, 0, None)
    assert (lib.dense_values(place, a.shape, dtype, order) == a).all()


def test_work_runs_in_the_order_of_its_stream_and_in_graphs(lib):
    a, x, stream = sparse((7, 5), "f8"), numbers(5, "f8", 2), cuda.Stream()
    matrix, (vx, _), (vy, place) = lib.matrix(a), lib.vector(x), lib.vector(np.zeros(7))
    lib.check("SetStream", lib.handle, ctypes.c_void_p(stream.handle))
    stream.begin_capture()
    with scalars(1, 1, "f8") as (alpha, beta):
        lib.check("SpMV", lib.handle, 0, alpha, matrix, vx, beta, vy, 1, 0, None)
    graph = stream.end_capture().instantiate()
    graph.launch(stream)
    graph.launch(stream)
    stream.synchronize()
    close(lib.get(place, 7, "f8"), 2 * a @ x)
    lib.check("SetStream", lib.handle, None)


def test_scalars_of_the_device(lib):
    a, x = sparse((7, 5), "f4"), numbers(5, "f4", 2)
    matrix, (vx, _), (vy, place) = lib.matrix(a), lib.vector(x), lib.vector(np.ones(7, "f4"))
    lib.check("SetPointerMode", lib.handle, 1)
    alpha, beta = lib.place(np.float32(2)), lib.place(np.float32(3))
    lib.check("SpMV", lib.handle, 0, alpha, matrix, vx, beta, vy, 0, 0, None)
    close(lib.get(place, 7, "f4"), 2 * a @ x + 3)


def test_mistakes_have_their_statuses(lib):
    a, x = sparse((7, 5), "f4"), numbers(5, "f4", 2)
    matrix, (vx, _), (vy, _) = lib.matrix(a), lib.vector(x), lib.vector(np.zeros(7, "f4"))
    with scalars(1, 0, "f4") as (alpha, beta):

        def multiply(handle=lib.handle, operation=0, matrix=matrix, x=vx, y=vy, compute=0, alpha=alpha):
            return lib.status("SpMV", handle, operation, alpha, matrix, x, beta, y, compute, 0, None)

        assert multiply() == 0
        assert multiply(handle=None) == NOT_INITIALIZED
        assert multiply(handle=ctypes.c_void_p(0x1234)) == NOT_INITIALIZED
        assert multiply(operation=3) == INVALID_VALUE and multiply(operation=1) == INVALID_VALUE
        assert multiply(matrix=vx) == INVALID_VALUE and multiply(alpha=None) == INVALID_VALUE
        assert multiply(compute=1) == NOT_SUPPORTED
        host, made = np.zeros(5, "f4"), ctypes.c_void_p()
        lib.check("CreateDnVec", by(made), i64(5), ctypes.c_void_p(host.ctypes.data), 0)
        assert multiply(x=made) == EXECUTION_FAILED
        # An index outside is found by the work; the next call says so.
        columns = lib.place(np.full(35, 99, "i4"))
        offsets, values = lib.place(np.arange(8, dtype="i4")), lib.place(np.ones(35, "f4"))
        lib.check("CreateCsr", by(made), i64(7), i64(5), i64(7), offsets, columns, values, 2, 2, 0, 0)
        assert multiply(matrix=made) == 0
        cuda.Context.synchronize()
        assert multiply() == EXECUTION_FAILED and multiply() == 0
    assert lib.status("CreateDnVec", by(made), i64(-1), None, 0) == INVALID_VALUE
    assert lib.status("DestroySpMat", ctypes.c_void_p(0x1234)) == INVALID_VALUE
    assert lib.status("SpMMOp") == NOT_SUPPORTED


def test_descriptors_are_read_as_they_were_written(lib):
    a = sparse((7, 5), "f4")
    matrix, values = lib.matrix(a, "csr", "i8", 1), [i64(0) for _ in range(3)]
    pointers, kinds = [ctypes.c_void_p() for _ in range(3)], [ctypes.c_int() for _ in range(4)]
    lib.check("CsrGet", matrix, *map(by, values), *map(by, pointers), *map(by, kinds))
    assert [one.value for one in values] == [7, 5, np.count_nonzero(a)]
    assert [one.value for one in kinds] == [3, 3, 1, 0]
    assert lib.status("CooGet", matrix, *[None] * 9) == INVALID_VALUE
    old = ctypes.c_void_p()
    lib.check("CreateMatDescr", by(old))
    lib.check("SetMatIndexBase", old, 1)
    assert lib.library.cusparseGetMatIndexBase(old) == 1 and lib.library.cusparseGetMatType(old) == 0
    lib.check("DestroyMatDescr", old)
    lib.check("DestroySpMat", matrix)


def test_version(lib):
    value = ctypes.c_int()
    lib.check("GetProperty", 0, by(value))
    assert value.value == 12
    lib.check("GetVersion", lib.handle, by(value))
    assert value.value // 1000 == 12
