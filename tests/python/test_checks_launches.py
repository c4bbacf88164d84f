# SPDX-License-Identifier: MIT
"""What a launch of a checked kernel costs apart from its checks."""

import resource

import numpy as np
import pycuda
import pytest
from programs import has_cpu_driver
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

LAUNCHES = 500


def _waits():
    """How often this thread has waited for another."""
    return resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw


@pytest.mark.parametrize("check", ["memory", "init", "sync", "race", "all"])
def test_a_small_launch_waits_for_no_other_thread(context, driver, check):
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    add = SourceModule("__global__ void add(int *a) { a[threadIdx.x] += 1; }").get_function("add")
    a = driver.to_device(np.zeros(32, np.int32))
    with pycuda.checks(check) as found:
        add(a, block=(32, 1, 1))  # compiles
        before = _waits()
        for _ in range(LAUNCHES):
            add(a, block=(32, 1, 1))
        waits = _waits() - before
    assert waits < LAUNCHES / 10
    assert found == []
    assert (driver.from_device(a, 32, np.int32) == LAUNCHES + 1).all()
