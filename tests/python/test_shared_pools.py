# SPDX-License-Identifier: MIT
"""Stream-ordered pools at all places, their attributes and access, and pools that processes share."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pycuda.driver as cuda
import pytest

pytestmark = pytest.mark.usefixtures("context")

HOST = cuda.mem_location_type.HOST
ATTRIBUTE = cuda.mem_pool_attribute


def test_a_pool_of_the_host_is_reached_by_kernels():
    pool = cuda.StreamOrderedMemoryPool(location=HOST)
    pool.set_access(cuda.mem_access_flags.READWRITE)
    assert pool.get_access() == cuda.mem_access_flags.READWRITE
    stream = cuda.Stream()
    memory = pool.allocate(400, stream)
    cuda.memset_d32_async(memory, 7, 100, stream)
    stream.synchronize()
    assert (cuda.from_device(memory, 100, np.uint32) == 7).all()


def test_all_copies_reach_the_memory_of_pools_of_the_host():
    pool = cuda.StreamOrderedMemoryPool(location=HOST)
    pool.set_access(cuda.mem_access_flags.READWRITE)
    numbers, back, stream = np.arange(100, dtype=np.uint32), np.zeros(100, np.uint32), cuda.Stream()
    first, second = pool.allocate(400), pool.allocate(400)
    cuda.memcpy_htod(first, numbers)
    cuda.memcpy_dtod(second, first, 400)
    cuda.memcpy_dtoh(back, second)
    assert back.tolist() == list(range(100))
    pinned = cuda.pagelocked_empty(100, np.uint32)
    cuda.memcpy_htod_async(first, numbers[::-1].copy(), stream)
    cuda.memcpy_dtod_async(second, first, 400, stream)
    cuda.memcpy_dtoh_async(pinned, second, stream)
    stream.synchronize()
    assert pinned.tolist() == list(range(99, -1, -1))
    with pytest.raises(cuda.LogicError, match="404 bytes, but from there the device memory has only 400"):
        cuda.memcpy_dtoh(np.empty(101, np.uint32), first)


def test_a_pool_of_managed_memory():
    pool = cuda.StreamOrderedMemoryPool(managed=True)
    memory = pool.allocate(400)
    cuda.memset_d32(memory, 7, 100)
    assert (cuda.from_device(memory, 100, np.uint32) == 7).all()


def test_attributes_are_numbers():
    pool = cuda.StreamOrderedMemoryPool()
    assert pool.get_attribute(ATTRIBUTE.REUSE_ALLOW_OPPORTUNISTIC) == 1
    pool.set_attribute(ATTRIBUTE.REUSE_ALLOW_OPPORTUNISTIC, 0)
    assert pool.get_attribute(ATTRIBUTE.REUSE_ALLOW_OPPORTUNISTIC) == 0
    pool.set_attribute(ATTRIBUTE.RELEASE_THRESHOLD, 1 << 20)
    assert pool.release_threshold == 1 << 20
    memory = pool.allocate(5000)
    assert pool.get_attribute(ATTRIBUTE.USED_MEM_CURRENT) >= 5000
    memory.free()
    cuda.Context.synchronize()
    assert pool.get_attribute(ATTRIBUTE.USED_MEM_HIGH) >= 5000
    pool.set_attribute(ATTRIBUTE.USED_MEM_HIGH, 0)
    assert pool.get_attribute(ATTRIBUTE.USED_MEM_HIGH) < 5000
    with pytest.raises(cuda.LogicError, match="cuMemPoolGetAttribute failed: invalid argument"):
        pool.get_attribute(99)


def test_a_pool_becomes_the_current_one():
    before = cuda.StreamOrderedMemoryPool.current()
    pool = cuda.StreamOrderedMemoryPool()
    pool.make_current()
    try:
        memory = cuda.StreamOrderedMemoryPool.current().allocate(64)
        assert pool.active_bytes >= 64
        memory.free()
    finally:
        before.make_current()


def test_the_most_bytes_are_kept():
    pool = cuda.StreamOrderedMemoryPool(max_size=64 << 20)
    pool.allocate(1 << 20).free()
    with pytest.raises(cuda.MemoryError):
        pool.allocate(128 << 20)


CHILD = """
import sys
import numpy as np
import pycuda.autoinit, pycuda.driver as cuda
descriptor, size, data = int(sys.argv[1]), int(sys.argv[2]), bytes.fromhex(sys.argv[3])
pool = cuda.StreamOrderedMemoryPool.from_file_descriptor(descriptor)
memory = pool.open(data, size)
print(cuda.from_device(memory, 2, np.uint32).tolist())
cuda.memset_d32(int(memory) + 4, 8, 1)
memory.free()
cuda.Context.synchronize()
"""


def test_another_process_opens_a_block_of_a_pool():
    pool = cuda.StreamOrderedMemoryPool(handle_types=cuda.mem_handle_type.POSIX_FILE_DESCRIPTOR)
    memory = pool.allocate(1000)
    cuda.memset_d32(memory, 7, 250)
    cuda.Context.synchronize()
    data = memory.share()
    assert len(data) == 64
    descriptor = pool.share()
    try:
        run = subprocess.run(
            [sys.executable, "-c", CHILD, str(descriptor), "1000", data.hex()],
            pass_fds=[descriptor],
            capture_output=True,
            text=True,
        )
    finally:
        os.close(descriptor)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "[7, 7]\n"
    assert cuda.from_device(memory, 3, np.uint32).tolist() == [7, 8, 7]


HOST_CHILD = """
import ctypes, sys
import pycuda.autoinit, pycuda.driver as cuda
descriptor, size, data = int(sys.argv[1]), int(sys.argv[2]), bytes.fromhex(sys.argv[3])
pool = cuda.StreamOrderedMemoryPool.from_file_descriptor(descriptor)
pool.set_access(cuda.mem_access_flags.READWRITE)
memory = pool.open(data, size)
words = (ctypes.c_uint32 * 4).from_address(int(memory))
print(list(words[:2]))
words[1] = 8
stream = cuda.Stream()
cuda.memset_d32_async(int(memory) + 8, 9, 1, stream)
stream.synchronize()
memory.free()
cuda.Context.synchronize()
"""


def test_another_process_opens_a_block_of_a_pool_of_the_hosts_node():
    pool = cuda.StreamOrderedMemoryPool(
        location=cuda.mem_location_type.HOST_NUMA, id=0, handle_types=cuda.mem_handle_type.POSIX_FILE_DESCRIPTOR
    )
    memory = pool.allocate(1000)
    words = (ctypes.c_uint32 * 4).from_address(int(memory))
    words[:] = [7] * 4
    descriptor = pool.share()
    try:
        run = subprocess.run(
            [sys.executable, "-c", HOST_CHILD, str(descriptor), "1000", memory.share().hex()],
            pass_fds=[descriptor],
            capture_output=True,
            text=True,
        )
    finally:
        os.close(descriptor)
    assert run.returncode == 0, run.stderr
    assert run.stdout == "[7, 7]\n"
    assert list(words) == [7, 8, 9, 7]


def test_a_pool_of_the_host_anywhere_is_for_one_process():
    with pytest.raises(cuda.LogicError, match="cuMemPoolCreate failed: invalid argument"):
        cuda.StreamOrderedMemoryPool(location=HOST, handle_types=cuda.mem_handle_type.POSIX_FILE_DESCRIPTOR)


@pytest.mark.parametrize(
    "call, match",
    [
        (lambda: cuda.StreamOrderedMemoryPool().share(), "cuMemPoolExportToShareableHandle failed: invalid argument"),
        (lambda: cuda.StreamOrderedMemoryPool().allocate(8).share(), "cuMemPoolExportPointer failed: invalid argument"),
        (lambda: cuda.StreamOrderedMemoryPool.from_file_descriptor(-1), "cuMemPoolImportFromShareableHandle failed"),
        (lambda: cuda.StreamOrderedMemoryPool(id=99), "cuMemPoolCreate failed"),
        (lambda: cuda.StreamOrderedMemoryPool(location=9), "cuMemPoolCreate failed"),
    ],
)
def test_wrong_requests_are_refused(call, match):
    with pytest.raises(cuda.Error, match=match):
        call()
