# SPDX-License-Identifier: MIT
"""What outlives a profile, or ends before it: calls, records of CUPTI, modules."""

import pathlib

from programs import run_program

SETUP = f"""
import ctypes, gc, sys, threading
sys.path.insert(0, {str(pathlib.Path(__file__).parent / "fake")!r})
import numpy as np
import pycuda
from session import context, cuda, kernel, number
"""


def test_a_call_that_outlives_its_profile_belongs_to_no_other(fake_driver):
    run_program(
        SETUP
        + """
held = number("fake_holds_copies", ctypes.c_int)
memory = cuda.mem_alloc(64)

def copy():
    context.push()
    cuda.memcpy_htod(memory, np.zeros(64, np.uint8))
    cuda.Context.pop()

held.value = 1
thread = threading.Thread(target=copy)
with pycuda.profile() as first:
    thread.start()
    while held.value != 2:
        pass
with pycuda.profile() as second:
    held.value = 0
    thread.join()
assert first.work == second.work == [], (first.work, second.work)
with pycuda.profile() as third:
    copy()
assert [work.name for work in third.work] == ["host to device"]
""",
        PYCUDA_DRIVER=fake_driver,
        PYCUDA_CUPTI="0",
    )


def test_kernels_of_modules_that_come_and_go_keep_their_names(fake_driver):
    run_program(
        SETUP
        + """
names = [f"kernel{i}" for i in range(8)]
with pycuda.profile() as p:
    for name in names:
        kernel(name=name)(block=(1, 1, 1))
        gc.collect()
assert [work.name for work in p.work if work.kind == "kernel"] == names, p.work
""",
        PYCUDA_DRIVER=fake_driver,
        PYCUDA_CUPTI="0",
    )
