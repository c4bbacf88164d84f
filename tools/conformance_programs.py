# SPDX-License-Identifier: MIT
"""Other projects' programs on the CPU driver, compiled by nvcc and judged by what they print.

A project of `tests/conformance` whose file has a table `[programs]` is a collection of programs, a folder each. Each is
built with nvcc's stand-in, which links this project's run-time library, and run once with the arguments that the file
gives. A program passes if it ends with status 0 within the limit, prints a word of success and no word of failure.
"""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess


def checkout(build, project):
    """The folder of the project's sources, at the pinned commit."""
    source = project.facts["programs"]
    folder = build / f"{project.name}-{source['commit'][:12]}"
    stamp = folder / ".git" / "checked-out"
    if not stamp.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for command in (
            ["init", "-q"],
            ["remote", "add", "origin", source["repository"]],  # files are fetched from it when they are checked out
            ["sparse-checkout", "set", "--no-cone", *source["sparse"]],
            ["fetch", "-q", "--depth", "1", "--filter=blob:none", "origin", source["commit"]],
            ["checkout", "-q", "FETCH_HEAD"],
        ):
            subprocess.run(["git", "-C", folder, *command], check=True)
        stamp.touch()
    return folder / source["folder"]


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


def build_command(programs, name, folder, root):
    """The command that builds a program, with its own options and the sources in its folder."""
    places = {"root": root, "name": pathlib.PurePath(name).name}
    command = []
    for word in programs["build"]:
        if word == "{sources}":
            patterns = programs.get("sources", {}).get(name, ["**/*.cu", "**/*.cpp", "**/*.c"])
            found = {path.relative_to(folder).as_posix() for pattern in patterns for path in folder.glob(pattern)}
            command += sorted(found)
        elif word == "{options}":
            command += shlex.split(programs.get("options", {}).get(name, "").format(**places))
        else:
            command.append(word.format(**places))
    return command


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
    # The stand-ins that other programs need preloaded only cost time in a compiler.
    compiling = {key: value for key, value in variables.items() if key != "LD_PRELOAD"}
    command = build_command(programs, name, folder, root)
    status, output = _finish(command, folder, compiling, programs["seconds_to_build"])
    executable = _executable(folder, programs, name)
    if status != 0 or not executable.exists():
        errors = [line for line in output.splitlines() if "error" in line.lower() or "cannot find" in line]
        return {name: f"does not build: {errors[0].strip() if errors else f'status {status}'}"}
    arguments = shlex.split(programs.get("arguments", {}).get(name, ""))
    status, output = _finish([executable, *arguments], folder, variables, programs["seconds"])
    return {name: verdict(programs, status, output)}
