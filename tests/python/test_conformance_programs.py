# SPDX-License-Identifier: MIT
"""`./run conformance` with programs: how they are built, and what becomes of what they print."""

import pathlib
import subprocess
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
    "build": ["sh", "-c", "cp main.sh program && chmod +x program"],
    "program": "program",
    "seconds": 60,
    "seconds_to_build": 60,
    "passed": "PASS",
    "failed": "FAIL",
    "waived": 2,
}


def outcome(tmp_path, text, **facts):
    """Of a program that is a shell script."""
    folder = tmp_path / "group" / "one"
    folder.mkdir(parents=True)
    (folder / "main.sh").write_text("#!/bin/sh\n" + text)
    project = conformance.Project("fake", {"programs": FACTS | facts})
    results = programs.run_program(project, tmp_path, "group/one", {"PATH": "/bin:/usr/bin", "LD_PRELOAD": "none.so"})
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


def test_a_program_that_does_not_end_is_stopped(tmp_path):
    assert outcome(tmp_path, "echo PASS; sleep 60", seconds=1) == "took longer than 1 seconds"


def test_errors_of_the_compiler_are_named(tmp_path):
    build = ["sh", "-c", "echo note; echo 'main.cu(3): error: unknown name'; exit 1"]
    assert outcome(tmp_path, "", build=build) == "does not build: main.cu(3): error: unknown name"
    assert outcome(tmp_path / "other", "", build=["true"]) == "does not build: status 0"


def test_compilers_run_without_the_preloaded_stand_ins(tmp_path):
    build = ["sh", "-c", '[ -z "$LD_PRELOAD" ] && cp main.sh program && chmod +x program']
    assert outcome(tmp_path, '[ -n "$LD_PRELOAD" ] && echo PASS', build=build) == "passed"


def test_a_program_may_have_the_name_in_its_makefile(tmp_path):
    (tmp_path / "group" / "one").mkdir(parents=True)
    (tmp_path / "group" / "one" / "Makefile").write_text("program = other\n")
    project = conformance.Project("fake", {"programs": FACTS | {"build": ["sh", "-c", "cp /bin/true other"]}})
    results = programs.run_program(project, tmp_path, "group/one", {"PATH": "/bin:/usr/bin"})
    assert results == {"group/one": "printed no word of success"}


def test_commands_name_sources_and_options(tmp_path):
    for name in ("a.cu", "src/b.cpp", "c.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    facts = {"build": ["nvcc", "-I{root}", "{sources}", "{options}"], "options": {"g/p": "-l x -L'{root}/a b'"}}
    command = programs.build_command(facts, "g/p", tmp_path, "/r")
    assert command == ["nvcc", "-I/r", "a.cu", "src/b.cpp", "-l", "x", "-L/r/a b"]
    chosen = programs.build_command(facts | {"sources": {"g/p": ["a.*"]}}, "g/p", tmp_path, "/r")
    assert chosen[2:4] == ["a.cu", "-l"]


def test_sources_are_those_of_the_pinned_commit(tmp_path):
    origin = tmp_path / "origin"
    origin.mkdir()
    git = ["git", "-C", str(origin), "-c", "user.name=n", "-c", "user.email=e"]
    subprocess.run([*git, "init", "-q"], check=True)
    commits = []
    for text in ("first", "second"):
        for name in ("src/one/main.cu", "docs/page.md"):
            (origin / name).parent.mkdir(parents=True, exist_ok=True)
            (origin / name).write_text(text)
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", text], check=True)
        commits.append(subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout)
    subprocess.run([*git, "config", "uploadpack.allowFilter", "true"], check=True)
    subprocess.run([*git, "config", "uploadpack.allowAnySHA1InWant", "true"], check=True)
    source = {"repository": origin.as_uri(), "commit": commits[0].strip(), "sparse": ["/src"], "folder": "src"}
    for _ in range(2):  # the second time, it is there
        folder = programs.checkout(tmp_path / "build", conformance.Project("fake", {"programs": source}))
        assert (folder / "one" / "main.cu").read_text() == "first"
        assert not (folder.parent / "docs").exists()


@pytest.mark.parametrize("name", ["cuda-samples", "hecbench"])
def test_what_the_files_name_is_on_their_lists(name):
    facts = conformance.Project.read(name).facts
    listed = set(facts["files"])
    assert len(listed) == len(facts["files"])
    for table in ("arguments", "options", "sources"):
        assert set(facts["programs"].get(table, {})) <= listed
    for known in facts.get("known", []):
        assert set(known["tests"]) <= listed and known["cause"]
