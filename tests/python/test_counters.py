# SPDX-License-Identifier: MIT
"""`pycuda.counters`, `PYCUDA_CPU_COUNTERS` and `python -m pycuda run --counters`: who gets which numbers, and how."""

import csv
import json
import pathlib
import subprocess
import sys

import numpy as np
import pycuda
import pytest
from programs import run_program
from pycuda import gpuarray
from pycuda.compiler import SourceModule

needs_cpu_driver = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)

SOURCE = """
__global__ void copy(float *to, const float *from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[2 * i];
}

__global__ void halves(float *to, const float *from) {
  if (threadIdx.x % 2 == 0)
    to[threadIdx.x] = from[threadIdx.x];
  else
    to[64 + threadIdx.x] = 1;
}
"""

PROGRAM = f"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('''{SOURCE}''')
a, b = cuda.mem_alloc(4096), cuda.mem_alloc(4096)
for _ in range(2):
    module.get_function("copy")(a, b, block=(64, 1, 1), grid=(2, 1))
module.get_function("halves")(a, b, block=(64, 1, 1))
print("done")
"""


@pytest.fixture
def kernels(context, driver):
    """The kernels of SOURCE and their memory, launched before anything is counted."""
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    module = SourceModule(SOURCE)
    memory, other = driver.mem_alloc(4096), driver.mem_alloc(4096)
    copy, halves = module.get_function("copy"), module.get_function("halves")
    copy(memory, other, block=(64, 1, 1), grid=(2, 1))

    class Kernels:
        def copy(self, block=(64, 1, 1), grid=(2, 1)):
            copy(memory, other, block=block, grid=grid)

        def halves(self):
            halves(memory, other, block=(64, 1, 1))

    return Kernels()


def test_launches_in_the_statement_are_counted_and_no_others(kernels):
    with pycuda.counters() as c:
        kernels.copy()
        kernels.copy()
    kernels.copy()
    assert [one.kernel for one in c] == ["copy"]
    assert c["copy"].launches == 2
    assert c["copy"].grid == (2, 1, 1)
    assert c["copy"].block == (64, 1, 1)
    with pycuda.counters() as again:
        kernels.copy()
    assert again["copy"].launches == 1
    assert again["copy"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] == 4


def test_attributes_are_the_sums_by_kernel_and_by_line(kernels):
    with pycuda.counters() as c:
        kernels.copy()
    copy = c["copy"]
    # Four warps: 8 sectors each are read where 4 would do, 4 are written.
    assert (copy.global_sectors, copy.global_sectors_ideal) == (4 * 12, 4 * 8)
    lines = [line for line in copy.lines if line.accesses]
    assert [line.source for line in lines] == ["to[i] = from[2 * i];"]
    assert lines[0].global_sectors == copy.global_sectors
    assert copy.line(lines[0].line) is lines[0]
    load, store = lines[0].accesses
    assert (load.op, load.space, load.bytes, load.requests, load.parts, load.ideal) == ("load", "global", 4, 4, 32, 16)
    assert (store.op, store.excess) == ("store", 0)
    assert load.threads == store.threads == 128
    assert load.sample.lanes == tuple(range(32))
    assert {b - a for a, b in zip(load.sample.addresses, load.sample.addresses[1:])} == {8}
    with pytest.raises(KeyError, match="has executed nothing of line 1"):
        copy.line(1)


def test_divergent_branches_and_active_threads(kernels):
    with pycuda.counters() as c:
        kernels.halves()
        kernels.copy()
    halves = c["halves"]
    assert (halves.branches, halves.divergent_branches) == (2, 2)
    assert 16 <= halves.active_threads < 32
    assert c["copy"].branches == 0
    assert c["copy"].active_threads == 32


def test_partial_warps_have_fewer_active_threads(kernels):
    with pycuda.counters() as c:
        kernels.copy(block=(40, 1, 1), grid=(1, 1))
    assert c["copy"].active_threads == 20


def test_nested_statements_count_both(kernels):
    with pycuda.counters() as outer:
        kernels.copy()
        with pycuda.counters() as inner:
            kernels.copy()
        kernels.halves()
    assert outer["copy"].launches == 2
    assert inner["copy"].launches == 1
    assert outer["copy"].global_sectors == 2 * inner["copy"].global_sectors
    assert "halves" in {one.kernel for one in outer}


def test_checks_and_counters_go_together(kernels):
    with pycuda.checks("memory", "race") as found, pycuda.counters() as c:
        kernels.copy()
    assert c["copy"].global_sectors == 48
    assert not found


def test_tables_and_files(kernels, tmp_path):
    with pycuda.counters() as c:
        kernels.copy()
        kernels.halves()
    text = str(c)
    assert "48 (32)" in text
    assert "2 of 2" in text
    assert "to[i] = from[2 * i];" in text
    assert "<td" in c._repr_html_()
    assert repr(c) == "<pycuda.Counters of 2 kernels, 2 launches>"
    c.save(tmp_path / "counters.csv")
    with open(tmp_path / "counters.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["kernel"] for row in rows] == ["copy", "halves"]
    assert rows[0]["memory_l2_theoretical_sectors_global"] == "48"


def test_counters_are_used_once_and_in_a_with_statement(kernels):
    c = pycuda.counters()
    assert str(c) == "counters of nothing yet: use them in a with statement"
    with c:
        pass
    assert str(c) == "no kernel was launched within the with statement"
    with pytest.raises(RuntimeError, match="counts once"):
        c.__enter__()
    with pytest.raises(KeyError, match="no kernel 'other'"):
        c["other"]


@needs_cpu_driver
def test_the_variable_writes_a_table_for_any_program(tmp_path):
    path = tmp_path / "table.csv"
    output, _ = run_program(PROGRAM, PYCUDA_DRIVER="cpu", PYCUDA_CPU_COUNTERS=str(path))
    assert output == "done\n"
    with open(path, newline="") as file:
        rows = {row["kernel"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"copy", "halves"}
    assert rows["copy"]["launches"] == "2"
    assert rows["copy"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == "64"
    assert rows["halves"]["ptx_branches_divergent"] == "2"


@needs_cpu_driver
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_run_writes_the_file_and_gives_the_status_of_the_program(tmp_path, ending):
    path = tmp_path / f"counters.{ending}"
    command = [sys.executable, "-m", "pycuda", "run", f"--counters={path}", "-c", PROGRAM + "raise SystemExit(3)"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    if ending == "json":
        kernels = json.loads(path.read_text())["kernels"]
        assert {one["kernel"] for one in kernels} == {"copy", "halves"}
    else:
        assert path.read_text().startswith("kernel,launches,")


MANY = """
import pycuda, pycuda.autoinit
from pycuda.compiler import SourceModule
names = [f"k{i}" for i in range(20)]
source = "\\n".join(["// a line of a long source"] * 2000 + [
    f"__global__ void {name}(int *a) {{ a[threadIdx.x] = NUMBER; }}" for name in names])
a = pycuda.driver.mem_alloc(128)
modules = [SourceModule(source, options=[f"-DNUMBER={number}"]) for number in range(2)]

def launch(module, *names):
    for name in names:
        module.get_function(name)(a, block=(32, 1, 1))
"""


@needs_cpu_driver
def test_the_file_has_a_source_once_for_all_kernels_and_modules(tmp_path):
    path = tmp_path / "counters.json"
    program = MANY + "for module in modules: launch(module, *names)"
    run_program(program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_COUNTERS=str(path))
    taken = json.loads(path.read_text())
    (source,) = taken["sources"]
    assert source["text"].count("a line of a long source") == 2000
    assert len(taken["kernels"]) == 40 and all(one["sources"] == [0] for one in taken["kernels"])
    assert path.stat().st_size < 3 * len(source["text"])


@needs_cpu_driver
def test_kernels_of_one_source_share_its_text():
    program = """
with pycuda.counters() as c:
    launch(modules[0], "k0", "k1")
    with pycuda.counters():
        launch(modules[1], "k1", "k2")
one, two, three = (c[name]._sources for name in ("k0", "k1", "k2"))
(file,) = one
assert one[file] is two[file] and two[file] == three[file] and "// a line of a long source" in one[file].values()
"""
    run_program(MANY + program, PYCUDA_DRIVER="cpu")


@needs_cpu_driver
def test_run_refuses_a_file_that_cannot_be_written(tmp_path):
    command = [sys.executable, "-m", "pycuda", "run", f"--counters={tmp_path}/no/folder.csv", "-c", "print('ran')"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "--counters" in done.stderr
    assert "ran" not in done.stdout


@needs_cpu_driver
@pytest.mark.parametrize("block", [(64, 1, 1), (16, 16, 1), (5, 3, 3), (33, 1, 1)])
def test_every_form_of_a_kernel_counts_the_same(block):
    program = f"""
import numpy as np, pycuda, pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
kernel = SourceModule('''
__global__ void walk(int *to, const int *from) {{
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), sum = 0;
  for (int i = 0; i < t % 7; ++i) {{
    if (from[t + i] % 3 == 0) continue;
    for (int j = i; j < from[i] % 5; ++j) sum += from[3 * t + j];
    if (sum > 900) break;
    to[t + 64 * i] = sum;
  }}
  if (t % 5 == 2) return;
  to[t] = sum;
}}
''').get_function("walk")
numbers = (np.arange(8192) * 7919 % 1024).astype(np.int32)
a, b = cuda.mem_alloc(numbers.nbytes), cuda.to_device(numbers)
with pycuda.counters() as c:
    kernel(a, b, block={block}, grid=(3, 1))
for name in sorted(c["walk"].metrics):
    print(name, c["walk"].metrics[name])
"""
    vectors, _ = run_program(program, PYCUDA_DRIVER="cpu")
    threads, _ = run_program(program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_VECTOR="0")
    assert vectors == threads
    assert "op_ld.sum" in vectors


def test_another_driver_says_who_counts(fake_driver):
    _, errors = run_program(
        "import pycuda\nimport pycuda.driver as cuda\ncuda.init()\npycuda.counters().__enter__()",
        expect=1,
        PYCUDA_DRIVER=fake_driver,
    )
    assert "only the CPU driver counts what kernels do" in errors


@pytest.mark.usefixtures("cpu_context")
def test_instances_of_templates_have_their_names_in_cpp():
    module = SourceModule("template <class T> __global__ void fill(T *a) { a[threadIdx.x] = 1; }")
    with pycuda.counters() as c:
        module.get_function("fill<float>")(gpuarray.zeros(32, np.float32), block=(32, 1, 1))
    assert c["fill"] is c["fill<float>"] is c["fill<float>(float*)"] is c.kernels[0]
    assert "fill<float>(float*)" in str(c)
    with pycuda.counters() as c:
        for name, dtype in (("fill<float>", np.float32), ("fill<int>", np.int32)):
            module.get_function(name)(gpuarray.zeros(32, dtype), block=(32, 1, 1))
    assert c["fill<int>"].launches == 1
    with pytest.raises(KeyError, match=r"no kernel 'fill' .*: fill<float>\(float\*\), fill<int>\(int\*\)"):
        c["fill"]


@needs_cpu_driver
def test_a_fault_ends_the_counters_of_its_statement():
    output, _ = run_program(
        f"""
import os
os.environ["PYCUDA_DRIVER"] = "cpu"
import numpy as np
import pycuda
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import tools
from pycuda.compiler import SourceModule

SOURCE = '''{SOURCE}'''
copy, a = SourceModule(SOURCE).get_function("copy"), cuda.mem_alloc(4096)
try:
    with pycuda.counters() as first:
        copy(a, a, block=(64, 1, 1))
        cuda.Context.synchronize()
        copy(a, np.uint64(64), block=(64, 1, 1))
        raise KeyError("the statement's own")
except KeyError:
    print([kernel.kernel for kernel in first.kernels])
tools.reset_context()
copy, a = SourceModule(SOURCE).get_function("copy"), cuda.mem_alloc(4096)
copy(a, a, block=(64, 1, 1))
with pycuda.counters() as second:
    pass
print(second.kernels, pycuda._counters._open)
"""
    )
    assert output.splitlines() == ["['copy']", "[] []"]
