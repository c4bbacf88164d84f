# SPDX-License-Identifier: MIT
"""Arrays for textures, made from host arrays and device arrays."""

from __future__ import annotations

import numpy as np

from pycuda._driver import (
    Array,
    ArrayDescriptor,
    ArrayDescriptor3D,
    LogicError,
    Memcpy2D,
    Memcpy3D,
    address_mode,
    array3d_flags,
    array_format,
    filter_mode,
)

_FORMATS = {
    np.dtype(np.uint8): array_format.UNSIGNED_INT8,
    np.dtype(np.uint16): array_format.UNSIGNED_INT16,
    np.dtype(np.uint32): array_format.UNSIGNED_INT32,
    np.dtype(np.int8): array_format.SIGNED_INT8,
    np.dtype(np.int16): array_format.SIGNED_INT16,
    np.dtype(np.int32): array_format.SIGNED_INT32,
    np.dtype(np.float32): array_format.FLOAT,
    np.dtype(np.float16): array_format.HALF,
}

# What has no format of its own is stored as integers of 32 bits; <pycuda-helpers.hpp> puts it together again.
_AS_INTEGERS = {np.dtype(np.float64): 2, np.dtype(np.complex64): 2, np.dtype(np.complex128): 4}


def dtype_to_array_format(dtype):
    """The `array_format` of a dtype; TypeError when there is none."""
    dtype = np.dtype(dtype)
    try:
        return _FORMATS[dtype]
    except KeyError:
        raise TypeError(
            f"cannot convert dtype '{dtype}' to array format: textures have elements of float32, float16, or integers "
            "of up to 32 bits (astype converts); allow_double_hack=True stores float64 as pairs of integers"
        ) from None


def _order_of(order):
    upper = order.upper() if isinstance(order, str) else order
    if upper not in ("C", "F"):
        raise LogicError(f"order must be either F or C, not {order!r}")
    return upper


def _require_array(source, name):
    if not isinstance(source, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array, not {type(source).__name__}")


def _plane(width, height, texel_format, channels):
    descriptor = ArrayDescriptor()
    descriptor.width = width
    descriptor.height = height
    descriptor.format = texel_format
    descriptor.num_channels = channels
    return Array(descriptor)


def _fill_plane(array, source, row_bytes, height):
    copy = Memcpy2D()
    copy.set_src_host(source)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = row_bytes
    copy.height = height
    copy(aligned=True)


def matrix_to_array(matrix, order, allow_double_hack=False):
    """An `Array` with a copy of a two-dimensional host array.

    Parameters
    ----------
    matrix : ndarray
    order : {"C", "F"}
        With "C" the last index is the texture's x, with "F" the first.
    allow_double_hack : bool
        Store float64 as two int32 channels.
    """
    order = _order_of(order)
    if matrix.ndim != 2:
        raise LogicError("matrix_to_array takes a two-dimensional array")
    if matrix.dtype == np.float64 and allow_double_hack:
        texel_format, channels = array_format.SIGNED_INT32, 2
    else:
        texel_format, channels = dtype_to_array_format(matrix.dtype), 1
    matrix = np.asarray(matrix, order=order)
    height, width = matrix.shape if order == "C" else matrix.shape[::-1]
    array = _plane(width, height, texel_format, channels)
    _fill_plane(array, matrix, width * matrix.itemsize, height)
    return array


def make_multichannel_2d_array(ndarray, order):
    """An `Array` of several channels from a host array of three dimensions.

    Parameters
    ----------
    ndarray : ndarray
        Of shape (height, width, channels) with order "C", (channels, width, height) with "F".
    order : {"C", "F"}
    """
    order = _order_of(order)
    _require_array(ndarray, "ndarray")
    if ndarray.ndim != 3:
        raise LogicError("make_multichannel_2d_array takes a three-dimensional array")
    ndarray = np.asarray(ndarray, order=order)
    height, width, channels = ndarray.shape if order == "C" else ndarray.shape[::-1]
    array = _plane(width, height, dtype_to_array_format(ndarray.dtype), channels)
    _fill_plane(array, ndarray, width * channels * ndarray.itemsize, height)
    return array


def _volume_like(source, order, allow_surface):
    """An empty `Array` for a two- or three-dimensional array, and its extents in texels."""
    if source.ndim not in (2, 3):
        raise LogicError("only arrays of two or three dimensions can become an Array")
    extents = source.shape if order == "C" else source.shape[::-1]
    depth, height, width = extents if source.ndim == 3 else (1, *extents)
    descriptor = ArrayDescriptor3D()
    descriptor.width = width
    descriptor.height = height
    descriptor.depth = depth if source.ndim == 3 else 0
    channels = _AS_INTEGERS.get(source.dtype)
    descriptor.format = array_format.SIGNED_INT32 if channels else dtype_to_array_format(source.dtype)
    descriptor.num_channels = channels or 1
    if allow_surface:
        descriptor.flags |= array3d_flags.SURFACE_LDST
        if source.ndim == 2:
            descriptor.depth = 1
            descriptor.flags |= array3d_flags.ARRAY3D_LAYERED
    return Array(descriptor), (depth, height, width)


def _volume_copy(array, extents, itemsize):
    depth, height, width = extents
    copy = Memcpy3D()
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = width * itemsize
    copy.src_height = copy.height = height
    copy.depth = depth
    return copy


def np_to_array(nparray, order, allowSurfaceBind=False):  # noqa: N803
    """An `Array` with a copy of a host array of two or three dimensions.

    Parameters
    ----------
    nparray : ndarray
        float64, complex64 and complex128 are stored as two or four int32 channels.
    order : {"C", "F"}
    allowSurfaceBind : bool
        Let surfaces use it; two dimensions become one layer.
    """
    order = _order_of(order)
    _require_array(nparray, "nparray")
    array, extents = _volume_like(nparray, order, allowSurfaceBind)
    copy = _volume_copy(array, extents, nparray.itemsize)
    copy.set_src_host(np.asarray(nparray, order=order))
    copy()
    return array


def gpuarray_to_array(gpuarray, order, allowSurfaceBind=False):  # noqa: N803
    """The same from a device array, whose memory must be contiguous in that order."""
    if not hasattr(gpuarray, "gpudata"):
        remedy = "np_to_array copies one of the host" if isinstance(gpuarray, np.ndarray) else "to_gpu makes one"
        raise TypeError(f"gpuarray_to_array takes a GPUArray, not {type(gpuarray).__name__}: {remedy}")
    order = _order_of(order)
    contiguous = gpuarray.flags.c_contiguous if order == "C" else gpuarray.flags.f_contiguous
    if not contiguous:
        raise LogicError(f"the device array must be contiguous in order {order}")
    array, extents = _volume_like(gpuarray, order, allowSurfaceBind)
    copy = _volume_copy(array, extents, gpuarray.dtype.itemsize)
    copy.set_src_device(gpuarray.gpudata)
    copy()
    return array


def bind_array_to_texref(ary, texref):
    """Bind an `Array`, clamped in two dimensions and unfiltered."""
    texref.set_array(ary)
    texref.set_address_mode(0, address_mode.CLAMP)
    texref.set_address_mode(1, address_mode.CLAMP)
    texref.set_filter_mode(filter_mode.POINT)


def matrix_to_texref(matrix, texref, order):
    """Bind a copy of a two-dimensional host array."""
    bind_array_to_texref(matrix_to_array(matrix, order), texref)
