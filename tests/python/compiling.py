# SPDX-License-Identifier: MIT
"""What tests of pycuda.compiler share: a source, its PTX, and the error of one that does not compile."""

import pathlib

import pytest
from pycuda._compilers import the_compiler
from pycuda.compiler import compile

MULTIPLY = """
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
"""


def needs_cccl():
    """Skips the test where CUDA's C++ libraries are not installed: neither as a wheel nor with a toolkit."""
    for _, _, folders in the_compiler().installations():
        if any((pathlib.Path(folder) / "cub/cub.cuh").exists() for folder in folders):
            return
    pytest.skip("needs the CCCL headers: pip install nvidia-cuda-cccl")


def ptx_of(source, **keywords):
    keywords.setdefault("cache_dir", False)
    return compile(source, arch="sm_80", target="ptx", **keywords).decode()


def compile_error(source, **keywords):
    from pycuda.driver import CompileError

    keywords.setdefault("cache_dir", False)
    keywords.setdefault("arch", "sm_80")
    with pytest.raises(CompileError) as caught:
        compile(source, **keywords)
    return caught.value
