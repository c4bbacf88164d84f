# SPDX-License-Identifier: MIT
"""`./run conformance`: what becomes of the results of another project's tests."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
try:
    conformance = pytest.importorskip("conformance", reason="needs tomllib or tomli")
finally:
    sys.path.remove(str(ROOT / "tools"))

NAMES = sorted(path.stem for path in conformance.PROJECTS.glob("*.toml"))

SUITE = """
import os, time, pytest

class TestAll:
    def test_good(self): pass
    def test_bad(self): assert False, "first line\\nsecond line"
    @pytest.mark.parametrize("n", [1, 2])
    def test_numbers(self, n): assert n == 1

@pytest.mark.skip
def test_other(): pass
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose environment is this Python."""
    monkeypatch.setattr(conformance, "BUILD", tmp_path)
    monkeypatch.setattr(conformance.Project, "python", sys.executable)
    facts = {"version": "1.0", "tests": {}, "seconds_per_file": 60, "files": ["test_*.py"]}
    return conformance.Project("fake", facts)


def run(project, tmp_path, text, file="test_suite.py"):
    (tmp_path / file).write_text(text)
    return conformance.run_file(project, tmp_path, file, {})


def test_every_test_has_its_outcome(project, tmp_path):
    assert run(project, tmp_path, SUITE) == {
        "test_suite.py::TestAll::test_good": "passed",
        "test_suite.py::TestAll::test_bad": "AssertionError: first line",
        "test_suite.py::TestAll::test_numbers[1]": "passed",
        "test_suite.py::TestAll::test_numbers[2]": "assert 2 == 1",
        "test_suite.py::test_other": "skipped",
    }


def test_a_file_that_cannot_be_imported_fails(project, tmp_path):
    outcomes = run(project, tmp_path, "import no_such_module_anywhere")
    assert len(outcomes) == 1 and "passed" not in outcomes.values()


def test_a_file_that_ends_its_process_fails(project, tmp_path):
    outcomes = run(project, tmp_path, "import os\ndef test_exit(): os._exit(3)")
    assert outcomes == {"test_suite.py::(whole file)": "ended with status 3 and no report"}


def test_a_file_that_never_ends_is_stopped(project, tmp_path):
    project.facts["seconds_per_file"] = 1
    outcomes = run(project, tmp_path, "import threading\nthreading.Event().wait()")
    assert outcomes == {"test_suite.py::(whole file)": "took longer than 1 seconds"}


def test_only_new_failures_count(project, capsys):
    project.facts["known"] = [{"cause": "needs machine code", "tests": ["a.py::*", "b.py::test[1-2]"]}]
    known = {"a.py::T::x": "error", "b.py::test[1-2]": "error", "c.py::y": "passed", "c.py::z": "skipped"}
    assert not conformance.summarise(project, known)
    assert "fake 1.0: 1 passed, 2 known failures, 0 new failures, 1 skipped" in capsys.readouterr().out
    assert conformance.summarise(project, known | {"b.py::test1": "error"})
    assert "FAILED b.py::test1: error" in capsys.readouterr().out


def test_a_known_failure_that_passes_is_said(project, capsys):
    project.facts["known"] = [{"cause": "needs machine code", "tests": ["a.py::x"]}]
    assert not conformance.summarise(project, {"a.py::x": "passed"})
    assert "passes, and is listed as a known failure: a.py::x" in capsys.readouterr().out


def test_files_are_named_by_patterns(project, tmp_path):
    for name in ("test_b.py", "test_a.py", "other.py"):
        (tmp_path / name).touch()
    assert conformance.files_of(project, tmp_path, ["test_b.py", "test_*.py"]) == ["test_b.py", "test_a.py"]
    project.facts["excluded"] = {"test_a.py": "needs another package"}
    assert conformance.files_of(project, tmp_path, ["test_*.py"]) == ["test_b.py"]
    with pytest.raises(SystemExit, match="no file of tests is called test_c"):
        conformance.files_of(project, tmp_path, ["test_c.py"])


def test_files_run_with_each_variant(project, tmp_path, monkeypatch, capsys):
    text = "import os\ndef test_kind(): assert os.environ['KIND'] == 'a' and os.environ['COMMON'] == '1'"
    (tmp_path / "test_suite.py").write_text(text)
    project.facts |= {"variants": {"first": {"KIND": "a"}, "second": {"KIND": "b"}}, "short": ["test_suite.py"]}
    project.facts["known"] = [{"cause": "has no b", "tests": ["second:*::test_kind"]}]
    monkeypatch.setattr(conformance.Project, "read", lambda name: project)
    monkeypatch.setattr(conformance, "install", lambda project: tmp_path)
    monkeypatch.setattr(conformance, "environment", lambda: {"COMMON": "1"})
    assert not conformance.main([NAMES[0], "--short"])
    printed = capsys.readouterr().out
    assert "first:test_suite.py: 1 passed, 0 failed" in printed
    assert "second:test_suite.py: 0 passed, 1 failed" in printed
    assert "fake 1.0: 1 passed, 1 known failures, 0 new failures, 0 skipped" in printed


@pytest.mark.parametrize("name", NAMES)
def test_projects_are_pinned_and_known_failures_have_causes(name):
    project = conformance.Project.read(name)
    if "programs" in project.facts:
        assert project.facts["programs"]["seconds"] > 0
    else:
        assert any(project.facts["version"] in line for line in project.facts["requirements"])
        assert project.facts["seconds_per_file"] > 0
    assert project.facts["files"] and project.facts["short"]
    assert all(known["cause"] and known["tests"] for known in project.facts.get("known", []))
