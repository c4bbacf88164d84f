# SPDX-License-Identifier: MIT
"""A fault on the CPU driver names the place of the kernel's line in the user's program, and quotes the line."""

import pytest
from programs import has_cpu_driver, run_file

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

START = """\
import numpy as np, pycuda.autoinit
import pycuda.driver as cuda
from pycuda import compiler, elementwise, gpuarray, reduction, scan, tools

def told(run):
    try:
        run()
        cuda.Context.synchronize()
    except cuda.Error as error:
        lines = str(error).splitlines()
        assert len(lines) == 3 and "reset_context" in lines[2], lines
        print(lines[0].partition("thread (")[2].partition(") ")[2], "|", lines[1].strip())
    else:
        print("no fault")
    tools.reset_context()

def launch(kernel, memory=None):
    kernel(memory or cuda.mem_alloc(64), block=(4, 1, 1))
"""


def places(tmp_path, program, name="program.py", **files):
    """What the faults of a program name, a line each."""
    for other, text in files.items():
        (tmp_path / other.replace("_", ".")).write_text(text)
    file = tmp_path / name
    file.write_text(START + program)
    return run_file(file, PYCUDA_DRIVER="cpu")[0].splitlines()


def line_of(program, text):
    """The line of `text` in the whole program."""
    return next(n for n, line in enumerate((START + program).splitlines(), 1) if text in line)


def test_a_source_in_the_program_has_the_lines_of_the_program(tmp_path):
    program = '''
source = """
__global__ void k(int *a)
{
  a[1000000] = 1;  // outside
}
"""
told(lambda: launch(compiler.SourceModule(source).get_function("k")))
'''
    line = line_of(program, "// outside")
    assert places(tmp_path, program) == [f"at program.py:{line} | a[1000000] = 1;  // outside"]


def test_a_call_of_a_header_of_cudas_has_the_line_of_the_call(tmp_path):
    program = '''
source = """
#include <curand_kernel.h>
extern "C" __global__ void k(curandState *states, float *a)
{
  a[threadIdx.x] = curand_uniform(states + threadIdx.x);  // no states
}
"""
k = compiler.SourceModule(source, no_extern_c=True).get_function("k")
told(lambda: k(np.intp(0), cuda.mem_alloc(64), block=(4, 1, 1)))
'''
    line = line_of(program, "// no states")
    said = "a[threadIdx.x] = curand_uniform(states + threadIdx.x);  // no states"
    (told,) = places(tmp_path, program)
    assert told.startswith(f"at program.py:{line}: null among the arguments") and told.endswith(said)


def test_a_call_of_a_function_of_cudas_has_the_line_of_the_call(tmp_path):
    program = '''
source = """
texture<float, 2> image;
template <class T> __device__ T deeper(T x) { return tex2D(image, x, x); }  // inner
__global__ void k(float *a)
{
  a[0] = tex2D(image, 1.f, 2.f);  // unbound
}
__global__ void l(float *a)
{
  a[0] = deeper(a[1]);
}
"""
module = compiler.SourceModule(source, no_extern_c=True)
told(lambda: launch(module.get_function("k")))
module = compiler.SourceModule(source, no_extern_c=True)
told(lambda: launch(module.get_function("l")))
'''
    why = "handle 0 is not a texture: a texture reference that is not bound has it"
    assert places(tmp_path, program) == [
        f"at program.py:{line_of(program, '// unbound')}: {why} | a[0] = tex2D(image, 1.f, 2.f);  // unbound",
        f"at program.py:{line_of(program, '// inner')}: {why} | "
        "template <class T> __device__ T deeper(T x) { return tex2D(image, x, x); }  // inner",
    ]


def test_an_indented_source_and_one_of_a_single_line_are_found_too(tmp_path):
    program = '''
import textwrap
def dedented():
    launch(compiler.SourceModule(textwrap.dedent("""
        __global__ void k(int *a)
        {
          if (a)
            a[1000000] = 1;  // indented
        }""")).get_function("k"))
told(dedented)
told(lambda: launch(compiler.SourceModule("__global__ void one(int *a) { a[1000000] = 1; }").get_function("one")))
'''
    first, second = places(tmp_path, program)
    assert first == f"at program.py:{line_of(program, '// indented')} | a[1000000] = 1;  // indented"
    line = line_of(program, "void one")
    assert second == f"at program.py:{line} | __global__ void one(int *a) {{ a[1000000] = 1; }}"


def test_a_source_that_is_not_in_the_program_has_the_place_of_the_call(tmp_path):
    program = """
source = open("kernel.cu").read()
told(lambda: launch(compiler.SourceModule(source).get_function("k")))  # read
source = "__global__ void k(int *a)\\n{\\n" + "  a[1000000] = 2;\\n" + "}"
told(lambda: launch(compiler.SourceModule(source).get_function("k")))  # put together
"""
    first, second = places(tmp_path, program, kernel_cu="\n__global__ void k(int *a)\n{\n  a[1000000] = 1;\n}\n")
    call = f"at line 4 of the source passed at program.py:{line_of(program, '# read')} | a[1000000] = 1;"
    assert first == call
    call = f"at line 3 of the source passed at program.py:{line_of(program, '# put together')} | a[1000000] = 2;"
    assert second == call


def test_the_same_source_has_the_place_where_each_module_was_made(tmp_path):
    # One compilation, which the second module takes from the cache: the place is the module's.
    program = '''
import other
def here():
    return compiler.SourceModule("""
__global__ void k(int *a) {
  a[1000000] = 1;
}""").get_function("k")
first, second = here(), other.there()
told(lambda: launch(second))
told(lambda: launch(here()))
told(lambda: launch(other.there()))
'''
    other = '''
from pycuda import compiler
def there():
    return compiler.SourceModule("""
__global__ void k(int *a) {
  a[1000000] = 1;
}""").get_function("k")
'''
    here = f"at program.py:{line_of(program, 'a[1000000]')} | a[1000000] = 1;"
    there = "at other.py:6 | a[1000000] = 1;"
    assert places(tmp_path, program, other_py=other) == [there, here, there]


def test_two_equal_sources_in_one_file_are_told_apart_by_the_call(tmp_path):
    program = '''
def first():
    launch(compiler.SourceModule("""
__global__ void k(int *a) {
  a[1000000] = 1;
}""").get_function("k"))
def second():
    launch(compiler.SourceModule("""
__global__ void k(int *a) {
  a[1000000] = 1;
}""").get_function("k"))
told(first)
told(second)
'''
    line = line_of(program, "a[1000000]")
    assert places(tmp_path, program) == [f"at program.py:{n} | a[1000000] = 1;" for n in (line, line + 5)]


def test_generated_kernels_name_the_object_and_quote_its_operation(tmp_path):
    program = """
array = np.zeros(8, np.float32)
def elementwise_kernel():
    elementwise.ElementwiseKernel("float *x", "x[i + 1000000] = 1", "set")(gpuarray.to_gpu(array))  # set
def reduction_kernel():
    kernel = reduction.ReductionKernel(np.float32, "0", "a + b", "x[i + 1000000]", "float *x", name="total")  # total
    kernel(gpuarray.to_gpu(array)).get()
def in_another_context():
    kernel = reduction.ReductionKernel(np.float32, "0", "a + b", "x[i + 1000000]", "float *x", name="other")  # other
    context = cuda.Device(0).make_context()
    try:
        kernel(gpuarray.to_gpu(array)).get()
    finally:
        context.pop()
told(elementwise_kernel)
told(reduction_kernel)
told(in_another_context)
"""
    first, second, third = places(tmp_path, program)
    assert third.startswith(f"at a line of ReductionKernel 'other' made at program.py:{line_of(program, '# other')} |")
    made = f"made at program.py:{line_of(program, '# set')}"
    assert first == f"at a line of ElementwiseKernel 'set' {made} | x[i + 1000000] = 1"
    assert second.startswith(f"at a line of ReductionKernel 'total' made at program.py:{line_of(program, '# total')} |")


def test_headers_parts_of_a_linked_module_and_instances_name_their_own_lines(tmp_path):
    program = '''
def with_header():
    module = compiler.SourceModule("""#include "set.cuh"
__global__ void k(int *a) { set(a); }""", include_dirs=["."])
    launch(module.get_function("k"))
def linked():
    module = compiler.DynamicModule(keep=True)
    module.add_source("""
extern "C++" __device__ void set(int *a);
__global__ void k(int *a) { set(a); }
""", nvcc_options=["-rdc=true"])
    module.add_source("""
extern "C++" __device__ void set(int *a)
{
  a[1000000] = 3;  // linked
}
""", nvcc_options=["-rdc=true"])
    launch(module.link().get_function("k"))
def instance():
    module = compiler.SourceModule("""
template <class T> __global__ void k(T *a)
{
  a[1000000] = 4;  // instance
}
""")
    launch(module.get_function("k<float>"))
told(with_header)
told(linked)
told(instance)
'''
    found = places(tmp_path, program, set_cuh="__device__ void set(int *a)\n{\n  a[1000000] = 2;\n}\n")
    found = [line for line in found if not line.startswith("***")]
    assert found[0].startswith("at ") and found[0].endswith("set.cuh:3 | a[1000000] = 2;")
    assert found[1] == f"at program.py:{line_of(program, '// linked')} | a[1000000] = 3;  // linked"
    assert found[2] == f"at program.py:{line_of(program, '// instance')} | a[1000000] = 4;  // instance"


def test_misaligned_accesses_failed_assertions_and_graphs_have_a_line(tmp_path):
    program = '''
def misaligned():
    launch(compiler.SourceModule("__global__ void k(char *a) { *(int *)(a + 1) = 5; }").get_function("k"))
def assertion():
    kernel = compiler.SourceModule("""#include <cassert>
__global__ void k(int *a)
{
  assert(a == nullptr);
}""").get_function("k")
    launch(kernel)
def graph():
    kernel = compiler.SourceModule("__global__ void g(int *a) { a[1000000] = 5; }").get_function("g")
    memory, stream = cuda.mem_alloc(64), cuda.Stream()
    with stream.capture() as captured:
        kernel(memory, block=(1, 1, 1), stream=stream)
    captured.instantiate().launch(stream)
    stream.synchronize()
told(misaligned)
told(assertion)
told(graph)
'''
    first, second, third = places(tmp_path, program)
    assert first.startswith(f"at program.py:{line_of(program, '*(int *)')} |")
    assert second.startswith(f"at program.py:{line_of(program, 'assert(a')}: ") and second.endswith(
        "| assert(a == nullptr);"
    )
    assert third.startswith(f"at program.py:{line_of(program, 'void g')} |")


def test_objects_that_go_after_a_fault_do_not_report_it_again(tmp_path):
    program = """
def fault():
    launch(compiler.SourceModule("__global__ void k(int *a) { a[1000000] = 1; }").get_function("k"))
fault()  # the kernel and its memory go before anybody waits
told(lambda: None)
"""
    file = tmp_path / "program.py"
    file.write_text(START + program)
    output, errors = run_file(file, PYCUDA_DRIVER="cpu")
    assert output.startswith("at program.py:") and errors == ""
