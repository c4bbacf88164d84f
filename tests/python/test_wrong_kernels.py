# SPDX-License-Identifier: MIT
"""Wrong kernels and wrong calls end with an error, or do no harm: never with the process."""

import pytest
from programs import run_program

pytestmark = pytest.mark.usefixtures("programs_on_cpu")

# Each overruns an array of 8 elements: upwards (i > 0) or downwards, element by element or far away at once.
OVERRUNS = {
    "far away": "int a[8]; fill(a, o); a[i + (t & 3)] = t; o[t] = a[t & 7];",
    "one by one": "int a[8]; fill(a, o); walk(a, i); o[t] = a[t & 7];",
    "in a function": "int a[8]; fill(a, o); in_function(a, i); o[t] = a[t & 7];",
    "in a function that calls itself": "o[t] = again(o, i, 3);",
    "between barriers": """int a[8]; fill(a, o); __syncthreads(); walk(a, i); __syncthreads();
        int s = a[t & 7]; __syncthreads(); o[t] = s + a[(t + 1) & 7];""",
    "between named barriers": """int a[8]; fill(a, o); asm volatile("bar.sync 1;" ::: "memory"); walk(a, i);
        asm volatile("bar.sync 1;" ::: "memory"); o[t] = a[t & 7];""",
    "between shuffles": """int a[8]; fill(a, o); int s = __shfl_xor_sync(~0u, a[t & 7], 1); walk(a, i);
        o[t] = __shfl_xor_sync(~0u, a[s & 7], 1);""",
    "in a function that waits": "o[t] = waits(o, i, 2);",
    "of alloca": """unsigned long long place; asm("alloca.u64 %0, %1;" : "=l"(place) : "l"(32ull + (t & 1) * 16));
        walk((int *)place, i); o[t] = ((int *)place)[t & 7];""",
    "by an address in memory": """int a[8], b[4]; fill(a, o); int *p[2]; p[t & 1] = a; p[~t & 1] = b;
        in_function(p[o[t] & 1], i); o[t] = a[t & 7] + b[t & 3];""",
}

PROGRAM = r"""
import sys
import numpy as np
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = r'''
__device__ void fill(int *a, const int *o) { for (int q = 0; q < 8; q++) a[q] = o[q] + q; }
__device__ void walk(int *a, int i)
{
  if (i >= 0) for (int q = 0; q < i; q++) a[q] = q * 0x1234567;
  else for (int q = 0; q > i; q--) a[q] = q * 0x1234567;
}
__device__ __noinline__ void in_function(int *a, int i) { walk(a, i); }
__device__ __noinline__ int again(int *o, int i, int depth)
{
  int a[8]; fill(a, o); walk(a, i);
  if (depth) a[depth] += again(o, i, depth - 1);
  return a[depth & 7];
}
__device__ __noinline__ int waits(int *o, int i, int depth)
{
  int a[8]; fill(a, o); __syncthreads(); walk(a, i);
  if (depth) a[depth] += waits(o, i, depth - 1);
  __syncthreads();
  return a[depth & 7];
}
extern "C" __global__ void k(int *o, int i) { int t = threadIdx.x; BODY }
'''


def outcome(index):
    kernel = SourceModule(SOURCE).get_function("k")
    out = cuda.mem_alloc(4096)
    cuda.memset_d8(out, 0, 4096)
    try:
        for turn in range(2):
            kernel(out, np.int32(index), block=(64, 1, 1), grid=(3, 1))
            cuda.Context.synchronize()
        return "went on"
    except cuda.Error as error:
        assert any(words in str(error) for words in ("illegal memory access", "invalid program counter")), error
        return "fault"


cuda.init()
for index in sys.argv[1:]:
    # What a fault leaves is its context's alone.
    context = cuda.Device(0).make_context()
    print(index, outcome(int(index)), flush=True)
    context.pop()
    context.detach()
    junk = [bytes(1000) for _ in range(1000)]  # the heap is whole
"""
INDICES = (300, -300, 40000, -3000000, 2000000000, -2000000000)


@pytest.mark.parametrize("vectors", [0, 1], ids=["threads", "gangs"])
@pytest.mark.parametrize("body", OVERRUNS.values(), ids=OVERRUNS.keys())
def test_a_local_array_that_is_overrun_harms_nothing_else(body, vectors):
    """The process goes on, with other arrays that are overrun in other contexts."""
    out, _ = run_program(
        PROGRAM.replace("BODY", body), arguments=map(str, INDICES), PYCUDA_CPU_VECTOR=vectors, PYCUDA_CPU_TIMEOUT=20
    )
    outcomes = dict(line.split(" ", 1) for line in out.splitlines())
    assert list(outcomes) == [str(index) for index in INDICES]
    for index in INDICES:
        # A GPU, too, lets an index of one thread meet other local memory.
        assert outcomes[str(index)] in ("fault", *["went on"] * (abs(index) < 2000000000)), index


def test_an_index_that_leaves_local_memory_is_told_so():
    out, _ = run_program(
        """
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        kernel = SourceModule('''
        __global__ void k(int *o, int i) { int a[8]; a[threadIdx.x & 7] = 1; a[i] = 2; o[threadIdx.x] = a[o[0] & 7]; }
        ''').get_function("k")
        try:
            kernel(cuda.mem_alloc(4096), np.int32(1 << 30), block=(32, 1, 1))
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(error)
        """
    )
    assert "beside the threads' local memory: an index left an array of a thread" in out
