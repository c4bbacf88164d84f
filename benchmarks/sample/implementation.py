# SPDX-License-Identifier: MIT
"""One side of the sample in a process of its own: takes its turns as bench_sample.py says, a line of JSON each way.

python implementation.py pycuda|native LIBRARY
"""

import ctypes
import importlib.util
import json
import os
import pathlib
import sys
import time

import numpy as np
from kernel_file import read_all

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "peers"))

from turns import TURN_SECONDS, Turns, pointer_array  # noqa: E402

#: For so long launches wait for better code that is coming.
MOST_SECONDS = 60


class Pycuda:
    def __init__(self):
        import pycuda.autoinit  # noqa: F401
        import pycuda.driver
        from pycuda.compiler import SourceModule

        self.turns, self.driver, self.compile = Turns(), pycuda.driver, SourceModule
        package = importlib.util.find_spec("pycuda")
        self.library = ctypes.CDLL(str(pathlib.Path(package.origin).with_name("libcuda_cpu.so")))

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

    def improves(self, block):
        """Whether better code is compiled in the background, now or when launches have run for a while."""
        plan = self.function.plan(block=block)
        return "long: runs thread by thread" in plan and "in the background" in plan

    def run(self, count):
        return self.turns.take(
            "turn_cuda",
            self.library.cuLaunchKernel,
            self.library.cuCtxSynchronize,
            ctypes.c_void_p(self.function.handle),
            self.grid,
            self.block,
            self.shared,
            pointer_array([value.ctypes.data for value in self.held]),
            count,
        )

    def result(self, name, like):
        return self.driver.from_device_like(self.memory[name], like)


class Native:
    def __init__(self, library):
        self.turns, self.library, self.first = Turns(), ctypes.CDLL(library), 0.0

    def prepare(self, kernel, prepared):
        self.arrays = {n: a.copy() for n, a in prepared.arguments.items() if a.ndim}
        self.held = [
            np.array(np.uint64(self.arrays[n].ctypes.data) if a.ndim else a) for n, a in prepared.arguments.items()
        ]
        self.function = getattr(self.library, kernel.name)

    def restore(self, name, array):
        self.arrays[name][:] = array

    def improves(self, block):
        return False

    def run(self, count):
        return self.turns.take(
            "turn_native", self.function, pointer_array([value.ctypes.data for value in self.held]), count
        )

    def result(self, name, like):
        return self.arrays[name]


class Server:
    def __init__(self, side):
        self.side, self.kernels, self.count = side, {kernel.name: kernel for kernel in read_all()}, 1

    def turn(self, count):
        for argument in self.kernel.results:
            self.side.restore(argument.name, self.prepared.arguments[argument.name])
        wall, _ = self.side.run(count)
        return wall / count

    def prepare(self, order):
        self.kernel = self.kernels[order["kernel"]]
        self.prepared = self.kernel.prepare(order["small"])
        self.side.prepare(self.kernel, self.prepared)
        first = self.turn(1)
        results = {a.name: self.side.result(a.name, self.prepared.arguments[a.name]) for a in self.kernel.results}
        np.savez(order["results"], **results)
        latest = time.monotonic() + MOST_SECONDS
        while self.side.improves(self.prepared.block) and time.monotonic() < latest:
            for _ in range(1 if self.kernel.once else 10):
                self.turn(1)
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
    server = Server(Pycuda() if sys.argv[1] == "pycuda" else Native(sys.argv[2]))
    out.write(json.dumps({"ready": True}) + "\n")
    for line in sys.stdin:
        try:
            answer = server.answer(json.loads(line))
        except Exception as error:  # the table names what failed
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        out.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
