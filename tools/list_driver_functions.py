#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print docs/reference/driver-functions.md: every function of the driver API, from Python and on the CPU driver.

The functions come from src/driver/driver_functions.def, what the CPU driver implements from the definitions in
src/cpu/api, the Python names and successors from docs/reference/driver-functions.toml.
"""

import pathlib
import re
import sys
from typing import NamedTuple

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest brings it
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """\
# All functions of the driver API

% Written by tools/list_driver_functions.py: change driver-functions.toml and run it again.

The CUDA 13.0 driver API has {total} functions. {python} of them have a way in Python, {cpu} work on the CPU driver;
{superseded} are deprecated or replaced by others. *Since* is the CUDA version that brought the function's current
form. NVIDIA's driver implements all that its version knows. The CPU driver answers calls of the others with
`CUDA_ERROR_NOT_SUPPORTED` and writes their names to the log.

The names in the column *Python* are those of `pycuda`. A program that needs a function without one can call it through
NVIDIA's `cuda.bindings` beside PyCUDA: contexts, streams and pointers are the same.
"""


class Function(NamedTuple):
    name: str
    symbol: str
    group: str
    since: str
    on_cpu: bool


def version_text(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def implemented(root: pathlib.Path) -> set[str]:
    """The symbols that the CPU driver defines itself, not by the definition that refuses."""
    found: set[str] = set()
    for file in (root / "src" / "cpu" / "api").glob("*.cpp"):
        found.update(re.findall(r'^(?:extern "C" )?CUresult (cu\w+)\(', file.read_text(), re.MULTILINE))
    return found


def functions(root: pathlib.Path) -> list[Function]:
    on_cpu = implemented(root)
    group, found = "", []
    for line in (root / "src" / "driver" / "driver_functions.def").read_text().splitlines():
        if match := re.match(r"CU_FUNCTION\((\w+), (\w+), (\d+)", line):
            name, symbol, since = match.groups()
            found.append(Function(name, symbol, group, version_text(int(since)), symbol in on_cpu))
        elif match := re.match(r"// ([A-Z].*[^.])$", line):
            group = match[1]
    return found


def successor(function: Function, superseded: dict) -> str | None:
    """The function that replaces this one: empty if none does, None for a current one."""
    return superseded.get(function.name, superseded["groups"].get(function.group))


def python_link(name: str) -> str:
    call = name.removesuffix(".__call__")
    text = call.split(".", 1)[1] + ("()" if call != name else "")
    return f"{{py:obj}}`{text} <pycuda.{call}>`"


def row(function: Function, facts: dict) -> str:
    names = ", ".join(map(python_link, facts["python"].get(function.name, [])))
    if function.name in facts["no_python"]:
        names = f"no: {facts['no_python'][function.name]}"
    follower = successor(function, facts["superseded"])
    if follower is not None:
        names += (", " if names else "") + (f"superseded by `{follower}`" if follower else "deprecated")
    return f"| `{function.name}` | {function.since} | {names} | {cpu_text(function, facts)} |"


def cpu_text(function: Function, facts: dict) -> str:
    reason = facts["refused"].get(function.name)
    return f"no: {reason}" if reason else "yes" if function.on_cpu else "no"


def page(root: pathlib.Path) -> str:
    facts = tomllib.loads((root / "docs" / "reference" / "driver-functions.toml").read_text())
    listed = functions(root)
    lines = [
        HEAD.format(
            total=len(listed),
            python=sum(function.name in facts["python"] for function in listed),
            cpu=sum(cpu_text(function, facts) == "yes" for function in listed),
            superseded=sum(successor(function, facts["superseded"]) is not None for function in listed),
        )
    ]
    group = ""
    for function in listed:
        if function.group != group:
            group = function.group
            title = group.replace(" [DEPRECATED]", " (deprecated)").replace("Managment", "Management")
            lines.append(f"{'' if len(lines) == 1 else chr(10)}## {title}\n")
            lines += ["| function | since | Python | CPU driver |", "|---|---|---|---|"]
        lines.append(row(function, facts))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(ROOT))
