# SPDX-License-Identifier: MIT
"""The CPU driver's checked mode, from Python: what its messages name."""

import pathlib
import re

import pycuda
import pytest
from programs import run_program

pytestmark = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)

PROGRAM = """
import numpy as np
import pycuda.driver as cuda
import pycuda.autoinit
from pycuda.compiler import SourceModule

module = SourceModule('''
__global__ void shift(int *out, int by)
{
  __shared__ int left[32];
  __shared__ int right[32];
  left[threadIdx.x + by] = threadIdx.x;
  right[threadIdx.x] = 100;
  __syncthreads();
  out[threadIdx.x] = left[threadIdx.x] + right[threadIdx.x];
}
''', options=["-lineinfo"], no_extern_c=NO_EXTERN_C)
shift = module.get_function(NAME)
print("shared", shift.shared_size_bytes)
out = np.zeros(32, np.int32)
shift(cuda.Out(out), np.int32(0), block=(32, 1, 1))
print("right", (out == np.arange(32) + 100).all())
try:
    shift(cuda.Out(out), np.int32(1), block=(32, 1, 1))
    print("nothing was found")
except cuda.Error as error:
    print(error)
"""


@pytest.mark.parametrize(("kernel", "variable"), [("shift", "shift::left"), ("_Z5shiftPii", "shift(int*, int)::left")])
def test_an_index_beyond_a_shared_array_names_the_array(kernel, variable):
    program = f"NAME, NO_EXTERN_C = {kernel!r}, {kernel.startswith('_Z')}\n" + PROGRAM
    output, _ = run_program(program, PYCUDA_CPU_CHECK=1, PYCUDA_DRIVER="cpu")
    assert "shared 256\nright True\n" in output
    assert f"0 bytes past the end of the 128-byte shared variable '{variable}'" in output
    assert f"in kernel {variable.removesuffix('::left')}, block (0, 0, 0), thread (31, 0, 0) at " in output
    assert re.search(r"line 6 of the source passed at \S+: write of 4 bytes", output)


WRITER = """
import gc
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool

put = SourceModule("__global__ void put(char *a, long long i) { a[i] = 1; }").get_function("put")

def write(address, index=0):
    put(np.intp(address), np.int64(index), block=(1, 1, 1))
    try:
        cuda.Context.synchronize()
    except cuda.Error as error:
        print(error)
    else:
        print("nothing was found")
"""

#: Memory of 1000 bytes and its address. `kept` is what keeps it.
MEMORY = {
    "an array": "kept = gpuarray.empty(1000, np.uint8); address = kept.ptr",
    "an array of a pool's": "pool = DeviceMemoryPool(); "
    "kept = gpuarray.empty(1000, np.uint8, allocator=pool.allocate); address = kept.ptr",
    "a pool's block": "pool = DeviceMemoryPool(); kept = pool.allocate(1000); address = int(kept)",
    "a view's base": "kept = gpuarray.empty(1000, np.uint8)[10:]; address = kept.ptr - 10",
    "stream-ordered memory": "pool = cuda.StreamOrderedMemoryPool(); kept = pool.allocate(1000); address = int(kept)",
    "page-locked memory": "pool = PageLockedMemoryPool(); kept = pool.allocate(1000, np.uint8); "
    "address = kept.ctypes.data",
    "managed memory": "kept = cuda.managed_empty(1000, np.uint8, mem_flags=cuda.mem_attach_flags.GLOBAL); "
    "address = kept.ctypes.data",
    "linear memory": "kept = cuda.mem_alloc(1000); address = int(kept)",
}


def write_checked(code, **environment):
    return run_program(WRITER + code, **{"PYCUDA_CPU_CHECK": 1, "PYCUDA_DRIVER": "cpu", **environment})[0]


@pytest.mark.parametrize("memory", MEMORY)
def test_the_first_byte_behind_memory_is_found(memory):
    output = write_checked(MEMORY[memory] + "\nwrite(address, 999)\nwrite(address, 1000)")
    assert output.startswith("nothing was found\n")
    assert "0 bytes past the end of the 1000-byte block of " in output


@pytest.mark.parametrize("memory", MEMORY)
def test_a_use_of_memory_after_it_was_freed_is_found(memory):
    output = write_checked(
        MEMORY[memory] + "\nkept = None\ngc.collect()\ncuda.Context.synchronize()\nwrite(address, 7)"
    )
    assert "7 bytes into the 1000-byte block of " in output
    assert "has been freed" in output


@pytest.mark.parametrize("bytes", [1, 10, 207, 4096, 100_000, 5_000_001])
def test_arrays_of_all_sizes_end_where_they_end(bytes):
    output = write_checked(f"a = gpuarray.zeros({bytes}, np.uint8); write(a.ptr, {bytes})")
    assert f"0 bytes past the end of the {bytes}-byte block of device memory" in output


def test_an_array_that_is_gone_is_not_taken_for_the_next_one():
    output = write_checked("""
a = gpuarray.empty(5000, np.uint8)
address = a.ptr
del a
later = [gpuarray.empty(5000, np.uint8) for _ in range(20)]
write(address, 5)
""")
    assert "5 bytes into the 5000-byte block of device memory that was allocated at" in output


def test_an_array_that_is_freed_while_kernels_use_it_is_no_mistake():
    output = write_checked("""
a = gpuarray.zeros(5000, np.float32)
for _ in range(10):
    b = a + 1
    a = b * 2
address = b.ptr
del b
cuda.Context.synchronize()
print(a.get()[:3])
write(address)
""")
    assert output.startswith("[2046. 2046. 2046.]\n")
    assert "has been freed" in output


def test_arrays_of_a_graph_outlive_their_capture():
    output = write_checked("""
a = gpuarray.zeros(1000, np.float32)
stream = cuda.Stream()
with stream.capture() as graph:
    b = a + 1
    a += b * 2
    del b
run = graph.instantiate()
for _ in range(3):
    run.launch(stream)
stream.synchronize()
print(a.get()[:2])
""")
    assert output == "[26. 26.]\n"


def test_an_array_of_before_a_capture_may_go_during_it():
    output = write_checked("""
a, b = gpuarray.zeros(1000, np.float32), gpuarray.zeros(1000, np.float32) + 1
stream = cuda.Stream()
with stream.capture() as graph:
    a += b
    del b
run = graph.instantiate()
gc.collect()
for _ in range(3):
    run.launch(stream)
stream.synchronize()
print(a.get()[:2])
""")
    assert output == "[3. 3.]\n"


def test_fresh_memory_is_not_zero():
    output = write_checked("""
print(gpuarray.empty(3, np.float32), gpuarray.empty(2, np.int32), cuda.pagelocked_empty(2, np.int16))
print(gpuarray.zeros(3, np.int32))
""")
    assert output == "[nan nan nan] [-1 -1] [-1 -1]\n[0 0 0]\n"


def test_variables_of_modules_are_zero_at_first():
    output = write_checked("""
module = SourceModule("__device__ int counts[100]; __global__ void k() {}")
out = np.ones(100, np.int32)
cuda.memcpy_dtoh(out, module.get_global("counts")[0])
print(out.any())
""")
    assert output == "False\n"


def test_a_pool_hands_out_exact_sizes_and_holds_nothing():
    output = write_checked("""
pool = DeviceMemoryPool()
block = pool.allocate(1000)
print(pool.managed_bytes, pool.active_bytes, pool.held_blocks)
block.free()
print(pool.managed_bytes, pool.active_bytes, pool.held_blocks)
""")
    assert output == "1000 1000 0\n0 0 0\n"


def test_messages_count_the_bytes_of_arrays_without_checks_too():
    output = write_checked(
        """
a = gpuarray.empty(1000, np.uint8)
write(a.ptr, 100_000)
""",
        PYCUDA_CPU_CHECK=0,
    )
    assert "99000 bytes past the end of the 1000-byte block of device memory" in output


def test_a_refused_copy_counts_the_bytes_of_arrays():
    program = """
a = gpuarray.empty(1000, np.uint8)
try:
    cuda.memcpy_htod(a.gpudata, np.zeros(5000, np.uint8))
except cuda.Error as error:
    print(error)
"""
    for checked in (0, 1):
        output = write_checked(program, PYCUDA_CPU_CHECK=checked)
        assert "5000 bytes, but from there the device memory has only 1000" in output


READS = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule('''
#include <cstdio>
extern "C" __device__ void __assertfail(const char *, const char *, unsigned, const char *, size_t);
__device__ char own[4] = {'d', 'd', 'd', 'd'};
__constant__ char constant[4] = {'c', 'c', 'c', 'c'};
__global__ void text(const char *a) { printf("<%s>", a); }
__global__ void three(const char *a) { printf("<%.3s>", a); }
__global__ void star(const char *a) { printf("<%.*s>", 4, a); }
__global__ void format(const char *a) { printf(a, 1); }
__global__ void in_shared(int end)
{
  __shared__ char s[4];
  __shared__ char behind[4];
  s[threadIdx.x] = 's';
  behind[threadIdx.x] = 0;
  __syncthreads();
  if (end) s[3] = 0;
  __syncthreads();
  if (threadIdx.x == 2) printf("<%s>%s", s, behind);
}
__device__ __noinline__ void show(const char *a) { printf("<%s>", a); }
__global__ void in_local(int end)
{
  char s[4];
  for (int i = 0; i < 4; ++i) s[i] = i == end ? 0 : 'l';
  show(s);
}
__global__ void in_module() { printf("<%s>", own); }
__global__ void in_constants() { printf("<%s>", constant); }
__global__ void says(const char *a) { __assertfail(a, "file", 1, "function", 1); }
__global__ void names(const char *a) { __assertfail("wrong", a, 1, "function", 1); }
__global__ void of_words(const char *a) { __assertfail(a, a, 1, a, 4); }
__global__ void by_lane(const char *a) { if (threadIdx.x == 5) printf("<%s>", a); }
''')

def run(name, *arguments, threads=1):
    try:
        module.get_function(name)(*arguments, block=(threads, 1, 1))
        cuda.Context.synchronize()
        print("|nothing was found")
    except cuda.Error as error:
        print("|" + str(error))

def device(text):
    return gpuarray.to_gpu(np.frombuffer(text, np.uint8))
"""


def reads(code):
    return run_program(READS + code, PYCUDA_CPU_CHECK=1, PYCUDA_DRIVER="cpu")[0]


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("run('text', device(b'abc\\0'))", "<abc>"),
        ("run('three', device(b'abc'))", "<abc>"),
        ("run('star', device(b'abcd'))", "<abcd>"),
        ("run('format', device(b'%d\\0'))", "1"),
        ("run('in_shared', np.int32(1), threads=4)", "<sss>"),
        ("run('in_local', np.int32(2))", "<ll>"),
        ("run('by_lane', device(b'abc\\0'), threads=64)", "<abc>"),
        ("a = device(b'abcdef\\0'); run('text', np.intp(a.ptr + 3))", "<def>"),
    ],
)
def test_texts_that_end_in_their_array_are_printed(code, output):
    assert reads(code) == output + "|nothing was found\n"


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("run('text', device(b'abcd'))", "0 bytes past the end of the 4-byte block of device memory"),
        ("run('text', device(b'a' * 1000))", "0 bytes past the end of the 1000-byte block of device memory"),
        ("a = device(b'abc\\0'); run('text', np.intp(a.ptr + 4))", "0 bytes past the end of the 4-byte block"),
        ("a = device(b'ab\\0'); p = a.ptr; del a; run('text', np.intp(p))", "has been freed"),
        ("run('text', np.intp(0))", "illegal memory access was encountered at address 0"),
        ("run('three', device(b'ab'))", "0 bytes past the end of the 2-byte block"),
        ("run('star', device(b'abc'))", "0 bytes past the end of the 3-byte block"),
        ("run('format', device(b'long %d'))", "0 bytes past the end of the 7-byte block"),
        ("a = device(b'%d\\0'); p = a.ptr; del a; run('format', np.intp(p))", "has been freed"),
        ("run('format', device(b'%d %d %d\\0'))", "past the end of the thread's 8-byte block of local memory"),
        ("run('format', device(b'%d %lld\\0'))", "past the end of the thread's 8-byte block of local memory"),
        ("run('format', device(b'%*d %d\\0'))", "past the end of the thread's 8-byte block of local memory"),
        ("run('in_shared', np.int32(0), threads=4)", "0 bytes past the end of the 4-byte shared variable"),
        ("run('in_local', np.int32(9))", "0 bytes past the end of the thread's 4-byte block of local memory"),
        ("run('in_module')", "0 bytes past the end of the 4-byte block of "),
        ("run('in_constants')", "0 bytes past the end of the 4-byte block of "),
        ("run('says', device(b'abc'))", "0 bytes past the end of the 3-byte block"),
        ("run('names', device(b'abc'))", "0 bytes past the end of the 3-byte block"),
        ("a = device(b'abc\\0'); p = a.ptr; del a; run('says', np.intp(p))", "has been freed"),
        ("run('of_words', device(b'a\\0\\0\\0b\\0\\0\\0'))", "0 bytes past the end of the 8-byte block"),
        ("run('by_lane', device(b'abc'), threads=64)", "0 bytes past the end of the 3-byte block"),
    ],
)
def test_texts_that_a_kernel_hands_over_are_read_within_their_arrays(code, place):
    output = reads(code)
    assert place in output
    assert re.search(r"read of \d+ bytes by (printf|an assertion) \(", output)
    assert ("thread (5, 0, 0)" if "by_lane" in code else "thread (") in output
    assert "<" not in output.partition("|")[0]


CALLS = r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import DynamicSourceModule, SourceModule

def run(kernel, *arguments, **shape):
    try:
        kernel(*arguments, **{"block": (1, 1, 1), **shape})
        cuda.Context.synchronize()
        print("nothing was found")
    except cuda.Error as error:
        print(error)

bulk = '''
struct alignas(64) Map { unsigned long long words[16]; };
__device__ unsigned address(const void *of) { return __cvta_generic_to_shared(of); }
extern "C" __global__ void copy(const int *from, int away)
{
  __shared__ __align__(16) int to[4];
  __shared__ unsigned long long barrier;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(address(&barrier)));
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];"
               :: "r"(address(to)), "l"(from), "r"(address(&barrier) + 8 * away) : "memory");
}
extern "C" __global__ void box(const Map *map)
{
  __shared__ __align__(128) int to[32];
  __shared__ unsigned long long barrier;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(address(&barrier)));
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
               " [%0], [%1, {%2, %3}], [%4];" :: "r"(address(to)), "l"(map), "r"(0), "r"(0), "r"(address(&barrier))
               : "memory");
}
'''
product = '''
extern "C" __global__ void product(int away)
{
  __shared__ __align__(128) unsigned short a[64 * 16];
  __shared__ __align__(128) unsigned short b[8 * 16];
  a[threadIdx.x] = b[threadIdx.x] = 0;
  __syncthreads();
  const unsigned long long form = 128ull / 16 << 16 | 256ull / 16 << 32;  // parts of 8 x 8, 128 bytes each
  const unsigned at_a = __cvta_generic_to_shared(a) + 16 * away, at_b = __cvta_generic_to_shared(b);
  float r0, r1, r2, r3;
  asm volatile("{ .reg .pred p; setp.eq.u32 p, 1, 0; wgmma.fence.sync.aligned;"
               " wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0;"
               " wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }"
               : "=f"(r0), "=f"(r1), "=f"(r2), "=f"(r3)
               : "l"(form | at_a >> 4), "l"(form | at_b >> 4) : "memory");
}
'''
"""


@pytest.mark.parametrize(
    ("code", "place"),
    [
        (
            "run(SourceModule(bulk, no_extern_c=True).get_function('copy'), gpuarray.zeros(4, np.int32), np.int32(0))",
            "",
        ),
        (
            "run(SourceModule(bulk, no_extern_c=True).get_function('copy'), gpuarray.zeros(4, np.int32), np.int32(1))",
            "0 bytes past the end of the 8-byte shared variable 'copy::barrier'",
        ),
        (
            "m = SourceModule(bulk, no_extern_c=True).get_function('box'); a = gpuarray.zeros(128, np.uint8)\n"
            "p = a.ptr; del a; run(m, np.intp(p))",
            "0 bytes into the 128-byte block of device memory",
        ),
        (
            "run(SourceModule(product, arch='sm_90a', no_extern_c=True).get_function('product'), np.int32(0),"
            " block=(128, 1, 1))",
            "",
        ),
        (
            "run(SourceModule(product, arch='sm_90a', no_extern_c=True).get_function('product'), np.int32(1),"
            " block=(128, 1, 1))",
            "0 bytes past the end of the 2048-byte shared variable 'product::a'",
        ),
    ],
)
def test_bulk_copies_and_products_of_matrices_stay_in_their_arrays(code, place):
    output = run_program(CALLS + code, PYCUDA_CPU_CHECK=1, PYCUDA_DRIVER="cpu", PYCUDA_CPU_ARCH="90a")[0]
    assert (place in output) if place else output == "nothing was found\n"


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("cudaMemcpyAsync(a, b, 40, cudaMemcpyDeviceToDevice, 0);", ""),
        ("cudaMemcpyAsync(a, b, 44, cudaMemcpyDeviceToDevice, 0);", "write of 44 bytes by cudaMemcpyAsync"),
        ("cudaMemcpyAsync(b, a, 44, cudaMemcpyDeviceToDevice, 0);", "read of 44 bytes by cudaMemcpyAsync"),
        ("cudaMemsetAsync(a, 0, 41, 0);", "write of 41 bytes by cudaMemsetAsync"),
        ("cudaMemset2DAsync(a, 16, 0, 12, 3, 0);", "write of 44 bytes by cudaMemsetAsync"),
    ],
)
def test_copies_that_kernels_start_stay_in_their_arrays(body, place):
    output = run_program(
        CALLS
        + f"""
kernel = DynamicSourceModule('__global__ void k(int *a, int *b) {{ {body} }}').get_function('k')
run(kernel, gpuarray.zeros(10, np.int32), gpuarray.zeros(11, np.int32))
""",
        PYCUDA_CPU_CHECK=1,
        PYCUDA_DRIVER="cpu",
    )[0]
    if place:
        assert "0 bytes past the end of the 40-byte block of device memory" in output and place in output
    else:
        assert output == "nothing was found\n"


@pytest.mark.parametrize("kind", ["linear", "rows", "object"])
def test_textures_over_memory_that_was_freed_are_found(kind):
    output = run_program(
        CALLS
        + f"""
kind = {kind!r}
module = SourceModule('''
texture<float, 1, cudaReadModeElementType> linear;
texture<float, 2, cudaReadModeElementType> rows;
__global__ void one(float *o) {{ o[0] = tex1Dfetch(linear, 3); }}
__global__ void two(float *o) {{ o[0] = tex2D(rows, 1, 1); }}
__global__ void by_object(float *o, cudaTextureObject_t t) {{ o[0] = tex1Dfetch<float>(t, 3); }}
''')
out = gpuarray.zeros(1, np.float32)
memory = cuda.mem_alloc(4096)
if kind == "rows":
    texture, kernel = module.get_texref("rows"), module.get_function("two")
    form = cuda.ArrayDescriptor()
    form.width, form.height, form.format, form.num_channels = 16, 8, cuda.array_format.FLOAT, 1
    texture.set_address_2d(memory, form, 512)
else:
    texture, kernel = module.get_texref("linear"), module.get_function("one")
    texture.set_address(memory, 4096)
if kind == "object":
    texture, kernel = cuda.TextureObject.linear(memory, 4096, cuda.array_format.FLOAT), module.get_function("by_object")
arguments = (out, texture) if kind == "object" else (out,)
run(kernel, *arguments)
memory.free()
run(kernel, *arguments)
""",
        PYCUDA_CPU_CHECK=1,
        PYCUDA_DRIVER="cpu",
    )[0]
    assert output.startswith("nothing was found\n")
    assert "0 bytes into the 4096-byte block of device memory" in output and "by a texture" in output


def test_local_arrays_stay_in_memory_with_g():
    program = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

text = "__global__ void f(int *a) { int t[4]; for (int i = 0; i <= 4; i++) t[i] = i * a[0]; a[0] = t[3]; }"
SourceModule(text, options=["-G"]).get_function("f")(cuda.InOut(np.ones(1, np.int32)), block=(1, 1, 1))
"""
    _, errors = run_program(program, expect=1, PYCUDA_DRIVER="cpu", PYCUDA_CPU_CHECK="1")
    assert "past the end of the thread's 16-byte block of local memory" in errors
