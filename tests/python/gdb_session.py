# SPDX-License-Identifier: MIT
"""What gdb prints of a program and commands."""

import os
import shutil
import subprocess
import sys

import pytest


def gdb_environment(folder, **variables):
    """Variables of a program whose kernels gdb knows, with a cache of compiled code in `folder`."""
    return {**os.environ, "PYCUDA_CACHE_DIR": str(folder / "cache"), "PYCUDA_CPU_SYMBOLS": "1", **variables}


def run_gdb(program, folder, *commands, **variables):
    """Run the Python program under gdb with these commands; return what it prints. Skips the test without gdb."""
    if shutil.which("gdb") is None:
        pytest.skip("needs gdb")
    command = ["gdb", "-nx", "-batch", "-iex", "set auto-load off", "-ex", "set debuginfod enabled off"]
    for text in ("set breakpoint pending on", "set pagination off", *commands):
        command += ["-ex", text]
    ran = subprocess.run(
        [*command, "--args", sys.executable, program],
        env=gdb_environment(folder, **variables),
        capture_output=True,
        text=True,
    )
    if "ptrace: Operation not permitted" in ran.stderr:
        pytest.skip("needs ptrace")
    return ran.stdout
