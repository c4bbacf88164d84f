# SPDX-License-Identifier: MIT
"""What the CPU driver tells of a fault: where in the source, and where beside which memory."""

import re

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

PROGRAM = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(r'''SOURCE''', options=["-lineinfo"])
out = cuda.mem_alloc(4096)
cuda.memset_d8(out, 0, 4096)
try:
    module.get_function("k")(out, np.int32(INDEX), block=(64, 1, 1), shared=256)
    cuda.Context.synchronize()
except cuda.Error as error:
    print(error)
"""


def words_of(source, index, vectors):
    program = PROGRAM.replace("SOURCE", source).replace("INDEX", str(index))
    return run_program(program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_VECTOR=vectors)[0]


@pytest.mark.parametrize("vectors", [0, 1], ids=["threads", "gangs"])
def test_an_index_before_dynamic_shared_memory(vectors):
    source = """
extern "C" __global__ void k(int *out, int at)
{
  extern __shared__ int row[];
  row[threadIdx.x] = at;
  __syncthreads();
  out[threadIdx.x] = row[(int)threadIdx.x + at];  // 7
}"""
    words = words_of(source, -1024, vectors)
    told = re.search(r"(\d+) bytes before the start of the block's 256 bytes of shared memory in kernel k", words)
    thread = re.search(r"thread \((\d+), 0, 0\)", words)
    assert told and int(told[1]) == 4096 - 4 * int(thread[1]), words
    assert "at line 7 of the source" in words


@pytest.mark.parametrize("vectors", [0, 1], ids=["threads", "gangs"])
def test_a_stack_overflow_names_a_line_of_the_function(vectors):
    source = """
__device__ __noinline__ int deep(volatile int *at, int depth)
{
  if (depth == 0) return 0;                        // 4
  int value = at[depth & 63];                      // 5
  return value + deep(at, depth + 1) * at[0];      // 6
}
extern "C" __global__ void k(int *out, int at) { out[threadIdx.x] = deep(out, at); }"""
    words = words_of(source, 1, vectors)
    assert "stack overflow in kernel k" in words
    assert any(f"at line {line} of the source" in words for line in (2, 3, 4, 5, 6)), words


@pytest.mark.parametrize("vectors", [0, 1], ids=["threads", "gangs"])
def test_an_indexed_branch_beyond_its_table(vectors):
    source = """
extern "C" __global__ void k(int *out, int at)
{
  int i = at + (threadIdx.x == 21), value;
  asm("{t: .branchtargets a, b; brx.idx %1, t; a: mov.u32 %0, 7; bra e; b: mov.u32 %0, 8; e: }" : "=r"(value) : "r"(i));
  out[threadIdx.x] = value;
}"""
    words = words_of(source, 1, vectors)
    assert "brx.idx with the index 2, for which its table has no label in kernel k" in words
    assert "thread (21, 0, 0)" in words
    assert "at line 5 of the source" in words  # where all of the statement stands


@pytest.mark.parametrize(
    ("symbol", "name"),
    [("_ZN8__main__3addB2v1B3abcEi", "__main__::add(int)"), ("_Z4fillIfEvPT_", "fill<float>(float*)"), ("f", "f")],
)
@pytest.mark.parametrize("check", ["0", "memory,race"])
def test_kernels_are_named_as_in_their_source(symbol, name, check):
    program = f"""
    import pycuda.autoinit
    import pycuda.driver as cuda
    ptx = b'''.version 8.0
    .target sm_80
    .address_size 64
    .visible .entry {symbol}(.param .u64 at)
    {{
      .reg .u64 %rd<2>;
      .reg .b32 %r<2>;
      ld.param.u64 %rd1, [at];
      mov.u32 %r1, %tid.x;
      st.global.u32 [%rd1], %r1;
      ret;
    }}
    '''
    kernel = cuda.module_from_buffer(ptx).get_function("{symbol}")
    kernel(cuda.mem_alloc(4), block=(32, 1, 1))
    cuda.Context.synchronize()
    kernel(0, block=(1, 1, 1))
    try:
        cuda.Context.synchronize()
    except cuda.Error as error:
        print(error)
    """
    words, findings = run_program(program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK=check)
    assert f" in kernel {name}, block" in words
    assert check == "0" or f" in kernel {name}, block" in findings
