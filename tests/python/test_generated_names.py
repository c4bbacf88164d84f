# SPDX-License-Identifier: MIT
"""Names of generated kernels and of their arguments: those that C++ or the kernel itself has taken are refused."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.driver import CompileError
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

MAKERS = {
    "elementwise": lambda name: ElementwiseKernel("float *x", "x[i] *= 2", name),
    "reduction": lambda name: ReductionKernel(np.float32, "0", "a + b", "x[i]", "float *x", name=name),
    "inclusive": lambda name: InclusiveScanKernel(np.float32, "a + b", name_prefix=name),
    "exclusive": lambda name: ExclusiveScanKernel(np.float32, "a + b", "0", name_prefix=name),
}


# cupy/cupy 518
@pytest.mark.parametrize("name", ["my kernel", "my-kernel", "space::k", "größe", "3d"])
@pytest.mark.parametrize("kind", MAKERS)
def test_names_that_no_function_can_have_are_refused_at_once(kind, name):
    with pytest.raises(ValueError, match=f"'{name}' cannot be the name of a kernel"):
        MAKERS[kind](name)
    with pytest.raises(TypeError, match="must be a string, not NoneType"):
        MAKERS[kind](None)


# cupy/cupy 2262
def test_keywords_are_refused_where_they_are_the_whole_name():
    with pytest.raises(ValueError, match="'double' cannot be the name of a kernel.*no keyword"):
        MAKERS["elementwise"]("double")
    x = gpuarray.arange(4, dtype=np.float32)
    assert MAKERS["reduction"]("double")(x).get() == 6
    assert MAKERS["inclusive"]("double")(x).get().tolist() == [0, 1, 3, 6]


# gwastro/pycbc 797
@pytest.mark.parametrize("name", ["norm", "sqrt", "printf"])
def test_a_name_of_cudas_is_explained(name):
    with pytest.raises(CompileError, match=f"{name} is a function of CUDA: give the kernel another name"):
        MAKERS["elementwise"](name)(gpuarray.zeros(4, np.float32))


@pytest.mark.parametrize("taken", ["i", "n", "tid", "total_threads", "double"])
def test_arguments_that_the_kernel_uses_itself_are_refused(taken):
    x = gpuarray.zeros(4, np.float32)
    with pytest.raises(ValueError, match=f"k: an argument is named '{taken}', which is taken"):
        ElementwiseKernel(f"float *x, float *{taken}", "x[i] = 0", "k")(x, x)
    if taken != "total_threads":
        with pytest.raises(ValueError, match=f"an argument is named '{taken}'"):
            ReductionKernel(np.float32, "0", "a + b", "x[i]", f"float *x, float *{taken}")


def test_bounds_of_a_range_are_taken_in_a_range_only():
    x, step = gpuarray.zeros(4, np.float32), gpuarray.arange(4, dtype=np.float32)
    kernel = ElementwiseKernel("float *x, float *step", "x[i] = step[i]", "k")
    kernel(x, step)
    assert x.get().tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="k: an argument is named 'step', which is taken"):
        kernel(x, step, slice=slice(0, 2))


def test_two_arguments_of_one_name_are_refused():
    x = gpuarray.zeros(4, np.float32)
    with pytest.raises(ValueError, match="k: two arguments are named 'x'"):
        ElementwiseKernel("float *x, float *x", "x[i] = 0", "k")(x, x)


def test_vectors_are_checked_for_byte_order_and_structs_by_their_c_name():
    swapped = gpuarray.to_gpu(np.arange(4, dtype=np.dtype(np.float32).newbyteorder()))
    with pytest.raises(TypeError, match=r"byte order is not the device's: .* astype\(numpy.float32\)"):
        ElementwiseKernel("float *x", "x[i] *= 2")(swapped)
    with pytest.raises(TypeError, match="byte order is not the device's"):
        ElementwiseKernel("float *x", "if (i > 1) x[i - 1] *= 2")(swapped)
    with pytest.raises(TypeError, match="'x' is declared as float4 of 16 bytes, the array has dtype float32"):
        ElementwiseKernel("float4 *x", "x[i] = make_float4(1, 2, 3, 4)")(gpuarray.zeros(4, np.float32))
