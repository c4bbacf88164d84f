# SPDX-License-Identifier: MIT
"""Runs the IR tests (see README.md), and checks that every step of the pipeline has one."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
DIRECTIVE = re.compile(r"\s*;\s*(steps|lanes|processor|forms|check|check-not|check-count (\d+)):\s*(.*?)\s*$")


def pattern(text: str) -> re.Pattern[str]:
    """`text` as a regular expression: {{...}} is one already, and a space is any run of them."""
    parts = re.split(r"\{\{(.*?)\}\}", text)
    for i in range(0, len(parts), 2):
        parts[i] = r"\s+".join(re.escape(word) for word in re.split(r"\s+", parts[i]))
    return re.compile("".join(f"(?:{part})" if i % 2 else part for i, part in enumerate(parts)))


def mismatches(checks: list[tuple[str, int, str]], output: str) -> list[str]:
    """What is wrong with `output`; `checks` are (kind, count, text)."""
    lines = [line for line in output.splitlines() if not line.lstrip().startswith(";")]
    found, at, forbidden = [], 0, []

    def forbid(end: int) -> None:
        for text in forbidden:
            found.extend(f"check-not: {text}\n  in: {line}" for line in lines[at:end] if pattern(text).search(line))
        forbidden.clear()

    for kind, count, text in checks:
        if kind == "check-not":
            forbidden.append(text)
        elif kind == "check":
            here = next((i for i in range(at, len(lines)) if pattern(text).search(lines[i])), None)
            if here is None:
                found.append(f"check: {text}\n  no line after line {at} of the output contains it")
                continue
            forbid(here)
            at = here + 1
        else:
            times = sum(1 for line in lines if pattern(text).search(line))
            if times != count:
                found.append(f"check-count {count}: {text}\n  {times} lines contain it")
    forbid(len(lines))
    return found


def output_of(tool: str, file: Path, options: dict[str, str]) -> tuple[str, str]:
    """What ptx-opt prints, and what is wrong if it fails."""
    command = [tool, *(f"--{name}={value}" for name, value in options.items()), str(file)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        return "", f"ptx-opt ended with {result.returncode}: {result.stderr.strip()}"
    return result.stdout, ""


def expanded(text: str) -> str:
    """`text` with the lines that its `; repeat` lines stand for."""

    def lines(repeat: re.Match[str]) -> str:
        count, line = int(repeat[1]), repeat[2]
        return "\n".join(line.replace("{i}", str(i)).replace("{i+1}", str(i + 1)) for i in range(count))

    return re.sub(r"^; repeat (\d+): (.*)$", lines, text, flags=re.MULTILINE)


def run(tool: str, file: Path) -> list[str]:
    """What is wrong with the test `file`."""
    with tempfile.NamedTemporaryFile("w", suffix=".ll") as whole:
        whole.write(expanded(file.read_text()))
        whole.flush()
        return run_expanded(tool, file, Path(whole.name))


def run_expanded(tool: str, file: Path, whole: Path) -> list[str]:
    """What is wrong with the test `file`, whose text without repetitions is `whole`."""
    options, checks = {"steps": file.stem}, []
    for line in file.read_text().splitlines():
        if directive := DIRECTIVE.match(line):
            kind, count, text = directive.groups()
            if kind in ("steps", "lanes", "processor", "forms"):
                options[kind] = text
            else:
                checks.append((kind.split()[0], int(count or 0), text))
    if not checks:
        return ["no check"]
    steps = options["steps"].split(",")
    if file.stem not in steps:
        return [f"the steps {options['steps']} do not include {file.stem}"]
    output, failure = output_of(tool, whole, options)
    if failure:
        return [failure]
    if found := mismatches(checks, output):
        return [*found, output]
    options["steps"] = ",".join(step for step in steps if step != file.stem)
    output, failure = output_of(tool, whole, options)
    if not failure and not mismatches(checks, output):
        return [f"its checks hold without the step too: it tests nothing\n{output}"]
    return []


def alone(tool: str) -> list[str]:
    """Steps that crash where a step before them is missing: they must say which."""
    file = FOLDER / "block-loops.ll"
    listed = subprocess.run([tool, "--list"], capture_output=True, text=True, check=True).stdout
    steps = dict.fromkeys(line.split()[1] for line in listed.splitlines())
    results = {step: subprocess.run([tool, f"--steps={step}", str(file)], capture_output=True) for step in steps}
    return [
        f"--steps={step} ended with {result.returncode}"
        for step, result in results.items()
        if result.returncode not in (0, 2) or (result.returncode == 2 and not result.stderr)
    ]


def coverage(tool: str) -> list[str]:
    """Where the folder and the pipeline differ."""
    listed = subprocess.run([tool, "--list"], capture_output=True, text=True, check=True).stdout
    steps = {line.split()[1] for line in listed.splitlines()}
    tested = {file.stem for file in FOLDER.glob("*.ll")}
    untested = dict(line.split(": ", 1) for line in (FOLDER / "untested.txt").read_text().splitlines())
    return [
        *(f"{step}.ll tests no step of the pipeline" for step in sorted(tested - steps)),
        *(f"untested.txt: there is no step {step}" for step in sorted(untested.keys() - steps)),
        *(f"untested.txt: {step} has a test now: remove the line" for step in sorted(untested.keys() & tested)),
        *(f"the step {step} has no test: add {step}.ll" for step in sorted(steps - tested - untested.keys())),
    ]


def main() -> int:
    tool, files = sys.argv[1], [Path(name) for name in sys.argv[2:]]
    failures = {} if files else {"the list of steps": coverage(tool), "each step alone": alone(tool)}
    for file in files or sorted(FOLDER.glob("*.ll")):
        failures[file.name] = run(tool, file)
    for name, found in failures.items():
        for text in found:
            print(f"{name}: {text}")
    failed = sum(1 for found in failures.values() if found)
    print(f"{len(failures)} checked, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
