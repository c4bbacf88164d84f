#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that no test's verdict depends on time, on load or on other processes' memory.

Prints each line of tests/ that sleeps, reads a clock, limits a wait or asks how much memory a device has free, unless
tools/test_times.toml lists it with a reason; and each that skips a test for another reason than what it needs, which
would fail only on the machines where it is skipped.
"""

import ast
import pathlib
import re
import sys

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest brings it
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
ALLOWED = "tools/test_times.toml"
USES = {
    ".py": {
        "sleep": r"\btime\.sleep\(",
        "clock": r"\b(time\.(monotonic|perf_counter|process_time|thread_time|time)(_ns)?|getrusage)\(",
        "limit": r"\btimeout=\d|\.(wait|join|poll|acquire|get|result)\((timeout=)?[\d.]+\)",
        "memory": r"\bmem_get_info\(",
    },
    ".cpp": {
        "sleep": r"\b(sleep_for|sleep_until|usleep|nanosleep|sleep)\(",
        "clock": r"\b((\w+_clock|Clock)::now|std::clock|clock_gettime|getrusage)\(",
        "limit": r"\bwait_(for|until)\([^)]*(seconds|minutes|\b\d+m?s\b)",
        "memory": r"\bcuMemGetInfo",
    },
}  # fmt: skip
ADVICE = {
    "sleep": "wait for the event",
    "clock": "assert on what happened, not on how long it took",
    "limit": "wait without a limit: pytest and ctest have their own",
    "memory": "count this process's memory (tests/python/own_memory.py)",
}


def uses_in(file: pathlib.Path) -> dict[str, list[int]]:
    """The lines of each kind of use."""
    kinds = USES[".py" if file.suffix == ".py" else ".cpp"]
    found: dict[str, list[int]] = {}
    for number, line in enumerate(file.read_text().splitlines(), 1):
        for kind, pattern in kinds.items():
            found.setdefault(kind, []).extend(number for _ in re.finditer(pattern, line))
    return {kind: lines for kind, lines in found.items() if lines}


def skips_in(file: pathlib.Path) -> list[int]:
    """The lines of skips whose reason is written there and does not begin with "needs "."""
    lines = []
    for call in ast.walk(ast.parse(file.read_text())):
        if not isinstance(call, ast.Call) or ast.unparse(call.func) not in ("pytest.skip", "pytest.mark.skipif"):
            continue
        given = [keyword.value for keyword in call.keywords if keyword.arg == "reason"]
        if ast.unparse(call.func) == "pytest.skip":
            given += call.args[:1]
        for reason in given:
            first = reason.values[0] if isinstance(reason, ast.JoinedStr) else reason
            if isinstance(first, ast.Constant) and not str(first.value).startswith("needs "):
                lines.append(call.lineno)
    return lines


def complaints(root: pathlib.Path) -> list[str]:
    """One line for each use without a reason, and for each reason without its uses."""
    allowed = {(rule["file"], rule["what"]): rule for rule in tomllib.loads((root / ALLOWED).read_text())["allowed"]}
    found = []
    for file in sorted((root / "tests").rglob("*")):
        if file.suffix not in {".py", ".cpp", ".h"}:
            continue
        name = file.relative_to(root).as_posix()
        if file.suffix == ".py":
            found += [f'{name}:{line}: skip: begin the reason with "needs "' for line in skips_in(file)]
        for kind, lines in uses_in(file).items():
            rule = allowed.pop((name, kind), None)
            if rule is None:
                found += [f"{name}:{line}: {kind}: {ADVICE[kind]}, or give a reason in {ALLOWED}" for line in lines]
            elif rule["uses"] != len(lines):
                where = ", ".join(map(str, lines))
                found.append(f"{name}: {kind}: {len(lines)} uses (lines {where}), {rule['uses']} in {ALLOWED}")
            elif not rule["why"].strip():
                found.append(f"{ALLOWED}: {name}, {kind}: no reason")
    found += [f"{ALLOWED}: {name} has no {kind}" for name, kind in allowed]
    return found


if __name__ == "__main__":
    lines = complaints(ROOT)
    print("\n".join(lines) if lines else "tests: verdicts depend on no time, load or other process; skips name a need")
    sys.exit(bool(lines))
