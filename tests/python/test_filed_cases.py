# SPDX-License-Identifier: MIT
"""Faults that programs of other people showed: filed_cases.md lists their tests; here are those without a place."""

import pathlib
import re

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, is_cpu, run_program
from pycuda.compiler import SourceModule

TESTS = pathlib.Path(__file__).parents[1]


def test_every_kind_has_its_tests():
    listed = re.findall(r"`([\w/.]+)::([^`]+)`", (TESTS / "python" / "filed_cases.md").read_text())
    assert len(listed) > 70
    missing = [f"{file}::{name}" for file, name in listed if name not in (TESTS / file).read_text()]
    assert missing == []


@pytest.mark.parametrize("block", [(16, 16, 1), (8, 8, 8), (1, 16, 16), (24, 10, 1)])
def test_warp_operations_are_vectors_in_blocks_of_every_shape(context, block):
    if not is_cpu():
        pytest.skip("needs the CPU driver, which tells its plan")
    source = """
    __global__ void neighbours(int *a)
    {
      int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
      a[t] = __shfl_xor_sync(~0u, a[t], 1) + __any_sync(~0u, a[t] == 3);
    }
    """
    neighbours = SourceModule(source).get_function("neighbours")
    plan = neighbours.plan(block=block)
    assert plan.is_vector and "gangs of 32 threads" in plan.header[1]
    threads = int(np.prod(block)) // 32 * 32
    a = np.arange(int(np.prod(block)), dtype=np.int32)
    want = (a ^ 1) + (a < 32)
    neighbours(cuda.InOut(a), block=block)
    assert (a[:threads] == want[:threads]).all()


LINK = """
import ctypes, pathlib
import pycuda
driver = ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so"))
P = ctypes.c_void_p
context = P()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
driver.cuCtxSetCurrent(context)
info, error = ctypes.create_string_buffer(1000), ctypes.create_string_buffer(1000)
keys = (ctypes.c_int * 5)(3, 4, 5, 6, 12)  # a log and its size, a log of errors and its size, verbose
values = (P * 5)(ctypes.addressof(info), 1000, ctypes.addressof(error), 1000, 1)
state, image, size = P(), P(), ctypes.c_size_t()
GOOD = b".version 7.0\\n.target sm_80\\n.address_size 64\\n.visible .entry k(){ret;}\\0"
BAD = GOOD.replace(b"ret", b"rot")

def link(ptx, change):
    assert driver.cuLinkCreate_v2(5, keys, values, ctypes.byref(state)) == 0
    for i in change:
        values[i] = 0xABCDEF
    added = driver.cuLinkAddData_v2(state, 1, ptx, len(ptx), b"a", 0, None, None)
    return added or driver.cuLinkComplete(state, ctypes.byref(image), ctypes.byref(size))
"""


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver: NVIDIA's writes to what it was given")
@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ("link(GOOD, [3]); print(values[3] == 0xABCDEF, values[1] < 1000)", "True True"),
        ("print(link(BAD, range(5)) != 0, [*values] == [0xABCDEF] * 5, b'rot' in error.value)", "True True True"),
        ("link(GOOD, []); values[1] = 7; driver.cuLinkDestroy(state); print(values[1])", "7"),
    ],
    ids=["one", "failed", "ended"],
)
def test_the_linker_leaves_slots_alone_that_hold_something_else(program, printed):
    assert run_program(LINK + program, PYCUDA_DRIVER="cpu")[0].strip() == printed
