# SPDX-License-Identifier: MIT
"""After a fault: it is reported once, and `reset_context` makes a context that works."""

import subprocess
import sys

import pytest

_START = """
import numpy as np
import pycuda.{module}
import pycuda.driver as cuda
from pycuda import gpuarray, tools
from pycuda.compiler import SourceModule

def fault():
    function = SourceModule("__global__ void f(float *a) {{ a[0] = 1; }}").get_function("f")
    function(np.uintp(64), block=(1, 1, 1))  # no memory is there, on any machine
    cuda.Context.synchronize()
"""

on_cpu = pytest.mark.usefixtures("programs_on_cpu")


def run(program, module="autoinit"):
    return subprocess.run(
        [sys.executable, "-c", _START.format(module=module) + program], capture_output=True, text=True
    )


@on_cpu
def test_an_uncaught_fault_is_reported_once():
    ended = run("fault()")
    assert ended.returncode == 1
    assert ended.stderr.count("illegal memory access was encountered at") == 1, ended.stderr
    assert "pycuda.tools.reset_context()" in ended.stderr


@on_cpu
def test_a_fault_that_no_call_reports_is_printed_at_the_end():
    ended = run("""
function = SourceModule("__global__ void f(float *a) { a[0] = 1; }").get_function("f")
function(np.uintp(64), block=(1, 1, 1))  # no memory is there, on any machine
""")
    assert ended.stderr.count("illegal memory access at") == 1, ended.stderr


@on_cpu
def test_every_later_call_says_that_the_context_is_lost_and_why():
    ended = run("""
for call in (fault, lambda: cuda.mem_alloc(4), lambda: gpuarray.zeros(3, np.float32)):
    try:
        call()
    except cuda.Error as error:
        assert "illegal memory access" in str(error) and "reset_context" in str(error), error
    else:
        raise AssertionError(call)
""")
    assert ended.returncode == 0, ended.stderr


@on_cpu
@pytest.mark.parametrize("module", ["autoinit", "autoprimaryctx"])
def test_a_new_context_works_again_and_again(module):
    ended = run(
        f"""
import pycuda.{module} as owner
old = gpuarray.zeros(3, np.float32)
for _ in range(3):
    try:
        fault()
    except cuda.Error:
        pass
    context = tools.reset_context()
    assert context == cuda.Context.get_current() == owner.context
    assert (gpuarray.arange(4, dtype=np.float32) * 2).get().tolist() == [0, 2, 4, 6]
del old
""",
        module,
    )
    assert ended.returncode == 0 and ended.stderr == "", ended.stderr


def test_a_context_is_reset_without_a_fault():
    ended = run("""
before = cuda.Context.get_current()
x = gpuarray.zeros(3, np.float32)
after = tools.reset_context()
assert after != before
assert gpuarray.sum(gpuarray.ones(8, np.float32)).get() == 8
""")
    assert ended.returncode == 0 and ended.stderr == "", ended.stderr


def test_without_a_context_there_is_nothing_to_reset():
    ended = run("""
pycuda.autoinit.context.pop()
try:
    tools.reset_context()
except cuda.LogicError as error:
    assert "no context is current" in str(error)
else:
    raise AssertionError
pycuda.autoinit.context.push()
""")
    assert ended.returncode == 0, ended.stderr
