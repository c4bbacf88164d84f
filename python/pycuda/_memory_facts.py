# SPDX-License-Identifier: MIT
"""What the driver knows of addresses, arrays, textures and surfaces."""

from __future__ import annotations

import struct

import numpy as np

from pycuda import _driver
from pycuda._driver import Array, MipmappedArray, SurfaceObject, TextureObject, memory_type, pointer_attribute
from pycuda._driver_calls import call, device_number, member, method_of, number

__all__ = ["mem_get_dma_buffer", "pointer_get_attributes", "pointer_set_attribute"]

_RESOURCE = "i4x128sI4x"  # CUDA_RESOURCE_DESC
_TEXTURE = "4iIIi3f4f48x"  # CUDA_TEXTURE_DESC
_VIEW = "iNNN4I64x"  # CUDA_RESOURCE_VIEW_DESC
_FORMAT = _driver.array_format
# In CUresourceViewFormat's order, each for 1, 2 and 4 channels.
_VIEWED = (
    _FORMAT.UNSIGNED_INT8,
    _FORMAT.SIGNED_INT8,
    _FORMAT.UNSIGNED_INT16,
    _FORMAT.SIGNED_INT16,
    _FORMAT.UNSIGNED_INT32,
    _FORMAT.SIGNED_INT32,
    _FORMAT.HALF,
    _FORMAT.FLOAT,
)
_ARRAY, _MIPMAPPED, _LINEAR, _PITCHED = 0, 1, 2, 3
_HAS_LAYERS = 1 | 4  # CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_CUBEMAP
_SIGNED = {pointer_attribute.DEVICE_ORDINAL}


def _address(memory):
    if isinstance(memory, np.ndarray):
        return memory.ctypes.data
    return number(getattr(memory, "gpudata", memory), "memory")


def pointer_get_attributes(memory, attributes):
    """What the driver knows of an address, several attributes by one call.

    Parameters
    ----------
    memory : device memory, ndarray or address
        Memory of any kind; of an address that the driver does not know most attributes are 0.
    attributes : sequence of pointer_attribute

    Returns
    -------
    dict
        The number for each attribute; MEMORY_TYPE is a `memory_type`.

    Examples
    --------
    >>> memory, attribute = driver.mem_alloc(100), driver.pointer_attribute
    >>> wanted = [attribute.MEMORY_TYPE, attribute.DEVICE_ORDINAL]
    >>> facts = driver.pointer_get_attributes(memory, wanted)
    >>> facts[attribute.MEMORY_TYPE], facts[attribute.DEVICE_ORDINAL]
    (pycuda.driver.memory_type.DEVICE, 0)
    """
    keys = [pointer_attribute(number(attribute, "attribute")) for attribute in attributes]
    if not keys:
        return {}
    values = np.zeros(len(keys), np.uint64)
    places = values.ctypes.data + 8 * np.arange(len(keys), dtype=np.uint64)
    codes = np.array([int(key) for key in keys], np.int32)
    call("cuPointerGetAttributes", len(keys), codes, places, _address(memory))
    found = {}
    for key, value in zip(keys, values, strict=True):
        found[key] = int(value.astype(np.uint32).view(np.int32)) if key in _SIGNED else int(value)
        if key == pointer_attribute.MEMORY_TYPE and found[key] in memory_type.values:
            found[key] = memory_type(found[key])
    return found


def mem_get_dma_buffer(memory, size, offset=0):
    """A file descriptor of device memory for drivers of other devices, such as network cards. Needs CUDA 11.7.

    Parameters
    ----------
    memory : device memory or address
    size, offset : int
        Bytes, whole pages of the host.

    Returns
    -------
    int
        To be closed with `os.close`.

    Raises
    ------
    LogicError
        On devices without it (`device_attribute.DMA_BUF_SUPPORTED`); on the CPU driver, whose memory is the host's:
        `PhysicalMemory.share` gives a descriptor of that.
    """
    return call("cuMemGetHandleForAddressRange", "i", _address(memory) + number(offset, "offset"), size, 1, 0)


def pointer_set_attribute(memory, attribute, value):
    """Set the `pointer_attribute` SYNC_MEMOPS of device memory: whether copies of it wait until they are done."""
    packed = struct.pack("Q", number(value, "value"))
    call("cuPointerSetAttribute", packed, number(attribute, "attribute"), _address(memory))


def _requirements(function, array, device):
    return call(function, "NN16x", array.handle, device_number(device))


@method_of(Array)
def get_memory_requirements(self, device=None):
    """Bytes and alignment of the memory that an array made without memory needs on a `Device`, as (int, int).

    Raises
    ------
    LogicError
        For arrays that have memory: those without the flag DEFERRED_MAPPING of `array3d_flags`.
    """
    return _requirements("cuArrayGetMemoryRequirements", self, device)


@method_of(MipmappedArray, name="get_memory_requirements")
def get_mipmapped_memory_requirements(self, device=None):
    """The same as `Array.get_memory_requirements`, for all levels."""
    return _requirements("cuMipmappedArrayGetMemoryRequirements", self, device)


def _resource(function, handle):
    kind, union, _ = call(function, _RESOURCE, handle)
    if kind == _LINEAR:
        address, form, channels, size = struct.unpack_from("QiIN", union)
        facts = {"address": address, "format": member("array_format", form), "num_channels": channels, "size": size}
        return {"kind": "linear", **facts}
    if kind == _PITCHED:
        address, form, channels, width, height, pitch = struct.unpack_from("QiINNN", union)
        facts = {"address": address, "format": member("array_format", form), "num_channels": channels}
        return {"kind": "pitched", **facts, "width": width, "height": height, "pitch": pitch}
    return {"kind": "mipmapped array" if kind else "array", "handle": struct.unpack_from("P", union)[0]}


@method_of(TextureObject)
def get_resource(self):
    """What the texture reads, a dict: its `kind`, and the array's handle or the memory's address, format and size."""
    return _resource("cuTexObjectGetResourceDesc", self.handle)


@method_of(SurfaceObject, name="get_resource")
def get_surface_resource(self):
    """What the surface writes, a dict: its `kind`, and the array's handle."""
    return _resource("cuSurfObjectGetResourceDesc", self.handle)


@method_of(TextureObject)
def get_settings(self):
    """How the texture is read, a dict: address modes, filters, flags, levels of detail and the colour of the border."""
    values = call("cuTexObjectGetTextureDesc", _TEXTURE, self.handle)
    return {
        "address_modes": tuple(member("address_mode", mode) for mode in values[:3]),
        "filter_mode": member("filter_mode", values[3]),
        "flags": values[4],
        "max_anisotropy": values[5],
        "mipmap_filter_mode": member("filter_mode", values[6]),
        "mipmap_level_bias": values[7],
        "mipmap_levels": values[8:10],
        "border_color": values[10:14],
    }


@method_of(TextureObject)
def get_view(self):
    """The part of an array that the texture shows, a dict: `format`, extents, and first and last levels and layers.

    Raises
    ------
    LogicError
        For textures that show all of their array.
    """
    form, width, height, depth, *ends = call("cuTexObjectGetResourceViewDesc", _VIEW, self.handle)
    if width == 0:  # NVIDIA's driver leaves the description as it was
        raise _driver.LogicError("cuTexObjectGetResourceViewDesc failed: the texture shows all of its array")
    return {"format": form, "extents": (width, height, depth), "levels": tuple(ends[:2]), "layers": tuple(ends[2:])}


@method_of(TextureObject)
def with_view(self, levels=None, layers=None, format=0):
    """A texture of a part of the same array, with the same settings.

    Parameters
    ----------
    levels, layers : tuple of 2 int, optional
        The first and the last one; by default all.
    format : int
        What the texels are seen as, of the same size: CUDA's number of a format of views (CUresourceViewFormat); 0:
        what they are.

    Raises
    ------
    LogicError
        For what the array does not have, and for textures of plain memory.

    Examples
    --------
    >>> shape = driver.ArrayDescriptor3D()
    >>> shape.width, shape.height, shape.depth = 64, 64, 5  # the last: layers
    >>> shape.format, shape.num_channels = driver.array_format.FLOAT, 1
    >>> shape.flags = driver.array3d_flags.ARRAY3D_LAYERED
    >>> whole = driver.TextureObject(driver.Array(shape))
    >>> whole.with_view(layers=(2, 3)).get_view()["layers"]
    (2, 3)
    """
    kind, union, _ = call("cuTexObjectGetResourceDesc", _RESOURCE, self.handle)
    handle = struct.unpack_from("P", union)[0]
    last_level = 0
    if kind == _MIPMAPPED:
        last_level = int(self.get_settings()["mipmap_levels"][1])
        handle = call("cuMipmappedArrayGetLevel", "P", handle, 0)
    extents, last_layer = (0, 0, 0), 0
    if kind in (_ARRAY, _MIPMAPPED):
        shape = _driver._array_of(handle, self).get_descriptor_3d()
        extents = shape.width, shape.height, shape.depth
        if shape.flags & _HAS_LAYERS:
            last_layer = shape.depth - 1
        if format == 0 and shape.format in _VIEWED:
            format = 3 * _VIEWED.index(shape.format) + shape.num_channels // 2 + 1
    else:
        raise _driver.LogicError("cuTexObjectCreate failed: views are of arrays, and the texture has other memory")
    ends = [
        number(end, name)
        for name, pair, last in (("levels", levels, last_level), ("layers", layers, last_layer))
        for end in ((0, last) if pair is None else pair)
    ]
    if len(ends) != 4:
        raise ValueError("levels and layers are a first and a last number each")
    return _driver._viewed_texture(self, struct.pack(_VIEW, number(format, "format"), *extents, *ends))
