# SPDX-License-Identifier: MIT
"""Run the example programs on whatever device there is; end with a table: program, device, time, check.

    python examples/run_all.py [--into FOLDER] [PROGRAM ...]

Pictures are written to FOLDER, by default the current one. The programs of several processes use four devices, or four
of the CPU driver's where there are fewer; they are left out where their packages are missing, and the table says so.
"""

import argparse
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = [path for kind in ("seed_*.py", "gallery_*.py", "mpi/*.py", "dask_*.py") for path in sorted(HERE.glob(kind))]
# A program that has not ended by then hangs.
MOST_SECONDS = 600
# OpenBLAS's idle threads sleep, instead of waiting in a loop for a tenth of a second from the import of NumPy on.
SLEEPING_THREADS = {"OPENBLAS_THREAD_TIMEOUT": "4"}


def first_sentence(path: pathlib.Path) -> str:
    """The first sentence of a program's docstring."""
    match = re.search(r'^"""(.*?)(?:\.\s|\.?"""|\n)', path.read_text(), re.MULTILINE | re.DOTALL)
    return match.group(1).strip() if match else path.stem


def what_is_there() -> tuple[str, int]:
    """The name of the first device and the number of devices; the reason in place of a name where there is none."""
    code = "import pycuda.driver as d; d.init(); print(d.Device.count(), d.Device(0).name())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if run.returncode == 0:
        count, name = run.stdout.strip().split(" ", 1)
        return name, int(count)
    return "none: " + (run.stderr.strip().splitlines() or ["?"])[-1], 0


def launcher() -> str | None:
    """The path of mpiexec: the one beside this Python, or the one of the search path; None where there is none."""
    beside = pathlib.Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else shutil.which("mpiexec")


def plan(path: pathlib.Path, device: str, count: int) -> tuple[list[str], dict[str, str], str] | str:
    """How to run a program: its command line, its additional environment, and the device for the table.

    A text in place of them says what is missing for it.
    """
    alone = [sys.executable, str(path)]
    if path.parent.name != "mpi" and not path.name.startswith("dask_"):
        return alone, {}, device
    four_on_cpu = {"PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_DEVICES": "4", "PYCUDA_CPU_THREADS": "1"}
    if path.name.startswith("dask_"):
        if importlib.util.find_spec("distributed") is None:
            return "not run: needs the package distributed"
        on_cpu = device.startswith("CPU ")
        workers = 4 if on_cpu else min(4, count)
        return alone, four_on_cpu if on_cpu else {}, f"{workers} x {device}"
    on_cpu = count < 4
    environment, on = (four_on_cpu.copy(), "4 x the CPU driver") if on_cpu else ({}, f"4 x {device}")
    package = importlib.util.find_spec("pycuda")
    folders = package.submodule_search_locations if package is not None else None
    if on_cpu and not any(os.path.exists(os.path.join(folder, "libcuda_cpu.so")) for folder in folders or ()):
        return "not run: needs four devices, or the CPU driver"
    mpiexec = launcher()
    if importlib.util.find_spec("mpi4py") is None or mpiexec is None:
        return "not run: needs mpi4py and mpiexec"
    # Open MPI asks root to be sure.
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return [mpiexec, "-n", "4", sys.executable, "-m", "mpi4py", str(path)], environment, on


def run_program(
    command: list[str], environment: dict[str, str], folder: pathlib.Path
) -> tuple[str | None, float, list[str]]:
    """Run a program to its end. Returns None or what went wrong, its seconds and its output's lines."""
    # The program works in another folder.
    paths = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    start = time.perf_counter()
    try:
        run = subprocess.run(
            command,
            env={**SLEEPING_THREADS, **os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=MOST_SECONDS,
        )
        output, status = run.stdout, run.returncode
    except subprocess.TimeoutExpired as expired:
        output, status = (expired.stdout or b"").decode(errors="replace"), None
    seconds = time.perf_counter() - start
    wrong: str | None
    if status is None:
        wrong = f"no end after {MOST_SECONDS} s"
    elif status < 0:
        wrong = f"killed by {signal.Signals(-status).name}"
    else:
        wrong = f"exit status {status}" if status else None
    return wrong, seconds, output.rstrip().splitlines()


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the example programs; end with a table.")
    parser.add_argument("--into", type=pathlib.Path, default=pathlib.Path(), help="where pictures go")
    parser.add_argument("programs", nargs="*", type=pathlib.Path, help="programs to run (default: all)")
    arguments = parser.parse_args()
    arguments.into.mkdir(parents=True, exist_ok=True)
    programs = [path.resolve() for path in arguments.programs] or PROGRAMS
    missing = [str(path) for path in programs if not path.is_file()]
    if missing:
        parser.error(f"no such program: {', '.join(missing)}")

    device, count = what_is_there()
    print(f"device: {device}\n", flush=True)
    if count == 0:
        print("nothing can be run; `python -m pycuda` says what is there and what is missing")
        return 1
    began = time.time()
    rows, failed = [("program", "device", "time", "check")], []
    for number, path in enumerate(programs, 1):
        print(f"[{number}/{len(programs)}] {path.name}: {first_sentence(path)}", flush=True)
        planned = plan(path, device, count)
        if isinstance(planned, str):
            print("      " + planned)
            rows.append((path.name, "-", "-", planned))
            continue
        command, environment, on = planned
        wrong, seconds, output = run_program(command, environment, arguments.into)
        for line in output if wrong else output[-8:]:
            print("      " + line)
        if wrong:
            failed.append(path.name)
            print(f"      FAILED: {wrong}")
        rows.append((path.name, on, f"{seconds:.2f} s", f"FAILED: {wrong}" if wrong else "correct"))

    widths = [max(map(len, column)) for column in zip(*rows)]
    print()
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    pictures = sorted(path.name for path in arguments.into.glob("*.png") if path.stat().st_mtime >= began - 1)
    if pictures:
        print(f"\npictures in {arguments.into.resolve()}: {', '.join(pictures)}")
    if failed:
        print(f"\n{len(failed)} of {len(programs)} programs failed: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
