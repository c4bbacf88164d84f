# SPDX-License-Identifier: MIT
"""`python -m pycuda run --report`: a program, and a page that says what makes its kernels slow."""

import contextlib
import json
import os
import tempfile

from pycuda import _checked_programs
from pycuda._checks import fault_of, finding_of
from pycuda._counter_records import kernels_of, records_of
from pycuda._report import Report, occupancies_of


def run(command, environment, page, check_report=None):
    """Run a program whose kernels count what they do, and write the page.

    Parameters
    ----------
    command : list of str
    environment : dict
        With PYCUDA_CPU_CHECK the kernels are checked too.
    page : str
        The HTML file.
    check_report : str, optional
        Where to write the list of findings, as JSON.

    Returns
    -------
    int
        As of `_checked_programs.run`.
    """
    with tempfile.TemporaryDirectory(prefix="pycuda-report-") as folder:
        counted = os.path.join(folder, "counters.json")
        environment = {**environment, "PYCUDA_CPU_COUNTERS": counted}
        checks = environment.get("PYCUDA_CPU_CHECK", "")
        checks = "" if checks == "0" else checks
        counters = {"kernels": [], "sources": [], "faults": []}
        status, records = _checked_programs.checked(command, environment)
        with contextlib.suppress(FileNotFoundError), open(counted, encoding="utf-8", errors="replace") as file:
            counters = json.load(file)
    if check_report is not None:
        _checked_programs.write_report(records, check_report)
    findings = [finding_of(one) for one in records if checks and not _checked_programs.is_failed_launch(one)]
    kernels = kernels_of(records_of(counters))
    faults = [fault_of(one) for one in counters["faults"]]
    unchecked = "" if checks else "not checked: run the program with --check=all, too"
    report = Report(kernels, findings, checks, _occupancies(kernels), faults=faults, unchecked=unchecked)
    report.save(page)
    return status


def _occupancies(kernels):
    """On the device that the program had."""
    os.environ["PYCUDA_DRIVER"] = "cpu"
    import pycuda.driver as cuda  # start-up time: the driver is chosen by then

    cuda.init()
    return occupancies_of(kernels, cuda.Device(0))
