# SPDX-License-Identifier: MIT
"""./run: a step that runs in the background beside others."""

import os
import pathlib
import select
import signal
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "run"
FUNCTIONS = ("say", "warn", "die", "run_beside", "finish_beside", "end_beside")

pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="needs the checkout's run")


def script(folder, step, body):
    """A script with the functions of ./run; what runs beside it is `step`."""
    lines = SCRIPT.read_text().splitlines()
    functions = []
    for name in FUNCTIONS:
        start = next(i for i, line in enumerate(lines) if line.startswith(f"{name}() {{"))
        end = start if lines[start].endswith("}") else lines.index("}", start)
        functions += lines[start : end + 1]
    (folder / "run").write_text(f"#!/usr/bin/env bash\n{step}\n")
    (folder / "run").chmod(0o755)
    head = ["set -euo pipefail", f"ROOT={folder}", f"STAMPS={folder}/stamps", "declare -A BESIDE=()"]
    return ["bash", "-c", "\n".join([*head, *functions, body])]


def ran(*arguments):
    return subprocess.run(script(*arguments), capture_output=True, text=True)


def test_a_step_beside_others_says_at_its_end_what_it_did(tmp_path):
    done = ran(tmp_path, 'echo "built $1"', "run_beside wheel now; echo others; finish_beside wheel; echo end")
    assert (done.returncode, done.stdout, done.stderr) == (0, "others\nend\n", "built now\n")


def test_a_step_that_fails_beside_others_fails_the_run(tmp_path):
    done = ran(tmp_path, "echo no room; exit 3", "run_beside wheel now; finish_beside wheel; echo end")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "no room\nrun: wheel failed: see above\n"


@pytest.mark.parametrize("end", ["false", "sleep 60"])
def test_what_runs_beside_others_ends_with_the_run(tmp_path, end):
    """A step of the foreground that fails, or an interrupt."""
    begun, going_on = tmp_path / "begun", tmp_path / "going-on"
    os.mkfifo(begun)
    os.mkfifo(going_on)
    step = f'sleep 60 & echo $! > "{begun}"; wait'
    body = f'run_beside wheel now; read -r < "{going_on}"; {end}'
    run = subprocess.Popen(script(tmp_path, step, body), stderr=subprocess.DEVNULL, start_new_session=True)
    beside = os.pidfd_open(int(begun.read_text()))
    going_on.write_text("now\n")
    if end != "false":
        os.killpg(run.pid, signal.SIGINT)
    assert run.wait() == (1 if end == "false" else 130)
    select.select([beside], [], [])  # its end
    os.close(beside)
