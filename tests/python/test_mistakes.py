# SPDX-License-Identifier: MIT
"""Typical mistakes: each error says what happened and what to do, in at most three lines."""

import pathlib
import struct
import warnings

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, run_program
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

SCALE = """
__global__ void scale(float *a, float f, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= f;
}
"""


def scale(*arguments, **launch):
    SourceModule(SCALE).get_function("scale")(*arguments, **launch)


def prepared(codes):
    return SourceModule(SCALE).get_function("scale").prepare(codes)


def zeros(shape=10, dtype=np.float32):
    return gpuarray.zeros(shape, dtype)


F, N = np.float32(2), np.int32(10)
BLOCK = {"block": (32, 1, 1)}
TEMPLATE = "template <class T> __global__ void f(T *a) { a[0] = 1; }"


def freed():
    memory = cuda.mem_alloc(40)
    memory.free()
    return memory


# What a program does wrong, the error's class, and the words that matter.
MISTAKES = {
    "a misspelled kernel": (
        lambda: SourceModule(SCALE).get_function("scael"),
        cuda.LogicError,
        ["no kernel 'scael'", "did you mean 'scale'?"],
    ),
    "an array of the host": (
        lambda: scale(np.ones(10, np.float32), F, N, **BLOCK),
        TypeError,
        ["argument #0", "'scale'", "ndarray", "pycuda.driver.In, Out or InOut"],
    ),
    "no block": (lambda: scale(zeros(), F, N), ValueError, ["must specify block size", "block=(256, 1, 1)"]),
    "a block that is a number": (
        lambda: scale(zeros(), F, N, block=256),
        TypeError,
        ["block must be a tuple", "block=(256, 1, 1)"],
    ),
    "too many threads": (
        lambda: scale(zeros(), F, N, block=(2048, 1, 1)),
        cuda.LogicError,
        ["2048 threads per block", "at most 1024", "smaller blocks and more of them"],
    ),
    "too few arguments": (
        lambda: scale(zeros(), F, **BLOCK),
        TypeError,
        ["takes 3 parameters", "2 arguments were given: the parameters are (float*, float, int)"],
    ),
    "a host array of doubles": (
        lambda: scale(cuda.InOut(np.ones(8)), F, N, **BLOCK),
        TypeError,
        ["float64", "'float*'", "astype(numpy.float32)"],
    ),
    "a device array of doubles": (
        lambda: scale(gpuarray.to_gpu(np.ones(8)), F, N, **BLOCK),
        TypeError,
        ["float64", "'float*'", "astype(numpy.float32)"],
    ),
    "a list of numbers": (lambda: scale(cuda.In([1.0, 2.0]), F, N, **BLOCK), TypeError, ["list", "numpy.asarray"]),
    "freed memory": (lambda: scale(freed(), F, N, **BLOCK), cuda.LogicError, ["the memory has been freed"]),
    "memory freed twice": (lambda: freed().free(), cuda.LogicError, ["released before"]),
    "a copy from an array with gaps": (
        lambda: cuda.memcpy_htod(cuda.mem_alloc(40), np.ones((5, 4), np.float32)[:, ::2]),
        ValueError,
        ["ndarray is not contiguous", "its strides (16, 8)", "numpy.ascontiguousarray"],
    ),
    "a copy to an array with gaps": (
        lambda: cuda.memcpy_dtoh(np.ones((5, 4), np.float32)[:, ::2], cuda.mem_alloc(40)),
        ValueError,
        ["ndarray is not contiguous", "copy to a contiguous array"],
    ),
    "a copy that is too long": (
        lambda: cuda.memcpy_htod(cuda.mem_alloc(40), np.ones(100)),
        cuda.LogicError,
        ["800 bytes", "the device memory has only"],
    ),
    "no such memory": (lambda: cuda.mem_alloc(1 << 45), cuda.MemoryError, ["35184372088832 bytes", "are free"]),
    "a list for to_gpu": (lambda: gpuarray.to_gpu([1, 2, 3]), AttributeError, ["NumPy array, not list", "numpy.array"]),
    "an array of objects": (
        lambda: gpuarray.to_gpu(np.array([1, None], object)),
        TypeError,
        ["Python objects", "astype"],
    ),
    "a sum with a host array": (lambda: zeros(4) + np.ones(4, np.float32), TypeError, ["to_gpu first"]),
    "shapes that do not fit": (lambda: zeros((3, 4)) + zeros(5), ValueError, ["(3, 4) (5,)"]),
    "a conversion to NumPy": (lambda: np.asarray(zeros(4)), TypeError, ["get()", "allow_host_copies()"]),
    "a function that is missing": (lambda: np.i0(zeros(4)), TypeError, ["'numpy.i0'", "a.get()"]),
    "the truth of an array": (lambda: bool(zeros(4) > 0), ValueError, ["a.any()"]),
    "a number of an array": (lambda: float(zeros(4)), ValueError, ["array of size 1"]),
    "an index out of range": (lambda: zeros(4)[7], IndexError, ["7 in shape (4,)"]),
    "too much shared memory": (
        lambda: scale(zeros(), F, N, shared=200000, **BLOCK),
        cuda.LogicError,
        ["200000 bytes of dynamic shared memory", "set_attribute(function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES"],
    ),
    "a template": (
        lambda: SourceModule(TEMPLATE).get_function("f"),
        cuda.LogicError,
        ["it is a template", 'get_function("f<float>")'],
    ),
    "a template of C++ linkage": (
        lambda: SourceModule(TEMPLATE, no_extern_c=True).get_function("f"),
        cuda.LogicError,
        ["it is a template", 'get_function("f<float>")'],
    ),
    "a function of another module": (
        lambda: gpuarray.sin,
        AttributeError,
        ["pycuda.cumath.sin(a) and np.sin(a) compute it on the device"],
    ),
    "a function that NumPy has": (lambda: gpuarray.nanmean, AttributeError, ["np.nanmean(a) computes it"]),
    "a list for a kernel": (
        lambda: scale([1.0, 2.0], F, N, **BLOCK),
        TypeError,
        ["parameter #0", "list", "pycuda.gpuarray.to_gpu"],
    ),
    "a stream among the arguments": (
        lambda: scale(zeros(), F, N, cuda.Stream(), **BLOCK),
        TypeError,
        ["4 arguments were given", "stream=..."],
    ),
    "an unknown keyword": (
        lambda: scale(zeros(), F, N, threads=(32, 1, 1)),
        ValueError,
        ["extra keyword arguments: threads", "a call takes block, grid, stream"],
    ),
    "a code that prepare does not know": (
        lambda: prepared("Xfi"),
        struct.error,
        ["'X'", "P is a pointer"],
    ),
    "a module as a kernel": (lambda: SourceModule(SCALE)(zeros(), F, N, **BLOCK), TypeError, ["get_function('scale')"]),
    "a function that is no kernel": (
        lambda: SourceModule("__device__ void f(int *a) { a[0] = 1; }").get_function("f"),
        cuda.LogicError,
        ["no kernel 'f'", "declare it __global__ void"],
    ),
    "a graph that is not instantiated": (
        lambda: cuda.Graph().launch(),
        AttributeError,
        ["'Graph' object has no attribute 'launch': graph.instantiate() returns what has it"],
    ),
    "two kernels of one name": (
        lambda: SourceModule("__global__ void two(int *) {}\n__global__ void two(float *) {}").get_function("two"),
        cuda.LogicError,
        ["several kernels are named 'two': 'two(int*)', 'two(float*)'"],
    ),
    "a host array of another dtype for set": (
        lambda: zeros().set(np.zeros(10)),
        ValueError,
        ["must have the same dtype: float64 and float32; astype converts ary"],
    ),
    "a method of another package": (lambda: zeros().numpy(), AttributeError, ["a GPUArray has no numpy", "a.get()"]),
    "a function of another package": (lambda: gpuarray.asnumpy, AttributeError, ["asnumpy", "a.get()"]),
    "a function of PyTorch": (lambda: cuda.synchronize, AttributeError, ["Context.synchronize()"]),
    "an attribute that nothing has": (lambda: zeros().nothing, AttributeError, ["'GPUArray' object", "'nothing'"]),
    "an array for prepared pointers": (
        lambda: prepared("Pfi").prepared_call((1, 1), (1, 1, 1), zeros(), F, N),
        struct.error,
        ["'P' needs a device pointer, its gpudata", "GPUArray"],
    ),
    "a misspelled function": (lambda: cuda.memcpy_h2d, AttributeError, ["memcpy_h2d"]),
    "a kernel for another type": (
        lambda: ElementwiseKernel("float *x, float *y", "y[i] = x[i]")(zeros(4, np.float64), zeros(4)),
        TypeError,
        ["'x' is declared as float32", "float64", "astype(numpy.float32)"],
    ),
    "a grid of a division": (lambda: scale(zeros(), F, N, grid=(10 / 32, 1), **BLOCK), TypeError, ["// divides"]),
    "an empty grid": (lambda: scale(zeros(), F, N, grid=(0, 1), **BLOCK), cuda.LogicError, ["at least one block"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_answered_with_a_remedy(mistake, context):
    run, error_class, words = MISTAKES[mistake]
    with pytest.raises(error_class) as told:
        run()
    text = str(told.value)
    for word in words:
        assert word in text, text
    assert len(text.splitlines()) <= 3, text


# Sources that do not compile: the compiler's words come first, then where the source is, and what to do.
SOURCES = {
    "a semicolon": (
        lambda: SourceModule("__global__ void f(float *a)\n{\n  a[0] = 1\n}"),
        ['(4): error: expected a ";"'],
    ),
    "an identifier": (
        lambda: SourceModule("__global__ void f(float *a) { a[treadIdx.x] = 1; }"),
        ['"treadIdx" is undefined', "line 1 of kernel.cu is ", "test_mistakes.py:"],
    ),
    "an option": (lambda: SourceModule(SCALE, options=["--fast-math-please"]), ["--fast-math-please"]),
    "a header": (lambda: SourceModule('#include "mine.h"\n' + SCALE), ['"mine.h"', "include_dirs"]),
    "a line break from Python": (
        lambda: SourceModule('__global__ void f() { printf("hello\n"); }'),
        ['Python turns "\\n" into a line break', 'r"""..."""'],
    ),
    "a stream of C++": (
        lambda: SourceModule('#include <iostream>\n__global__ void f() { std::cout << "hello"; }'),
        ["kernels print with printf"],
    ),
    "a brace": (lambda: SourceModule("__global__ void f(int *a) { if (*a) { *a = 1; }"), ['expected a "}"']),
    "the name of a file": (lambda: SourceModule("kernel.cu"), ["name of a file", "open('kernel.cu').read()"]),
    "an operation": (
        lambda: ElementwiseKernel("float *x", "x[i] = x[i]*", "twice")(zeros(4)),
        ["expected an expression", "ElementwiseKernel 'twice' made at ", "operation='x[i] = x[i]*'"],
    ),
}


@pytest.mark.parametrize("mistake", SOURCES)
def test_a_source_that_does_not_compile_is_answered_with_its_place(mistake, context):
    run, words = SOURCES[mistake]
    with pytest.raises(cuda.CompileError) as told:
        run()
    text = str(told.value)
    for word in words:
        assert word in text, text
    assert text.splitlines()[-1].startswith("[command: nvrtc ")
    assert "generate-line-info" not in text
    assert 'extern "C"' not in text  # which this package writes


# The missing semicolon is noticed on the next line.
UNFINISHED = """
__global__ void f(float *a)
{
  a[threadIdx.x] = 1.0f
}
"""


def test_a_compile_error_has_five_lines_and_names_the_line_of_the_program(context):
    with pytest.raises(cuda.CompileError) as told:
        SourceModule(UNFINISHED)
    lines = pathlib.Path(__file__).read_text().splitlines()
    closing = lines.index("  a[threadIdx.x] = 1.0f") + 2
    error, *quoted, headline, command = str(told.value).splitlines()
    assert error == 'kernel.cu(5): error: expected a ";"'
    assert [line.strip() for line in quoted] == ["}", "^"]
    assert headline.startswith(
        "compilation of kernel.cu failed: the line before has no ; at its end (line 5 of kernel.cu is "
    )
    assert headline.endswith(f"test_mistakes.py:{closing})")
    assert command.startswith("[command: ")
    assert "1 error detected" in told.value.stderr


def test_warnings_beside_an_error_are_left_out_of_its_message(context):
    with pytest.raises(cuda.CompileError) as told:
        SourceModule("__global__ void f(float *a)\n{\n  int unused = 1;\n  a[0] = 1\n}")
    assert "never referenced" in told.value.stderr
    assert "unused" not in str(told.value) and "Remark" not in str(told.value)
    assert len(str(told.value).splitlines()) == 5


def test_a_view_with_gaps_is_warned_of(context):
    array = gpuarray.to_gpu(np.arange(16, dtype=np.float32).reshape(4, 4))
    with pytest.warns(UserWarning, match="view with strides.*contiguous copy"):
        scale(array[:, 1], F, np.int32(4), **BLOCK)


def test_mistakes_that_are_none_work(context):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scale(zeros(), F, N, block=(16, 16))
        scale(zeros(), 2.0, 10, **BLOCK)
        scale(zeros(), np.float64(2), 10, **BLOCK)


PROGRAMS = {
    "no context": (
        "import pycuda.driver as d; d.mem_alloc(4)",
        {},
        ["no currently active context?", "pycuda.autoinit"],
    ),
    "no such device": ("import pycuda.autoinit", {"CUDA_DEVICE": "97"}, ["no device 97"]),
    "a module that is not imported": (
        "import pycuda; pycuda.gpuarray",
        {},
        ["'pycuda' has no attribute 'gpuarray': import pycuda.gpuarray first"],
    ),
    "a folder of headers": (
        "import pycuda; pycuda.cuda",
        {},
        ["'pycuda' has no attribute 'cuda': pycuda/cuda holds files for compilers", "those of pycuda.driver"],
    ),
    "no such driver": ("import pycuda.autoinit", {"PYCUDA_DRIVER": "gpu"}, ["PYCUDA_DRIVER=gpu", "`nvidia`, `cpu`"]),
}


@pytest.mark.parametrize("mistake", PROGRAMS)
def test_a_program_without_a_device_or_context_says_what_to_do(mistake):
    program, settings, words = PROGRAMS[mistake]
    _, errors = run_program(program, expect=1, **settings)
    for word in words:
        assert word in errors, errors


FAULTS = {
    "a write beyond an array": (
        "void f(int *a) { a[threadIdx.x + 100000] = 1; }",
        ["399936 bytes past the end", "f, block"],
    ),
    "a null pointer": ("void f(int *a) { ((int *)(size_t)threadIdx.x)[0] = 1; }", ["a null pointer", "kernel f"]),
    "a misaligned access": ("void f(char *a) { *(int *)(a + 1) = 5; }", ["misaligned address 0x", "kernel f"]),
    "an assertion": ("void f(int *a) { assert(a == 0); }", ["device-side assert triggered in kernel f", "a == 0"]),
    "a loop without an end": ("void f(volatile int *a) { while (*a == 0) ; }", ["terminated by the time limit"]),
    "a stack that is too small": (
        "void f(int *a) { a[0] = deep(a, 100000000); }",
        ["stack overflow in kernel f", "limit.STACK_SIZE"],
    ),
}


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver")
@pytest.mark.parametrize("mistake", FAULTS)
def test_a_fault_is_told_once_with_its_line_and_what_to_do(mistake):
    kernel, words = FAULTS[mistake]
    output, errors = run_program(
        f'''
import numpy as np, pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule
kernel = SourceModule("""#include <cassert>
__device__ __noinline__ int deep(volatile int *a, int n) {{ return n == 0 ? 0 : a[0] + deep(a, n - 1) * a[1]; }}
__global__ {kernel}""").get_function("f")
memory = cuda.mem_alloc(64)
cuda.memset_d8(memory, 0, 64)
kernel(memory, block=(1, 1, 1))
for _ in range(2):
    try:
        cuda.Context.synchronize()
    except cuda.Error as error:
        print(error)
''',
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_TIMEOUT="1",
    )
    assert errors == ""
    lines = output.splitlines()
    first = lines[: len(lines) // 2]
    assert 2 <= len(first) <= 3 and not first[0].startswith("the context")
    assert lines[len(lines) // 2 :] == ["the context was lost earlier: " + first[0], *first[1:]]
    for word in words:
        assert word in first[0], first
    assert "of the source passed at <string>:4" in first[0], first
    assert "every call fails until pycuda.tools.reset_context()" in first[-1]
    if len(first) == 3:
        assert first[1].startswith("    __")
    else:
        assert mistake == "a loop without an end"
