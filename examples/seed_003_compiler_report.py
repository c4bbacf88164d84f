# SPDX-License-Identifier: MIT
"""Ask the compiler for a kernel's registers while compiling it."""

import warnings

import numpy
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    mod = SourceModule("""
    __global__ void vec_elm_mul(float *dest, float *a, float *b)
    {
        const int i = threadIdx.x;
        dest[i] = a[i] * b[i];
    }
    """, options=["--ptxas-options=-v"], cache_dir=False)
vec_elm_mul = mod.get_function("vec_elm_mul")

report = "\n".join(str(warning.message) for warning in said)
print(report)
assert "The CUDA compiler succeeded, but said the following:" in report
assert "Compiling entry function 'vec_elm_mul'" in report
assert "registers" in report

a = numpy.random.randn(400).astype(numpy.float32)
b = numpy.random.randn(400).astype(numpy.float32)

dest = numpy.zeros_like(a)
vec_elm_mul(drv.Out(dest), drv.In(a), drv.In(b),
            block=(400, 1, 1), grid=(1, 1))
assert (dest == a*b).all()
