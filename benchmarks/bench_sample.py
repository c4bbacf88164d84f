# SPDX-License-Identifier: MIT
"""Kernels that were taken by a rule, not by choice, on the CPU driver against the same algorithms in OpenMP C++."""

import argparse
import contextlib
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE / "sample"), str(HERE / "peers")]

import kernel_file  # noqa: E402
import native  # noqa: E402
from turns import compile_turns  # noqa: E402
from worker_process import Failed, WorkerProcess  # noqa: E402

SIDES = ("pycuda", "native")
IMPLEMENTATION = HERE / "sample" / "implementation.py"


def run_kernel(kernel, sides: dict[str, WorkerProcess], rounds: int, small: bool, folder: pathlib.Path) -> dict:
    """Medians of the rounds, in seconds, and what ours took to compile and run for the first time."""
    first, results = {}, {}
    for name, side in sides.items():
        file = folder / f"{name}.npz"
        first[name] = side.ask(do="prepare", kernel=kernel.name, small=small, results=str(file))["first"]
        with np.load(file) as found:
            results[name] = dict(found)
    for argument in kernel.results:
        if wrong := kernel_file.differs(argument, *(results[name][argument.name] for name in SIDES)):
            raise Failed(f"wrong results: {wrong}")
    times: dict[str, list[float]] = {name: [] for name in SIDES}
    for turn in range(rounds):
        # Neither always follows the other.
        for name in SIDES if turn % 2 else SIDES[::-1]:
            times[name].append(sides[name].ask(do="turn")["wall"])
    return {**{name: statistics.median(times[name]) for name in SIDES}, "first": first["pycuda"]}


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--half", choices=["development", "validation", "all"], default="development")
    parser.add_argument("--only", default="", help="a part of the names of the kernels wanted")
    parser.add_argument("--small", action="store_true", help="the sizes of the tests")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the figures")
    parser.add_argument("--plans", type=pathlib.Path, help="a folder for the kernels' plans")
    options = parser.parse_args()
    threads = sorted(os.sched_getaffinity(0))[: options.threads]
    os.sched_setaffinity(0, threads)  # the sides inherit it
    kernels = [
        kernel
        for kernel in kernel_file.read_all()
        if options.only in kernel.name and options.half in ("all", kernel.half)
    ]
    figures, failures = {}, []
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        compile_turns(folder)
        library = native.compile_library(kernels, folder, native.FAST)
        count = str(len(threads))
        sides = {
            "pycuda": WorkerProcess(IMPLEMENTATION, ["pycuda"], {"PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_THREADS": count}),
            "native": WorkerProcess(IMPLEMENTATION, ["native", str(library)], {"OMP_NUM_THREADS": count}),
        }
        for side in sides.values():
            stack.callback(side.close)
        print(f"ms a launch, {len(threads)} threads, median of {options.rounds} rounds in turns")
        print(f"load {os.getloadavg()[0]:.1f} at the start; ratios above 1: the kernel is faster")
        print(f"{'kernel':22}{'half':13}{'pycuda':>9}{'g++ OpenMP':>12}{'ratio':>8}{'first ms':>10}")
        for kernel in kernels:
            try:
                row = run_kernel(kernel, sides, options.rounds, options.small, folder)
                if options.plans:
                    options.plans.mkdir(parents=True, exist_ok=True)
                    (options.plans / f"{kernel.name}.txt").write_text(sides["pycuda"].ask(do="plan")["plan"])
            except Failed as failure:
                failures.append(f"{kernel.name}: {failure}")
                continue
            ratio = row["native"] / row["pycuda"]
            figures[kernel.name] = {**row, "ratio": ratio, "half": kernel.half}
            print(
                f"{kernel.name:22}{kernel.half:13}{row['pycuda'] * 1e3:9.3f}{row['native'] * 1e3:12.3f}{ratio:8.2f}"
                f"{row['first'] * 1e3:10.0f}",
                flush=True,
            )
    for half in ("development", "validation"):
        ratios = [row["ratio"] for row in figures.values() if row["half"] == half]
        if ratios:
            print(f"{half}: geometric mean x g++ OpenMP {mean(ratios):.2f} of {len(ratios)} kernels")
    if options.json:
        options.json.write_text(json.dumps({"threads": len(threads), "kernels": figures}, indent=1))
    for failure in failures:
        print(failure)
    if failures:
        sys.exit(1)


if __name__ == "__main__":
    main()
