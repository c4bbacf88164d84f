# SPDX-License-Identifier: MIT
"""Runs the example programs that come with the package: `python -m pycuda demo [NAME]`."""

import pathlib
import re
import subprocess
import sys


def _folder():
    """Beside the package, or where a checkout has them."""
    here = pathlib.Path(__file__).resolve().parent
    for folder in (here / "examples", here.parents[1] / "examples"):
        if (folder / "run_all.py").is_file():
            return folder
    return None


def _programs(folder):
    return {
        path.stem.split("_", 1)[1] if path.stem.startswith("gallery_") else path.stem: path
        for path in sorted([*folder.glob("seed_*.py"), *folder.glob("gallery_*.py")])
    }


def _summary(path):
    match = re.search(r'^"""(.*?)(?:\.\s|\.?"""|\n)', path.read_text(), re.MULTILINE | re.DOTALL)
    return match[1].strip() if match else ""


def main(name, arguments):
    folder = _folder()
    if folder is None:
        print("the example programs are not installed", file=sys.stderr)
        return 1
    programs = _programs(folder)
    if name is None:
        print("examples; run one with `python -m pycuda demo NAME`:")
        for program, path in programs.items():
            print(f"  {program:20} {_summary(path)}")
        return 0
    if name not in programs:
        print(f"no example {name!r}; there are {', '.join(programs)}", file=sys.stderr)
        return 2
    return subprocess.run([sys.executable, str(programs[name]), *arguments]).returncode
