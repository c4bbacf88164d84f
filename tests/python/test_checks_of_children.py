# SPDX-License-Identifier: MIT
"""Checks and counters that begin while the program runs, of kernels that kernels launch."""

import pycuda
import pytest
from pycuda.compiler import DynamicSourceModule

SOURCE = """
__global__ void grandchild(int *a) { a[threadIdx.x / 2] = threadIdx.x; }
__global__ void child(int *a)
{
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = s[63 - threadIdx.x];
  if (threadIdx.x == 0)
    grandchild<<<1, 64>>>(a + 64);
}
__global__ void parent(int *a)
{
  if (threadIdx.x == 0)
    child<<<1, 64>>>(a);
}
"""


@pytest.fixture
def launch(cpu_context, driver):
    """Launches `parent` of a module that has run before."""
    parent, memory = DynamicSourceModule(SOURCE).get_function("parent"), driver.mem_alloc(4096)
    driver.memset_d8(memory, 0, 4096)

    def run():
        parent(memory, block=(32, 1, 1))

    run()
    driver.Context.synchronize()
    return run


def test_children_are_checked_as_their_parent_is(launch):
    with pycuda.checks("race") as found:
        launch()
    with pycuda.checks("sync") as others:
        launch()
    launch()
    assert sorted(finding.kernel for finding in found) == ["child", "grandchild"]
    assert others == []


def test_children_are_counted(launch):
    with pycuda.counters() as counted:
        launch()
        launch()
    assert {kernel.kernel: kernel.launches for kernel in counted.kernels} == {"parent": 2, "child": 2, "grandchild": 2}
    assert counted["child"].shared_wavefronts == 2 * 4
