# SPDX-License-Identifier: MIT
"""Kernels that do nothing but wait: the log says where, and the launch goes on."""

import subprocess
import sys

import pytest
from programs import has_cpu_driver

PROGRAM = """
import sys
import numpy as np, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule

kernel = SourceModule('''
extern "C" __global__ void waits_for_it(volatile int *flag, int *out) {
  if (threadIdx.x > 3)
    while (*flag == 0);
  out[threadIdx.x] = 1;
}
''').get_function("waits_for_it")
flag = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
out = np.zeros(64, np.int32)
place = cuda.mem_alloc(out.nbytes)
kernel(np.uint64(flag.base.get_device_pointer()), place, block=(64, 1, 1))
sys.stdin.readline()
flag[0] = 1
cuda.memcpy_dtoh(out, place)
print(out.sum())
"""


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver")
def test_a_kernel_that_only_waits_is_named_and_may_go_on(monkeypatch):
    monkeypatch.setenv("PYCUDA_DRIVER", "cpu")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", PROGRAM], text=True, **pipes) as program:
        notice = program.stderr.readline()
        out, rest = program.communicate("go\n")
    assert "kernel waits_for_it has run for 10 seconds in which its threads only waited" in notice, notice + rest
    assert "60 threads wait in a loop" in notice
    assert "the first is (4, 0, 0)" in notice
    assert "PYCUDA_CPU_TIMEOUT" in notice
    assert out == "64\n" and not rest
