#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every opcode has a run test, or is refused by name.

    tests/ptx/coverage.py <folder of generated tests>

An opcode of opcode.def must stand in a kernel of tests/ptx/run or of the generated tests, unless a program of its own
tests it (TESTED_BY) or the driver refuses all of its forms (REFUSED, and refused_test.cpp has a form of it).
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTED_BY = {
    "tests/driver/texture_test.cpp": {"tex", "tld4", "txq"},
    "tests/driver/surface_test.cpp": {"suld", "suq", "sust"},
}
REFUSED = {"clusterlaunchcontrol", "istypep", "multimem", "sured", "tcgen05", "tensormap"}
INSTRUCTION = re.compile(r"(?:^|[;{}:]|@!?%?[\w$]+)\s*([a-z]\w*)(?=[\s.;])", re.MULTILINE)


def opcodes():
    text = (ROOT / "src/cpu/ptx/opcode.def").read_text()
    return set(re.findall(r'^PTX_OPCODE\(\w+, "(\w+)"', text, re.MULTILINE))


def used_in(folder):
    words = set()
    for path in folder.rglob("*.ptx"):
        words |= set(INSTRUCTION.findall(re.sub(r"//.*", "", path.read_text())))
    return words


def main():
    known = opcodes()
    generated = Path(sys.argv[1])
    run = used_in(ROOT / "tests/ptx/run") | used_in(generated)
    problems = []
    for path, words in TESTED_BY.items():
        text = (ROOT / path).read_text()
        problems += [f"{word}: {path} has no test of it" for word in sorted(words) if f"{word}." not in text]
        run |= words
    refused = (ROOT / "tests/unit/cpu/lower/refused_test.cpp").read_text()
    for word in sorted(REFUSED):
        if word not in known:
            problems.append(f"{word}: refused, but no opcode")
        elif not re.search(rf"\b{word}\b", refused):
            problems.append(f"{word}: refused_test.cpp has no form of it")
    problems += [f"{word}: no run test" for word in sorted(known - run - REFUSED)]
    if not known or not run:
        problems.append("nothing was found: is the folder of generated tests right?")
    print("\n".join(problems) or f"{len(known)} opcodes, each run or refused")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
