# SPDX-License-Identifier: MIT
"""Loops that wait for other blocks end, though their threads meet at barriers and warp operations on the way."""

import pytest
from programs import run_program

pytestmark = pytest.mark.usefixtures("programs_on_cpu")

# Each waits for what the last block writes.
TURNS = {
    "a barrier": "if (*flag) waiting = false; __syncthreads();",
    "a warp's barrier": "if (*flag) waiting = false; __syncwarp();",
    "a shuffle": "waiting = __shfl_sync(~0u, *flag == 0, 3);",
    "a vote": "waiting = !__any_sync(~0u, *flag != 0);",
    "a barrier with a question": "waiting = !__syncthreads_or(*flag != 0);",
    "a rest and a barrier": "if (*flag) waiting = false; __nanosleep(100); __syncthreads();",
    "an atomic read and a barrier": "if (atomicAdd((int *)flag, 0)) waiting = false; __syncthreads();",
    "shared memory": """
      __shared__ int found;
      if (threadIdx.x == 0) found = *flag;
      __syncthreads();
      if (found) waiting = false;
      __syncthreads();
    """,
    "a lock in shared memory": """
      __shared__ bool mine;
      if (threadIdx.x == 0) mine = atomicCAS((int *)flag, 1, 2) == 1;
      __syncthreads();
      if (mine) {
        waiting = false;
        if (threadIdx.x == 0) { atomicAdd((int *)flag + 1, 1); __threadfence(); atomicExch((int *)flag, 1); }
      }
      __syncthreads();
    """,
}

PROGRAM = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

kernel = SourceModule('''
__global__ void wait_for_last(volatile int *flag)
{
  bool waiting = true;
  while (waiting) {
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0 && flag[1] == 0 && flag[0] == 0) *flag = 1;
    TURN
  }
}
''').get_function("wait_for_last")
flag = np.zeros(2, np.int32)
for blocks in BLOCKS:
    flag[:] = 0
    kernel(cuda.InOut(flag), grid=(blocks, 1), block=(64, 1, 1), cooperative=COOPERATIVE)
    print(flag[0])
"""


@pytest.mark.parametrize("vectors", ["1", "0"])
@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
def test_all_blocks_come_to_run(turn, vectors):
    program = PROGRAM.replace("TURN", turn).replace("BLOCKS", "(3, 24, 60)").replace("COOPERATIVE", "False")
    output, _ = run_program(program, PYCUDA_CPU_THREADS="2", PYCUDA_CPU_VECTOR=vectors)
    assert output.split() == ["1", "1", "1"]


def test_all_blocks_of_a_cooperative_launch_come_to_run():
    program = PROGRAM.replace("TURN", TURNS["a barrier"]).replace("BLOCKS", "(24,)").replace("COOPERATIVE", "True")
    assert run_program(program, PYCUDA_CPU_THREADS="2")[0].split() == ["1"]


def test_clusters_that_wait_for_other_clusters_let_them_run():
    program = PROGRAM.replace(
        "TURN",
        'asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");\nif (*flag) waiting = false;',
    )
    program = program.replace("__global__ void", "__global__ void __cluster_dims__(2, 1, 1)")
    program = program.replace("BLOCKS", "(24,)").replace("COOPERATIVE", "False")
    output, _ = run_program(program, PYCUDA_CPU_THREADS="2", PYCUDA_CPU_ARCH="sm_90")
    assert output.split() == ["1"]


# The loops end without other blocks, though they look at what these write.
OWN_LOOPS = {
    "a list for each bucket": """
__global__ void lists(int *head, int *next, int n)
{
  __shared__ int count;
  if (threadIdx.x == 0) count = n;
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    int item = i * 64 + threadIdx.x;
    next[item] = atomicExch(&head[item % 7], item);
    __syncthreads();
    if (threadIdx.x == 0 && i > 100) count = 0;
    __syncthreads();
  }
}
""",
    "a search by levels": """
__global__ void lists(int *visited, int *levels, int n)
{
  __shared__ int changed;
  int level = 0;
  do {
    __syncthreads();
    if (threadIdx.x == 0) changed = 0;
    __syncthreads();
    int place = (threadIdx.x * 5 + level) % n;
    if (level < 6 && levels[place] == level) {
      atomicCAS(&visited[place], 0, 1);
      changed = 1;
    }
    ++level;
    __syncthreads();
  } while (changed);
}
""",
}


@pytest.mark.parametrize("source", OWN_LOOPS.values(), ids=OWN_LOOPS)
def test_loops_that_wait_for_nobody_are_vectors(source):
    program = f"""
import pycuda.autoinit
from pycuda.compiler import SourceModule
print(SourceModule('''{source}''').get_function("lists").plan(block=(64, 1, 1)).is_vector)
"""
    assert run_program(program)[0].split() == ["True"]
