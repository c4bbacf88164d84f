#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every opcode has a run test, or is refused by name.

    tests/ptx/coverage.py <folder of generated tests>

An opcode of opcode.def must stand in a module of tests/ptx/run or of the generated tests whose kernels are all
launched, unless a program of its own tests it (TESTED_BY) or it has no emitter: emitter.cpp lists those that the driver
refuses in all of their forms, and refused_test.cpp has a form of each. Every folder of generated tests must be one that
CMakeLists.txt runs.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTED_BY = {
    "tests/driver/texture_test.cpp": {"tex", "tld4", "txq"},
    "tests/driver/texture_offset_test.cpp": {"istypep"},
    "tests/driver/multimem_test.cpp": {"multimem"},
    "tests/driver/tensor_map_test.cpp": {"tensormap"},
    "tests/driver/surface_test.cpp": {"suld", "suq", "sured", "sust"},
}
INSTRUCTION = re.compile(r"(?:^|[;{}:]|@!?%?[\w$]+)\s*([a-z]\w*)(?=[\s.;])", re.MULTILINE)


def opcodes():
    """Enumerator -> opcode."""
    text = (ROOT / "src/cpu/ptx/opcode.def").read_text()
    return dict(re.findall(r'^PTX_OPCODE\((\w+), "(\w+)"', text, re.MULTILINE))


def emitters():
    """Enumerator -> the emitter of its family, as `emitter_of` says; nullptr for what is refused."""
    text = (ROOT / "src/cpu/lower/emitter.cpp").read_text()
    found = {}
    for cases, emitter in re.findall(r"((?:\s*case \w+:)+)\s*return (\w+);", re.sub(r"//.*", "", text)):
        found.update(dict.fromkeys(re.findall(r"case (\w+):", cases), emitter))
    return found


def used_in(folder):
    """The opcodes of modules that load and whose kernels are all launched."""
    words = set()
    for path in folder.rglob("*.ptx"):
        text = path.read_text()
        bare = re.sub(r"//.*", "", text)
        launched = set(re.findall(r"^// TEST (\w+)", text, re.MULTILINE))
        if launched >= set(re.findall(r"\.entry\s+(\w+)", bare)) and "\n// REJECT " not in "\n" + text:
            words |= set(INSTRUCTION.findall(bare))
    return words


def unrun_folders(generated):
    """Names that no line of CMakeLists.txt has."""
    words = set(re.findall(r"\w+", (ROOT / "tests/ptx/CMakeLists.txt").read_text()))
    return sorted({path.relative_to(generated).parts[0] for path in generated.rglob("*.ptx")} - words)


def main():
    known, emitted = opcodes(), emitters()
    generated = Path(sys.argv[1])
    run = used_in(ROOT / "tests/ptx/run") | used_in(generated)
    problems = [f"{known[name]}: no emitter" for name in sorted(known.keys() - emitted.keys())]
    problems += [f"{name}: has an emitter, but is no opcode" for name in sorted(emitted.keys() - known.keys())]
    refused = {known[name] for name, emitter in emitted.items() if emitter == "nullptr" and name in known}
    for path, words in TESTED_BY.items():
        text = (ROOT / path).read_text()
        problems += [f"{word}: {path} has no test of it" for word in sorted(words) if f"{word}." not in text]
        run |= words
    forms = (ROOT / "tests/unit/cpu/lower/refused_test.cpp").read_text()
    problems += [
        f"{word}: refused_test.cpp has no form of it"
        for word in sorted(refused)
        if not re.search(rf"\b{word}\b", forms)
    ]
    problems += [f"{word}: no run test" for word in sorted(set(known.values()) - run - refused)]
    problems += [f"{folder}: generated tests that CMakeLists.txt does not run" for folder in unrun_folders(generated)]
    if not known or not emitted or not run:
        problems.append("nothing was found: is the folder of generated tests right?")
    print("\n".join(problems) or f"{len(known)} opcodes, each with an emitter and a run test, or refused")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
