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
    assert f"in kernel {kernel}, block (0, 0, 0), thread (31, 0, 0) at " in output
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
