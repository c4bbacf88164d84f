#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clang-tidy over src/, leaving out each file that has not changed since it last passed: tidy.py BUILD [FILE...]."""

import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAMPS = ROOT / "build" / ".stamps" / "tidy"
TIDY = "clang-tidy-19"
OPTIONS = ["--quiet", "--extra-arg=-Wno-error", "--extra-arg=-Wno-unknown-warning-option"]
OPTIONS += ["--extra-arg=-Wno-ignored-gch"]  # GCC's precompiled headers
DATABASE = ROOT / "build" / ".stamps" / "tidy-commands"
# Options that Clang does not know.
OF_GCC = {"-fno-gnu-unique"}


def headers_of(build: pathlib.Path) -> dict[str, list[pathlib.Path]]:
    """What each object was made of within src/, as the last build noted it down; objects by their path in `build`."""

    @functools.cache  # the same headers stand below nearly every object
    def source_at(written: str) -> pathlib.Path | None:
        path = pathlib.Path(os.path.normpath(build / written))
        return path if path.is_relative_to(ROOT / "src") else None

    made_of: dict[str, list[pathlib.Path]] = {}
    current: list[pathlib.Path] = []
    noted = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True).stdout
    for line in noted.splitlines():
        if line and not line[0].isspace() and "#deps" in line:
            current = made_of.setdefault(line.split(":")[0], [])
        elif path := source_at(line.strip()) if line.strip() else None:
            current.append(path)
    return made_of


def main(build: pathlib.Path, chosen: list[str]) -> int:
    made_of = headers_of(build)
    all_headers = sorted(path for path in (ROOT / "src").rglob("*") if path.suffix in {".h", ".def"})
    # The rules of a folder stand in its .clang-tidy and those above it.
    rules = sorted((ROOT / "src").rglob(".clang-tidy")) + [ROOT / ".clang-tidy"]
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    common = version + b"".join(path.read_bytes() for path in rules)

    waiting = []
    commands = json.loads((build / "compile_commands.json").read_text())
    for command in commands:
        command["command"] = shlex.join(word for word in shlex.split(command["command"]) if word not in OF_GCC)
    DATABASE.mkdir(parents=True, exist_ok=True)
    (DATABASE / "compile_commands.json").write_text(json.dumps(commands))
    for command in commands:
        source = pathlib.Path(command["file"])
        if not source.is_relative_to(ROOT / "src"):
            continue
        if chosen and str(source.relative_to(ROOT)) not in chosen:
            continue
        digest = hashlib.sha256(common)
        digest.update(command["command"].replace(str(ROOT), "").encode())
        words = shlex.split(command["command"])
        made = words[words.index("-o") + 1]
        for path in [source, *made_of.get(made, all_headers)]:
            digest.update(path.read_bytes() if path.exists() else b"")
        stamp = STAMPS / str(source.relative_to(ROOT)).replace("/", "_")
        state = digest.hexdigest()
        if not stamp.exists() or stamp.read_text() != state:
            waiting.append((source, stamp, state))

    STAMPS.mkdir(parents=True, exist_ok=True)

    def check(item: tuple[pathlib.Path, pathlib.Path, str]) -> bool:
        source, stamp, state = item
        run = subprocess.run([TIDY, "-p", DATABASE, *OPTIONS, source], capture_output=True, text=True)
        if run.returncode == 0:
            stamp.write_text(state)
        else:
            # The rest of its error output counts the warnings of other people's headers.
            errors = [line for line in run.stderr.splitlines() if "error:" in line]
            print(f"{run.stdout}{chr(10).join(errors)}", flush=True)
        return run.returncode == 0

    print(f"clang-tidy: {len(waiting)} files to check", flush=True)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        passed = sum(pool.map(check, waiting))
    print(f"clang-tidy: {passed} of {len(waiting)} passed")
    return int(passed != len(waiting))


if __name__ == "__main__":
    if not shutil.which(TIDY):
        sys.exit(f"{TIDY} is missing: apt-get install {TIDY}")
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]))
