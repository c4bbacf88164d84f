# SPDX-License-Identifier: MIT
"""Kernels compiled for a debugger whose threads wait: each has a stack of its own, and all else is as without."""

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

PROGRAM = '''
import os
os.environ["PYCUDA_DRIVER"] = "cpu"
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import tools
from pycuda.compiler import SourceModule

SOURCE = """
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
__device__ int depth(int n, int *shared)
{
  if (n == 0) {
    __syncthreads();
    return shared[0];
  }
  return depth(n - 1, shared) + 1;
}
extern "C" __global__ void recursion(int *a, int n)
{
  __shared__ int shared[1];
  shared[0] = 0;
  a[threadIdx.x] = depth(n, shared);
}
__device__ int waits(int *shared, int i)
{
  shared[i] = i;
  __syncthreads();
  return shared[63 - i];
}
__device__ int waits_not(int *, int i) { return i; }
typedef int (*Function)(int *, int);
__device__ Function table[2] = {waits, waits_not};
extern "C" __global__ void indirect(int *a, int n)
{
  __shared__ int shared[64];
  a[threadIdx.x] = table[n](shared, threadIdx.x);
}
__device__ void leave(int i)
{
  __syncthreads();
  if (i >= 32)
    asm("exit;");
}
extern "C" __global__ void ends_in_a_call(int *a, int n)
{
  leave(threadIdx.x);
  a[threadIdx.x] = n;
}
extern "C" __global__ void arrays(int *a, int n)
{
  int x[5000];
  for (int i = 0; i < 5000; ++i)
    x[i] = i + threadIdx.x;
  __syncthreads();
  a[threadIdx.x] = x[n] + x[4999];
}
extern "C" __global__ void faults(int *a, int n)
{
  __shared__ int shared[64];
  shared[threadIdx.x] = n;
  __syncthreads();
  if (threadIdx.x == 7)
    a[shared[3]] = 1;
  __syncthreads();
}
__device__ void asserts(int i)
{
  __syncthreads();
  assert(i != 9);
}
extern "C" __global__ void asserts_in_a_call(int *a, int n) { asserts(threadIdx.x + n); }
extern "C" __global__ void prints(int *a, int n)
{
  __syncthreads();
  if (threadIdx.x == 40)
    printf("%d %f %s\\\\n", n, 1.5, "text");
}
extern "C" __global__ void votes(int *a, int n)
{
  int i = threadIdx.x;
  a[i] = i & 1 ? __shfl_xor_sync(0xaaaaaaaa, i, 2) : __shfl_xor_sync(0x55555555, i, n);
}
__device__ volatile int flag;
extern "C" __global__ void spins(int *a, int n)
{
  if (threadIdx.x == 0)
    while (!flag) {
    }
  else if (threadIdx.x == 63)
    flag = n;
  a[threadIdx.x] = 0;
}
__device__ int arrived;
extern "C" __global__ void grid(int *a, int n)
{
  if (threadIdx.x == 0)
    atomicAdd(&arrived, n);
  cooperative_groups::this_grid().sync();
  a[threadIdx.x] = arrived;
}
"""


def run(name, n=0, **launch):
    module = SourceModule(SOURCE, no_extern_c=True, options=["-G"])
    a = np.zeros(64, np.int32)
    try:
        module.get_function(name)(cuda.InOut(a), np.int32(n), block=(64, 1, 1), **launch)
        cuda.Context.synchronize()
        print(name, *a[[0, 1, 2, 31, 32, 63]], flush=True)
    except cuda.Error as error:
        print(name, str(error).splitlines()[0], flush=True)
        tools.reset_context()


run("recursion", 20)
run("recursion", 100000)
cuda.Context.set_limit(cuda.limit.STACK_SIZE, 65536)
run("recursion", 1000)
run("recursion", 100000)
run("indirect")
run("indirect", 1)
run("ends_in_a_call", 5)
run("arrays", 17)
run("faults", 1 << 28)
run("asserts_in_a_call")
run("prints", 6)
run("votes", 2)
run("spins", 1)
run("grid", 2, grid=(6, 1), cooperative=True)
'''

WANTED = """\
recursion 20 20 20 20 20 20
recursion cuCtxSynchronize failed: unspecified launch failure - stack overflow in kernel recursion
recursion 1000 1000 1000 1000 1000 1000
recursion cuCtxSynchronize failed: unspecified launch failure - stack overflow in kernel recursion
indirect 63 62 61 32 31 0
indirect 0 1 2 31 32 63
ends_in_a_call 5 5 5 5 0 0
arrays 5016 5018 5020 5078 5080 5142
faults cuCtxSynchronize failed: an illegal memory access was encountered
asserts_in_a_call cuCtxSynchronize failed: device-side assert triggered in kernel asserts_in_a_call, block (0, 0, 0), \
thread (9, 0, 0)
6 1.500000 text
prints 0 0 0 0 0 0
votes 2 3 0 29 34 61
spins 0 0 0 0 0 0
grid 12 12 12 12 12 12
"""


@pytest.mark.parametrize("symbols", ["0", "1"])
@pytest.mark.parametrize("check", ["", "memory,sync"])
def test_results_and_faults_are_those_of_other_code(symbols, check):
    output, _ = run_program(PROGRAM, PYCUDA_CPU_SYMBOLS=symbols, PYCUDA_CPU_CHECK=check)
    for said, wanted in zip(output.splitlines(), WANTED.splitlines(), strict=True):
        assert said.startswith(wanted), output


DEEP = """
import os
os.environ["PYCUDA_DRIVER"] = "cpu"
import resource
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

kernel = SourceModule('''
__device__ int depth(int n, int *shared)
{
  volatile int room[500];
  room[n % 500] = n;
  if (n == 0) {
    __syncthreads();
    return shared[0];
  }
  return depth(n - 1, shared) + (room[n % 500] == n);
}
extern "C" __global__ void recursion(int *a, int n)
{
  __shared__ int shared[1];
  shared[0] = 0;
  a[blockIdx.x * blockDim.x + threadIdx.x] = depth(n, shared);
}
''', no_extern_c=True, options=["-G"]).get_function("recursion")


def run(n, threads=1024):
    a = np.zeros(4 * threads, np.int32)
    try:
        kernel(cuda.InOut(a), np.int32(n), block=(threads, 1, 1), grid=(4, 1))
        print(*np.unique(a), flush=True)
    except cuda.Error as error:
        print(type(error).__name__, str(error).splitlines()[0], flush=True)


def run_often(n):
    a, device = np.zeros(4096, np.int32), cuda.mem_alloc(4 * 4096)
    for _ in range(5):
        kernel(device, np.int32(n), block=(1024, 1, 1), grid=(4, 1))
    cuda.memcpy_dtoh(a, device)
    print(*np.unique(a), flush=True)


def limit_addresses():
    pages = int(open("/proc/self/statm").read().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (64 << 20), before[1]))


before = resource.getrlimit(resource.RLIMIT_AS)
cuda.Context.set_limit(cuda.limit.STACK_SIZE, 256 << 10)
run(30)
limit_addresses()
run(30)
run_often(30)
cuda.Context.set_limit(cuda.limit.STACK_SIZE, 512 << 10)
run(30)
cuda.Context.set_limit(cuda.limit.STACK_SIZE, 16 << 10)
run(5)
limit_addresses()
cuda.Context.set_limit(cuda.limit.STACK_SIZE, 512 << 10)
run(20, 32)
cuda.Context.set_limit(cuda.limit.STACK_SIZE, 16 << 10)
run(5)
resource.setrlimit(resource.RLIMIT_AS, before)
cuda.Context.set_limit(cuda.limit.STACK_SIZE, 512 << 10)
run(20)
"""


@pytest.mark.parametrize("workers", ["2", "16"])
def test_large_stacks_take_the_memory_that_is_used_and_are_refused_where_there_is_none(workers):
    # Each worker's own heap would take from the addresses that are left.
    output, _ = run_program(DEEP, PYCUDA_CPU_SYMBOLS="1", PYCUDA_CPU_THREADS=workers, MALLOC_ARENA_MAX="1")
    first, again, often, refused, small, *others = output.splitlines()
    assert (first, again, often) == ("30", "30", "30")  # later ones in the memory of the first
    assert refused.startswith("MemoryError cuLaunchKernel failed: out of memory - the system refuses"), refused
    assert refused.endswith("CU_LIMIT_STACK_SIZE is 524288"), refused
    # A few large stacks take the place of many small ones, not that of many large ones.
    assert [small, *others] == ["5", "20", "5", "20"]
