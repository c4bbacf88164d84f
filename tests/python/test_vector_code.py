# SPDX-License-Identifier: MIT
"""What the vector path's code looks like in the end, and that its faults still name the right lines."""

import os
import pathlib
import re

import pycuda
import pytest
from programs import run_program

pytestmark = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)

START = """
import numpy as np
import pycuda.driver as cuda
import pycuda.autoinit
from pycuda.compiler import SourceModule

"""


def code_of(source: str, kernel: str, tmp_path, form: str = "gangs") -> str:
    """LLVM's code of a kernel's form: the vector one, or `block`, the loop over threads."""
    program = START + f"module = SourceModule({source!r}, options=['-lineinfo'], no_extern_c=True)\n"
    # Nothing is compiled twice because it takes long on a busy machine.
    settings = {"PYCUDA_CPU_DUMP": str(tmp_path), "PYCUDA_CPU_PATIENCE": "-1", "PYCUDA_DISABLE_CACHE": "1"}
    run_program(program, PYCUDA_DRIVER="cpu", **settings)
    (last,) = tmp_path.glob("*-optimised.ll")
    return re.search(rf"^define [^\n]*@{kernel}\.{form}\(.*?^}}$", last.read_text(), re.M | re.S)[0]


SAXPY = """extern "C" __global__ void saxpy(float a, const float *x, float *y, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""


def test_a_loop_over_gangs_notes_its_line_once_and_reads_parameters_before(tmp_path):
    code = code_of(SAXPY, "saxpy", tmp_path)
    start = code.index("\ngang:")
    loop = code[start : re.search(r"\n\S+:[^\n]*\n[^:]*label %gang\b", code[start:]).end() + start]
    assert "store <" in loop
    assert "store volatile" not in loop
    assert "!invariant.load" not in loop
    # Where the gang is, and its result: nothing else is written.
    assert len(re.findall(r"^  store i32 ", loop, re.M)) == 1


REDUCE = """extern "C" __global__ void reduce(const float *x, float *out)
{
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = x[blockIdx.x * 256 + t];
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
"""


def needs_avx512():
    if "avx512vl" not in pathlib.Path("/proc/cpuinfo").read_text() or os.environ.get("PYCUDA_CPU_ISA", "") in (
        "avx2",
        "sse2",
    ):
        pytest.skip("needs AVX-512: with narrower vectors LLVM does not see that the masks are constants")


def test_the_last_steps_of_a_tree_are_accesses_of_short_vectors(tmp_path):
    needs_avx512()
    # All that the steps leave is read in the end.
    source = REDUCE.replace("if (t == 0) out[blockIdx.x] = s[0];", "out[blockIdx.x * 256 + t] = s[t];")
    code = code_of(source, "reduce", tmp_path)
    assert not re.search(r"llvm\.masked\.(load|store)\.v\d+f32[^\n]*<\d+ x i1> <", code)
    for lanes in (16, 8, 4, 2):
        assert f"store <{lanes} x float>" in code


def test_what_the_steps_of_a_tree_leave_for_nobody_is_not_stored(tmp_path):
    needs_avx512()
    code = code_of(REDUCE, "reduce", tmp_path)
    line = code[code.index("\nfirst.gang:") :]
    line = line[: line.index("\n\n")]
    assert line.count(" = fadd <32 x float>") > 8
    assert "store <" not in line
    assert line.count("  store float ") == 1


def test_one_lane_of_a_block_is_no_question_to_all_gangs(tmp_path):
    code = code_of(REDUCE, "reduce", tmp_path)
    assert not re.search(r"icmp eq <\d+ x i32>", code)


HISTOGRAM = """extern "C" __global__ void histogram(const unsigned char *data, int *out, int n)
{
  __shared__ int bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&bins[data[i]], 1);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
"""


def test_gangs_that_take_turns_fetch_what_they_read_four_trips_later(tmp_path):
    code = code_of(HISTOGRAM, "histogram", tmp_path)
    (place, *_) = re.findall(r"llvm\.prefetch\.p0\(ptr (%\w+)", code)
    distance = re.search(rf"{place} = getelementptr[^\n]* i64 (%\w+)\n", code)[1]
    assert re.search(rf"{distance} = shl [^\n]*, 2\n", code)


WALK = """extern "C" __global__ void walk(const float *x, float *out, int n)
{
  __shared__ float s[256];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += x[STEP * i + blockIdx.x * n];
  s[threadIdx.x] = sum;
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = sum + s[255 - threadIdx.x];
}
"""


@pytest.mark.parametrize(("step", "fetched"), [("1", True), ("8", False)])
def test_a_walk_along_a_row_before_a_barrier_fetches_what_lies_behind(tmp_path, step, fetched):
    code = code_of(WALK.replace("STEP", step), "walk", tmp_path)
    assert ("llvm.prefetch" in code) == fetched


STRIDED = """extern "C" __global__ void strided(float *y, const float *x, long long step, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i * step];
}
"""


def has_slow_gathers() -> bool:
    """Whether the host is one of AMD's Zen processors."""
    facts = dict(re.findall(r"^(vendor_id|cpu family)\s*: (\S+)", pathlib.Path("/proc/cpuinfo").read_text(), re.M))
    return facts.get("vendor_id") == "AuthenticAMD" and int(facts["cpu family"]) >= 0x17


def loops_over_lanes(code):
    return len(re.findall(r"^active\.lane\d*:", code, re.MULTILINE))


def test_what_all_lanes_read_apart_is_loaded_apart_where_gathers_are_slow(tmp_path):
    code = code_of(STRIDED, "strided", tmp_path)
    gathers = re.findall(r"llvm\.masked\.gather[^\n]*<i1 true, i1 true", code)
    assert (not gathers) == has_slow_gathers()
    # Of the gang that is not full: a gather, or a loop over its lanes where the processor has none.
    assert len(re.findall(r"llvm\.masked\.gather[^\n]*<\d+ x i1> %", code)) + loops_over_lanes(code) == 1


TABLE = """extern "C" __global__ void table(float *y, const float *x, const int *places, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[places[i] + 3];
}
"""


def test_gathers_have_one_base_and_indexes_of_32_bits(tmp_path):
    code = code_of(TABLE, "table", tmp_path)
    places = re.findall(r"llvm\.masked\.gather[^\n]*\(<\d+ x ptr> (%\w+), [^\n]*<\d+ x i1> ", code)
    # Of gangs that are full and not: what a list names is not loaded one by one.
    assert places and len(places) + loops_over_lanes(code) == 2
    for place in places:
        index = re.search(rf"{place} = getelementptr i32, ptr %\w+, <\d+ x i64> (%\w+)\n", code)[1]
        assert re.search(rf"{index} = sext <\d+ x i32>", code)


MIXED = """extern "C" __global__ void mixed(float *y, const float *x, int step, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[(i * step) & 1023];
}
"""


@pytest.mark.skipif(not has_slow_gathers(), reason="needs a processor with slow gathers, such as AMD's Zen")
def test_where_gathers_are_slow_two_indexes_leave_the_vector_at_once(tmp_path):
    code = code_of(MIXED, "mixed", tmp_path)
    assert re.search(r"extractelement <\d+ x i64>[^\n]*", code)
    assert not re.search(r"extractelement <\d+ x ptr>", code)


BYTES = """extern "C" __global__ void bytes(unsigned *y, const unsigned char *x, const int *places)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[places[i]];
}
"""


def test_bytes_that_all_lanes_read_apart_are_not_cut_out_of_words(tmp_path):
    code = code_of(BYTES, "bytes", tmp_path)
    assert re.search(r"load i8, ptr|llvm\.masked\.gather\.v\d+i8", code)
    assert not re.search(r"and <\d+ x i64> [^\n]*<i64 -4,", code)


ROTATE = """extern "C" __global__ void rotate(unsigned *y, int n)
{
  unsigned a = threadIdx.x;
  for (int k = 0; k < n; ++k) a = __funnelshift_l(a, a, 7) + k;
  y[threadIdx.x] = __funnelshift_r(a, n, 9);
}
"""


def test_funnel_shifts_are_operations_of_32_bits(tmp_path):
    code = code_of(ROTATE, "rotate", tmp_path)
    assert re.search(r"call <\d+ x i32> @llvm\.fshl\.v\d+i32\(", code)
    assert not re.search(r"lshr <\d+ x i64>", code)


STEPS = """extern "C" __global__ void steps(int *out, int seed)
{
  unsigned v = seed + threadIdx.x + blockIdx.x * blockDim.x, k = 0;
  while (v > 1) { v = (v & 1) ? 3 * v + 1 : v >> 1; ++k; }
  out[threadIdx.x] = k;
}
"""


def test_a_divergent_loop_asks_once_a_trip_whether_lanes_are_left(tmp_path):
    code = code_of(STEPS, "steps", tmp_path)
    blocks = re.split(r"\n(?=\S+:)", code)
    trips = [b for b in blocks if re.search(r"lshr <\d+ x i32>", b) and " = phi <" in b]
    assert trips
    for trip in trips:
        name = trip[: trip.index(":")]
        # The loop is one block; what leaves it is chosen by the mask of the trip, not by one for those who leave.
        assert re.search(rf"br i1 [^\n]*label %{re.escape(name)}\n", trip)
        assert len(re.findall(r"bitcast <\d+ x i1>", trip)) == 1
        assert len(re.findall(r"icmp \w+ <\d+ x i32>", trip)) == 2


LINES = """extern "C" __global__ void lines(int *out, const int *where, int n)
{
  int i = threadIdx.x, sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += where[k * 64 + i];
    out[where[k * 64 + i]] = sum;
  }
  out[sum] = 1;
}
"""


def fault_of(setting: str) -> str:
    """The message of the kernel's fault; `out` has 2**26 + 1 numbers, `where` the places of 16 x 64 writes."""
    program = (
        START
        + f"module = SourceModule({LINES!r}, options=['-lineinfo'], no_extern_c=True)\n"
        + f"""
out = cuda.mem_alloc(((1 << 26) + 1) * 4)
where = np.zeros((16, 64), np.int32)
{setting}
try:
    module.get_function("lines")(out, cuda.In(where), np.int32(16), block=(64, 1, 1))
    cuda.Context.synchronize()
except cuda.Error as error:
    print(error)
"""
    )
    return run_program(program, PYCUDA_DRIVER="cpu")[0]


def test_a_fault_in_a_loop_names_its_own_line():
    assert re.search(r"line 6 of the source", fault_of("where[2, 40] = 1 << 28"))


def test_a_fault_behind_a_loop_names_its_own_line():
    # The sum of sixteen places that are still inside: 4 GiB from the start, far from what else a process has mapped.
    assert re.search(r"line 8 of the source", fault_of("where[:, 40] = 1 << 26"))


def test_a_fault_of_a_gang_names_the_thread_as_the_checked_mode_does():
    program = (
        START
        + f"module = SourceModule({STRIDED!r}, options=['-lineinfo'], no_extern_c=True)\n"
        + """
memory = cuda.mem_alloc(4096)
module.get_function("strided")(memory, memory, np.int64(1 << 33), np.int32(64), block=(64, 1, 1))
try:
    cuda.Context.synchronize()
except cuda.Error as error:
    print(error)
"""
    )
    for checked in (None, "1"):
        message, _ = run_program(program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK=checked)
        assert "thread (1, 0, 0)" in message
        assert "gang" not in message


def test_a_gang_s_place_that_is_no_address_is_an_illegal_one():
    """From thread 1 on: a gather of these faults as a whole, and the processor tells no place."""
    message, _ = run_program(
        START
        + f"module = SourceModule({STRIDED!r}, options=['-lineinfo'], no_extern_c=True)\n"
        + """
memory = cuda.mem_alloc(4096)
module.get_function("strided")(memory, memory, np.int64(1 << 45), np.int32(64), block=(64, 1, 1))
try:
    cuda.Context.synchronize()
except cuda.Error as error:
    print(error)
""",
        PYCUDA_DRIVER="cpu",
    )
    assert "illegal memory access" in message
    assert "thread (1, 0, 0)" in message


ROWS = """extern "C" __global__ void rows(const int *starts, const int *columns, const float *values,
                                const float *x, float *y, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = starts[i]; k < starts[i + 1]; ++k) sum += values[k] * x[columns[k]];
  y[i] = sum;
}
"""


def test_threads_that_walk_alone_ask_once_a_block_whether_parameters_are_aligned(tmp_path):
    code = code_of(ROWS, "rows", tmp_path, "block")
    assert "pycuda_cpu_fault" not in code
    assert len(re.findall(r"call [^\n]*@f\.rows\.careful\(", code)) == 1


def test_remainders_of_unrolled_loops_are_not_unrolled_again(tmp_path):
    code = code_of(ROWS, "rows", tmp_path, "block")
    # nvcc's loop of four trips at once, and that for the rest of them.
    assert code.count("@llvm.fma.f32(") <= 6
    assert "!llvm.loop" in code
