# SPDX-License-Identifier: MIT
"""Mistakes in CUDA C++ and in expressions of kernels: the remedy, and no error twice."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.driver import CompileError
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

BODIES = {
    "a[0] = a[1] % 2;": "fmodf(x, y) is the remainder of floats",
    "int *p = null;": "C++ writes nullptr",
    "a[0] = pi;": "the number is M_PI",
    "exit(1);": "a thread of a kernel ends with return",
    "string s;": "kernels have arrays, of a size that the compiler knows",
    "cg::this_grid().sync();": "cg is short for cooperative_groups: #include <cooperative_groups.h>",
    "float4 b, c; b = b + c;": "float4 has no operators in CUDA: compute with its parts .x, .y",
    "float4 b = (1, 2, 3, 4);": "make_float4(...) makes one of its parts",
    "float2 b; b.re = 1;": "the parts of CUDA's vectors are .x, .y, .z and .w",
    "const float *b = a; b[0] = 3;": "a kernel's results need a pointer without const",
    "threadIdx.x = 3;": "built in, such as threadIdx, cannot be written",
    "__shared__ float s[64] = {0};": "the threads fill shared memory: s[threadIdx.x] = 0; __syncthreads();",
    "__constant__ float c[4];": "__constant__ variables are declared outside of functions",
    "throw 1;": "kernels report errors in an array",
    "float *b = malloc(4);": "C++ converts a void * explicitly: (float *)malloc(n)",
    "a[0] = __shfl_down_sync(a[0], 1);": "takes the mask of the warp's threads first: __shfl_down_sync(0xffffffff, x",
    "__shared__ float s[TILE]; a[0] = s[0];": "TILE is not declared: #define TILE 256 in the source",
    "a[threadIdx.y * WIDTH + threadIdx.x] = 1;": "WIDTH is not declared: #define WIDTH 256 in the source",
    "a[idx] = 1;": "idx is not declared: int idx = blockIdx.x * blockDim.x + threadIdx.x; is a thread's index",
    "a[0] = SIZE;": "SIZE is not declared: #define SIZE 256 in the source, or options=['-DSIZE=256']",
}


def refused(make):
    with pytest.raises(CompileError) as caught:
        make()
    text = str(caught.value)
    assert text.count("error: ") == 1, text
    assert len(text.splitlines()) <= 7, text  # the compiler's three or four lines, what to do, the command
    return text


@pytest.mark.parametrize("body", BODIES)
def test_the_body_of_a_kernel(body):
    assert BODIES[body] in refused(lambda: SourceModule(f"__global__ void k(float *a)\n{{\n  {body}\n}}\n"))


@pytest.mark.parametrize("name", ["width", "n", "n_cols", "stride"])
def test_an_undeclared_size_in_an_index_is_no_thread_s_index(name):
    source = f"__global__ void k(float *a) {{ a[threadIdx.y * {name} + threadIdx.x] = 1; }}"
    text = refused(lambda: SourceModule(source))
    assert f'identifier "{name}" is undefined' in text and "blockIdx" not in text


@pytest.mark.parametrize("type_name", ["Undeclared", "std::vector<float>", "cuComplex", "half"])
def test_an_unknown_type_among_the_parameters_is_one_error(type_name, monkeypatch):
    monkeypatch.setenv("PYCUDA_COMPILER", "nvrtc")  # nvcc would be tried after it
    text = refused(lambda: SourceModule(f"__global__ void k({type_name} *a, int n) {{ a[n] = a[0]; }}"))
    assert f'"{type_name.removeprefix("std::").partition("<")[0]}"' in text


@pytest.mark.parametrize("head", ["__global__ int k", "__global__ k"])
def test_a_kernel_that_returns_something(head):
    with pytest.raises(CompileError, match="a kernel returns nothing: __global__ void name") as caught:
        SourceModule(f"{head}(float *a) {{ a[0] = 1; }}")
    assert "further down" not in str(caught.value)


EXPRESSIONS = {
    "names of the two numbers": (
        lambda: ReductionKernel(np.float32, "0", "x+y", "x[i]", "float *x"),
        "reduce_expr calls its two numbers a and b",
    ),
    "a semicolon behind reduce_expr": (
        lambda: ReductionKernel(np.float32, "0", "a+b;", "x[i]", "float *x"),
        "are expressions: a + b, without ; at the end",
    ),
    "a semicolon behind map_expr": (
        lambda: ReductionKernel(np.float32, "0", "a+b", "x[i];", "float *x"),
        "are expressions: a + b, without ; at the end",
    ),
    "a number that is indexed": (
        lambda: ReductionKernel(np.float32, "0", "a+b", "x[i]", "float x"),
        "is declared as a pointer: float *x",
    ),
    "names in a scan": (
        lambda: InclusiveScanKernel(np.int32, "x+b"),
        "scan_expr calls its two numbers a and b",
    ),
}


@pytest.mark.parametrize("mistake", EXPRESSIONS)
def test_the_expressions_of_reductions_and_scans(mistake):
    make, words = EXPRESSIONS[mistake]
    with pytest.raises(CompileError) as caught:
        make()
    text = str(caught.value)
    assert words in text
    messages = [line.partition(": ")[2] for line in text.splitlines() if ": error: " in line]
    assert messages and len(messages) == len(set(messages)), text


NO_STRINGS = {
    "operation": lambda code: ElementwiseKernel("float *x", code),
    "reduce_expr": lambda code: ReductionKernel(np.float32, "0", code, "x[i]", "float *x"),
    "map_expr": lambda code: ReductionKernel(np.float32, "0", "a+b", code, "float *x"),
    "scan_expr": lambda code: ExclusiveScanKernel(np.int32, code, 0),
}


@pytest.mark.parametrize("name", NO_STRINGS)
def test_expressions_that_are_no_strings(name):
    with pytest.raises(TypeError, match=f"{name} must be a string of C.*not function"):
        NO_STRINGS[name](lambda a, b: a + b)


def test_arguments_in_a_list_of_strings():
    with pytest.raises(TypeError, match=r"arguments of C\+\+ are one string: 'float \*x, float \*y'"):
        ElementwiseKernel(["float *x", "float *y"], "y[i] = x[i]")(gpuarray.zeros(3, "f"), gpuarray.zeros(3, "f"))
    with pytest.raises(TypeError, match="are one string: 'float .x'"):
        ReductionKernel(np.float32, "0", "a+b", "x[i]", ["float *x"])
