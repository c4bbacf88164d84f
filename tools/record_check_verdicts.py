# SPDX-License-Identifier: MIT
"""What compute-sanitizer says about the kernels of tests/checks. Run on a machine with a GPU, it writes sanitizer.json.

    record_check_verdicts.py [--sanitizer PROGRAM] [--jobs N] OUTPUT
    record_check_verdicts.py --run FILE KERNEL BLOCK GRID SHARED fault|clean    (what a tool watches: one launch)

For each kernel, with its planted fault and without: the first report of each tool that reports something.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "tests" / "checks"
TOOLS = ("memcheck", "initcheck", "racecheck", "synccheck")
COUNT = 1024
#: Seconds. A kernel whose threads wait for each other in vain ends only with its process.
LIMIT = 60
NO_END = "no end within a minute"


def cases():
    """(file, kernel, block, grid, bytes of dynamic shared memory) of every kernel."""
    for path in sorted(CORPUS.glob("*.cu")):
        for case in re.finditer(r"^// CASE (\w+) (\d+) (\d+) (\d+)$", path.read_text(), re.M):
            yield path.name, case[1], int(case[2]), int(case[3]), int(case[4])


def run(file, kernel, block, grid, shared, form):
    """One launch, as tests/python/test_checks_corpus.py makes it."""
    import numpy as np
    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as cuda
    from pycuda.compiler import SourceModule

    options = ["-lineinfo", *(["-DFAULT"] if form == "fault" else [])]
    module = SourceModule((CORPUS / file).read_text(), options=options, include_dirs=[str(CORPUS)], no_extern_c=True)
    zeros = np.zeros(COUNT, np.int32)
    a, b, c = (cuda.mem_alloc(zeros.nbytes) for _ in range(3))
    cuda.memcpy_htod(a, zeros)
    cuda.memcpy_htod(b, zeros)
    module.get_function(kernel)(
        a, b, c, np.int32(COUNT), block=(int(block), 1, 1), grid=(int(grid), 1), shared=int(shared)
    )
    cuda.Context.synchronize()


def first_report(output):
    """What a tool says first about the kernel, without addresses and threads; None if it says nothing."""
    for line in output.splitlines():
        text = line.lstrip("= ").strip()
        # "Invalid __global__ write of size 4 bytes", "Error: Race reported between ...", "Barrier error detected. ..."
        if re.match(r"(Invalid|Uninitialized|Barrier error|Error: |Warning: |Misaligned|Out-of-)", text):
            return re.sub(r" at \w+_body\(.*", "", text)
    return None


def verdict(sanitizer, tool, case, form):
    """What one tool reports of one launch; None if nothing."""
    launch = [sys.executable, __file__, "--run", *map(str, case), form]
    command = [sanitizer, "--tool", tool, "--print-limit", "100", *launch]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired as slow:
        return first_report((slow.stdout or b"").decode(errors="replace")) or NO_END
    if "SUMMARY" not in done.stdout:
        raise RuntimeError(f"{case}, {form}, {tool}: {(done.stdout + done.stderr)[-1000:]}")
    return first_report(done.stdout)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("output", nargs="?")
    arguments.add_argument("--sanitizer", default="compute-sanitizer")
    arguments.add_argument("--jobs", type=int, default=12)
    arguments.add_argument("--run", nargs=6)
    options = arguments.parse_args()
    if options.run:
        run(*options.run)
        return
    work = [(case, form, tool) for case in cases() for form in ("fault", "clean") for tool in TOOLS]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda item: verdict(options.sanitizer, item[2], item[0], item[1]), work)
        verdicts = {}
        for (case, form, tool), found in zip(work, results, strict=True):
            of_form = verdicts.setdefault(f"{case[0]}:{case[1]}", {}).setdefault(form, {})
            if found:
                of_form[tool] = found
    pathlib.Path(options.output).write_text(json.dumps(verdicts, indent=1) + "\n")


if __name__ == "__main__":
    main()
