# SPDX-License-Identifier: MIT
"""`pycuda.debug.step`: one thread of a kernel, line by line, with the variables of its source."""

import itertools
import pathlib
import shutil
import subprocess
import sysconfig

import numpy as np
import pycuda.debug
import pytest
from programs import is_cpu
from pycuda import gpuarray
from pycuda._stepping.instrument import instrument
from pycuda._stepping.launch import _compiled
from pycuda.compiler import SourceModule

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, whose kernels are walked")


def _walk(source, name, *args, **launch):
    module = SourceModule(source)
    return pycuda.debug.step(module.get_function(name), *args, **{"block": (1, 1, 1), **launch})


def _rows(walk, source):
    """Lines of the source, from 1 on, and what they did."""
    first = walk[0].line - _line_of(source, walk[0].source)
    return [(step.line - first, "; ".join(step.effects)) for step in walk]


def _line_of(source, text):
    return next(number for number, line in enumerate(source.split("\n"), 1) if line.strip() == text.strip())


def _values(walk, name):
    return [value for _, value in walk.variable(name)]


LOOP = """
__global__ void collatz(int *out, int n) {
  int steps = 0;
  while (n != 1) {
    if (n % 2 == 0)
      n = n / 2;
    else
      n = 3 * n + 1;
    steps++;
  }
  out[threadIdx.x] = steps;
}
"""


def test_a_loop_is_walked_line_by_line(driver):
    out = np.zeros(1, np.int32)
    walk = _walk(LOOP, "collatz", driver.Out(out), np.int32(3))
    assert [line for line, _ in _rows(walk, LOOP)[:9]] == [3, 4, 5, 8, 9, 4, 5, 6, 9]
    assert _values(walk, "n") == [10, 5, 16, 8, 4, 2, 1]
    assert _values(walk, "steps") == [0, 1, 2, 3, 4, 5, 6, 7]
    assert out[0] == 7
    assert str(walk[-2].writes[0]) == "out[0] = 7"
    assert walk.is_complete
    assert walk.error is None


BRANCHES = """
__global__ void pick(int *out, const int *in) {
  int i = threadIdx.x;
  int v = in[i];
  if (v > 10) {
    v = v - 10;
  } else {
    v = v * 2;
  }
  out[i] = v;
}
"""


@pytest.mark.parametrize(("thread", "taken"), [(0, (8, "v = 6")), (1, (6, "v = 10"))])
def test_each_thread_has_its_own_lines(driver, thread, taken):
    out = np.zeros(2, np.int32)
    numbers = np.array([3, 20], np.int32)
    walk = _walk(BRANCHES, "pick", driver.Out(out), driver.In(numbers), block=(2, 1, 1), thread=(thread, 0, 0))
    v = numbers[thread]
    assert _rows(walk, BRANCHES) == [
        (3, f"i = {thread}"),
        (4, f"v = {v}; reads in[{thread}] = {v}"),
        (5, ""),
        taken,
        (10, f"writes out[{thread}] = {out[thread]}"),
        (11, ""),
    ]
    assert out.tolist() == [6, 10]


def test_a_loop_on_one_line_is_a_step_for_each_time_around(driver):
    source = """
__global__ void k(int *out) {
  int s = 0;
  for (int i = 0; i < 3; i++) s += i;
  out[0] = s;
}
"""
    walk = _walk(source, "k", driver.Out(np.zeros(1, np.int32)))
    assert [line for line, _ in _rows(walk, source)] == [3, 4, 4, 4, 4, 5, 6]
    assert _values(walk, "i") == [1, 2, 3]
    assert _values(walk, "s") == [0, 1, 3]


def test_a_thread_of_a_block_is_chosen_in_three_dimensions(driver):
    source = """
__global__ void where(int *out) {
  int t = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
  int b = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z;
  atomicAdd(out, t + b);
}
"""
    for thread, block in itertools.product([(0, 1, 1), (1, 2, 0)], [(1, 0, 1), (0, 2, 0)]):
        walk = _walk(
            source,
            "where",
            driver.InOut(np.zeros(1, np.int32)),
            block=(2, 3, 2),
            grid=(2, 3, 2),
            thread=thread,
            in_block=block,
        )
        assert _values(walk, "t") == [thread[0] + 10 * thread[1] + 100 * thread[2]]
        assert _values(walk, "b") == [block[0] + 10 * block[1] + 100 * block[2]]
        assert walk.at(walk[2].line)[0].writes[0].operation == "atomic"


TYPES = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
struct Pair { int a; float b; };
struct Nested { short s; Pair p[2]; double d; };
enum Color { red, green = 5 };
enum class Kind : char { one = 1, two };
__global__ void types(float *data, Pair pair, bool flag, unsigned n) {
  signed char small = -5;
  unsigned char byte = 200;
  char letter = 'x';
  short word = -300;
  unsigned short half_word = 65535;
  int number = -7;
  unsigned positive = 4000000000u;
  long long big = -(1LL << 40);
  unsigned long long most = ~0ULL;
  float single = 0.1f;
  double twice = 0.1;
  half h = __float2half(1.5f);
  __nv_bfloat16 bf = __float2bfloat16(2.5f);
  bool is_big = (n & 2) != 0;
  Color color = green;
  Kind kind = Kind::two;
  float4 quad = make_float4(1, 2, 3, 4);
  int list[4] = {1, 2, 3, 4};
  float table[2][3] = {{1, 2, 3}, {4, 5, 6}};
  Nested nested = {1, {{2, 3.5f}, {4, 5.5f}}, 6.5};
  const float *third = data + 2;
  int *second = list + 1;
  float *nothing = 0;
  int &same = number;
  data[0] = small + byte + letter + word + half_word + positive + big + most + single + twice + __half2float(h) +
            __bfloat162float(bf) + is_big + color + (int)kind + quad.x + list[n % 4] + table[n % 2][n % 3] +
            nested.p[n % 2].b + *third + *second + (nothing != 0) + same + pair.a + flag;
}
"""


def test_variables_have_the_values_of_their_types(driver):
    pair = np.zeros((), np.dtype([("a", np.int32), ("b", np.float32)]))
    pair["a"], pair["b"] = 11, 0.25
    data = driver.InOut(np.arange(4, dtype=np.float32))
    last = _walk(TYPES, "types", data, pair, np.bool_(True), np.uint32(3))[-1].variables
    plain = {
        "small": -5,
        "byte": 200,
        "letter": ord("x"),
        "word": -300,
        "half_word": 65535,
        "number": -7,
        "positive": 4000000000,
        "big": -(1 << 40),
        "most": 2**64 - 1,
        "single": np.float32(0.1),
        "twice": 0.1,
        "h": np.float16(1.5),
        "bf": np.float32(2.5),
        "color": 5,
        "kind": 2,
        "flag": True,
        "n": 3,
    }
    assert {name: last[name] for name in plain} == plain
    assert type(last["twice"]) is float
    assert type(last["single"]) is np.float32
    assert type(last["h"]) is np.float16
    assert last["flag"] is True
    assert (last["pair"]["a"], last["pair"]["b"]) == (11, 0.25)
    assert [last["quad"][name] for name in "xyzw"] == [1, 2, 3, 4]
    assert last["list"].tolist() == [1, 2, 3, 4]
    assert last["list"].dtype == np.int32
    assert last["table"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert last["nested"]["p"]["b"].tolist() == [3.5, 5.5]
    assert (last["nested"]["s"], last["nested"]["d"]) == (1, 6.5)
    assert last["nothing"] == 0
    assert [str(last[name]) for name in ("data", "third", "second", "same")] == [
        "data",
        "data + 2",
        "list + 1",
        "&number",
    ]


def test_texts_name_enumerators_characters_and_members(driver):
    pair = np.zeros((), np.dtype([("a", np.int32), ("b", np.float32)]))
    walk = _walk(TYPES, "types", driver.InOut(np.zeros(4, np.float32)), pair, np.bool_(True), np.uint32(3))
    effects = [effect for step in walk for effect in step.effects]
    for expected in (
        "letter = 120 'x'",
        "color = green",
        "kind = two",
        "quad = {x = 1.0, y = 2.0, z = 3.0, w = 4.0}",
        "list = [1, 2, 3, 4]",
        "nested = {s = 1, p = [{a = 2, b = 3.5}, {a = 4, b = 5.5}], d = 6.5}",
        "reads data[2] = 0.0",
    ):
        assert expected in effects


def test_a_variable_hides_one_of_the_same_name_while_its_block_lasts(driver):
    source = """
__global__ void shadow(int *out) {
  int i = 1;
  {
    int i = 20;
    i += 2;
    out[0] = i;
  }
  out[1] = i;
}
"""
    out = np.zeros(2, np.int32)
    walk = _walk(source, "shadow", driver.Out(out))
    assert _rows(walk, source) == [
        (3, "i = 1"),
        (5, "i = 20"),
        (6, "i = 22"),
        (7, "writes out[0] = 22"),
        (9, "writes out[1] = 1"),
        (10, ""),
    ]
    assert [step.variables.get("i") for step in walk] == [None, 1, 20, 22, 1, 1]


CALLS = """
__device__ int factorial(int n) {
  if (n < 2)
    return 1;
  int rest = factorial(n - 1);
  return n * rest;
}
__device__ __forceinline__ float square(float x) {
  float y = x * x;
  return y;
}
template <class T> __device__ void raise(T &value, T by) {
  value += by;
}
__global__ void calls(float *out) {
  int f = factorial(3);
  float s = square(1.5f);
  raise(s, 2.0f);
  out[0] = f + s;
}
"""


def test_functions_that_are_called_or_inlined_are_walked(driver):
    out = np.zeros(1, np.float32)
    walk = _walk(CALLS, "calls", driver.Out(out))
    first = walk[0].line - 16
    assert [(step.depth, step.function, step.line - first) for step in walk if step.function == "factorial"] == [
        (1, "factorial", 3),
        (1, "factorial", 5),
        (2, "factorial", 3),
        (2, "factorial", 5),
        (3, "factorial", 3),
        (3, "factorial", 4),
        (2, "factorial", 5),
        (2, "factorial", 6),
        (1, "factorial", 5),
        (1, "factorial", 6),
    ]
    assert [step.returned for step in walk if step.returned is not None] == [1, 2, 6]
    assert [value for _, value in walk.variable("rest")] == [1, 2]
    assert [step.variables["n"] for step in walk if step.line == first + 3] == [3, 2, 1]
    assert [(step.depth, step.variables["x"]) for step in walk if step.function == "square"] == [(1, 1.5)] * 2
    assert _values(walk, "y") == [2.25]
    assert _values(walk, "s") == [2.25, 4.25]
    # The call's line stands once more behind the call, with what it did.
    assert [(step.line - first, list(step.changed)) for step in walk if step.depth == 0] == [
        (16, []),
        (16, ["f"]),
        (17, []),
        (17, ["s"]),
        (18, []),
        (18, ["s"]),
        (19, []),
        (20, []),
    ]
    assert out[0] == 10.25


REDUCTION = """
__global__ void total(float *out, const float *in) {
  __shared__ float part[8];
  int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  for (int half = 4; half > 0; half /= 2) {
    if (t < half)
      part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0)
    out[0] = part[0];
}
"""


@pytest.mark.parametrize(("thread", "sums"), [(0, [4, 16, 28]), (1, [6, 12 + 8])])
def test_a_reduction_is_walked_around_its_barriers(driver, thread, sums):
    out = np.zeros(1, np.float32)
    numbers = np.arange(8, dtype=np.float32)
    walk = _walk(REDUCTION, "total", driver.Out(out), driver.In(numbers), block=(8, 1, 1), thread=(thread, 0, 0))
    if thread == 0:
        sums = [0 + 4, 4 + 8, 12 + 16]
    else:
        sums = [1 + 5, 6 + 10]
    own = [touch.value for step in walk for touch in step.writes if touch.name == f"part[{thread}]"]
    assert own == [float(thread), *map(float, sums)]
    assert sum("bar.sync 0" in step.operations for step in walk) == 4
    behind = walk[[step.operations for step in walk].index(["bar.sync 0"]) + 1]
    # The threads 0 to 3 may have gone on to their next writes; nobody writes what this thread reads next.
    unchanged = [thread, 4, 5, 6, 7]
    assert behind.variables["part"][unchanged].tolist() == numbers[unchanged].tolist()
    assert _values(walk, "half") == [4, 2, 1, 0]
    assert out[0] == 28


def test_what_other_threads_wrote_to_shared_memory_is_told_apart(driver):
    source = """
__global__ void swap(int *out) {
  __shared__ int cell[2], last;
  cell[threadIdx.x] = 5 + threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 1) last = 9;
  __syncthreads();
  out[threadIdx.x] = cell[1 - threadIdx.x] + last;
}
"""
    walk = _walk(source, "swap", driver.Out(np.zeros(2, np.int32)), block=(2, 1, 1))
    effects = [effect for step in walk for effect in step.effects]
    assert "other threads: cell[1] = 6" in effects
    assert "other threads: last = 9" in effects
    assert "writes cell[0] = 5" in effects
    assert not any(effect.startswith("other threads: cell[0]") for effect in effects)


def test_dynamic_shared_memory_has_the_elements_of_the_launch(driver):
    source = """
extern __shared__ double values[];
__global__ void k(double *out) {
  values[threadIdx.x] = threadIdx.x + 0.5;
  __syncthreads();
  out[threadIdx.x] = values[3 - threadIdx.x];
}
"""
    out = np.zeros(4)
    walk = _walk(source, "k", driver.Out(out), block=(4, 1, 1), shared=32)
    assert walk[-1].variables["values"].tolist() == [0.5, 1.5, 2.5, 3.5]
    assert str(walk[-2].reads[0]) == "values[3] = 3.5"
    assert out.tolist() == [3.5, 2.5, 1.5, 0.5]


@pytest.mark.parametrize(("rows", "is_shown"), [(32, True), (33, False)])
def test_arrays_are_shown_up_to_a_tile_of_usual_size(driver, rows, is_shown):
    source = f"""
__global__ void k(float *out) {{
  __shared__ float tile[{rows}][32];
  tile[threadIdx.x][3] = 7;
  __syncthreads();
  out[threadIdx.x] = tile[1 - threadIdx.x][3];
}}
"""
    walk = _walk(source, "k", driver.Out(np.zeros(2, np.float32)), block=(2, 1, 1))
    assert ("tile" in walk[-1].variables) == is_shown
    if is_shown:
        assert walk[-1].variables["tile"].shape == (32, 32)
        assert walk[-1].variables["tile"][1, 3] == 7
    assert [str(touch) for step in walk for touch in step.reads] == ["tile[1][3] = 7.0"]


def test_variables_of_the_module_are_read_and_kept(driver):
    module = SourceModule("""
__constant__ int factor[2];
__device__ int count;
__global__ void k(int *out) {
  count += 1;
  out[0] = factor[1] * count;
}
""")
    factor, _ = module.get_global("factor")
    count, _ = module.get_global("count")
    driver.memcpy_htod(factor, np.array([3, 4], np.int32))
    driver.memcpy_htod(count, np.array([10], np.int32))
    out = np.zeros(1, np.int32)
    walk = pycuda.debug.step(module.get_function("k"), driver.Out(out), block=(1, 1, 1))
    assert out[0] == 44
    assert [str(touch) for step in walk for touch in step.reads] == ["count = 10", "factor[1] = 4", "count = 11"]
    now = np.zeros(1, np.int32)
    driver.memcpy_dtoh(now, count)
    assert now[0] == 11


def test_arrays_on_the_device_and_templates_are_walked(driver):
    module = SourceModule("template <class T> __global__ void add(T *to, const T *from) { to[0] += from[1]; }")
    to, from_ = gpuarray.to_gpu(np.array([1.5])), gpuarray.to_gpu(np.array([2.0, 4.0]))
    walk = pycuda.debug.step(module.get_function("add<double>"), to, from_, block=(1, 1, 1))
    assert to.get()[0] == 5.5 and str(walk).startswith("add<double>(double*, double const*), block (0, 0, 0)")
    assert [str(touch) for touch in walk[0].reads + walk[0].writes] == ["from[1] = 4.0", "to[0] = 1.5", "to[0] = 5.5"]


def test_a_line_is_named_as_faults_name_it(driver):
    walk = _walk(BRANCHES, "pick", driver.Out(np.zeros(1, np.int32)), driver.In(np.zeros(1, np.int32)))
    lines = open(__file__, encoding="utf-8").read().split("\n")
    for step in walk:
        assert lines[step.line - 1].strip() == step.source.strip()
        assert step.place.endswith(f"test_debug_step.py:{step.line}")


def test_the_text_is_a_table(driver):
    walk = _walk(BRANCHES, "pick", driver.Out(np.zeros(1, np.int32)), driver.In(np.full(1, 30, np.int32)))
    line = walk[0].line
    assert str(walk).split("\n") == [
        "pick, block (0, 0, 0), thread (0, 0, 0): 6 steps",
        f"{line}    int i = threadIdx.x;  i = 0",
        f"{line + 1}    int v = in[i];        v = 30; reads in[0] = 30",
        f"{line + 2}    if (v > 10) {{",
        f"{line + 3}      v = v - 10;         v = 20",
        f"{line + 7}    out[i] = v;           writes out[0] = 20",
        f"{line + 8}  }}",
    ]
    assert "... 2 steps ..." in walk.text(first=2, last=2)
    assert repr(walk) == "<pycuda.debug.Walk of pick, block (0, 0, 0), thread (0, 0, 0): 6 steps>"


def test_the_instrumented_code_is_right_for_a_gpu(driver, tmp_path):
    wheel = pathlib.Path(sysconfig.get_path("purelib"), "nvidia", "cu13", "bin", "ptxas")
    program = str(wheel) if wheel.exists() else shutil.which("ptxas")
    if program is None:
        pytest.skip("needs ptxas")
    for source, name in ((TYPES, "types"), (CALLS, "calls"), (REDUCTION, "total")):
        module = SourceModule(source)
        text = instrument(_compiled(module), source.encode(), lambda file: file.endswith("kernel.cu")).text
        (tmp_path / f"{name}.ptx").write_text(text)
        done = subprocess.run(
            [program, "-arch", "sm_80", f"{name}.ptx", "-o", f"{name}.cubin"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
