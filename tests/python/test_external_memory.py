# SPDX-License-Identifier: MIT
"""Memory of other libraries and processes by descriptor: on the CPU driver any file that can be mapped."""

import mmap
import os

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu
from pycuda import gpuarray

SIZE = 5 * 4096


@pytest.fixture
def file(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver: a GPU's takes what Vulkan exports")
    descriptor = os.memfd_create("memory")
    os.ftruncate(descriptor, SIZE)
    yield descriptor
    os.close(descriptor)


def test_the_host_and_kernels_share_it(file):
    memory = cuda.ExternalMemory(os.dup(file), SIZE)
    assert memory.size == SIZE
    host = np.frombuffer(mmap.mmap(file, SIZE), np.int32)
    host[:] = 3
    a = gpuarray.GPUArray(SIZE // 4, np.int32, gpudata=memory.map())
    a += 1
    cuda.Context.synchronize()
    assert (host == 4).all()


def test_a_part_is_mapped_wherever_it_begins(file):
    memory = cuda.ExternalMemory(file, SIZE)
    part = memory.map(4096 + 64, 256)
    assert len(part) == 256
    cuda.memset_d32(part, 7, 64)
    cuda.Context.synchronize()
    host = np.frombuffer(mmap.mmap(file, SIZE), np.uint32)
    assert host.nonzero()[0].tolist() == list(range(1040, 1104))
    part.free()
    with pytest.raises(cuda.LogicError, match="the memory has been freed"):
        int(part)


def test_the_descriptor_stays_the_callers(file):
    number = os.dup(file)
    memory = cuda.ExternalMemory(number, SIZE)
    os.close(number)
    cuda.memset_d32(memory.map(), 1, 1)
    del memory
    assert os.fstat(file).st_size == SIZE


def test_what_is_no_such_memory_is_refused(file):
    reading, writing = os.pipe()
    try:
        for descriptor, size in ((-1, SIZE), (reading, SIZE), (file, SIZE + 1)):
            with pytest.raises(cuda.Error, match="cuImportExternalMemory failed: unknown error"):
                cuda.ExternalMemory(descriptor, size)
        with pytest.raises(cuda.LogicError, match="cuImportExternalMemory failed: invalid argument"):
            cuda.ExternalMemory(file, 0)
    finally:
        os.close(reading)
        os.close(writing)
    memory = cuda.ExternalMemory(file, SIZE)
    for offset, size in ((0, SIZE + 1), (SIZE, 1), (SIZE + 5, None)):
        with pytest.raises(cuda.LogicError, match="cuExternalMemoryGetMappedBuffer failed: invalid argument"):
            memory.map(offset, size)
