# SPDX-License-Identifier: MIT
"""What tests of pycuda.compiler share: a source, its PTX, and the error of one that does not compile."""

import pathlib
import re

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


def needs_cccl(header="cub/cub.cuh", version=(2, 0)):
    """Skips the test where CUDA's C++ libraries are not installed, as a wheel or with a toolkit, or too old."""
    for _, _, folders in the_compiler().installations():
        if any((pathlib.Path(folder) / header).exists() and _cccl_version(folder) >= version for folder in folders):
            return
    major, minor = version
    pytest.skip(f"needs CCCL {major}.{minor} or newer, with {header}: pip install nvidia-cuda-cccl")


def _cccl_version(folder):
    text = (pathlib.Path(folder) / "cuda/std/__cccl/version.h").read_text()
    number = int(re.search(r"define CCCL_VERSION (\d+)", text)[1])
    return number // 1_000_000, number // 1000 % 1000


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
