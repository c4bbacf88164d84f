# SPDX-License-Identifier: MIT
"""Other projects' programs on the CPU driver, judged by what they print.

A project of `tests/conformance` whose file has a table `[programs]` is a collection of programs, a folder each, which
the user has built with nvcc and this project's run-time library. Each is run once with the arguments that the file
gives, and with its environment variables. A program passes if it ends with status 0 within the limit, prints a word of
success and no word of failure.
"""

import os
import pathlib
import re
import shlex
import signal
import subprocess


def _finish(command, folder, variables, limit):
    """The status of a command, None past the limit, and its output."""
    process = subprocess.Popen(
        ["nice", *map(str, command)],
        env=variables,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit)
        return process.returncode, output.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output.decode(errors="replace")


def verdict(programs, status, output):
    """ "passed", "skipped", or why a program that ended so did not pass."""
    if status is None:
        return f"took longer than {programs['seconds']} seconds"
    if status == programs.get("waived"):
        return "skipped"
    if status != 0:
        return f"ended with status {status}"
    for line in output.splitlines():
        if re.search(programs["failed"], line):
            return line.strip()
    if not re.search(programs["passed"], output):
        return "printed no word of success"
    return "passed"


def _executable(folder, programs, name):
    """The program that was built: as named in the file, or the one that the Makefile names."""
    wanted = programs["program"].format(name=pathlib.PurePath(name).name)
    makefile = folder / "Makefile"
    if not (folder / wanted).exists() and makefile.exists():
        found = re.search(r"^program\s*:?=\s*(\S+)", makefile.read_text(errors="replace"), re.MULTILINE)
        wanted = found[1] if found else wanted
    return folder / wanted


def run_program(project, root, name, variables):
    """The outcome of a program, as {name: outcome}."""
    programs = project.facts["programs"]
    folder = root / name
    executable = _executable(folder, programs, name)
    if not executable.exists():
        return {name: "is not built"}
    arguments = shlex.split(programs.get("arguments", {}).get(name, ""))
    variables = variables | programs.get("variables", {}).get(name, {})
    status, output = _finish([executable, *arguments], folder, variables, programs["seconds"])
    return {name: verdict(programs, status, output)}
