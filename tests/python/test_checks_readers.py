# SPDX-License-Identifier: MIT
"""Words of shared memory that threads of one warp or of several read, and then another thread writes: whoever has read
them without anything that orders it before the write is found, and nobody else.
"""

import itertools
import json

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

THREADS = 128
READS = {
    "t % 16": lambda t: t % 16,
    "t": lambda t: t,
    "t % 16 * 17": lambda t: t % 16 * 17,
    "5": lambda t: 5,
    "t / 16": lambda t: t // 16,
}
READERS = {
    "true": lambda t: True,
    "t < 16": lambda t: t < 16,
    "t < 32": lambda t: t < 32,
    "t >= 32": lambda t: t >= 32,
    "t / 16 % 2 == 0": lambda t: t // 16 % 2 == 0,
}
ORDERS = {
    "": lambda reader, writer: False,
    "__syncwarp();": lambda reader, writer: reader // 32 == writer // 32,
}
WRITERS = (5, 21, 40)


def _kernels():
    """The lines of kernels, and for each writer whether it races."""
    for read, readers, order in itertools.product(READS, READERS, ORDERS):
        word = READS[read](5)
        races = [
            any(
                READERS[readers](t) and READS[read](t) == word and t != writer and not ORDERS[order](t, writer)
                for t in range(THREADS)
            )
            for writer in WRITERS
        ]
        reads = f"if ({readers}) use += read(s + {read});"
        yield f"{reads} {reads} {order} if (t == writer) s[{word}] = 1000;", races


PROGRAM = """
import json
import numpy as np
import pycuda
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

bodies = json.loads(BODIES)
# A plain read, which the compiler does not make for other threads too.
source = '''
__device__ int read(int *place)
{
  int value;
  asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"((unsigned)__cvta_generic_to_shared(place)));
  return value;
}
''' + "".join(f'''
__global__ void kernel{i}(int *out, int writer)
{{
  __shared__ int s[512];
  int t = threadIdx.x, use = 0;
  for (int i = t; i < 512; i += 128) s[i] = i;
  __syncthreads();
  {body}
  __syncthreads();
  out[t] = use + s[t];
}}
''' for i, body in enumerate(bodies))
module = SourceModule(source)
out = cuda.mem_alloc(4096)
found = []
for i in range(len(bodies)):
    found.append([])
    for writer in WRITERS:
        with pycuda.checks("race") as findings:
            module.get_function(f"kernel{i}")(out, np.int32(writer), block=(128, 1, 1))
        found[-1].append(len(findings) > 0)
print(json.dumps(found))
"""


@pytest.mark.parametrize("vector", ["1", "0"], ids=["gangs", "threads"])
def test_a_write_races_with_the_reads_that_nothing_orders_before_it(vector):
    kernels = list(_kernels())
    bodies = json.dumps([body for body, _ in kernels])
    settings = f"BODIES, WRITERS = {bodies!r}, {WRITERS}\n"
    # From the start: no kernel is compiled without checks, which none of them runs.
    output, _ = run_program(settings + PROGRAM, PYCUDA_CPU_VECTOR=vector, PYCUDA_CPU_CHECK="race", PYCUDA_DRIVER="cpu")
    found = json.loads(output)
    wrong = [(body, known) for (body, races), known in zip(kernels, found, strict=True) if known != races]
    assert not wrong, wrong[:3]
