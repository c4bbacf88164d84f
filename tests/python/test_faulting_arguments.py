# SPDX-License-Identifier: MIT
"""A fault and a finding name the kernel's argument that the memory was passed as."""

import pytest
from programs import run_program

pytestmark = pytest.mark.usefixtures("programs_on_cpu")

SETUP = """
import warnings
import numpy as np
import pycuda
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

x, y = gpuarray.zeros(8, np.float32), gpuarray.zeros(8, np.float32)

def end(call):
    try:
        call()
        cuda.Context.synchronize()
    except cuda.Error as error:
        print(error)
"""


def _said(program, check="memory"):
    return run_program(SETUP + program, PYCUDA_CPU_CHECK=check)[0]


@pytest.mark.parametrize(
    ("head", "arguments", "words"),
    [
        ("float *x, const float *y, int n", "x, y, np.int32(8)", "'const float *y', argument #1 (0-based)"),
        ("int n, float *x,\n  const float * __restrict__ y", "np.int32(8), x, y", "__restrict__ y', argument #2"),
        ("float *y, float *x", "x, x", "'float *y', argument #0 (0-based), and 'float *x', argument #1 (0-based) in"),
        ("float *x, float *y", "x[4:], x[2:]", "'float *x', argument #0 (0-based), and 'float *y', argument #1"),
    ],
)
def test_a_stray_access_names_the_argument(head, arguments, words):
    output = _said(f'''
k = SourceModule("""
__global__ void k({head}) {{ x[0] = y[9]; }}
""").get_function("k")
end(lambda: k({arguments}, block=(1, 1, 1)))
''')
    assert "bytes past the end of the 32-byte block of device memory allocated at 0x" in output
    assert ", passed as " in output and words in output


def test_a_struct_that_holds_the_address_is_named():
    output = _said('''
k = SourceModule("""
struct Pair { int n; float *y; };
__global__ void k(float *x, Pair pair) { x[0] = pair.y[pair.n]; }
""").get_function("k")
pair = np.array((9, y.ptr), np.dtype([("n", np.int32), ("y", np.uint64)], align=True))
end(lambda: k(x, pair, block=(1, 1, 1)))
''')
    assert ", passed as 'Pair pair', argument #1 (0-based) in kernel k" in output


def test_a_template_has_its_declaration():
    output = _said("""
source = "template <class T> __global__ void k(T *x, const T *y) { x[0] = y[9]; }"
end(lambda: SourceModule(source, no_extern_c=True).get_function("k<float>")(x, y, block=(1, 1, 1)))
""")
    assert ", passed as 'const T *y', argument #1 (0-based) in kernel k<float>" in output


def test_where_the_source_is_not_known_there_is_the_number():
    output = _said("""
from pycuda.compiler import compile
ptx = compile("__global__ void k(float *x, const float *y) { x[0] = y[9]; }", target="ptx")
k = cuda.module_from_buffer(ptx if isinstance(ptx, bytes) else ptx.encode()).get_function("k")
end(lambda: k(x, y, block=(1, 1, 1)))
""")
    assert ", passed as argument #1 (0-based) in kernel k" in output


def test_a_generated_kernel_has_the_users_name_and_no_number():
    output = _said("""
shift = ElementwiseKernel("float *x, const float *y", "x[i] = y[i + 2]", "shift")
end(lambda: shift(x, y))
""")
    assert ", passed as 'float *y' in kernel shift" in output and "argument #" not in output


def test_a_pointer_that_is_null_is_named():
    output = _said(
        """
k = SourceModule("__global__ void k(float *x, long n, const float *y) { x[0] = y[1]; }").get_function("k")
end(lambda: k(x, np.int64(0), np.intp(0), block=(1, 1, 1)))
""",
        check="0",
    )
    assert "a null pointer or close to one in kernel k" in output
    assert ": null among the arguments: 'const float *y', argument #2 (0-based)" in output and "'long n'" not in output


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "x[threadIdx.x - 1] = 1;",
            "where index -1 of 'float *x', argument #0 (0-based), lies if it is computed as an u",
        ),
        (
            "int i = n * n; x[i] = 1;",
            "at index -1794967296 of 'float *x', argument #0 (0-based), as of an int that over",
        ),
    ],
)
def test_an_index_that_overflowed_is_named(body, words):
    output = _said(f"""
k = SourceModule("__global__ void k(float *x, int n) {{ {body} }}").get_function("k")
end(lambda: k(x, np.int32(50000), block=(1, 1, 1)))
""")
    assert f"far from every allocation, {words}" in output


def test_a_trap_may_come_of_an_atomic_operation_on_a_variable_of_the_thread():
    output = _said("""
warnings.simplefilter("ignore")
k = SourceModule("__global__ void k(int *x) { int i; atomicAdd(&i, 1); x[0] = i; }").get_function("k")
end(lambda: k(x, block=(1, 1, 1)))
""")
    assert "trap instruction" in output and "or an atomic operation on a variable of the thread" in output


def test_races_and_reads_of_what_nobody_wrote_name_the_argument():
    output = _said(
        """
k = SourceModule("__global__ void k(float *x, const float *y) { x[0] = threadIdx.x; x[1] = y[0]; }").get_function("k")
with pycuda.checks("race", "init") as found:
    k(x, gpuarray.empty(8, np.float32), block=(2, 1, 1))
for one in found:
    print(one.check, one.message)
""",
        check="0",
    )
    race = next(line for line in output.splitlines() if line.startswith("race"))
    assert ", passed as 'float *x', argument #0 (0-based), with no" in race
    init = next(line for line in output.splitlines() if line.startswith("init"))
    assert ", passed as 'const float *y', argument #1 (0-based)" in init


@pytest.mark.parametrize("check", ["all", "memory"])
def test_an_address_of_the_host_is_said_to_be_one(check):
    output = _said(
        """
a = np.ones(8, np.float32)
k = SourceModule("__global__ void k(float *o, const float *a) { o[threadIdx.x] = a[threadIdx.x]; }").get_function("k")
end(lambda: k(x, a.ctypes.data, block=(8, 1, 1)))
""",
        check=check,
    )
    assert ", which is 'const float *a', argument #1 (0-based): memory of the host, which kernels cannot" in output
    assert "pycuda.driver.In of the array" in output


@pytest.mark.parametrize("number", [5, 8])
def test_a_small_number_for_a_pointer_is_named(number):
    output = _said(f"""
k = SourceModule("__global__ void k(float *o, const float *a) {{ o[0] = a[0]; }}").get_function("k")
end(lambda: k(x, {number}, block=(1, 1, 1)))
""")
    assert ", which is 'const float *a', argument #1 (0-based): a number that is no address" in output


def test_a_store_to_constant_memory_is_named_with_its_line():
    output = _said("""
warnings.simplefilter("ignore")
k = SourceModule('''
__constant__ float factors[4];
__global__ void k(float *x) {
  x[0] = factors[1];
  if (x[0] == 0)
    factors[threadIdx.x] = 2;
}
''').get_function("k")
end(lambda: k(x, block=(4, 1, 1)))
""")
    assert "trap of a store to __constant__ memory, and 'factors' is written to at " in output
    assert 'only the host can: memcpy_htod to what get_global("factors") returns' in output
    assert "null pointer" not in output


@pytest.mark.parametrize(
    ("fetch", "kind"), [("tex1Dfetch<float>(t, 0)", "Texture"), ("surf2Dread<float>(t, 0, 0)", "Surface")]
)
def test_an_array_in_place_of_a_texture_is_named(fetch, kind):
    output = _said(f"""
source = "__global__ void k(float *o, cuda{kind}Object_t t) {{ o[0] = {fetch}; }}"
k = SourceModule(source).get_function("k")
end(lambda: k(x, y, block=(1, 1, 1)))
""")
    assert (
        f"is no live {kind.lower()} but the address of an array, passed as 'cuda{kind}Object_t t', argument #1"
        in output
    )
    assert f": pass a {kind}Object of " in output
