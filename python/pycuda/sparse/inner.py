# SPDX-License-Identifier: MIT
"""Inner products that come to the host when they are ready."""

import numpy as np

import pycuda.driver as driver
from pycuda import gpuarray

STREAM_POOL = []  # pairs of contexts and streams that are not in use


def get_stream():
    """A stream of the current context that is not in use: of the pool, or a new one."""
    current = driver.Context.get_current()
    for entry in list(STREAM_POOL):
        context, stream = entry
        if context != current:
            continue
        STREAM_POOL.remove(entry)
        try:
            stream.is_done()
        except driver.LogicError:  # of a destroyed context, whose handle a new one has got
            continue
        return stream
    return driver.Stream()


def inner_product(a, b):
    """The sum of products as an array without axes, complex elements of `a` conjugated."""
    return gpuarray.vdot(a, b) if a.dtype.kind == "c" else gpuarray.dot(a, b)


class AsyncInnerProduct:
    """The inner product of `a` and `b`, on its way.

    Parameters
    ----------
    a, b : GPUArray
    pagelocked_allocator : callable
        ``(shape, dtype)`` gives page-locked memory.
    """

    def __init__(self, a, b, pagelocked_allocator):
        self.gpu_result = inner_product(a, b)
        self.gpu_finished_evt = driver.Event()
        self.gpu_finished_evt.record()
        self.pagelocked_allocator = pagelocked_allocator
        self._host = None
        self._copied = None

    def get_host_result(self):
        """The number; None while it is not there yet."""
        if self._host is None:
            if not self.gpu_finished_evt.query():
                return None
            self._stream = get_stream()
            self._host = self.pagelocked_allocator((1,), self.gpu_result.dtype)
            self.gpu_result.get(self._host.reshape(()), async_=True, stream=self._stream)
            self._copied = driver.Event()
            self._copied.record(self._stream)
        if self._copied is not None:
            if not self._copied.query():
                return None
            STREAM_POOL.append((driver.Context.get_current(), self._stream))
            self._copied = None
        return np.asarray(self._host)[0]
