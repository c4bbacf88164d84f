# SPDX-License-Identifier: MIT
"""What pages show as printed is what their programs print."""

import pathlib
import re

import pytest
from programs import is_cpu, run_file

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def _program_and_text(page, heading=""):
    """The first program below a heading of a page, and what is shown below the program."""
    text = (DOCS / page).read_text(encoding="utf-8")
    section = text[text.index(f"## {heading}\n") :] if heading else text
    return re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", section, re.DOTALL).groups()


def _printed(page, folder, heading=""):
    program, shown = _program_and_text(page, heading)
    (folder / "program.py").write_text(program, encoding="utf-8")
    return run_file(folder / "program.py")[0], shown


def _words(text):
    """Without line breaks, which are others in a page, and without addresses."""
    return re.sub(r"0x[0-9a-f]+", "0x", " ".join(text.split()))


@pytest.fixture(autouse=True)
def cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, whose messages the pages show")


@pytest.mark.parametrize(
    ("page", "heading"),
    [
        ("howto/find-a-memory-error.md", ""),
        ("howto/find-a-race.md", ""),
        ("guide/errors.md", "A kernel accesses memory outside its arrays"),
    ],
)
def test_messages_are_those_of_the_program(tmp_path, page, heading):
    printed, shown = _printed(page, tmp_path, heading)
    assert _words(printed) == _words(shown)


@pytest.mark.parametrize("heading", ["Accesses that are not coalesced", "Bank conflicts"])
def test_counters_are_printed_as_the_page_shows_them(tmp_path, heading):
    printed, shown = _printed("howto/find-out-why.md", tmp_path, heading)

    def words(text):
        return re.sub(r"\b0 of \d+", "0 of N", _words(text))  # how many branches there are is the compiler's matter

    assert words(printed).startswith(words(shown).removesuffix(" ..."))


def test_the_benchmark_is_printed_as_the_page_shows_it(tmp_path):
    printed, shown = _printed("howto/measure-time.md", tmp_path)

    def shape(text):
        # "1 call" on a busy machine
        text = re.sub(r"\d+ samples of \d+ calls?", "N samples of N calls", text)
        text = re.sub(r"\b\d[\d.]* (?:[mµn]?s|GB/s)", "TIME", text)
        return " ".join(text.split())

    assert shape(printed).startswith(shape(shown))
