# SPDX-License-Identifier: MIT
"""The CPU driver's checked mode, from Python: what its messages name."""

import pathlib

import pycuda
import pytest
from programs import run_program

pytestmark = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)

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


@pytest.mark.parametrize(("kernel", "variable"), [("shift", "shift::left"), ("_Z5shiftPii", "shift(int*, int)::left")])
def test_an_index_beyond_a_shared_array_names_the_array(kernel, variable):
    program = f"NAME, NO_EXTERN_C = {kernel!r}, {kernel.startswith('_Z')}\n" + PROGRAM
    output, _ = run_program(program, PYCUDA_CPU_CHECK=1, PYCUDA_DRIVER="cpu")
    assert "shared 256\nright True\n" in output
    assert f"0 bytes past the end of the 128-byte shared variable '{variable}'" in output
    assert f"in kernel {kernel}, block (0, 0, 0), thread (31, 0, 0) at " in output
    assert ".cu:6: write of 4 bytes" in output
