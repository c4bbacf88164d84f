# SPDX-License-Identifier: MIT
"""What tests of pycuda.compiler share: a source, its PTX, and the error of one that does not compile."""

import pytest
from pycuda.compiler import compile

MULTIPLY = """
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
"""


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
