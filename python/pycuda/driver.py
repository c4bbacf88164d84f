# SPDX-License-Identifier: MIT
"""The CUDA driver API: devices, contexts, memory, modules and launches.

Importing this module needs no driver and no GPU; the first call that needs one says what is missing.

Notes
-----
Differences from the original: integers of NumPy, lists as grids and blocks, and plain Python numbers as kernel
arguments are accepted; any thread may use and release any object; errors carry `code`, `name` and `routine`.
"""

from __future__ import annotations

import sys

import numpy as np

from pycuda import _descriptions, _driver, _late_methods, _unpicklable  # noqa: F401
from pycuda._driver import *  # noqa: F403
from pycuda._driver import ManagedAllocation as ManagedAllocationOrStub
from pycuda._driver import (
    aligned_empty,
    managed_empty,
    mem_alloc,
    memcpy_dtoh,
    memcpy_dtoh_async,
    memcpy_htod,
    memcpy_htod_async,
    pagelocked_empty,
)
from pycuda._errors import CompileError
from pycuda._textures import (
    bind_array_to_texref,
    dtype_to_array_format,
    gpuarray_to_array,
    make_multichannel_2d_array,
    matrix_to_array,
    matrix_to_texref,
    np_to_array,
)

__all__ = [name for name in dir(_driver) if not name.startswith("_")] + [
    *_late_methods.NAMES,
    "CUDA_DEBUGGING",
    "ArgumentHandler",
    "CompileError",
    "In",
    "InOut",
    "KernelNodeParams",
    "ManagedAllocationOrStub",
    "Out",
    "aligned_empty_like",
    "aligned_zeros",
    "aligned_zeros_like",
    "bind_array_to_texref",
    "dtype_to_array_format",
    "from_device",
    "from_device_like",
    "get_curand_version",
    "gpuarray_to_array",
    "make_multichannel_2d_array",
    "managed_empty_like",
    "managed_zeros",
    "managed_zeros_like",
    "matrix_to_array",
    "matrix_to_texref",
    "mem_alloc_like",
    "np_to_array",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "set_debugging",
    "to_device",
]

CUDA_DEBUGGING = False


def set_debugging(flag=True):
    """Compile kernels for debugging from now on: with debug information, kept files and no cache."""
    global CUDA_DEBUGGING
    CUDA_DEBUGGING = flag


class KernelNodeParams:
    """What `GraphExec.batched_set_kernel_node_arguments` sets for a node.

    Attributes
    ----------
    args : sequence
        The kernel's arguments, all of them.
    """

    def __init__(self, args=()):
        self.args = args

    def __setattr__(self, name, value):
        if name != "args":
            from pycuda import _misspelt  # start-up time: only for attributes of programs

            _misspelt.warn_of_attribute(self, name, also=("args",))
        super().__setattr__(name, value)


class ArgumentHandler:
    """A host array as a kernel argument: stands for device memory of its size.

    Attributes
    ----------
    array
        The host array, contiguous.
    dev_alloc : DeviceAllocation or None
        Its device memory, made when first needed and kept for further calls.
    """

    def __init__(self, ary):
        if isinstance(ary, type):
            raise TypeError(
                f"{type(self).__name__} takes an array, such as numpy.zeros(n, dtype), not the class {ary!r}"
            )
        self.array = ary
        self.dev_alloc = None

    def __repr__(self):
        return _descriptions.describe_arguments(self)

    def get_device_alloc(self):
        """The device memory; None for an array without elements, for which kernels get a null pointer."""
        if self.dev_alloc is None:
            if hasattr(self.array, "gpudata"):
                raise TypeError(
                    f"{type(self.array).__name__} is on the device already:"
                    f" give it to the kernel as it is, without {type(self).__name__}"
                )
            try:
                if self.array.nbytes != 0:
                    self.dev_alloc = mem_alloc_like(self.array)
            except AttributeError:
                raise TypeError(
                    f"could not determine array length of '{type(self.array)}': unsupported array type or not an array;"
                    " numpy.asarray makes one"
                ) from None
        return self.dev_alloc

    def pre_call(self, stream):
        """Called before the launch; `stream` is where the kernel will run, or None."""


def _copy_in(handler, stream):
    allocation = handler.get_device_alloc()
    if allocation is None:
        return
    if stream is None:
        memcpy_htod(allocation, handler.array)
    else:
        memcpy_htod_async(allocation, handler.array, stream)


def _copy_out(handler, stream):
    allocation = handler.get_device_alloc()
    if allocation is None:
        return
    if stream is None:
        memcpy_dtoh(handler.array, allocation)
    else:
        memcpy_dtoh_async(handler.array, allocation, stream)
        stream.synchronize()


class In(ArgumentHandler):
    """Copies the array to the device before the kernel runs.

    Notes
    -----
    With a stream the copy is put into that stream: a page-locked array must stay unchanged until the stream is done.

    Examples
    --------
    >>> module = compiler.SourceModule(
    ...     "__global__ void first(int *out, const int *in) { *out = *in; }")
    >>> first = module.get_function("first")
    >>> out = np.zeros(1, np.int32)
    >>> first(driver.Out(out), driver.In(np.array([7], np.int32)), block=(1, 1, 1))
    >>> out
    array([7], dtype=int32)
    """

    def pre_call(self, stream):
        """Copy the array to the device."""
        _copy_in(self, stream)


def _check_target(array):
    """What cannot be copied to is refused before the kernel runs: its results would be lost."""
    flags = getattr(array, "flags", None)
    if not getattr(flags, "writeable", True):
        raise ValueError(
            f"results cannot be put into an array that is read-only, of shape {array.shape}:"
            " give a copy of it, numpy.array(a)"
        )
    if isinstance(array, memoryview) and array.readonly:
        raise ValueError("results cannot be put into a memoryview that is read-only: give one of a bytearray")
    if not getattr(flags, "forc", True):
        raise ValueError(
            f"ndarray is not contiguous: its shape is {array.shape}, its strides {array.strides}; "
            "numpy.ascontiguousarray makes a contiguous copy, which gets the results"
        )


class Out(ArgumentHandler):
    """Copies the array from the device after the kernel has run, and waits for that."""

    def pre_call(self, stream):
        """Refuse an array that cannot be copied to."""
        _check_target(self.array)

    def post_call(self, stream):
        """Copy the array from the device."""
        _copy_out(self, stream)


class InOut(In, Out):
    """Copies the array to the device before, and back after the kernel.

    Examples
    --------
    >>> module = compiler.SourceModule(
    ...     "__global__ void add(int *a) { a[threadIdx.x] += 1; }")
    >>> add = module.get_function("add")
    >>> a = np.arange(3, dtype=np.int32)
    >>> add(driver.InOut(a), block=(3, 1, 1))
    >>> a
    array([1, 2, 3], dtype=int32)
    """

    def pre_call(self, stream):
        """Refuse an array that cannot be copied to, and copy it to the device."""
        _check_target(self.array)
        _copy_in(self, stream)


_driver._set_handler_class(ArgumentHandler)


def _reduced_member(member):
    """An alias is found by its own name: the number would find the first member of that number."""
    return (getattr, (type(member), member.name)) if member.name else (type(member), (int(member),))


_driver._Enumeration.__reduce__ = _reduced_member

# Tracebacks, Sphinx and pickles name classes as programs do. Python's messages take a name that Python 3.12 makes of
# the extension's module and the class, until the name is set again.
for _name, _class in list(vars(_driver).items()):
    if isinstance(_class, type) and not _name.startswith("_"):
        _class.__module__ = __name__
        _class.__name__ = _name
del _name, _class


def _array_for(function, array):
    """The array whose shape or size another one gets."""
    if not hasattr(array, "nbytes"):
        raise AttributeError(f"{function} takes an array, not {type(array).__name__}: numpy.array makes one")
    return array


def mem_alloc_like(ary):
    """Device memory of the size of `ary`."""
    return mem_alloc(_array_for("mem_alloc_like", ary).nbytes)


def to_device(bf_obj):
    """Device memory with a copy of a buffer object's bytes.

    Examples
    --------
    >>> memory = driver.to_device(np.arange(3, dtype=np.int32))
    >>> driver.from_device(memory, (3,), np.int32)
    array([0, 1, 2], dtype=int32)
    """
    try:
        view = memoryview(bf_obj)
    except TypeError:
        memcpy_htod(0, bf_obj)  # raises with the remedy
        raise
    allocation = mem_alloc(view.nbytes)
    memcpy_htod(allocation, bf_obj)
    return allocation


def from_device(devptr, shape, dtype, order="C"):
    """An ndarray with a copy of device memory."""
    result = np.empty(shape, dtype, order)
    memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr, other_ary):
    """An ndarray like `other_ary` with a copy of device memory."""
    result = np.empty_like(other_ary)
    memcpy_dtoh(result, devptr)
    return result


def _order_of(array):
    if array.flags.c_contiguous:
        return "C"
    if array.flags.f_contiguous:
        return "F"
    raise ValueError("could not detect array order")


def _cleared(array):
    """`array`, all of its bytes 0; NumPy's `fill` would write texts, and visit elements that have no bytes."""
    if array.nbytes:
        array.reshape(-1, order="A").view(np.uint8).fill(0)
    return array


def pagelocked_zeros(shape, dtype, order="C", mem_flags=0):
    """A page-locked ndarray of zeros.

    Examples
    --------
    >>> driver.pagelocked_zeros(3, np.float32)
    array([0., 0., 0.], dtype=float32)
    """
    return _cleared(pagelocked_empty(shape, dtype, order, mem_flags))


def pagelocked_empty_like(array, mem_flags=0):
    """A page-locked ndarray with the shape, dtype and order of `array`."""
    _array_for("pagelocked_empty_like", array)
    return pagelocked_empty(array.shape, array.dtype, _order_of(array), mem_flags)


def pagelocked_zeros_like(array, mem_flags=0):
    """The same, of zeros."""
    _array_for("pagelocked_zeros_like", array)
    return pagelocked_zeros(array.shape, array.dtype, _order_of(array), mem_flags)


def aligned_zeros(shape, dtype, order="C", alignment=4096):
    """An ndarray of zeros in pageable memory that starts at a multiple of `alignment`."""
    return _cleared(aligned_empty(shape, dtype, order, alignment))


def aligned_empty_like(array, alignment=4096):
    """An aligned ndarray with the shape, dtype and order of `array`."""
    _array_for("aligned_empty_like", array)
    return aligned_empty(array.shape, array.dtype, _order_of(array), alignment)


def aligned_zeros_like(array, alignment=4096):
    """The same, of zeros."""
    _array_for("aligned_zeros_like", array)
    return aligned_zeros(array.shape, array.dtype, _order_of(array), alignment)


def managed_zeros(shape, dtype, order="C", mem_flags=0):
    """An ndarray of zeros in memory that host and device share.

    Examples
    --------
    >>> everywhere = driver.mem_attach_flags.GLOBAL
    >>> a = driver.managed_zeros(3, np.float32, mem_flags=everywhere)
    >>> a += 1
    >>> a
    array([1., 1., 1.], dtype=float32)
    """
    return _cleared(managed_empty(shape, dtype, order, mem_flags))


def managed_empty_like(array, mem_flags=0):
    """An ndarray in shared memory with the shape, dtype and order of `array`."""
    _array_for("managed_empty_like", array)
    return managed_empty(array.shape, array.dtype, _order_of(array), mem_flags)


def managed_zeros_like(array, mem_flags=0):
    """The same, of zeros."""
    _array_for("managed_zeros_like", array)
    return managed_zeros(array.shape, array.dtype, _order_of(array), mem_flags)


def get_curand_version():
    """The version of cuRAND, as three numbers; None where there is none."""
    from pycuda import _curand_tables  # start-up time: it brings ctypes

    return _curand_tables.get_curand_version()


def _get_direction_vectors(set, dst, count):
    """Write `count` direction vectors of `set` to the page-locked or pageable ndarray `dst`."""
    from pycuda import _curand_tables  # start-up time: it brings ctypes

    _curand_tables.write(_curand_tables.direction_vectors(set, count), dst)


def _get_scramble_constants32(dst, count):
    """Write `count` 32-bit scramble constants to the ndarray `dst`."""
    from pycuda import _curand_tables  # start-up time: it brings ctypes

    _curand_tables.write(_curand_tables.scramble_constants(32, count), dst)


def _get_scramble_constants64(dst, count):
    """The same with 64 bits."""
    from pycuda import _curand_tables  # start-up time: it brings ctypes

    _curand_tables.write(_curand_tables.scramble_constants(64, count), dst)


# PyCUDA's extension has them itself.
for _function in (get_curand_version, _get_direction_vectors, _get_scramble_constants32, _get_scramble_constants64):
    setattr(_driver, _function.__name__, _function)
del _function


if sys.version_info < (3, 12):
    from pycuda import _class_signatures

    _class_signatures.add_to(list(vars(_driver).values()))


def __getattr__(name):
    if name == "SourceModule":  # where it was until 2009
        from pycuda.compiler import SourceModule  # start-up time: programs import it from there

        return SourceModule
    if name in _late_methods.NAMES:  # start-up time: few programs use them
        module = f"pycuda.{_late_methods.NAMES[name]}"
        __import__(module)
        return globals().setdefault(name, getattr(sys.modules[module], name))
    remedy = ""
    if not name.startswith("_"):
        from pycuda import _other_names  # start-up time: only for mistakes

        remedy = _other_names.remedy(__name__, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{remedy}")
