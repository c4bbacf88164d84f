# SPDX-License-Identifier: MIT
"""What teachers run: lessons without solutions, and grades that only the exercises' cells decide."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

COURSE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "course"
LESSON = COURSE / "02-threads-blocks-grids.ipynb"
CODE = re.compile(r"```ipython3\n(.*?)\n```", re.DOTALL)


def _grade(*arguments):
    command = [sys.executable, str(COURSE / "grade.py"), *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_what_is_handed_out_contains_no_answers(tmp_path):
    _grade("hand-out", tmp_path)
    made = sorted(tmp_path.glob("*.ipynb"))
    assert [path.name for path in made] == sorted(path.name for path in COURSE.glob("*.ipynb"))
    for path in made:
        text = path.read_text()
        assert "<summary>Solution" not in text and "Hint" not in text
        cells = json.loads(text)["cells"]
        for cell in cells:
            source = "".join(cell["source"])
            if "course.check(" in source:
                # The check is given what the exercise makes, and nothing to compare it with.
                assert re.search(r'^course\.check\("\w+", \w+\);$', source, re.MULTILINE), source


def test_what_is_handed_out_runs_where_it_is(context, tmp_path):
    _grade("hand-out", tmp_path / "class")
    lesson = json.loads((tmp_path / "class" / LESSON.name).read_text())
    first = next("".join(cell["source"]) for cell in lesson["cells"] if cell["cell_type"] == "code")
    assert "import course" in first
    run = subprocess.run(
        [sys.executable, "-c", "import course; print(course.__file__)"],
        cwd=tmp_path / "class",
        capture_output=True,
        text=True,
    )
    assert run.stdout.strip() == str(tmp_path / "class" / "course" / "__init__.py"), run.stderr


def test_solutions_are_handed_out_on_demand(tmp_path):
    _grade("hand-out", "--with-solutions", "--kernel", "cuda-course", tmp_path)
    for path in tmp_path.glob("*.ipynb"):
        assert len(json.loads(path.read_text())["cells"]) == len(json.loads((COURSE / path.name).read_text())["cells"])
        assert json.loads(path.read_text())["metadata"]["kernelspec"]["name"] == "cuda-course"


def test_the_lessons_are_not_replaced_by_copies_without_solutions(tmp_path):
    copy = tmp_path / "course"
    shutil.copytree(COURSE, copy)
    run = subprocess.run([sys.executable, "grade.py", "hand-out", "."], cwd=copy, capture_output=True, text=True)
    assert run.returncode == 1 and "would replace the lessons" in run.stderr
    assert (copy / LESSON.name).read_text() == LESSON.read_text()


def test_grades_come_from_the_exercises_alone(context, tmp_path):
    pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    _grade("hand-out", tmp_path)
    work = json.loads((tmp_path / LESSON.name).read_text())
    solutions = {
        cell["metadata"]["solution"]: CODE.search("".join(cell["source"]))[1]
        for cell in json.loads(LESSON.read_text())["cells"]
        if "solution" in cell["metadata"]
    }
    for cell in work["cells"]:
        name = cell["metadata"].get("exercise")
        if name in ("invert", "blocks"):
            cell["source"] = solutions[name].splitlines(keepends=True)
        if name == "flip":
            cell["source"] = solutions[name].replace("if (x < width && y < height)", "").splitlines(keepends=True)
        if "course.check(" in "".join(cell["source"]):
            cell["source"] = ["print('Correct!')"]
    work["cells"] = [cell for cell in work["cells"] if cell["metadata"].get("exercise") != "stride"]
    student = tmp_path / "student.ipynb"
    student.write_text(json.dumps(work))
    said = _grade("grade", "--csv", tmp_path / "grades.csv", student)
    assert said.splitlines()[0] == f"{student}: 2 of 4"
    verdicts = dict(line.split(",")[1:] for line in (tmp_path / "grades.csv").read_text().splitlines()[1:])
    assert verdicts == {"invert": "right", "flip": "open", "stride": "missing", "blocks": "right"}
    assert re.search("flip +open +Not yet. (race|memory): ", said)


def test_a_notebook_that_cannot_be_graded_costs_the_others_nothing(context, tmp_path):
    pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    _grade("hand-out", tmp_path)
    damaged, other, dies, waits = (tmp_path / f"{name}.ipynb" for name in ("damaged", "other", "dies", "waits"))
    damaged.write_text("")
    other.write_text('{"cells": [], "metadata": {}}')
    for path, code in ((dies, "import os; os._exit(1)"), (waits, "while True: pass")):
        work = json.loads((tmp_path / LESSON.name).read_text())
        for cell in work["cells"]:
            if cell["metadata"].get("exercise") == "invert":
                cell["source"] = [code]
            if cell["metadata"].get("exercise") == "blocks":
                cell["source"] = ["answer = 32 * 88"]
        path.write_text(json.dumps(work), encoding="utf-8-sig")
    table = tmp_path / "grades.csv"
    said = _grade("grade", "--timeout", 10, "--csv", table, damaged, other, dies, waits)
    assert f"{damaged}: not graded: " in said
    assert f"{other}: not graded: which lesson is it?" in said
    assert f"{dies}: 0 of 4" in said
    assert f"{waits}: 1 of 4" in said
    assert f"{damaged},,not graded" in table.read_text()
