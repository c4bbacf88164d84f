# SPDX-License-Identifier: MIT
"""Notebooks after mistakes: a fault stays with its cell, a kernel that does not compile is not used."""

import re

import pytest
from programs import has_cpu_driver, run_program

pytest.importorskip("IPython", reason="needs IPython")
pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which replaces a lost context")

BEGINNING = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.colors = "nocolor" if "nocolor" in str(type(shell).colors) else "NoColor"
sys.stderr = sys.stdout
for number, cell in enumerate(CELLS, 1):
    print(f"-- {number}")
    shell.run_cell(cell, store_history=True)
"""
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
START = "%load_ext pycuda\nimport numpy as np\nimport pycuda.driver as cuda\nfrom pycuda import gpuarray"
SET = """%%cuda
__global__ void set(int *a, int n)
{
  int i = threadIdx.x;
  if (i COMPARE n) a[i] = VALUE;
}"""
FAULTY, RIGHT = SET.replace("COMPARE", "<=").replace("VALUE", "7"), SET.replace("COMPARE", "<").replace("VALUE", "8")
MAKE = "a = gpuarray.zeros(10, np.int32)"
LAUNCH = "set(a, np.int32(10), block=(16, 1, 1))"


def _printed(*cells, **environment):
    """What each cell prints, as notebooks show it."""
    environment = {"PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_CHECK": "1", **environment}
    output, _ = run_program(f"CELLS = {list(cells)!r}\n" + BEGINNING, **environment)
    return [part.strip() for part in re.split(r"-- \d+\n", COLOURS.sub("", output))[1:]]


def test_a_fault_is_shown_with_its_cell_and_the_corrected_cell_replaces_the_context():
    said = _printed(START, FAULTY, MAKE, LAUNCH, "x = 1", RIGHT, MAKE, LAUNCH + "\nprint(a)")
    assert said[3].startswith("A launch of this cell failed. cuCtxSynchronize failed: an illegal memory access")
    assert "at line 5 of the cell" in said[3] and "reset_context" not in said[3]
    assert said[3].endswith("the next %%cuda cell that you run replaces it, or type %cuda_reset.")
    assert said[4] == ""
    assert said[5].startswith("An earlier launch (cell In[4]) lost the context. There is a new context: ")
    assert "copy the arrays again (a)." in said[5] and "if (i <= n)" not in said[5] and "set: registers" in said[5]
    assert said[7] == "[8 8 8 8 8 8 8 8 8 8]"


def test_a_reset_compiles_the_kernels_of_cells_again_and_names_what_is_lost():
    said = _printed(START, RIGHT, MAKE, "%cuda_reset", LAUNCH, MAKE, LAUNCH + "\nprint(a[0])")
    assert said[3].endswith("copy the arrays again (a).")
    assert "belongs to a context that is gone" in said[4]
    assert said[6] == "8"


def test_errors_show_the_cell_and_not_the_package():
    said = _printed(START, FAULTY, MAKE, LAUNCH, "def read():\n    return a.get()\nread()", "set(1.5)", "1 / 0")
    assert "read()" in said[4] and "In[5]" in said[4] and "an illegal memory access" in said[4]
    assert ".py" not in said[4] and ".py" not in said[5]
    assert said[6].splitlines()[-1].startswith("ZeroDivisionError")


def test_a_kernel_whose_cell_does_not_compile_is_not_the_old_one():
    said = _printed(START, RIGHT, MAKE, RIGHT.replace("8;", "8"), LAUNCH, "set", RIGHT, LAUNCH + "\nprint(a[0])")
    assert said[3].startswith("CompileError")
    assert said[4].splitlines()[-1] == (
        "RuntimeError: set did not compile in In[4]: correct that cell and run it again"
    )
    assert "set did not compile in In[4]" in said[5]
    assert said[7] == "8"


def test_a_kernel_s_words_appear_with_the_cell_that_launches_it():
    source = '%%cuda\n__global__ void greet() { printf("hello\\n"); }'
    said = _printed(START, source, "greet(block=(1, 1, 1))", "print('next')")
    assert said[2] == "hello" and said[3] == "next"


def test_the_end_of_a_cell_leaves_a_capture_that_goes_on():
    said = _printed(
        START,
        RIGHT,
        MAKE + "\nstream = cuda.Stream()\nstream.begin_capture()",
        "set(a, np.int32(10), block=(16, 1, 1), stream=stream)",
        "stream.end_capture().instantiate().launch(stream)\nprint(a[0])",
    )
    assert said[4] == "8"


def test_a_comment_above_the_magic_is_explained():
    (_, said) = _printed(START, "# the kernel\n" + RIGHT)
    assert said == "UsageError: %%cuda must be the first line of its cell: move the comments below it"


def test_a_cell_is_checked():
    said = _printed(
        START,
        FAULTY.replace("a[i] =", "a[0] ="),
        RIGHT,
        MAKE,
        "%cuda_check " + LAUNCH,
        "%%cuda\n__global__ void meet(int *a) { a[0] = threadIdx.x; }",
        "%%cuda_check race\nmeet(a, block=(64, 1, 1))",
        "%cuda_time meet(a, block=(64, 1, 1))",
    )
    assert said[4] == "The checks found nothing."
    assert said[6].startswith("race: ")
    assert said[7].startswith("meet(a, block=(64, 1, 1)): ")
