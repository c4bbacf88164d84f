# SPDX-License-Identifier: MIT
"""Verdicts depend on no time, load or other process, and skips name a need: tools/check_tests.py knows what would."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    check_tests = pytest.importorskip("check_tests", reason="needs tomllib or tomli")
finally:
    sys.path.remove(str(ROOT / "tools"))

PYTHON = """
import time
time.{}(0.1)
"""


@pytest.fixture
def tree(tmp_path):
    """Writes a test and a list of what is allowed; gives the complaints."""

    def complaints(test, allowed, name="test_x.py"):
        for folder in ("tests", "tools"):
            (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / "tests" / name).write_text(test)
        rules = "".join(
            f'[[allowed]]\nfile = "tests/{name}"\nwhat = "{what}"\nuses = {uses}\nwhy = "{why}"\n'
            for what, uses, why in allowed
        )
        (tmp_path / check_tests.ALLOWED).write_text(rules or "allowed = []\n")
        return check_tests.complaints(tmp_path)

    return complaints


def test_the_project_has_a_reason_for_every_use():
    assert check_tests.complaints(ROOT) == []


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        (PYTHON.format("sleep"), "sleep", "test_x.py"),
        (PYTHON.format("perf_counter"), "clock", "test_x.py"),
        (PYTHON.format("process_time"), "clock", "test_x.py"),
        ("\n\nthread.{}(60)\n".format("join"), "limit", "test_x.py"),
        ("\n\nfree = cuda.{}()\n".format("mem_get_info"), "memory", "test_x.py"),
        ("\n\nstd::this_thread::sleep_for(1ms);\n", "sleep", "x_test.cpp"),
        ("\n\nconst auto start = Clock::now();\n", "clock", "x_test.cpp"),
        ("\n\nconst std::clock_t start = std::clock();\n", "clock", "x_test.cpp"),
        ("\n\nCHECK(ready.wait_for(std::chrono::seconds(20)) == done);\n", "limit", "x_test.cpp"),
        ("\n\nCU(cuMemGetInfo_v2)(&free, &total);\n", "memory", "x_test.cpp"),
    ],
)
def test_a_use_without_a_reason_is_named(tree, text, kind, name):
    (complaint,) = tree(text, [], name)
    assert complaint.startswith(f"tests/{name}:3: {kind}: ")
    assert tree(text, [(kind, 1, "it never runs")], name) == []


def test_a_reason_is_given_for_each_use_and_for_no_other(tree):
    text = PYTHON.format("sleep")
    (complaint,) = tree(text, [("sleep", 2, "it never runs")])
    assert "1 uses (lines 3), 2 in" in complaint
    (complaint,) = tree(text, [("sleep", 1, " ")])
    assert "no reason" in complaint
    (complaint,) = tree("", [("sleep", 1, "it never runs")])
    assert "has no sleep" in complaint


@pytest.mark.parametrize(
    ("skip", "told"),
    [
        ("pytest.skip('too old')", True),
        ("pytest.skip(f'too old: {it}')", True),
        ("pytest.mark.skipif(old, reason='too old')", True),
        ("pytest.skip('needs a newer one')", False),
        ("pytest.skip(f'needs {it}')", False),
        ("pytest.skip(reason)", False),
    ],
)
def test_a_skip_begins_with_what_it_needs(tree, skip, told):
    assert tree(f"import pytest\n\n{skip}\n", []) == (
        ['tests/test_x.py:3: skip: begin the reason with "needs "'] if told else []
    )
