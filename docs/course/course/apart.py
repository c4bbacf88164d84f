# SPDX-License-Identifier: MIT
"""Programs that fail on purpose run in a process of their own, because a fault on a GPU ends CUDA for the process."""

import os
import subprocess
import sys
import textwrap

BEGINNING = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

LINES = dict(options=["-lineinfo"])
"""


def run_apart(program, **settings):
    """Run `program` in a new Python with the usual imports and the environment's `settings`; print what it says."""
    environment = {**os.environ, **{name: str(value) for name, value in settings.items()}}
    done = subprocess.run(
        [sys.executable, "-c", BEGINNING + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment,
    )
    # Of a traceback, the message alone.
    errors = done.stderr.splitlines()
    errors = [line for line in errors if not line.startswith(("Traceback", "  ", "PyCUDA WARNING"))]
    shown = [*done.stdout.splitlines(), *errors]
    text = "\n".join(line if line.startswith(" ") else textwrap.fill(line, 110) for line in shown)
    print(text or "(the program printed nothing)")
    return text
