# SPDX-License-Identifier: MIT
"""Clusters of blocks on the CPU driver: cooperative groups, what the checked mode sees, and what cannot go on."""

import pathlib

import pycuda
import pytest
from programs import run_program

pytestmark = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)

START = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('''
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void ranks(int *out)
{
  const cg::cluster_group cluster = cg::this_cluster();
  const dim3 index = cluster.block_index(), blocks = cluster.dim_blocks();
  int *own = out + (blockIdx.x + gridDim.x * blockIdx.y) * 6;
  if (cluster.thread_rank() % blockDim.x != 0) return;
  own[0] = cluster.block_rank();
  own[1] = index.x + 10 * index.y;
  own[2] = blocks.x + 10 * blocks.y;
  own[3] = cluster.num_blocks();
  own[4] = cluster.num_threads();
  own[5] = cluster.thread_rank();
}

extern "C" __global__ void rotate(int *out, int by)
{
  __shared__ int cell[32];
  const cg::cluster_group cluster = cg::this_cluster();
  cell[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  cluster.sync();
  const int *theirs = cluster.map_shared_rank(cell, (cluster.block_rank() + 1) % cluster.num_blocks());
  out[blockIdx.x * 64 + threadIdx.x] = theirs[threadIdx.x + by];
  out[blockIdx.x * 64 + 32 + threadIdx.x] = cluster.query_shared_rank(theirs);
  cluster.sync();
}

extern "C" __global__ void left_alone(int *out)
{
  const cg::cluster_group cluster = cg::this_cluster();
  __shared__ int cell;
  cell = 1;
  if (blockIdx.x % 2 == 0) {
    cluster.barrier_arrive();
    cluster.barrier_wait();
  } else {
    asm volatile("bar.sync 1, 64;");
  }
  out[0] = cell;
}

extern "C" __global__ void looks_too_late(int *out, bool generic)
{
  __shared__ int cell;
  const cg::cluster_group cluster = cg::this_cluster();
  cell = blockIdx.x;
  int *theirs = cluster.map_shared_rank(&cell, 1);
  if (generic) {  // the compiler no longer knows which space it is of
    unsigned long long address;
    asm volatile("mov.u64 %0, %1;" : "=l"(address) : "l"(theirs));
    theirs = reinterpret_cast<int *>(address);
  }
  if (cluster.block_rank() == 1) return;
  for (int i = 0; i < 1000; ++i) __nanosleep(1);
  out[0] = *theirs;
}
''', no_extern_c=True)
"""


def run(code, **environment):
    return run_program(START + code, PYCUDA_DRIVER="cpu", **{"PYCUDA_CPU_ARCH": "90", **environment})[0]


def test_a_block_knows_its_place_in_its_cluster():
    output = run("""
out = np.full((2, 4, 6), -1, np.int32)
module.get_function("ranks")(cuda.InOut(out), block=(32, 1, 1), grid=(4, 2), cluster=(2, 2, 1))
for row in out.reshape(8, 6):
    print(*row)
""")
    places = [(0, 0), (1, 1), (0, 0), (1, 1), (2, 10), (3, 11), (2, 10), (3, 11)]
    assert output == "".join(f"{rank} {index} 22 4 128 {32 * rank}\n" for rank, index in places)


def test_a_launch_without_clusters_has_clusters_of_one_block():
    output = run("""
out = np.full((2, 6), -1, np.int32)
module.get_function("ranks")(cuda.InOut(out), block=(32, 1, 1), grid=(2, 1))
print(*out.ravel())
""")
    assert output == "0 0 11 1 32 0 0 0 11 1 32 0\n"


@pytest.mark.parametrize("check", [None, "all"])
@pytest.mark.parametrize("size", [1, 2, 8])
def test_blocks_read_the_shared_memory_of_others(size, check):
    output = run(
        f"""
size, blocks = {size}, 16
out = np.zeros((blocks, 64), np.int32)
module.get_function("rotate")(cuda.Out(out), np.int32(0), block=(32, 1, 1), grid=(blocks, 1), cluster=(size, 1, 1))
for block in range(blocks):
    other = block // size * size + (block + 1) % size
    assert (out[block, :32] == other * 100 + np.arange(32)).all(), block
    assert (out[block, 32:] == other % size).all(), block
print("right")
""",
        PYCUDA_CPU_CHECK=check,
    )
    assert output == "right\n"


def test_the_checked_mode_knows_where_another_blocks_shared_memory_ends():
    output = run(
        """
out = np.zeros((2, 64), np.int32)
try:
    module.get_function("rotate")(cuda.Out(out), np.int32(1), block=(32, 1, 1), grid=(2, 1), cluster=(2, 1, 1))
    print("nothing was found")
except cuda.Error as error:
    print(error)
""",
        PYCUDA_CPU_CHECK="memory",
    )
    assert "read of 4 bytes" in output


@pytest.mark.parametrize("generic", [False, True])
def test_the_checked_mode_sees_accesses_to_a_block_that_has_exited(generic):
    output = run(
        f"generic = {generic}"
        """
out = np.zeros(1, np.int32)
try:
    looks = module.get_function("looks_too_late")
    looks(cuda.Out(out), np.bool_(generic), block=(1, 1, 1), grid=(2, 1), cluster=(2, 1, 1))
    print("nothing was found")
except cuda.Error as error:
    print(error)
""",
        PYCUDA_CPU_CHECK="memory",
    )
    assert "an access to the shared memory of a block that has exited in kernel looks_too_late" in output


def test_a_cluster_that_cannot_go_on_says_who_waits():
    output = run("""
out = np.zeros(1, np.int32)
try:
    module.get_function("left_alone")(cuda.Out(out), block=(32, 1, 1), grid=(2, 1), cluster=(2, 1, 1))
    cuda.Context.synchronize()
    print("it ended")
except cuda.Error as error:
    print(error)
""")
    assert "deadlock" in output
    here, there = "at the cluster's barrier (32 of 64 threads arrived)", "at barrier 1 (32 of 64 arrived)"
    assert here in output or there in output


@pytest.mark.parametrize(("grid", "cluster"), [((3, 1), (2, 1, 1)), ((16, 1), (16, 1, 1)), ((4, 1), (2, 0, 1))])
def test_clusters_that_a_grid_is_not_made_of_are_refused(grid, cluster):
    output = run(f"""
out = np.zeros(64, np.int32)
try:
    module.get_function("ranks")(cuda.Out(out), block=(32, 1, 1), grid={grid}, cluster={cluster})
except cuda.Error as error:
    print(error)
""")
    assert "cluster" in output


def test_the_default_device_has_no_clusters():
    output, _ = run_program(
        """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
kernel = SourceModule("__global__ void k(int *out) { out[blockIdx.x] = 1; }").get_function("k")
try:
    kernel(cuda.Out(np.zeros(2, np.int32)), block=(1, 1, 1), grid=(2, 1), cluster=(2, 1, 1))
except cuda.Error as error:
    print(error)
""",
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_ARCH=None,
    )
    assert "has no clusters" in output


def test_a_refused_launch_names_what_was_refused():
    output = run("""
two = SourceModule("__global__ void __cluster_dims__(2, 1, 1) two(int *a) {}").get_function("two")
plain = SourceModule("__global__ void plain(int *a) {}").get_function("plain")

def launch(kernel, **how):
    try:
        kernel(np.intp(0), block=(32, 1, 1), **how)
        print("launched")
    except cuda.Error as error:
        print(error)

launch(plain, grid=(2, 1), cluster=(2, 1, 1))
launch(plain, grid=(3, 1), cluster=(2, 1, 1))
launch(plain, grid=(2, 1), cluster=(2, 1, 1), shared=1 << 20)
launch(plain, grid=(2, 70000), cluster=(2, 1, 1))
launch(two, grid=(4, 1), cluster=(4, 1, 1))
launch(two, grid=(3, 1))
""").splitlines()
    assert output[0] == "launched"
    assert "clusters of 2x1x1 blocks: the grid must be made of whole clusters" in output[1]
    assert "1048576 bytes of dynamic shared memory" in output[2] and "cluster" not in output[2]
    assert "70000 blocks along y" in output[3] and "cluster" not in output[3]
    assert "clusters of 4x1x1 blocks, but the kernel is compiled for clusters of 2x1x1" in output[4]
    assert "clusters of 2x1x1 blocks: the grid must be made of whole clusters" in output[5]
