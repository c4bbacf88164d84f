# SPDX-License-Identifier: MIT
"""Every Python program that README and guide print runs as printed."""

import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]


def programs():
    for page in PAGES:
        blocks = re.finditer(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
        for number, match in enumerate(blocks, 1):
            yield pytest.param(match.group(1), id=f"{page.stem}-{number}")


@pytest.mark.parametrize("program", list(programs()))
def test_a_printed_program_runs(program, driver):
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
