# SPDX-License-Identifier: MIT
"""Kernels that say that all their blocks have as many threads as their launch bounds."""

import numpy as np
import pycuda.driver as drv
import pytest
from programs import is_cpu
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def test_a_kernel_may_fix_its_block():
    # For the CPU driver it is what .reqntid says; a GPU's compiler knows no such pragma.
    source = """
    __global__ void __launch_bounds__(256) total(const int *in, int *out)
    {
      asm volatile(".pragma \\"pycuda_fixed_block\\";");
      __shared__ int part[256];
      part[threadIdx.x] = in[threadIdx.x];
      __syncthreads();
      for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
      }
      if (threadIdx.x == 0) *out = part[0];
    }
    """
    total = SourceModule(source).get_function("total")
    given, out = np.arange(256, dtype=np.int32), np.zeros(1, np.int32)
    total(drv.In(given), drv.Out(out), block=(256, 1, 1))
    assert out[0] == given.sum()
    if is_cpu():
        for block in (128, 1, 1), (16, 16, 1):
            with pytest.raises(drv.LogicError, match="invalid argument"):
                total(drv.In(given), drv.Out(out), block=block)
