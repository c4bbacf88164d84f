# SPDX-License-Identifier: MIT
"""The rule by which the sample's kernels are taken, applied to clones of the suites: prints what it selects.

python benchmarks/sample/selection.py HECBENCH RODINIA POLYBENCH SHOC NPB PYCUDA CUPY   (folders of git clones)

Of each suite's programs in alphabetical order every n-th is taken, and of its kernels the longest of at most 60 lines.
If none of its kernels is so short, the next program in the list takes its place.
"""

import dataclasses
import re
import subprocess
import sys

MOST_LINES = 60


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    folder: str
    #: Which paths are programs; the first group is the program's folder or file.
    program: str
    every: int


SUITES = [
    Suite("HeCBench", "src", r"(src/[^/]+-cuda)/", 5),
    Suite("Rodinia", "cuda", r"(cuda/[^/]+)/", 3),
    Suite("PolyBench", "CUDA", r"(CUDA/.+)/[^/]+\.cu$", 3),
    Suite("SHOC", "src/cuda", r"(src/cuda/level.+)/[^/]+\.cu$", 3),
    Suite("NPB", "CUDA", r"(CUDA/[A-Z]{2})/", 3),
    Suite("PyCUDA", "examples", r"(examples/.+\.(?:py|cu))$", 3),
    Suite("CuPy", "examples", r"(examples/.+\.(?:py|cu))$", 3),
]


def git(clone: str, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", clone, *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf8", "replace")


def body_of(text: str, start: int) -> str:
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[start : place + 1]
    return text[start:]


def kernels_of(text: str) -> list[tuple[int, str]]:
    """Lines and name of each kernel that a source defines."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", "", text)
    found = []
    for match in re.finditer("__global__", text):
        start, declared = text.find("{", match.end()), text.find(";", match.end())
        if start < 0 or 0 <= declared < start:
            continue
        head = re.sub(r"__launch_bounds__\s*\([^)]*\)", "", text[match.end() : start])
        name = re.search(r"(\w+)\s*\(", head)
        lines = [line for line in body_of(text, start).split("\n") if line.strip() not in ("", "{", "}")]
        if name:
            found.append((len(lines), name[1]))
    return found


def selected(suite: Suite, clone: str) -> list[tuple[str, str]]:
    """Programs and kernels."""
    files = git(clone, "ls-tree", "-r", "--name-only", "HEAD", f"{suite.folder}/").split("\n")
    programs: dict[str, list[str]] = {}
    for file in sorted(files):
        match = re.match(suite.program, file)
        if match and re.search(r"\.(cu|cuh|h|hpp|cpp|c|py)$", file):
            programs.setdefault(match[1], []).append(file)
    if suite.folder == "examples":  # most are no kernels at all
        programs = {p: f for p, f in programs.items() if kernels_of(git(clone, "show", f"HEAD:{f[0]}"))}
    names = sorted(programs, key=lambda path: path.rsplit("/", 1)[1].lower())
    chosen: list[tuple[str, str]] = []
    for place in range(suite.every - 1, len(names), suite.every):
        for program in names[place:]:
            found = [k for file in programs[program] for k in kernels_of(git(clone, "show", f"HEAD:{file}"))]
            short = [kernel for kernel in found if kernel[0] <= MOST_LINES]
            if short:
                title = re.sub(r"(-cuda|\.py|\.cu)$", "", program.rsplit("/", 1)[1])
                chosen.append((title, max(short, key=lambda kernel: kernel[0])[1]))
                break
    return chosen


def main() -> None:
    clones = sys.argv[1:]
    if len(clones) != len(SUITES):
        sys.exit(f"usage: selection.py {' '.join(suite.name.upper() for suite in SUITES)} (folders of git clones)")
    for suite, clone in zip(SUITES, clones):
        for program, kernel in selected(suite, clone):
            print(f"{suite.name}\t{program}\t{kernel}")


if __name__ == "__main__":
    main()
