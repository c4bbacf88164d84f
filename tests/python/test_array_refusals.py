# SPDX-License-Identifier: MIT
"""Results that have no place to go, numbers that are not in the dtype, memory that is not here: refused by name."""

import operator

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel
from pycuda.tools import DeviceMemoryPool

pytestmark = pytest.mark.usefixtures("context")


def ramp(*shape, dtype=np.float32):
    return gpuarray.to_gpu(np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape))


LONG = np.dtype(np.longdouble)
STRUCT = np.dtype([("a", np.int32)])

BAD = {
    # Where results go
    "matmul's out": (lambda a: np.matmul(a, a.T, out=ramp(2, 2)), ValueError, r"\(2, 2\).*\(3, 3\)"),
    "matmul's dtype": (lambda a: np.matmul(a, a.T, out=ramp(3, 3, dtype=np.int32)), TypeError, "float32.*int32"),
    "dot's out": (lambda a: np.dot(a, a.T, out=ramp(2, 2)), ValueError, r"\(2, 2\).*\(3, 3\)"),
    "stack's out": (lambda a: np.stack([a, a], out=ramp(3, 4)), ValueError, r"\(3, 4\).*\(2, 3, 4\)"),
    "concatenate's out": (lambda a: np.concatenate([a, a], out=ramp(3, 4)), ValueError, r"\(3, 4\).*\(6, 4\)"),
    "out on the host": (lambda a: np.add(a, a, out=np.zeros((3, 4))), TypeError, "np.add.*out, not ndarray"),
    "positions as floats": (lambda a: a.argmax(axis=0, out=ramp(4)), TypeError, "int64.*float32"),
    "too few outs": (lambda a: gpuarray.multi_take([a, a], [1], [ramp(1)]), ValueError, "1 and 2"),
    "dtype of put": (lambda a: gpuarray.put(a, [1], ramp(1, dtype=np.complex64)), TypeError, "complex64.*float32"),
    "dtype of multi_put": (
        lambda a: gpuarray.multi_put([ramp(1)], [1], out=[ramp(3, dtype=np.int32)]),
        TypeError,
        r"\(1,\) and dtype float32.*\(3,\) and dtype int32",
    ),
    # Elements that several indices show
    "fill of a broadcast view": (
        lambda a: gpuarray.broadcast_to(a, (2, 3, 4)).fill(1),
        ValueError,
        r"\(2, 3, 4\).*once",
    ),
    "store in a broadcast view": (
        lambda a: operator.setitem(gpuarray.broadcast_to(a, (2, 3, 4)), ..., a),
        ValueError,
        "stride along axis 0 is 0",
    ),
    "sum in a broadcast view": (
        lambda a: operator.iadd(gpuarray.broadcast_to(a, (2, 3, 4)), 1),
        ValueError,
        r"\(2, 3, 4\).*cannot be written",
    ),
    # Numbers
    "NaN in integers": (lambda a: ramp(3, dtype=np.int32).fill(np.nan), ValueError, "NaN.*int32"),
    "NaN stored": (lambda a: operator.setitem(ramp(3, dtype=np.int8), 0, np.nan), ValueError, "NaN.*int8"),
    "large float": (lambda a: gpuarray.full(3, 1e20, np.int32), OverflowError, "1e[+]20 out of bounds for int32"),
    "negative float": (lambda a: gpuarray.full(3, -1.5, np.uint32), OverflowError, "-1.5 out of bounds for uint32"),
    "infinity": (lambda a: gpuarray.full(3, np.inf, np.int64), OverflowError, "inf out of bounds for int64"),
    "negative power": (lambda a: ramp(3, dtype=np.int16) ** -1, ValueError, "int16.*-1"),
    "list beyond integers": (
        lambda a: operator.setitem(ramp(4, dtype=np.uint8), ..., [300, 1, -2, 3]),
        OverflowError,
        "300 out of bounds for uint8",
    ),
    "list with NaN": (lambda a: operator.setitem(ramp(2, dtype=np.int32), ..., [np.nan, 1]), ValueError, "NaN"),
    "list with a large float": (
        lambda a: operator.setitem(ramp(2, dtype=np.int32), ..., [1, 1e20]),
        OverflowError,
        "too large",
    ),
    "tuple at indices": (
        lambda a: operator.setitem(ramp(4, dtype=np.uint8), [0, 1], (300, 1)),
        OverflowError,
        "300 out of bounds for uint8",
    ),
    # Dtypes
    "sum of another byte order": (
        lambda a: ramp(3, dtype=">i4").sum(),
        TypeError,
        r"'sum' does not take.*\(3,\) and dtype >i4",
    ),
    "running sum of another byte order": (lambda a: np.cumsum(ramp(3, dtype=">i4")), TypeError, "'sum'.*dtype >i4"),
    "running sum as structs": (lambda a: a.cumsum(dtype=STRUCT), TypeError, "'sum' is not computed in.*'a', '<i4'"),
    "matmul of another byte order": (lambda a: ramp(2, 2, dtype=">f4") @ ramp(2, 2), TypeError, ">f4"),
    "matmul of long doubles": (lambda a: ramp(2, 2, dtype=LONG) @ ramp(2, 2, dtype=LONG), TypeError, LONG.name),
    "one byte order as another": (lambda a: ramp(3, dtype=">i4").astype(">f4"), TypeError, ">i4.*>f4"),
    "seconds as milliseconds": (lambda a: gpuarray.zeros(3, "M8[s]").astype("M8[ms]"), TypeError, r"\[s\].*\[ms\]"),
    "view as objects": (lambda a: a.view(object), TypeError, "dtype object.*Python objects"),
    "view as objects in a struct": (
        lambda a: a.view(np.dtype([("a", object), ("b", "f8")])),
        TypeError,
        "Python objects",
    ),
    "like a, of objects": (lambda a: gpuarray.empty_like(a, dtype=object), TypeError, "dtype object"),
    "struct as float": (lambda a: gpuarray.zeros(3, STRUCT).astype("f4"), TypeError, r"\(3,\).*'a', '<i4'.*float32"),
    "float as text": (lambda a: a.astype("U3"), TypeError, r"\(3, 4\) and dtype float32.*<U3"),
    "sum of structs": (lambda a: gpuarray.zeros(3, STRUCT).sum(), TypeError, r"'sum'.*\(3,\).*'a', '<i4'"),
    "sum as text": (lambda a: a.sum(dtype="S4"), TypeError, "'sum'.*S4"),
    # Shapes
    "strides": (lambda a: gpuarray.GPUArray(3, np.float32, strides=(4, 4)), ValueError, r"\(3,\), not \(4, 4\)"),
    "axes in an index": (lambda a: a[0, 0, 0], IndexError, r"too many axes in index.*\(3, 4\)"),
    "greatest of nothing": (lambda a: gpuarray.max(ramp(0)), ValueError, r"\(0,\).* operation max which"),
    "host array in a scan": (
        lambda a: InclusiveScanKernel(np.int32, "a+b")(np.zeros(3, np.int32)),
        TypeError,
        r"numpy.ndarray of shape \(3,\)",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_is_refused(name):
    call, error, text = BAD[name]
    with pytest.raises(error, match=text):
        call(ramp(3, 4))


@pytest.mark.parametrize("dtype", [">i4", ">f8", "g", "G", "M8[s]", "U1"])
def test_what_kernels_do_not_know_is_not_sorted(dtype):
    host = np.array([256, 1, 2]).astype("i8" if dtype == "M8[s]" else "f4").astype(dtype)
    a = gpuarray.to_gpu(host)
    for call in (
        a.sort,
        lambda: gpuarray.sort(a),
        lambda: np.argsort(a),
        lambda: np.partition(a, 1),
        lambda: gpuarray.unique(a),
        lambda: np.searchsorted(a, a),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(TypeError, match=str(host.dtype).replace("[", r"\[")):
        a.sort()
    assert (a.get() == host).all()


def test_numbers_that_fit_lose_their_fraction_only():
    assert gpuarray.full(2, -1.5, np.int8).get().tolist() == [-1, -1]
    assert gpuarray.full(2, -0.5, np.uint8).get().tolist() == [0, 0]
    assert gpuarray.full(2, 255.9, np.uint8).get().tolist() == [255, 255]
    assert gpuarray.full(2, np.nan, np.bool_).get().tolist() == [True, True]
    assert (ramp(3, dtype=np.int16) ** 2).get().tolist() == [0, 1, 4]
    assert (ramp(3) ** -1).get()[2] == 0.5


def test_out_of_functions_that_numpy_has_gets_the_result():
    a, out = ramp(3, 4), gpuarray.zeros((3, 3), np.float64)
    host = a.get()
    assert np.matmul(a, a.T, out=out) is out
    assert (out.get() == host @ host.T).all()
    out.fill(0)
    assert np.dot(a, a.T, out=out) is out
    assert (out.get() == host @ host.T).all()
    both = gpuarray.zeros((2, 3, 4), np.float32)
    assert np.stack([a, a], out=both) is both
    assert (both.get() == host).all()
    assert np.matmul(a, a.T, dtype=np.float64).dtype == np.float64
    square = ramp(3, 3)
    expected = square.get() @ square.get()
    assert (np.matmul(square, square, out=square).get() == expected).all()


@pytest.mark.parametrize("pooled", [False, True])
def test_generated_kernels_refuse_arrays_of_another_context(pooled):
    double = ElementwiseKernel("float *x, float *z", "z[i] = 2 * x[i]")
    product = ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
    running = InclusiveScanKernel(np.float32, "a+b")
    here = ramp(12)
    double(here, here)
    other = cuda.Context.get_device().make_context()
    pool = DeviceMemoryPool()
    there = gpuarray.to_gpu(np.ones(12, np.float32), allocator=pool.allocate if pooled else None)
    cuda.Context.pop()
    try:
        calls = (
            lambda: double(here, there),
            lambda: product(here, there),
            lambda: running(there),
            lambda: here @ there,
        )
        for call in (*calls, lambda: gpuarray.sort(there), lambda: here + there):
            with pytest.raises(ValueError, match=r"\(12(, 1)?,?\) and dtype float32 belongs to another context"):
                call()
        assert (there.get() == 1).all()
    finally:
        there = None
        other.push()
        pool = None
        cuda.Context.pop()
        other.detach()


def test_a_view_of_freed_memory_is_not_used():
    whole = ramp(12)
    part = whole[2:]
    whole.gpudata.free()
    for call in (part.get, lambda: part + 1, lambda: part.fill(0), lambda: part.ptr):
        with pytest.raises(cuda.LogicError, match="freed"):
            call()


DIFFER = r"'subtract' does not .* bool, bool: \^ or logical_xor tells .* astype\(numpy.int8\)"
INTEGERS = r": convert them to integers with astype"
REFUSED_OPERATORS = {
    "- of conditions": (lambda b, f, c: (f > 0) - (f < 0), DIFFER),
    "- and True": (lambda b, f, c: b - True, DIFFER),
    "True -": (lambda b, f, c: True - b, DIFFER),
    "-=": (lambda b, f, c: operator.isub(b, b), DIFFER),
    "np.subtract": (lambda b, f, c: np.subtract(b, b), DIFFER),
    "minus": (lambda b, f, c: -b, r"'negative' .*: ~ or logical_not inverts .* astype\(numpy.int8\)"),
    "np.positive": (lambda b, f, c: np.positive(b), r"'positive' .*: convert truth values to numbers with astype"),
    "sign": (lambda b, f, c: np.sign(b), r"'sign' .*: convert truth values to numbers with astype"),
    "& of numbers": (lambda b, f, c: f & f, INTEGERS + r"; conditions are joined as in \(a > 0\) & \(b > 0\)"),
    "~ of numbers": (lambda b, f, c: ~f, INTEGERS),
    "<< of numbers": (lambda b, f, c: f << 1, INTEGERS + "$"),
    "gcd of truth values": (lambda b, f, c: np.gcd(b, b), INTEGERS + "$"),
    "% of complex numbers": (lambda b, f, c: c % 2, r"give its \.real, \.imag or abs\(\)"),
    "floor of complex numbers": (lambda b, f, c: np.floor(c), r"give its \.real, \.imag or abs\(\)"),
    "arctan2 of complex numbers": (lambda b, f, c: np.arctan2(c, f), r"give its \.real, \.imag or abs\(\)"),
}


@pytest.mark.parametrize("operation", REFUSED_OPERATORS)
def test_an_operator_that_a_dtype_has_not_says_what_to_do(operation):
    operate, words = REFUSED_OPERATORS[operation]
    numbers = ramp(3)
    with pytest.raises(TypeError, match=words):
        operate(numbers > 1, numbers, numbers.astype(np.complex64))
