# SPDX-License-Identifier: MIT
"""Ctrl-C while a call waits for a kernel of the CPU driver, and at the end of a program that runs one."""

import re
import signal
import subprocess
import sys

import pytest
from programs import run_program

SETUP = """
import os, signal, sys, threading, time
import numpy as np
import pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('''
    __global__ void endless(volatile int *flag) { while (*flag == 0) {} flag[1] = 1; }
    __global__ void turns(int *out, long long count) {
        unsigned x = threadIdx.x;
        for (long long i = 0; i < count; ++i) x = x * 1664525u + 1013904223u;
        *out = x | 1;
    }
''')
answered = threading.Event()
sys.setswitchinterval(1000)  # another thread runs only during calls that let it: then those are what it interrupts

def interrupted(number, frame):
    if not answered.is_set():
        answered.set()
        raise KeyboardInterrupt

signal.signal(signal.SIGINT, interrupted)
flag = cuda.to_device(np.zeros(2, np.int32))

def in_call_of(function):
    main = threading.main_thread().ident
    return sys._current_frames()[main].f_code.co_name == function

def press_when(ready, pause, again, then=lambda: None, number=signal.SIGINT):
    '''Interrupts the main thread a while after `ready()`, and again while that holds, until it answers.'''
    def press():
        while not ready():
            time.sleep(0.001)
        wait = pause
        while not answered.wait(wait):
            if ready():
                os.kill(os.getpid(), number)
                then()
            wait = again
    threading.Thread(target=press, daemon=True).start()

def press_in_wait(function, then=lambda: None, number=signal.SIGINT):
    '''While the main thread waits for a kernel, in the call that this function makes.'''
    press_when(lambda: in_call_of(function), pause=0.1, again=1.5, then=then, number=number)

def press_in_compiler(ready):
    '''While the main thread waits for a compiler.'''
    press_when(ready, pause=0, again=0.05)
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


COMPILING = r"""
import pycuda.compiler

def source(seed, steps):
    '''Takes NVRTC a while; the seed makes it new to every cache.'''
    lines = "".join(f"a = __sinf(x[{i}]) * a; if (a > x[{i}]) x[{i}] = a;" for i in range(steps))
    return f"__global__ void long_kernel(float *x) {{ float a = {seed}; {lines} x[1] = a; }}"

def ptx_of(kernels, steps, seed):
    '''Takes the CPU driver's compiler a while.'''
    text = ".version 7.0\n.target sm_80\n.address_size 64\n"
    for k in range(kernels):
        body = "".join(
            f"ld.global.f32 %f2, [%rd1+{4 * i}]; sin.approx.f32 %f2, %f2; fma.rn.f32 %f1, %f1, %f2, 0f3F80{seed:04X};"
            f"setp.gt.f32 %p1, %f1, %f2; @%p1 bra L{k}_{i}; st.global.f32 [%rd1+{4 * i}], %f1; L{k}_{i}:\n"
            for i in range(steps)
        )
        text += f'''.visible .entry k{k}(.param .u64 x) {{
            .reg .f32 %f<3>; .reg .b64 %rd<2>; .reg .pred %p<2>;
            ld.param.u64 %rd1, [x]; ld.global.f32 %f1, [%rd1]; {body} ret; }}\n'''
    return text

def run_turns():
    module.get_function("turns")(flag, np.int64(10), block=(1, 1, 1))
    result = np.zeros(2, np.int32)
    cuda.memcpy_dtoh(result, flag)
    print("runs", result[0] != 0)
"""


@pytest.mark.parametrize("count", [1, 2])
def test_an_interrupt_ends_the_wait_for_the_drivers_compiler(count, tmp_path):
    # A module of one kernel is compiled when it is loaded, one of two when a kernel is asked for.
    output, errors = run_program(
        SETUP
        + COMPILING
        + f"""
def load():
    cuda.module_from_buffer(ptx).get_function("k0")

ptx = ptx_of({count}, steps=3000, seed=1)
press_in_compiler(lambda: in_call_of("load"))
try:
    load()
except KeyboardInterrupt:
    print("interrupted")
run_turns()
""",
        PYCUDA_CACHE_DIR=tmp_path,
        PYCUDA_LOG="info",
    )
    assert "a compilation was interrupted: it goes on in the background" in errors
    assert output == "interrupted\nruns True\n"


def test_a_handler_that_raises_nothing_leaves_the_driver_compiling(tmp_path):
    output, errors = run_program(
        SETUP
        + COMPILING
        + """
def load():
    return cuda.module_from_buffer(ptx).get_function("k0")

ptx = ptx_of(1, steps=3000, seed=2)
def handled(*_):
    if not answered.is_set():
        answered.set()
        print("handled")

signal.signal(signal.SIGINT, handled)
press_in_compiler(lambda: in_call_of("load"))
load()(cuda.to_device(np.ones(3000, np.float32)), block=(1, 1, 1))
cuda.Context.synchronize()
print("done")
""",
        PYCUDA_CACHE_DIR=tmp_path,
    )
    assert output == "handled\ndone\n"


def test_an_interrupt_ends_the_wait_for_nvrtc_and_the_code_reaches_the_cache(tmp_path):
    output, errors = run_program(
        SETUP
        + COMPILING
        + """
import pathlib

def build():
    pycuda.compiler.compile(text, target="ptx")

text = source(seed=3, steps=1000)
threads = 1 + len(os.listdir("/proc/self/task"))  # with the one that presses
press_in_compiler(lambda: len(os.listdir("/proc/self/task")) > threads)
try:
    build()
except KeyboardInterrupt:
    print("interrupted")
run_turns()
cache = pathlib.Path(os.environ["PYCUDA_CACHE_DIR"])
while not any(b"long_kernel" in entry.read_bytes() for entry in cache.iterdir()):
    time.sleep(0.05)
build()
""",
        PYCUDA_CACHE_DIR=tmp_path,
        PYCUDA_LOG="info",
    )
    assert "the compiler was interrupted: it goes on in the background" in errors
    assert output == "interrupted\nruns True\n"


def test_a_process_ends_before_a_compiler_that_nobody_waits_for(tmp_path):
    held, begun = tmp_path / "held", tmp_path / "begun"
    held.touch()
    program = tmp_path / "nvcc"
    program.write_text(f"#!/bin/sh\ntouch {begun}\nwhile [ -e {held} ]; do sleep 0.1; done\n")
    program.chmod(0o755)
    output, errors = run_program(
        SETUP
        + COMPILING
        + f"""
press_in_compiler(lambda: os.path.exists({str(begun)!r}))
try:
    pycuda.compiler.compile("", nvcc={str(program)!r})
except KeyboardInterrupt:
    print("interrupted")
run_turns()
sys.exit(3)
""",
        expect=3,
        PYCUDA_LOG="info",
        PYCUDA_CACHE_DIR=tmp_path / "cache",
        TMPDIR=tmp_path,
    )
    held.unlink()
    assert "the compiler was interrupted: it goes on in the background" in errors
    assert output == "interrupted\nruns True\n"
