# SPDX-License-Identifier: MIT
"""Handlers of signals while a stream or an event is waited for, on a driver whose waits cannot be ended: a GPU's.

The CPU driver takes its place, without the functions that NVIDIA's does not have.
"""

import pathlib
import shutil
import subprocess

import pycuda
import pytest
from programs import has_cpu_driver, run_program

PROGRAM = """
import signal, threading, time
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


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    if shutil.which("g++") is None or not has_cpu_driver():
        pytest.skip("needs g++ and the CPU driver in the package")
    cpu = (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").resolve()
    made = tmp_path_factory.mktemp("driver") / "libdriver.so"
    hidden = [f"-Wl,--defsym={name}=0" for name in ("cuCpuWatchWaits", "cuCpuWaitInSlices")]
    libraries = ["-Wl,--no-as-needed", cpu, f"-Wl,-rpath,{cpu.parent}"]
    subprocess.run(["g++", "-shared", "-nostdlib", "-o", made, *hidden, *libraries], check=True)
    return made


@pytest.mark.parametrize("wait", ["stream.synchronize()", "event.synchronize()"])
def test_handlers_run_and_what_they_raise_ends_the_wait_alone(driver, wait):
    output, _ = run_program(
        PROGRAM
        + f"""
seen = []
def handled(number, frame):
    seen.append(number)
    if len(seen) == 3:
        raise TimeoutError("late")

signal.signal(signal.SIGALRM, handled)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.2)
try:
    {wait}
except TimeoutError as error:
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(error, len(seen), shared[1])
shared[0] = 1
{wait}
print(shared[1], stream.is_done())
""",
        PYCUDA_DRIVER=driver,
    )
    assert output == "late 3 0\n1 True\n"


@pytest.mark.parametrize("wait", ["stream.synchronize()", "event.synchronize()"])
def test_ctrl_c_ends_the_wait_alone(driver, wait):
    output, _ = run_program(
        PROGRAM
        + f"""
signal.signal(signal.SIGALRM, lambda number, frame: signal.raise_signal(signal.SIGINT))
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    {wait}
except KeyboardInterrupt:
    print("interrupted", shared[1])
shared[0] = 1
{wait}
print(shared[1])
""",
        PYCUDA_DRIVER=driver,
    )
    assert output == "interrupted 0\n1\n"


@pytest.mark.parametrize("wait", ["stream.synchronize()", "event.synchronize()"])
def test_a_fault_is_the_wait_s_error(driver, wait):
    output, _ = run_program(
        PROGRAM
        + f"""
shared[0] = 1
stream.synchronize()
endless(np.intp(0), block=(32, 1, 1), stream=stream)
event.record(stream)
try:
    {wait}
except cuda.LogicError as error:
    print(str(error).split(":")[0])
""",
        PYCUDA_DRIVER=driver,
    )
    function = "cuStreamSynchronize" if "stream" in wait else "cuEventSynchronize"
    assert output == f"{function} failed\n"
