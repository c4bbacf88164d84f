# SPDX-License-Identifier: MIT
"""Checked kernels run in gangs, as vectors, and what the checks find there has the thread, block, line and place."""

import re

import pytest
from programs import run_program

pytestmark = pytest.mark.usefixtures("programs_on_cpu")

PLANS = """
import pycuda.autoinit
from pycuda.compiler import SourceModule

module = SourceModule('''
__global__ void saxpy(float *a, float *b, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = 2 * a[i] + b[i];
}

__global__ void tree(float *a, float *b)
{
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = a[t];
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[t] += s[t + d];
  }
  if (t == 0) b[0] = s[0];
}

__global__ void shuffles(float *a)
{
  float v = a[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x == 0) a[0] = v;
}

__global__ void local(int *a, int n)
{
  int own[32];
  for (int i = 0; i < n; ++i) own[a[i] & 31] = i;
  a[threadIdx.x] = own[a[threadIdx.x] & 31];
}

__global__ void heap(int **a)
{
  int *own = (int *)malloc(4);
  *own = threadIdx.x;
  a[threadIdx.x] = own;
  free(a[threadIdx.x ^ 1]);
}

__global__ void fence(int *a)
{
  a[threadIdx.x] = 1;
  __threadfence();
  a[1024] = 1;
}

__global__ void release(int *a)
{
  asm volatile("st.release.gpu.s32 [%0], 1;" :: "l"(a + threadIdx.x) : "memory");
}
''')
for name in ("saxpy", "tree", "shuffles", "local", "heap", "fence", "release"):
    plan = module.get_function(name).plan(block=(256, 1, 1))
    print(name, plan.is_vector, *plan.header[1:2])
"""


def plans(check):
    # Without patience, no kernel runs thread by thread at first because a busy machine compiles it slowly.
    output, _ = run_program(PLANS, PYCUDA_CPU_CHECK=check, PYCUDA_DRIVER="cpu", PYCUDA_CPU_PATIENCE="-1")
    return output.splitlines()


@pytest.mark.parametrize("check", ["memory", "sync", "memory,sync", "init", "race", "all"])
def test_checked_kernels_run_in_gangs_or_the_plan_says_why_not(check):
    lines = plans(check)
    assert [line.split()[:2] for line in lines[:3]] == [["saxpy", "True"], ["tree", "True"], ["shuffles", "True"]]
    if "memory" in check or check == "all":
        assert lines[3] == "local False thread by thread: a stack of its own"
        assert lines[4].startswith("heap False thread by thread: checked memory that threads free")


@pytest.mark.parametrize("check", ["race", "all"])
def test_kernels_whose_threads_order_their_accesses_by_fences_run_thread_by_thread(check):
    lines = plans(check)
    assert lines[5] == "fence False thread by thread: a fence, where races are looked for"
    assert lines[6] == "release False thread by thread: an access that orders others, where races are looked for"


FAULT = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

kernel = SourceModule('''
__global__ void kernel(int *a, int *places)
{
  int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * (threadIdx.z + blockDim.z * blockIdx.x));
  int value = places[i];
  a[value] = i;
}
''', options=["-lineinfo"]).get_function("kernel")
places = np.arange(COUNT, dtype=np.int32)
places[PLACE] = COUNT
a = cuda.mem_alloc(4 * COUNT)
try:
    kernel(a, cuda.In(places), block=BLOCK, grid=(COUNT // SIZE, 1))
    cuda.Context.synchronize()
    print("nothing was found")
except cuda.Error as error:
    print(error)
"""


@pytest.mark.parametrize("block", [(64, 1, 1), (8, 1, 1), (24, 1, 1), (16, 16, 1), (32, 2, 3), (3, 5, 2)])
@pytest.mark.parametrize("check", ["memory", "all"])
def test_a_fault_names_the_lane_that_makes_it(block, check):
    size = block[0] * block[1] * block[2]
    count, place = 8 * size, 5 * size + size * 2 // 3
    settings = f"COUNT, PLACE, BLOCK, SIZE = {count}, {place}, {block}, {size}\n"
    output, _ = run_program(settings + FAULT, PYCUDA_CPU_CHECK=check, PYCUDA_DRIVER="cpu")
    inside = place % size
    thread = (inside % block[0], inside // block[0] % block[1], inside // (block[0] * block[1]))
    assert f"0 bytes past the end of the {4 * count}-byte block of device memory" in output
    assert f"in kernel kernel, block (5, 0, 0), thread {thread} at " in output
    assert re.search(r"line 6 of the source passed at \S+: write of 4 bytes", output)


STRIDES = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

kernel = SourceModule('''
__global__ void kernel(int *a, int n, int step, int from)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i * step + from] = i;
}
''').get_function("kernel")
for count, step, start, elements in RUNS:
    a = cuda.mem_alloc(4 * elements)
    try:
        kernel(a, np.int32(count), np.int32(step), np.int32(start), block=(128, 1, 1), grid=((count + 127) // 128, 1))
        cuda.Context.synchronize()
        print("clean")
    except cuda.Error as error:
        print(error)
"""


def test_ranges_of_gangs_are_exact_at_both_ends():
    settings = {"PYCUDA_CPU_CHECK": "memory", "PYCUDA_DRIVER": "cpu"}
    whole = "RUNS = [(1000, 1, 0, 1000), (1000, 3, 0, 2998), (1000, -1, 999, 1000), (1, 1, 0, 1)]\n"
    assert run_program(whole + STRIDES, **settings)[0].split() == ["clean"] * 4
    for run, where in (
        ((1000, 1, 0, 999), "0 bytes past the end of the 3996-byte block"),
        ((1000, 3, 0, 2997), "0 bytes past the end of the 11988-byte block"),
        ((1000, -1, 998, 1000), "4 bytes before the start of the 4000-byte block"),
    ):
        output, _ = run_program(f"RUNS = [{run}]\n" + STRIDES, **settings)
        assert where in output, output


ROUNDS = """
import re

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
import pycuda
from pycuda.compiler import SourceModule

module = SourceModule('''
__global__ void gone(int *a, int n)
{
  int t = threadIdx.x;
  if (t >= n) return;
  a[t] = t;
  __syncthreads();
  a[t] += 1;
}

__global__ void parted(int *a, int n)
{
  if (threadIdx.x / 32 < n) {
    a[threadIdx.x] = 1;
    __syncthreads();
    a[threadIdx.x] += 2;
  } else {
    __syncthreads();
    a[threadIdx.x] = 3;
  }
}

__global__ void named(int *a, int n, unsigned mask)
{
  int t = threadIdx.x;
  if (t >= n) return;
  a[t] = __shfl_sync(mask, t, 0);
}

__global__ void rounds(int *a, int n)
{
  for (int i = 0; i < n; ++i) __syncthreads();
  a[threadIdx.x] = n;
}
''', options=["-lineinfo"])
a = cuda.mem_alloc(4096)


def place_in_source(finding):
    return int(re.match("line ([0-9]+) of the source passed at ", finding.place)[1])


def check(name, threads, *arguments):
    with pycuda.checks("sync") as found:
        module.get_function(name)(a, *arguments, block=(threads, 1, 1))
    for finding in found:
        print(name, place_in_source(finding), finding.thread, finding.message)
    print(name, "end")


check("gone", 256, np.int32(256))
check("gone", 256, np.int32(200))
check("gone", 200, np.int32(128))
check("parted", 128, np.int32(4))
check("parted", 128, np.int32(0))
check("parted", 128, np.int32(2))
check("named", 64, np.int32(64), np.uint32(0xffffffff))
check("named", 40, np.int32(40), np.uint32(0xffffffff))
check("named", 64, np.int32(40), np.uint32(0xffffffff))
check("named", 32, np.int32(16), np.uint32(0xffff))
check("named", 32, np.int32(32), np.uint32(0xffff))
check("rounds", 320, np.int32(7))
check("rounds", 33, np.int32(3))
"""


def test_barriers_and_masks_of_gangs_follow_the_rules():
    ours, _ = run_program(ROUNDS, PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK=None)
    threads, _ = run_program(ROUNDS, PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK=None, PYCUDA_CPU_VECTOR=0)
    assert ours == threads
    gone = [line for line in ours.splitlines() if line.startswith("gone")]
    assert gone[0] == "gone end"
    assert gone[1].startswith("gone 7 (0, 0, 0) 56 threads exited without reaching a barrier")
    assert "the first is thread (200, 0, 0): it opens without them, and anything that they should" in gone[1]
    assert gone[3].startswith("gone 7 (0, 0, 0) 72 threads exited")
    parted = [line for line in ours.splitlines() if line.startswith("parted")]
    assert parted[:2] == ["parted end", "parted end"]
    assert "threads of the block wait at different __syncthreads()" in parted[2]
    named = [line for line in ours.splitlines() if line.startswith("named")]
    assert named[:4] == ["named end"] * 4
    assert "does not name lane 16, which calls it" in named[4]
    assert ours.count("rounds") == 2


UNWRITTEN = """
import re

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
import pycuda
from pycuda.compiler import SourceModule

module = SourceModule('''
template <class T> __device__ void copy(T *to, const T *from)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + T(1);
}
__global__ void bytes(unsigned char *to, const unsigned char *from) { copy(to, from); }
__global__ void halves(unsigned short *to, const unsigned short *from) { copy(to, from); }
__global__ void words(unsigned *to, const unsigned *from) { copy(to, from); }
__global__ void longs(unsigned long long *to, const unsigned long long *from) { copy(to, from); }
__global__ void pairs(float2 *to, const float2 *from)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = make_float2(from[i].x + 1, from[i].y);
}
__global__ void shared(int *to, int n)
{
  __shared__ int s[128];
  if (threadIdx.x < n) s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  to[threadIdx.x] = s[threadIdx.x] * 2;
}
''', options=["-lineinfo"])
for name, size in (("bytes", 1), ("halves", 2), ("words", 4), ("longs", 8), ("pairs", 8)):
    for written in (512 * size, 301 * size // 4 * 4):
        with pycuda.checks("init") as found:
            source, target = cuda.mem_alloc(512 * size), cuda.mem_alloc(512 * size)
            cuda.memset_d8(source, 255, written)
            module.get_function(name)(target, source, block=(128, 1, 1), grid=(4, 1))
        print(name, written // size, [(one.block, one.thread, one.access) for one in found])
for n in (128, 77):
    with pycuda.checks("init") as found:
        module.get_function("shared")(target, np.int32(n), block=(128, 1, 1))
    lines = [int(re.match("line ([0-9]+) of the source passed at ", one.place)[1]) for one in found]
    print("shared", n, [(line, one.thread, "shared::s" in one.message) for line, one in zip(lines, found)])
"""


def test_the_first_lane_that_reads_what_nobody_wrote_is_named():
    output, _ = run_program(UNWRITTEN, PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK=None, PYCUDA_CPU_THREADS="1")
    lines = output.splitlines()
    for name, first, size in (
        ("bytes", 300, 1),
        ("halves", 300, 2),
        ("words", 301, 4),
        ("longs", 301, 8),
        ("pairs", 301, 8),
    ):
        assert lines.pop(0) == f"{name} 512 []"
        found = lines.pop(0)
        access = f"read of {size} byte{'s' if size > 1 else ''}"
        assert found.startswith(f"{name} {first} [((2, 0, 0), ({first - 256}, 0, 0), '{access}')"), found
    assert lines == ["shared 128 []", "shared 77 [(21, (77, 0, 0), True)]"]


def test_a_time_limit_ends_a_loop_over_a_barrier_that_is_checked_for_races():
    # A launch that was stopped while it held a lock of the checks let all later calls wait forever.
    program = """
import numpy as np
import pycuda
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
cuda.init()
for _ in range(20):
    context = cuda.Device(0).make_context()
    wait = SourceModule("__global__ void wait(int *a) { while (true) __syncthreads(); }").get_function("wait")
    try:
        with pycuda.checks("race"):
            wait(cuda.InOut(np.zeros(24, np.int32)), block=(8, 1, 1), grid=(3, 1))
    except cuda.Error as error:
        assert "time limit" in str(error), error
    context.pop()
print("all ended")
"""
    output, _ = run_program(program, PYCUDA_CPU_TIMEOUT=0.1)
    assert output.endswith("all ended\n")
