# SPDX-License-Identifier: MIT
"""A time limit ends checked kernels wherever they are, and leaves no lock held that later calls would wait for."""

import pytest
from programs import run_program

pytestmark = pytest.mark.usefixtures("programs_on_cpu")

PROGRAM = """
import warnings
import pycuda
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

warnings.simplefilter("ignore")  # of the architecture
cuda.init()
for _ in range(10):
    context = cuda.Device(0).make_context()
    kernel = SourceModule(SOURCE, no_extern_c=True, arch="sm_90").get_function("kernel")
    try:
        with pycuda.checks(CHECKS):
            for stream in cuda.Stream(), cuda.Stream():
                kernel(cuda.mem_alloc(4096), block=(64, 1, 1), grid=(4, 1), stream=stream)
            cuda.Context.synchronize()
    except cuda.Error as error:
        assert "time limit" in str(error), error
    context.pop()
print("all ended")
"""

MEET = """
extern "C" __global__ void __cluster_dims__(2, 1, 1) kernel(int *a)
{
  while (true) asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
"""
WRITE = """
extern "C" __global__ void kernel(int *a)
{
  int i = threadIdx.x + 64 * blockIdx.x;
  for (int n = 0;; ++n) {
    a[i] = n;
    a[i * 3] += n;
  }
}
"""
UPDATE = """
extern "C" __global__ void kernel(int *a)
{
  __shared__ int s[64];
  while (true) {
    atomicAdd(&a[threadIdx.x], 1);
    atomicAdd(&s[threadIdx.x * 7 % 64], 1);
    __syncwarp();
  }
}
"""


@pytest.mark.parametrize(
    ("source", "checks"),
    [(MEET, "race"), (MEET, "all"), (WRITE, "race"), (UPDATE, "race")],
    ids=["clusters", "clusters, all checks", "writes", "updates"],
)
def test_a_time_limit_leaves_no_lock_held(source, checks):
    settings = f"SOURCE, CHECKS = {source!r}, {checks!r}\n"
    output, _ = run_program(settings + PROGRAM, PYCUDA_CPU_TIMEOUT=0.1)
    assert output.endswith("all ended\n")
