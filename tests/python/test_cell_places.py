# SPDX-License-Identifier: MIT
"""Lines of a notebook's cell: errors, plans, counters and reports count them alike, and keep them in order."""

import pycuda
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, is_cpu, run_program
from pycuda import ipython_magic
from pycuda.compiler import SourceModule

# Its accesses are in lines 8 and 12 of the cell; line 9 executes nothing.
SOURCE = """
__global__ void spread(float *to, const float *from)
{
  int i = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4; ++k)
    // neighbours are far apart
    sum += from[(32 * i + k) % 1024];
  // one after the other


  to[i] = sum;
}
"""


@pytest.fixture
def kernel(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, which has plans and counters")
    return ipython_magic.compile_cell("", SOURCE[1:], {})[0]


@pytest.fixture
def arguments(context):
    return cuda.mem_alloc(4 * 1024), cuda.mem_alloc(4 * 1024)


def test_a_plan_names_the_lines_of_the_cell(kernel):
    plan = kernel.plan((64, 1, 1))
    sources = {row.instruction.split(".")[0]: row.source for row in plan.rows if row.what == "access"}
    assert sources == {"ld": "line 8 of the cell", "st": "line 12 of the cell"}
    assert "kernel.cu" not in plan and any("line 8 of the cell" in line for line in plan.costs)


def test_a_plan_names_the_lines_of_the_program(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, which has plans")
    module = SourceModule(
        """
        __global__ void set(int *a) { a[threadIdx.x] = 1; }
        """
    )
    (store,) = [row for row in module.get_function("set").plan((64, 1, 1)).rows if row.what == "access"]
    line = next(n for n, text in enumerate(open(__file__), 1) if "a[threadIdx.x] = 1" in text)
    assert store.source.endswith(f"test_cell_places.py:{line}")


def test_counters_of_a_cell_are_of_one_file_in_the_order_of_its_lines(kernel, arguments):
    with pycuda.counters() as counted:
        kernel(*arguments, block=(64, 1, 1))
    lines = counted["spread"].lines
    assert {line.file for line in lines} == {"the cell"}
    numbers = [line.line for line in lines]
    assert numbers == sorted(numbers) and {8, 12} <= set(numbers)
    assert counted["spread"].line(12, "the cell").source == "to[i] = sum;"
    assert str(counted).index("line 8 of the cell") < str(counted).index("line 12 of the cell")


def test_a_report_shows_the_cell_as_one_text(kernel, arguments):
    page = kernel.report(*arguments, block=(64, 1, 1)).html
    assert page.count("<h3") == 1 and ">the cell</h3>" in page
    assert page.index("sum += from") < page.index("// one after the other") < page.index("to[i] = sum;")


def test_what_a_check_finds_stands_at_its_line_of_the_cell(context, arguments):
    if not is_cpu():
        pytest.skip("needs the CPU driver, which checks")
    (kernel,) = ipython_magic.compile_cell("", "__global__ void meet(int *a)\n{\n  a[0] = threadIdx.x;\n}", {})
    report = kernel.report(arguments[0], block=(64, 1, 1), checks="race")
    assert report.findings and report.html.count("<h3") == 1


PROGRAM = """
import numpy as np, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule
f = SourceModule("__global__ void f(int *a) { a[threadIdx.x] = 1; }").get_function("f")
"""


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")
def test_a_plan_with_a_check_that_follows_each_thread_has_its_accesses():
    output, _ = run_program(
        PROGRAM + "print(f.plan((64, 1, 1)))", PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK="race", PYCUDA_CPU_PATIENCE="-1"
    )
    assert "of the source passed at <string>:4" in output and "gangs of" in output
