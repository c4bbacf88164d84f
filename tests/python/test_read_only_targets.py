# SPDX-License-Identifier: MIT
"""Copies from the device to what cannot be written to, or is no memory."""

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def constant():
    array = np.zeros(16, np.float32)
    array.flags.writeable = False
    return array


def plane():
    description = cuda.ArrayDescriptor()
    description.width, description.height = 4, 4
    description.format, description.num_channels = cuda.array_format.FLOAT, 1
    return cuda.Array(description)


COPIES = {
    "memcpy_dtoh": lambda target: cuda.memcpy_dtoh(target, cuda.mem_alloc(64)),
    "memcpy_dtoh_async": lambda target: cuda.memcpy_dtoh_async(target, cuda.mem_alloc(64), cuda.Stream()),
    "memcpy_atoh": lambda target: cuda.memcpy_atoh(target, plane(), 0),
    "set_dst_host": lambda target: cuda.Memcpy2D().set_dst_host(target),
    "set_dst_unified": lambda target: cuda.Memcpy2D().set_dst_unified(target),
    "a graph's node": lambda target: cuda.Graph().add_memcpy_dtoh_node(target, cuda.mem_alloc(64)),
}
TARGETS = {
    "a read-only array": (constant, ValueError, r"the ndarray of shape \(16,\) is read-only: copy to another one"),
    "a view of it": (lambda: constant()[2:6], ValueError, r"the ndarray of shape \(4,\) is read-only"),
    "broadcast_to": (
        lambda: np.broadcast_to(np.float32(1), 16),
        ValueError,
        r"the ndarray of shape \(16,\) is read-only: copy to another one, such as numpy\.empty_like\(a\)",
    ),
    "bytes": (lambda: bytes(64), BufferError, "of class bytes is read-only: copy to a bytearray, or to numpy"),
    "a memoryview of bytes": (lambda: memoryview(bytes(64)), BufferError, "of class memoryview is read-only"),
    "a number of NumPy": (lambda: np.float32(3), BufferError, "of class numpy.float32 is read-only"),
    "a list": (lambda: [0.0] * 16, TypeError, r"required, not 'list': numpy\.empty\(shape, dtype\) makes one"),
    "a text": (lambda: "text", TypeError, r"required, not 'str': numpy\.empty\(shape, dtype\) makes one"),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_to_what_cannot_be_written_to_says_so(copy, target):
    make, error, words = TARGETS[target]
    with pytest.raises(error, match=words):
        COPIES[copy](make())


@pytest.mark.parametrize("name", ["get", "get_async"])
def test_get(name):
    array = gpuarray.zeros(16, np.float32)
    into = (lambda target: array.get(target)) if name == "get" else (lambda target: array.get_async(ary=target))
    for make in (constant, lambda: np.broadcast_to(np.float32(1), 16)):
        with pytest.raises(ValueError, match=r"the ndarray of shape \(16,\) is read-only"):
            into(make())
    for target in (bytes(64), [0.0] * 16, "text", memoryview(bytes(64))):
        with pytest.raises(TypeError, match=r"get\(\) copies to a NumPy array, not "):
            into(target)


@pytest.mark.parametrize("handler", [cuda.Out, cuda.InOut])
def test_results_of_a_kernel(handler):
    count = SourceModule("__global__ void count(int *runs, float *a) { ++*runs; *a = 1; }").get_function("count")
    runs = cuda.managed_zeros(1, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    for target, error, words in (
        (constant(), ValueError, r"read-only, of shape \(16,\): give a copy of it, numpy\.array\(a\)"),
        (memoryview(bytes(4)), ValueError, "a memoryview that is read-only: give one of a bytearray"),
        (bytes(4), TypeError, "not an array; numpy.asarray makes one"),
    ):
        with pytest.raises(error, match=words):
            count(runs, handler(target), block=(1, 1, 1))
    cuda.Context.synchronize()
    assert runs[0] == 0


def test_a_text_for_the_device():
    with pytest.raises(TypeError, match=r"required, not 'str': its encode\(\) makes one"):
        cuda.memcpy_htod(cuda.mem_alloc(4), "text")
    with pytest.raises(TypeError, match=r"required, not 'object': numpy.array\(\.\.\., dtype\) makes one"):
        cuda.memcpy_htod(cuda.mem_alloc(4), object())
