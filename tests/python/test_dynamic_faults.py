# SPDX-License-Identifier: MIT
"""Kernels launched by kernels that go astray on the CPU driver: what is said of them, and that they end."""

import re

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

PRELUDE = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import DynamicSourceModule

def run(source, *arguments, threads=2):
    x = cuda.to_device(np.zeros(64, np.int32))
    kernel = DynamicSourceModule(source, options=["-lineinfo"]).get_function("parent")
    try:
        kernel(x, *arguments, block=(threads, 1, 1))
        cuda.Context.synchronize()
        print("no fault")
    except cuda.Error as error:
        print(error)
"""


def test_a_fault_of_a_child_names_the_child_and_who_launched_it():
    program = (
        PRELUDE
        + '''
run("""
__global__ void child(int *x)
{
  if (threadIdx.x == 3) *(int *)(8 * threadIdx.x) = 1;
}
__global__ void parent(int *x) { if (threadIdx.x == 1) child<<<1, 8>>>(x); }
""")
'''
    )
    for checked in ("0", "1"):
        out, _ = run_program(program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK=checked)
        assert "illegal memory access" in out
        assert "kernel child, block (0, 0, 0), thread (3, 0, 0) at " in out
        launcher = r"\(launched by kernel parent, block \(0, 0, 0\), thread \(1, 0, 0\)\)"
        assert re.search(r" at (line 4 of the source passed at )?\S+ " + launcher, out), out


def test_after_a_fault_no_further_child_runs_and_waits_end():
    out, _ = run_program(
        PRELUDE
        + '''
run("""
#include <cstdio>
__global__ void bad() { __trap(); }
__global__ void good() { printf("ran\\\\n"); }
__global__ void parent(int *x)
{
  cudaStream_t first, second;
  cudaEvent_t event;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  bad<<<1, 1, 0, first>>>();
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event, 0);
  good<<<1, 1, 0, second>>>();
  good<<<1, 1, 0, cudaStreamTailLaunch>>>();
}
""", threads=256)
''',
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_THREADS="8",  # several faults at the same time
    )
    assert "trap instruction in kernel bad" in out
    assert "ran" not in out


@pytest.mark.parametrize(
    "source",
    [
        """
        __global__ void endless(volatile int *x) { while (*x == 0) {} }
        __global__ void parent(int *x) { endless<<<1, 1>>>(x); }
        """,
        """
        __global__ void endless(int *x) { x[1] += 1; endless<<<1, 1, 0, cudaStreamTailLaunch>>>(x); }
        __global__ void parent(int *x) { endless<<<1, 1>>>(x); }
        """,
    ],
)
def test_a_child_and_tails_without_end_are_stopped_by_the_time_limit(source):
    out, _ = run_program(PRELUDE + f"run({source!r})", PYCUDA_DRIVER="cpu", PYCUDA_CPU_TIMEOUT="0.5")
    assert "time limit (PYCUDA_CPU_TIMEOUT)" in out
    assert "kernel endless" in out


def test_ctrl_c_stops_children_and_tails_without_end():
    out, _ = run_program(
        PRELUDE
        + '''
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
def press():
    for _ in range(2):
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGINT)
try:
    threading.Thread(target=press, daemon=True).start()
    run("""
    __global__ void parent(int *x)
    {
      if (threadIdx.x == 0) { x[0] += 1; parent<<<1, 2, 0, cudaStreamTailLaunch>>>(x); }
    }
    """)
except KeyboardInterrupt:
    print("interrupted")
''',
        PYCUDA_DRIVER="cpu",
    )
    assert "interrupt" in out


def test_the_checked_mode_watches_the_parameters_of_a_launch():
    out, _ = run_program(
        PRELUDE
        + '''
run("""
extern "C" __device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__global__ void child(int *x) { *x = 1; }
__global__ void parent(int *x)
{
  char *buffer = (char *)cudaGetParameterBuffer(8, 8);
  buffer[threadIdx.x + 7] = 1;
}
""")
''',
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_CHECK="1",
    )
    assert "0 bytes past the end of the 8-byte block of a launch's parameters" in out
