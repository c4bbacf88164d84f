# SPDX-License-Identifier: MIT
"""Kernels compiled with -G in gdb: variables of the source, of the thread that has stopped, and steps by lines."""

import itertools
import pathlib
import re
import textwrap

import pytest
from gdb_session import run_gdb
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

SOURCE = """
struct Point { float x; int tag[3]; };
enum Color { red, green = 5 };
namespace modes { enum class Mode : short { on = -1, off }; }
struct Base { int id; };
struct Shape : Base {
  float size;
  int low : 3;
  unsigned high : 5;
  __device__ float scaled(float by) const
  {
    float result = size * by;
    return result;
  }
};
union Word { int i; float f; };
__constant__ int table[4];

__device__ float weigh(const Point &s, float factor)
{
  float w = s.x * factor;
  w += s.tag[1];
  return w;
}

__device__ __forceinline__ int inlined(int q)
{
  int w = q + 1;
  w *= 3;
  return w;
}

template <int N> __device__ int total(int (&of)[N])
{
  int sum = 0;
  for (int k = 0; k < N; ++k)
    sum += of[k];
  return sum;
}

__global__ void fill(float *out, const float *a, int n, Point p)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  Point s = p;
  s.tag[1] = i;
  Color color = i > 2 ? green : red;
  double d[4] = {0.5, 1.5, 2.5, 3.5};
  for (int j = 0; j < n; ++j) {
    float t = a[j] * 2;
    sum += t + (float)d[j & 3];
  }
  sum += weigh(s, 3);
  if (i < n)
    out[i] = sum + color;
}

__global__ void turn(int *a)
{
  __shared__ int tile[8];
  extern __shared__ double more[];
  int i = threadIdx.x;
  int mine = a[i] * 10;
  tile[i] = mine;
  more[i] = i * 0.5;
  __syncthreads();
  int other = tile[7 - i];
  a[i] = other + mine + (int)(more[i] * 0);
}

__global__ void kinds(float *a, int n, Word word)
{
  modes::Mode mode = modes::Mode::on;
  Shape shape;
  shape.id = 4;
  shape.size = 1.5f;
  shape.low = -2;
  shape.high = 21;
  Shape *pointer = &shape;
  int grid[2][3] = {{1, 2, 3}, {4, 5, n}};
  unsigned long long large = 1ull << 40;
  short small = -n;
  bool flag = n > 2;
  bool *flags = &flag;
  const int constant = 7;
  int more = inlined(n) + constant + table[1];
  if (n > 3) {
    int inner = more * 2;
    a[1] = inner;
  }
  a[0] = shape.scaled(2) + total(grid[1]) + (int)mode + pointer->size + large + small + *flags + word.f;
}
"""

PROGRAM = f'''
import os
os.environ["PYCUDA_DRIVER"] = "cpu"
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule("""{SOURCE}""", options=OPTIONS, no_extern_c=True)
cuda.memcpy_htod(module.get_global("table")[0], np.arange(4, dtype=np.int32) * 100)
a = np.arange(8, dtype=np.float32)
out = np.zeros(8, np.float32)
point = np.array((1.5, (7, 8, 9)), dtype=[("x", "f4"), ("tag", "i4", 3)])
module.get_function("fill")(cuda.InOut(out), cuda.In(a), np.int32(8), point[()], block=(4, 1, 1), grid=(2, 1))
b = np.arange(8, dtype=np.int32)
module.get_function("turn")(cuda.InOut(b), block=(8, 1, 1), shared=64)
c = np.zeros(2, np.float32)
module.get_function("kinds")(cuda.InOut(c), np.int32(6), np.float32(2.5), block=(1, 1, 1))
print(out, b, c)
'''
RESULTS = "[76.5 77.5 78.5 84.5 85.5 86.5 87.5 88.5] [70 70 70 70 70 70 70 70] "


def _line(text, after=""):
    """The number of the first line of the source that has `text`, behind the first that has `after`."""
    lines = SOURCE.split("\n")
    first = next(number for number, line in enumerate(lines) if after in line)
    return next(number for number, line in enumerate(lines[first:], first + 1) if text in line)


@pytest.fixture
def gdb(tmp_path):
    """gdb's answers to commands, of the program compiled with -G."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("OPTIONS", '["-G"]'))
    (tmp_path / "kernel.cu").write_text(SOURCE)

    def run(*commands):
        return run_gdb(program, tmp_path, f"directory {tmp_path}", *commands, PYCUDA_CPU_THREADS="1")

    return run


def _assert_says(said, *lines):
    """Every line is part of what gdb said, in this order."""
    at = 0
    for line in lines:
        found = said.find(line, at)
        assert found >= 0, f"{line!r} is not where it should be in:\n{said}"
        at = found + len(line)


def test_variables_of_the_thread_that_stops(gdb):
    place = _line("sum += weigh")
    said = gdb(
        f"break kernel.cu:{place} if threadIdx.x == 3 && blockIdx.x == 0",
        "run",
        *("print i", "print sum", "print s", "print s.tag[2]", "print color", "print d", "print *a@8", "print p"),
        *("print threadIdx", "print blockDim", "print gridDim", "print out", "info args", "delete", "continue"),
    )
    _assert_says(
        said,
        *(f"at kernel.cu:{place}", "= 3", "= 72", "= {x = 1.5, tag = {7, 3, 9}}", "= 9", "= green"),
        *("= {0.5, 1.5, 2.5, 3.5}", "= {0, 1, 2, 3, 4, 5, 6, 7}", "= {x = 1.5, tag = {7, 8, 9}}"),
        *("= {x = 3, y = 0, z = 0}", "= {x = 4, y = 1, z = 1}", "= {x = 2, y = 1, z = 1}", "= (float *) 0x"),
        *("n = 8", "p = {x = 1.5, tag = {7, 8, 9}}", RESULTS, "exited normally"),
    )


def test_variables_of_another_block(gdb):
    said = gdb(
        f"break kernel.cu:{_line('sum += weigh')} if i == 6", "run", "print blockIdx", "print threadIdx.x", "kill"
    )
    _assert_says(said, "= {x = 1, y = 0, z = 0}", "= 2")


def test_next_goes_from_line_to_line(gdb):
    first = _line("int i = blockIdx.x")
    said = gdb(f"break kernel.cu:{first}", "run", "delete", "set scheduler-locking on", *["next"] * 15, "kill")
    # A line may have several parts.
    steps = [line for line, _ in itertools.groupby(re.findall(r"^(\d+)\t", said, re.MULTILINE))]
    loop = _line("for (int j")
    assert steps == [str(line) for line in (*range(first, loop + 3), loop, loop + 1, loop + 2, loop)], said


def test_variables_of_a_loop(gdb):
    said = gdb(
        f"break kernel.cu:{_line('sum += t')} if j == 5",
        "run",
        "info locals",
        "set scheduler-locking on",
        "next",
        "next",
        "print j",
        "print sum",
        "kill",
    )
    _assert_says(said, "t = 10", "j = 5", "sum = 28.5", "= 6", "= 40")


def test_a_device_function_and_its_caller(gdb):
    place = _line("return w", after="float weigh")
    said = gdb(
        f"break kernel.cu:{place} if threadIdx.x == 2 && blockIdx.x == 0",
        *("run", "info args", "print w", "bt 2", "up", "print i", "kill"),
    )
    _assert_says(
        said,
        *("factor = 3", "= 6.5", f"#0  weigh (s=..., factor=3) at kernel.cu:{place}"),
        *("in fill (out=0x", f"at kernel.cu:{_line('sum += weigh')}", "= 2"),
    )


def test_shared_memory_and_variables_behind_a_barrier(gdb):
    said = gdb(
        f"break kernel.cu:{_line('a[i] = other')} if threadIdx.x == 5",
        "run",
        *("print tile[0]@8", "print more[0]@4", "print mine", "print other", "print i", "print threadIdx", "kill"),
    )
    _assert_says(
        said,
        *("= {0, 10, 20, 30, 40, 50, 60, 70}", "= {0, 0.5, 1, 1.5}", "= 50", "= 20", "= 5", "= {x = 5, y = 0, z = 0}"),
    )


def test_variables_before_a_barrier(gdb):
    said = gdb(
        f"break kernel.cu:{_line('more[i] =')} if threadIdx.x == 3", "run", "print mine", "print tile[3]", "kill"
    )
    _assert_says(said, "= 30", "= 30")


def test_types_of_the_source(gdb):
    said = gdb(
        f"break kernel.cu:{_line('a[0] = shape')}",
        "run",
        *("print mode", "print shape", "print pointer->size", "print grid", "print large", "print small", "print flag"),
        *("print *flags", "print constant", "print word", "print table", "ptype shape", "ptype n", "kill"),
    )
    _assert_says(
        said,
        *("= modes::Mode::on", "= {<Base> = {id = 4}, size = 1.5, low = -2, high = 21}", "= 1.5"),
        *("= {{1, 2, 3}, {4, 5, 6}}", "= 1099511627776", "= -6", "= true", "= true", "= 7"),
        *("= {i = 1075838976, f = 2.5}", "= {0, 100, 200, 300}", "type = struct Shape : public Base {"),
        *("float size;", "int low : 3;", "type = int"),
    )


def test_a_block_within_a_function(gdb):
    said = gdb(f"break kernel.cu:{_line('a[1] = inner')}", "run", "print inner", "print more", "kill")
    _assert_says(said, "= 256", "= 128")


def test_an_inlined_function(gdb):
    said = gdb(f"break kernel.cu:{_line('w *= 3')}", "run", "info args", "print w", "print blockDim.x", "bt 2", "kill")
    _assert_says(said, "q = 6", "= 7", "= 1", "#0  inlined (q=6)", "#1  kinds (a=0x")


def test_members_and_templates(gdb):
    said = gdb(
        f"break kernel.cu:{_line('return result')}",
        "run",
        *("print result", "print this->size", "print size", "delete"),
        *(f"break kernel.cu:{_line('return sum')}", "continue", "print sum", "print of", "bt 1", "kill"),
    )
    _assert_says(said, "= 3", "= 1.5", "= 1.5", "= 15", "{4, 5, 6}", "#0  total<3> (of=")


def test_the_session_of_the_documentation(tmp_path):
    page = (pathlib.Path(__file__).parents[2] / "docs" / "cpu-driver" / "debuggers.md").read_text()
    blocks = re.findall(r"```(?:python|text)\n(.*?)```", page, re.DOTALL)
    program, session = tmp_path / "program.py", blocks[1].splitlines()[1:]
    program.write_text(blocks[0])
    source = blocks[0].split('"""')[1]
    (tmp_path / "kernel.cu").write_text(source)
    commands = [line.removeprefix("(gdb) ") for line in session if line.startswith("(gdb)")]
    said = run_gdb(program, tmp_path, f"directory {tmp_path}", *commands, PYCUDA_DRIVER="cpu", PYCUDA_CPU_THREADS="1")

    def readable(text):
        # Which of the process's threads takes the block differs from run to run.
        return re.sub(r'0x[0-9a-f]+|Breakpoint [\d.]+|Thread \d+ "[^"]*"', "", text)

    _assert_says(readable(said), *(readable(line) for line in session if not line.startswith("(gdb)")))


def test_without_the_option_kernels_have_no_variables(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.replace("OPTIONS", '["-lineinfo"]'))
    said = run_gdb(program, tmp_path, "break turn", "run", "info locals", "delete", "continue")
    _assert_says(said, "turn (", "No locals.", RESULTS)


@pytest.mark.parametrize("check", ["", "all"])
def test_results_are_those_of_other_code(check):
    environment = {"PYCUDA_CPU_CHECK": check, "PYCUDA_CPU_VERIFY": "1", "PYCUDA_DISABLE_CACHE": "1"}
    outputs = {
        run_program(PROGRAM.replace("OPTIONS", options), PYCUDA_CPU_SYMBOLS=symbols, **environment)[0]
        for options in ("[]", '["-G"]')
        for symbols in ("0", "1")
    }
    assert len(outputs) == 1
    assert RESULTS in outputs.pop()


def test_the_plan_says_why_the_code_is_slow():
    program = PROGRAM.replace("OPTIONS", '["-G"]') + '\nprint(module.get_function("fill").plan((64, 1, 1)))\n'
    plans = [run_program(program, PYCUDA_CPU_SYMBOLS=symbols)[0] for symbols in ("0", "1")]
    assert ["compiled for a debugger (-G" in plan for plan in plans] == [False, True]


def test_a_kernel_with_many_barriers(tmp_path):
    turns = "\n".join("v += s[(i + 1) % 32]; __syncthreads(); s[i] = v; __syncthreads();" for _ in range(110))
    source = f"""
extern "C" __global__ void many(int *a)
{{
  __shared__ int s[32];
  int i = threadIdx.x, v = 1;
  s[i] = a[i];
  __syncthreads();
  {turns}
  a[i] = v;
}}"""
    text = PROGRAM.replace(SOURCE, source).replace("OPTIONS", '["-G"]')
    text = text[: text.index("cuda.memcpy_htod")] + textwrap.dedent("""\
        a = np.zeros(32, np.int32)
        module.get_function("many")(cuda.InOut(a), block=(32, 1, 1))
    """)
    program = tmp_path / "program.py"
    program.write_text(text)
    said = run_gdb(
        program,
        tmp_path,
        *(f"break kernel.cu:{source.count(chr(10)) + 0} if threadIdx.x == 7", "run"),
        *("print i", "print s[0]@2", "print v == s[7]", "kill"),
    )
    _assert_says(said, "many (a=0x", "= 7", "= {", "= true")


DAMAGED = '''
import os
os.environ["PYCUDA_DRIVER"] = "cpu"
import random
import re
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import compile

text = compile("""
struct Node { int value; Node *next; };
__global__ void add(int *a, Node node)
{
  int i = threadIdx.x;
  for (int j = 0; j < 3; ++j)
    a[i] += node.value;
}
""", options=["-G"], target="ptx").rstrip(b"\\0").decode()
code, sections = text[: text.index("\\t.section")], text[text.index("\\t.section") :]
lines = sections.splitlines()
data = [number for number, line in enumerate(lines) if line.startswith(".b")]


def damaged(seed):
    """The sections with some bytes changed, moved or left out; those of entries more often than others."""
    chance, changed = random.Random(seed), list(lines)
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        at = chance.choice(data[-len(data) // 2 :])
        size = lines[at].split()[0]
        changed[at] = chance.choice(["", changed[chance.choice(data)], f"{size} {chance.randrange(128)}", f"{size} 0"])
    return "\\n".join(changed) + "\\n"


variants = [damaged(seed) for seed in range(60)]
entries = sections.index("\\t.section\\t.debug_info")
variants += ["", sections.replace("\\n.b8 17\\n", "\\n.b8 98\\n", 1), sections[entries:]]
for sections in variants:
    module = cuda.module_from_buffer((code + sections).encode() + b"\\0")
    a = np.arange(4, dtype=np.int32)
    module.get_function("add")(cuda.InOut(a), np.array([7, 0, 0, 0], np.int32), block=(4, 1, 1))
    assert (a == np.arange(4) + 21).all(), a
'''


def test_bad_debug_information_leaves_the_code_as_it_is():
    _, errors = run_program(DAMAGED, PYCUDA_CPU_SYMBOLS="1", PYCUDA_DISABLE_CACHE="1")
    assert "the debug information of a module cannot be read: gdb shows its kernels' lines" in errors


FAULT = '''
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
k = SourceModule("""
__global__ void k(int *a, long long where) {
  int first = a[threadIdx.x];
  int second = first + 1;
  a[where * (threadIdx.x == 5)] = second;
}
""", options=["-G"]).get_function("k")
k(cuda.InOut(np.arange(32, dtype=np.int32)), np.int64(1 << 40), block=(32, 1, 1))
'''


def test_a_fault_stops_at_its_line_with_the_variables_of_its_thread(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(FAULT)
    said = run_gdb(program, tmp_path, "run", "info locals", "print threadIdx", "continue", PYCUDA_DRIVER="cpu")
    _assert_says(said, "SIGSEGV", "kernel.cu:5", "first = 5", "second = 6", "= {x = 5, y = 0, z = 0}")
