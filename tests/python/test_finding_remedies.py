# SPDX-License-Identifier: MIT
"""What to do about a finding, as the driver says it: in Python, in print and as JSON."""

import json
import subprocess
import sys

import numpy as np
import pycuda
import pytest
from programs import run_file
from pycuda import gpuarray
from pycuda.compiler import SourceModule


def _remedies(body, a, shared=""):
    """Of the races of 64 threads."""
    source = f"__global__ void k({a} *a, const {a} *x)\n{{\n  {shared}\n  int i = threadIdx.x;\n{body}\n}}"
    kernel = SourceModule(source).get_function("k")
    dtype = {"int": np.int32, "float": np.float32}[a]
    values = gpuarray.to_gpu(np.arange(-32, 32).astype(dtype))
    with pycuda.checks("race") as found:
        kernel(gpuarray.zeros(64, dtype), values, block=(64, 1, 1))
    assert found and all(f"what to do: {one.remedy}" in str(one) for one in found)
    return [one.remedy for one in found]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("if (x[i] > a[0]) a[0] = x[i];", "atomicMax(&a[0], ...)"),
        ("if (x[i] > a[0])\n  a[0] = x[i];", "atomicMax(&a[0], ...)"),
        ("if (x[i] < a[0]) {\n  a[0] = x[i];\n}", "atomicMin(&a[0], ...)"),
        ("a[0] += x[i];", "atomicAdd(&a[0], ...)"),
        ("int old = a[0];\na[0] = old + x[i];", "atomicAdd(&a[0], ...)"),
        ("if (a[0] == 0)\n  a[0] = i;", "atomicCAS(&a[0], ...)"),
    ],
)
def test_updates_of_global_memory_need_an_atomic_operation(cpu_context, body, words):
    for remedy in _remedies(body, "int"):
        assert f"use {words}" in remedy and "__sync" not in remedy


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("if (x[i] > s)\n    s = x[i];", "use atomicMax(&s, ...)"),
        ("s += x[i];", "use atomicAdd(&s, ...)"),
    ],
)
def test_updates_of_shared_memory_need_one(cpu_context, body, words):
    guarded = f"  if (i == 0) s = 0;\n  __syncthreads();\n  {body}\n  __syncthreads();\n  if (i == 0) a[0] = s;"
    for remedy in _remedies(guarded, "int", "__shared__ int s;"):
        assert words in remedy and "__sync" not in remedy


def test_a_maximum_of_floating_point_numbers_needs_a_loop(cpu_context):
    for remedy in _remedies("if (x[i] > a[0]) a[0] = x[i];", "float"):
        assert "use a loop with atomicCAS (atomicMax takes integers), or a reduction" in remedy


def test_other_races_need_a_barrier(cpu_context):
    (remedy,) = _remedies("a[i] = x[i];\na[(i + 32) % 64] += 1;", "int")
    assert remedy.startswith("call __syncthreads() between the two accesses")


PROGRAM = """
import numpy as np
import pycuda.autoinit
from pycuda import gpuarray
from pycuda.compiler import SourceModule

total = SourceModule('''
__global__ void total(int *a) { a[0] += threadIdx.x; }
''').get_function("total")
total(gpuarray.zeros(1, np.int32), block=(32, 1, 1))
"""
REMEDY = "several threads read, change and write a[0], which no barrier puts in order: use atomicAdd(&a[0], ...)"


@pytest.mark.usefixtures("programs_on_cpu")
def test_printed_findings_have_the_remedy(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    _, errors = run_file(program, PYCUDA_CPU_CHECK="race", PYCUDA_DRIVER="cpu")
    assert f"\n  what to do: {REMEDY}" in errors


@pytest.mark.usefixtures("programs_on_cpu")
def test_findings_as_json_have_the_remedy(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "pycuda", "run", "--check=race", "--check-report=found.json", "program.py"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 9, ended.stderr
    (race,) = json.loads((tmp_path / "found.json").read_text())
    assert race["remedy"].startswith(REMEDY)


@pytest.fixture
def bins_report(cpu_context):
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


def test_a_kernel_without_findings_is_not_said_to_have_some(cpu_context):
    clean = SourceModule("__global__ void clean(int *a) { a[threadIdx.x] = 1; }").get_function("clean")
    report = clean.report(gpuarray.zeros(64, np.int32), block=(64, 1, 1))
    assert "<p>Fix what" not in report.html and "fix what" not in str(report)
    with pycuda.checks("race") as found:
        clean(gpuarray.zeros(64, np.int32), block=(64, 1, 1))
    assert found == []
