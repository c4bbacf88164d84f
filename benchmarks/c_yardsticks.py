# SPDX-License-Identifier: MIT
"""Builds the C files of this folder that results are set beside."""

import pathlib
import shutil
import subprocess


def c_compiler() -> str | None:
    return shutil.which("gcc") or shutil.which("cc") or shutil.which("g++")


def build(source: str, folder: str, *options: str) -> str:
    """The path of what `source`, a file of this folder, becomes in `folder`; ends the program without a C compiler."""
    compiler = c_compiler()
    if compiler is None:
        raise SystemExit("the yardstick needs a C compiler: apt-get install g++")
    path = pathlib.Path(__file__).with_name(source)
    made = pathlib.Path(folder) / path.stem
    subprocess.run([compiler, "-x", "c", "-o", str(made), str(path), *options], check=True)
    return str(made)
