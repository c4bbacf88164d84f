# SPDX-License-Identifier: MIT
"""The mistakes that the lessons are about do not pass their checks, and a right solution passes after each."""

import json
import pathlib
import re

import pytest
from programs import is_cpu, run_program

COURSE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "course"
CODE = re.compile(r"```ipython3\n(.*?)\n```", re.DOTALL)

# By lesson: the exercise, a part of its solution, what stands there instead and a pattern of what the check says.
MISTAKES = {
    1: [
        ("square", "  out[i] =", "  out[i + 1] =", "memory: illegal memory access"),
        ("square", "  out[i] =", "  float x =", "10 of your elements are nan: no thread wrote there"),
        ("square", "in[i] * in[i]", "in[i] * 2", "8 of 10 elements differ"),
        ("square", "in[i] * in[i]", "i * i", "elements differ"),
        ("stretch", "a[i] / (a[i]", "a[i + 1] / (a[i]", "(race|memory): "),
        ("stretch", "a[i] / (a[i] + 0.2f)", "a[i] / a[i] + 0.2f", "nan: .* something like 0 / 0"),
    ],
    2: [
        ("invert", "i < n", "i <= n", "memory: illegal memory access"),
        ("invert", "blockIdx.x * blockDim.x + ", "", "race: |elements differ"),
        ("flip", "if (x < width && y < height)", "", "(race|memory): "),
        ("flip", "if (x < width && y < height)", "if (x < width)", "(race|memory): "),
        ("stride", "gridDim.x * blockDim.x", "128", "not for 3 of 64: .*race: "),
        ("stride", "gridDim.x * blockDim.x", "gridDim.x * 64", "not for 2 of 96: .*race: "),
        ("stride", "gridDim.x * blockDim.x", "blockDim.x", "race: "),
        ("stride", "gridDim.x * blockDim.x", "0", "terminated by the time limit"),
    ],
    3: [
        ("average", "(first + second) / 2", "(first.get() + second.get()) / 2", "a ndarray on the host"),
        (
            "average",
            "(first + second) / 2",
            "gpuarray.to_gpu((first.get() + second.get()) / 2)",
            "172,800 bytes were copied to the host",
        ),
        ("average", "return (", "(", "returned None: does it end with `return`"),
        ("bytes", "5 * 4", "'20 MB'", "'20 MB' is no answer here: give a number, without quotes and units"),
        ("stack", "np.mean(stack, axis=0)", "stack.get().mean(axis=0)", "a ndarray on the host"),
        (
            "stack",
            "np.mean(stack, axis=0)",
            "gpuarray.to_gpu(stack.get().mean(axis=0))",
            "copied to the host on the way",
        ),
        ("stack", "np.mean(stack, axis=0)", "np.mean(stack, axis=1)", "The result has shape"),
    ],
    4: [
        ("rotate", "  __syncthreads();\n", "", "race: "),
        ("rotate", "tile[(t + 1) % 8]", "blockIdx.x * 8 + (t + 1) % 8", "elements differ"),
        (
            "tiled",
            "sum += tile[threadIdx.y + dy][threadIdx.x + dx];",
            "sum += in[min(max(y + dy - 1, 0), height - 1) * width + min(max(x + dx - 1, 0), width - 1)];",
            "the kernel does not read the tile",
        ),
        (
            "tiled",
            "sum += tile[threadIdx.y + dy][threadIdx.x + dx];",
            "sum += dy == 1 && dx == 1 ? tile[threadIdx.y + 1][threadIdx.x + 1]\n"
            " : in[min(max(y + dy - 1, 0), height - 1) * width + min(max(x + dx - 1, 0), width - 1)];",
            "not read the tile for each pixel: global memory is read [0-9,]+ times, 31,104 would do",
        ),
        ("tiled", "  __syncthreads();\n", "", "race: "),
        ("tiled", "__syncthreads();", "if (x < width && y < height) __syncthreads();", "sync: "),
        ("tiled", "  for (int t =", "  if (x >= width || y >= height) return;\n  for (int t =", "sync: "),
        ("tiled", "__syncthreads();", "if (x >= width || y >= height) return;\n  __syncthreads();", "sync: "),
    ],
    5: [
        ("tree", "if (t < half) ", "", "(race|memory): "),
        ("tree", "t < half", "t <= half", "memory: "),
        (
            "tree",
            "if (t < half) part[t] += part[t + half];\n    __syncthreads();",
            "if (t < half) { part[t] += part[t + half]; __syncthreads(); }",
            "sync: ",
        ),
        ("tree", "    __syncthreads();\n  }", "  }", "race: "),
        ("maximum", "if (t < half) ", "", "(race|memory): "),
        ("maximum", "i < n", "i <= n", "memory: "),
        ("maximum", "-INFINITY", "0", "all negative. The result is 0.0"),
        ("maximum", "-INFINITY", "-1", "all negative. The result is -1.0"),
        ("maximum", "-INFINITY", "-2147483648.f", "all negative. The result is -2147483648.0"),
    ],
    6: [
        (
            "shared",
            "atomicAdd(&own[pixels[i]], 1);\n  }\n  __syncthreads();\n"
            "  atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);",
            "atomicAdd(&counts[pixels[i]], 1);\n  }",
            "each pixel is an atomic in global memory, 86,400 in all where 2,048 would do: count in `own` first",
        ),
        (
            "shared",
            "atomicAdd(&own[pixels[i]], 1)",
            "atomicAdd(&counts[pixels[i]], 1)",
            "each pixel is an atomic in global memory, 88,448 in all where 2,048 would do: count in `own` first",
        ),
        ("histogram", "atomicAdd(&counts[pixels[i]], 1)", "counts[pixels[i]] += 1", "race: "),
        ("shared", "atomicAdd(&own[pixels[i]], 1)", "own[pixels[i]] += 1", "race: "),
        (
            "shared",
            "atomicAdd(&counts[threadIdx.x], own[threadIdx.x])",
            "counts[threadIdx.x] += own[threadIdx.x]",
            "race: ",
        ),
        ("shared", "  __syncthreads();\n  atomicAdd", "  atomicAdd", "race: "),
        ("collect", "atomicAdd(length, 1)", "(*length)++", "race: "),
        ("collect", "> 200", ">= 200", "The result has shape"),
    ],
    7: [
        ("columns", "y < height", "y <= height", "memory: "),
        (
            "columns",
            "in[y * width + x]",
            "in[(y + x) % height * width + x]",
            r"a load of global memory in line 7 of the cell is not coalesced: it touches [0-9,]+ sectors of 32 bytes",
        ),
        ("transpose", "  __syncthreads();\n", "", "race: "),
        ("transpose", "tile[threadIdx.x][threadIdx.y]", "tile[threadIdx.y][threadIdx.x]", "elements differ"),
        (
            "transpose",
            "tile[threadIdx.x][threadIdx.y]",
            "in[column * width + row]",
            "not coalesced: .*Read from the tile",
        ),
    ],
    8: [
        ("streams", "stream=stream, ", "", "kernels are in the default stream"),
        ("streams", "part, row, stream)", "part, row)", "copies are in the default stream"),
        ("streams", "cuda.Stream() for _ in range(4)", "cuda.Stream()] * 4 + [", "The work is in 1 stream,"),
        ("streams", "cuda.pagelocked_empty", "np.empty", "not page-locked"),
        ("streams", "    for stream in streams:\n        stream.synchronize()\n", "", "before every stream is done"),
        (
            "streams",
            "        enhance(",
            "        stream.synchronize()\n        enhance(",
            "waits between the pictures, in Stream.synchronize: ",
        ),
        (
            "streams",
            "return host",
            "return host.copy()",
            "returns a copy of the page-locked array: return `host` itself",
        ),
        (
            "streams",
            "        cuda.memcpy_htod_async(part, row, stream)\n"
            "        enhance(part, np.int32(n), stream=stream, **launch)\n"
            "        cuda.memcpy_dtoh_async(row, part, stream)\n",
            "        part = gpuarray.to_gpu_async(row, stream=stream)\n"
            "        enhance(part, np.int32(n), stream=stream, **launch)\n"
            "        part.get_async(stream=stream, ary=row)\n",
            "because an array on the device is dropped there.* Keep the arrays in a list",
        ),
        ("events", "    end.record()", "    start.record()\n    end.record()", "The kernels ran for"),
        ("events", "    start.record()\n", "", "the start event was never recorded"),
        ("events", "start.time_till(end)", "end.time_till(start)", "The function returns -"),
        ("events", "start.time_till(end)", "5.0", "The function returns 5.0, but from `start` to `end` it took"),
        ("events", "range(10)", "range(1)", "launches 1 kernel, expected are 10"),
        ("graph", "    step.launch(stream)\n    step", "    step", "elements differ"),
        (
            "graph",
            "    step.launch(stream)\n    step.launch(stream)\n",
            "    for _ in range(10):\n        enhance(c, np.int32(n), stream=stream, **launch)\n",
            "launches 0 graphs and, outside of it, 10 kernels: launch only the graph, twice",
        ),
    ],
    9: [
        ("shift", "i + 1 < n ? in[i + 1] : 0", "in[i + 1]", "memory: .*in"),
        (
            "shift",
            "i + 1 < n ? in[i + 1] : 0",
            "in[min(i + 1, n - 1)]",
            r"The first is \[99\]: yours is 100, expected is 0",
        ),
        ("shift", "in[i + 1]", "in[i] + 1", "elements differ"),
        ("race", "a[i + 1] : 0", "a[i] + 1 : 0", "elements differ"),
        ("race", "  __syncthreads();\n", "", "race: "),
        ("race", "i + 1 < n ? a[i + 1] : 0", "a[i + 1]", "memory: illegal memory access"),
        ("deadlock", "AD", "A and D", "'A and D' is no answer here: give letters alone, in quotes"),
        ("race", "if (i + 1 < n) a[i] = x", "if (i < n) a[i] = x", r"The first is \[255\]"),
        ("race", "  __syncthreads();", "  if (i + 1 < n) __syncthreads();", "sync: "),
    ],
    10: [
        (
            "contrast",
            "int x = blockIdx.x * blockDim.x + threadIdx.x;\n  int y = blockIdx.y * blockDim.y + threadIdx.y;",
            "int y = blockIdx.x * blockDim.x + threadIdx.x;\n  int x = blockIdx.y * blockDim.y + threadIdx.y;",
            "a load of global memory in line 7 of the cell is not coalesced: .* Let threadIdx.x run along the row",
        ),
        (
            "contrast",
            "x < width && y < height",
            "x < height && y < width",
            "Right for a square picture, but not for one of",
        ),
        (
            "contrast",
            "if (x < width && y < height)",
            "if (x < width)",
            "Right for a square picture, but not for one of",
        ),
        ("fuse", "- 0.1f", "", "elements differ"),
    ],
}

BEGINNING = """
import contextlib, io, json, os
from IPython.core.interactiveshell import InteractiveShell

os.chdir(FOLDER)
shell = InteractiveShell.instance()

def run(cell):
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.redirect_stderr(printed):
        shell.run_cell(cell)
    return printed.getvalue()

def verdicts(cells, tries):
    for cell in cells:
        shell.run_cell(cell).raise_error()
    return [[run(exercise), run(check)] for exercise, check in tries]
"""


def _lesson(number):
    (path,) = COURSE.glob(f"{number:02}-*.ipynb")
    return json.loads(path.read_text())["cells"]


def _code_of(lesson):
    return ["".join(cell["source"]) for cell in _lesson(lesson) if cell["cell_type"] == "code"]


def verdicts_of(lesson, tries, **environment):
    """What the check of each exercise prints after its cell has run with a text; all in one notebook, in order."""
    code = _code_of(lesson)
    checks = {re.search(r'course\.check\("(\w+)"', text)[1]: text for text in code if "course.check(" in text}
    wanted = [(text, checks[name]) for name, text in tries]
    program = f"FOLDER = {str(COURSE)!r}\n" + BEGINNING
    program += f"\nwith contextlib.redirect_stdout(io.StringIO()):\n    said = verdicts({code!r}, {wanted!r})\n"
    output, _ = run_program(program + "print(json.dumps(said))", PYCUDA_CPU_CHECK=None, **environment)
    return [printed for _, printed in json.loads(output.splitlines()[-1])]


def solutions_of(lesson):
    """The official solutions by exercise."""
    folded = [cell for cell in _lesson(lesson) if "solution" in cell["metadata"]]
    return {cell["metadata"]["solution"]: CODE.search("".join(cell["source"]))[1] for cell in folded}


@pytest.mark.parametrize("lesson", MISTAKES)
def test_the_mistakes_of_a_lesson_do_not_pass(context, lesson):
    pytest.importorskip("IPython", reason="needs IPython")
    if not is_cpu():
        pytest.skip("needs the CPU driver, which finds races and ends deadlocks")
    solutions = solutions_of(lesson)
    tries = []
    for name, part, wrong, _ in MISTAKES[lesson]:
        assert part in solutions[name], part
        # After each mistake the solution passes in the same notebook.
        tries += [(name, solutions[name].replace(part, wrong)), (name, solutions[name])]
    said = verdicts_of(lesson, tries, PYCUDA_CPU_TIMEOUT=2)
    for (name, _, wrong, expected), mistake, solution in zip(MISTAKES[lesson], said[::2], said[1::2]):
        assert "Not yet." in mistake and re.search(expected, mistake), f"{name} with {wrong!r}: {mistake}"
        assert "Correct!" in solution, solution


def test_a_kernel_that_does_not_compile_is_not_checked_as_it_was_before(context):
    pytest.importorskip("IPython", reason="needs IPython")
    right = solutions_of(2)["invert"]
    said = verdicts_of(2, [("invert", right), ("invert", right.replace("1 - a[i];", "1 - a[i]")), ("invert", right)])
    assert [("Correct!" in text) for text in said] == [True, False, True]
    assert "invert did not compile in" in said[1]


def test_a_kernel_with_another_name_is_told_whatever_was_there_before(context):
    pytest.importorskip("IPython", reason="needs IPython")
    right = solutions_of(4)["rotate"]
    other = right.replace("rotate_blocks", "rotate")
    broken = right.replace("__syncthreads();", "__syncthreads()")
    tries = [other, broken, other, right, other, right]
    said = verdicts_of(4, [("rotate", text) for text in tries])
    for text, source in zip(said, tries, strict=True):
        assert ("Correct!" in text) == (source == right), text
        told = "defines the kernel `rotate`, and this one calls `rotate_blocks`: name the kernel `rotate_blocks`"
        assert (told in text) == (source == other), text


def test_a_kernel_that_has_never_compiled_is_not_looked_for_in_other_cells(context):
    pytest.importorskip("IPython", reason="needs IPython")
    beginning = ["import course", "%load_ext pycuda", "import pycuda.autoinit, pycuda.driver as cuda, numpy as np"]
    right = solutions_of(2)["invert"]
    checks = [text for text in _code_of(2) if 'course.check("invert"' in text]
    program = f"FOLDER = {str(COURSE)!r}\n" + BEGINNING
    program += f"\nverdicts({beginning!r}, [])\n"
    program += f"print(verdicts([], [({right.replace(';', '')!r}, {checks[0]!r})])[0][1])\n"
    output, _ = run_program(program, PYCUDA_CPU_CHECK=None)
    assert "The cell before this one failed" in output and "Run the cells above" not in output


def test_an_exercise_whose_cell_failed_is_not_judged_by_what_was_there_before(context):
    pytest.importorskip("IPython", reason="needs IPython")
    right = solutions_of(2)["blocks"]
    said = verdicts_of(2, [("blocks", right), ("blocks", "answer = blokcs"), ("blocks", "answer ="), ("blocks", right)])
    assert [("Correct!" in text) for text in said] == [True, False, False, True]
    assert "The cell before this one failed" in said[1]
    assert "The cell before this one failed" in said[2]


def test_a_check_does_not_repeat_what_the_compiler_has_said(context):
    pytest.importorskip("IPython", reason="needs IPython")
    right = solutions_of(2)["invert"]
    (said,) = verdicts_of(2, [("invert", right.replace("  int i =", "  int unused, i ="))])
    assert said.startswith("Correct!") and "declared but never" not in said
