# SPDX-License-Identifier: MIT
"""cuSPARSE of the CPU driver: incomplete factors, sorting and conversions of the older interface."""

import ctypes

import numpy as np
import pycuda.driver as cuda
import pytest
from cusparse_calls import (
    EXECUTION_FAILED,
    INVALID_VALUE,
    by,
    close,
    numbers,
    opened,
    sparse,
)

ZERO_PIVOT = 9
LETTERS = {"f4": "S", "f8": "D", "c8": "C", "c16": "Z"}


@pytest.fixture
def lib(context):
    with opened() as one:
        yield one


@pytest.fixture
def old(lib):
    """The descriptor of a matrix whose indices start at 1."""
    made = ctypes.c_void_p()
    lib.check("CreateMatDescr", by(made))
    lib.check("SetMatIndexBase", made, 1)
    yield made
    lib.check("DestroyMatDescr", made)


def tridiagonal(dtype, size=8):
    """Elimination fills nothing in, so that its incomplete factors are the factors."""
    off = numbers(size - 1, dtype, 1)
    return (np.diag(off, -1) + np.diag(off.conj(), 1) + 5 * np.eye(size)).astype(dtype)


def csr(lib, dense, base=1):
    rows, columns = np.nonzero(dense)
    offsets = np.searchsorted(rows, np.arange(dense.shape[0] + 1)) + base
    places = [lib.place(one) for one in (dense[rows, columns], offsets.astype("i4"), (columns + base).astype("i4"))]
    return places, (rows, columns)


def factors(lib, old, kind, dense):
    """The values after an incomplete factorisation, as a dense matrix, with the row without a pivot and its status."""
    places, pattern = csr(lib, dense)
    letter = LETTERS[dense.dtype.str[1:]]
    info, size, row = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int(7)
    lib.check(f"CreateCsr{kind}Info", by(info))
    arguments = lib.handle, dense.shape[0], len(pattern[0]), old, *places, info
    assert lib.status(f"{letter}csr{kind}", *arguments, 0, None) == INVALID_VALUE  # not analysed
    lib.check(f"{letter}csr{kind}_bufferSize", *arguments, by(size))
    lib.check(f"{letter}csr{kind}_analysis", *arguments, 0, None)
    lib.check(f"{letter}csr{kind}", *arguments, 0, None)
    status = lib.status(f"Xcsr{kind}_zeroPivot", lib.handle, info, by(row))
    result = np.zeros_like(dense)
    result[pattern] = lib.get(places[0], len(pattern[0]), dense.dtype)
    lib.check(f"DestroyCsr{kind}Info", info)
    return result, row.value, status


@pytest.mark.parametrize("dtype", list(LETTERS))
def test_incomplete_lu_of_a_matrix_without_fill(lib, old, dtype):
    a = tridiagonal(dtype)
    result, row, status = factors(lib, old, "ilu02", a)
    assert (row, status) == (-1, 0)
    close(((np.tril(result, -1) + np.eye(len(a))) @ np.triu(result)).astype(dtype), a)


@pytest.mark.parametrize("dtype", list(LETTERS))
def test_incomplete_cholesky_of_a_matrix_without_fill(lib, old, dtype):
    a = tridiagonal(dtype)
    result, row, status = factors(lib, old, "ic02", a)
    assert (row, status) == (-1, 0)
    lower = np.tril(result)
    close(lower @ lower.conj().T, a)
    assert (np.triu(result, 1) == np.triu(a, 1)).all()  # not touched


def test_incomplete_lu_keeps_the_pattern(lib, old):
    a = sparse((9, 9), "f8") + 12 * np.eye(9)
    result, _, _ = factors(lib, old, "ilu02", a)
    product = (np.tril(result, -1) + np.eye(9)) @ np.triu(result)
    close(product[a != 0], a[a != 0])  # what defines it
    assert (result[a == 0] == 0).all()


@pytest.mark.parametrize("kind", ["ilu02", "ic02"])
def test_rows_without_a_pivot_are_reported(lib, old, kind):
    missing = tridiagonal("f8")
    missing[3, 3] = 0
    assert factors(lib, old, kind, missing)[1:] == (4, ZERO_PIVOT)


def test_a_pivot_that_becomes_zero_is_reported(lib, old):
    a = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], "f8")
    assert factors(lib, old, "ilu02", a)[1:] == (2, ZERO_PIVOT)
    assert factors(lib, old, "ic02", a)[1:] == (2, ZERO_PIVOT)


def test_small_pivots_are_replaced_on_demand(lib, old):
    a = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], "f8")
    (values, *places), _ = csr(lib, a)
    info, row = ctypes.c_void_p(), ctypes.c_int()
    lib.check("CreateCsrilu02Info", by(info))
    lib.check("Dcsrilu02_numericBoost", lib.handle, info, 1, by(ctypes.c_double(1e-9)), by(ctypes.c_double(0.5)))
    arguments = lib.handle, 3, 7, old, values, *places, info, 0, None
    lib.check("Dcsrilu02_analysis", *arguments)
    lib.check("Dcsrilu02", *arguments)
    lib.check("Xcsrilu02_zeroPivot", lib.handle, info, by(row))
    close(lib.get(values, 7, "f8"), np.array([1, 1, 1, 0.5, 1, 2, -1]))


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_sorting_within_lines(lib, old, form):
    offsets = np.array([1, 4, 4, 6], "i4")
    indices = np.array([3, 1, 2, 4, 1], "i4")
    place, permutation = lib.place(indices), lib.place(np.zeros(5, "i4"))
    size = ctypes.c_size_t()
    arguments = lib.handle, *((3, 4) if form == "csr" else (4, 3)), 5
    lib.check(f"X{form}sort_bufferSizeExt", *arguments, lib.place(offsets), place, by(size))
    lib.check("CreateIdentityPermutation", lib.handle, 5, permutation)
    lib.check(f"X{form}sort", *arguments, old, lib.place(offsets), place, permutation, None)
    assert lib.get(place, 5, "i4").tolist() == [1, 2, 3, 1, 4]
    assert lib.get(permutation, 5, "i4").tolist() == [1, 2, 0, 4, 3]


@pytest.mark.parametrize("by_columns", [False, True])
def test_sorting_of_coordinates(lib, by_columns):
    rows, columns = np.array([2, 0, 2, 1], "i4"), np.array([1, 3, 0, 1], "i4")
    places = [lib.place(one) for one in (rows, columns, np.arange(4, dtype="i4"))]
    lib.check("XcoosortBy" + ("Column" if by_columns else "Row"), lib.handle, 3, 4, 4, *places, None)
    order = np.lexsort((rows, columns) if by_columns else (columns, rows))
    assert lib.get(places[2], 4, "i4").tolist() == order.tolist()
    assert lib.get(places[0], 4, "i4").tolist() == rows[order].tolist()
    assert lib.get(places[1], 4, "i4").tolist() == columns[order].tolist()


def test_offsets_from_indices_and_back(lib):
    rows = np.array([1, 1, 3, 4, 4], "i4")
    offsets, again = lib.place(np.zeros(6, "i4")), lib.place(np.zeros(5, "i4"))
    lib.check("Xcoo2csr", lib.handle, lib.place(rows), 5, 5, offsets, 1)
    assert lib.get(offsets, 6, "i4").tolist() == [1, 3, 3, 4, 6, 6]
    lib.check("Xcsr2coo", lib.handle, offsets, 5, 5, again, 1)
    assert lib.get(again, 5, "i4").tolist() == rows.tolist()


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("dtype", ["f4", "c16", "i1"])
def test_transposition_of_the_format(lib, dtype, base):
    dense = sparse((6, 4), dtype)
    places, (rows, _) = csr(lib, dense, base)
    count, size = len(rows), ctypes.c_size_t()
    made = [lib.place(np.zeros(count, dtype)), lib.place(np.zeros(5, "i4")), lib.place(np.zeros(count, "i4"))]
    kind = {"f4": 0, "c16": 5, "i1": 3}[dtype]
    arguments = lib.handle, 6, 4, count, *places, *made, kind, 1, base, 1
    lib.check("Csr2cscEx2_bufferSize", *arguments, by(size))
    lib.check("Csr2cscEx2", *arguments, None)
    expected, (columns, others) = dense.T, np.nonzero(dense.T)
    assert (lib.get(made[0], count, dtype) == expected[columns, others]).all()
    assert (lib.get(made[1], 5, "i4") == np.searchsorted(columns, np.arange(5)) + base).all()
    assert (lib.get(made[2], count, "i4") == others + base).all()


@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize("dtype", list(LETTERS))
def test_counts_of_nonzeros(lib, old, dtype, direction):
    dense, total = sparse((6, 4), dtype), ctypes.c_int()
    counts = lib.place(np.zeros(6, "i4"))
    lib.check(LETTERS[dtype] + "nnz", lib.handle, direction, 6, 4, old, lib.place(dense.T), 6, counts, by(total))
    expected = np.count_nonzero(dense, axis=1 - direction)
    assert lib.get(counts, len(expected), "i4").tolist() == expected.tolist() and total.value == expected.sum()


def test_offsets_outside_fail_the_work(lib, old):
    offsets, indices = lib.place(np.array([1, 9], "i4")), lib.place(np.array([1], "i4"))
    lib.check("Xcsrsort", lib.handle, 1, 1, 1, old, offsets, indices, None, None)
    cuda.Context.synchronize()
    assert lib.status("CreateIdentityPermutation", lib.handle, 1, indices) == EXECUTION_FAILED
