# SPDX-License-Identifier: MIT
"""Make copies of the lessons for graded work, and grade what comes back.

    python grade.py hand-out FOLDER              lessons without solutions, and what they import
    python grade.py grade NOTEBOOK ...           a line for each exercise
    python grade.py grade --csv grades.csv NOTEBOOK ...

Grading takes the exercises' cells from a student's notebook, puts them into the lesson as it is beside this program,
and runs that. Whatever else the student has changed, checks included, has no effect. The cells run with your rights:
grade in a container or as another user.
"""

import argparse
import asyncio
import csv
import json
import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
LESSONS = {path.stem: path for path in sorted(HERE.glob("[0-9][0-9]-*.ipynb"))}


def hand_out(folder, kernel, solutions):
    """Write the lessons for a Jupyter kernel, with or without their solutions, and the folder `course` beside them."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.samefile(HERE):
        sys.exit(f"hand-out would replace the lessons in {HERE}: name another folder")
    shutil.copytree(
        HERE / "course", folder / "course", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    for name, path in LESSONS.items():
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if not solutions:
            notebook["cells"] = [cell for cell in notebook["cells"] if "solution" not in cell["metadata"]]
        notebook["metadata"]["lesson"] = name
        if kernel:
            notebook["metadata"]["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
        (folder / path.name).write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    how = "with" if solutions else "without"
    print(f"{len(LESSONS)} lessons {how} solutions are in {folder}, and the folder course that they import")


def lesson_of(path, notebook):
    """The name of the lesson that a notebook is a copy of."""
    name = notebook["metadata"].get("lesson") or next((name for name in LESSONS if name in path.stem), None)
    if name not in LESSONS:
        raise ValueError(f"which lesson is it? Let its name contain that of the lesson, such as {next(iter(LESSONS))}")
    return name


def read(path):
    """A notebook, whatever the editor has written before its text."""
    return json.loads(path.read_text(encoding="utf-8-sig"))


def grade(path, timeout):
    """Yield (exercise, verdict, what the check has printed) for the exercises of a student's notebook."""
    import nbclient  # only for grading: `pip install nbclient ipykernel`
    import nbformat
    from jupyter_client import AsyncKernelManager

    work = read(path)
    lesson = nbformat.read(LESSONS[lesson_of(path, work)], as_version=4)
    done = {cell["metadata"]["exercise"]: cell for cell in work["cells"] if "exercise" in cell["metadata"]}
    checks = {}
    for cell in lesson.cells:
        name = cell.metadata.get("exercise")
        if name in done:
            cell.source = "".join(done[name]["source"])
        if name is not None:
            last = name
        elif cell.cell_type == "code" and "course.check(" in cell.source:
            checks[last] = cell
    manager = AsyncKernelManager(kernel_name="python3")
    manager.kernel_spec.argv[0] = sys.executable  # this Python, whatever kernels are installed
    # A cell that raises ends neither the lesson nor the other exercises.
    settings = {"timeout": timeout, "interrupt_on_timeout": True, "allow_errors": True}
    client = nbclient.NotebookClient(lesson, km=manager, resources={"metadata": {"path": str(HERE)}}, **settings)
    try:
        client.execute()
    except (nbclient.exceptions.CellControlSignal, RuntimeError) as problem:  # an interrupt has not helped, or it died
        print(f"{path}: the lesson's kernel ended early: {str(problem).splitlines()[0]}", file=sys.stderr)
    finally:
        if manager.has_kernel:
            asyncio.run(manager.shutdown_kernel(now=True))
    for name, cell in checks.items():
        printed = "".join(output.get("text", "") for output in cell.outputs).strip()
        found = re.search(r"^(Correct!|Not yet\.)", printed, re.MULTILINE)
        verdict = "missing" if name not in done else "right" if found and found[1] == "Correct!" else "open"
        yield name, verdict, printed


def main():
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    made = commands.add_parser("hand-out", help="write the lessons and what they import into a folder")
    made.add_argument("folder", type=pathlib.Path)
    made.add_argument("--kernel", help="the Jupyter kernel that they open with, such as cuda-course")
    made.add_argument("--with-solutions", action="store_true", help="leave the folded solutions in")
    graded = commands.add_parser("grade", help="run students' exercises in the lessons")
    graded.add_argument("notebooks", nargs="+", type=pathlib.Path, metavar="NOTEBOOK")
    graded.add_argument("--csv", type=pathlib.Path, help="write the verdicts into a table too")
    graded.add_argument("--timeout", type=int, default=120, help="seconds for each cell")
    arguments = parser.parse_args()
    if arguments.command == "hand-out":
        return hand_out(arguments.folder, arguments.kernel, arguments.with_solutions)
    rows = []
    for path in arguments.notebooks:
        try:
            verdicts = list(grade(path, arguments.timeout))
        except (OSError, ValueError, KeyError, TypeError) as problem:  # it must not cost the others their grades
            print(f"{path}: not graded: {problem}", flush=True)
            rows.append([path, "", "not graded"])
            continue
        print(f"{path}: {sum(verdict == 'right' for _, verdict, _ in verdicts)} of {len(verdicts)}", flush=True)
        for name, verdict, printed in verdicts:
            print(
                f"  {name:12} {verdict:8} {printed.splitlines()[0] if verdict == 'open' and printed else ''}".rstrip()
            )
            rows.append([path, name, verdict])
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["notebook", "exercise", "verdict"], *rows])


if __name__ == "__main__":
    main()
