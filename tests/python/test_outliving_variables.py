# SPDX-License-Identifier: MIT
"""A function's own variables that outlive it, of which debug information says nothing, in gdb and in walks."""

import re

import numpy as np
import pycuda.debug
import pycuda.driver as cuda
import pytest
from gdb_session import run_gdb
from programs import has_cpu_driver, is_cpu
from pycuda._stepping.declarations import Declarations, names_of
from pycuda._stepping.types import Types
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

SOURCE = """
__device__ int counted()
{
  static __device__ int calls = 7;
  calls += 1;
  return calls;
}
__device__ __forceinline__ double summed(double more)
{
  static __device__ double calls = 1.5;  // another one
  calls += more;
  return calls;
}
extern "C" __global__ void k(int *a)
{
  /* int tile[3]; of
     several lines */
  __shared__ int tile[8][4], single;
  static __device__ short total[2] = {3, 4};
  static __constant__ float factors[3] = {1.5f, 2.5f, 3.5f};
  int i = threadIdx.x;
  if (i == 0)
    single = 5;
  tile[i][0] = a[i];
  __syncthreads();
  {
    __shared__ float tile[4];
    tile[i & 3] = 2;
    __syncthreads();
    a[i] += tile[i & 3];
  }
  a[i] += tile[7 - i][0] * factors[i % 3] + total[1];
  a[i] += counted() + single;
  a[i] += summed(2.5);
}
"""


def line_of(text):
    return next(number for number, line in enumerate(SOURCE.split("\n"), 1) if text in line)


PROGRAM = f'''
import os
os.environ["PYCUDA_DRIVER"] = "cpu"
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

a = np.arange(8, dtype=np.int32)
k = SourceModule("""{SOURCE}""", options=["-G"], no_extern_c=True).get_function("k")
k(cuda.InOut(a), block=(8, 1, 1))
'''


def test_gdb_prints_them_where_their_names_are_known(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    (tmp_path / "kernel.cu").write_text(SOURCE)
    said = run_gdb(
        program,
        tmp_path,
        *(f"directory {tmp_path}", f"break kernel.cu:{line_of('a[i] += tile[i & 3]')} if threadIdx.x == 3", "run"),
        *("print tile", "print single", "delete", f"break kernel.cu:{line_of('a[i] += tile[7')} if threadIdx.x == 7"),
        *("continue", "print tile[20]@4", "print total", "print factors", "print/d sizeof(single)", "delete"),
        *(f"break kernel.cu:{line_of('return calls')}", "continue", "print calls", "ptype calls", "delete"),
        *("break summed", "continue", "next", "print calls", "print more", "up", "print total[0]", "kill"),
        PYCUDA_CPU_THREADS="1",
    )
    values = re.findall(r"^(?:\$\d+|type) = (.*)$", said, re.MULTILINE)
    assert values == [
        *("{2, 2, 2, 2}", "5", "{5, 0, 0, 0}", "{3, 4}", "{1.5, 2.5, 3.5}", "4"),
        *("15", "int", "21.5", "2.5", "3"),
    ], said


def test_a_walk_shows_them_where_their_names_are_known(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, whose kernels are walked")
    # Of all threads only the one that is walked counts: what another one has counted before depends on the order.
    source = SOURCE.replace("a[i] += counted() + single;", "if (i == 2) a[i] += counted() + single;")
    source = source.replace("a[i] += summed(2.5);", "if (i == 2) a[i] += summed(2.5);")
    k = SourceModule(source, no_extern_c=True).get_function("k")
    a = np.arange(8, dtype=np.int32)
    walk = pycuda.debug.step(k, cuda.InOut(a), block=(8, 1, 1), thread=(2, 0, 0))
    (inner,) = (step for step in walk if step.source.strip() == "a[i] += tile[i & 3];")
    assert (inner.variables["tile"] == np.float32([2, 2, 2, 2])).all() and inner.variables["tile"].shape == (4,)
    outer = next(step for step in walk if "factors[i % 3]" in step.source and step.function == "k")
    assert outer.variables["tile"].shape == (8, 4) and outer.variables["tile"][7, 0] == 7
    assert outer.variables["single"] == 5 and list(outer.variables["total"]) == [3, 4]
    assert [touch.name for touch in outer.reads] == ["tile[5][0]", "factors[2]", "total[1]", "a[2]"]
    assert [float(touch.value) for touch in outer.reads[:3]] == [5, 3.5, 4]
    calls = [value for step, value in walk.variable("calls")]
    assert calls[0] == 8 and {type(value) for value in calls} == {int, float}, calls
    assert calls[-1] == 4.0


def test_of_templates_the_compiled_code_says_what_numbers_are(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, whose kernels are walked")
    source = """
template <class T> __device__ T bump(T by)
{
  static __device__ T total = 1;
  total += by;
  return total;
}
extern "C" __global__ void k(int *a)
{
  a[0] = bump<int>(-2) + (int)bump<float>(2.5f) + (int)bump<double>(0.5);
}
"""
    k = SourceModule(source, no_extern_c=True).get_function("k")
    walk = pycuda.debug.step(k, cuda.Out(np.zeros(1, np.int32)), block=(1, 1, 1))
    assert [str(touch) for step in walk for touch in step.writes[:1]][:3] == [
        "total = -1",
        "total = 3.5",
        "total = 1.5",
    ]


def test_pointers_in_structures_are_what_they_point_to(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, whose kernels are walked")
    source = """
struct Node { int key; Node *next[2]; };
__device__ Node pool[3];
extern "C" __global__ void k(int *a)
{
  __shared__ Node own[2];
  pool[0].next[1] = pool + 2;
  own[1].next[0] = &own[0];
  own[0].next[1] = nullptr;
  a[0] = own[1].next[0] == own && pool[0].next[1]->key == 0;
}
"""
    k = SourceModule(source, no_extern_c=True).get_function("k")
    walk = pycuda.debug.step(k, cuda.Out(np.zeros(1, np.int32)), block=(1, 1, 1))
    assert [str(touch) for step in walk for touch in step.writes] == [
        "pool[0].next[1] = pool + 2",
        "own[1].next[0] = own",
        "own[0].next[1] = 0x0",
        "a[0] = 1",
    ]


@pytest.mark.parametrize(
    "symbol, names",
    [
        ("_ZZ3sumE4part", (["sum", "part"], 0)),
        ("_ZZ3sumE4part_0", (["sum", "part"], 1)),
        ("_ZZ3sumE4part__11_", (["sum", "part"], 12)),
        ("_ZZ3sumE6part_0", (["sum", "part_0"], 0)),
        ("_ZZ3sumIiEvPT_E4part", (["sum", "part"], 0)),
        ("part_0", (["part_0"], 0)),
    ],
)
def test_names_of_the_source(symbol, names):
    assert names_of(symbol) == names


def test_declarations_are_those_of_the_function():
    source = b"""
__device__ int first() { static __device__ float x[2]; return x[0]; }
// static __device__ char x;
__global__ void k() {
  const char *text = "static __device__ char x;";
  __shared__ __align__(16) volatile double x[3][N], *y;
  { static const short x = 2; }
  __shared__ float tile[8][(N + 1) * 2];
}
"""
    declared = Declarations(source, Types({}))
    of = [
        (one.type.dtype, one.shape, one.line, one.last_line)
        for one in map(declared.of, *zip(("_ZZ5firstvE1x", 2), ("_ZZ1kvE1x", 4), ("_ZZ1kvE1x_0", 4)))
    ]
    assert of == [("f4", (2,), 2, 2), ("f8", (3, 0), 6, 9), ("i2", (), 7, 7)]
    assert declared.of("_ZZ1kvE1y", 4).type.is_pointer
    assert declared.of("_ZZ1kvE1z", 4).type is None
    assert declared.of("_ZZ1kvE4tile", 4).shape == (8, 0)
