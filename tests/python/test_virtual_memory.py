# SPDX-License-Identifier: MIT
"""Reserved addresses, memory that is mapped to them, and processes that share it."""

import os
import subprocess
import sys

import numpy as np
import pycuda.driver as cuda
import pytest
from own_memory import own_bytes
from programs import is_cpu, run_program
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture
def step(context):
    return cuda.mem_get_allocation_granularity()


def test_the_granularity_is_a_power_of_two(step):
    assert step >= 4096 and step & (step - 1) == 0
    assert cuda.mem_get_allocation_granularity(recommended=True) % step == 0


def test_memory_is_mapped_used_and_unmapped(step):
    with cuda.mem_reserve(4 * step) as space:
        assert space.size == 4 * step and space.mapped == []
        space.map(cuda.PhysicalMemory(step), offset=step)
        assert space.mapped == [(step, step)]
        cuda.memset_d32(int(space) + step, 7, step // 4)
        assert (cuda.from_device(int(space) + step, step // 4, np.uint32) == 7).all()
        space.unmap(step)
        assert space.mapped == []
        with pytest.raises(cuda.LogicError, match="cuMemcpyDtoH failed: invalid argument"):
            cuda.from_device(int(space) + step, 1, np.uint32)
    with pytest.raises(cuda.LogicError, match="they have been freed"):
        int(space)


def test_arrays_lie_in_mapped_memory(step):
    space = cuda.mem_reserve(step)
    space.map(cuda.PhysicalMemory(step))
    a = gpuarray.GPUArray((5,), np.float32, gpudata=space)
    a.fill(2)
    assert float((a * a).sum().get()) == 20
    del space
    a += 1
    assert a.get().tolist() == [3] * 5


def test_one_memory_at_two_places(step):
    memory = cuda.PhysicalMemory(step)
    first, second = cuda.mem_reserve(step), cuda.mem_reserve(step)
    first.map(memory)
    second.map(memory)
    memory.release()
    cuda.memset_d32(first, 9, 1)
    first.free()
    assert cuda.from_device(second, 1, np.uint32)[0] == 9
    with pytest.raises(cuda.LogicError, match="it has been released"):
        int(memory.handle)


def test_who_has_access(step):
    space = cuda.mem_reserve(2 * step)
    space.map(cuda.PhysicalMemory(step))
    space.map(cuda.PhysicalMemory(step), step, access=cuda.mem_access_flags.NONE)
    flags = cuda.mem_access_flags
    assert [space.get_access(offset) for offset in (0, step)] == [flags.READWRITE, flags.NONE]
    space.set_access(flags.READWRITE, offset=step, size=step)
    assert str(space.get_access(step)) == "READWRITE"
    space.set_access(flags.READ)
    assert [space.get_access(offset) for offset in (0, step)] == [flags.READ] * 2


def test_memory_of_the_host_is_mapped_too(step):
    place = cuda.mem_location_type.HOST
    memory = cuda.PhysicalMemory(cuda.mem_get_allocation_granularity(place), place)
    assert memory.location == cuda.mem_location_type.HOST_NUMA
    space = cuda.mem_reserve(memory.size)
    space.map(memory)
    cuda.memset_d32(space, 5, 3)
    assert cuda.from_device(space, 3, np.uint32).tolist() == [5, 5, 5]
    assert space.get_access(0, memory.location) == cuda.mem_access_flags.READWRITE


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda step: cuda.mem_reserve(0), cuda.LogicError, "cuMemAddressReserve failed: invalid argument"),
        (lambda step: cuda.mem_reserve(-1), OverflowError, "size"),
        (lambda step: cuda.mem_reserve(step, alignment=3), cuda.LogicError, "cuMemAddressReserve failed"),
        (lambda step: cuda.PhysicalMemory(0), cuda.LogicError, "cuMemCreate failed: invalid argument"),
        (lambda step: cuda.PhysicalMemory(4096), cuda.LogicError, "cuMemCreate failed: invalid argument"),
        (lambda step: cuda.PhysicalMemory(step, id=99), cuda.LogicError, "cuMemCreate failed: invalid device ordinal"),
        (lambda step: cuda.PhysicalMemory(1 << 46), cuda.MemoryError, "cuMemCreate failed: out of memory"),
        (lambda step: cuda.PhysicalMemory(step).share(), cuda.LogicError, "cuMemExportToShareableHandle failed"),
        (lambda step: cuda.PhysicalMemory.from_file_descriptor(-1, step), cuda.Error, "cuMemImportFromShareableHandle"),
        (lambda step: cuda.mem_reserve(step).unmap(), cuda.LogicError, "nothing was mapped at offset 0"),
        (
            lambda step: cuda.mem_reserve(step).map(cuda.PhysicalMemory(2 * step)),
            cuda.LogicError,
            "cuMemMap failed: .* - .* bytes at offset 0 of .* bytes of reserved addresses",
        ),
        (
            lambda step: cuda.mem_reserve(2 * step).map(cuda.PhysicalMemory(step), 4096),
            cuda.LogicError,
            "cuMemMap failed: invalid argument",
        ),
    ],
)
def test_wrong_requests_are_refused(step, call, error, match):
    with pytest.raises(error, match=match):
        call(step)


def test_memory_is_not_mapped_beyond_the_reserved_addresses_into_others(step):
    behind = cuda.mem_reserve(2 * step)
    # The first of both; a driver gives the addresses that are asked for if they are free.
    first = cuda.mem_reserve(step, address=int(behind) - step)
    for offset in (0, step, 3 * step):
        with pytest.raises(cuda.LogicError, match="cuMemMap failed: invalid argument"):
            first.map(cuda.PhysicalMemory(2 * step), offset)
    assert first.mapped == behind.mapped == []


def test_memory_is_not_mapped_where_something_is(step):
    space = cuda.mem_reserve(2 * step)
    space.map(cuda.PhysicalMemory(step))
    with pytest.raises(cuda.LogicError, match="cuMemMap failed: invalid argument"):
        space.map(cuda.PhysicalMemory(2 * step))
    assert space.mapped == [(0, step)]


def test_memory_goes_with_its_last_owner(step):
    if not is_cpu():
        pytest.skip("needs the CPU driver, which counts this process's memory alone")
    size = 8 * step
    before = own_bytes()
    space = cuda.mem_reserve(size)
    space.map(cuda.PhysicalMemory(size))
    assert own_bytes() == before + size
    del space
    assert own_bytes() == before


FAULT = """
import numpy as np
import pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule
store = SourceModule("__global__ void store(int *to) {{ *to = 1; }}").get_function("store")
step = cuda.mem_get_allocation_granularity()
space = cuda.mem_reserve(2 * step)
{setting}
store(np.intp(int(space) + 64), block=(1, 1, 1))
try:
    cuda.Context.synchronize()
except cuda.Error as error:
    print(error)
"""


@pytest.mark.parametrize(
    "setting, words",
    [
        ("", "64 bytes into the {bytes} bytes of addresses reserved at 0x"),
        (
            "space.map(cuda.PhysicalMemory(step), access=cuda.mem_access_flags.NONE)",
            "to which nobody was given access (cuMemSetAccess)",
        ),
        (
            "space.map(cuda.PhysicalMemory(step), access=cuda.mem_access_flags.READ)",
            "which may only be read (cuMemSetAccess)",
        ),
    ],
)
def test_a_kernel_that_goes_where_it_may_not_is_a_fault_with_a_reason(setting, words, step):
    output, _ = run_program(FAULT.format(setting=setting))
    assert "illegal memory access" in output or "illegal address" in output
    if is_cpu():
        assert words.format(bytes=2 * step) in output


CHILD = """
import sys
import numpy as np
import pycuda.autoinit, pycuda.driver as cuda
descriptor, size = map(int, sys.argv[1:])
memory = cuda.PhysicalMemory.from_file_descriptor(descriptor, size)
with cuda.mem_reserve(size) as space:
    space.map(memory)
    print(cuda.from_device(space, 2, np.uint32).tolist())
    cuda.memset_d32(int(space) + 4, 8, 1)
    cuda.Context.synchronize()
"""


def test_another_process_maps_the_same_memory(step):
    memory = cuda.PhysicalMemory(step, handle_types=cuda.mem_handle_type.POSIX_FILE_DESCRIPTOR)
    space = cuda.mem_reserve(step)
    space.map(memory)
    cuda.memset_d32(space, 7, 2)
    descriptor = memory.share()
    try:
        run = subprocess.run(
            [sys.executable, "-c", CHILD, str(descriptor), str(step)],
            pass_fds=[descriptor],
            capture_output=True,
            text=True,
        )
    finally:
        os.close(descriptor)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "[7, 7]\n"
    assert cuda.from_device(space, 2, np.uint32).tolist() == [7, 8]


def test_memory_is_found_by_its_address_and_mapped_again(step):
    with cuda.mem_reserve(2 * step) as space:
        space.map(cuda.PhysicalMemory(step))
        cuda.memset_d32(int(space), 7, step // 4)
        memory = cuda.PhysicalMemory.of_address(space, step)
        space.unmap(0)
        space.map(memory, offset=step)
        assert (cuda.from_device(int(space) + step, step // 4, np.uint32) == 7).all()
    with pytest.raises(cuda.LogicError, match="cuMemRetainAllocationHandle"):
        cuda.PhysicalMemory.of_address(cuda.mem_alloc(100), 100)
