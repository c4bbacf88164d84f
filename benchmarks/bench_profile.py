# SPDX-License-Identifier: MIT
"""What `pycuda.profile` costs each launch: without a profile, with times from events, with times from CUPTI.

Host time of a launch with three pointer arguments, in batches of 100 launches with a synchronisation behind each batch,
which is not counted. The three take turns in each round; figures are medians of the rounds, the ratio is to no profile.
The goal is less than 2 us on top. CUPTI exists on NVIDIA's driver alone; where it is missing or refuses, the table says
why. Ends within 20 seconds.
"""

import argparse
import os
import statistics
import time

import numpy as np
import pycuda
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = "__global__ void nothing(float *a, float *b, float *c) {}"
BATCH, BATCHES = 100, 10
GOAL = 2.0  # us on top of a launch without a profile
LONGEST = 15.0  # seconds of measuring, however slow the machine is


def batch_seconds(launch):
    """Host seconds per launch: the median of some batches."""
    samples = []
    for _ in range(BATCHES):
        began = time.perf_counter()
        for _ in range(BATCH):
            launch()
        samples.append(time.perf_counter() - began)
        cuda.Context.synchronize()
    return statistics.median(samples) / BATCH


def profiled(launch, cupti):
    """The same within a profile, the profile's `timing`, and the seconds that its end takes for each launch.

    Without `cupti`, times come from events on NVIDIA's driver too.
    """
    before = os.environ.get("PYCUDA_CUPTI")
    if not cupti:
        os.environ["PYCUDA_CUPTI"] = "0"
    profile = pycuda.profile()
    try:
        profile.__enter__()
    finally:
        if before is None:
            os.environ.pop("PYCUDA_CUPTI", None)
        else:
            os.environ["PYCUDA_CUPTI"] = before
    try:
        seconds = batch_seconds(launch)
    finally:
        began = time.perf_counter()
        profile.__exit__(None, None, None)
        ended = time.perf_counter() - began
    kernels = sum(work.kind == "kernel" for work in profile.work)
    assert kernels == BATCH * BATCHES, f"{kernels} of {BATCH * BATCHES} launches are in the profile"
    return seconds, profile.timing, ended / kernels


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20, help="fewer, where they take longer than 15 seconds")
    rounds = parser.parse_args().rounds
    function = SourceModule(SOURCE).get_function("nothing")
    pointers = [cuda.mem_alloc(64) for _ in range(3)]

    def launch():
        function(*pointers, block=(32, 1, 1), grid=(1, 1))

    _, timing, _ = profiled(launch, cupti=True)  # warms up, too
    ways = {"events": False, "CUPTI": True}
    off, on, ends = [], {way: [] for way in ways}, {way: [] for way in ways}
    missing = {} if timing == "CUPTI" else {"CUPTI": timing}
    began = time.perf_counter()
    while len(off) < rounds and (time.perf_counter() - began < LONGEST or not off):
        off.append(batch_seconds(launch))
        for way in ways.keys() - missing.keys():
            seconds, used, end = profiled(launch, ways[way])
            if not used.startswith(way):
                missing[way] = used
                continue
            on[way].append(seconds)
            ends[way].append(end)

    print(f"device: {pycuda.autoinit.device.name()}; driver {cuda.get_driver_version()}; NumPy {np.__version__}")
    print(f"{len(off)} rounds of {BATCH * BATCHES} launches; a profile takes its times from: {timing}\n")
    base = statistics.median(off)
    print(f"{'profile':12} {'us/launch':>10} {'x off':>6} {'us more':>8} {'us to end':>10}")
    print(f"{'off':12} {base * 1e6:10.3f} {1.0:6.2f}")
    for way, samples in on.items():
        if not samples:
            why = missing[way].removeprefix("events because ")
            print(f"{way:12} not measured: {'this driver has none' if why == 'events' else why}")
            continue
        seconds, end = statistics.median(samples), statistics.median(ends[way])
        more = (seconds - base) * 1e6
        within = "within" if more < GOAL else "above"
        print(f"{way:12} {seconds * 1e6:10.3f} {seconds / base:6.2f} {more:8.3f} {end * 1e6:10.3f}  ", end="")
        print(f"{within} the goal of {GOAL:g} us" + (f"; later: {missing[way]}" if way in missing else ""))


if __name__ == "__main__":
    main()
