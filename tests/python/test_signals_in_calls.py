# SPDX-License-Identifier: MIT
"""Handlers of signals while calls wait that cannot be left: copies, frees, launches, compilations, ends of contexts."""

import pytest
from programs import run_program

SETUP = """
import os, signal, sys, threading, time
import numpy as np
import pycuda.autoinit, pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule('''
    __global__ void endless(volatile int *flag) { while (*flag == 0) {} flag[1] = 1; }
    __global__ void nothing(char *a) {}
''')
endless, nothing = module.get_function("endless"), module.get_function("nothing")
shared = cuda.pagelocked_zeros(2, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
stream = cuda.Stream()
memory, host, array = cuda.mem_alloc(64), np.zeros(64, np.uint8), gpuarray.zeros(16, np.float32)
nothing(cuda.Out(host), block=(1, 1, 1))  # what comes later waits for the kernel alone
array.get()
endless(np.intp(shared.base.get_device_pointer()), block=(32, 1, 1), stream=stream)
"""

CALLS = {
    "to the host": "cuda.memcpy_dtoh(host, memory)",
    "to the device": "cuda.memcpy_htod(memory, host)",
    "on the device": "cuda.memcpy_dtod(memory, int(memory) + 32, 32)",
    "in the stream": "cuda.memcpy_dtoh_async(host, memory, stream)",
    "of an array": "array.get()",
    "to an array": "array.set(np.ones(16, np.float32))",
    "free": "memory.free()",
    "drop": "del memory",
    "a launch with Out": "nothing(cuda.Out(host), block=(1, 1, 1))",
}

pytestmark = pytest.mark.usefixtures("needs_cpu_driver")


@pytest.mark.parametrize("call", CALLS)
def test_handlers_run_while_a_call_waits(call):
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
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.2)
{CALLS[call]}
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(seen) >= 3, shared[1])
"""
    )
    assert output == "True 1\n"


@pytest.mark.parametrize("call", CALLS)
def test_what_a_handler_raises_ends_the_wait_and_the_kernel(call):
    output, _ = run_program(
        SETUP
        + f"""
def late(number, frame):
    raise TimeoutError("late")

signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    {CALLS[call]}
    while True:  # what is raised while an object is dropped comes right after that
        pass
except TimeoutError as error:
    print(error)
try:
    cuda.Context.synchronize()
except cuda.LaunchError as error:
    print(error.code)
"""
    )
    assert output == "late\n702\n"


def test_handlers_run_while_a_launch_waits_for_room_in_its_stream():
    output, _ = run_program(
        SETUP
        + """
signal.signal(signal.SIGALRM, lambda number, frame: shared.__setitem__(0, 1))
signal.setitimer(signal.ITIMER_REAL, 1)
while shared[0] == 0:  # the stream takes no more long before
    endless(np.intp(shared.base.get_device_pointer()), block=(32, 1, 1), stream=stream)
stream.synchronize()
print(shared[1])
"""
    )
    assert output == "1\n"


COMPILING = r"""
def ptx_of(kernels, steps):
    '''Takes the driver's compiler a while.'''
    text = ".version 7.0\n.target sm_80\n.address_size 64\n"
    for k in range(kernels):
        body = "".join(
            f"ld.global.f32 %f2, [%rd1+{4 * i}]; sin.approx.f32 %f2, %f2; fma.rn.f32 %f1, %f1, %f2, 0f3F80F001;"
            f"setp.gt.f32 %p1, %f1, %f2; @%p1 bra L{k}_{i}; st.global.f32 [%rd1+{4 * i}], %f1; L{k}_{i}:\n"
            for i in range(steps)
        )
        text += f'''.visible .entry k{k}(.param .u64 x) {{
            .reg .f32 %f<3>; .reg .b64 %rd<2>; .reg .pred %p<2>;
            ld.param.u64 %rd1, [x]; ld.global.f32 %f1, [%rd1]; {body} ret; }}\n'''
    return text.encode()
"""


@pytest.mark.parametrize("count", [1, 2])
def test_handlers_run_while_the_driver_compiles(count, tmp_path):
    # A module of one kernel is compiled when it is loaded, one of two when a kernel is asked for.
    output, _ = run_program(
        SETUP
        + COMPILING
        + f"""
shared[0] = 1
seen = []
def handled(number, frame):
    seen.append(frame.f_code.co_name)
    array.get()  # a handler may use the driver

def load():
    return cuda.module_from_buffer(ptx).get_function("k0")

signal.signal(signal.SIGALRM, handled)
ptx = ptx_of({count}, steps=3000)
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
kernel = load()
signal.setitimer(signal.ITIMER_REAL, 0)
print(seen.count("load") >= 2, kernel.num_regs > 0)
""",
        PYCUDA_CACHE_DIR=tmp_path,
    )
    assert output == "True True\n"


def test_what_a_handler_raises_ends_the_wait_for_the_compiler(tmp_path):
    output, errors = run_program(
        SETUP
        + COMPILING
        + """
def late(number, frame):
    raise TimeoutError("late")

signal.signal(signal.SIGALRM, late)
ptx = ptx_of(1, steps=3000)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    cuda.module_from_buffer(ptx)
except TimeoutError as error:
    print(error)
shared[0] = 1
cuda.Context.synchronize()
print(shared[1])
""",
        PYCUDA_CACHE_DIR=tmp_path,
        PYCUDA_LOG="info",
    )
    assert "a compilation was interrupted: it goes on in the background" in errors
    assert output == "late\n1\n"


@pytest.mark.parametrize("module", ["autoinit", "autoprimaryctx"])
def test_handlers_run_while_a_context_ends(module):
    output, _ = run_program(
        f"""
import ctypes, signal
import pycuda.{module}, pycuda.driver as cuda
from pycuda.compiler import SourceModule

endless = SourceModule(
    "__global__ void endless(volatile int *flag) {{ while (*flag == 0) {{}} }}"
).get_function("endless")
flag = cuda.mem_alloc(4)
cuda.memset_d32(flag, 0, 1)
on_host = ctypes.c_int.from_address(int(flag))  # the CPU driver's memory is the host's
endless(flag, block=(32, 1, 1))
seen = []
def handled(number, frame):
    seen.append(number)
    if len(seen) == 3:
        on_host.value = 1

signal.signal(signal.SIGALRM, handled)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.2)
pycuda.{module}.context.detach()
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(seen) >= 3)
"""
    )
    assert output == "True\n"


@pytest.mark.parametrize(
    "act, words",
    [
        ("pycuda.autoinit.context.detach()", "a signal's handler cannot end a context while the interrupted call"),
        ("stream.capture().__enter__()", "cannot begin a capture while the interrupted call waits"),
    ],
)
def test_what_a_handler_may_not_do_within_a_call_is_refused(act, words):
    output, _ = run_program(
        SETUP
        + f"""
def handled(number, frame):
    try:
        {act}
    except cuda.LogicError as error:
        print(error)
    finally:
        shared[0] = 1

signal.signal(signal.SIGALRM, handled)
signal.setitimer(signal.ITIMER_REAL, 0.2)
cuda.memcpy_dtoh(host, memory)
print(shared[1])
"""
    )
    assert words in output and output.endswith("1\n"), output
