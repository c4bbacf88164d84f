# SPDX-License-Identifier: MIT
"""What plans, checks, counters, profiles, reports and walks return is typed to the last attribute."""

import numpy as np
import pycuda
import pycuda.autoinit as autoinit
import pycuda.debug
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from typing_extensions import assert_type

kernel = SourceModule("__global__ void one(int *a) { a[threadIdx.x] = 1; }").get_function("one")
assert_type(autoinit.device, cuda.Device)
a = gpuarray.zeros(32, np.int32)

plan = kernel.plan(block=(32, 1, 1))
assert_type(plan.kernel, str)
assert_type(plan.block, tuple[int, ...])
assert_type(plan.is_vector, bool)
assert_type(plan.header + plan.costs, list[str])
for row in plan.rows:
    assert_type(row.ptx_line, int | None)
    assert_type(row.form, str)

with pycuda.checks("race") as found:
    kernel(a, block=(32, 1, 1))
for finding in found:
    assert_type(finding, pycuda.Finding)
    assert_type(finding.check, str)
    assert_type(finding.thread, tuple[int, int, int] | None)
    if finding.other is not None:
        assert_type(finding.other.line, int)

with pycuda.counters() as counted:
    kernel(a, block=(32, 1, 1))
assert_type(counted["one"].global_sectors, int)
for line in counted["one"].lines:
    assert_type(line.place, str)

with pycuda.profile() as profile, pycuda.range("all"):
    kernel(a, block=(32, 1, 1))
for summary in profile.summary():
    assert_type(summary.total, float)
assert_type(profile.work, list[pycuda.Work])

report = kernel.report(a, block=(32, 1, 1))
assert_type(report, pycuda.Report)
for advice in report.advice(report.kernels[0]):
    assert_type(advice.title, str)

walk = pycuda.debug.step(kernel, a, block=(32, 1, 1), thread=(1, 0, 0))
for step in walk:
    assert_type(step.line, int)
    assert_type(step.function, str)
assert_type(walk.error, cuda.Error | None)

timing = pycuda.benchmark(kernel, a, block=(32, 1, 1))
assert_type(timing, pycuda.Timing)
