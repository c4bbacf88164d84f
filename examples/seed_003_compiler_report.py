# SPDX-License-Identifier: MIT
"""Ask the compiler for a kernel's registers while compiling it, and take it from the cache the second time."""

# Differs from the text in catching the warning, so as to check it, and in showing the cache that the text describes: in
# a folder of its own, so that the first compilation is one.
import pycuda.autoinit
import pycuda.driver as drv
import numpy

from pycuda.compiler import SourceModule

import tempfile
import time
import warnings


def compile_it(cache_dir):
    mod = SourceModule("""
    __global__ void vec_elm_mul(float *dest, float *a, float *b)
    {
        const int i = threadIdx.x;
        dest[i] = a[i] * b[i];
    }
    """, options = ["--ptxas-options=-v"], cache_dir=cache_dir)
    return mod


with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    began = time.perf_counter()
    mod = compile_it(folder)
    first = time.perf_counter() - began
    report = "\n".join(str(warning.message) for warning in said)
    said.clear()
    began = time.perf_counter()
    mod = compile_it(folder)
    second = time.perf_counter() - began
vec_elm_mul = mod.get_function("vec_elm_mul")

print(report)
assert "The CUDA compiler succeeded, but said the following:" in report
assert "Compiling entry function 'vec_elm_mul'" in report
assert "registers" in report
print(f"compiled in {first * 1e3:.2f} ms, taken from the cache in {second * 1e3:.2f} ms")
# What comes from the cache was not compiled: the compiler has nothing to say.
assert not said and second < first

a = numpy.random.randn(400).astype(numpy.float32)
b = numpy.random.randn(400).astype(numpy.float32)

dest = numpy.zeros_like(a)

vec_elm_mul( drv.Out(dest), drv.In(a), drv.In(b),
             block=(400,1,1), grid=(1,1))

assert (dest == a*b).all()
