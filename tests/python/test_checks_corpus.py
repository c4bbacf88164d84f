# SPDX-License-Identifier: MIT
"""Small kernels with one planted fault each, and their twins without it: the first are found, the others are clean.

What compute-sanitizer says of them is in sanitizer.json; where we differ, differences.toml says why.
"""

import json
import pathlib
import sys

import numpy as np
import pycuda
import pytest
from pycuda.compiler import SourceModule

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
sys.path.append(str(TOOLS))
from record_check_verdicts import cases  # noqa: E402

sys.path.remove(str(TOOLS))
CORPUS = pathlib.Path(__file__).resolve().parents[1] / "checks"
#: Which check finds what the kernels of a file do wrong.
CHECK_OF = {
    "init.cu": "init",
    "memory.cu": "memory",
    "race_global.cu": "race",
    "race_shared.cu": "race",
    "sync.cu": "sync",
}
COUNT = 1024
TOOL_OF = {"memory": "memcheck", "init": "initcheck", "race": "racecheck", "sync": "synccheck"}

pytestmark = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)


def _findings(cuda, file, kernel, block, grid, shared, options):
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    module = SourceModule(
        (CORPUS / file).read_text(), options=[*options, "-lineinfo"], include_dirs=[str(CORPUS)], no_extern_c=True
    )
    zeros = np.zeros(COUNT, np.int32)
    function = module.get_function(kernel)
    with pycuda.checks("all") as found:
        a, b, c = (cuda.mem_alloc(zeros.nbytes) for _ in range(3))
        cuda.memcpy_htod(a, zeros)
        cuda.memcpy_htod(b, zeros)
        function(a, b, c, np.int32(COUNT), block=(block, 1, 1), grid=(grid, 1), shared=shared)
    return found


def _difference(check, ours, theirs):
    """Who alone reports something; None if both do or neither does, or if the kernel did not end there."""
    theirs = theirs.get(TOOL_OF[check])
    if theirs == "no end within a minute" or ours == (theirs is not None):
        return None
    return "CPU driver" if ours else "compute-sanitizer"


def _explained(case, form):
    """The differences that differences.toml gives reasons for: {check: who reports}."""
    tomllib = pytest.importorskip("tomllib", reason="needs tomllib, which Python has since 3.11")
    listed = tomllib.loads((CORPUS / "differences.toml").read_text())["difference"]
    return {one["check"]: one["only"] for one in listed if one["form"] == form and case in one["kernels"]}


def _assert_explained(file, kernel, form, checks):
    theirs = json.loads((CORPUS / "sanitizer.json").read_text())[f"{file}:{kernel}"][form]
    found = {check: _difference(check, check in checks, theirs) for check in TOOL_OF}
    found = {check: who for check, who in found.items() if who is not None}
    if form == "fault" and CHECK_OF[file] != "init" and "init" not in _explained(f"{file}:{kernel}", form):
        # Whether a read that does not wait for the write comes before it differs from run to run.
        found = {check: who for check, who in found.items() if (check, who) != ("init", "CPU driver")}
    assert found == _explained(f"{file}:{kernel}", form), theirs


@pytest.mark.parametrize(("file", "kernel", "block", "grid", "shared"), list(cases()))
def test_the_planted_fault_is_found(context, driver, file, kernel, block, grid, shared):
    found = _findings(driver, file, kernel, block, grid, shared, ["-DFAULT"])
    checks = {finding.check for finding in found}
    # A read that does not wait for the write may find memory that nobody has written yet.
    assert CHECK_OF[file] in checks, found
    assert checks <= {CHECK_OF[file], "init"}, found
    assert {finding.kernel for finding in found} == {kernel}
    assert all(finding.line for finding in found), found
    _assert_explained(file, kernel, "fault", checks)


@pytest.mark.parametrize(("file", "kernel", "block", "grid", "shared"), list(cases()))
def test_the_twin_is_clean(context, driver, file, kernel, block, grid, shared):
    assert _findings(driver, file, kernel, block, grid, shared, []) == []
    _assert_explained(file, kernel, "clean", set())


def test_differences_are_of_kernels_that_exist():
    tomllib = pytest.importorskip("tomllib", reason="needs tomllib, which Python has since 3.11")
    known = {f"{file}:{kernel}" for file, kernel, *_ in cases()}
    assert set(json.loads((CORPUS / "sanitizer.json").read_text())) == known
    listed = tomllib.loads((CORPUS / "differences.toml").read_text())["difference"]
    assert {kernel for one in listed for kernel in one["kernels"]} <= known
    assert all(one["reason"] for one in listed)
