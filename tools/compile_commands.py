# SPDX-License-Identifier: MIT
"""How each C++ file is compiled on its own, from the commands of a configured build folder."""

import functools
import json
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
TESTS = ROOT / "tests"
FOLDERS = (SOURCES, TESTS)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
# A file includes what it uses: sanitizer builds and Clang's have no precompiled headers.
PRECOMPILED = re.compile(r" -Winvalid-pch -include \S+/cmake_pch\.hxx\b")


def parts_of(entry: dict[str, str]) -> list[dict[str, str]]:
    """The sources of a file of cmake/CompileTogether.cmake, each as if compiled alone; of another file, the file."""
    file = pathlib.Path(entry["file"])
    if "together" not in file.parts or file.is_relative_to(SOURCES):
        return [entry]
    names = [name for name in INCLUDE.findall(file.read_text()) if name.endswith(".cpp")]
    sources = [str(next(folder / name for folder in FOLDERS if (folder / name).is_file())) for name in names]
    return [entry | {"file": name, "command": entry["command"].replace(str(file), name)} for name in sources]


def compile_commands(build: pathlib.Path) -> list[dict[str, str]]:
    """The entries of compile_commands.json for src/ and tests/: each file alone, without precompiled headers."""
    entries = [part for entry in json.loads((build / "compile_commands.json").read_text()) for part in parts_of(entry)]
    own = [entry for entry in entries if any(pathlib.Path(entry["file"]).is_relative_to(folder) for folder in FOLDERS)]
    return [entry | {"command": PRECOMPILED.sub("", entry["command"])} for entry in own]


@functools.cache
def included_by(path: pathlib.Path) -> tuple[pathlib.Path, ...]:
    """The project's files that this one names in its includes."""
    written = INCLUDE.findall(path.read_text())
    places = (place / name for name in written for place in (path.parent, *FOLDERS))
    return tuple(pathlib.Path(os.path.normpath(place)) for place in places if place.is_file())


def made_of(source: pathlib.Path) -> list[pathlib.Path]:
    """The source and all files of the project that it includes, directly or not."""
    found, waiting = {source}, [source]
    while waiting:
        new = set(included_by(waiting.pop())) - found
        found |= new
        waiting.extend(new)
    return sorted(found)
