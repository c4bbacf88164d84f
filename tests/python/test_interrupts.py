# SPDX-License-Identifier: MIT
"""Ctrl-C while a call waits for a kernel of the CPU driver."""

import signal

import pytest
from programs import run_program

SETUP = """
import os, signal, sys, threading, time
import numpy as np
import pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('''
    __global__ void endless(volatile int *flag) { while (*flag == 0) {} }
    __global__ void turns(int *out, long long count) {
        unsigned x = threadIdx.x;
        for (long long i = 0; i < count; ++i) x = x * 1664525u + 1013904223u;
        *out = x | 1;
    }
''')
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where the tests run
flag = cuda.to_device(np.zeros(1, np.int32))

def press_after(seconds, times=1):
    def press():
        for _ in range(times):
            time.sleep(seconds)
            os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=press, daemon=True).start()
"""

pytestmark = pytest.mark.usefixtures("needs_cpu_driver")


@pytest.fixture
def needs_cpu_driver(context):
    if "CPU" not in context.get_device().name():
        pytest.skip("needs the CPU driver: a GPU's cannot stop a kernel")


@pytest.mark.parametrize(
    "wait",
    [
        "cuda.Context.synchronize()",
        "cuda.Stream().synchronize() or cuda.memcpy_dtoh(np.empty(1, np.int32), flag)",
        "flag.free()",
    ],
)
def test_an_endless_kernel_is_ended_by_an_interrupt_of_the_call_that_waits(wait):
    output, _ = run_program(
        SETUP
        + f"""
module.get_function("endless")(flag, block=(32, 1, 1), grid=(2, 1))
press_after(2)
started = time.monotonic()
try:
    {wait}
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - started < 20)
try:
    cuda.Context.synchronize()
except cuda.LaunchError as error:
    print(error)
"""
    )
    assert output.startswith("interrupted True\n")
    assert "cuCtxSynchronize failed: the launch timed out and was terminated" in output
    assert "stopped by the user's interrupt of the call that waited for it" in output


def test_a_kernel_that_ends_by_itself_soon_is_left_alone():
    output, _ = run_program(
        SETUP
        + """
turns = module.get_function("turns")
turns(flag, np.int64(1000), block=(1, 1, 1))
count, seconds = 1000000, 0
while seconds < 0.2:  # as long as this machine needs
    count *= 2
    started = time.monotonic()
    turns(flag, np.int64(count), block=(1, 1, 1))
    cuda.Context.synchronize()
    seconds = time.monotonic() - started
press_after(0.02)
try:
    turns(flag, np.int64(count), block=(1, 1, 1))
    cuda.Context.synchronize()
    time.sleep(10)
except KeyboardInterrupt:
    print("interrupted")
result = np.zeros(1, np.int32)
cuda.memcpy_dtoh(result, flag)
print(result[0] != 0)
"""
    )
    assert output == "interrupted\nTrue\n"


def test_a_second_interrupt_ends_the_kernel_at_once_and_the_process_ends():
    output, errors = run_program(
        SETUP
        + """
module.get_function("endless")(flag, block=(32, 1, 1))
press_after(2, times=2)
cuda.Context.synchronize()
""",
        expect=-signal.SIGINT,
    )
    assert errors.rstrip().endswith("KeyboardInterrupt")


def test_a_program_that_ends_before_its_kernel_says_what_it_waits_for():
    _, errors = run_program(
        SETUP
        + """
module.get_function("endless")(flag, block=(32, 1, 1))
""",
        PYCUDA_CPU_TIMEOUT=5,
    )
    assert "waits for a kernel that still runs; Ctrl-C ends one without an end" in errors
    _, errors = run_program(
        SETUP
        + """
module.get_function("turns")(flag, np.int64(1000), block=(32, 1, 1))
"""
    )
    assert "waits for a kernel" not in errors
