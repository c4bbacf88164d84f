# SPDX-License-Identifier: MIT
"""Sources in the default wrapper that hold C++: kernels keep their plain names."""

import numpy as np
import pycuda.driver as cuda
import pytest
from compiling import ptx_of
from pycuda.compiler import SourceModule

KERNEL = "__global__ void k(int *o) {{ o[0] = {}; }}\n"

CPLUSPLUS = {
    "template": ("template <class T> __device__ T twice(T a) { return 2 * a; }\n", "twice(3) + 1"),
    "overloads": ("__device__ int f(int a) { return 3; } __device__ int f(float a) { return 4; }\n", "f(1) + f(1.0f)"),
    "operators": (
        "struct A { int x; }; struct B { int x; };\n"
        "__device__ int operator+(A a, A b) { return a.x + b.x; }\n"
        "__device__ int operator+(B a, B b) { return a.x * b.x; }\n",
        "(A{1} + A{1}) + (B{1} + B{5})",
    ),
    "member template": ("struct A { template <class T> __device__ T of(T a) { return a; } };\n", "A().of(7)"),
    "specialisation": (
        "template <class T> struct size { enum { value = 0 }; };\n"
        "template <> struct size<int> { enum { value = 7 }; };\n",
        "size<int>::value",
    ),
    "variable template": ("template <class T> constexpr T seven = T(7);\n", "seven<int>"),
    "alias": ("template <class T> using just = T;\n", "just<int>(7)"),
    "literal": ('__device__ constexpr int operator""_more(unsigned long long a) { return a + 1; }\n', "6_more"),
}


def seven(module, name="k"):
    result = np.zeros(1, np.int32)
    module.get_function(name)(cuda.Out(result), block=(1, 1, 1))
    return result[0] == 7


@pytest.mark.parametrize("name", CPLUSPLUS)
def test_cplusplus_in_the_source_compiles(context, name):
    declarations, value = CPLUSPLUS[name]
    assert seven(SourceModule(declarations + KERNEL.format(value)))


@pytest.mark.parametrize("name", CPLUSPLUS)
def test_cplusplus_in_a_header_compiles(context, name, tmp_path):
    declarations, value = CPLUSPLUS[name]
    (tmp_path / "mine.h").write_text("#pragma once\n" + declarations)
    assert seven(SourceModule('#include "mine.h"\n' + KERNEL.format(value), include_dirs=[str(tmp_path)]))


TEMPLATE = CPLUSPLUS["template"][0]


@pytest.mark.parametrize(
    "declaration",
    [
        "__global__ void k(int *o)",
        "void __global__ k(int *o)",
        "__global__ void __launch_bounds__(32, 1) k(int *o)",
        "__launch_bounds__(32) __global__ void k(int *o)",
        'extern "C" __global__ void k(int *o)',
        "static __global__ void k(int *o)",
        "__global__ void k(int *o);\n__global__ void k(int *o)",
        "#define KERNEL __global__\nKERNEL void k(int *o)",
        "#define NOTHING\nNOTHING __global__ void k(int *o)",
        "[[maybe_unused]] __global__ void k(int *o)",
    ],
)
def test_kernels_keep_their_names_however_they_are_declared(context, declaration):
    assert seven(SourceModule(TEMPLATE + declaration + " { o[0] = twice(3) + 1; }"))


def test_names_in_the_image_are_plain():
    image = ptx_of(TEMPLATE + "namespace n { __global__ void z() {} }\n" + KERNEL.format("twice(3)"))
    assert ".entry k(" in image and ".entry z(" in image


def test_kernels_in_a_header_with_templates_are_found(context, tmp_path):
    (tmp_path / "mine.h").write_text(TEMPLATE + KERNEL.format("twice(3) + 1"))
    assert seven(SourceModule('#include "mine.h"\n', include_dirs=[str(tmp_path)]))


def test_overloaded_kernels_are_told_apart(context):
    module = SourceModule("__global__ void k(int *o) { o[0] = 7; }\n__global__ void k(float *o) { o[0] = 8; }\n")
    assert seven(module, "k(int *)")
    with pytest.raises(cuda.LogicError, match="several kernels are named 'k'"):
        module.get_function("k")


def test_an_instance_of_a_template_in_the_wrapper_is_compiled(context):
    module = SourceModule("template <int N> __global__ void k(int *o) { o[0] = N; }\n")
    assert seven(module, "k<7>")


def test_a_header_of_cuda_in_the_middle_and_a_template_compile(context):
    source = "__device__ int three() { return 3; }\n#include <cuda_fp16.h>\n" + TEMPLATE
    assert seven(SourceModule(source + KERNEL.format("twice(three()) + (int)__half2float(__float2half(1.0f))")))


def test_errors_are_those_of_the_source_and_lines_are_its_own():
    with pytest.raises(cuda.CompileError) as caught:
        SourceModule(TEMPLATE + "\n" + KERNEL.format("nothing"), arch="sm_80")
    text = str(caught.value)
    assert 'kernel.cu(3): error: identifier "nothing" is undefined' in text
    assert "linkage" not in text and 'extern"C"' not in text


def test_what_is_meant_to_have_c_linkage_has_it_still():
    # The source without the wrapper is only for those that need it.
    assert ".func" not in ptx_of("__global__ void k() {}")
    image = ptx_of(
        "__device__ __noinline__ int helper(int a) { return a + threadIdx.x; }\n" + KERNEL.format("helper(1)")
    )
    assert "_Z6helper" not in image
