# SPDX-License-Identifier: MIT
"""Handlers of signals other than Ctrl-C's, while a call waits for a kernel of the CPU driver."""

import pytest
from plugin_projects import run_project
from programs import run_program

SETUP = """
import os, signal, sys, threading, time
import numpy as np
import pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule

endless = SourceModule(
    "__global__ void endless(volatile int *flag) { while (*flag == 0) {} flag[1] = 1; }"
).get_function("endless")
shared = cuda.pagelocked_zeros(2, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
stream, event = cuda.Stream(), cuda.Event()
endless(np.intp(shared.base.get_device_pointer()), block=(32, 1, 1), stream=stream)
event.record(stream)
"""

WAITS = ["cuda.Context.synchronize()", "stream.synchronize()", "event.synchronize()"]

pytestmark = pytest.mark.usefixtures("needs_cpu_driver")


@pytest.mark.parametrize("wait", WAITS)
def test_handlers_run_while_a_call_waits(wait):
    output, _ = run_program(
        SETUP
        + f"""
seen = []
def handled(number, frame):
    seen.append(number)
    stream.is_done()  # a handler may use the driver
    if len(seen) == 3:
        shared[0] = 1

signal.signal(signal.SIGALRM, handled)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.3)
{wait}
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(seen) >= 3, shared[1])
"""
    )
    assert output == "True 1\n"


@pytest.mark.parametrize("wait", WAITS)
def test_what_a_handler_raises_ends_the_wait_and_the_kernel(wait):
    output, _ = run_program(
        SETUP
        + f"""
def late(number, frame):
    raise TimeoutError("late")

signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    {wait}
except TimeoutError as error:
    print(error)
try:
    cuda.Context.synchronize()
except cuda.LaunchError as error:
    print(error.code)
"""
    )
    assert output == "late\n702\n"


def test_a_kernel_that_ends_soon_after_a_handler_raises_is_left_alone():
    output, _ = run_program(
        SETUP
        + """
def late(number, frame):
    shared[0] = 1
    raise TimeoutError("late")

signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    stream.synchronize()
except TimeoutError as error:
    print(error)
cuda.Context.synchronize()
print(shared[1])
"""
    )
    assert output == "late\n1\n"


def test_a_handler_that_ends_the_program_does_so_while_a_kernel_runs():
    run_program(
        SETUP
        + """
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
stream.synchronize()
""",
        expect=7,
    )


def test_a_context_may_be_given_up_by_a_handler():
    run_program(
        SETUP
        + """
def give_up(number, frame):
    shared[0] = 1
    pycuda.autoinit.context.detach()
    sys.exit(7)

signal.signal(signal.SIGTERM, give_up)
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
cuda.Context.synchronize()
""",
        expect=7,
    )


def test_a_wait_is_one_row_of_a_profile_however_long_it_is():
    output, _ = run_program(
        SETUP
        + """
threading.Timer(0.5, lambda: shared.__setitem__(0, 1)).start()
with pycuda.profile() as profile:
    stream.synchronize()
waits = [work for work in profile.work if work.kind == "wait"]
print(len(waits), 0.3 < waits[0].duration < 10, 0.3 < profile.waiting < 10)
"""
    )
    assert output == "1 True True\n"


def test_the_limit_of_a_test_ends_its_kernel(tmp_path):
    pytest.importorskip("pytest_timeout", reason="needs pytest-timeout")
    code = """
        @pytest.mark.timeout(1)
        def test_endless(cuda_context):
            source = "__global__ void endless(volatile int *flag) { while (*flag == 0) {} }"
            flag = cuda.to_device(np.zeros(1, np.int32))
            endless = SourceModule(source).get_function("endless")
            endless(flag, block=(32, 1, 1))
            cuda_context.synchronize()
        def test_next(cuda_context): fill(cuda.mem_alloc(256), 64)
        """
    status, output = run_project(tmp_path, code, "--cuda-device=cpu")
    assert status == 1 and "1 failed, 1 passed" in output, output
    assert "Timeout (>1.0s) from pytest-timeout" in output, output
