# SPDX-License-Identifier: MIT
"""Small programs in processes of their own, with the package under test and chosen settings; which driver there is."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pycuda
from pycuda import _driver


def _run(command, expect, environment, folder=None):
    settings = dict(os.environ)
    for name, value in environment.items():
        if value is None:
            settings.pop(name, None)
        else:
            settings[name] = str(value)
    run = subprocess.run(command, capture_output=True, text=True, env=settings, cwd=folder)
    assert run.returncode == expect, f"exit status {run.returncode} instead of {expect}\n{run.stdout}\n{run.stderr}"
    return run.stdout, run.stderr


def run_program(code, *, expect=0, arguments=(), **environment):
    """Run `code`; return its output and errors as (stdout, stderr).

    Fails the test when the exit status is not `expect`. A variable of `environment` that is None is unset. pytest's
    own guard against hangs, which also kills the program, is the only limit of time.
    """
    return _run([sys.executable, "-c", textwrap.dedent(code), *arguments], expect, environment)


def run_file(file, *, expect=0, **environment):
    """Run the Python program in `file`, in its folder; otherwise as `run_program`."""
    package = str(pathlib.Path(pycuda.__file__).absolute().parents[1])
    paths = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {"PYTHONPATH": paths, **environment}
    return _run([sys.executable, file.name], expect, environment, folder=file.parent)


def has_cpu_driver():
    """Whether this build of the package brings the CPU driver."""
    return (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists()


def is_cpu():
    """Whether the current context is one of the CPU driver's."""
    return _driver._device_traits().is_cpu
