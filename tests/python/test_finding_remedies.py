# SPDX-License-Identifier: MIT
"""What to do about a finding: updates of one place need an atomic operation, where other races need a barrier."""

import dataclasses

import numpy as np
import pycuda
import pytest
from programs import is_cpu
from pycuda import gpuarray
from pycuda._checks import Finding, FoundPlace
from pycuda.compiler import SourceModule


def _race(line, where="global memory, 0 bytes into the 4-byte block", other=None):
    message = f"two threads access the same byte of {where} with no barrier between them"
    return Finding(check="race", message=message, source=line, other=FoundPlace(source=other or line))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bins[data[i]]++;", "use atomicAdd(&bins[data[i]], ...)"),
        ("++bins[data[i]];", "use atomicAdd(&bins[data[i]], ...)"),
        ("if (i < n) *s += a[i];", "use atomicAdd(s, ...)"),
        ("for (int k = 0; k < n; k++) out[0] += a[k];", "use atomicAdd(&out[0], ...)"),
        ("total += a[i];", "use atomicAdd(&total, ...)"),
        ("out[0] = out[0] + a[i];", "use atomicAdd(&out[0], ...)"),
        ("out[0] = a[i] + out[0];", "use atomicAdd(&out[0], ...)"),
        ("left[0]--;", "use atomicSub(&left[0], ...)"),
        ("out[0] = max(out[0], a[i]);", "use atomicMax(&out[0], ...)"),
        ("p->count |= bit;", "use atomicOr(&p->count, ...)"),
        ("out[0] *= a[i];", "use a loop with atomicCAS"),
        ("__global__ void f(int *s, int *a) { int i = threadIdx.x; s[0] += a[i]; }", "use atomicAdd(&s[0], ...)"),
    ],
)
def test_updates_of_one_place_need_an_atomic_operation(line, words):
    remedy = _race(line).remedy
    assert words in remedy and "reduction" in remedy
    assert "__sync" not in remedy
    assert remedy in str(_race(line))


@pytest.mark.parametrize(
    "line",
    [
        "part[i] += part[i + half];",
        "a[i] = a[i] + a[i + 1];",
        "a[i + 1] = a[i];",
        "for (int k = 0; k < n; k++) out[0] = k;",
        "if (out[0] == 3) out[1] = 2;",
    ],
)
def test_other_races_of_a_line_need_a_barrier(line):
    assert "__syncthreads()" in _race(line).remedy


def test_accesses_of_two_lines_need_a_barrier():
    assert "__syncthreads()" in _race("s[0] += 1;", other="a[i] = s[0];").remedy


def test_a_line_that_all_threads_write_to_one_place_needs_one_thread():
    both = {"source": "out[0] = s;", "access": "write of 4 bytes"}
    finding = Finding(check="race", message="... with no __syncwarp() or barrier", other=FoundPlace(**both), **both)
    assert finding.remedy.startswith("let one thread write this place")
    read = FoundPlace(source="out[0] = s;", access="read of 4 bytes")
    assert "__syncwarp()" in dataclasses.replace(finding, other=read).remedy


def test_the_variable_that_a_message_names_is_meant():
    where = "shared memory, 0 bytes into the 4-byte shared variable 'f::s'"
    assert "atomicAdd(&s, ...)" in _race("s += out[i];", where).remedy
    assert "__syncthreads()" in _race("count[0] += s = i;", where).remedy


@pytest.fixture
def bins_report(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, which checks kernels")
    count = SourceModule("""
__global__ void count(int *bins, const int *data, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    bins[data[i]]++;
}
""").get_function("count")
    bins, data = gpuarray.zeros(4, np.int32), gpuarray.zeros(64, np.int32)
    return count.report(bins, data, np.int32(64), block=(32, 1, 1), grid=(2, 1))


def test_a_report_says_what_to_do_and_to_do_it_first(bins_report):
    remedy = bins_report.findings[0].remedy
    assert "atomicAdd(&bins[data[i]], ...)" in remedy
    above, below = bins_report.html.split("What would help most")
    assert "<b>What to do</b>: several threads read, change and write bins[data[i]]" in above
    assert below.startswith("</h2><p>Fix what the checks found first")
    text = str(bins_report)
    assert text.startswith("race: ")
    assert text.index("what to do: ") < text.index("count: 1 launch") < text.index("fix what the checks found first")


def test_a_kernel_without_findings_is_not_said_to_have_some(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, which checks kernels")
    clean = SourceModule("__global__ void clean(int *a) { a[threadIdx.x] = 1; }").get_function("clean")
    report = clean.report(gpuarray.zeros(64, np.int32), block=(64, 1, 1))
    assert "<p>Fix what" not in report.html and "fix what" not in str(report)
    with pycuda.checks("race") as found:
        clean(gpuarray.zeros(64, np.int32), block=(64, 1, 1))
    assert found == []
