# SPDX-License-Identifier: MIT
"""`pycuda.debug.step`: how walks end and are shown in notebooks and documents, and what is refused."""

import pathlib
import re

import numpy as np
import pycuda.debug
import pytest
from programs import is_cpu, run_file, run_program
from pycuda import gpuarray
from pycuda.compiler import DynamicModule, SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

ROOT = pathlib.Path(__file__).resolve().parents[2]

COUNT = """
__global__ void count(int *out, int n) {
  for (int i = 0; i < n; i++)
    out[threadIdx.x] += i;
}
"""
TOTAL = """
__global__ void total(float *out, const float *in) {
  __shared__ float part[8];
  part[threadIdx.x] = in[threadIdx.x];
  for (int half = 4; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[0] = part[0];
}
"""


@pytest.fixture(autouse=True)
def cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, whose kernels are walked")


def _walk(source, name, *args, **launch):
    module = SourceModule(source)
    return pycuda.debug.step(module.get_function(name), *args, **{"block": (1, 1, 1), **launch})


def test_a_notebook_shows_a_table_with_escaped_source(driver):
    source = """
__global__ void k(int *out, int n) {
  if (n < 3 && n > 1) out[0] = n;
}
"""
    page = _walk(source, "k", driver.Out(np.zeros(1, np.int32)), np.int32(2))._repr_html_()
    assert "if (n &lt; 3 &amp;&amp; n &gt; 1) out[0] = n;" in page
    assert "writes out[0] = 2" in page
    assert "n = 2" in page
    assert "<script" not in page


def test_the_how_to_prints_its_table(tmp_path):
    page = (ROOT / "docs" / "howto" / "step-through-a-kernel.md").read_text(encoding="utf-8")
    program, printed = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", page, re.DOTALL).groups()
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    assert run_file(tmp_path / "program.py")[0] == printed


def test_recording_ends_at_the_limit(driver):
    source = """
__global__ void count(int *out, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) {
    s += i;
  }
  out[0] = s;
}
"""
    out = np.zeros(1, np.int32)
    walk = _walk(source, "count", driver.Out(out), np.int32(50000), limit=100)
    assert len(walk) == 100
    assert not walk.is_complete
    assert str(walk).endswith("the recording ends here, the thread went on: limit=... records more steps")
    assert out[0] == np.int32(50000 * 49999 // 2)


def test_a_walk_ends_at_the_fault():
    output, _ = run_program(
        """
import numpy as np
import pycuda.autoinit
import pycuda.debug
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('''
__global__ void k(int *a, long long where) {
  int first = a[0];
  int second = first + 1;
  a[where] = second;
  a[1] = 0;
}
''')
a = np.array([4, 5], np.int32)
walk = pycuda.debug.step(module.get_function("k"), cuda.In(a), np.int64(1 << 40), block=(1, 1, 1))
print([step.source.strip() for step in walk], walk[-1].variables["second"])
print(walk)
"""
    )
    lines, rest = output.split("\n", 1)
    assert lines == "['int first = a[0];', 'int second = first + 1;', 'a[where] = second;'] 5"
    assert "illegal memory access" in rest
    assert "kernel k, block (0, 0, 0), thread (0, 0, 0)" in rest
    assert "the launch failed: " in rest


def test_a_fault_before_the_thread_has_begun_is_a_walk_without_steps():
    output, _ = run_program(
        """
import numpy as np
import pycuda.autoinit
import pycuda.debug
import pycuda.driver as cuda
from pycuda import tools
from pycuda.compiler import SourceModule

source = '''
__global__ void k(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i + n] = i;
}
'''
launch = dict(block=(1, 1, 1), grid=(4, 1))
far = np.int32(10**7)


def walk_of(k, in_block, **launch):
    return pycuda.debug.step(k, cuda.InOut(np.zeros(8, np.float32)), far, in_block=in_block, **launch)


walk = walk_of(SourceModule(source).get_function("k"), (3, 0, 0), **launch)
print(len(walk), isinstance(walk.error, cuda.Error))
print(str(walk).splitlines()[-1])
tools.reset_context()
k = SourceModule(source).get_function("k")
walk = walk_of(k, (0, 0, 0), **launch)
print(len(walk) > 0, "another thread" in str(walk))
try:
    walk_of(k, (0, 0, 0), **launch)
except cuda.Error as error:
    print("earlier", "illegal memory access" in str(error))
tools.reset_context()
try:
    walk_of(SourceModule(source).get_function("k"), (0, 0, 0), block=(4096, 1, 1))
except cuda.Error:
    print("refused")
"""
    )
    assert output.splitlines() == [
        "0 True",
        "another thread failed, before this one had begun: walk it with thread=(0, 0, 0), in_block=(0, 0, 0)",
        "True False",
        "earlier True",
        "refused",
    ]


def test_a_loop_without_end_is_walked_up_to_the_limit():
    output, _ = run_program(
        """
import numpy as np
import pycuda.autoinit
import pycuda.debug
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('''
__global__ void k(volatile int *a) {
  int rounds = 0;
  while (a[0] == 0) {
    rounds++;
  }
}
''')
a = np.array([0], np.int32)
walk = pycuda.debug.step(module.get_function("k"), cuda.In(a), block=(1, 1, 1), limit=50)
print(len(walk), walk.is_complete, walk.variable("rounds")[-1][1], "timeout" in str(walk.error) or walk.error)
""",
        PYCUDA_CPU_TIMEOUT="2",
    )
    assert output.startswith("50 False 24"), output


@pytest.mark.parametrize("checks", ["all", "race", "init"])
def test_recording_is_no_finding_of_the_checks(driver, checks):
    out = np.zeros(1, np.float32)
    with pycuda.checks(checks) as found:
        walk = _walk(TOTAL, "total", driver.Out(out), driver.In(np.ones(8, np.float32)), block=(8, 1, 1))
        racy = SourceModule("__global__ void racy(int *a) { a[0] = threadIdx.x; }").get_function("racy")
        racy(driver.Out(np.zeros(1, np.int32)), block=(8, 1, 1))
    assert walk.is_complete
    assert out[0] == 8
    assert {finding.kernel for finding in found} == (set() if checks == "init" else {"racy"})


def test_a_gpu_is_refused_with_a_remedy(driver, monkeypatch):
    class Gpu:
        is_cpu = False

    function = SourceModule(COUNT).get_function("count")
    monkeypatch.setattr("pycuda._driver._device_traits", Gpu)
    with pytest.raises(driver.LogicError, match="needs the CPU driver: set PYCUDA_DRIVER=cpu"):
        pycuda.debug.step(function, driver.Out(np.zeros(1, np.int32)), np.int32(1), block=(1, 1, 1))


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"thread": (4, 0, 0)}, r"thread=\(4, 0, 0\) is not in the launch, whose block is \(4, 1, 1\)"),
        ({"thread": (-1, 0, 0)}, "is not in the launch"),
        ({"in_block": (0, 1)}, r"in_block=\(0, 1\) is not in the launch, whose grid is \(2, 1, 1\)"),
        ({"limit": 0}, "at least one step"),
    ],
)
def test_a_thread_outside_of_the_launch_is_refused(driver, where, message):
    function = SourceModule(COUNT).get_function("count")
    with pytest.raises(ValueError, match=message):
        pycuda.debug.step(
            function, driver.Out(np.zeros(4, np.int32)), np.int32(1), **{"block": (4, 1, 1), "grid": (2, 1), **where}
        )


@pytest.mark.parametrize("thread", ["x", 1.5, (1.5, 0, 0), None])
def test_a_thread_that_is_no_whole_number_is_refused(driver, thread):
    with pytest.raises(TypeError, match="thread is .*: it has one to three whole numbers"):
        _walk(COUNT, "count", driver.Out(np.zeros(2, np.int32)), np.int32(1), block=(2, 1, 1), thread=thread)


@pytest.mark.parametrize("number", [1, np.int64(1), (np.uint8(1),)])
def test_whole_numbers_of_all_kinds_name_a_thread(driver, number):
    walk = _walk(COUNT, "count", driver.Out(np.zeros(2, np.int32)), np.int32(1), block=(2, 1, 1), thread=number)
    assert walk.thread == (1, 0, 0)


def test_a_kernel_without_a_source_is_refused(driver):
    module = DynamicModule()
    module.add_source("__global__ void k(int *a) { a[0] = 1; }")
    module.link()
    with pytest.raises(TypeError, match="take the kernel from a pycuda.compiler.SourceModule"):
        pycuda.debug.step(module.get_function("k"), driver.Out(np.zeros(1, np.int32)), block=(1, 1, 1))


BRANCHES = """
__device__ int twice(int x) {
  int doubled = 2 * x;
  return doubled;
}
__global__ void k(int *out, int n) {
  int sum = 0;
  if (n > 5) {
    int large = twice(n);
    sum += large;
  }

  out[0] = sum;
}
"""


def test_variables_and_lines_that_are_not_there_are_refused(driver):
    walk = _walk(BRANCHES, "k", driver.Out(np.zeros(1, np.int32)), np.int32(3))
    first = next(step.line for step in walk if "int sum" in step.source)
    assert [value for _, value in walk.variable("sum")] == [0]
    assert walk.variable("large") == walk.at(first + 2) == []
    assert len(walk.at(first + 1)) == 1
    with pytest.raises(KeyError, match=r"no variable 'zz' is recorded; these are: .*out, n, sum, large\."):
        walk.variable("zz")
    with pytest.raises(KeyError, match="in no function 'twice'; it was in: k"):
        walk.variable("doubled", function="twice")
    for line in (first + 5, first + 1000):
        with pytest.raises(KeyError, match=f"line {line} has no code; the steps are at the lines {first}, {first + 1}"):
            walk.at(line)
    with pytest.raises(KeyError, match="the walk has no file 'other.cu'; it has: "):
        walk.at(first, file="other.cu")


def test_what_is_no_kernel_is_refused_with_the_right_call(driver):
    module = SourceModule(COUNT)
    for one in (module, module.module):
        with pytest.raises(TypeError, match=r"not a module: pass module\.get_function\('count'\)"):
            pycuda.debug.step(one, block=(1, 1, 1))
    with pytest.raises(TypeError, match=r"step\(\) got None: pass a kernel and its arguments, .* not a call"):
        pycuda.debug.step(None, block=(1, 1, 1))


def _generated_kernels():
    yield ElementwiseKernel("float *x", "x[i] = 1", "ones")
    yield ReductionKernel(np.float32, "0", "a + b", arguments="float *in")
    yield InclusiveScanKernel(np.int32, "a + b")


def test_kernels_that_are_generated_name_the_tools_for_them():
    for kernel in _generated_kernels():
        with pytest.raises(TypeError, match=r"generates its own\. with pycuda\.counters\(\)"):
            pycuda.debug.step(kernel, gpuarray.zeros(4, np.float32), block=(1, 1, 1))
        for name in ("report", "plan"):
            with pytest.raises(AttributeError, match=f"no attribute '{name}': .*pycuda run --report"):
                getattr(kernel, name)
        with pytest.raises(AttributeError, match="object has no attribute 'reports'$"):
            _ = kernel.reports
