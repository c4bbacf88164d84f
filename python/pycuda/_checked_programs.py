# SPDX-License-Identifier: MIT
"""`python -m pycuda run --check`: a program whose kernels are checked, and what was found."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile

from pycuda._checks import as_reported

#: The exit status of a program that succeeded but for findings.
FOUND = 9


def run(command, environment, report=None):
    """Run a program and count what the checks find, and launches that fail.

    Parameters
    ----------
    command : list of str
    environment : dict
        With PYCUDA_CPU_CHECK if its kernels are checked.
    report : str, optional
        Where to write the list of findings, as JSON.

    Returns
    -------
    int
        The program's exit status, or 9 where that is 0 and something was found or a launch failed.
    """
    status, records = checked(command, environment)
    if report is not None:
        write_report(records, report)
    return status


def checked(command, environment):
    """Run a program as `run` does.

    Parameters
    ----------
    command : list of str
    environment : dict

    Returns
    -------
    tuple
        The exit status, and the driver's records of the findings and of other failed launches: a list of dict.
    """
    with tempfile.TemporaryDirectory(prefix="pycuda-checks-") as folder:
        lines = os.path.join(folder, "findings.jsonl")
        returned = _return_code(command, {**environment, "PYCUDA_CPU_CHECK_REPORT": lines})
        status = _as_in_shells(returned)
        records = []
        with contextlib.suppress(FileNotFoundError), open(lines, encoding="utf-8", errors="replace") as file:
            records = [json.loads(line) for line in file]
    checks = environment.get("PYCUDA_CPU_CHECK", "").replace("1", "memory")
    if not checks:  # the program's own `with pycuda.checks(...)` looks after its findings
        records = [record for record in records if record["ended_launch"]]
    _say_what_was_found(records, checks, returned)
    return FOUND if records and status == 0 else status, records


def _say_what_was_found(records, checks, returned):
    failed = sum(is_failed_launch(record) for record in records)
    found = len(records) - failed
    what = f"found {found} place{'s' if found > 1 else ''}" if found else "found nothing"
    launches = f"{failed} launch{'es' if failed > 1 else ''} failed" if failed else ""
    if checks and returned < 0:
        print(
            f"pycuda: the program was ended by signal {-returned} ({_signal_name(-returned)}); the checks "
            f"({checks}) {what} before, and may be incomplete",
            file=sys.stderr,
        )
    elif checks and not records:
        print("pycuda: the checks found nothing", file=sys.stderr)
    if launches:
        print(f"pycuda: {launches}" + ("; the checks may be incomplete" if checks else ""), file=sys.stderr)


def is_failed_launch(record):
    """Whether a record is of a launch that failed otherwise than by what a check has found.

    Parameters
    ----------
    record : dict
        The driver's.

    Returns
    -------
    bool
    """
    return record["check"] == "launch"


def write_report(records, path):
    """Write findings to a file, as a JSON list.

    Parameters
    ----------
    records : list of dict
        The driver's.
    path : str
    """
    with open(path, "w", encoding="utf-8") as file:
        json.dump([as_reported(record) for record in records], file, indent=2)
        file.write("\n")


def _signal_name(number):
    return next((one.name for one in signal.Signals if one == number), "of the program's own")


def _as_in_shells(returned):
    return 128 - returned if returned < 0 else returned


def _return_code(command, environment):
    """The exit status, or the negative number of the signal that ended the program."""
    process = subprocess.Popen(command, env=environment)

    def pass_on(number, _):
        process.send_signal(number)

    # Ctrl-C reaches the program by itself.
    before = {signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    for number in (signal.SIGTERM, signal.SIGHUP):
        before[number] = signal.signal(number, pass_on)
    try:
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
