# SPDX-License-Identifier: MIT
"""Kernels on the CPU driver against C++ (g++, clang) and OpenCL (PoCL, Intel's runtime), beside the goals."""

import argparse
import contextlib
import math
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE / "peers"))

import cases as table  # noqa: E402
import rivals as peers  # noqa: E402
from turns import compile_turns  # noqa: E402
from worker_process import Failed, WorkerProcess  # noqa: E402

OURS = "pycuda"
PEERS = ("PoCL", "Intel")
WORKER = HERE / "peers" / "worker.py"


def differs(case, found: dict, wanted: dict) -> str:
    """How a result differs from g++'s by more than the case allows; empty if it does not."""
    if case.tolerance is None:
        return "" if found["sum"] == wanted["sum"] else f"sum {found['sum']} instead of {wanted['sum']}"
    scale = max(map(abs, wanted["values"])) or 1.0
    off = [abs(a - b) / scale for a, b in zip(found["values"], wanted["values"])]
    wrong = sum(not error <= case.tolerance for error in off)
    if wrong <= case.may_differ * len(off):
        return ""
    return f"wrong results: {wrong} of {len(off)}, the largest off by {max(off):.2g}"


def run_case(
    case, workers: dict[str, WorkerProcess], rounds: int, clock: str, notes: list[str]
) -> dict[str, list[float]]:
    """Seconds of each round by "rival" or "rival, form"."""
    lanes, least, wanted = [], {}, None
    # g++ goes first: its results are what the others' are compared with.
    for name in sorted(workers, key=lambda n: n != "g++ -O3"):
        if not case.opencl and any(peer in name for peer in PEERS):
            continue
        try:
            answer = workers[name].ask(do="prepare", case=case.label)
            wanted = wanted or answer["result"]
            if problem := differs(case, answer["result"], wanted):
                raise Failed(problem)
            for form, cost in answer["costs"].items():
                column = next((c for c in PEERS if c in name), name)
                least[column] = min(cost, least.get(column, cost))
                lanes.append((name, form, column, cost))
        except Failed as failure:
            notes.append(f"{case.label}: {name}: {failure}")
    # Of a rival's settings only those take turns that may turn out to be its best.
    lanes = [(name, form) for name, form, column, cost in lanes if cost < 3 * least[column]]
    times: dict[str, list[float]] = {}
    for turn in range(rounds):
        # Nobody always follows the same one.
        for name, form in lanes[turn % len(lanes) :] + lanes[: turn % len(lanes)]:
            with contextlib.suppress(Failed):
                seconds = workers[name].ask(do="turn", form=form)[clock]
                times.setdefault(f"{name}, {form}" if form else name, []).append(seconds)
    return times


def milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:.4f}" if seconds < 1e-4 else f"{seconds * 1e3:.2f}"


def ratio_cells(ratio: float | None, goal: float | None) -> tuple[str, str]:
    shown = "-" if ratio is None else f"{ratio:.2f}"
    if goal is None:
        return shown, ""
    return shown, f"{goal:g}" + ("" if ratio is None else " met" if ratio >= goal else " MISSED")


def row(case, times: dict[str, list[float]], middle) -> tuple[list[str], dict[str, float]]:
    """Cells of the table, and the two ratios."""
    result = {name: middle(seconds) for name, seconds in times.items()}

    def best(*columns):
        found = [(s, n) for n, s in result.items() if any(column in n for column in columns)]
        return min(found, default=(None, ""))

    ours = result.get(OURS)
    base = result.get("g++ -O3")
    fast, pocl, intel = (best(column)[0] for column in ("-Ofast", "PoCL", "Intel"))
    cl, cl_name = best(*PEERS)
    ratios = {}
    for name, other in (("g++", base), ("fast", fast), ("peers", cl)):
        ratios[name] = other / ours if ours and other else None
    cells = [case.label, *map(milliseconds, (ours, base, fast, pocl, intel))]
    cells += ratio_cells(ratios["g++"], case.goals[0])
    cells.append(ratio_cells(ratios["fast"], None)[0])
    cells += ratio_cells(ratios["peers"], case.goals[1])
    cells.append(cl_name)
    return cells, ratios


HEADINGS = ["kernel", "pycuda", "g++ -O3", "-Ofast", "PoCL", "Intel", "x g++", "goal", "x -Ofast", "x peers", "goal"]
HEADINGS.append("best peer")


def print_row(cells: list[str], markdown: bool) -> None:
    if markdown:
        print("| " + " | ".join(cells) + " |", flush=True)
        return
    widths = [32, 9, 9, 9, 9, 9, 8, 13, 10, 9, 13, 0]
    text = cells[0].ljust(widths[0])
    text += "".join(cell.rjust(width) for cell, width in zip(cells[1:-1], widths[1:]))
    print(f"{text}  {cells[-1]}".rstrip(), flush=True)


def print_barrier(worker: WorkerProcess, rounds: int, clock: str, middle) -> None:
    """What a barrier costs a gang, from a block that does little else."""
    case = table.barrier_case()
    try:
        worker.ask(do="prepare", case=case.label)
        seconds = middle([worker.ask(do="turn", form="")[clock] for _ in range(rounds)])
        lanes = re.search(r"gangs of (\d+)", worker.ask(do="plan")["plan"])
    except Failed as failure:
        print(f"{case.label}: {failure}")
        return
    each = seconds / table.BARRIERS * 1e9
    gangs = case.block[0] // int(lanes[1]) if lanes else case.block[0]
    verdict = "met" if each / gangs <= 2 else "MISSED"
    print(f"{case.label}: {each:.1f} ns each, {each / gangs:.2f} ns for each of {gangs} gangs (goal 2 {verdict})")


def start_all(folder: pathlib.Path, threads: int, wanted: str, notes: list[str]) -> dict[str, WorkerProcess]:
    def is_wanted(name):
        return any(part.strip() in name for part in wanted.split(";"))

    found = {**peers.native_rivals(folder, threads, is_wanted), **peers.opencl_rivals(folder, threads)}
    found = {name: rival for name, rival in found.items() if is_wanted(name)}
    if wanted:
        notes.append(f"only these rivals were asked for: {wanted}")
    workers = {OURS: WorkerProcess(WORKER, [OURS], {"PYCUDA_CPU_THREADS": str(threads)})}
    for name, rival in found.items():
        if isinstance(rival, str):
            notes.append(f"absent: {name}: {rival}")
            continue
        try:
            workers[name] = WorkerProcess(WORKER, rival.arguments, rival.environment)
            if workers[name].version:
                notes.append(f"{name}: {workers[name].version}")
        except Failed as failure:
            notes.append(f"absent: {name}: {failure}")
    return workers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="a part of the names of the rows wanted")
    parser.add_argument("--rivals", default="", help="parts of the names of the rivals wanted: 'g++ -O3; Intel'")
    parser.add_argument(
        "--least", action="store_true", help="the least of the rounds, not the median: for busy machines"
    )
    parser.add_argument(
        "--clock",
        choices=["wall", "processor"],
        default="wall",
        help="processor: the time that the processor gave to all threads, for busy machines and one thread",
    )
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--plans", type=pathlib.Path, help="a folder for the kernels' plans")
    parser.add_argument("--install-intel", action="store_true", help="Intel's OpenCL runtime into build/rivals")
    options = parser.parse_args()
    if options.install_intel and peers.intel_library() is None:
        peers.install_intel()
    chosen = sorted(os.sched_getaffinity(0))[: options.threads]
    os.sched_setaffinity(0, chosen)  # the workers inherit it
    notes: list[str] = []
    middle = min if options.least else statistics.median
    ratios: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        compile_turns(folder)
        workers = start_all(folder, options.threads, options.rivals, notes)
        for worker in workers.values():
            stack.callback(worker.close)
        print(
            f"ms a launch ({options.clock}), {len(chosen)} threads, {'least' if options.least else 'median'} of"
            f" {options.rounds} rounds in turns; load {os.getloadavg()[0]:.1f} at the start;"
            " ratios above 1: the kernel is faster"
        )
        print_row(HEADINGS, options.markdown)
        if options.markdown:
            print_row(["---"] * len(HEADINGS), True)
        start = time.monotonic()
        for case in table.all_cases():
            if options.only not in case.label:
                continue
            times = run_case(case, workers, options.rounds, options.clock, notes)
            cells, found = row(case, times, middle)
            print_row(cells, options.markdown)
            ratios.append(found)
            if options.plans:
                options.plans.mkdir(parents=True, exist_ok=True)
                with contextlib.suppress(Failed):
                    (options.plans / f"{case.kernel}.txt").write_text(workers[OURS].ask(do="plan")["plan"])
        if options.only in table.barrier_case().label:
            print_barrier(workers[OURS], options.rounds, options.clock, middle)
        for column in ("g++", "fast", "peers"):
            values = [r[column] for r in ratios if r[column]]
            if values:
                print(f"geometric mean x {column}: {math.exp(sum(map(math.log, values)) / len(values)):.2f}")
        print(f"{time.monotonic() - start:.0f} s; load {os.getloadavg()[0]:.1f} at the end")
    for note in notes:
        print(note)


if __name__ == "__main__":
    main()
