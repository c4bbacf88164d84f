# SPDX-License-Identifier: MIT
"""Managed memory that is moved before it is used, and many copies by one call."""

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu

pytestmark = pytest.mark.usefixtures("context")

GLOBAL = cuda.mem_attach_flags.GLOBAL
HOST = cuda.mem_location_type.HOST


def managed(count=1 << 20):
    return cuda.managed_zeros(count, np.float32, mem_flags=GLOBAL)


def test_advice_is_remembered():
    a = managed()
    attribute = cuda.mem_range_attribute
    assert cuda.mem_range_get_attribute(a, attribute.READ_MOSTLY) == 0
    cuda.mem_advise(a, cuda.mem_advice.SET_READ_MOSTLY)
    assert cuda.mem_range_get_attribute(a, attribute.READ_MOSTLY) == 1
    cuda.mem_advise(a, cuda.mem_advice.SET_PREFERRED_LOCATION, HOST)
    assert cuda.mem_range_get_attribute(a, attribute.PREFERRED_LOCATION) == -1
    cuda.mem_advise(a.base, cuda.mem_advice.UNSET_PREFERRED_LOCATION)
    assert cuda.mem_range_get_attribute(a, attribute.PREFERRED_LOCATION) == -2


def test_memory_is_prefetched():
    a = managed()
    a[:] = 3
    stream = cuda.Stream()
    cuda.mem_prefetch_async(a, stream=stream)
    stream.synchronize()
    number = cuda.Context.get_device()
    last = cuda.mem_range_attribute.LAST_PREFETCH_LOCATION
    assert cuda.mem_range_get_attribute(a, last) == 0 and number is not None
    cuda.mem_prefetch_async((int(a.base), a.nbytes), HOST)
    cuda.Context.synchronize()
    assert cuda.mem_range_get_attribute(a, last) == -1
    assert (a == 3).all()


def test_ranges_are_prefetched_and_discarded_together():
    arrays = [managed() for _ in range(3)]
    stream = cuda.Stream()
    cuda.mem_prefetch_batch_async(arrays, stream)
    cuda.mem_discard_batch_async(arrays, stream)
    if not is_cpu():
        # A write alone is to be enough, but on an H200 (driver 13.0) it was lost, now and then also after a prefetch.
        cuda.mem_prefetch_batch_async(arrays[1:2], stream)
        stream.synchronize()
    cuda.memset_d32_async(arrays[1].base, 7, arrays[1].size, stream)
    cuda.mem_discard_and_prefetch_batch_async(arrays[2:], stream, HOST)
    stream.synchronize()
    assert (arrays[1].view(np.uint32) == 7).all()
    arrays[2][:] = 5
    assert (arrays[2] == 5).all()
    last = cuda.mem_range_attribute.LAST_PREFETCH_LOCATION
    assert [cuda.mem_range_get_attribute(a, last) for a in arrays] == [0, 0, -1]


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda a: cuda.mem_prefetch_async(a, id=99), cuda.LogicError, "cuMemPrefetchAsync failed: invalid device"),
        (lambda a: cuda.mem_prefetch_async(np.zeros(4)), TypeError, "managed memory must be an array or allocation"),
        (lambda a: cuda.mem_advise(a, 99), cuda.LogicError, "cuMemAdvise failed: invalid argument"),
        (lambda a: cuda.mem_discard_batch_async([], cuda.Stream()), cuda.LogicError, "cuMemDiscardBatchAsync failed"),
        (lambda a: cuda.mem_prefetch_batch_async([a], None), TypeError, "mem_prefetch_batch_async"),
    ],
)
def test_wrong_ranges_and_places_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call(managed())


def test_a_batch_copies_in_all_directions():
    stream = cuda.Stream()
    arrays = [np.full(100, i, np.int32) for i in range(3)]
    blocks = [cuda.mem_alloc(400) for _ in range(3)]
    cuda.memcpy_batch_async(blocks, arrays, stream)
    other = cuda.mem_alloc(800)
    cuda.memcpy_batch_async([other, int(other) + 400], blocks[1:], stream, sizes=[400, 200])
    back = [cuda.pagelocked_zeros(100, np.int32) for _ in range(2)]
    cuda.memcpy_batch_async(back, [other, int(other) + 400], stream, sizes=[400, 200])
    stream.synchronize()
    assert (back[0] == 1).all()
    assert (back[1][:50] == 2).all() and (back[1][50:] == 0).all()


def test_pageable_sources_may_change_after_the_call():
    stream = cuda.Stream()
    source = np.ones(1 << 20, np.int32)
    memory = cuda.mem_alloc(source.nbytes)
    cuda.memcpy_batch_async([memory], [source], stream)
    source[:] = 2
    stream.synchronize()
    assert (cuda.from_device(memory, source.shape, np.int32) == 1).all()


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        (lambda d, h, s: ([d], [], s), ValueError, "must have the same length"),
        (lambda d, h, s: ([d], [d], s), ValueError, "copies between device memory need sizes"),
        (lambda d, h, s: ([d], [h], s, [17]), ValueError, "copy 0: 17 bytes, the host memory has 16"),
        (lambda d, h, s: ([d, 0], [h, h], s), cuda.LogicError, "cuMemcpyBatchAsync failed: invalid argument"),
        (lambda d, h, s: ([d], [h], None), TypeError, "memcpy_batch_async"),
        (lambda d, h, s: ([d], [1.5], s), TypeError, "src must be device memory or an integer"),
    ],
)
def test_wrong_batches_are_refused(arguments, error, match):
    with pytest.raises(error, match=match):
        cuda.memcpy_batch_async(*arguments(cuda.mem_alloc(64), np.zeros(4, np.int32), cuda.Stream()))
