# SPDX-License-Identifier: MIT
"""Function.plan: how the CPU driver runs a kernel, for people to read."""

import itertools
import pathlib

import pycuda
import pytest
from programs import run_program
from pycuda._plan import Plan, PlanRow

pytestmark = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)

PROGRAM = """
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
kernel = SourceModule(
    "__global__ void scale(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }",
    options=["-lineinfo"],
).get_function("scale")
"""


def test_the_plan_tells_gangs_accesses_and_lines():
    output, _ = run_program(
        PROGRAM
        + """
print(kernel.plan((72, 1, 1)))
assert kernel.plan(block=(256, 1, 1)) == kernel.plan() != kernel.plan((64,))
""",
        PYCUDA_DRIVER="cpu",
    )
    assert "scale" in output
    assert "gangs of" in output
    assert "contiguous" in output
    assert "ld.global" in output


def test_names_with_blanks_are_one_column_of_a_plan():
    text = (
        "kernel k\nlong: runs thread by thread until it has run for about 0.8 s\ngangs of 32\n"
        "   PTX  source              instruction             what      form\n"
        "    12  my own functions.h:1  ld.global.f32           access    gather\n"
        "     -  -                   -                       note      two words\n"
    )
    plan = Plan(text, "k", (32, 1, 1))
    assert plan.rows == [
        PlanRow(12, "my own functions.h:1", "ld.global.f32", "access", "gather"),
        PlanRow(None, "", "", "note", "two words"),
    ]
    assert not plan.is_vector


def test_a_plan_has_its_parts_as_attributes_and_as_a_table():
    run_program(
        PROGRAM
        + """
import copy, pickle
plan = kernel.plan((64, 1, 1))
assert isinstance(plan, str) and repr(plan) == str(plan)
assert plan.kernel == "scale" and plan.block == (64, 1, 1) and plan.is_vector
assert plan.header[0].startswith("kernel scale, block (64, 1, 1)")
load = next(row for row in plan.rows if row.instruction == "ld.global.f32")
assert load.source.startswith("line 1 of the source passed at <string>:")
assert load.what == "access" and load.form == "contiguous" and load.ptx_line > 0
assert copy.copy(plan) == pickle.loads(pickle.dumps(plan)) == plan and copy.deepcopy(plan).rows == plan.rows
html = plan._repr_html_()
assert html.count("<tr>") == len(plan.rows) + 1 and "<td style='text-align:left'>contiguous</td>" in html
""",
        PYCUDA_DRIVER="cpu",
    )


def test_arguments_that_are_no_block_are_refused():
    run_program(
        PROGRAM
        + """
wrong_ones = [
    (("x",), TypeError),
    ((1, 2), TypeError),
    (((0, 1, 1),), cuda.LogicError),
    (((2048, 1, 1),), cuda.LogicError),
]
for wrong, error in wrong_ones:
    try:
        kernel.plan(*wrong)
    except error:
        continue
    raise AssertionError(wrong)
""",
        PYCUDA_DRIVER="cpu",
    )


def test_a_driver_without_plans_says_so(fake_driver):
    run_program(
        f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent / "fake")!r})
from session import *
try:
    kernel(8).plan()
except cuda.LogicError as error:
    assert "only the CPU driver" in str(error), error
else:
    raise AssertionError("a plan from nowhere")
""",
        PYCUDA_DRIVER=fake_driver,
    )


def test_a_plan_for_blocks_that_cannot_be_says_what_can():
    output, _ = run_program(
        PROGRAM
        + """
for threads in (2000, 0):
    try:
        kernel.plan((threads, 1, 1))
    except cuda.LogicError as error:
        print(error)
""",
        PYCUDA_DRIVER="cpu",
    )
    assert "blocks of 2000 x 1 x 1 threads: it takes 1 to 1024" in output
    assert "blocks of 0 x 1 x 1 threads" in output


def test_long_places_widen_their_column():
    output, _ = run_program(
        """
import pycuda.autoinit
from pycuda.compiler import SourceModule
lines = ["__global__ void scale(float *x, int n)", "{", "  int i = threadIdx.x;", "  if (i < n) x[i] *= 2;", "}"]
print(SourceModule("\\n".join(lines)).get_function("scale").plan())
""",
        PYCUDA_DRIVER="cpu",
    )
    below = output[output.index("   PTX  source") :].splitlines()
    table = list(itertools.takewhile(lambda row: row.startswith(" "), below))
    assert any("line 4 of the source passed at" in row for row in table)
    column = table[0].index("instruction")
    for row in table:
        assert row[column - 2 : column] == "  " and row[column] != " ", output


def test_what_the_versions_of_a_kernel_have_in_common_is_listed_once():
    run_program(
        """
        import pycuda.autoinit
        from pycuda.compiler import SourceModule
        body = "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = a[(n - i) * 7 % n];"
        kernel = SourceModule("__global__ void k(float *a, int n) { " + body + " }").get_function("k")
        rows = kernel.plan(block=(32, 1, 1)).rows
        assert "gather: any addresses" in [row.form for row in rows], rows
        assert len(rows) == len(set(rows)), rows
        """,
        PYCUDA_DRIVER="cpu",
    )


def test_the_plan_of_a_long_kernel_says_that_better_code_is_to_come():
    # benchmarks/sample/implementation.py waits for kernels with these words.
    output, _ = run_program(
        """
import pycuda.autoinit
from pycuda.compiler import SourceModule

lines = " ".join(f"x = x * x + {turn}.5f;" for turn in range(5000))
source = f"__global__ void k(float *a) {{ float x = a[threadIdx.x]; {lines} a[threadIdx.x] = x; }}"
plan = SourceModule(source).get_function("k").plan(block=(64, 1, 1))
assert not plan.is_vector
print(plan)
""",
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_CHECK=None,
    )
    assert "long: runs thread by thread until it has run for about" in output
