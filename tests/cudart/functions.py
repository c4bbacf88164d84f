# SPDX-License-Identifier: MIT
"""The table of the run-time API's functions in the documentation: written and checked against header and library.

    functions.py check HEADER LIBRARY [--archive ARCHIVE] [--nm NM]
    functions.py write HEADER

`check` fails when the library lacks a function of the header, when the archive defines other visible names, when the
table in docs/reference/runtime-api.md differs from the sources, or when a refused function gives no reason. A header
newer than the table may have more functions.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "cudart"
PAGE = ROOT / "docs" / "reference" / "runtime-api.md"
BEGIN, END = "<!-- functions: begin -->", "<!-- functions: end -->"


def functions_of(header):
    """The names that a cuda_runtime_api.h declares, and its version."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(errors="replace"), flags=re.S)
    names = re.findall(r"CUDARTAPI\w*\s+(cuda\w+)\s*\(", text)
    version = re.search(r"#define CUDART_VERSION\s+(\d+)", text).group(1)
    return list(dict.fromkeys(name for name in names if not re.search(r"_pt[ds][sz]$", name))), int(version)


def refused():
    """Functions that always answer cudaErrorNotSupported, with the reason."""
    text = (SOURCES / "unsupported.def").read_text()
    return dict(re.findall(r'^CUDART_UNSUPPORTED\((\w+), "(.+)"\)$', text, flags=re.M))


def defined():
    """Functions that the sources define, with the file of each and the driver's function it is, if it is only that."""
    found = {}
    for path in sorted(SOURCES.glob("*.cpp")):
        if path.name == "cuda12.cpp":
            continue
        text = path.read_text()
        for name in re.findall(r"^(?:CUDART_API|.*visibility.*) ?\n?\s*(cuda\w+)\(", text, flags=re.M):
            found.setdefault(name, "")
        for name, entry in re.findall(r"^CUDART_FORWARD\(\s*(\w+),\s*\(.*?\),\s*(cu\w+)", text, flags=re.M | re.S):
            found[name] = entry
    text = (SOURCES / "newest_forms.def").read_text()
    found.update(re.findall(r"^CUDART_NEWEST\((\w+), \w+,\s*\(.*?\),\s*(cu\w+)", text, flags=re.M | re.S))
    return found


def table(names):
    reasons, own = refused(), defined()
    lines = ["| function | |", "|---|---|"]
    for name in sorted(names):
        if name in reasons:
            says = f"not supported: {reasons[name]}"
        elif name not in own:
            raise SystemExit(f"{name}: neither defined in {SOURCES} nor listed in unsupported.def")
        else:
            says = f"`{own[name]}`" if own[name] else "yes"
        lines.append(f"| `{name}` | {says} |")
    return "\n".join(lines)


def page_parts():
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    inside, after = rest.split(END)
    return before, inside.strip(), after


def write(header):
    names, _ = functions_of(header)
    before, _, after = page_parts()
    PAGE.write_text(f"{before}{BEGIN}\n{table(names)}\n{END}{after}")


def other_names(archive, nm):
    """The visible names of an archive that are no functions of the API."""
    symbols = subprocess.run([nm, "-g", "--defined-only", archive], capture_output=True, text=True, check=True).stdout
    names = [fields[2] for fields in map(str.split, symbols.splitlines()) if len(fields) == 3]
    assert "cudaMalloc" in names, archive
    return [name for name in names if not re.match(r"(__)?cuda[A-Z]", name)]


def check(header, library, archive, nm):
    _, listed, _ = page_parts()
    in_table = re.findall(r"^\| `(\w+)` \|", listed, flags=re.M)
    names, version = functions_of(header)
    major, minor = map(int, re.search(r"CUDA (\d+)\.(\d+)", PAGE.read_text()).groups())
    newest = major * 1000 + minor * 10
    problems = []
    if table(in_table) != listed:
        problems.append(f"{PAGE}: the table differs from the sources; write it again with functions.py write")
    if version <= newest:
        problems += [f"{PAGE}: {name} is missing" for name in names if name not in in_table]
    symbols = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in symbols.splitlines()}
    problems += [f"{library} has no {name}" for name in in_table if name not in exported]
    if archive:
        problems += [f"{archive} defines {name}" for name in other_names(archive, nm)]
    print("\n".join(problems) or f"{len(in_table)} functions, {sum(name in refused() for name in in_table)} refused")
    return bool(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("command", choices=("check", "write"))
    parser.add_argument("header", type=Path)
    parser.add_argument("library", nargs="?")
    parser.add_argument("--archive")
    parser.add_argument("--nm", default="nm")
    arguments = parser.parse_args()
    if arguments.command == "write":
        return write(arguments.header)
    return check(arguments.header, arguments.library, arguments.archive, arguments.nm)


if __name__ == "__main__":
    sys.exit(main())
