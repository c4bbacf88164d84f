# SPDX-License-Identifier: MIT
"""Prose uses plain words and short sentences: tools/check_prose.py."""

import json
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


def test_prose_has_no_words_with_a_plainer_replacement(capsys):
    assert check_prose.main() == 0, capsys.readouterr().out


@pytest.mark.parametrize("text", ["This stops for ever.\n", "- with its defects\n", "| a | in order to |\n"])
def test_a_word_is_found_in_text_lists_and_tables(page, text):
    page.write_text(text)
    assert len(list(check_prose.complaints(page, {"for ever": "forever", "defects": "bugs", "in order to": "to"}))) == 1


def test_code_is_not_prose(page):
    page.write_text("```text\nfor ever\n```\n\n    for ever\n\nThe flag `for ever`.\n")
    assert list(check_prose.complaints(page, {"for ever": "forever"})) == []


def test_long_lines_are_found_outside_of_tables(page):
    wide = "word " * 30
    page.write_text(f"{wide}\n\n| {wide} |\n\n```text\n{wide}\n```\n")
    of_prose, of_code = check_prose.complaints(page, {})
    assert of_prose.startswith("page.md:1: 150 columns")
    assert of_code.startswith("page.md:6: code of 150 columns")


def test_code_wider_than_a_page_is_found_in_documents_and_notebooks(page):
    wide = "w" * 93
    page.write_text(f"```python\n{wide[1:]}\n{wide}\n```\n\n```{{image}} a.png\n:alt: {wide}\n```\n")
    (complaint,) = check_prose.complaints(page, {})
    assert complaint.startswith("page.md:3: code of 93 columns")
    notebook = page.with_suffix(".ipynb")
    folded = ["```ipython3\n", f"{wide}\n", "```\n"]
    cells = [{"cell_type": "code", "source": [wide]}, {"cell_type": "markdown", "source": folded}]
    notebook.write_text(json.dumps({"cells": cells}))
    found = list(check_prose.complaints(notebook, {}))
    assert [text.split(" code")[0] for text in found] == ["page.ipynb: cell 1:1:", "page.ipynb: cell 2:2:"]


def test_examples_wider_than_a_page_are_found_in_docstrings(page):
    program = page.with_suffix(".py")
    program.write_text(f'def f():\n    """Do it.\n\n    >>> {"w" * 80}\n    >>> {"w" * 81}\n    """\n')
    (complaint,) = check_prose.complaints(program, {})
    assert complaint.startswith("page.py:5: code of 85 columns")


def test_long_sentences_are_found_across_lines_but_not_across_list_items(page):
    long = "is " * 30 + "\n" + "is " * 30
    page.write_text(f"Short.\n\n{long}\n")
    (complaint,) = check_prose.complaints(page, {})
    assert complaint.startswith("page.md:3: a sentence of 60 words")
    page.write_text(f"- {'is ' * 25}\n- {'is ' * 25}\n")
    assert list(check_prose.complaints(page, {})) == []
    page.write_text(f"{'is ' * 25}.\n{'Is ' * 25}.\n")
    assert list(check_prose.complaints(page, {})) == []


WORD = {"for ever": "forever"}


def test_docstrings_and_comments_of_python_are_prose(page):
    program = page.with_suffix(".py")
    program.write_text(
        'def f():\n    """Waits for ever.\n\n    >>> "for ever"\n    """\n    return "for ever"  # for ever\n'
    )
    assert [text.split(" ")[0] for text in check_prose.complaints(program, WORD)] == ["page.py:2:", "page.py:6:"]


def test_comments_of_headers_are_prose(page):
    header = page.with_suffix(".h")
    header.write_text('/// Waits for ever.\nconst char* kText = "for ever";  // for ever\n// `for ever` is code.\n')
    assert [text.split(" ")[0] for text in check_prose.complaints(header, WORD)] == ["page.h:1:", "page.h:2:"]


def test_text_cells_of_notebooks_are_prose(page):
    notebook = page.with_suffix(".ipynb")
    cells = [{"cell_type": "code", "source": ["for ever"]}, {"cell_type": "markdown", "source": ["a\n", "for ever"]}]
    notebook.write_text(json.dumps({"cells": cells}))
    (complaint,) = check_prose.complaints(notebook, WORD)
    assert complaint.startswith("page.ipynb: cell 2:2: 'for ever'")


def test_the_readme_has_at_most_600_words():
    words = [word for word in (ROOT / "README.md").read_text().split() if any(letter.isalnum() for letter in word)]
    assert len(words) <= 600
