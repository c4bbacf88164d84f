# SPDX-License-Identifier: MIT
"""Documents use plain words: tools/check_prose.py knows the others."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    check_prose = pytest.importorskip("check_prose", reason="needs tomllib or tomli")
finally:
    sys.path.remove(str(ROOT / "tools"))


@pytest.fixture
def page(monkeypatch, tmp_path):
    monkeypatch.setattr(check_prose, "ROOT", tmp_path)
    return tmp_path / "page.md"


def test_documents_have_no_words_with_a_plainer_replacement(capsys):
    assert check_prose.main() == 0, capsys.readouterr().out


@pytest.mark.parametrize("text", ["This stops for ever.\n", "- with its defects\n", "| a | in order to |\n"])
def test_a_word_is_found_in_text_lists_and_tables(page, text):
    page.write_text(text)
    assert len(list(check_prose.complaints(page, {"for ever": "forever", "defects": "bugs", "in order to": "to"}))) == 1


def test_code_is_not_prose(page):
    page.write_text("```text\nfor ever\n```\n\n    for ever\n\nThe flag `for ever`.\n")
    assert list(check_prose.complaints(page, {"for ever": "forever"})) == []


def test_long_lines_are_found_outside_of_code_and_tables(page):
    wide = "word " * 30
    page.write_text(f"{wide}\n\n| {wide} |\n\n```text\n{wide}\n```\n")
    (complaint,) = check_prose.complaints(page, {})
    assert complaint.startswith("page.md:1: ")


def test_the_readme_has_at_most_600_words():
    words = [word for word in (ROOT / "README.md").read_text().split() if any(letter.isalnum() for letter in word)]
    assert len(words) <= 600
