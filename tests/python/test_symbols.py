# SPDX-License-Identifier: MIT
"""PYCUDA_CPU_SYMBOLS: gdb and perf know the kernels that the CPU driver compiles."""

import re
import subprocess
import sys
import textwrap

import pytest
from gdb_session import gdb_environment, run_gdb
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

PROGRAM = '''
import os
import sys
os.environ["PYCUDA_DRIVER"] = "cpu"
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule("""
__device__ float twice(float x)
{
  return 2 * x;
}
__global__ void scale(float *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = twice(a[i]) + sinf(a[i]);
}
extern "C" __global__ void turn(float *a)
{
  __shared__ float row[64];
  row[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = row[63 - threadIdx.x];
}
""", no_extern_c=True)
a = np.arange(1000, dtype=np.float32)
module.get_function("scale")(cuda.InOut(a), np.int32(1000), block=(128, 1, 1), grid=(8, 1))
b = np.arange(64, dtype=np.float32)
module.get_function("turn")(cuda.InOut(b), block=(64, 1, 1))
want = np.arange(1000, dtype=np.float32)
assert np.allclose(a, 2 * want + np.sin(want), rtol=1e-6), a
assert (b == np.arange(63, -1, -1)).all(), b
path = f"/tmp/perf-{os.getpid()}.map"
if os.path.exists(path):
    print(open(path).read())
    os.remove(path)
'''


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM))
    return path


@pytest.mark.parametrize("vectors", ["0", "1"])
def test_perf_finds_the_code_of_kernels(program, tmp_path, vectors):
    for _ in ("compiled", "from the cache"):
        ran = subprocess.run(
            [sys.executable, program],
            env=gdb_environment(tmp_path, PYCUDA_CPU_VECTOR=vectors),
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
        functions = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) (.+)$", ran.stdout, re.MULTILINE)
        names = " ".join(name for _, _, name in functions)
        assert "scale(float*, int)." in names and "turn." in names
        places = sorted((int(start, 16), int(size, 16)) for start, size, _ in functions)
        assert all(size > 0 for _, size in places)
        assert all(start + size <= after for (start, size), (after, _) in zip(places, places[1:]))


def test_without_the_variable_nothing_is_written():
    output, _ = run_program(PROGRAM, PYCUDA_CPU_SYMBOLS="0")
    assert output == ""


def test_a_map_that_is_no_file_of_ours_is_left_alone(tmp_path):
    # A link in a folder that everybody writes to may lead anywhere.
    other = tmp_path / "other"
    other.write_text("theirs")
    ran = _run_with_a_map(tmp_path, f"os.symlink({str(other)!r}, path)")
    assert other.read_text() == "theirs"
    assert "cannot be written: perf knows no kernels" in ran.stderr


def test_a_map_of_an_ended_process_is_dropped(tmp_path):
    # Numbers of processes are given out again: in a container that starts anew, at once.
    ran = _run_with_a_map(tmp_path, "open(path, 'w').write('1000 10 theirs\\n'); os.utime(path, (1e9, 1e9))")
    assert "theirs" not in ran.stdout and " scale(float*, int)." in ran.stdout


def test_what_the_process_itself_has_written_stays(tmp_path):
    # As Python does with -X perf.
    ran = _run_with_a_map(tmp_path, "open(path, 'w').write('1000 10 py::main\\n')")
    assert "1000 10 py::main\n" in ran.stdout and " scale(float*, int)." in ran.stdout


def _run_with_a_map(folder, statement):
    """Run the program where `statement` has made its map, whose name is `path`; the ended process."""
    program = folder / "program.py"
    beginning = 'import os\npath = f"/tmp/perf-{os.getpid()}.map"\nos.path.lexists(path) and os.remove(path)\n'
    text = PROGRAM.replace("print(open(path).read())", "os.path.islink(path) or print(open(path).read())")
    program.write_text(f"{beginning}{statement}\n{text}")
    ran = subprocess.run([sys.executable, program], env=gdb_environment(folder), capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran


def test_gdb_stops_at_a_line_of_a_kernel(program, tmp_path):
    said = run_gdb(
        program, tmp_path, "break kernel.cu:9", "run", "backtrace 1", "info symbol $pc", "delete", "continue"
    )
    assert re.search(r"hit Breakpoint 1, scale \(\)\s+at kernel\.cu:9", said), said
    assert re.search(r"#0  scale \(\) at kernel\.cu:9", said), said
    assert "exited normally" in said, said


def test_gdb_stops_in_a_kernel_by_its_name(program, tmp_path):
    said = run_gdb(program, tmp_path, "break turn", "run", "next", "backtrace 1", "delete", "continue")
    assert re.search(r"hit Breakpoint 1(\.\d)?, turn \(", said), said
    assert re.search(r"#0  turn \(.*\) at kernel\.cu:1[1-7]", said), said
    assert "exited normally" in said, said
