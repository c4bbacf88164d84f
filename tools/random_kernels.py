#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs many random kernels in all processors: every vector form against the scalar form, bit by bit.

    tools/random_kernels.py --binary build/release/tests/unit/cpu/simt/test_cpu_simt --kernels 50000 --save differing

The binary, which may be stripped, is all that another machine needs, besides this file and Python. Equal `--first` and
`--kernels` give equal kernels. Kernels that differ are written to the folder `--save` as PTX, with what differed on
their first line. The exit status is 0 if none differed and every run came to its end.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# By the name in the tallies: which test case tries them. A comma would end the pattern.
FAMILIES = {
    "plain": "random*on the scalar and on the vector path",
    "walks": "random*with rows*lists*local arrays and turns",
    "warps": "random*where blocks are made of whole warps",
    "lines": "random*where gangs cross the ends of rows",
    "steps": "random*where warps take each step together",
    "flushing": "random*where they flush subnormal numbers",
}
TALLY = re.compile(r"tally: (\w+), (\d+) kernels, (\d+) launches compared, (\d+) differences")


def run_chunk(options, family, first, count):
    """The tallies of one run, and what is wrong with it, or None."""
    environment = dict(os.environ, PYCUDA_TEST_FIRST_KERNEL=str(first), PYCUDA_TEST_KERNELS=str(count))
    environment["PYCUDA_TEST_SAVE"] = str(options.save)
    command = [options.binary, f"-tc={FAMILIES[family]}"]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=options.timeout, check=False)
        output, status = (done.stdout + done.stderr).decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired as late:
        output, status = (late.stdout or b"").decode(errors="replace"), f"more than {options.timeout} s"
    tallies = [(name, *map(int, numbers)) for name, *numbers in TALLY.findall(output)]
    # How many kernels have vector forms is checked too, but means little for so few.
    complete = isinstance(status, int) and status in (0, 1) and bool(tallies) and "exception" not in output
    if complete and not any(differences for *_, differences in tallies):
        return tallies, None
    (options.save / f"{family}-from-{first}.txt").write_text(output)
    return tallies, None if complete else f"{family} from {first}, {count} kernels: ended with {status}"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="test_cpu_simt")
    parser.add_argument("--kernels", type=int, default=3000)
    parser.add_argument("--first", type=int, default=1_000_000_000, help="number of the first kernel")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--chunk", type=int, default=40, help="kernels of one process")
    parser.add_argument("--family", choices=FAMILIES, action="append", help="only these kernels (default: all)")
    parser.add_argument("--save", type=Path, default=Path("differing-kernels"), help="folder for what differs")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one process")
    parser.add_argument("--seconds", type=float, help="start no process after so many seconds")
    return parser.parse_args()


def main():
    options = parse_arguments()
    options.binary = str(Path(options.binary).resolve())
    options.save.mkdir(parents=True, exist_ok=True)
    options.save = options.save.resolve()
    families = options.family or list(FAMILIES)
    start = time.monotonic()
    chunks = [
        (families[number % len(families)], options.first + at, min(options.chunk, options.kernels - at))
        for number, at in enumerate(range(0, options.kernels, options.chunk))
    ]

    def run(chunk):
        if options.seconds and time.monotonic() - start > options.seconds:
            return None
        return run_chunk(options, *chunk)

    kernels, launches, differences, failures, left_out = Counter(), Counter(), Counter(), [], 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(run, chunks):
            if result is None:
                left_out += 1
                continue
            for family, tried, compared, differing in result[0]:
                kernels[family] += tried
                launches[family] += compared
                differences[family] += differing
            if result[1]:
                failures.append(result[1])
                print(result[1], file=sys.stderr, flush=True)
    for family in kernels:
        print(
            f"{family:9} {kernels[family]:7} kernels {launches[family]:8} launches {differences[family]:4} differences"
        )
    print(
        f"{kernels.total()} kernels, {launches.total()} launches compared, {differences.total()} differences, "
        f"{len(failures)} runs without a result, {left_out} not started, {time.monotonic() - start:.0f} s"
    )
    return 1 if differences.total() or failures else 0


if __name__ == "__main__":
    sys.exit(main())
