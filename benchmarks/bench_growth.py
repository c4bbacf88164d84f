# SPDX-License-Identifier: MIT
"""What a process grows by over 10^6 launches, 10^5 allocations and 10^4 modules: nothing may stay behind.

Each action is repeated a tenth as often first, so that pools, caches and the driver's own tables are full. Growth is
that of the process's resident memory, and of the memory in use on the device.
"""

import argparse
import gc
import time

import pycuda.autoprimaryctx  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
from pycuda.compiler import compile as compile_source

SOURCE = "__device__ int here[256]; __global__ void nothing(float *a, float *b, int n) {}"


def resident_kibibytes():
    gc.collect()
    with open("/proc/self/statm") as pages:
        return 4 * int(pages.read().split()[1])


def actions():
    """name -> (count, a function that does it so often)."""
    function = SourceModule(SOURCE).get_function("nothing")
    prepared = SourceModule(SOURCE).get_function("nothing").prepare("PPi")
    memory, image = cuda.mem_alloc(64), compile_source(SOURCE)

    def launches(count):
        for number in range(count // 2):
            function(memory, memory, number, block=(1, 1, 1))
            prepared.prepared_call((1,), (1,), memory, memory, number)
            if number % 500 == 0:
                cuda.Context.synchronize()
        cuda.Context.synchronize()

    def allocations(count):
        for _ in range(count // 2):
            cuda.mem_alloc(5000).free()
            cuda.mem_alloc(5000)

    def modules(count):
        for _ in range(count):
            cuda.module_from_buffer(image).get_function("nothing")

    return {"launches": (10**6, launches), "allocations": (10**5, allocations), "modules": (10**4, modules)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, default=1, help="do a PART-th of the repetitions")
    part = parser.parse_args().part
    print(f"device: {cuda.Device(0).name()}\n")
    print(f"{'action':14} {'times':>9} {'seconds':>8} {'process KiB':>12} {'device KiB':>11}")
    for name, (count, act) in actions().items():
        count //= part
        act(count // 10)
        before, free_before = resident_kibibytes(), cuda.mem_get_info()[0]
        start = time.perf_counter()
        act(count)
        seconds = time.perf_counter() - start
        growth = resident_kibibytes() - before
        taken = (free_before - cuda.mem_get_info()[0]) // 1024
        print(f"{name:14} {count:9} {seconds:8.2f} {growth:12} {taken:11}")


if __name__ == "__main__":
    main()
