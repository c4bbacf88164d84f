# SPDX-License-Identifier: MIT
"""What to do about a finding, as the driver says it: in Python, in print and as JSON."""

import json
import re
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


# The pair that is found first is often of one warp.
@pytest.mark.parametrize(
    ("block", "grid", "words"),
    [
        (32, 1, "call __syncwarp() between the two accesses: lanes do not run in lockstep"),
        (256, 1, "call __syncthreads() between .* (__syncwarp() is enough only if both .* always of one warp)"),
        (64, 2, "call __syncthreads() between .* if other blocks access the same places, use two kernels, a second"),
    ],
)
def test_a_forgotten_barrier_is_one_of_the_block(cpu_context, block, grid, words):
    rotate = SourceModule("""
__global__ void rotate(float *a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = blockDim.x * gridDim.x;
  float mine = a[(i + 1) % n];
  a[i] = mine;
}
""").get_function("rotate")
    with pycuda.checks("race") as found:
        rotate(gpuarray.zeros(block * grid, np.float32), block=(block, 1, 1), grid=(grid, 1))
    assert re.match(re.escape(words).replace(r"\.\*", ".*"), found[0].remedy), found[0].remedy


@pytest.mark.parametrize(
    ("body", "returns"),
    [
        ("for (int h = 128; h > 0; h /= 2)\n    if (t < h) {\n      a[t] += h;\n      __syncthreads();\n    }", False),
        ("if (t < n && n > 3) __syncthreads();", False),
        ("for (int k = t; k < n; k += 32)\n    __syncthreads();", False),
        ("if (t >= n) return;\n  a[t] = 1;\n  __syncthreads();\n  a[t] = 2;", True),
    ],
)
def test_a_barrier_in_a_branch_is_moved_out_of_it(cpu_context, body, returns):
    source = f"__global__ void k(float *a, int n)\n{{\n  int t = threadIdx.x;\n  {body}\n}}"
    kernel = SourceModule(source).get_function("k")
    with pycuda.checks("sync") as found:
        kernel(gpuarray.zeros(512, np.float32), np.int32(100), block=(256, 1, 1))
    (remedy,) = {one.remedy for one in found if "exited" in one.message}
    assert remedy.startswith("replace if (i >= n) return;" if returns else "move __syncthreads() out of the branch or ")
    assert "; or " not in remedy


@pytest.mark.parametrize(
    ("dtype", "name", "body", "words"),
    [
        ("float32", "float", "a[0] = fmaxf(a[0], 2.0f);", "a loop with atomicCAS (atomicMax takes integers)"),
        ("float64", "double", "a[0] -= 2;", "atomicAdd(&a[0], -...)"),
        ("uint8", "unsigned char", "a[0] |= 2;", "make a an array of int and use atomicOr(&a[0], ...)"),
        ("int16", "short", "a[0] += 2;", "make a an array of int and use atomicAdd(&a[0], ...)"),
        ("int64", "long long", "a[0] += 2;", "atomicAdd((unsigned long long *)&a[0], ...)"),
        ("int32", "int", "a[0] += a[threadIdx.x];", "atomicAdd(&a[0], ...)"),
        ("int32", "int", "int v = a[1];\nv = v + 1;\na[1] = v;", "atomicAdd(&a[1], ...)"),
        ("int32", "int", f"int c = 0; {'c = 3; ' * 40} a[0] += c;", "atomicAdd(&a[0], ...)"),
    ],
)
def test_the_operation_exists_for_the_type(cpu_context, dtype, name, body, words):
    kernel = SourceModule(f"__global__ void k({name} *a) {{ {body} }}").get_function("k")
    with pycuda.checks("race") as found:
        kernel(gpuarray.zeros(64, dtype), block=(64, 1, 1))
    assert found and all(words in one.remedy for one in found), found


def test_blocks_that_write_the_same_places_are_not_told_of_a_barrier(cpu_context):
    kernel = SourceModule("__global__ void k(int *a) { a[threadIdx.x] = blockIdx.x; }").get_function("k")
    with pycuda.checks("race") as found:
        kernel(gpuarray.zeros(64, np.int32), block=(64, 1, 1), grid=(2, 1))
    assert "blockIdx.x * blockDim.x + threadIdx.x" in found[0].remedy and "__sync" not in found[0].remedy


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
