# SPDX-License-Identifier: MIT
"""Whose access it was: faults in vector code name the thread, not the gang."""

import ast
import re

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

# Allocations of whole pages: what comes behind one cannot be touched.
KERNELS = r"""
#include <cstdio>
#define KERNEL extern "C" __global__ void
#define SELF (blockIdx.x * blockDim.x + threadIdx.x)

KERNEL late(float *out) { out[SELF] = 1; }                                              // 6
KERNEL backwards(float *out, int n) { out[n - 1 - (int)SELF] = 1; }                     // 7
KERNEL gather(float *out, const float *in, const int *at) { out[SELF] = in[at[SELF]]; } // 8
KERNEL scatter(float *out, const int *at)
{
  int i = SELF;
  if (at[i] & 1)
    out[at[i] >> 1] = 1;                                                                // 13
  else
    out[i & 63] += at[i];
}
struct Point { float x, y, z; };
KERNEL structures(float *out, const Point *in)
{
  Point own = in[SELF];                                                                 // 20
  out[SELF & 63] = own.z - own.x * own.y;
}
KERNEL tile(float *out, const int *at, int width)
{
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  out[column] = at[row * width + column];
  out[at[row * width + column]] = 2;                                                    // 27
}
KERNEL behind_barrier(float *out, const int *at)
{
  __shared__ int where[128];
  where[threadIdx.x] = at[SELF];
  __syncthreads();
  out[where[127 - threadIdx.x]] = 1;                                                    // 34
}
KERNEL shared(float *out, const int *at)
{
  __shared__ float own[128];
  own[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = own[at[SELF]];                                                     // 41
}
KERNEL shuffled(float *out, const int *at)
{
  int where = __shfl_xor_sync(0xffffffff, at[SELF], 1);
  out[where] = 1;                                                                       // 46
}
KERNEL misaligned(float *out, const char *in, const int *at)
{
  out[SELF] = *(const float *)(in + at[SELF]);                                          // 50
}
KERNEL all_misaligned(float *out, const float *in)
{
  int i = SELF;
  if (i % 64 < 5) return;
  float4 own = ((const float4 *)in)[i];                                                 // 56
  out[i] = own.x + own.w;
}
KERNEL atomic(int *count, const int *at) { atomicAdd(count + at[SELF], 1); }            // 59
KERNEL strides(float *out, const float *in, int n, int step)
{
  float sum = 0;
  for (int k = SELF; k < n; k += gridDim.x * blockDim.x) sum += in[k] * in[k * step];   // 63
  out[SELF] = sum;
}
KERNEL wild(float *out, const long long *at) { out[SELF] = *(const float *)at[SELF]; }  // 66
KERNEL counts(float *out, int *count, const int *at)
{
  atomicAdd(count, 1);
  count[1 + SELF] += 1;
  printf("thread %d\n", SELF);
  out[at[SELF]] = 1;                                                                    // 72
}
KERNEL in_place(float *out, int *at)
{
  int where = at[SELF] + 1;
  at[SELF] = where;
  out[where] = 1;
}
KERNEL queue(float *out, int *count) { out[atomicAdd(count, 1)] = SELF; }
KERNEL endless(float *out, int *once, const int *at)
{
  float sum = 0;
  for (unsigned k = atomicExch(once + SELF, 1); k != 0; k += 2) sum += out[k & 63];     // the second time
  out[at[SELF]] = sum;
}
KERNEL local(float *out, const int *at)
{
  float own[16];
  for (int k = 0; k < 16; ++k) own[k] = out[k];
  own[at[SELF]] = 2;                                                                    // 91
  out[SELF] = own[at[SELF] & 7];
}
__device__ __noinline__ float read_one(const float *in, int where) { return in[where]; }
KERNEL behind_call(float *out, const int *at)
{
  float sum = out[SELF & 63] + read_one(out, SELF & 31) + out[at[SELF]];                // 97
  out[SELF & 63] = sum;
}
"""

START = (
    """
import sys, time
import numpy as np
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
cuda.init()
kept = []

def fault(name, arguments, block, grid=(1, 1), after=lambda: None):
    context = cuda.Device(0).make_context()
    try:
        function = SourceModule(KERNELS, options=["-lineinfo"], no_extern_c=True).get_function(name)
        assert "gangs of" in function.plan(block), function.plan(block)
        try:
            function(*arguments(), block=block, grid=grid)
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(name, type(error).__name__, error, flush=True)
        else:
            print(name, "has no fault")
        after()
    finally:
        kept.clear()
        context.detach()

def room(bytes=4096):
    memory = cuda.mem_alloc(bytes)
    cuda.memset_d8(memory, 0, bytes)
    kept.append(memory)
    return memory

def places(n, step=1, **wrong):
    at = np.arange(n, dtype=np.int32) * step
    for thread, place in wrong.items():
        at[int(thread[1:])] = place
    return cuda.to_device(at)

FAR = 1100  # of floats: in the page behind one of `room()`, where nothing can be touched
"""
    + f"KERNELS = {KERNELS!r}\n"
)


def messages(program: str, **environment) -> dict[str, str]:
    output, errors = run_program(START + program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK=None, **environment)
    assert "Traceback" not in errors
    return dict(line.split(" ", 1) for line in output.splitlines())


EXACT = {
    # kernel: how it is launched; the block, the thread, the line; more of the message
    "late": (
        "lambda: (int(room()) + 4 * 13,), (64, 1, 1), (20, 1)",
        "15, 0, 0",
        "51, 0, 0",
        6,
        ", 0 bytes past the end",
    ),
    "backwards": (
        "lambda: (room(), np.int32(77)), (128, 1, 1)",
        "0, 0, 0",
        "77, 0, 0",
        7,
        ", 4 bytes before the start",
    ),
    "gather": ("lambda: (room(), room(), places(256, t205=FAR)), (256, 1, 1)", "0, 0, 0", "205, 0, 0", 8, ""),
    "scatter": ("lambda: (room(), places(256, t0=0, t77=2 * FAR + 1)), (128, 1, 1)", "0, 0, 0", "77, 0, 0", 13, ""),
    "structures": (
        "lambda: (room(), room(4096 * 3)), (32, 1, 1), (40, 1)",
        "32, 0, 0",
        "0, 0, 0",
        20,
        ", 0 bytes past",
    ),
    "tile": (
        "lambda: (room(16384), places(64 * 64, t2389=4 * FAR), np.int32(64)), (16, 16), (4, 4)",
        "1, 2, 0",
        "5, 5, 0",
        27,
        "",
    ),
    "behind_barrier": ("lambda: (room(), places(256, t205=FAR)), (128, 1, 1), (2, 1)", "1, 0, 0", "50, 0, 0", 34, ""),
    "shared": (
        "lambda: (room(), places(128, t77=10000)), (128, 1, 1)",
        "0, 0, 0",
        "77, 0, 0",
        41,
        ", 39488 bytes past the end of the block's 512 bytes of shared memory",
    ),
    "shuffled": ("lambda: (room(), places(256, t205=FAR)), (256, 1, 1)", "0, 0, 0", "204, 0, 0", 46, ""),
    "misaligned": ("lambda: (room(), room(), places(256, 4, t205=822)), (256, 1, 1)", "0, 0, 0", "205, 0, 0", 50, ""),
    "all_misaligned": ("lambda: (room(), int(room(16384)) + 4), (128, 1, 1)", "0, 0, 0", "5, 0, 0", 56, ""),
    "atomic": ("lambda: (room(), places(256, t205=FAR)), (256, 1, 1)", "0, 0, 0", "205, 0, 0", 59, ""),
    "strides": (
        "lambda: (room(), room(1 << 16), np.int32(16384), np.int32(3)), (64, 1, 1)",
        "0, 0, 0",
        "22, 0, 0",
        63,
        ", 8 bytes past the end",
    ),
    "wild": (
        "lambda: (room(), cuda.to_device(np.where(np.arange(99) == 77, 0x7eadbeefdeadbe00, int(room())))), (99, 1, 1)",
        "0, 0, 0",
        "77, 0, 0",
        66,
        "address 0x7eadbeefdeadbe00",
    ),
    # What is far from the thread's array lies elsewhere in a gang, where it may be no address at all.
    "local": (
        "lambda: (room(), cuda.to_device(np.where(np.arange(99) == 77, 1 << 29, np.arange(99) % 16).astype(np.int32)))"
        ", (99, 1, 1)",
        "0, 0, 0",
        "77, 0, 0",
        91,
        "illegal memory access",
    ),
    "behind_call": ("lambda: (room(), places(256, t205=FAR)), (256, 1, 1)", "0, 0, 0", "205, 0, 0", 97, ""),
}


@pytest.mark.parametrize("isa", ["sse2", "avx2", "avx512"])
def test_a_fault_in_vector_code_names_its_thread(isa):
    program = "".join(f"fault({name!r}, {launch})\n" for name, (launch, *_) in EXACT.items())
    found = messages(program, PYCUDA_CPU_ISA=isa)
    for name, (_, block, thread, line, more) in EXACT.items():
        text = found[name]
        assert (
            f"block ({block}), thread ({thread}) at " in text and f"at line {line} of the source passed at " in text
        ), text
        assert more in text and "gang" not in text, text


@pytest.mark.parametrize("threads", [5, 8, 24])
def test_small_blocks_that_run_as_one_are_told_apart(threads):
    text = messages(f"fault('late', lambda: (room(),), ({threads}, 1, 1), (1000, 1))")["late"]
    assert f"block ({1024 // threads}, 0, 0), thread ({1024 % threads}, 0, 0) at " in text
    assert "gang" not in text


def test_the_first_of_several_gangs_that_fault_is_named():
    text = messages(
        """
at = np.arange(512, dtype=np.int32)
at[77:] = FAR + np.arange(435)
fault("gather", lambda: (room(), room(), cuda.to_device(at)), (512, 1, 1))
"""
    )["gather"]
    assert "thread (77, 0, 0)" in text


@pytest.mark.parametrize("isa", ["sse2", "avx2", "avx512"])
def test_with_any_threads_astray_one_of_them_is_named_with_its_own_address(isa):
    output, _ = run_program(
        START
        + """
import random
for seed in range(24):
    chance = random.Random(seed)
    block, grid = chance.choice([5, 8, 24, 32, 100, 256]), chance.choice([1, 3, 8])
    astray = chance.sample(range(block * grid), chance.choice([1, 2, 5]))
    at = {f"t{thread}": chance.randrange(1 << 14, (1 << 14) + 1024) for thread in astray}
    def arguments():
        out = room(1 << 16)
        print(seed, block, {int(name[1:]): int(out) + 4 * place for name, place in at.items()}, flush=True)
        return out, places(block * grid, **at)
    fault("atomic", arguments, (block, 1, 1), (grid, 1))
""",
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_CHECK=None,
        PYCUDA_CPU_ISA=isa,
    )
    lines = [line for line in output.splitlines() if not line.startswith(("The context is lost", "    "))]
    assert len(lines) == 48
    for launch, message in zip(lines[::2], lines[1::2], strict=True):
        _, width, places = launch.split(" ", 2)
        address, block, thread = re.search(r"address (\w+).* block \((\d+), .* thread \((\d+), ", message).groups()
        assert ast.literal_eval(places)[int(block) * int(width) + int(thread)] == int(address, 16), (launch, message)
        assert "gang" not in message


def test_looking_for_the_thread_changes_nothing_and_shows_nothing():
    output, errors = run_program(
        START
        + """
import os, signal
heard = []
signal.signal(signal.SIGCHLD, lambda *_: heard.append(1))
count = None
def arguments():
    global count
    count = cuda.pagelocked_zeros(4096, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    return room(), np.intp(count.base.get_device_pointer()), places(128, t77=FAR)
fault("counts", arguments, (128, 1, 1), after=lambda: print("counted", count[0], count[1:].max(), count[1:].sum()))
assert heard == []
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no child")
""",
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_CHECK=None,
    )
    assert "thread (77, 0, 0) at " in output and "no child" in output
    lines = re.findall(r"^thread \d+$", output, re.M)
    assert len(lines) == len(set(lines))
    assert "thread 77" in lines
    assert f"counted {len(lines)} 1 {len(lines)}" in output


def test_stores_to_shared_host_memory_are_not_made_twice():
    output, _ = run_program(
        START
        + """
import mmap
shared = np.frombuffer(mmap.mmap(-1, 1 << 16), np.int32)
def arguments():
    held = cuda.register_host_memory(shared, cuda.mem_host_register_flags.DEVICEMAP)
    return room(), np.intp(held.base.get_device_pointer()), places(128, t77=FAR)
fault("counts", arguments, (128, 1, 1))
ran = int(shared[0])  # threads that did so once
assert 1 <= ran <= 128 and shared[1:129].max() == 1 and shared[1:129].sum() == ran, shared[:129]
""",
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_CHECK=None,
    )
    assert "that run together" in output


UNKNOWN = {
    "in_place": "lambda: (room(), cuda.to_device(np.arange(128, dtype=np.int32) + 1024 - 77)), (128, 1, 1)",
    "queue": "lambda: (room(), cuda.to_device(np.array([1024 - 77], np.int32))), (128, 1, 1)",
}


@pytest.mark.parametrize("isa", ["sse2", "avx2", "avx512"])
@pytest.mark.parametrize("name", UNKNOWN)
def test_a_thread_that_cannot_be_found_is_not_named(name, isa):
    text = messages(f"fault({name!r}, {UNKNOWN[name]})", PYCUDA_CPU_ISA=isa)[name]
    said = r"; the thread is the first of \d+ that run together, PYCUDA_CPU_CHECK=1 tells which one it was$"
    assert re.search(said, text)


def test_the_search_ends_when_a_thread_does_not():
    text = messages(
        """
fault("endless", lambda: (room(), room(), places(128, t77=FAR)), (128, 1, 1))
"""
    )["endless"]
    assert "that run together" in text


def test_a_fault_between_barriers_names_its_gang():
    out, _ = run_program(
        """
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        kernel = SourceModule('''
        __global__ void k(int *o, int i)
        {
          int t = threadIdx.x, a[8];
          for (int q = 0; q < 8; q++) a[q] = o[q];
          __syncthreads();
          for (int q = 0; q < 8; q++) a[q * i] = q;
          __syncthreads();
          o[t] = a[t & 7];
        }
        ''').get_function("k")
        try:
            kernel(cuda.mem_alloc(4096), np.int32(1 << 28), block=(128, 1, 1))
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(error)
        """,
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_PATIENCE=-1,
    )
    assert "thread (0, 0, 0)" in out


@pytest.mark.parametrize("vectors", ["0", "1"])
def test_a_loop_that_ends_never_and_accesses_nothing_names_its_line(vectors):
    output, _ = run_program(
        """
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        twice = SourceModule('''
        __global__ void twice(float *a, int n)
        {
          int stride = 0;
          for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
            a[i] = 2 * a[i];
        }
        ''').get_function("twice")
        memory = cuda.mem_alloc(4000)
        try:
            twice(memory, np.int32(1000), block=(64, 1, 1))
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(error)
        """,
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_TIMEOUT="1",
        PYCUDA_CPU_VECTOR=vectors,
    )
    assert "terminated by the time limit" in output and " at line 5 of the source passed at " in output
    assert ("that run together" in output) == (vectors == "1") and "gang" not in output
    assert "for (int i = blockIdx.x" in output
