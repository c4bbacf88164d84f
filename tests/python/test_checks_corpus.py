# SPDX-License-Identifier: MIT
"""Small kernels with one planted fault each, and their twins without it: the first are found, the others are clean."""

import pathlib
import re

import numpy as np
import pycuda
import pytest
from pycuda.compiler import SourceModule

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

pytestmark = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)


def _cases():
    for name in CHECK_OF:
        for case in re.finditer(r"^// CASE (\w+) (\d+) (\d+) (\d+)$", (CORPUS / name).read_text(), re.M):
            yield name, case[1], int(case[2]), int(case[3]), int(case[4])


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


@pytest.mark.parametrize(("file", "kernel", "block", "grid", "shared"), list(_cases()))
def test_the_planted_fault_is_found(context, driver, file, kernel, block, grid, shared):
    found = _findings(driver, file, kernel, block, grid, shared, ["-DFAULT"])
    checks = {finding.check for finding in found}
    # A read that does not wait for the write may find memory that nobody has written yet.
    assert CHECK_OF[file] in checks, found
    assert checks <= {CHECK_OF[file], "init"}, found
    assert {finding.kernel for finding in found} == {kernel}
    assert all(finding.line for finding in found), found


@pytest.mark.parametrize(("file", "kernel", "block", "grid", "shared"), list(_cases()))
def test_the_twin_is_clean(context, driver, file, kernel, block, grid, shared):
    assert _findings(driver, file, kernel, block, grid, shared, []) == []
