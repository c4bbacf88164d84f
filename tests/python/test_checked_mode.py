# SPDX-License-Identifier: MIT
"""The CPU driver's checked mode, from Python: what its messages name."""

import pytest

from programs import run_program

PROGRAM = """
import numpy as np
import pycuda.driver as cuda
import pycuda.autoinit
from pycuda.compiler import SourceModule

module = SourceModule('''
__global__ void shift(int *out, int by)
{
  __shared__ int left[32];
  __shared__ int right[32];
  left[threadIdx.x + by] = threadIdx.x;
  right[threadIdx.x] = 100;
  __syncthreads();
  out[threadIdx.x] = left[threadIdx.x] + right[threadIdx.x];
}
''', options=["-lineinfo"], no_extern_c=NO_EXTERN_C)
shift = module.get_function(NAME)
print("shared", shift.shared_size_bytes)
out = np.zeros(32, np.int32)
shift(cuda.Out(out), np.int32(0), block=(32, 1, 1))
print("right", (out == np.arange(32) + 100).all())
try:
    shift(cuda.Out(out), np.int32(1), block=(32, 1, 1))
    print("nothing was found")
except cuda.Error as error:
    print(error)
"""


@pytest.mark.skipif_not_cpu_driver
@pytest.mark.parametrize(("name", "kernel", "variable"), [
    ("shift", "shift", "shift::left"),
    ("_Z5shiftPii", "_Z5shiftPii", "shift(int*, int)::left"),
])
def test_an_index_beyond_a_shared_array_names_the_array(name, kernel, variable):
    program = f"NAME, NO_EXTERN_C = {name!r}, {name.startswith('_Z')}\n" + PROGRAM
    output, _ = run_program(program, PYCUDA_CPU_CHECK=1, PYCUDA_DRIVER="cpu")
    assert "shared 256\nright True\n" in output
    assert f"0 bytes past the end of the 128-byte shared variable '{variable}'" in output
    assert f"kernel {kernel}, block (0, 0, 0), thread (31, 0, 0)" in output
    assert ": write of 4 bytes" in output
    assert ":6" in output  # the line of the source
