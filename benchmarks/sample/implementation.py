# SPDX-License-Identifier: MIT
"""One side of the sample in a process of its own: takes its turns as bench_sample.py says, a line of JSON each way.

python implementation.py pycuda|native LIBRARY
"""

import ctypes
import importlib.util
import json
import os
import sys
import time

import numpy as np
from kernel_file import read_all

#: A turn takes at least this long, so that the clock and the start weigh little.
TURN_SECONDS = 0.02


def pointers(values):
    return (ctypes.c_void_p * len(values))(*(v.ctypes.data for v in values))


class Pycuda:
    def __init__(self, turns):
        import pycuda.autoinit  # noqa: F401
        import pycuda.driver
        from pycuda.compiler import SourceModule

        self.turns, self.driver, self.compile = turns, pycuda.driver, SourceModule
        package = importlib.util.find_spec("pycuda")
        self.library = ctypes.CDLL(os.path.join(os.path.dirname(package.origin), "libcuda_cpu.so"))

    def prepare(self, kernel, prepared):
        self.memory = {n: self.driver.to_device(a) for n, a in prepared.arguments.items() if a.ndim}
        self.held = [np.array(np.uint64(int(self.memory[n])) if a.ndim else a) for n, a in prepared.arguments.items()]
        start = time.perf_counter()
        self.function = self.compile(kernel.cuda).get_function(kernel.function)
        self.first = time.perf_counter() - start
        self.grid, self.block = ((ctypes.c_uint * 3)(*extent) for extent in (prepared.grid, prepared.block))
        self.shared = prepared.shared

    def restore(self, name, array):
        self.driver.memcpy_htod(self.memory[name], array)

    def run(self, seconds, count):
        cu = self.library
        handle = ctypes.c_void_p(self.function.handle)
        status = self.turns.turn_cuda(
            seconds,
            cu.cuLaunchKernel,
            cu.cuCtxSynchronize,
            handle,
            self.grid,
            self.block,
            self.shared,
            pointers(self.held),
            count,
        )
        if status != 0:
            raise RuntimeError(f"the launch failed with {status}")

    def result(self, name, like):
        return self.driver.from_device_like(self.memory[name], like)


class Native:
    def __init__(self, turns, library):
        self.turns, self.library, self.first = turns, ctypes.CDLL(library), 0.0

    def prepare(self, kernel, prepared):
        self.arrays = {n: a.copy() for n, a in prepared.arguments.items() if a.ndim}
        self.held = [
            np.array(np.uint64(self.arrays[n].ctypes.data) if a.ndim else a) for n, a in prepared.arguments.items()
        ]
        self.function = getattr(self.library, kernel.name)

    def restore(self, name, array):
        self.arrays[name][:] = array

    def run(self, seconds, count):
        self.turns.turn_native(seconds, self.function, pointers(self.held), count)

    def result(self, name, like):
        return self.arrays[name]


class Server:
    def __init__(self, side):
        self.side, self.kernels, self.count = side, {kernel.name: kernel for kernel in read_all()}, 1

    def turn(self, count):
        for argument in self.kernel.results:
            self.side.restore(argument.name, self.prepared.arguments[argument.name])
        seconds = (ctypes.c_double * 2)()
        self.side.run(seconds, count)
        return seconds[0] / count

    def prepare(self, order):
        self.kernel = self.kernels[order["kernel"]]
        self.prepared = self.kernel.prepare(order["small"])
        self.side.prepare(self.kernel, self.prepared)
        first = self.turn(1)
        results = {a.name: self.side.result(a.name, self.prepared.arguments[a.name]) for a in self.kernel.results}
        np.savez(order["results"], **results)
        self.settle(self.turn(1))
        return {"first": self.side.first + first}

    def settle(self, seconds):
        # What a launch costs changes as kernels and clocks warm up.
        self.count = 1 if self.kernel.once else max(1, int(TURN_SECONDS / max(seconds, 1e-7)))

    def answer(self, order):
        if order["do"] == "prepare":
            return self.prepare(order)
        if order["do"] == "plan":
            return {"plan": self.side.function.plan(block=self.prepared.block)}
        seconds = self.turn(self.count)
        self.settle(seconds)
        return {"wall": seconds}


def main():
    # What libraries print must not get into the answers.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    turns = ctypes.CDLL(os.environ["BENCH_TURNS"])
    server = Server(Pycuda(turns) if sys.argv[1] == "pycuda" else Native(turns, sys.argv[2]))
    out.write(json.dumps({"ready": True}) + "\n")
    for line in sys.stdin:
        try:
            answer = server.answer(json.loads(line))
        except Exception as error:  # the table names what failed
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        out.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
