# SPDX-License-Identifier: MIT
"""Small programs in processes of their own, with the package under test and chosen settings; which driver there is."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pycuda
from pycuda import gpuarray


def run_program(code, *, expect=0, arguments=(), **environment):
    """Run `code`; return its output and errors as (stdout, stderr).

    Fails the test when the exit status is not `expect`. A variable of `environment` that is None is unset. pytest's
    own guard against hangs, which also kills the program, is the only limit of time.
    """
    settings = dict(os.environ)
    for name, value in environment.items():
        if value is None:
            settings.pop(name, None)
        else:
            settings[name] = str(value)
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        env=settings,
    )
    assert run.returncode == expect, f"exit status {run.returncode} instead of {expect}\n{run.stdout}\n{run.stderr}"
    return run.stdout, run.stderr


def has_cpu_driver():
    """Whether this build of the package brings the CPU driver."""
    return (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists()


def is_cpu():
    """Whether the current context is one of the CPU driver's."""
    return gpuarray._array.device_facts()[0]
