# SPDX-License-Identifier: MIT
"""Walks over calls of functions of CUDA's headers, which compilers inline."""

import numpy as np
import pycuda.debug
import pycuda.driver as cuda
import pytest
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("cpu_context")

SOURCE = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ __forceinline__ void both(int *a)
{
  cg::this_thread_block().sync();
  a[threadIdx.x] += 1;
}
extern "C" __global__ void k(int *a)
{
  auto block = cg::this_thread_block();
  int v = a[threadIdx.x];
  block.sync();
  for (int i = 0; i < 2; ++i) {
    block.sync();
    both(a);
  }
  block.sync();
  a[threadIdx.x] += v;
}
"""


def test_a_line_that_only_calls_a_header_is_a_step(driver):
    k = SourceModule(SOURCE, no_extern_c=True).get_function("k")
    a = np.arange(8, dtype=np.int32)
    walk = pycuda.debug.step(k, cuda.InOut(a), block=(8, 1, 1), thread=(3, 0, 0))
    assert (a == 2 * np.arange(8) + 2).all()
    first = next(number for number, line in enumerate(SOURCE.split("\n"), 1) if "auto block" in line)
    lines = [step.line - walk[0].line + first for step in walk]
    loop = [13, 14, 5, 6]
    assert lines == [10, 11, 12, *loop, *loop, 13, 17, 18, 19], str(walk)
    assert [step.depth for step in walk if "sync" in step.source] == [0, 0, 1, 0, 1, 0]
    assert [step.operations for step in walk if step.operations] == [["barrier.sync"]] * 6


def test_memory_of_header_functions_is_not_shown(driver):
    k = SourceModule(SOURCE, no_extern_c=True).get_function("k")
    walk = pycuda.debug.step(k, cuda.InOut(np.arange(8, dtype=np.int32)), block=(8, 1, 1))
    assert [touch for step in walk for touch in step.reads + step.writes if touch.name.startswith("0x")] == []
