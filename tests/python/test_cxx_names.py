# SPDX-License-Identifier: MIT
"""Texts for people name kernels as C++ does: plans, findings, counters, reports, faults, graphs."""

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda._cxx_names import readable_name
from pycuda.compiler import SourceModule
from pycuda.tools import reset_context

SOURCE = """
namespace n {
template <class T, int N> __global__ void race(T *a) { __shared__ T s[64]; s[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = s[63 - threadIdx.x] + N; }
__global__ void fault(float *a) { a[1 << 28] = 1; }
}
"""
NAME = "n::race<float, 3>(float*)"


@pytest.fixture
def kernel(context):
    if "CPU" not in context.get_device().name():
        pytest.skip("needs the CPU driver: it has plans and checks")
    return SourceModule(SOURCE, no_extern_c=True).get_function("n::race<float, 3>")


def test_mangled_names_are_read():
    assert readable_name("_ZN1n4raceIfLi3EEEvPT_") == NAME
    assert readable_name("scale") == "scale"
    assert readable_name("_Znot_mangled") == "_Znot_mangled"


def test_a_plan_s_headline(kernel):
    assert kernel.plan((64, 1, 1)).splitlines()[0].startswith(f"kernel {NAME}, block (64, 1, 1), ")


def test_findings(kernel):
    with pycuda.checks("race") as findings:
        kernel(gpuarray.zeros(64, np.float32), block=(64, 1, 1))
    assert f" in kernel {NAME} at " in str(findings[0]) and "_Z" not in str(findings[0])
    assert findings[0].kernel.startswith("_Z")  # what get_function and the counters know


def test_reports(kernel):
    report = kernel.report(gpuarray.zeros(64, np.float32), block=(64, 1, 1))
    assert f"\n{NAME}: 1 launch\n" in str(report)
    assert NAME in repr(report) and "n::race&lt;float, 3&gt;(float*)" in report.html
    assert "_Z" not in str(report) + repr(report) + report.html


def test_faults(kernel):
    fault = SourceModule(SOURCE, no_extern_c=True).get_function("n::fault")
    fault(gpuarray.zeros(64, np.float32), block=(1, 1, 1))
    with pytest.raises(cuda.LogicError, match=r"in kernel n::fault\(float\*\), block") as raised:
        cuda.Context.synchronize()
    assert "_Z" not in str(raised.value)
    reset_context()
