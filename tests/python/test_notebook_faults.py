# SPDX-License-Identifier: MIT
"""Notebooks after mistakes: a fault stays with its cell, a kernel that does not compile is not used."""

import re
import sys

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
for number, (cell, place) in enumerate(zip(CELLS, PLACES), 1):
    print(f"-- {number}")
    shell.run_cell(cell, store_history=True, cell_id=place)
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
MAKE_CONTEXT = "import pycuda.autoinit"
MAKE = "a = gpuarray.zeros(10, np.int32)"
ENDLESS = "%%cuda\n__global__ void endless(volatile int *a) { a[1] = 1; while (a[0] == 0) ; }"
# An interrupt when the kernel runs; the CPU driver's memory is the host's.
PRESS = """
import ctypes, os, signal, threading, time
begun = ctypes.c_int.from_address(int(a.gpudata) + 4)
def press():
    while begun.value == 0:
        time.sleep(0.01)
    time.sleep(0.5)  # the main thread waits for it soon after
    os.kill(os.getpid(), signal.SIGINT)
thread = threading.Thread(target=press)
"""
LAUNCH = "set(a, np.int32(10), block=(16, 1, 1))"


def _printed(*cells, places=None, **environment):
    """What each cell prints, as notebooks show it; `places` are the cells' own names, which stay when they change."""
    places = places or list(map(str, range(len(cells))))
    # Neither Python nor C keeps back what cells and kernels print.
    environment = {"PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_CHECK": "1", "PYTHONUNBUFFERED": "1", **environment}
    output, _ = run_program(f"CELLS, PLACES = {list(cells)!r}, {places!r}\n" + BEGINNING, **environment)
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


def test_a_cell_says_once_that_the_context_is_lost_and_what_to_do():
    said = _printed(START, FAULTY, MAKE, LAUNCH + "\na.get()", "a.get()", "%cuda_reset", MAKE, f"%cuda_check {LAUNCH}")
    said += _printed(START, ENDLESS, MAKE + PRESS, "thread.start()\nendless(a, block=(1, 1, 1))\na.get()")
    for number in (3, 4, 7, 11):
        assert said[number].count("The context is lost") == 1, said[number]
        assert said[number].count("%cuda_reset") == 1 and "reset_context" not in said[number], said[number]


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


def test_a_renamed_kernel_stays_and_its_cell_says_so():
    renamed = RIGHT.replace("set", "put")
    said = _printed(START, RIGHT, renamed, renamed, "del set", renamed, places=["a", "b", "b", "c", "d", "b"])
    note = "set: no longer in this cell, still the kernel of In[2]; `del set` ends that"
    assert note in said[2].splitlines() and "put: registers" in said[2]
    assert "no longer" not in said[1] + said[3] + said[5]


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


def test_an_interrupt_at_the_end_of_a_cell_is_told_as_what_became_of_its_kernel():
    said = _printed(
        START,
        ENDLESS,
        MAKE + PRESS,
        "thread.start()\nendless(a, block=(1, 1, 1))",
        "a.get()",
        "%cuda_reset",
        "1 / 0",
        "import sys\nprint(sys.last_value)",  # what %debug looks at
    )
    assert said[3].startswith("A launch of this cell failed. ") and "the user's interrupt" in said[3]
    assert said[3].endswith("the next %%cuda cell that you run replaces it, or type %cuda_reset.")
    assert "Traceback" not in said[3] and "callback" not in said[3] and ".py" not in said[3]
    assert "the context was lost earlier" in said[4]
    assert "An earlier launch (cell In[4]) lost the context." in said[5]
    assert said[7] == "division by zero"


def test_an_interrupt_in_a_cell_is_told_once_with_the_line_of_the_kernel():
    said = _printed(
        START,
        ENDLESS,
        MAKE + PRESS,
        "thread.start()\nendless(a, block=(1, 1, 1))\na.get()",
    )
    assert "KeyboardInterrupt" in said[3] and said[3].count("kernel endless") == 1
    if sys.version_info >= (3, 11):
        assert "This has stopped kernel endless, block (0, 0, 0)" in said[3], said[3]
        assert "at line 2 of the cell" in said[3]
        assert "A launch of this cell failed" not in said[3]
    assert said[3].endswith("the next %%cuda cell that you run replaces it, or type %cuda_reset.")


def test_an_error_within_a_magic_is_shown_once_without_the_package():
    said = _printed(START + "\n" + MAKE_CONTEXT, "%cuda_time 1 / 0", "%cuda_profile 1 / 0", "%%cuda_check\nint('x')")
    for text, last in zip(said[1:], ("ZeroDivisionError", "ZeroDivisionError", "ValueError"), strict=True):
        assert text.count("Traceback") == 1 and ".py" not in text, text
        assert text.splitlines()[-1].startswith(last)


def test_a_fault_that_a_check_finds_is_told_once():
    said = _printed(START, FAULTY, MAKE, "%cuda_check " + LAUNCH, "%cuda_reset")
    assert said[3].startswith("memory: illegal memory access") and said[3].count("illegal memory access") == 1
    assert said[3].endswith("or type %cuda_reset.")
    assert "An earlier launch (cell In[4])" in said[4]


def test_a_cell_with_a_failed_launch_is_not_called_clean():
    said = _printed(
        START,
        "%%cuda\n__global__ void trap(int *a) { a[0] = threadIdx.x; if (threadIdx.x == 31) __trap(); }",
        MAKE,
        "%cuda_check trap(a, block=(32, 1, 1))",
    )
    assert said[3].startswith("race: ") and "found nothing" not in said[3]
    assert said[3].count("A launch of this cell failed.") == 1 and said[3].count("trap instruction") == 1
    said = _printed(
        START,
        "%%cuda\n__global__ void trap(int *a) { __trap(); }",
        MAKE,
        "%%cuda_check\ntrap(a, block=(1, 1, 1))\na.get()",
    )
    assert "found nothing" not in said[3] and said[3].count("trap instruction") == 1


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%cuda_time", "%cuda_time takes the statement behind it, %%cuda_time the lines below it"),
        ("%cuda_profile ", "%cuda_profile takes the statement behind it"),
        ("%cuda_check", "%cuda_check takes the statement behind it"),
        ("%%cuda_time -n 3\npass", "%%cuda_time takes the lines below it, and no options: '-n 3'"),
        ("%%cuda_profile x = 1\npass", "takes the lines below it: 'x = 1' belongs there, or"),
        ("%%cuda_check rase\npass", "%%cuda_check: there is no check 'rase'; the checks are memory, init, race,"),
        ("%cuda_check race f()", "is not Python: invalid syntax; 'race' belongs to %%cuda_check, a cell's first line"),
        ("%cuda_time -r 3 f()", "'-r 3 f()' is not Python: invalid syntax"),
        ("%cuda\n" + RIGHT.partition("\n")[2], "%%cuda, the magic of a cell, begins with two percent signs"),
        ("// mine\n" + RIGHT.partition("\n")[2], "the cell is CUDA C++: write %%cuda in its first line"),
        ("#include <math.h>\n__device__ int f() { return 1; }", "the cell is CUDA C++"),
        ("%%cuda\nvoid set(int *a) { }", "that the host can call: write __global__ before void set"),
        ("%%cuda\nint a;", "the cell defines no __global__ function"),
        ("%%cuda\ntemplate <class T> __global__ void f(T *a) { }", "f is a template without an instance"),
    ],
)
def test_a_magic_that_is_misused_says_how_it_is_used(cell, words):
    (_, said) = _printed(START, cell)
    assert said.startswith("UsageError: ") and words in said and len(said.splitlines()) == 1, said


def test_sources_in_strings_are_no_cells_of_cuda():
    said = _printed(
        START, "text = '''\n__global__ void f() { }\n'''\nprint(len(text))", MAKE_CONTEXT, "%cuda_check race = 1"
    )
    assert said[1] == "25" and said[3] == "The checks found nothing."


def test_the_repr_of_a_lost_array_says_how_a_notebook_replaces_the_context():
    said = _printed(START, FAULTY, MAKE, LAUNCH, "a", "%cuda_reset", MAKE + "\na")
    assert (
        said[4]
        .rstrip()
        .endswith("The context is lost: the next %%cuda cell that you run replaces it, or type %cuda_reset.>")
    )
    assert "tools.reset_context" not in said[4] and "array([0, 0," in said[6]


def test_kernels_of_cells_are_made_again_for_a_context_that_the_notebook_resets():
    reset = "import pycuda.tools\nx = pycuda.tools.reset_context()"
    said = _printed(START, RIGHT, MAKE, reset, MAKE, LAUNCH + "\nprint(a)")
    assert said[3] == "There is a new context: kernels of %%cuda cells are compiled again, copy the arrays again (a)."
    assert said[5] == "[8 8 8 8 8 8 8 8 8 8]"


def test_errors_of_a_timed_statement_quote_it():
    said = _printed(START, RIGHT, MAKE, "%cuda_time set(a, 10)", "%%cuda_time\n1\nset(a, 10)")
    assert "1 set(a, 10)" in said[3] and "2 set(a, 10)" in said[4]
    assert not any("Could not get source" in text for text in said)


def test_statements_and_checks_on_the_wrong_side_of_a_magic_are_told_where_they_belong():
    cells = [f"%%{name} {LAUNCH}\n1" for name in ("cuda_check", "cuda_time", "cuda_profile")]
    said = _printed(START, RIGHT, MAKE, *cells, "%cuda_check race", "%cuda_check race, sync", "%cuda_check x")
    for name, text in zip(("cuda_check", "cuda_time", "cuda_profile"), said[3:6], strict=True):
        assert text.startswith(f"UsageError: %%{name} takes the lines below it: 'set(a, np.int32(10), ")
        assert text.endswith(f"belongs there, or behind %{name}, with one percent sign")
    for text, named in zip(said[6:8], ("race", "race, sync"), strict=True):
        assert f"'{named}' belongs to %%cuda_check, a cell's first line, with the statements below" in text
    assert "NameError: name 'x' is not defined" in said[8]
