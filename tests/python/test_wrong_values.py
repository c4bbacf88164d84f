# SPDX-License-Identifier: MIT
"""Values that generated kernels do not take: the error has the argument's type in C, not the code of a struct."""

import struct

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.gpuarray import vec
from pycuda.reduction import ReductionKernel
from pycuda.tools import get_or_register_dtype

pytestmark = pytest.mark.usefixtures("context")

PAIR = np.dtype([("number", np.int32), ("weight", np.float32)])
PREAMBLE = "struct wrong_pair { int number; float weight; };"


def _elementwise(declaration, use):
    kernel = ElementwiseKernel(f"float *y, {declaration}", f"y[i] = {use}", "apply", preamble=PREAMBLE)
    return lambda value: kernel(gpuarray.zeros(3, np.float32), value)


def _reduction(declaration, use):
    arguments = f"{declaration}, const float *x"
    kernel = ReductionKernel(np.float32, "0", "a + b", f"x[i] + {use}", arguments, "apply", preamble=PREAMBLE)
    return lambda value: kernel(value, gpuarray.zeros(3, np.float32))


@pytest.fixture(params=[_elementwise, _reduction], ids=["elementwise", "reduction"], name="made")
def kernel_with(request):
    get_or_register_dtype("wrong_pair", PAIR)
    return request.param


@pytest.mark.parametrize("value", [1.5, (1, 2, 3, 4), [1.0], None, "text"])
def test_a_vector_has_its_type_and_what_makes_one(made, value):
    words = f"of kernel 'apply', 'float4 v', needs one value of its type, not {type(value).__name__}; pycuda"
    with pytest.raises(struct.error, match=rf"argument #\d \(0-based\) {words}.gpuarray.vec.make_float4\(\.\.\.\) "):
        made("float4 v", "v.y")(value)


def test_a_vector_of_another_size_says_both(made):
    with pytest.raises(struct.error, match=r"'float4 v', has 16 bytes, but 24 were given; pycuda"):
        made("float4 v", "v.y")(np.zeros(3))
    made("float4 v", "v.y")(vec.make_float4(1, 2, 3, 4))


def test_a_struct_has_its_type_and_what_makes_one(made):
    with pytest.raises(struct.error, match=r"'wrong_pair p', needs one value of its type, not tuple; numpy.array\("):
        made("wrong_pair p", "p.weight")((1, 2))
    made("wrong_pair p", "p.weight")(np.array((1, 2), PAIR))


def test_a_number_has_its_type(made):
    with pytest.raises(struct.error, match="'int k', needs an integer, not float$"):
        made("int k", "k")(2.5)
    with pytest.raises(struct.error, match="'int k', is too small for 4294967296$"):
        made("int k", "k")(2**32)
    with pytest.raises(struct.error, match="'float f', needs a number, not tuple$"):
        made("float f", "f")((1, 2))


def test_an_array_for_one_value_needs_a_pointer(made):
    array = gpuarray.zeros(3, np.float32)
    with pytest.raises(struct.error, match=r"not GPUArray; 'f' is declared as a number: for an array .* '\*f', and"):
        made("float f", "f")(array)
    with pytest.raises(struct.error, match=r"not GPUArray; 'v' is declared as one value: for an array .* '\*v', and"):
        made("float4 v", "v.y")(array)


@pytest.mark.parametrize("value", [(1, 2), 2.5])
def test_the_number_of_an_argument_is_the_callers(made, value):
    number = 0 if made is _reduction else 1
    with pytest.raises(struct.error, match=rf"argument #{number} \(0-based\)"):
        made("int k", "k")(value)


def test_kernels_with_variables_and_views_say_it_too():
    scale = ElementwiseKernel("float *x, float4 v", "x[i] *= c * v.y", "scale", preamble="__constant__ float c;")
    x = gpuarray.zeros((4, 4), np.float32)
    scale.get_global("c")
    for array in (x, x[:, 1]):
        with pytest.raises(struct.error, match="argument #1 .* of kernel 'scale', 'float4 v', needs one value"):
            scale(array, 1.0)
