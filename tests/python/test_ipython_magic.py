# SPDX-License-Identifier: MIT
"""`%load_ext pycuda` and `%%cuda`, in IPython and in an executed notebook."""

import pathlib
import sys

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import run_program
from pycuda import _notebook_kernels, ipython_magic
from pycuda.compiler import SourceModule

NOTEBOOK = pathlib.Path(__file__).resolve().parents[2] / "examples" / "first_steps.ipynb"


CELLS = {
    "comments": ("// __global__ void no(int) {}\n/* __global__ void nor() {} */\n__global__ void b() {}", ["b"]),
    "other functions": ("__device__ int help(int a) { return a; }\n__global__ void z() {}", ["z"]),
    "the order of the cell": (
        "__global__ void z() {}\n__global__ void _a() {}\n__global__ void m() {}",
        ["z", "_a", "m"],
    ),
    "bounds": (
        "__global__ void __launch_bounds__(128, 2) z() {}\n__global__ __launch_bounds__(64)\nvoid third() {}",
        ["z", "third"],
    ),
    "bounds with parentheses": ("__global__ void __launch_bounds__(32 * (2 + 2)) pb(int *x) {}", ["pb"]),
    "registers": ("__global__ void __maxnreg__(32) mr(int *x) {}", ["mr"]),
    "the preprocessor": ("#if 0\n__global__ void old(int *x) {}\n#endif\n__global__ void c(int *x) {}", ["c"]),
    "macros": ("#define KERNEL(n) __global__ void n(int *x)\nKERNEL(mk) { x[0] = 1; }", ["mk"]),
    "a string": ('__global__ void s() { printf("__global__ void str("); }', ["s"]),
    "static": ("static __global__ void hidden() {}\n__global__ void c() {}", ["c"]),
}


@pytest.mark.parametrize("what", CELLS)
def test_the_kernels_of_a_cell_are_those_of_its_module(context, what):
    source, expected = CELLS[what]
    names = {}
    made = ipython_magic.compile_cell("", source, names)
    assert [function.name for function in made] == list(names) == expected


def test_a_driver_that_does_not_tell_kernels_is_asked_for_each(context):
    class Module:
        class module:
            @staticmethod
            def _kernel_names():
                raise cuda.LogicError

        get_function = SourceModule("__global__ void a() {}\n__global__ void b() {}").get_function

    source = "#if 0\n__global__ void old() {}\n#endif\n__global__ void b() {}\n__global__ void a() {}"
    assert list(_notebook_kernels.kernels_of(Module, source)) == ["b", "a"]


def test_the_kernels_of_a_cell_become_names(context):
    names = {}
    source = "__global__ void set(int *a) { *a = VALUE; }\n__global__ void zero(int *a) { *a = 0; }"
    made = ipython_magic.compile_cell("-DVALUE=7", source, names)
    assert [function.name for function in made] == ["set", "zero"] == list(names)
    a = np.zeros(1, np.int32)
    names["set"](cuda.Out(a), block=(1, 1, 1))
    assert a[0] == 7


def test_a_kernel_that_hides_a_name_of_python_s_or_a_module_says_so_once(context, capsys):
    names = {"np": np, "sum": cuda.mem_alloc}
    source = "__global__ void print() {}\n__global__ void np() {}\n__global__ void sum() {}"
    ipython_magic.compile_cell("", source, names)
    assert capsys.readouterr().out.splitlines() == [
        "print: the kernel hides Python's own print; give the kernel another name, and `del print` for Python's",
        "np: the kernel hides the module numpy; give the kernel another name, and import numpy again",
    ]
    ipython_magic.compile_cell("", source, names)
    assert capsys.readouterr().out == ""


def test_a_cell_without_kernels_is_refused(context):
    with pytest.raises(ValueError, match="no __global__ function"):
        ipython_magic.compile_cell("", "int a;", {})
    with pytest.raises(ValueError, match=r'fill is a template .*get_function\("fill<float>"\) makes one$'):
        ipython_magic.compile_cell("", "template <class T> __global__ void fill(T *a) { a[0] = 1; }", {})


def test_ipython_loads_the_extension(driver):
    pytest.importorskip("IPython", reason="needs IPython")
    output, _ = run_program(
        """
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        for cell in (
            "%load_ext pycuda",
            "%%cuda -DFACTOR=3\\n__global__ void times(int *a) { a[threadIdx.x] *= FACTOR; }",
            "import numpy as np, pycuda.driver as cuda; a = np.arange(4, dtype=np.int32)",
            "times(cuda.InOut(a), block=(4, 1, 1)); print(a)",
            "print(get_ipython().display_formatter.format(times)[0]['text/html'])",
            "print(get_ipython().display_formatter.format(cuda.Device(0))[0]['text/html'])",
            "from pycuda import gpuarray; b = gpuarray.arange(6, dtype=np.int16).reshape(2, 3)",
            "print(get_ipython().display_formatter.format(b)[0]['text/html'])",
            "%cuda_time c = b + 1",
            "%%cuda_time\\nfor i in range(2):\\n    b + i",
            "print('c' in dir(), 'i' in dir())",
            "p = %cuda_profile kept = b + 1",
            "print(p, kept.shape)",
        ):
            shell.run_cell(cell).raise_error()
        """
    )
    assert "times: registers " in output and "[0 3 6 9]" in output
    assert "<td>threads per block</td>" in output and "<td>compute capability</td>" in output
    assert "<td>registers</td>" in output and "<td>shared memory</td><td>0 bytes</td>" in output
    assert "<td>occupancy</td><td>100% with 256 threads per block</td>" in output
    assert "c = b + 1: " in output and "cell: " in output and "95% confidence" in output and "False False" in output
    assert "array_add" in output and "(2, 3)" in output
    assert "[3 4 5]" in output and "<td>2 x 3</td>" in output and "<td>int16</td>" in output


def test_a_cell_shows_what_the_compiler_says_and_nothing_of_the_package(driver):
    pytest.importorskip("IPython", reason="needs IPython")
    output, said = run_program(
        """
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        for cell in (
            "%load_ext pycuda",
            "%%cuda\\n__global__ void unused(int *a) { int i; }",
            "%%cuda\\n__global__ void bad(int *a)\\n{\\n  a[0] = 1\\n}",
            "print('unused' in dir(), 'bad' in dir())",
        ):
            shell.run_cell(cell)
        """,
        PYCUDA_DISABLE_CACHE="1",  # what comes from the cache is not compiled
    )
    assert said.startswith('kernel.cu(1): warning #177-D: variable "i" was declared but never referenced\n')
    assert "Remark" not in said and "UserWarning" not in said and "succeeded" not in said
    shown = output[output.index("CompileError") :].splitlines()
    assert shown[0].startswith('CompileError: kernel.cu(4): error: expected a ";"')
    reason = "the line before has no ; at its end (line 4 of kernel.cu is line 5 of the cell)"
    assert f"compilation of kernel.cu failed: {reason}" in shown
    assert "Traceback" not in output and ".py" not in output and "True False" in output


def test_a_fault_in_a_notebook_names_the_cell_s_line_and_leaves_texts(driver):
    pytest.importorskip("IPython", reason="needs IPython")
    output, _ = run_program(
        """
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        for cell in (
            "%load_ext pycuda",
            "%%cuda\\n__global__ void bad(int *a)\\n{\\n  a[threadIdx.x] = 1;\\n}",
            "import pycuda.driver as cuda; bad(0, block=(4, 1, 1))",
        ):
            shell.run_cell(cell).raise_error()
        import pycuda.driver as cuda
        try:
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(error)
        print(shell.display_formatter.format(shell.user_ns["bad"])[0])
        """
    )
    assert "{'text/plain': '<pycuda.Function bad" in output
    said = "at line 4 of the cell: null among the arguments: 'int *a', argument #0 (0-based)\n    a[threadIdx.x] = 1;"
    assert "in kernel bad" not in output or said in output


def test_the_notebook_runs(driver):
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat")
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    # It is read where it cannot be run too: what its cells print is in it.
    for cell in notebook.cells:
        assert cell.cell_type != "code" or cell.outputs, f"the cell {cell.source!r} was saved without its output"
    from jupyter_client import KernelManager

    manager = KernelManager()
    # The kernel is this Python, whatever kernels the user has installed.
    manager.kernel_spec.argv[0] = sys.executable
    nbclient.NotebookClient(notebook, km=manager, startup_timeout=600).execute()
    text = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", ()))
    assert "correct" in text and "LogicError" in text
