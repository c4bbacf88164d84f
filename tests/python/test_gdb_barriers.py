# SPDX-License-Identifier: MIT
"""Kernels compiled with -G in gdb: `next` goes on in the same thread behind whatever threads wait for each other at."""

import itertools
import re

import pytest
from gdb_session import run_gdb
from programs import has_cpu_driver

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

SOURCE = """
#include <cooperative_groups.h>
__device__ int exchanged(int *tile, int i, int mine)
{
  tile[i] = mine;
  __syncthreads();
  int other = tile[31 - i];
  return other;
}
__device__ int depth(int n, int *tile)
{
  if (n == 0) {
    __syncthreads();
    return tile[3];
  }
  return depth(n - 1, tile) + 1;
}
extern "C" __global__ void turn(int *a)
{
  __shared__ int tile[32];
  int i = threadIdx.x;
  a += blockIdx.x * 32;
  int mine = a[i] * 10;
  for (int round = 0; round < 2; ++round) {
    tile[i] = mine;
    __syncthreads();
    mine += tile[31 - i];
    __syncthreads();
  }
  int voted = __any_sync(0xffffffff, i == 3);
  int moved = __shfl_xor_sync(0xffffffff, mine, 1);
  __syncwarp();
  cooperative_groups::this_thread_block().sync();
  int other = exchanged(tile, i, moved);
  int deep = depth(6, tile);
  a[i] = other + voted + deep;
}
"""

PROGRAM = f'''
import os
os.environ["PYCUDA_DRIVER"] = "cpu"
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

a = np.tile(np.arange(32, dtype=np.int32), 4)
turn = SourceModule("""{SOURCE}""", options=["-G"], no_extern_c=True).get_function("turn")
turn(cuda.InOut(a), block=(32, 1, 1), grid=(4, 1))
mine = np.arange(32) * 10
for _ in range(2):
    mine = mine + mine[::-1]
moved = mine.reshape(16, 2)[:, ::-1].ravel()[::-1]
print("right" if (a == np.tile(moved + 1 + moved[3] + 6, 4)).all() else a)
'''


def line_of(text, after=""):
    """The number of the first line of the source that has `text`, behind the first that has `after`."""
    lines = SOURCE.split("\n")
    first = next(number for number, line in enumerate(lines) if after in line)
    return next(number for number, line in enumerate(lines[first:], first + 1) if text in line)


@pytest.fixture
def gdb(tmp_path):
    """gdb's answers to commands, of the program."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    (tmp_path / "kernel.cu").write_text(SOURCE)

    def run(*commands, threads="1"):
        return run_gdb(program, tmp_path, f"directory {tmp_path}", *commands, PYCUDA_CPU_THREADS=threads)

    return run


def steps(said):
    """The lines of the source that gdb stopped at. A line may have several parts; lines of headers do not count."""
    lines = (int(line) for line in re.findall(r"^(\d+)\t", said, re.MULTILINE))
    return [line for line, _ in itertools.groupby(line for line in lines if line <= SOURCE.count("\n"))]


LOOP = line_of("for (int round")
TWICE = [*range(LOOP + 1, LOOP + 5), LOOP] * 2
STRAIGHT = [*range(line_of("int voted"), line_of("a[i] = other") + 1)]


@pytest.mark.parametrize(
    "thread, locking, threads", [(0, "off", "1"), (5, "on", "1"), (31, "step", "2"), (7, "off", "4")]
)
def test_next_goes_past_everything_that_waits(gdb, thread, locking, threads):
    first = line_of("int mine = a[i]")
    said = gdb(
        f"break kernel.cu:{first} if threadIdx.x == {thread} && blockIdx.x == 1",
        *("run", "delete", f"set scheduler-locking {locking}", *["next"] * 30, "kill"),
        threads=threads,
    )
    wanted = [first, LOOP, *TWICE, *STRAIGHT]
    assert steps(said)[: len(wanted)] == wanted, said


def test_the_thread_is_the_same_behind_a_barrier(gdb):
    said = gdb(
        f"break kernel.cu:{line_of('__syncthreads', after='for (int round')} if threadIdx.x == 9",
        *("run", "delete", "next", "print threadIdx.x", "print mine", "print tile[31 - i]", "print tile[0]"),
        *("next", "print mine", "info locals", "continue"),
    )
    assert re.findall(r"^\$\d+ = (.*)$", said, re.MULTILINE) == ["9", "90", "220", "0", "310"], said
    assert "right" in said and "exited normally" in said, said


def test_a_function_that_waits_is_stepped_over_and_into(gdb):
    inner = line_of("__syncthreads", after="int exchanged")
    said = gdb(
        f"break kernel.cu:{inner} if threadIdx.x == 4",
        *("run", "delete", "bt 2", "next", "print other", "next", "print other", "finish", "next", "next"),
        *("print deep", "continue"),
    )
    assert re.search(rf"#0  exchanged \(.*kernel\.cu:{inner}\n#1 .* in turn \(", said), said
    begin = line_of("int other = exchanged")
    assert steps(said) == [inner, inner + 1, inner + 2, begin, begin + 1, begin + 2], said
    assert "right" in said and "exited normally" in said, said


def test_a_function_that_calls_itself_and_waits_has_all_its_callers(gdb):
    place = line_of("return tile[3]")
    said = gdb(f"break kernel.cu:{place} if threadIdx.x == 1", "run", "bt 8", "up 7", "print i", "kill")
    assert len(re.findall(r"^#\d .*depth \(n=[0-6]", said, re.MULTILINE)) == 7, said
    assert re.search(r"^\$1 = 1$", said, re.MULTILINE), said
