# SPDX-License-Identifier: MIT
"""Mistakes with arrays and their functions whose errors name what to write instead."""

import numpy as np
import pytest
from pycuda import cumath, gpuarray
from pycuda.compiler import SourceModule
from pycuda.scan import InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize("name", ["concatenate", "stack"])
def test_arrays_that_are_joined(name):
    function, array = getattr(gpuarray, name), gpuarray.zeros(3, np.float32)
    with pytest.raises(TypeError, match=rf"{name} takes the arrays as one sequence: {name}\(\(a, b\)\)"):
        function(array, array)
    with pytest.raises(TypeError, match=rf"{name} takes arrays on the device, not ndarray: to_gpu\(a\) copies"):
        function((array, array.get()))
    with pytest.raises(TypeError, match="not float: to_gpu.numpy.array.a.. copies"):
        function((array, 1.0))


def test_a_function_of_gpuarray_in_cumath():
    with pytest.raises(AttributeError, match="no attribute 'maximum': np.maximum.a. computes|it is pycuda.gpuarray"):
        _ = cumath.maximum
    with pytest.raises(AttributeError, match="no attribute 'max': it is pycuda.gpuarray.max"):
        _ = cumath.max


def test_a_field_as_an_attribute():
    vectors = gpuarray.zeros(3, gpuarray.vec.float4)
    with pytest.raises(AttributeError, match=r"a GPUArray has no x: a\['x'\] is the array of the field"):
        _ = vectors.x
    assert not hasattr(vectors, "q")


def test_a_scan_of_an_array_of_the_host():
    with pytest.raises(TypeError, match=r"of shape \(5,\): to_gpu\(a\) copies it there"):
        InclusiveScanKernel(np.int32, "a+b")(np.arange(5, dtype=np.int32))


def test_what_is_no_number_for_a_parameter_that_is_one():
    kernel = SourceModule("__global__ void k(float a, int *b) {}").get_function("k")
    with pytest.raises(TypeError, match=r": str; float\(\) or int\(\) makes a number of it$"):
        kernel("2.0", np.intp(0), block=(1, 1, 1))
    with pytest.raises(TypeError, match="parameter #0 .*: NoneType; pass one number$"):
        kernel(None, np.intp(0), block=(1, 1, 1))
    with pytest.raises(TypeError, match=r"parameter #1 .*: NoneType; numpy.intp\(0\) is a null pointer$"):
        kernel(2.0, None, block=(1, 1, 1))
