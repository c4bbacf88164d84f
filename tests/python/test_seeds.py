# SPDX-License-Identifier: MIT
"""The seed programs run and check themselves."""

import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("program", sorted(path.name for path in EXAMPLES.glob("seed_*.py")))
def test_seed_program(driver, program):
    run = subprocess.run([sys.executable, str(EXAMPLES / program)], capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stdout + run.stderr
