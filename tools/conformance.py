#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other projects' test suites on the CPU driver: `./run conformance NAME`.

Installs a project at a pinned version into a virtual environment of its own below build/conformance, and runs its tests
there, a process per file. `tests/conformance/NAME.toml` says which version and files, and lists by cause the tests that
are known to fail. If it has variants, which are sets of environment variables, the files are run with each. The exit
status is 1 if any other test fails; known failures that pass are named. Of a collection of programs, those are run that
the user has built below `--programs FOLDER`, and a program counts as a test.
"""

import argparse
import dataclasses
import fnmatch
import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import conformance_programs

try:
    import tomllib
except ImportError:  # Python 3.10
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROJECTS = ROOT / "tests" / "conformance"
BUILD = ROOT / "build" / "conformance"


@dataclasses.dataclass
class Project:
    """What a file of tests/conformance says."""

    name: str
    facts: dict

    @classmethod
    def read(cls, name, folder=PROJECTS):
        with open(folder / f"{name}.toml", "rb") as file:
            return cls(name, tomllib.load(file))

    @property
    def python(self):
        return BUILD / self.name / "bin" / "python"

    def cause_of(self, test):
        """Why this test is known to fail, or None. The file's patterns are those of fnmatch, with `[` as itself."""
        for known in self.facts.get("known", []):
            for pattern in known["tests"]:
                if fnmatch.fnmatchcase(test, pattern.replace("[", "[[]")):
                    return known["cause"]
        return None

    def patterns(self, short):
        return self.facts["short"] if short else self.facts["files"]

    @property
    def variants(self):
        """The ways in which each file is run: pairs of what begins the names of the tests, and variables."""
        variants = self.facts.get("variants")
        return [(f"{name}:", variables) for name, variables in variants.items()] if variants else [("", {})]


def install(project):
    """The folder of the project's tests, after making its environment if its version changed."""
    stamp = BUILD / project.name / "installed"
    wanted = "\n".join(project.facts["requirements"])
    if not stamp.exists() or stamp.read_text() != wanted:
        print(f"installing {project.name} {project.facts['version']}", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-m", "venv", BUILD / project.name], check=True)
        command = [project.python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*command, *project.facts["requirements"]], check=True)
        stamp.write_text(wanted)
    source = project.facts["tests"]
    if "package" in source:
        command = [project.python, "-c", f"import {source['package']} as m; print(m.__path__[0])"]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return pathlib.Path(found.strip()) / source["folder"]
    return _checkout(project, source) / source["folder"]


def _checkout(project, source):
    """A checkout of the project's repository at the pinned commit, of the folder of tests and what it needs alone."""
    folder = BUILD / f"{project.name}-{source['commit'][:12]}"
    if not folder.exists():
        made = folder.with_name(f"{folder.name}.part")
        shutil.rmtree(made, ignore_errors=True)
        git = ["git", "-C", made]
        subprocess.run(["git", "init", "-q", made], check=True)
        subprocess.run([*git, "sparse-checkout", "set", source["folder"], *source.get("beside", [])], check=True)
        fetch = ["fetch", "-q", "--depth", "1", "--filter=blob:none", source["repository"], source["commit"]]
        subprocess.run([*git, *fetch], check=True)
        subprocess.run([*git, "checkout", "-q", "FETCH_HEAD"], check=True)
        made.rename(folder)
    return folder


def environment():
    """The variables of `python -m pycuda env`, over this process's."""
    text = subprocess.run(
        ["sh", "-c", f'eval "$({sys.executable} -m pycuda env)" && env -0'], check=True, capture_output=True, text=True
    ).stdout
    variables = dict(line.split("=", 1) for line in text.split("\0") if line)
    # The project's own packages, not this one's; the stand-ins' folder comes first.
    variables["PYTHONPATH"] = os.pathsep.join(
        folder for folder in variables.get("PYTHONPATH", "").split(os.pathsep) if folder.endswith("_python_start")
    )
    return variables


def run_file(project, folder, file, variables):
    """The outcome of each test of a file: a dict from its name to "passed", "skipped" or what went wrong."""
    report = BUILD / f"{project.name}-report.xml"
    report.unlink(missing_ok=True)
    limit = project.facts["seconds_per_file"]
    command = [project.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
    command += [option.format(here=PROJECTS) for option in project.facts.get("options", [])]
    module = project.facts["tests"].get("module")
    if module:  # as part of the installed package
        command += ["--pyargs", ".".join([module, *pathlib.PurePath(file).with_suffix("").parts])]
    else:
        command.append(folder / file)
    variables = {**variables, "PYTHONPATH": os.pathsep.join(filter(None, [variables.get("PYTHONPATH"), str(PROJECTS)]))}
    process = subprocess.Popen(
        ["nice", *map(str, command)],
        env=variables,
        cwd=BUILD,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        status = process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return {f"{file}::(whole file)": f"took longer than {limit} seconds"}
    if not report.exists():
        return {f"{file}::(whole file)": f"ended with status {status} and no report"}
    return read_report(report, file)


def read_report(report, file):
    """The outcomes in a report of pytest's; the names are `FILE::CLASS::TEST`."""
    outcomes = {}
    for case in ElementTree.parse(report).iter("testcase"):
        classes = case.get("classname", "").split(".")
        stem = pathlib.PurePath(file).stem
        inner = classes[len(classes) - classes[::-1].index(stem) :] if stem in classes else []
        name = "::".join([file, *inner, case.get("name")])
        outcome = "passed"
        for child in case:
            if child.tag in ("failure", "error"):
                outcome = (child.get("message") or child.tag).splitlines()[0]
            elif child.tag == "skipped":
                outcome = "skipped"
        outcomes[name] = outcome
    return outcomes


def summarise(project, outcomes):
    """Print what the outcomes come to; whether a test failed that is not known to."""
    counts = {"passed": 0, "skipped": 0, "known": 0}
    new, mended = [], []
    for test, outcome in outcomes.items():
        cause = project.cause_of(test)
        if outcome == "skipped":
            counts["skipped"] += 1
        elif outcome == "passed":
            counts["passed"] += 1
            if cause is not None:
                mended.append(test)
        elif cause is not None:
            counts["known"] += 1
        else:
            new.append((test, outcome))
    for test in mended:
        print(f"passes, and is listed as a known failure: {test}")
    for test, outcome in new:
        print(f"FAILED {test}: {outcome[:200]}")
    print(
        f"{project.name} {project.facts['version']}: {counts['passed']} passed, {counts['known']} known failures, "
        f"{len(new)} new failures, {counts['skipped']} skipped"
    )
    return bool(new)


def files_of(project, folder, patterns):
    """The files that the patterns name, in their order, without those that belong to no GPU-less machine."""
    excluded = project.facts.get("excluded", {})
    found = []
    for pattern in patterns:
        matches = sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern))
        if not matches:
            raise SystemExit(f"{project.name}: no file of tests is called {pattern}")
        found += [file for file in matches if file not in excluded and file not in found]
    return found


def main(arguments=None):
    names = sorted(path.stem for path in PROJECTS.glob("*.toml"))
    parser = argparse.ArgumentParser(prog="./run conformance", description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=names)
    parser.add_argument("files", nargs="*", help="files of tests, by their names in the project; all when omitted")
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER", help="where a collection's programs are")
    parser.add_argument("--short", action="store_true", help="only the files of the nightly run")
    options = parser.parse_intermixed_args(arguments)
    project = Project.read(options.name)
    is_collection = "programs" in project.facts
    if is_collection != (options.programs is not None):
        parser.error(f"{project.name} is {'' if is_collection else 'no '}collection of programs: --programs FOLDER")
    folder = options.programs.resolve() if is_collection else install(project)
    variables = environment()
    outcomes = {}
    run_one = conformance_programs.run_program if is_collection else run_file
    files = files_of(project, folder, options.files or project.patterns(options.short))
    for (variant, more), file in itertools.product(project.variants, files):
        started = time.monotonic()
        results = run_one(project, folder, file, {**variables, **more})
        outcomes.update({variant + test: outcome for test, outcome in results.items()})
        failed = sum(outcome not in ("passed", "skipped") for outcome in results.values())
        passed = sum(outcome == "passed" for outcome in results.values())
        print(f"{variant}{file}: {passed} passed, {failed} failed, {time.monotonic() - started:.0f} s", flush=True)
    return summarise(project, outcomes)


if __name__ == "__main__":
    sys.exit(main())
