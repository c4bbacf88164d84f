# SPDX-License-Identifier: MIT
"""What how-to pages show as printed is what their programs print."""

import pathlib
import re

import pytest
from programs import is_cpu, run_file

HOWTO = pathlib.Path(__file__).resolve().parents[2] / "docs" / "howto"


def _program_and_text(page):
    text = (HOWTO / page).read_text(encoding="utf-8")
    return re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", text, re.DOTALL).groups()


def _printed(page, folder):
    program, shown = _program_and_text(page)
    (folder / "program.py").write_text(program, encoding="utf-8")
    return run_file(folder / "program.py")[0], shown


def _words(text):
    """Without line breaks, which are others in a page, and without addresses."""
    return re.sub(r"0x[0-9a-f]+", "0x", " ".join(text.split()))


@pytest.fixture(autouse=True)
def cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, whose messages the pages show")


@pytest.mark.parametrize("page", ["find-a-memory-error.md", "find-a-race.md"])
def test_messages_are_those_of_the_program(tmp_path, page):
    printed, shown = _printed(page, tmp_path)
    assert _words(printed) == _words(shown)


def test_the_benchmark_is_printed_as_the_page_shows_it(tmp_path):
    printed, shown = _printed("measure-time.md", tmp_path)

    def shape(text):
        # "1 call" on a busy machine
        text = re.sub(r"\d+ samples of \d+ calls?", "N samples of N calls", text)
        text = re.sub(r"\b\d[\d.]* (?:[mµn]?s|GB/s)", "TIME", text)
        return " ".join(text.split())

    assert shape(printed).startswith(shape(shown))
