# SPDX-License-Identifier: MIT
"""`./run conformance` with programs: what becomes of what they print."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    conformance = pytest.importorskip("conformance", reason="needs tomllib or tomli")
    programs = pytest.importorskip("conformance_programs")
finally:
    sys.path.remove(str(ROOT / "tools"))

FACTS = {
    "program": "program",
    "seconds": 60,
    "passed": "PASS",
    "failed": "FAIL",
    "waived": 2,
}


def outcome(tmp_path, text, **facts):
    """Of a program that is a shell script."""
    folder = tmp_path / "group" / "one"
    folder.mkdir(parents=True)
    (folder / "program").write_text("#!/bin/sh\n" + text)
    (folder / "program").chmod(0o755)
    project = conformance.Project("fake", {"programs": FACTS | facts})
    results = programs.run_program(project, tmp_path, "group/one", {"PATH": "/bin:/usr/bin"})
    return results["group/one"]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("echo test PASS", "passed"),
        ("echo nothing", "printed no word of success"),
        ("echo first PASS; echo second FAIL", "second FAIL"),
        ("echo PASS; exit 3", "ended with status 3"),
        ("exit 2", "skipped"),
        ('[ "$1 $2" = "a b c" ] && echo PASS', "passed"),
    ],
)
def test_programs_are_judged_by_what_they_print(tmp_path, text, expected):
    assert outcome(tmp_path, text, arguments={"group/one": "a 'b c'"}) == expected


def test_a_program_may_have_variables(tmp_path):
    assert outcome(tmp_path, '[ "$A" = 2 ] && echo PASS', variables={"group/one": {"A": "2"}}) == "passed"


def test_a_program_that_does_not_end_is_stopped(tmp_path):
    assert outcome(tmp_path, "echo PASS; sleep 60", seconds=1) == "took longer than 1 seconds"


def test_a_program_that_is_not_built_is_named(tmp_path):
    (tmp_path / "one").mkdir()
    project = conformance.Project("fake", {"programs": FACTS})
    assert programs.run_program(project, tmp_path, "one", {}) == {"one": "is not built"}


def test_a_program_may_have_the_name_in_its_makefile(tmp_path):
    (tmp_path / "group" / "one").mkdir(parents=True)
    (tmp_path / "group" / "one" / "Makefile").write_text("program = other\n")
    (tmp_path / "group" / "one" / "other").symlink_to("/bin/true")
    project = conformance.Project("fake", {"programs": FACTS})
    results = programs.run_program(project, tmp_path, "group/one", {"PATH": "/bin:/usr/bin"})
    assert results == {"group/one": "printed no word of success"}


@pytest.mark.parametrize("name", ["cuda-samples", "hecbench"])
def test_what_the_files_name_is_on_their_lists(name):
    facts = conformance.Project.read(name).facts
    listed = set(facts["files"])
    assert len(listed) == len(facts["files"])
    for table in ("arguments", "variables"):
        assert set(facts["programs"].get(table, {})) <= listed
    for known in facts.get("known", []):
        assert set(known["tests"]) <= listed and known["cause"]
