# SPDX-License-Identifier: MIT
"""Ctrl-C while a call waits for a kernel of the CPU driver, and at the end of a program that runs one."""

import re
import signal
import subprocess
import sys

import pytest
from interrupted_programs import SETUP
from programs import run_program

pytestmark = pytest.mark.usefixtures("needs_cpu_driver")


@pytest.mark.parametrize(
    "wait",
    [
        "cuda.Context.synchronize()",
        "cuda.Stream().synchronize() or cuda.memcpy_dtoh(np.empty(2, np.int32), flag)",
        "flag.free()",
        "for _ in range(1 << 20): endless(flag, block=(32, 1, 1), grid=(2, 1))",
    ],
)
def test_an_endless_kernel_is_ended_by_an_interrupt_of_the_call_that_waits(wait):
    output, _ = run_program(
        SETUP
        + f"""
def wait():
    {wait}

endless = module.get_function("endless")
endless(flag, block=(32, 1, 1), grid=(2, 1))
press_in_wait("wait")
try:
    wait()
except KeyboardInterrupt as interrupt:
    print("interrupted", *getattr(interrupt, "__notes__", ()), sep="\\n")
try:
    cuda.Context.synchronize()
except cuda.LaunchError as error:
    print(error)
"""
    )
    assert output.startswith("interrupted\n")
    note, _, later = output.removeprefix("interrupted\n").rpartition("cuCtxSynchronize failed: ")
    assert later.startswith("the launch timed out and was terminated")
    if sys.version_info >= (3, 11):
        assert note.startswith("This has stopped kernel endless, block (")
        # The one that was stopped may be in the loop's body, and others before it.
        assert re.search(r"\d+ threads? waits? in a loop", note) and "at line 2 of the source passed" in note
        assert "\nThe context is lost: every call fails until pycuda.tools.reset_context() makes" in note
        assert note.endswith("\nthe context was lost earlier: ")
    assert "by the user's interrupt of the call that waited for it" in output


def test_the_exception_of_an_interrupt_says_where_a_thread_was_that_it_stopped():
    output, _ = run_program(
        SETUP
        + """
turns = module.get_function("turns")
turns(flag, np.int64(1 << 60), block=(1, 1, 1))
def wait():
    cuda.Context.synchronize()
press_in_wait("wait")
try:
    wait()
except KeyboardInterrupt as interrupt:
    print(*getattr(interrupt, "__notes__", ()))
"""
    )
    if sys.version_info >= (3, 11):
        place = "This has stopped kernel turns, block (0, 0, 0), thread (0, 0, 0) at line 5 of the source passed at "
        assert output.startswith(place)
        assert "\n    for (long long i = 0; i < count; ++i) x = x * 1664525u + 1013904223u;\n" in output


def test_the_handler_of_another_signal_that_ends_the_wait_has_the_note_too():
    output, _ = run_program(
        SETUP
        + """
def late(number, frame):
    if not answered.is_set():
        answered.set()
        raise TimeoutError("too late")
signal.signal(signal.SIGALRM, late)
def wait():
    cuda.Context.synchronize()
module.get_function("endless")(flag, block=(32, 1, 1))
press_in_wait("wait", number=signal.SIGALRM)
try:
    wait()
except TimeoutError as error:
    print(error, *getattr(error, "__notes__", ()))
"""
    )
    assert output.startswith("too late")
    if sys.version_info >= (3, 11):
        assert output.startswith("too late This has stopped kernel endless, block (0, 0, 0)")
        assert re.search(r"\d+ threads? waits? in a loop", output)


@pytest.mark.parametrize("check", ["0", "memory", "init"])
def test_an_array_that_is_dropped_while_an_endless_kernel_runs_can_be_interrupted(check):
    output, _ = run_program(
        SETUP
        + """
from pycuda import gpuarray
ticks = []
def tick():
    while True:
        time.sleep(0.01)
        ticks.append(1)
sys.setswitchinterval(0.005)
threading.Thread(target=tick, daemon=True).start()

def wait():
    endless(gpuarray.zeros(2, np.int32), block=(32, 1, 1))
    cuda.Context.synchronize()

endless = module.get_function("endless")
press_in_wait("wait")
try:
    wait()
except KeyboardInterrupt:
    print("interrupted", len(ticks) > 10)
""",
        PYCUDA_CPU_CHECK=check,
    )
    assert output == "interrupted True\n"


ENDLESS = """
import os, signal, sys, threading, time
import numpy as np
import pycuda.autoinit, pycuda.driver as cuda

memory = cuda.mem_alloc(4)
graph = cuda.Graph()
more = graph.condition()
with graph.while_(more) as body:
    body.add_memset_node(memory, 1, 4)
executable = graph.instantiate()
stream = cuda.Stream()
event = cuda.Event()
done = cuda.Event()
done.record(stream)
executable.launch(stream)
event.record(stream)

def press():
    os.kill(os.getpid(), signal.SIGINT)
"""


@pytest.mark.parametrize(
    "wait", ["stream.synchronize()", "event.synchronize()", "cuda.memcpy_dtoh(np.empty(1, np.int32), memory)"]
)
@pytest.mark.parametrize("moment", [0.0, 0.001, 0.03, 0.12])
def test_one_interrupt_ends_a_wait_at_whatever_moment_it_comes(wait, moment):
    output, _ = run_program(
        ENDLESS
        + f"""
try:
    threading.Timer({moment}, press).start()
    while True:
        {wait}
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert output == "interrupted\n"


HANDLER_ADDRESS = """
import ctypes, signal

def handler_address():
    action = (ctypes.c_size_t * 32)()
    assert ctypes.CDLL(None).sigaction(signal.SIGINT, None, action) == 0
    return action[0]
"""


@pytest.mark.parametrize("handler", ["a new one", "the same again"])
def test_an_interrupt_finds_the_handler_that_was_set_just_before_the_wait(handler):
    handled = "signal.getsignal(signal.SIGINT)" if handler == "the same again" else "handled"
    output, _ = run_program(
        ENDLESS
        + HANDLER_ADDRESS
        + f"""
def handled(*_):
    raise KeyboardInterrupt

counting = handler_address()
signal.signal(signal.SIGINT, {handled})
while handler_address() != counting:  # replaced, until the driver has seen that
    time.sleep(0.001)
try:
    threading.Timer(0.001, press).start()  # which may be pressed before this thread goes on
    stream.synchronize()
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert output == "interrupted\n"


def test_an_interrupt_that_another_thread_receives_ends_the_wait():
    output, _ = run_program(
        ENDLESS
        + """
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
def press_here():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    while True:
        time.sleep(1)

try:
    threading.Thread(target=press_here, daemon=True).start()
    while True:
        stream.synchronize()
except KeyboardInterrupt:
    print("interrupted", flush=True)
os._exit(0)
"""
    )
    assert output == "interrupted\n"


def test_an_ignored_interrupt_ends_no_wait():
    output, _ = run_program(
        ENDLESS
        + """
signal.signal(signal.SIGINT, signal.SIG_IGN)
threading.Timer(0.001, press).start()
threading.Timer(1.5, lambda: print("waits", flush=True) or os._exit(0)).start()
stream.synchronize()
"""
    )
    assert output == "waits\n"


def test_the_programs_handler_is_back_soon_after_the_wait():
    output, _ = run_program(
        HANDLER_ADDRESS
        + """
import signal, time
own = handler_address()
import pycuda.autoinit, pycuda.driver as cuda
while handler_address() == own:
    cuda.Context.synchronize()
while handler_address() != own:
    time.sleep(0.01)
print("back")
"""
    )
    assert output == "back\n"


@pytest.mark.parametrize(
    "caught, status", [("SystemError", -signal.SIGINT), ("KeyboardInterrupt", 0), ("KeyboardInterrupt", 130)]
)
def test_an_interrupt_outside_a_wait_lets_the_process_end(caught, status):
    run_program(
        ENDLESS
        + f"""
try:
    threading.Timer(0.1, press).start()
    while True:
        time.sleep(1)
except {caught}:
    sys.exit({status})
""",
        expect=status,
    )


def test_a_kernel_that_ends_by_itself_soon_is_left_alone():
    output, _ = run_program(
        SETUP
        + """
shared = cuda.pagelocked_zeros(2, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)

def wait():
    cuda.Context.synchronize()
    while True:
        time.sleep(1)

module.get_function("endless")(np.intp(shared.base.get_device_pointer()), block=(1, 1, 1))
press_in_wait("wait", then=lambda: shared.__setitem__(0, 1))
try:
    wait()
except KeyboardInterrupt:
    print("interrupted")
cuda.Context.synchronize()
print(shared[1])
"""
    )
    assert output == "interrupted\n1\n"


def test_a_second_interrupt_ends_the_kernel_at_once_and_the_process_ends():
    _, errors = run_program(
        SETUP
        + """
def press_twice():
    while not in_call_of("wait"):
        time.sleep(0.001)
    time.sleep(0.5)
    while True:  # one after the other
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)

def wait():
    cuda.Context.synchronize()

module.get_function("endless")(flag, block=(32, 1, 1))
threading.Thread(target=press_twice, daemon=True).start()
wait()
""",
        expect=-signal.SIGINT,
    )
    assert "KeyboardInterrupt" in errors.splitlines()


def test_a_program_that_ends_before_its_kernel_says_what_it_waits_for():
    program = SETUP + 'module.get_function("endless")(flag, block=(32, 1, 1))'
    with subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True) as waiting:
        try:
            said = "waits for a kernel that still runs; Ctrl-C ends one without an end"
            assert any(said in line for line in waiting.stderr)
        finally:
            waiting.kill()
    _, errors = run_program(
        SETUP
        + """
module.get_function("turns")(flag, np.int64(1000), block=(32, 1, 1))
cuda.Context.synchronize()
"""
    )
    assert "waits for a kernel" not in errors
