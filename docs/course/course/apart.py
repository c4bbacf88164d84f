# SPDX-License-Identifier: MIT
"""Programs that fail on purpose run in a process of their own, because a fault on a GPU ends CUDA for the process."""

import os
import re
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
    shown = [*done.stdout.splitlines(), *_messages(done.stderr)]
    text = "\n".join(line if line.startswith(" ") else textwrap.fill(line, 110) for line in shown)
    print(text or "(the program printed nothing)")
    return text


def _messages(errors):
    """The lines of the messages alone: without the traceback, and without the program's own place, which has none."""
    in_traceback = False
    for line in errors.splitlines():
        in_traceback = line.startswith("Traceback") or (in_traceback and line.startswith(" "))
        if not in_traceback and not line.startswith("PyCUDA WARNING"):
            yield re.sub(r" \(the source was passed at <string>:\d+\)| passed at <string>:\d+", "", line)
