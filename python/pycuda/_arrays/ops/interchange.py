# SPDX-License-Identifier: MIT
"""Memory shared with other packages: the CUDA array interface and DLPack, both ways.

Notes
-----
On the CPU driver device memory is the host's: arrays say so (`kDLCPU`), which lets NumPy and every
other package for processors use them in place, and takes theirs in place.
"""

import bisect
import weakref

import numpy as np

import pycuda.driver as driver
from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.shapes import _compact_strides

_array = _driver._array

# DLPack's device types and codes of element types.
CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}
_BRAIN_FLOAT = 4
_READ_ONLY, _COPIED = 1, 2  # flags of versioned tensors


def dlpack_device(ary):
    """Where the array is for DLPack: a device type and number."""
    if _driver._device_traits().is_cpu:
        return CPU, 0
    return CUDA, _array.device_number(ary)


def _type_of(dtype):
    """DLPack's code and bits."""
    if dtype.name == "bfloat16":
        return _BRAIN_FLOAT, 16
    if dtype.kind not in _CODES or not dtype.isnative:
        raise BufferError(f"DLPack has no type for elements of dtype {dtype}")
    return _CODES[dtype.kind], 8 * dtype.itemsize


def _dtype_of(code, bits, lanes):
    if lanes == 1 and code == _BRAIN_FLOAT and bits == 16:
        try:
            import ml_dtypes  # optional package
        except ImportError:
            raise BufferError("elements of type bfloat16 need the package ml_dtypes") from None
        return np.dtype(ml_dtypes.bfloat16)
    if lanes == 1 and code in _KINDS and bits % 8 == 0:
        try:
            return np.dtype(f"{_KINDS[code]}{bits // 8}")
        except TypeError:
            pass
    raise BufferError(f"elements of DLPack type {code} with {bits} bits and {lanes} lanes have no dtype")


def to_dlpack(ary, *, stream=None, max_version=None, dl_device=None, copy=None):
    """GPUArray.__dlpack__."""
    device = dlpack_device(ary)
    wanted = device if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
    code_and_bits = _type_of(ary.dtype)
    if wanted != device:
        if wanted != (CPU, 0):
            raise BufferError(f"an array on DLPack device {device} cannot be exported to device {wanted}")
        if copy is not None and not copy:
            raise BufferError("an array on a GPU cannot be exported to the host without a copy")
        return ary.get().__dlpack__(max_version=max_version)
    if device[0] == CPU:
        if stream is not None:
            raise BufferError(f"memory of a processor has no streams: stream must be None, not {stream!r}")
    elif stream is not None and (stream < -1 or stream == 0):
        raise BufferError(f"stream must be None, -1, 1, 2 or the address of a stream, not {stream!r}")
    if copy:
        ary = ary.copy()
    if device[0] == CPU:
        driver.Context.synchronize()
    elif stream != -1:
        if _array.has_escaped(ary):
            driver.Context.synchronize()
        elif stream not in (None, 1):
            _array.order_after_default_stream(stream)
    versioned = max_version is not None and max_version[0] >= 1
    read_only = _array.is_read_only(ary)
    if read_only and not versioned:
        raise BufferError("read-only memory needs DLPack 1.0 or newer: max_version=(1, 0)")
    flags = (_READ_ONLY if read_only else 0) | (_COPIED if copy else 0)
    return _array.to_dlpack(ary, code_and_bits, device, versioned, flags if versioned else 0)


def from_dlpack(x, /, *, device=None, copy=None):
    """The memory of another package's array, by DLPack.

    Parameters
    ----------
    x : object
        Anything with `__dlpack__` and `__dlpack_device__`.
    device : optional
        None: where `x` is, or, for arrays in the host's memory, on the current device.
    copy : bool, optional
        True: always; False: never, `BufferError` where there is no other way; None: where needed.

    Returns
    -------
    GPUArray
        It keeps the memory of `x` alive if it uses that.

    Raises
    ------
    BufferError
        For types and devices that cannot be exchanged.
    """
    if isinstance(x, GPUArray):
        return x.copy() if copy else x.view()
    if not hasattr(x, "__dlpack_device__"):
        raise AttributeError(
            f"{type(x).__name__} has no __dlpack__: to_gpu(numpy.array(a)) makes an array on the device"
        )
    on_cpu = _driver._device_traits().is_cpu
    there = tuple(int(part) for part in x.__dlpack_device__())
    if there[0] in (CUDA, CUDA_MANAGED) and not on_cpu:
        capsule = _capsule(x, copy, stream=1)
    elif there[0] in (CPU, CUDA_HOST):
        if not on_cpu and copy is not None and not copy:
            raise BufferError(
                f"an array of shape {tuple(x.shape)} and dtype {x.dtype} in the host's memory cannot be imported on a "
                "GPU without a copy"
            )
        capsule = _capsule(x, None)
    else:
        raise BufferError(f"arrays of DLPack device {there} cannot be used on this device")
    tensor = _array.from_dlpack(capsule)
    dtype = _dtype_of(*tensor.type)
    shape, strides = tensor.shape, tensor.strides
    if strides is not None:
        strides = tuple(step * dtype.itemsize for step in strides)
    if there[0] in (CUDA, CUDA_MANAGED):
        return GPUArray(shape, dtype, base=tensor, gpudata=tensor.address, strides=strides)
    size = 1
    for length in shape:
        size *= length
    if not size:
        return GPUArray(shape, dtype)
    if on_cpu and not copy and not tensor.read_only:
        owner = _registered(tensor, shape, dtype, strides)
        if owner is not None:
            return GPUArray(shape, dtype, base=owner, gpudata=tensor.address, strides=strides)
    if copy is not None and not copy:
        why = "it is read-only" if tensor.read_only else "the driver does not take its memory"
        raise BufferError(f"the array of shape {shape} and dtype {dtype} cannot be used without a copy: {why}")
    host = _host_view(tensor, shape, dtype, strides)
    new = GPUArray(shape, dtype, strides=_compact_strides(shape, host.strides, dtype.itemsize))
    new._set(host, False, None)
    return new


def _capsule(x, copy, **stream):
    """DLPack's capsule of an object; those that are older than DLPack 1 know fewer arguments."""
    try:
        return x.__dlpack__(**stream, max_version=(1, 1), copy=copy)
    except TypeError:
        return x.__dlpack__(**stream)


class _HostMemory:
    """Bytes of the host, for NumPy, that another object keeps alive."""

    def __init__(self, address, size, owner):
        self.__array_interface__ = {"data": (address, True), "shape": (size,), "typestr": "|u1", "version": 3}
        self._owner = owner


def _bounds(address, shape, dtype, strides):
    """The first byte of the elements and the one behind the last."""
    if strides is None:
        size = dtype.itemsize
        for length in shape:
            size *= length
        return address, address + size
    first = address + sum(min(0, (length - 1) * step) for length, step in zip(shape, strides))
    last = address + sum(max(0, (length - 1) * step) for length, step in zip(shape, strides))
    return first, last + dtype.itemsize


def _host_view(tensor, shape, dtype, strides):
    first, last = _bounds(tensor.address, shape, dtype, strides)
    raw = np.asarray(_HostMemory(first, last - first, tensor))
    return np.ndarray(shape, dtype, raw, tensor.address - first, strides)


class _Registration:
    """Host memory that the driver knows as long as this lives."""

    def __init__(self, first, last):
        raw = np.asarray(_HostMemory(first, last - first, None))
        self.first, self.last = first, last
        self._context = driver.Context.get_current()
        self._registered = driver.register_host_memory(raw)

    def __del__(self):
        if getattr(self, "_registered", None) is None:
            return
        # The driver waits when the memory is given back: here other threads of Python run meanwhile. At the end of a
        # program the context that uses the memory is current no more.
        try:
            if self._context is None:
                driver.Context.synchronize()
                return
            self._context.push()
            try:
                driver.Context.synchronize()
            finally:
                driver.Context.pop()
        except driver.Error:
            pass  # it has ended, or keeps the error for its next call


class _Owner:
    """What an array over another package's memory keeps alive; its memory goes last."""

    def __init__(self, registration, tensor):
        self._registration = registration
        self._tensor = tensor

    def __del__(self):
        del self._registration
        del self._tensor


_registrations = weakref.WeakValueDictionary()  # by the address of their first byte


def _registered(tensor, shape, dtype, strides):
    """The owner of memory that the driver may use now; None where it will not have it."""
    first, last = _bounds(tensor.address, shape, dtype, strides)
    known = sorted(_registrations.items())
    position = bisect.bisect_right([start for start, _ in known], first) - 1
    if position >= 0 and known[position][1].last >= last:
        return _Owner(known[position][1], tensor)
    try:
        registration = _Registration(first, last)
    except driver.Error:
        return None
    _registrations[first] = registration
    return _Owner(registration, tensor)


def cuda_array_interface(ary):
    """GPUArray.__cuda_array_interface__."""
    return {
        "shape": ary.shape,
        "strides": ary.strides,
        "data": (ary.ptr if ary.size else 0, _array.is_read_only(ary)),
        "typestr": ary.dtype.str,
        "descr": ary.dtype.descr,
        "stream": None,
        "version": 3,
    }


def from_cuda_array_interface(object):
    """The memory of another package's array as a GPUArray, which keeps that array alive."""
    try:
        interface = object.__cuda_array_interface__
    except AttributeError:
        remedy = "to_gpu copies it to the device" if isinstance(object, np.ndarray) else "it has no memory on a device"
        text = f"{type(object).__name__} has no __cuda_array_interface__: {remedy}"
        raise AttributeError(text) from None
    if interface.get("mask") is not None:
        raise TypeError("masked arrays are not supported")
    dtype = np.dtype(interface["typestr"])
    if dtype.kind == "V" and interface.get("descr"):
        dtype = np.dtype(interface["descr"])
    stream = interface.get("stream")
    if stream == 0:
        raise ValueError("stream 0 is ambiguous in the CUDA array interface: 1 or 2 name a default stream")
    if stream is not None:
        driver.Context.synchronize()
    address, read_only = interface["data"]
    if not address and 0 not in interface["shape"]:
        raise ValueError(
            f"the __cuda_array_interface__ of {type(object).__name__} has shape {tuple(interface['shape'])} and a null "
            "pointer: its memory is freed, or was never allocated"
        )
    view = GPUArray(interface["shape"], dtype, base=object, gpudata=address, strides=interface.get("strides"))
    if read_only:
        _array.set_read_only(view)
    return view
