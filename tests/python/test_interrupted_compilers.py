# SPDX-License-Identifier: MIT
"""Ctrl-C while a call waits for a compiler: NVRTC, nvcc, or the CPU driver's own."""

import pytest
from interrupted_programs import SETUP
from programs import run_program

pytestmark = pytest.mark.usefixtures("needs_cpu_driver")

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
