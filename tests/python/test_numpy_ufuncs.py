# SPDX-License-Identifier: MIT
"""NumPy's ufuncs on device arrays: dtypes of mixed operands, several results, and the methods of ufuncs."""

import itertools

import numpy as np
import pytest
from numpy_cases import agree, fails_alike, numbers, same
from pycuda import gpuarray
from pycuda.gpuarray import to_gpu, zeros

pytestmark = pytest.mark.usefixtures("context")

TYPES = "?bBhHiIlLefd"


NUMBERS = (2, 2.5, True, np.int16(3), np.uint8(3), np.float16(3))
FLOATING = (np.arctan2, np.hypot, np.copysign, np.nextafter, np.heaviside, np.logaddexp, np.logaddexp2)


def _each_operand_with_each_result(ufunc):
    """Pairs of types in which each type is in each place with each dtype of results that it can have there.

    A kernel converts its operands one by one to the dtype of the result, so other pairs have no code of their own.
    """
    seen, pairs = set(), []
    for is_new in (lambda places: not places & seen, lambda places: places - seen):
        for first, second in itertools.product(TYPES, TYPES):
            dtype = ufunc(np.empty(0, first), np.empty(0, second)).dtype
            places = {(0, first, dtype), (1, second, dtype)}
            if is_new(places):
                seen |= places
                pairs.append((first, second))
    return pairs


@pytest.mark.parametrize("ufunc", FLOATING)
def test_floating_functions_of_two_have_numpys_dtypes(ufunc):
    # Empty arrays need no kernel.
    for first, second in itertools.product(TYPES, TYPES):
        a, b = np.empty(0, first), np.empty(0, second)
        same(ufunc(to_gpu(a), to_gpu(b)), ufunc(a, b))
    for dtype, number in itertools.product(TYPES, NUMBERS):
        a = np.empty(0, dtype)
        same(ufunc(to_gpu(a), number), ufunc(a, number))
        same(ufunc(number, to_gpu(a)), ufunc(number, a))


@pytest.mark.parametrize("ufunc", FLOATING)
def test_floating_functions_of_two_have_numpys_values(ufunc):
    for first, second in _each_operand_with_each_result(ufunc):
        a, b = np.array([1, 2, 3]).astype(first), np.array([3, 1, 2]).astype(second)
        same(ufunc(to_gpu(a), to_gpu(b)), ufunc(a, b))
    seen = set()
    for dtype, number in itertools.product(TYPES, NUMBERS):
        a = np.array([1, 2, 3]).astype(dtype)
        expected = ufunc(a, number)
        if (dtype, expected.dtype) not in seen:
            seen.add((dtype, expected.dtype))
            same(ufunc(to_gpu(a), number), expected)


def _finite(shape, dtype):
    return numbers(shape, dtype) if dtype != "?" else numbers(shape, bool)


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i8", "f2", "f4", "f8"])
def test_parts_of_numbers(dtype):
    host = _finite((3, 4), dtype)
    for index in (0, 1):
        agree(lambda a, index=index: np.frexp(a)[index], host, exact=True)
        agree(lambda a, index=index: np.modf(a)[index], host, exact=True)
    agree(lambda a: np.ldexp(a, -2), host, exact=True)
    agree(np.ldexp, host, np.arange(4), exact=True)
    agree(lambda a: np.ldexp(1.5, a), numbers((2, 3), "i4"))
    special = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 5e-324])
    for ufunc in (np.frexp, np.modf):
        for ours, expected in zip(ufunc(to_gpu(special)), ufunc(special)):
            same(ours, expected, exact=True)


@pytest.mark.parametrize("ufunc", [np.frexp, np.modf, lambda a, **out: np.divmod(a, 2.0, **out)])
def test_both_results_go_to_out(ufunc):
    host = np.array([1.5, 2.5, -3.0])
    expected = ufunc(host)
    first, second = gpuarray.empty(3, "f4"), gpuarray.empty(3, "c16")
    got = ufunc(to_gpu(host), out=(first, second))
    assert got[0] is first and got[1] is second
    same(got, ufunc(host, out=(np.empty(3, "f4"), np.empty(3, "c16"))))
    got = ufunc(to_gpu(host), out=(None, second))
    assert got[1] is second
    same(got, expected, dtype=False)
    device = to_gpu(host)
    same(ufunc(device, out=(device, None)), expected)
    kept = device.get()
    for wrong in (gpuarray.empty(4, "f8"), gpuarray.empty((), "f8"), gpuarray.empty(3, "?"), np.empty(3)):
        with pytest.raises((TypeError, ValueError)):
            ufunc(to_gpu(host + 1), out=(device, wrong))
    np.testing.assert_array_equal(device.get(), kept)
    with pytest.raises(TypeError, match="needs such arrays as out, not GPUArray, ndarray"):
        ufunc(device, out=(device, np.empty(3)))


def test_parts_of_numbers_are_refused_where_numpy_refuses_them():
    fails_alike(np.frexp, numbers(3, "c8"))
    fails_alike(np.modf, numbers(3, "c8"))
    fails_alike(lambda a: np.ldexp(a, 1.5), numbers(3, "f4"))


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_products_of_vectors_and_matrices(dtype):
    matrices, vectors = numbers((2, 3, 4), dtype), numbers((2, 4), dtype, 2)
    agree(np.vecdot, matrices, vectors[:, None])
    out = zeros((2, 3, 4)[:2], dtype)
    assert np.vecdot(to_gpu(matrices), to_gpu(vectors[:, None]), out=out) is out
    same(out, np.vecdot(matrices, vectors[:, None]))
    if hasattr(np, "matvec"):
        agree(np.matvec, matrices, vectors)
        agree(np.vecmat, numbers((2, 3), dtype, 3), matrices)
        fails_alike(np.matvec, matrices, vectors[:, :2])
        fails_alike(np.vecmat, vectors, matrices)
    fails_alike(lambda a: np.vecdot(a, 3), matrices)


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f4", "f8"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_accumulate(dtype, axis):
    host = numbers((3, 4), dtype)
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum):
        agree(lambda a, ufunc=ufunc: ufunc.accumulate(a, axis), host)
    agree(lambda a: np.add.accumulate(a, axis, "f8"), host)
    fails_alike(lambda a: np.add.accumulate(a, None), host)
    fails_alike(lambda a: np.add.accumulate(a, 2), host)


def test_accumulate_keeps_nan():
    host = np.array([1, 3, np.nan, 2])
    agree(np.maximum.accumulate, host)
    agree(np.minimum.accumulate, host)


def test_outer():
    a, b = numbers((2, 3), "f4"), numbers(4, "i2")
    for ufunc in (np.add, np.subtract, np.multiply, np.greater, np.arctan2):
        agree(ufunc.outer, a, b)
    agree(lambda b: np.add.outer([1, 2], b), b)
    agree(lambda a: np.add.outer(a, 300), numbers(3, "u1"))
    agree(lambda a: np.subtract.outer(a, a, dtype="f8"), a)


def test_casting():
    host = numbers((2, 3), "f8")
    agree(lambda a: np.add(a, 1, casting="unsafe", dtype=np.int32), host)
    agree(lambda a: np.add(a, 1, casting="no"), host)
    fails_alike(lambda a: np.add(a, 1, dtype=np.int32), host)
    fails_alike(lambda a, b: np.add(a, b, casting="no"), host, numbers((2, 3), "i8"))
    fails_alike(lambda a: np.add(a, 1, casting="any"), host)
    out = zeros((2, 3), "i4")
    assert np.add(to_gpu(host), 1, out=out, casting="unsafe") is out
    same(out, (host + 1).astype("i4"))


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (np.spacing, "np.spacing"),
        (lambda a: np.bitwise_count(a.astype("u1")), "np.bitwise_count"),
        (lambda a: np.bitwise_or.reduce(a.astype("i4")), "np.bitwise_or.reduce"),
        (lambda a: np.add.reduceat(a, [0, 1]), "np.add.reduceat"),
    ],
)
def test_what_is_missing_says_what_to_do(call, name):
    with pytest.raises(TypeError, match=rf"no implementation found.*{name}\(a.get\(\), ...\)"):
        call(to_gpu(numbers(3, "f8")))


def test_arguments_that_are_missing_are_named():
    a = to_gpu(numbers((2, 3), "f8"))
    for call in (
        lambda: np.sum(a, initial=3),
        lambda: np.max(a, where=a > 1),
        lambda: np.std(a, where=a > 1),
        lambda: np.add.reduce(a, initial=3),
    ):
        with pytest.raises(
            TypeError, match=r"np\.[a-z.]+ of device arrays does not know the argument '(initial|where)'"
        ):
            call()


def test_what_would_write_to_a_copy_says_how_to_copy_it_back():
    a = to_gpu(numbers(3, "f8"))
    wanted = r"no implementation found for 'numpy.add.at' .*host = a.get\(\), np.add.at\(host, ...\), a.set\(host\)$"
    with pytest.raises(TypeError, match=wanted):
        np.add.at(a, [1], 2)
    with gpuarray.allow_host_copies(), pytest.raises(TypeError, match=wanted):
        np.add.at(a, [1], 2)
    with pytest.raises(TypeError, match=r"'abs \(vectorized\)' .*: function\(a.get\(\), ...\)"):
        np.frompyfunc(abs, 1, 1)(a)
