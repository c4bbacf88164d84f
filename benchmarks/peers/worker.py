# SPDX-License-Identifier: MIT
"""One implementation in a process of its own: takes its turns as bench_cpu.py says, one line of JSON each way.

python worker.py pycuda|native|opencl [LIBRARY [PLATFORM]]
"""

import ctypes
import importlib.util
import json
import os
import pathlib
import sys

import cases as table
import numpy as np
from turns import TURN_SECONDS, Turns, pointer_array

HERE = pathlib.Path(__file__).parent


def kernel_text() -> str:
    return "".join(
        (HERE / name).read_text() for name in ("dialect.h", "kernels.h", "kernels_harder.h", "kernels_varied.h")
    )


class Pycuda:
    def __init__(self):
        os.environ["PYCUDA_DRIVER"] = "cpu"
        import pycuda.autoinit  # noqa: F401
        import pycuda.driver
        from pycuda.compiler import SourceModule

        self.driver = pycuda.driver
        self.module = SourceModule(kernel_text(), no_extern_c=True, options=["-lineinfo"])
        package = importlib.util.find_spec("pycuda")
        self.library = ctypes.CDLL(str(pathlib.Path(package.origin).with_name("libcuda_cpu.so")))
        self.turns = Turns()

    def prepare(self, case, arrays):
        self.memory = [self.driver.to_device(a) if a.ndim else None for a in arrays]
        self.values = [a if m is None else np.uint64(int(m)) for a, m in zip(arrays, self.memory)]
        self.holders = [np.array(v) for v in self.values]
        self.arguments = pointer_array([v.ctypes.data for v in self.holders])
        self.function = self.module.get_function(case.kernel)
        self.grid = (ctypes.c_uint * 3)(*case.grid, 1)
        self.block = (ctypes.c_uint * 3)(*case.block, 1)

    def forms(self, case):
        return [""]

    def run(self, case, form, count):
        return self.turns.take(
            "turn_cuda",
            self.library.cuLaunchKernel,
            self.library.cuCtxSynchronize,
            ctypes.c_void_p(self.function.handle),
            self.grid,
            self.block,
            0,
            self.arguments,
            count,
        )

    def result(self, case, arrays):
        return self.driver.from_device_like(self.memory[case.result], arrays[case.result])


class Native:
    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        self.turns = Turns()

    def prepare(self, case, arrays):
        self.arrays = arrays
        self.values = [np.uint64(a.ctypes.data) if a.ndim else a for a in arrays] + list(case.native_extra)
        self.holders = [np.array(v) for v in self.values]
        self.arguments = pointer_array([v.ctypes.data for v in self.holders])

    def forms(self, case):
        return [""]

    def run(self, case, form, count):
        return self.turns.take("turn_native", getattr(self.library, case.native or case.kernel), self.arguments, count)

    def result(self, case, arrays):
        return arrays[case.result]


class OpenclError(Exception):
    pass


class Opencl:
    """By ctypes through the system's loader; buffers are the arrays' own memory."""

    def __init__(self, library, platform):
        self.cl = ctypes.CDLL(library)
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel"):
            getattr(self.cl, name).restype = ctypes.c_void_p
        self.cl.clCreateBuffer.restype = ctypes.c_void_p
        self.cl.clEnqueueMapBuffer.restype = ctypes.c_void_p
        self.turns = Turns()
        device = ctypes.c_void_p(self.device_of(platform))
        status = ctypes.c_int()
        self.context = self.made(
            self.cl.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(status))
        )
        self.queue = self.made(
            self.cl.clCreateCommandQueue(self.context, device, ctypes.c_uint64(0), ctypes.byref(status))
        )
        text = ctypes.c_char_p(kernel_text().encode())
        self.program = self.made(
            self.cl.clCreateProgramWithSource(self.context, 1, ctypes.byref(text), None, ctypes.byref(status))
        )
        if self.cl.clBuildProgram(self.program, 1, ctypes.byref(device), b"-cl-std=CL1.2", None, None) != 0:
            log = ctypes.create_string_buffer(1 << 16)
            self.cl.clGetProgramBuildInfo(self.program, device, 0x1183, ctypes.c_size_t(len(log)), log, None)
            raise OpenclError("the kernels do not compile: " + log.value.decode(errors="replace"))

    def made(self, handle):
        if not handle:
            raise OpenclError("an object could not be made")
        return ctypes.c_void_p(handle)

    def device_of(self, wanted):
        platforms = (ctypes.c_void_p * 8)()
        count = ctypes.c_uint()
        self.cl.clGetPlatformIDs(8, platforms, ctypes.byref(count))
        for platform in platforms[: count.value]:
            name, version = ctypes.create_string_buffer(256), ctypes.create_string_buffer(256)
            self.cl.clGetPlatformInfo(ctypes.c_void_p(platform), 0x0902, ctypes.c_size_t(256), name, None)
            self.cl.clGetPlatformInfo(ctypes.c_void_p(platform), 0x0901, ctypes.c_size_t(256), version, None)
            if wanted in name.value.decode():
                self.version = version.value.decode()
                device = ctypes.c_void_p()
                cpu = ctypes.c_uint64(2)
                if self.cl.clGetDeviceIDs(ctypes.c_void_p(platform), cpu, 1, ctypes.byref(device), None) == 0:
                    return device.value
        raise OpenclError(f"no platform '{wanted}'")

    def prepare(self, case, arrays):
        for buffer in getattr(self, "buffers", []):
            if buffer:
                self.cl.clReleaseMemObject(buffer)
        status = ctypes.c_int()
        self.kernel = self.made(self.cl.clCreateKernel(self.program, case.kernel.encode(), ctypes.byref(status)))
        self.buffers = []
        for index, value in enumerate(arrays):
            if value.ndim:
                use_host_memory = ctypes.c_uint64(1 | 8)
                buffer = self.made(
                    self.cl.clCreateBuffer(
                        self.context,
                        use_host_memory,
                        ctypes.c_size_t(value.nbytes),
                        value.ctypes.data_as(ctypes.c_void_p),
                        ctypes.byref(status),
                    )
                )
                self.buffers.append(buffer)
                self.set_argument(index, 8, ctypes.byref(buffer))
            else:
                self.buffers.append(None)
                self.set_argument(index, value.nbytes, np.asarray(value).ctypes.data_as(ctypes.c_void_p))
        self.whole = (ctypes.c_size_t * 2)(*(g * b for g, b in zip(case.grid, case.block)))
        self.local = (ctypes.c_size_t * 2)(*case.block)

    def set_argument(self, index, size, value):
        if self.cl.clSetKernelArg(self.kernel, index, ctypes.c_size_t(size), value) != 0:
            raise OpenclError(f"argument {index} was refused")

    def forms(self, case):
        return ["", "free blocks"] if case.free_blocks else [""]

    def run(self, case, form, count):
        return self.turns.take(
            "turn_opencl",
            self.cl.clEnqueueNDRangeKernel,
            self.cl.clFinish,
            self.queue,
            self.kernel,
            2 if case.block[1] > 1 else 1,
            self.whole,
            None if form else self.local,
            count,
        )

    def result(self, case, arrays):
        value = arrays[case.result]
        status = ctypes.c_int()
        # Mapping brings the buffer's content into the array.
        address = self.cl.clEnqueueMapBuffer(
            self.queue,
            self.buffers[case.result],
            1,
            ctypes.c_uint64(1),
            ctypes.c_size_t(0),
            ctypes.c_size_t(value.nbytes),
            0,
            None,
            None,
            ctypes.byref(status),
        )
        found = value.copy()
        self.cl.clEnqueueUnmapMemObject(self.queue, self.buffers[case.result], ctypes.c_void_p(address), 0, None, None)
        self.cl.clFinish(self.queue)
        return found


def sample(result: np.ndarray) -> dict:
    """What is compared between processes: some of the values, and the sum of all."""
    flat = result.reshape(-1)
    return {
        "values": flat[:: max(1, flat.size // 2003)].astype(float).tolist(),
        "sum": float(flat.sum(dtype=np.float64)),
    }


def serve(implementation, lines, answer):
    by_name = {case.label: case for case in [*table.all_cases(), table.barrier_case()]}
    case, arrays, counts = None, [], {}
    for line in lines:
        order = json.loads(line)
        try:
            if order["do"] == "prepare":
                case = by_name[order["case"]]
                arrays = [np.asarray(a) for a in case.arguments(np.random.default_rng(1))]
                implementation.prepare(case, arrays)
                counts, costs, first = {}, {}, None
                for form in implementation.forms(case):
                    implementation.run(case, form, 1)
                    first = first or sample(implementation.result(case, arrays))
                    again, costs[form] = implementation.run(case, form, 1)
                    counts[form] = max(1, int(TURN_SECONDS / max(again, 1e-7)))
                answer({"costs": costs, "result": first})
            elif order["do"] == "turn":
                count = counts[order["form"]]
                seconds, processor = implementation.run(case, order["form"], count)
                # What a turn costs changes as kernels and clocks warm up.
                counts[order["form"]] = max(1, int(TURN_SECONDS / max(seconds / count, 1e-7)))
                answer({"wall": seconds / count, "processor": processor / count})
            elif order["do"] == "plan":
                answer({"plan": implementation.function.plan(block=(*case.block, 1))})
        except Exception as error:  # the table names what failed
            answer({"error": f"{type(error).__name__}: {error}"[:500]})


def main():
    # What libraries print must not get into the answers.
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def answer(what):
        out.write(json.dumps(what) + "\n")

    try:
        implementation = {"pycuda": Pycuda, "native": Native, "opencl": Opencl}[sys.argv[1]](*sys.argv[2:])
    except Exception as error:
        answer({"error": f"{type(error).__name__}: {error}"[:2000]})
        return
    answer({"ready": getattr(implementation, "version", "")})
    serve(implementation, sys.stdin, answer)


if __name__ == "__main__":
    main()
