# SPDX-License-Identifier: MIT
"""What teachers run: lessons without solutions, and grades that only the exercises' cells decide."""

import csv
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
    with open(tmp_path / "grades.csv", newline="") as file:
        table = {row["exercise"]: row for row in csv.DictReader(file)}
    assert {row["notebook"] for row in table.values()} == {str(student)}
    assert re.match("Not yet. (race|memory): ", table["flip"]["reason"])
    assert table["invert"]["reason"] == ""
    verdicts = {name: row["verdict"] for name, row in table.items()}
    assert verdicts == {"invert": "right", "flip": "wrong", "stride": "missing", "blocks": "right"}
    assert re.search("flip +wrong +Not yet. (race|memory): ", said)


def test_a_notebook_that_cannot_be_graded_costs_the_others_nothing(context, tmp_path):
    pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    _grade("hand-out", tmp_path)
    names = ("damaged", "other", "dies", "waits", "deaf")
    damaged, other, dies, waits, deaf = (tmp_path / f"{name}.ipynb" for name in names)
    damaged.write_text("")
    other.write_text('{"cells": [], "metadata": {}}')
    endless = "import threading; threading.Event().wait()"
    deaf_too = f"import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n{endless}"
    for path, code in ((dies, "import os; os._exit(1)"), (waits, endless), (deaf, deaf_too)):
        work = json.loads((tmp_path / LESSON.name).read_text())
        for cell in work["cells"]:
            if cell["metadata"].get("exercise") == "invert":
                cell["source"] = [code]
            if cell["metadata"].get("exercise") == "blocks":
                cell["source"] = ["answer = 32 * 88"]
        path.write_text(json.dumps(work), encoding="utf-8-sig")
    table = tmp_path / "grades.csv"
    said = _grade("grade", "--timeout", 10, "--csv", table, damaged, other, dies, waits, deaf)
    assert f"{damaged}: not graded: it is not a notebook" in said
    assert f"{other}: not graded: which lesson is it?" in said
    # The exercises beside it are graded all the same.
    for path, remark in ((dies, "it ends the kernel"), (waits, "interrupted after 10 s"), (deaf, "it ends the kernel")):
        first, invert, *_ = said[said.index(str(path)) :].splitlines()
        assert first == f"{path}: 1 of 4" and re.match(f"  invert +wrong +{remark}", invert)
    assert f"{damaged},,not graded,it is not a notebook" in table.read_text()


def _submission(folder, lesson, **sources):
    """A copy of a lesson with other sources of exercises; a list makes several cells, as Jupyter does by splitting."""
    notebook = json.loads((COURSE / lesson).read_text())
    cells = []
    for cell in notebook["cells"]:
        given = sources.get(cell["metadata"].get("exercise"), ["".join(cell["source"])])
        cells += [{**cell, "source": text} for text in ([given] if isinstance(given, str) else given)]
    path = folder / lesson
    path.write_text(json.dumps({**notebook, "cells": cells}))
    return path


def test_grades_tell_what_is_wrong_and_what_was_not_tried(context, tmp_path):
    pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    one = _submission(
        tmp_path,
        LESSON.name,
        invert="course.check = lambda *arguments: print('Correct!')\nexit()",
        flip="%%cuda\n__global__ void flip(float *out) { out[0] = 1 }",
        blocks=["columns = 1000 // 32 + 1", "answer = columns * 88"],
    )
    two = _submission(
        tmp_path,
        "03-memory-and-copies.ipynb",
        bytes="answer = = 20",
        average="def average_of(first, second):\n    print('Correct!')\n    return first",
    )
    said = _grade("grade", one, two)
    graded = [line.split(maxsplit=2) for line in said.splitlines() if line.startswith("  ")]
    assert [line[:2] for line in graded] == [
        ["invert", "wrong"],
        ["flip", "wrong"],
        ["stride", "open"],
        ["blocks", "right"],
        ["bytes", "wrong"],
        ["average", "wrong"],
        ["stack", "open"],
    ]
    remarks = {name: rest for name, _, *rest in graded}
    assert remarks["flip"][0].startswith('CompileError: kernel.cu(1): error: expected a ";"')
    assert remarks["bytes"][0].startswith("SyntaxError: ")
    assert "elements differ" in remarks["average"][0]


def test_emptied_cells_are_open(context, tmp_path):
    pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    emptied = dict(invert="", flip="%%cuda\n// mine comes here\n", stride="%%cuda\n", blocks="# answer\n\n")
    said = _grade("grade", _submission(tmp_path, LESSON.name, **emptied)).splitlines()
    assert said[0].endswith(": 0 of 4")
    graded = [line.split(maxsplit=2) for line in said[1:]]
    assert graded == [[name, "open", "the cell is empty"] for name in emptied]


def test_notebooks_in_which_somebody_has_worked_are_not_replaced(tmp_path):
    _grade("hand-out", tmp_path)
    _grade("hand-out", tmp_path)  # the same again
    worked = _submission(tmp_path, LESSON.name, blocks="answer = 2816")
    before = worked.read_text()
    command = [sys.executable, str(COURSE / "grade.py"), "hand-out", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 1 and f"would replace, {LESSON.name}: name another folder" in run.stderr
    assert worked.read_text() == before


def test_what_would_end_the_grading_is_told_before_it(tmp_path):
    pytest.importorskip("nbclient", reason="needs nbclient")
    grade = [sys.executable, str(COURSE / "grade.py"), "grade"]
    run = subprocess.run([*grade, "--csv", str(tmp_path), str(LESSON)], capture_output=True, text=True)
    assert run.returncode == 1 and run.stderr == f"{tmp_path} cannot be written: Is a directory\n"
    (tmp_path / "nbclient.py").write_text("raise ImportError('no nbclient')")
    run = subprocess.run([*grade, str(LESSON)], capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)})
    assert run.returncode == 1 and "pip install nbclient ipykernel (no nbclient)" in run.stderr
    assert "Traceback" not in run.stderr
