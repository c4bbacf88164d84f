# SPDX-License-Identifier: MIT
"""Make copies of the lessons for graded work, and grade what comes back.

    python grade.py hand-out FOLDER              lessons without solutions, and what they import
    python grade.py grade NOTEBOOK ...           a line for each exercise
    python grade.py grade --csv grades.csv NOTEBOOK ...

Grading takes the exercises' cells from a student's notebook, puts them into the lesson as it is beside this program,
and runs that. Whatever else the student has changed, checks included, has no effect. An exercise is right, wrong, open
(as it was handed out, or emptied) or missing. The cells run with your rights, in the process that checks them: grade in a container
or as another user, and read the cells where deceit would matter.
"""

import argparse
import asyncio
import csv
import json
import pathlib
import re
import secrets
import shutil
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
LESSONS = {path.stem: path for path in sorted(HERE.glob("[0-9][0-9]-*.ipynb"))}


def hand_out(folder, kernel, solutions):
    """Write the lessons for a Jupyter kernel, with or without their solutions, and the folder `course` beside them.

    Exits if that would replace a notebook in which somebody may have worked.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if folder.samefile(HERE):
        sys.exit(f"hand-out would replace the lessons in {HERE}: name another folder")
    copies = {}
    for name, path in LESSONS.items():
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if not solutions:
            notebook["cells"] = [cell for cell in notebook["cells"] if "solution" not in cell["metadata"]]
        notebook["metadata"]["lesson"] = name
        if kernel:
            notebook["metadata"]["kernelspec"] = {"name": kernel, "display_name": kernel, "language": "python"}
        copies[folder / path.name] = json.dumps(notebook, indent=1)
    others = [path.name for path, text in copies.items() if path.exists() and path.read_text(encoding="utf-8") != text]
    if others:
        sys.exit(f"{folder} has notebooks that hand-out would replace, {', '.join(others)}: name another folder")
    shutil.copytree(
        HERE / "course", folder / "course", dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    for path, text in copies.items():
        path.write_text(text, encoding="utf-8")
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
    try:
        notebook = json.loads(path.read_text(encoding="utf-8-sig"))
        return {"metadata": dict(notebook["metadata"]), "cells": [dict(cell) for cell in notebook["cells"]]}
    except (ValueError, KeyError, TypeError) as problem:
        raise ValueError(f"it is not a notebook ({type(problem).__name__}: {problem})") from None


def sources_of(cells):
    """The sources of exercises by name. Jupyter copies a cell's name when it copies or splits the cell."""
    parts = {}
    for cell in cells:
        if "exercise" in cell.get("metadata", {}):
            parts.setdefault(cell["metadata"]["exercise"], []).append("".join(cell["source"]))
    # A cell of CUDA C++ is one cell.
    return {
        name: texts[-1] if any(text.startswith("%%") for text in texts) else "\n".join(texts)
        for name, texts in parts.items()
    }


def execute(lesson, timeout):
    """Run a lesson; if its kernel ends early, return the cell in which it has."""
    import nbclient  # only for grading: `pip install nbclient ipykernel`
    from jupyter_client import AsyncKernelManager

    manager = AsyncKernelManager(kernel_name="python3")
    manager.kernel_spec.argv[0] = sys.executable  # this Python, whatever kernels are installed
    # A cell that raises ends neither the lesson nor the other exercises.
    settings = {"timeout": timeout, "interrupt_on_timeout": True, "allow_errors": True}
    settings["extra_arguments"] = ["--log-level=ERROR"]  # no words about how the kernel is reached
    client = nbclient.NotebookClient(lesson, km=manager, resources={"metadata": {"path": str(HERE)}}, **settings)
    for cell in lesson.cells:
        cell.metadata.pop("execution", None)
    watches = []

    def watch(**_):
        end_watch()
        watches.append(threading.Timer(timeout + 5, lambda: manager.provisioner.process.kill()))
        watches[-1].start()

    def end_watch():
        while watches:
            watches.pop().cancel()

    client.on_cell_execute = watch  # nbclient itself waits for ever when an interrupt has no effect
    try:
        client.execute()
    except (nbclient.exceptions.CellControlSignal, RuntimeError):  # an interrupt has not helped, or it died
        code = (cell for cell in lesson.cells if cell.cell_type == "code" and cell.source.strip())
        return next((cell for cell in code if "shell.execute_reply" not in cell.metadata.get("execution", {})), None)
    finally:
        end_watch()
        if manager.has_kernel:
            asyncio.run(manager.shutdown_kernel(now=True))
    return None


def is_emptied(source):
    """Whether a cell has no code: nothing, or its magic and comments alone."""
    lines = (line.strip() for line in source.splitlines())
    return all(not line or line.startswith(("%%", "#", "//")) for line in lines)


def remark_on(cells, printed, timeout):
    """One line about an exercise that is not right: the error of its cell or of its check, or what the check says."""
    errors = [output for cell in cells for output in cell.outputs if output.output_type == "error"]
    for error in errors:
        if error.ename == "KeyboardInterrupt":
            return f"interrupted after {timeout} s"
        return f"{error.ename}: {error.evalue}".splitlines()[0]
    return printed.splitlines()[0] if printed else ""


def grade(path, timeout):
    """Yield (exercise, verdict, remark) for the exercises of a student's notebook."""
    import nbformat  # only for grading

    work = read(path)
    lesson = nbformat.read(LESSONS[lesson_of(path, work)], as_version=4)
    done, given = sources_of(work["cells"]), sources_of(lesson.cells)
    # The student's cells may give `course.check` another value.
    check, name = f"_check_{secrets.token_hex(8)}", None
    exercises, checks, belongs = {}, {}, {}
    for cell in lesson.cells:
        if "exercise" in cell.metadata:
            name = cell.metadata["exercise"]
            exercises[name], cell.source = cell, done.get(name, cell.source)
        elif cell.cell_type == "code" and "course.check(" in cell.source:
            checks[name] = cell
            cell.source = cell.source.replace("course.check(", f"{check}(")
        elif cell.cell_type == "code" and cell.source.startswith("import course"):
            # exit() would take effect in a later cell.
            cell.source += f"\n{check} = course.check\nget_ipython().ask_exit = lambda: None"
        belongs[cell.get("id", id(cell))] = name
    ended = []
    while (cell := execute(lesson, timeout)) is not None:
        name = belongs[cell.get("id", id(cell))]
        if name is None or name in ended:
            print(f"{path}: the kernel ends in a cell of the lesson itself", file=sys.stderr)
            break
        ended.append(name)
        exercises[name].source = given[name]  # the others are graded without it
    for name, cell in checks.items():
        printed = "".join(output.get("text", "") for output in cell.outputs).strip()
        # The last one: the student's code may print too.
        found = re.findall(r"^(Correct!|Not yet\.)", printed, re.MULTILINE)
        if name not in done:
            yield name, "missing", ""
        elif is_emptied(done[name]):
            yield name, "open", "the cell is empty"
        elif name in ended:
            yield name, "wrong", "it ends the kernel, or does not react to an interrupt"
        elif found and found[-1] == "Correct!":
            yield name, "right", ""
        else:
            printed = printed[printed.rfind("Not yet.") :] if found else printed
            verdict = "open" if done[name].split() == given[name].split() else "wrong"
            yield name, verdict, remark_on((exercises[name], cell), printed, timeout)


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
    try:
        import nbclient  # noqa: F401 - before the first notebook, not in it
    except ImportError as problem:
        sys.exit(
            f"grading needs nbclient and ipykernel, which come with Jupyter: pip install nbclient ipykernel ({problem})"
        )
    if arguments.csv:
        try:
            open(arguments.csv, "a").close()
        except OSError as problem:  # known before the grading, which takes long
            sys.exit(f"{arguments.csv} cannot be written: {problem.strerror}")
    rows = []
    for path in arguments.notebooks:
        try:
            verdicts = list(grade(path, arguments.timeout))
        except (OSError, ValueError, KeyError, TypeError) as problem:  # it must not cost the others their grades
            print(f"{path}: not graded: {getattr(problem, 'strerror', None) or problem}", flush=True)
            rows.append([path, "", "not graded", getattr(problem, "strerror", None) or problem])
            continue
        print(f"{path}: {sum(verdict == 'right' for _, verdict, _ in verdicts)} of {len(verdicts)}", flush=True)
        for name, verdict, remark in verdicts:
            print(f"  {name:12} {verdict:8} {remark}".rstrip())
            rows.append([path, name, verdict, remark])
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["notebook", "exercise", "verdict", "reason"], *rows])


if __name__ == "__main__":
    main()
