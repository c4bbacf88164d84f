# SPDX-License-Identifier: MIT
"""Sources that are not device code alone: the error says what to do instead."""

import numpy as np
import pytest
from pycuda._compile_advice import advice, without_details
from pycuda.compiler import DynamicSourceModule, SourceModule
from pycuda.driver import CompileError
from pycuda.reduction import ReductionKernel

KERNEL = "__global__ void f(int *a) { a[threadIdx.x] = 1; }\n"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("kernel.cu", r"name of a file.*open\('kernel.cu'\)"),
        ("lib/kernels.cuh\n", "name of a file"),
        (KERNEL + "void run(int *a) { f<<<1, 32>>>(a); }", r"<<<.*block="),
        (KERNEL + "void run() { int *a; cudaMalloc(&a, 4); }", "cudaMalloc.*mem_alloc"),
        (KERNEL + "void run(int *a) { cudaMemcpyAsync(a, a, 4, 0); }", "cudaMemcpyAsync.*In, Out"),
        (KERNEL + "int main() { return 0; }", r"main\(\).*device code only"),
    ],
)
def test_a_remedy_is_named(source, words):
    import re

    assert re.search(words, advice(source)), advice(source)


@pytest.mark.parametrize(
    "source",
    [
        KERNEL,
        KERNEL + "// call it with f<<<1, 32>>>(a) and cudaMalloc(&a, 4) in main()",
        KERNEL + '__device__ const char *text = "int main() <<<";',
        "template <class T> __device__ T domain(T x) { return x; }\n" + KERNEL,
    ],
)
def test_device_code_needs_no_advice(source):
    assert advice(source) == ""


NESTED = KERNEL + "__global__ void g(int *a) { if (a) { f<<<1, 32>>>(a); } }\n"


@pytest.mark.parametrize(
    ("source", "is_dynamic", "words"),
    [
        (NESTED, False, "a kernel that launches kernels .* needs DynamicSourceModule instead of SourceModule"),
        (NESTED, True, ""),
        (NESTED + "int main() { f<<<1, 1>>>(0); }", True, r"<<<.*block="),
        (KERNEL + "__global__ void g() { cudaDeviceSynchronize(); }", False, "cudaDeviceSync.*DynamicSourceModule"),
        (NESTED.replace("(a); }", "(a); cudaDeviceSynchronize(); }"), True, "cannot call .*Synchronize .*TailLaunch"),
        (KERNEL + "__global__ void g() { int *a; cudaMalloc(&a, 4); }", True, ""),
        (KERNEL + "void run(int *a) { f<<<1, 32>>>(a); }", True, "<<<.*block="),
        ("__device__ int table[] = {1, 2};\n" + KERNEL + "void run(int *a) { f<<<1, 32>>>(a); }", False, "<<<.*block="),
    ],
)
def test_what_device_code_launches_and_calls(source, is_dynamic, words):
    import re

    assert re.fullmatch(f".*{words}.*" if words else "", advice(source, is_dynamic)), advice(source, is_dynamic)


def test_the_class_that_was_meant_is_named(context):
    with pytest.raises(CompileError, match="needs DynamicSourceModule instead of SourceModule"):
        SourceModule(NESTED)
    with pytest.raises(CompileError, match="kernels cannot call cudaDeviceSynchronize"):
        DynamicSourceModule(NESTED.replace("(a); }", "(a); cudaDeviceSynchronize(); }"))


def test_the_shown_command_has_the_programs_options_alone():
    command = ["nvrtc", "-arch=compute_80", "-default-device", "-I/somewhere", "-include=x.h", "-lineinfo", "kernel.cu"]
    assert without_details(command) == ["nvrtc", "-arch=compute_80", "-lineinfo", "kernel.cu"]


TEMPLATE = """
template <class T> __global__ void k(T *a) { extern __shared__ T s[]; a[0] = s[0]; }
template __global__ void k<float>(float *);
template __global__ void k<double>(double *);
"""


# KernelTuner/kernel_launcher 5, pytorch/extension-cpp 59
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("__global__ void k(uint8_t *a) {}", "uint8_t is declared in a header: #include <cstdint>"),
        ("__global__ void k(float *a) { a[0] = FLT_MAX; }", "#include <cfloat>"),
        ("__global__ void k(const half *a, half *b) { b[0] = a[0]; }", "half is .*#include <cuda_fp16.h>"),
        ("__global__ void k(curandState *a) {}", "#include <curand_kernel.h>"),
        ("__global__ void k(cuFloatComplex *a) {}", "#include <cuComplex.h>"),
        ("namespace cg = cooperative_groups;\n__global__ void k() { cg::sync(); }", "#include <cooperative_groups.h>"),
        ("using namespace nvcuda;\n__global__ void k() {}", "#include <mma.h>"),
        ("__global__ void k() { typedef cub::WarpReduce<int> Reduce; }", "#include <cub/cub.cuh>"),
        ("__global__ void k(pycuda::complex<float> *a) {}", "#include <pycuda-complex.hpp>"),
        ("__global__ void k(float *a) { a[0] = std::numeric_limits<float>::max(); }", "#include <limits>"),
        ("__global__ void k(float *a) { a[0] = std::max(1, 2); }", "std::max is .*#include <algorithm>"),
        ("__global__ void k(float *a) { a[0] = CUDART_PI_F; }", "#include <math_constants.h>"),
        ("__global__ void k(int *a) { a[threadidx.x] = 1; }", "threadidx is not declared; did you mean threadIdx?"),
        ("__global__ void k(int *a) { __syncthread(); }", "did you mean __syncthreads?"),
        ("__global__ void k(int *a) { atomicadd(a, 1); }", "did you mean atomicAdd?"),
        ("_global_ void k(int *a) { a[0] = 1; }", "_global_ is not declared; did you mean __global__?"),  # pycuda 446
        ("__gobal__ void k(int *a) {}", "did you mean __global__?"),
        ("__device int f(int x) { return x; }\n__global__ void k() {}", "did you mean __device__?"),
        ("__contant__ float c[3];\n__global__ void k() {}", "did you mean __constant__?"),
        ("__global__ void k() { _shared_ int s[3]; s[0] = 1; }", "did you mean __shared__?"),
        ("extern __share__ float s[];\n__global__ void k() {}", "did you mean __shared__?"),
        ("#include <cuda_fp15.h>\n__global__ void k() {}", "no header cuda_fp15.h; did you mean cuda_fp16.h?"),
        ("#include <cooperative_group.h>\n__global__ void k() {}", "did you mean cooperative_groups.h?"),
        (TEMPLATE, "one name has one type in a source"),
        ("__global__ void __cluster_dims__(2, 1, 1) k() {}", "PYCUDA_CPU_ARCH=90a"),
        ("__global__ void k(int *a) { a[0] = [] __device__ { return 1; }(); }", "leave out __device__"),
    ],
)
def test_errors_that_name_no_cause_are_explained(context, source, words):
    with pytest.raises(CompileError, match=words):
        SourceModule(source, no_extern_c="template" in source, arch="compute_80")


def test_names_that_no_header_declares_are_left_to_the_compiler(context):
    with pytest.raises(CompileError) as caught:
        SourceModule("__kernel void f() {}\n__global__ void k(my_half *a) { a[0] = other::f(); counter(); }")
    assert "header" not in str(caught.value)
    assert "did you mean" not in str(caught.value)


def test_a_reduction_without_an_expression_names_its_argument(context):
    with pytest.raises(CompileError, match='the argument that is reduced is named in: arguments="float .in"'):
        ReductionKernel(np.float32, neutral="0", reduce_expr="a+b", arguments="float *x")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("__global__ void f(%(type)s *a) { a[0] = 1; }", r"%\(type\)s is a placeholder"),
        ("__global__ void f(float *a) { a[0] = {{ n }}; }", "{{ n }} is a placeholder"),
        ("__global__ void f(${real} *a) { a[0] = 1; }", r"\${real} is a placeholder"),
        ("__global__ void f(float *a) { {% for i in r %} a[0] = 1; {% endfor %} }", "{% for is a placeholder"),
        ("__kernel void f(__global float *a) { a[get_global_id(0)] = 1; }", "__kernel is OpenCL's: .*__global__ void"),
    ],
)
@pytest.mark.usefixtures("context")
def test_templates_that_are_not_filled_in_and_opencl(source, words):
    with pytest.raises(CompileError, match=words):
        SourceModule(source)
    assert advice("__device__ int pairs[1][1] = {{1}}, n = 7 % (3);\n" + KERNEL) == ""


def test_a_neutral_element_in_the_place_of_the_expression_is_named(context):
    with pytest.raises(CompileError, match="neutral has no a and b: it comes before reduce_expr"):
        ReductionKernel(np.float32, "a+b", "0", arguments="float *in")


def test_a_type_that_cuda_deprecates_is_told_of_in_the_program_alone(context, tmp_path):
    with pytest.warns(UserWarning, match="double4.* was declared deprecated") as told:
        SourceModule("__global__ void k(double4 *a) {}", cache_dir=str(tmp_path))
    assert "pycuda_" not in str(told[0].message)
