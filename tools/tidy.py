#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clang-tidy over src/, leaving out each file that has not changed since it last passed: tidy.py BUILD [FILE...].

BUILD has to be configured, not built. The clang-tidy is the one beside this Python (requirements-lint.txt): version 19
takes seven times as long, because it looks for matches in the headers of LLVM and CUDA, too.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

from compile_commands import ROOT, SOURCES, compile_commands, made_of

STAMPS = ROOT / "build" / ".stamps" / "tidy"
TIDY = pathlib.Path(sys.executable).with_name("clang-tidy")
OPTIONS = ["--quiet", "--extra-arg=-Wno-error", "--extra-arg=-Wno-unknown-warning-option"]
DATABASE = ROOT / "build" / ".stamps" / "tidy-commands"
# Options that Clang does not know.
OF_GCC = re.compile(r"-fno-gnu-unique|-fpch-preprocess|--param=ggc-.*")


def commands_by_source(build: pathlib.Path) -> dict[pathlib.Path, list[str]]:
    """How each file of src/ is compiled, more than once if several libraries take it; also written to DATABASE."""
    entries = [entry for entry in compile_commands(build) if pathlib.Path(entry["file"]).is_relative_to(SOURCES)]
    commands: dict[pathlib.Path, list[str]] = {}
    for entry in entries:
        words = shlex.split(entry["command"])
        entry["command"] = shlex.join(word for word in words if not OF_GCC.fullmatch(word))
        commands.setdefault(pathlib.Path(entry["file"]), []).append(entry["command"])
    DATABASE.mkdir(parents=True, exist_ok=True)
    (DATABASE / "compile_commands.json").write_text(json.dumps(entries))
    return commands


def state_of(source: pathlib.Path, commands: list[str], common: bytes) -> str:
    """Changes when clang-tidy's answer about the source could."""
    digest = hashlib.sha256(common)
    digest.update("\n".join(commands).replace(str(ROOT), "").encode())
    for path in made_of(source):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def check(source: pathlib.Path, stamp: pathlib.Path, state: str) -> bool:
    run = subprocess.run([TIDY, "-p", DATABASE, *OPTIONS, source], capture_output=True, text=True)
    if run.returncode == 0:
        stamp.write_text(state)
    else:
        # The rest of its error output counts the warnings of other people's headers.
        errors = [line for line in run.stderr.splitlines() if "error:" in line]
        print("\n".join([run.stdout.rstrip(), *errors]), flush=True)
    return run.returncode == 0


def main(build: pathlib.Path, chosen: list[str]) -> int:
    # The rules of a folder stand in its .clang-tidy and those above it.
    rules = sorted(SOURCES.rglob(".clang-tidy")) + [ROOT / ".clang-tidy"]
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    common = version + b"".join(path.read_bytes() for path in rules)
    STAMPS.mkdir(parents=True, exist_ok=True)
    waiting = []
    for source, commands in commands_by_source(build).items():
        name = str(source.relative_to(ROOT))
        stamp = STAMPS / name.replace("/", "_")
        state = state_of(source, commands, common)
        if (not chosen or name in chosen) and not (stamp.exists() and stamp.read_text() == state):
            waiting.append((source, stamp, state))
    print(f"clang-tidy: {len(waiting)} files to check", flush=True)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        passed = sum(pool.map(lambda item: check(*item), waiting))
    print(f"clang-tidy: {passed} of {len(waiting)} passed")
    return int(passed != len(waiting))


if __name__ == "__main__":
    if not TIDY.exists():
        sys.exit("clang-tidy is missing: .venv/bin/python -m pip install -r requirements-lint.txt")
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
