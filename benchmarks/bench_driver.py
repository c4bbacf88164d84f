# SPDX-License-Identifier: MIT
"""Fixed costs of the CPU driver, beside their goals: launching, handing over, compiling, loading, parsing."""

import argparse
import importlib.util
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

from c_yardsticks import build

GOALS = {
    "empty_launch_ns": ("empty launch in the driver", "ns", 200),
    "hand_over_us": ("launch handed to a worker, until the stream is idle", "us", 5),
    "compile_saxpy_ms": ("PTX of a small kernel to machine code", "ms", 30),
    "first_ms": ("first load and launch of a kernel in the disk cache", "ms", 1),
    "data_ms": ("1 MB of PTX, initialisers: parse and load", "ms", 50),
    "code_ms": ("1 MB of PTX, instructions: parse and print", "ms", 50),
}

HEADER = ".version 8.0\n.target sm_80\n.address_size 64\n"


def driver_library() -> pathlib.Path:
    package = importlib.util.find_spec("pycuda")
    found = package and package.origin and pathlib.Path(package.origin).with_name("libcuda_cpu.so")
    if not found or not found.exists():
        raise SystemExit("the CPU driver is not beside the package: it was built without LLVM")
    return found


def cuda_include() -> pathlib.Path:
    for place in importlib.util.find_spec("nvidia").submodule_search_locations:
        for header in pathlib.Path(place).glob("*/include/cuda.h"):
            return header.parent
    raise SystemExit("cuda.h was not found: pip install nvidia-cuda-runtime")


def data_text(size: int) -> str:
    draw = random.Random(1)
    numbers = ", ".join(str(draw.randrange(256)) for _ in range(size // 5))
    table = f".visible .global .align 4 .b8 table[{size // 5}] = {{{numbers}}};\n"
    return HEADER + table + ".visible .entry nothing() { ret; }\n"


def code_text(size: int) -> str:
    body = []
    length = 0
    for number in range(size):
        line = f"\tfma.rn.f32 \t%f{number % 90 + 3}, %f{number % 80 + 2}, %f{number % 70 + 1}, %f{number % 60};\n"
        line += f"\tadd.s64 \t%rd{number % 9 + 1}, %rd{number % 9}, {number};\n\t@%p1 bra \t$L_{number // 100};\n"
        if number % 100 == 0:
            line = f"$L_{number // 100}:\n" + line
        body.append(line)
        length += len(line)
        if length > size:
            break
    registers = "\t.reg .f32 %f<100>;\n\t.reg .b64 %rd<20>;\n\t.reg .pred %p<4>;\n"
    return HEADER + ".visible .entry long_one()\n{\n" + registers + "".join(body) + "\tret;\n}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", help="a driver library; by default the package's CPU driver")
    parser.add_argument("--rounds", type=int, default=11, help="processes for the first load")
    options = parser.parse_args()
    library = options.library or str(driver_library())
    with tempfile.TemporaryDirectory() as folder:
        program = build("driver_costs.c", folder, "-O2", f"-I{cuda_include()}", "-ldl")

        def run(*words: str, cached: bool = False) -> dict[str, list[float]]:
            environment = {**os.environ, "PYCUDA_CACHE_DIR": os.path.join(folder, "cache")}
            environment.pop("PYCUDA_DISABLE_CACHE", None)
            if not cached:
                environment["PYCUDA_DISABLE_CACHE"] = "1"
            command = [program, library, *words]
            said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
            return {line.split()[0]: [float(word) for word in line.split()[1:]] for line in said.splitlines()}

        figures = run("launches")
        figures |= run("compile")
        for kind, text in (("data", data_text(1 << 20)), ("code", code_text(1 << 20))):
            path = os.path.join(folder, kind + ".ptx")
            pathlib.Path(path).write_text(text)
            figures[kind + "_ms"] = run("parse", kind, path)["parse_ms"]
        firsts = [run("first", cached=True)["first_ms"] for _ in range(options.rounds + 1)]
        print(f"first load and launch with an empty cache: {firsts[0][1]:.1f} ms of processor time\n")
        whole, processor = zip(*firsts[1:], strict=True)
        figures["first_ms"] = [min(whole), statistics.median(whole), statistics.median(processor)]
        print(f"{'':55} {'least':>9} {'median':>9} {'processor':>9} {'goal':>9}")
        for name, (words, unit, goal) in GOALS.items():
            least, median, processor = figures[name]
            verdict = "" if median <= goal else "  not met"
            if verdict and (processor or least) <= goal:
                verdict = f"  met {'by processor time' if processor else 'at best'}: a busy machine?"
            used = f"{processor:.3g}" if processor else ""
            print(f"{words:55} {least:9.3g} {median:9.3g} {used:>9} {goal:6} {unit}{verdict}")


if __name__ == "__main__":
    main()
