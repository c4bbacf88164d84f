# SPDX-License-Identifier: MIT
"""Walks over calls of functions of CUDA's headers, which compilers inline."""

import warnings

import numpy as np
import pycuda.debug
import pycuda.driver as cuda
import pytest
from pycuda._stepping import launch
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


NAMES = """
#include <cooperative_groups.h>
__global__ void other(int *q) { int zeta = 1; q[0] = zeta; }
__device__ float halved(float whole) { return whole / 2; }
__global__ void k(float *a, int n)
{
  __shared__ float tile[4];
  int i = threadIdx.x;
  tile[i] = halved(a[i]);
  float b = tile[i] + n;
  a[i] = b;
}
"""


def test_the_names_of_a_walk_are_the_variables_of_its_kernels_source(driver):
    k = SourceModule(NAMES, no_extern_c=True).get_function("k")
    walk = pycuda.debug.step(k, cuda.InOut(np.ones(4, np.float32)), np.int32(2), block=(4, 1, 1))
    with pytest.raises(KeyError, match=r"these are: whole, a, n, tile, i, b\."):
        walk.variable("zz")
    with pytest.raises(KeyError, match="no variable 'zeta'"):
        walk.variable("zeta")


def test_a_kernel_is_made_for_walks_once(driver, monkeypatch):
    k = SourceModule(NAMES, no_extern_c=True).get_function("k")
    made, original = [], launch.instrument
    monkeypatch.setattr(launch, "instrument", lambda *args: made.append(args) or original(*args))
    a = np.ones(4, np.float32)
    for wanted in (2.5, 3.25):
        walk = pycuda.debug.step(k, cuda.InOut(a), np.int32(2), block=(4, 1, 1))
        assert walk.variable("b")[0][1] == a[0] == wanted
    assert len(made) == 1


def test_variables_of_headers_that_nothing_uses_are_not_copied(driver):
    module = SourceModule(NAMES, no_extern_c=True)
    pycuda.debug.step(module.get_function("k"), cuda.InOut(np.ones(4, np.float32)), np.int32(2), block=(4, 1, 1))
    (program,) = module._walked_programs.values()
    assert [one.symbol for one in program.variables if one.space in ("global", "const")] == []


def test_what_the_compiler_says_is_said_by_the_module_alone(driver):
    with pytest.warns(UserWarning, match="unused"):
        source = "__global__ void k(int *a) { int unused; a[0] = 1; }"
        k = SourceModule(source, cache_dir=False).get_function("k")  # the cache keeps no warnings
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            pycuda.debug.step(k, cuda.Out(np.zeros(1, np.int32)), block=(1, 1, 1))
