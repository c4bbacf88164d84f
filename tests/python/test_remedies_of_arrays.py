# SPDX-License-Identifier: MIT
"""Typical mistakes with arrays, generated kernels and random numbers: each error says what to write instead."""

import struct
import warnings

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from pycuda import cumath, curandom, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel
from pycuda.tools import VectorArg

pytestmark = pytest.mark.usefixtures("context")


def zeros(shape=3, dtype=np.float32):
    return gpuarray.zeros(shape, dtype)


def increase(array, number):
    array += number


CALLS = {
    "a shape of floats": (lambda: zeros(6 / 2), TypeError, "a shape is of integers, // divides them"),
    "lengths as arguments": (
        lambda: gpuarray.zeros(3, 4),
        TypeError,
        r"a shape of several lengths is a tuple, \(3, 4\)",
    ),
    "lengths for rand": (lambda: curandom.rand(3, 4), TypeError, r"a shape is a tuple, rand\(\(3, 4\)\)"),
    "an order of NumPy": (lambda: gpuarray.empty((3, 4), "f4", order="K"), ValueError, r"it is 'C' \(rows\) or 'F'"),
    "a text as memory": (lambda: gpuarray.GPUArray(3, "f4", gpudata="x"), TypeError, "memory or its address, not str"),
    "a list added": (lambda: zeros() + [1, 2, 3], TypeError, r"'add' takes arrays .* not list: to_gpu\(numpy.array"),
    "an array added to a list": (
        lambda: [1, 2, 3] + zeros(),
        TypeError,
        "'add' takes arrays on the device and numbers",
    ),
    "a tuple subtracted in place": (
        lambda: increase(zeros(), (1, 2, 3)),
        TypeError,
        "'add' takes arrays on the device and numbers, not tuple",
    ),
    "a float added to integers": (
        lambda: increase(zeros(3, np.int32), 1.5),
        TypeError,
        r"cannot be stored with dtype int32: a = a \+ b makes a new array",
    ),
    "a float as an index": (lambda: zeros()[1.0], IndexError, "integers, slices, None, ... and arrays are allowed"),
    "a fill with an array": (lambda: zeros().fill(zeros()), TypeError, r"not GPUArray: a\[\.\.\.\] = b stores"),
    "the greater of two": (lambda: gpuarray.max(zeros(), zeros()), TypeError, r"maximum\(a, b\) compares"),
    "the smaller of two": (lambda: gpuarray.min(zeros(), zeros()), TypeError, r"minimum\(a, b\) compares"),
    "a keyword of get": (lambda: zeros().get(pagelock=True), TypeError, "ary, pagelocked, async_ and stream are known"),
    "a keyword of arange": (lambda: gpuarray.arange(3, dtyp="f4"), ValueError, "takes start, stop, step, dtype and"),
    "a keyword of reshape": (lambda: zeros().reshape((4,), odrer="F"), TypeError, "did you mean 'order'"),
    "two shapes": (lambda: zeros().reshape(4, shape=(2, 2)), TypeError, "got the shape twice"),
    "a name before its dtype": (lambda: VectorArg("x", np.float32), TypeError, r"VectorArg\(dtype, name\)"),
    "a fraction for an int": (
        lambda: ElementwiseKernel("float *x, int c", "x[i] = c")(zeros(), 2.5),
        struct.error,
        r"argument #1 \(0-based\) of kernel 'kernel', 'int c', needs an integer, not float$",
    ),
    "a complex number for a float": (
        lambda: ElementwiseKernel("float *x, float c", "x[i] = c")(zeros(), 1j),
        struct.error,
        r"argument #1 \(0-based\) of kernel 'kernel', 'float c', needs a number, not complex$",
    ),
    "no DLPack": (lambda: gpuarray.from_dlpack(5), AttributeError, r"int has no __dlpack__: to_gpu\(numpy.array"),
    "no device array": (
        lambda: gpuarray.from_cuda_array_interface(np.zeros(3)),
        AttributeError,
        "ndarray has no __cuda_array_interface__: to_gpu copies it to the device",
    ),
    "a power": (lambda: cumath.pow, AttributeError, r"'pow': a \*\* b computes it"),
    "an angle": (lambda: cumath.atan2, AttributeError, r"np\.arctan2\(a, b\) computes it"),
    "a kernel of CuPy": (lambda: gpuarray.RawKernel, AttributeError, r"SourceModule\(source\) compiles kernels"),
    "the same of the package": (lambda: pycuda.RawModule, AttributeError, r"SourceModule\(source\) compiles kernels"),
    "a class of the package": (lambda: pycuda.GPUArray, AttributeError, "it is pycuda.gpuarray.GPUArray"),
    "a module of the driver": (lambda: cuda.gpuarray, AttributeError, "import pycuda.gpuarray"),
    "another generator": (
        lambda: curandom.MT19937,
        AttributeError,
        "XORWOWRandomNumberGenerator, MRG32k3a.* make them",
    ),
    "a number as a seed": (
        lambda: curandom.XORWOWRandomNumberGenerator(3),
        TypeError,
        "not int: pycuda.curandom.seed_getter_uniform is one",
    ),
    "arguments with names": (
        lambda: ElementwiseKernel("float *x", "x[i] = 1")(x=zeros()),
        TypeError,
        "arrays and numbers are given without names, range, slice and stream with theirs",
    ),
    "no operation": (lambda: ElementwiseKernel("float *x", None), TypeError, r"such as 'z\[i\] = .*; it is None"),
    "a scan of a list": (
        lambda: InclusiveScanKernel(np.int32, "a+b")([1, 2]),
        TypeError,
        r"not list: to_gpu\(numpy.array\(a\)\) makes one",
    ),
    "no neutral element": (
        lambda: ExclusiveScanKernel(np.int32, "a+b"),
        ValueError,
        r"neutral=0 for a\+b, the first of the results",
    ),
}


@pytest.mark.parametrize("mistake", CALLS)
def test_a_mistake_with_arrays_is_answered_with_a_remedy(mistake):
    call, error, words = CALLS[mistake]
    with pytest.raises(error, match=words) as told:
        call()
    assert len(str(told.value).splitlines()) <= 3


def test_a_comparison_with_a_list_is_warned_of():
    for other in ([0, 0, 0], (0, 0, 0)):
        with pytest.warns(UserWarning, match=r"compared with a \w+ as a whole: to_gpu\(numpy.array\(...\)\)"):
            assert (zeros() == other) is False
        with pytest.warns(UserWarning, match="as a whole"):
            assert (zeros() != other) is True
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (zeros() == None) is False  # noqa: E711
        assert (zeros() == "text") is False
        assert (zeros() == 0).get().all()


def test_infinity_is_a_neutral_element():
    host = np.array([-3, -1, -2], np.float32)
    there = gpuarray.to_gpu(host)
    for least in (-np.inf, np.float32(-np.inf), "-INFINITY"):
        assert ReductionKernel(np.float32, least, "fmaxf(a, b)", arguments="float *in")(there).get() == -1
    assert ExclusiveScanKernel(np.float32, "fmaxf(a, b)", neutral=-np.inf)(there).get().tolist() == [-np.inf, -3, -1]
    with pytest.raises(cuda.CompileError, match="C\\+\\+ writes INFINITY, -INFINITY"):
        ReductionKernel(np.float32, "-inf", "fmaxf(a, b)", arguments="float *in")


def test_truth_values_as_numpy_and_the_original_have_them():
    truth = zeros() > 0
    # The original computes in the array's dtype; NumPy's fabs makes halves of truth values.
    assert cumath.fabs(truth).dtype == np.bool_ and not cumath.fabs(truth).get().any()
    assert np.fabs(truth).dtype == np.fabs(truth.get()).dtype
    for function in (cumath.ceil, cumath.floor):
        assert function(~truth).get().tolist() == [True] * 3


def test_clip_without_bounds_copies():
    array = gpuarray.arange(3, dtype=np.float32)
    for copy in (gpuarray.clip(array), array.clip()):
        assert copy is not array and copy.get().tolist() == [0, 1, 2]
        copy.fill(7)
    assert array.get().tolist() == [0, 1, 2]


def test_a_source_with_many_errors_shows_the_first_ones():
    with pytest.raises(cuda.CompileError) as told:
        SourceModule("__global__ void k() { b; c; d; e; f; g; h; }")
    text = str(told.value)
    assert text.count(": error: ") == 4 and "and 3 more errors, in the exception's stderr" in text
    assert told.value.stderr.count(": error: ") == 7
