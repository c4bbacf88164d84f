# SPDX-License-Identifier: MIT
"""Sources that are not device code alone: the error says what to do instead."""

import pytest
from pycuda._compile_advice import advice, without_details

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


def test_the_shown_command_has_the_programs_options_alone():
    command = ["nvrtc", "-arch=compute_80", "-default-device", "-I/somewhere", "-include=x.h", "-lineinfo", "kernel.cu"]
    assert without_details(command) == ["nvrtc", "-arch=compute_80", "-lineinfo", "kernel.cu"]
