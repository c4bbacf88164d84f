#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compile C++ files that changed lately, alone and without precompiled headers: check_includes.py BUILD [FILE...].

A missing #include goes unnoticed where headers are precompiled or sources are compiled in groups. Without FILE, the
files of the newest commits and those that are not committed are checked, headers too, except what passed before.
clang-tidy finds the same in all of src/. BUILD has to be configured, not built.
"""

import concurrent.futures
import hashlib
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys

from compile_commands import FOLDERS, ROOT, compile_commands, included_by, made_of

STAMPS = ROOT / "build" / ".stamps" / "includes"
COMMITS = 20
# Folders with what is for one processor; those of others do not compile here.
PROCESSORS = {"x86_64": "x86", "aarch64": "aarch64"}
OTHERS = set(PROCESSORS.values()) - {PROCESSORS.get(platform.machine())}


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.splitlines()  # none where this is no checkout


def changed_of_late() -> set[pathlib.Path]:
    """C++ files of the newest commits, and those that differ from the last one."""
    # A shallow checkout's oldest commit has no parent: it would name every file.
    names = git("log", f"-{COMMITS}", "--min-parents=1", "--name-only", "--format=")
    names += git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    files = {ROOT / name for name in names if name.endswith((".cpp", ".h"))}
    return {file for file in files if file.is_file() and any(file.is_relative_to(folder) for folder in FOLDERS)}


def options_of(command: str) -> list[str]:
    """A command without its output and its source."""
    words = shlex.split(command)
    return words[: words.index("-o")]


def begins_with(source: pathlib.Path) -> pathlib.Path | None:
    """The header that a source names before all others: compiling the source checks this one, too."""
    first = re.search(r"^#include (\S+)", source.read_text(), re.MULTILINE)
    return included_by(source)[0] if first and first[1].startswith('"') and included_by(source) else None


def checks(build: pathlib.Path, files: set[pathlib.Path]) -> list[tuple[pathlib.Path, list[str]]]:
    """Each file with the options that it, or for a header the first source that includes it, is compiled with."""
    files = files - {begins_with(file) for file in files if file.suffix == ".cpp"}
    options: dict[pathlib.Path, list[str]] = {}
    for entry in compile_commands(build):
        own = options_of(entry["command"])
        for file in made_of(pathlib.Path(entry["file"])):
            if file not in files or OTHERS.intersection(file.relative_to(ROOT).parts):
                continue
            if file.suffix == ".h" or str(file) == entry["file"]:
                options.setdefault(file, own)
    return sorted(options.items())


def complaint(file: pathlib.Path, options: list[str], build: pathlib.Path) -> str:
    """The compiler's words about a file; empty if it compiles."""
    text = f'#include "{file}"\n'
    command = [*options, "-fsyntax-only", "-w", "-x", "c++", "-"]
    done = subprocess.run(command, cwd=build, input=text, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{file.relative_to(ROOT)} does not compile alone:\n{done.stderr.rstrip()}"


def main(build: pathlib.Path, chosen: list[str]) -> int:
    files = {(ROOT / name).resolve() for name in chosen} or changed_of_late()
    STAMPS.mkdir(parents=True, exist_ok=True)
    waiting = []
    for file, options in checks(build, files):
        digest = hashlib.sha256("\n".join(options).encode())
        for part in made_of(file):
            digest.update(part.read_bytes())
        stamp = STAMPS / str(file.relative_to(ROOT)).replace("/", "_")
        if not (stamp.exists() and stamp.read_text() == digest.hexdigest()):
            waiting.append((file, options, stamp, digest.hexdigest()))

    def passes(file: pathlib.Path, options: list[str], stamp: pathlib.Path, state: str) -> bool:
        if text := complaint(file, options, build):
            print(text, flush=True)
        else:
            stamp.write_text(state)
        return not text

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        passed = sum(pool.map(lambda item: passes(*item), waiting))
    print(f"includes: {passed} of {len(waiting)} files compile alone")
    return int(passed != len(waiting))


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
