# SPDX-License-Identifier: MIT
"""Chains of small launches on the CPU driver, each after the one before, by number of threads."""

import argparse
import ctypes
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / "peers"))

from turns import Turns, compile_turns, pointer_array  # noqa: E402

LAUNCHES = 1000
#: At most so many microseconds a launch, at any number of threads.
GOAL = 2.0

SOURCE = """
__global__ void step(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] * 0.5f + 1;
}
__global__ void loop(float* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += a[(i + k) & (n - 1)];
  if (sum != sum) a[i] = sum;
}
__global__ void unknown_loop(float* a, int n, int trips) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = a[i];
  for (int k = 0; k < trips; ++k) sum = sum * 0.5f + 1;
  a[i] = sum;
}
__global__ void tree(float* a, int n) {
  __shared__ float part[128];
  int t = threadIdx.x;
  part[t] = a[blockIdx.x * 128 + t];
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) part[t] += part[t + half];
  }
  if (t == 0) a[blockIdx.x * 128] = part[0] * 1e-3f;
}
__global__ void count(int* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(bins + (i * 7 & (n - 1)), 1);
}
"""

#: Name, kernel, blocks, threads of a block, arguments after the array.
ROWS = [
    ("one block", "step", 1, 128, (128,)),
    ("8 blocks", "step", 8, 128, (1024,)),
    ("64 blocks", "step", 64, 128, (8192,)),
    ("loop, 1 block", "loop", 1, 128, (1024,)),
    ("loop, 8 blocks", "loop", 8, 128, (1024,)),
    ("loop of unknown length, 8 blocks", "unknown_loop", 8, 128, (1024, 4)),
    ("loop of unknown length, 64 blocks", "unknown_loop", 64, 128, (8192, 4)),
    ("tree of sums, 1 block", "tree", 1, 128, (128,)),
    ("tree of sums, 16 blocks", "tree", 16, 128, (2048,)),
    ("atomics, 8 blocks", "count", 8, 128, (1024,)),
]


def measure(rounds: int) -> dict[str, float]:
    """Microseconds a launch, in this process."""
    import numpy as np
    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    turns = Turns()
    package = importlib.util.find_spec("pycuda")
    cu = ctypes.CDLL(str(pathlib.Path(package.origin).with_name("libcuda_cpu.so")))
    module, found = SourceModule(SOURCE), {}
    memory = drv.mem_alloc(1 << 20)
    drv.memset_d8(memory, 0, 1 << 20)
    for name, kernel, blocks, threads, rest in ROWS:
        held = [np.array(np.uint64(int(memory))), *(np.array(np.int32(value)) for value in rest)]
        arguments = pointer_array([value.ctypes.data for value in held])
        handle = ctypes.c_void_p(module.get_function(kernel).handle)
        grid, block = (ctypes.c_uint * 3)(blocks, 1, 1), (ctypes.c_uint * 3)(threads, 1, 1)
        launch = (cu.cuLaunchKernel, cu.cuCtxSynchronize, handle, grid, block, 0, arguments)
        times = [turns.take("turn_cuda", *launch, LAUNCHES)[0] / LAUNCHES * 1e6 for _ in range(rounds)]
        found[name] = statistics.median(times)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", default="1,2", help="numbers of threads, with commas between them")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--json", type=pathlib.Path, help="a file for the figures")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.rounds)))
        return
    counts = [int(count) for count in options.threads.split(",")]
    cores = sorted(os.sched_getaffinity(0))
    figures: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        compile_turns(pathlib.Path(folder))
        for count in counts:
            environment = {"PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_THREADS": str(count)}
            os.sched_setaffinity(0, cores[:count])  # the process inherits it
            done = subprocess.run(
                [sys.executable, __file__, "--measure", "--rounds", str(options.rounds)],
                env={**os.environ, **environment},
                stdout=subprocess.PIPE,
                check=True,
            )
            figures[count] = json.loads(done.stdout)
    print(f"us a launch in chains of {LAUNCHES}, median of {options.rounds} chains; load {os.getloadavg()[0]:.1f}")
    print(f"{'threads':36}" + "".join(f"{count:9}" for count in counts))
    for name, *_ in ROWS:
        print(f"{name:36}" + "".join(f"{figures[count][name]:9.2f}" for count in counts))
    worst = max(max(found.values()) for found in figures.values())
    print(f"longest: {worst:.2f} (goal {GOAL:g} {'met' if worst <= GOAL else 'MISSED'})")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
