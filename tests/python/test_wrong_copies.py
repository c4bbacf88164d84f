# SPDX-License-Identifier: MIT
"""Copies and fills of memory that is none are refused, whichever way they are asked for."""

import os
import subprocess
import sys

import pytest
from programs import run_program

pytestmark = pytest.mark.usefixtures("programs_on_cpu")

COPIES = r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda

device = cuda.mem_alloc(1 << 16)
host = np.zeros(1 << 14, np.int32)
large = np.zeros(1 << 23, np.int32)
stream = cuda.Stream()


def refused(call, *arguments, **named):
    try:
        call(*arguments, **named)
    except cuda.LogicError as error:
        assert "invalid" in str(error), error
    else:
        raise AssertionError(f"{call}{arguments} went on")


WRONG = [0x1234, 0x7000_0000_0000, (1 << 63) + 4096, (1 << 64) - 64, int(device) + (1 << 16), int(device) + (1 << 46)]
freed = cuda.mem_alloc(4096)
WRONG.append(int(freed))
freed.free()
for wrong in WRONG:
    refused(cuda.memcpy_dtoh, host, wrong)
    refused(cuda.memcpy_htod, wrong, host)
    refused(cuda.memcpy_dtod, wrong, int(device), 256)
    refused(cuda.memcpy_dtod, int(device), wrong, 256)
    refused(cuda.memcpy_dtoh_async, cuda.pagelocked_empty(64, np.int32), wrong, stream)
    refused(cuda.memcpy_htod_async, wrong, cuda.pagelocked_empty(64, np.int32), stream)
    refused(cuda.memcpy_dtod_async, wrong, int(device), 256, stream)
    refused(cuda.memset_d8, wrong, 1, 256)
    refused(cuda.memset_d32, wrong & ~3, 1, 64)
    refused(cuda.memset_d2d8, wrong, 256, 1, 64, 4)
    for shape in (cuda.Memcpy2D, cuda.Memcpy3D):
        for way in ("from", "to", "both"):
            copy = shape()
            copy.set_src_device(wrong if way != "to" else int(device))
            copy.set_dst_device(wrong if way != "from" else int(device))
            copy.src_memory_type = copy.dst_memory_type = cuda.memory_type.UNIFIED
            copy.src_pitch = copy.dst_pitch = 256
            copy.width_in_bytes, copy.height = 64, 4
            if shape is cuda.Memcpy3D:
                copy.src_height = copy.dst_height = 4
                copy.depth = 2
                refused(copy)
                refused(copy, stream)
            else:
                refused(copy, aligned=True)
                refused(copy, stream)
refused(cuda.memcpy_dtoh, large, device)
refused(cuda.memcpy_htod, device, large)
refused(cuda.memset_d8, device, 1, (1 << 16) + 1)
refused(cuda.memset_d32, device, 1, 1 << 62)
refused(cuda.memset_d2d8, device, 1 << 62, 1, 64, 8)
# The context is as it was.
cuda.memcpy_htod(device, host)
cuda.memcpy_dtoh(host, device)
stream.synchronize()
print("alive")
"""


def test_copies_from_and_to_no_memory_are_refused():
    out, _ = run_program(COPIES, PYCUDA_LOG="quiet")
    assert out.split() == ["alive"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux: its stacks grow at any access below them")
def test_an_unlimited_stack_does_not_grow_for_a_stray_access():
    code = """
import numpy as np, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule

store = SourceModule("__global__ void store(char *where) { *where = 1; }", options=["-lineinfo"]).get_function("store")
stack = next(line for line in open("/proc/self/maps") if line.endswith("[stack]\\n"))
wrong = int(stack.split()[0].split("-")[1], 16) - (17 << 30)
host = np.zeros((4, 64), np.uint8)
copy = cuda.Memcpy2D()
copy.set_src_device(wrong)
copy.set_dst_host(host)
copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 64
copy.height = 4
try:
    copy(aligned=True)
except cuda.LogicError as error:
    print("refused:", "invalid" in str(error))
store(np.uint64(wrong), block=(1, 1, 1))
try:
    cuda.Context.synchronize()
except cuda.LogicError as error:
    print("fault:", "illegal memory access" in str(error))
"""
    unlimited = 'ulimit -s unlimited && exec "$@"'
    command = ["bash", "-c", unlimited, "bash", sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYCUDA_LOG": "quiet"})
    if "cannot modify limit" in done.stderr:
        pytest.skip("needs a process whose stacks may be unlimited")
    assert done.stdout.splitlines() == ["refused: True", "fault: True"], done.stderr


def test_page_locked_memory_that_was_unmapped_is_a_fault_or_refused():
    out, _ = run_program(
        """
        import ctypes, mmap
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda

        libc = ctypes.CDLL(None)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
        libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        size = 1 << 20
        where = libc.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        host = np.frombuffer((ctypes.c_char * size).from_address(where), np.uint8)
        registered = cuda.register_host_memory(host)
        device = cuda.mem_alloc(size)
        libc.munmap(where, size)
        try:
            cuda.memcpy_htod(device, host)
            raise SystemExit("copied what is not there")
        except cuda.LogicError as error:
            assert "invalid" in str(error)
        stream = cuda.Stream()
        try:
            cuda.memcpy_htod_async(device, registered, stream)
            stream.synchronize()
            raise SystemExit("copied what is not there")
        except cuda.Error as error:
            assert "illegal memory access was encountered in an asynchronous copy" in str(error), error
        print("alive")
        """,
        PYCUDA_LOG="quiet",
    )
    assert out.split() == ["alive"]
