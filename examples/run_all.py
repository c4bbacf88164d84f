# SPDX-License-Identifier: MIT
"""Run the example programs on whatever device there is; end with a table: program, device, time, check."""

import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = sorted(path for path in HERE.glob("*.py") if path.name != pathlib.Path(__file__).name)


def first_line(path: pathlib.Path) -> str:
    """The first sentence of a program's docstring."""
    match = re.search(r'^"""(.*?)(?:\.\s|\.?"""|\n)', path.read_text(), re.MULTILINE | re.DOTALL)
    return match.group(1).strip() if match else path.stem


def device_name() -> str:
    """What the programs will run on, as the driver names it; the reason as text where there is none."""
    code = "import pycuda.driver as d; d.init(); print(d.Device(0).name())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return run.stdout.strip() or "none: " + (run.stderr.strip().splitlines() or ["?"])[-1]


def main() -> int:
    device = device_name()
    print(f"device: {device}\n", flush=True)
    rows, failed = [], 0
    for number, path in enumerate(PROGRAMS, 1):
        print(f"[{number}/{len(PROGRAMS)}] {path.name}: {first_line(path)}", flush=True)
        start = time.perf_counter()
        run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
        seconds = time.perf_counter() - start
        good = run.returncode == 0
        failed += not good
        output = (run.stdout if good else run.stdout + run.stderr).rstrip().splitlines()
        for line in output if not good else output[-8:]:
            print("      " + line)
        rows.append((path.name, device, f"{seconds:.2f} s", "correct" if good else "FAILED"))
    widths = [max(len(row[column]) for row in [("program", "device", "time", "check"), *rows]) for column in range(4)]
    print()
    for row in [("program", "device", "time", "check"), *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
