# SPDX-License-Identifier: MIT
"""Many copies of boxes, and many decompressions, by one call."""

from __future__ import annotations

import struct

import numpy as np

from pycuda._driver import Memcpy3D, mem_alloc, mem_decompress_algorithm, memory_type
from pycuda._driver_calls import call, number

__all__ = ["mem_decompress_batch_async", "memcpy_3d_batch_async"]

_BOX = "4NiPPPPNN4NiPPPPNN3N"  # CUDA_MEMCPY3D
_OPERATION = "3NiI"  # the end of CUDA_MEMCPY3D_BATCH_OP: extent, order of accesses, flags
_POINTER, _ARRAY = "i4xQNNii", "i4xQNNN"  # both kinds of CUmemcpy3DOperand
_IN_STREAM_ORDER = 1
_ELEMENT_BYTES = {1: 1, 2: 2, 3: 4, 8: 1, 9: 2, 10: 4, 16: 2, 32: 4}  # of array_format


class _Side:
    """One end of a copy, as Memcpy3D has it."""

    def __init__(self, values):
        self.x, self.y, self.z, _, kind, host, device, self.array, _, self.pitch, self.height = values
        self.is_array = kind == memory_type.ARRAY
        self.address = host if kind == memory_type.HOST else device

    def element_bytes(self):
        if not self.is_array:
            return 1
        *_, form, channels, _ = call("cuArray3DGetDescriptor", "NNNiII", self.array)
        return _ELEMENT_BYTES.get(form, 1) * channels

    def pack(self, element, extent):
        if self.is_array:
            return struct.pack(_ARRAY, 2, self.array, _whole(self.x, element), self.y, self.z)
        pitch = self.pitch or self.x + extent[0] * element
        height = self.height or self.y + extent[1]
        start = self.address + (self.z * height + self.y) * pitch + self.x
        return struct.pack(_POINTER, 1, start, _whole(pitch, element), height, 0, 0)


def _whole(size, element):
    if size % element:
        raise ValueError(f"{size} bytes are not whole elements of {element} bytes, which the array has")
    return size // element


def _operation(copy):
    if not isinstance(copy, Memcpy3D):
        raise TypeError(f"a copy must be a Memcpy3D, not {type(copy).__name__}")
    values = struct.unpack(_BOX, copy._parameters())
    source, target = _Side(values[:11]), _Side(values[11:22])
    element = max(source.element_bytes(), target.element_bytes())
    extent = (_whole(values[22], element), *values[23:])
    sides = source.pack(element, extent) + target.pack(element, extent)
    return sides + struct.pack(_OPERATION, *extent, _IN_STREAM_ORDER, 0)


def memcpy_3d_batch_async(copies, stream):
    """Queue several copies of boxes by one call; they run in any order. Needs CUDA 13.0.

    Parameters
    ----------
    copies : iterable of Memcpy3D
        Between device memory, host memory and arrays. Host memory must live until they are done.
    stream : Stream
        Not the default stream.

    Raises
    ------
    LogicError
        For memory that a box is not wholly in.

    Examples
    --------
    >>> a = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
    >>> memory, stream, copies = driver.mem_alloc(64), driver.Stream(), []
    >>> for i in range(2):
    ...     copy = driver.Memcpy3D()
    ...     copy.set_src_host(a)
    ...     copy.set_dst_device(int(memory) + 32 * i)
    ...     copy.width_in_bytes, copy.height, copy.depth = 8, 2, 2
    ...     copies.append(copy)
    >>> driver.memcpy_3d_batch_async(copies, stream)
    >>> stream.synchronize()
    >>> driver.from_device(memory, (2, 8), np.float32)[1]
    array([0., 1., 2., 3., 4., 5., 6., 7.], dtype=float32)
    """
    operations = [_operation(copy) for copy in copies]
    if operations:
        call("cuMemcpy3DBatchAsync", len(operations), b"".join(operations), 0, stream)


def _room(memory, what):
    """Address and bytes of device memory."""
    if isinstance(memory, tuple) and len(memory) == 2:
        return number(memory[0], what), number(memory[1], what)
    size = getattr(memory, "nbytes", None)
    size = len(memory) if size is None and hasattr(memory, "__len__") else size
    if size is None:
        raise TypeError(f"{what} must be a GPUArray, an allocation or a tuple of address and size")
    return number(getattr(memory, "gpudata", memory), what), size


def mem_decompress_batch_async(dests, srcs, algorithm, stream=None, sizes=None):
    """Decompress several blocks of device memory by one call. Needs CUDA 12.6 and compute capability 10.0.

    The CPU driver is such a device with ``PYCUDA_CPU_ARCH=100``.

    Parameters
    ----------
    dests, srcs : sequence of GPUArray or (address, size)
        Room for the data of each block, and the blocks; at most `device_attribute.MEM_DECOMPRESS_MAXIMUM_LENGTH` bytes.
    algorithm : mem_decompress_algorithm
        DEFLATE without a header (``zlib.compressobj(wbits=-15)``), SNAPPY or LZ4, as one block without a frame.
    stream : Stream, optional
    sizes : GPUArray of uint32, optional
        Gets the size of each block's data.

    Raises
    ------
    LogicError
        When the device does not have the algorithm. Damaged blocks end the work of the context.

    Examples
    --------
    ::

        squeeze = zlib.compressobj(wbits=-15)
        block = squeeze.compress(data) + squeeze.flush()
        packed = gpuarray.to_gpu(np.frombuffer(block, np.uint8))
        room = gpuarray.empty(len(data), np.uint8)
        deflate = driver.mem_decompress_algorithm.DEFLATE
        driver.mem_decompress_batch_async([room], [packed], deflate, stream)
    """
    kind = int(mem_decompress_algorithm(number(algorithm, "algorithm")))
    targets, sources = [_room(one, "dests") for one in dests], [_room(one, "srcs") for one in srcs]
    if len(targets) != len(sources):
        raise ValueError(f"{len(targets)} dests, but {len(sources)} srcs")
    if not targets:
        return
    if sizes is None:
        sizes = mem_alloc(4 * len(targets))
    elif getattr(sizes, "dtype", None) != np.uint32 or sizes.size < len(targets):
        raise TypeError(f"sizes must be a GPUArray of {len(targets)} uint32")
    first = number(getattr(sizes, "gpudata", sizes), "sizes")
    packed = b"".join(
        struct.pack("NNQQQi20x", size, room, first + 4 * i, source, target, kind)
        for i, ((target, room), (source, size)) in enumerate(zip(targets, sources, strict=True))
    )
    call("cuMemBatchDecompressAsync", bytearray(packed), len(targets), 0, None, stream)
