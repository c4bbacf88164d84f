# SPDX-License-Identifier: MIT
"""Host time of one kernel launch and one allocation: ours beside a loop in C, CuPy and cuda.core, in one run.

Three pointer arguments, batches of 200 launches with a synchronisation between (the queue is never full), the rivals in
turn in each round, the median of 60 rounds. Times are microseconds per launch; "x C" is the ratio to the loop in C.
"""

import argparse
import ctypes
import pathlib
import statistics
import sys
import tempfile
import time

import numpy as np
import pycuda.autoprimaryctx  # noqa: F401  (the context that CuPy and cuda.core use too)
import pycuda.driver as cuda
from c_yardsticks import build
from pycuda.compiler import SourceModule
from pycuda.compiler import compile as compile_source

SOURCE = "__global__ void nothing(float *a, float *b, float *c) {}"
BATCH = 200
GRAPHS, GRAPH_NODES = 10, 20


def open_driver() -> ctypes.CDLL:
    """The library that pycuda uses, opened a second time for the loop in C."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.split()[-1]
            if pathlib.Path(path).name.startswith(("libcuda.so", "libcuda_cpu.so")):
                return ctypes.CDLL(path)
    raise SystemExit("no CUDA driver is loaded in this process")


def c_library(folder: str) -> ctypes.CDLL:
    """c_launch_loop.c, compiled."""
    loaded = ctypes.CDLL(build("c_launch_loop.c", folder, "-O2", "-shared", "-fPIC"))
    loaded.time_launches.restype = loaded.time_allocations.restype = ctypes.c_double
    return loaded


def python_rivals(pointers):
    """name -> a function that makes one batch of launches and returns host seconds."""
    rivals = {}
    function = SourceModule(SOURCE).get_function("nothing")
    prepared = SourceModule(SOURCE).get_function("nothing").prepare("PPP")
    grid, block, block2 = (1, 1), (32, 1, 1), (32, 1, 1)
    a, b, c = pointers

    def prepared_call():
        call = prepared.prepared_call
        start = time.perf_counter()
        for _ in range(BATCH):
            call(grid, block, a, b, c)
        return time.perf_counter() - start

    def plain_call():
        start = time.perf_counter()
        for _ in range(BATCH):
            function(a, b, c, block=block2, grid=grid)
        return time.perf_counter() - start

    rivals["pycuda prepared_call"] = prepared_call
    rivals["pycuda func(a, b, c, block=..., grid=...)"] = plain_call

    try:
        from pycuda import gpuarray

        arrays = [gpuarray.empty(8, np.float32) for _ in range(3)]

        def with_arrays():
            x, y, z = arrays
            start = time.perf_counter()
            for _ in range(BATCH):
                function(x, y, z, block=block2, grid=grid)
            return time.perf_counter() - start

        rivals["pycuda func(GPUArrays)"] = with_arrays
    except ImportError:
        pass

    if "CPU" not in cuda.Device(0).name():
        try:
            import cupy

            kernel = cupy.RawKernel('extern "C" ' + SOURCE, "nothing")
            x, y, z = (cupy.empty(8, np.float32) for _ in range(3))

            def cupy_call():
                start = time.perf_counter()
                for _ in range(BATCH):
                    kernel((1,), (32,), (x, y, z))
                return time.perf_counter() - start

            rivals["CuPy RawKernel"] = cupy_call
        except ImportError:
            print("CuPy is not installed: not in the table", file=sys.stderr)
        try:
            from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

            device = Device()
            device.set_current()
            stream = device.create_stream()
            major, minor = device.compute_capability
            options = ProgramOptions(arch=f"sm_{major}{minor}")
            program = Program('extern "C" ' + SOURCE, code_type="c++", options=options)
            core_kernel = program.compile("cubin").get_kernel("nothing")
            config = LaunchConfig(grid=1, block=32)
            handles = [int(p) for p in pointers]

            def core_call():
                h0, h1, h2 = handles
                start = time.perf_counter()
                for _ in range(BATCH):
                    launch(stream, config, core_kernel, h0, h1, h2)
                return time.perf_counter() - start

            rivals["cuda.core launch"] = core_call
        except Exception as error:  # its API moves between versions; the table goes on without it
            print(f"cuda.core is not in the table: {error}", file=sys.stderr)
    return rivals


def graph_rivals(pointers):
    """Name -> a function that does GRAPH_NODES launches GRAPHS times and returns host seconds."""
    function = SourceModule(SOURCE).get_function("nothing").prepare("PPP")
    stream = cuda.Stream()
    grid, block = (1, 1), (32, 1, 1)
    a, b, c = pointers

    def launches():
        call = function.prepared_async_call
        start = time.perf_counter()
        for _ in range(GRAPHS * GRAPH_NODES):
            call(grid, block, stream, a, b, c)
        return time.perf_counter() - start

    try:
        with stream.capture() as graph:
            launches_of_one = function.prepared_async_call
            for _ in range(GRAPH_NODES):
                launches_of_one(grid, block, stream, a, b, c)
    except cuda.LogicError as error:
        print(f"graphs are not in the table: {error}", file=sys.stderr)
        return {}
    launch = graph.instantiate().launch

    def as_graph():
        start = time.perf_counter()
        for _ in range(GRAPHS):
            launch(stream)
        return time.perf_counter() - start

    return {f"{GRAPH_NODES} prepared_async_call": launches, f"a graph of {GRAPH_NODES} launches": as_graph}


def allocation_rivals(driver, loop):
    """Name -> BATCH pairs of an allocation of 4096 bytes and its release."""

    def ours():
        start = time.perf_counter()
        for _ in range(BATCH):
            cuda.mem_alloc(4096).free()
        return time.perf_counter() - start

    rivals = {
        "C": lambda: loop.time_allocations(driver.cuMemAlloc_v2, driver.cuMemFree_v2, ctypes.c_uint64(4096), BATCH),
        "pycuda": ours,
    }
    if "CPU" in cuda.Device(0).name():
        return rivals
    try:
        from cupy.cuda.runtime import free, malloc

        def cupy_pairs():
            start = time.perf_counter()
            for _ in range(BATCH):
                free(malloc(4096))
            return time.perf_counter() - start

        rivals["CuPy runtime.malloc, free"] = cupy_pairs
    except ImportError:
        pass  # said already, for launches
    try:
        from cuda.bindings.driver import cuMemAlloc, cuMemFree

        def bindings_pairs():
            start = time.perf_counter()
            for _ in range(BATCH):
                cuMemFree(cuMemAlloc(4096)[1])
            return time.perf_counter() - start

        rivals["cuda.bindings cuMemAlloc, cuMemFree"] = bindings_pairs
    except ImportError:
        print("cuda.bindings is not installed: not in the table", file=sys.stderr)
    return rivals


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args().rounds
    driver = open_driver()
    pointers = [cuda.mem_alloc(64) for _ in range(3)]
    with tempfile.TemporaryDirectory() as folder:
        loop = c_library(folder)
        image = compile_source(SOURCE)
        module, handle = ctypes.c_void_p(), ctypes.c_void_p()
        assert driver.cuModuleLoadData(ctypes.byref(module), image) == 0
        assert driver.cuModuleGetFunction(ctypes.byref(handle), module, b"nothing") == 0
        addresses = (ctypes.c_uint64 * 3)(*(int(p) for p in pointers))

        def c_loop():
            return loop.time_launches(driver.cuLaunchKernel, handle, addresses, BATCH)

        rivals = {"a loop in C": c_loop, **python_rivals(pointers)}
        times = {name: [] for name in rivals}
        for _ in range(rounds + 3):
            for name, batch in rivals.items():
                times[name].append(batch())
                cuda.Context.synchronize()
        print(f"device: {cuda.Device(0).name()}; median of {rounds} rounds, {BATCH} launches each\n")
        base = statistics.median(times["a loop in C"][3:]) / BATCH * 1e6
        print(f"{'launch':44} {'us':>7} {'x C':>6}")
        for name, values in times.items():
            microseconds = statistics.median(values[3:]) / BATCH * 1e6
            print(f"{name:44} {microseconds:7.3f} {microseconds / base:6.2f}")

        pairs = allocation_rivals(driver, loop)
        allocations = {name: [] for name in pairs}
        for _ in range(rounds):
            for name, batch in pairs.items():
                allocations[name].append(batch())
        base = statistics.median(allocations["C"]) / BATCH * 1e6
        print(f"\n{'mem_alloc(4096) + free':44} {'us':>7} {'x C':>6}")
        for name, values in allocations.items():
            microseconds = statistics.median(values) / BATCH * 1e6
            print(f"{name:44} {microseconds:7.3f} {microseconds / base:6.2f}")

        sequences = graph_rivals(pointers)
        # With the synchronisation after: a graph leaves work to the device that launches do before.
        totals = {name: [] for name in sequences}
        for _ in range(rounds):
            for name, batch in sequences.items():
                seconds, start = batch(), time.perf_counter()
                cuda.Context.synchronize()
                totals[name].append((seconds, seconds + time.perf_counter() - start))
        if sequences:
            print(f"\n{f'{GRAPH_NODES} launches of a small kernel':44} {'us':>7} {'until done':>11}")
        for name, values in totals.items():
            host, done = (statistics.median(column) / GRAPHS * 1e6 for column in zip(*values))
            print(f"{name:44} {host:7.3f} {done:11.3f}")


if __name__ == "__main__":
    main()
