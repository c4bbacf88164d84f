# SPDX-License-Identifier: MIT
"""Parts of arrays: planes, sparse arrays and the memory under them, levels of other libraries' arrays."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from pycuda import _driver
from pycuda._driver import Array, ArrayDescriptor3D, ExternalMemory, MipmappedArray, PhysicalMemory, RegisteredMapping
from pycuda._driver_calls import call, device_number, method_of, number

__all__ = ["SparseProperties", "map_array_async"]

_MAPPING = "i4xQi4x32siiQQII8x"  # CUarrayMapInfo
_LEVEL, _TAIL = 0, 1
_SPARSE = "4IQI20x"  # CUDA_ARRAY_SPARSE_PROPERTIES
_ARRAY, _MIPMAPPED = 0, 1
_MAP, _UNMAP = 1, 2


@dataclass
class SparseProperties:
    """How a sparse array is divided.

    Attributes
    ----------
    tile : tuple of int
        Width, height and depth of what is mapped as one, in elements.
    tail_level : int
        The first level of those that are mapped together, all smaller than a tile.
    tail_size : int
        Bytes of those levels, of each layer unless `single_tail`.
    single_tail : bool
        Whether the layers share them.
    """

    tile: tuple
    tail_level: int
    tail_size: int
    single_tail: bool


def _sparse_properties(name, array):
    width, height, depth, level, size, flags = struct.unpack(_SPARSE, _filled(name, struct.calcsize(_SPARSE), array))
    return SparseProperties((width, height, depth), level, size, bool(flags & 1))


def _filled(name, size, array):
    buffer = bytearray(size)
    call(name, buffer, array.handle)
    return buffer


@method_of(Array)
def get_sparse_properties(self):
    """The `SparseProperties` of an array of `array3d_flags.SPARSE`; LogicError for others. Needs CUDA 11.1."""
    return _sparse_properties("cuArrayGetSparseProperties", self)


@method_of(MipmappedArray, name="get_sparse_properties")
def get_sparse_properties_of_levels(self):
    """The `SparseProperties` of an array of `array3d_flags.SPARSE`; LogicError for others. Needs CUDA 11.1."""
    return _sparse_properties("cuMipmappedArrayGetSparseProperties", self)


@method_of(Array)
def get_plane(self, index):
    """A plane of an array of a video format, such as NV12's 0 (luma) and 1 (chroma), as an `Array`. Needs CUDA 11.2.

    Raises
    ------
    LogicError
        For other arrays, and for planes that there are not.
    """
    handle = call("cuArrayGetPlane", "P", self.handle, number(index, "index"))
    return _driver._array_of(handle, self)


def map_array_async(array, memory, extent, offset=(0, 0, 0), level=0, layer=0, memory_offset=0, stream=None):
    """Put memory under tiles of a sparse array, in a stream's order; needs CUDA 11.1.

    Parameters
    ----------
    array : Array or MipmappedArray
        Of `array3d_flags.SPARSE`.
    memory : PhysicalMemory or None
        Made with `tile_pool`. None takes away what is there.
    extent, offset : sequence of 3 int, or int
        The part of the level: width, height and depth, and where it begins. Multiples of the tile of
        `get_sparse_properties`, but at the level's end. Of the levels that are mapped together, bytes.
    level, layer : int
    memory_offset : int
        Where in the memory.
    stream : Stream, optional

    Raises
    ------
    LogicError
        For arrays that are not sparse, and on devices without them (`device_attribute.SPARSE_CUDA_ARRAY_SUPPORTED`).

    Notes
    -----
    What a GPU does where there is no memory is not defined. The CPU driver reads zeros there, and ends a kernel that
    writes with a fault; its tiles are parts of one row.

    Examples
    --------
    >>> shape = driver.ArrayDescriptor3D()
    >>> shape.width, shape.height, shape.num_channels = 65536, 4096, 1
    >>> shape.format = driver.array_format.FLOAT
    >>> shape.flags = driver.array3d_flags.SPARSE
    >>> array = driver.Array(shape)
    >>> tile = array.get_sparse_properties().tile
    >>> size = driver.mem_get_allocation_granularity()
    >>> pool = driver.PhysicalMemory(size, tile_pool=True)
    >>> driver.map_array_async(array, pool, tile)
    """
    if not isinstance(array, (Array, MipmappedArray)):
        raise TypeError(f"array must be an Array or a MipmappedArray, not {type(array).__name__}")
    if memory is not None and not isinstance(memory, PhysicalMemory):
        raise TypeError(f"memory must be a PhysicalMemory or None, not {type(memory).__name__}")
    layer = number(layer, "layer")
    if hasattr(extent, "__index__"):
        start = 0 if offset == (0, 0, 0) else number(offset, "offset")
        kind, part = _TAIL, struct.pack("I4xQQ8x", layer, start, number(extent, "extent"))
    else:
        place = [number(value, what) for values, what in ((offset, "offset"), (extent, "extent")) for value in values]
        if len(place) != 6:
            raise ValueError("offset and extent have 3 numbers each")
        kind, part = _LEVEL, struct.pack("8I", number(level, "level"), layer, *place)
    packed = struct.pack(
        _MAPPING,
        _ARRAY if isinstance(array, Array) else _MIPMAPPED,
        array.handle,
        kind,
        part,
        _UNMAP if memory is None else _MAP,
        0,
        0 if memory is None else memory.handle,
        number(memory_offset, "memory_offset"),
        1 << device_number(None),
        0,
    )
    call("cuMemMapArrayAsync", bytearray(packed), 1, stream)


def _level_count(handle, owner):
    """How many levels a mipmapped array has, and the description of the first."""
    count, first = 0, None
    while True:
        try:
            level = call("cuMipmappedArrayGetLevel", "P", handle, count)
        except _driver.LogicError:
            if first is None:
                raise
            return count, first
        if first is None:
            first = _driver._array_of(level, owner).get_descriptor_3d()
        count += 1


@method_of(ExternalMemory)
def map_mipmapped_array(self, descriptor, levels=1, offset=0):
    """An image of another library as a `MipmappedArray`, whose memory begins at an offset of this memory.

    Parameters
    ----------
    descriptor : ArrayDescriptor3D
        The image as it was made: shape, format, and flags such as `array3d_flags.COLOR_ATTACHMENT`.
    levels : int
    offset : int

    Raises
    ------
    LogicError
        When the memory does not hold such an image.
    """
    if not isinstance(descriptor, ArrayDescriptor3D):
        raise TypeError(f"descriptor must be an ArrayDescriptor3D, not {type(descriptor).__name__}")
    d, count = descriptor, number(levels, "levels")
    packed = struct.pack(
        "Q3NiIIxxxxI68x",
        number(offset, "offset"), d.width, d.height, d.depth, d.format, d.num_channels, d.flags, count,
    )  # fmt: skip
    handle = call("cuExternalMemoryGetMappedMipmappedArray", "P", self.handle, packed)
    return _driver._mipmapped_array_of(handle, descriptor, count, self, True)


@method_of(RegisteredMapping)
def mipmapped_array(self):
    """The `MipmappedArray` of an image, all of its levels. It is valid until `unmap`.

    Raises
    ------
    LogicError
        For a buffer, and after `unmap`.
    """
    handle = call("cuGraphicsResourceGetMappedMipmappedArray", "P", self._handle)
    count, first = _level_count(handle, self)
    return _driver._mipmapped_array_of(handle, first, count, self, False)
