# SPDX-License-Identifier: MIT
"""Projects that are tested with the pytest plug-in, in a process of their own."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pycuda

PACKAGES = pathlib.Path(pycuda.__file__).absolute().parents[1]

KERNEL = """
import numpy as np, pycuda.driver as cuda, pytest
from pycuda.compiler import SourceModule

def fill(target, threads):
    kernel = SourceModule("__global__ void fill(int *a) { a[threadIdx.x] = threadIdx.x; }").get_function("fill")
    kernel(target, block=(threads, 1, 1))
"""


def run_project(folder, code, *options, **environment):
    """Run pytest on a file of tests, behind `KERNEL`; None: on the files that are there.

    Returns the exit status and what was printed.
    """
    if code is not None:
        (folder / "test_it.py").write_text(KERNEL + textwrap.dedent(code))
    settings = {name: value for name, value in os.environ.items() if name != "PYCUDA_CPU_CHECK"}
    command = [sys.executable, "-m", "pytest", "-p", "pycuda.pytest_plugin", "-p", "no:cacheprovider", "-rsfE"]
    settings["PYTHONPATH"] = os.pathsep.join(filter(None, [str(PACKAGES), settings.get("PYTHONPATH")]))
    settings.update(environment)
    done = subprocess.run([*command, *options], cwd=folder, env=settings, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
