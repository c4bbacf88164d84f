# SPDX-License-Identifier: MIT
"""New arrays on the device."""

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.shapes import _compact_strides
from pycuda._arrays.ops.interchange import from_cuda_array_interface
from pycuda._unpicklable import restored

_array = _driver._array


empty = GPUArray


def to_gpu(ary, allocator=None):
    """A copy of a host array on the device: same shape and dtype, same order of axes, without gaps.

    `ary` is a NumPy array, or another with its attributes. TypeError for Python objects, which have no place on a
    device, and for masked elements, which a device array does not know.

    Examples
    --------
    >>> a = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    >>> a * 2
    array([0., 2., 4., 6.], dtype=float32)
    """
    new = GPUArray(*_described("to_gpu", ary, allocator))
    new._set(ary, False, None)
    return new


def _described(function, ary, allocator):
    """The arguments for a `GPUArray` like `ary`, which is refused if it cannot be copied whole."""
    if type(ary) is not np.ndarray:
        if isinstance(ary, np.generic):
            raise TypeError(f"{function} takes arrays, not numbers: numpy.asarray makes one")
        if np.ma.is_masked(ary):
            raise TypeError(
                f"{function}: the array has masked elements, and a device array has no mask: filled(value) makes a "
                "plain array, compressed() one of the other elements"
            )
    try:
        return ary.shape, ary.dtype, allocator, None, None, _compact_of(ary)
    except AttributeError:
        remedy = "its toarray() makes one" if hasattr(ary, "toarray") else "numpy.array makes one"
        raise AttributeError(f"{function} takes a NumPy array, not {type(ary).__name__}: {remedy}") from None


def _compact_of(ary):
    """Compact strides of an array in the order of its axes; None for C order."""
    flags = ary.flags
    if flags.c_contiguous:
        return None
    return _compact_strides(ary.shape, ary.strides, ary.dtype.itemsize)


def to_gpu_async(ary, allocator=None, stream=None):
    """`to_gpu` in the order of `stream`, without waiting; only page-locked hosts' memory is copied asynchronously.

    Examples
    --------
    >>> stream = driver.Stream()
    >>> host = driver.pagelocked_zeros(3, np.float32)
    >>> a = gpuarray.to_gpu_async(host, stream=stream)
    >>> stream.synchronize()
    >>> a.shape
    (3,)
    """
    new = GPUArray(*_described("to_gpu_async", ary, allocator))
    new._set(ary, True, stream)
    return new


def packed_copy(array, dtype, stream=None, allocator=None):
    """A new array of the elements of `array` in C order, of `dtype`, copied in the order of `stream`."""
    new = GPUArray(array.shape, dtype, allocator)
    _array.copy(new, array, stream)
    return new


def packed(array, dtype):
    """`array` in C order and of `dtype`; itself if it is so already."""
    if array.dtype == dtype and _array.contiguity(array)[0]:
        return array
    return packed_copy(array, dtype)


def _element(made, number, dtype):
    """0 or 1 as `fill` takes it: of texts, bytes and structures the element that NumPy's `zeros` or `ones` makes."""
    return number if dtype.kind in "biufcmM" else made((), dtype)[()]


def zeros(shape, dtype=np.float64, allocator=None, order="C"):
    """A new array of zeros with this shape and dtype, in C or Fortran `order`.

    Examples
    --------
    >>> gpuarray.zeros((2, 3), np.int32)
    array([[0, 0, 0],
           [0, 0, 0]], dtype=int32)
    """
    new = GPUArray(shape, dtype, allocator, order=order)
    if new.size:
        _array.fill(new, _element(np.zeros, 0, new.dtype), None)
    return new


def ones(shape, dtype=np.float64, allocator=None, order="C"):
    """A new array of ones with this shape and dtype, in C or Fortran `order`.

    Examples
    --------
    >>> gpuarray.ones(3, np.float32)
    array([1., 1., 1.], dtype=float32)
    """
    new = GPUArray(shape, dtype, allocator, order=order)
    if new.size:
        _array.fill(new, _element(np.ones, 1, new.dtype), None)
    return new


def full(shape, fill_value, dtype=None, allocator=None, order="C"):
    """A new array of `fill_value` with this shape; the dtype is by default the value's.

    Examples
    --------
    >>> gpuarray.full(3, 7, np.int32)
    array([7, 7, 7], dtype=int32)
    """
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, GPUArray) else np.asarray(fill_value).dtype
    return GPUArray(shape, dtype, allocator, order=order).fill(fill_value)


def _like(other, dtype, order):
    if order == "A":
        order = "F" if other.flags.f_contiguous and not other.flags.c_contiguous else "C"
    if order not in ("C", "F", "K"):
        raise ValueError(f"Unsupported order: {order!r}")
    return _array.empty_like(other, None if dtype is None else np.dtype(dtype), order)


def empty_like(other_ary, dtype=None, order="K"):
    """A new array, not initialised, with the shape and (by default) the dtype of another one.

    `order`: "C", "F", or "K" and "A" for the other's order of axes.

    Examples
    --------
    >>> b = gpuarray.empty_like(gpuarray.zeros((2, 3), np.float32))
    >>> b.shape, b.dtype
    ((2, 3), dtype('float32'))
    """
    return _like(other_ary, dtype, order)


def zeros_like(other_ary, dtype=None, order="K"):
    """A new array of zeros with the shape and (by default) the dtype and order of axes of another one.

    Examples
    --------
    >>> gpuarray.zeros_like(gpuarray.ones(2, np.int32))
    array([0, 0], dtype=int32)
    """
    new = _like(other_ary, dtype, order)
    if new.size:
        _array.fill(new, _element(np.zeros, 0, new.dtype), None)
    return new


def ones_like(other_ary, dtype=None, order="K"):
    """A new array of ones with the shape and (by default) the dtype and order of axes of another one."""
    new = _like(other_ary, dtype, order)
    if new.size:
        _array.fill(new, _element(np.ones, 1, new.dtype), None)
    return new


def full_like(other_ary, fill_value, dtype=None, order="K"):
    """A new array of `fill_value` with the shape and (by default) the dtype and order of axes of another one."""
    return _like(other_ary, dtype, order).fill(fill_value)


def arange(*args, **kwargs):
    """``arange([start,] stop[, step], dtype=None, stream=None)``: evenly spaced numbers.

    Examples
    --------
    >>> gpuarray.arange(0, 1, 0.25, dtype=np.float32)
    array([0.  , 0.25, 0.5 , 0.75], dtype=float32)
    """
    names = ["start", "stop", "step"]
    given = {}
    args = list(args)
    if args and isinstance(args[-1], np.dtype):
        given["dtype"] = args.pop()
    if len(args) > 3:
        raise ValueError("too many arguments")
    stream = kwargs.pop("stream", None)
    positions = ["stop"] if len(args) == 1 else names[: len(args)]
    given.update(zip(positions, args))
    for name, value in kwargs.items():
        if name not in (*names, "dtype"):
            raise ValueError(f"unexpected keyword argument '{name}'; arange takes start, stop, step, dtype and stream")
        if name in given:
            if name == "stop" and len(args) == 1 and "start" not in given and "start" not in kwargs:
                given["start"] = given.pop("stop")
                given["stop"] = value
                continue
            raise ValueError(f"may not specify '{name}' by position and keyword")
        given[name] = value
    if "stop" not in given:
        raise ValueError("stop argument required")
    start, stop, step = given.get("start"), given["stop"], given.get("step")
    start = 0 if start is None else start
    step = 1 if step is None else step
    dtype = given.get("dtype")
    if dtype is None:
        dtype = np.array([start, stop, step]).dtype
    host = np.arange(start, stop, step, dtype)
    new = GPUArray(host.shape, host.dtype)
    new._set(host, False, stream)
    return new


def array(object, dtype=None, allocator=None):
    """An array on the device from anything that numpy.asarray takes.

    Examples
    --------
    >>> gpuarray.array([1.5, 2.5])
    array([1.5, 2.5])
    """
    if isinstance(object, GPUArray):
        return object.copy() if dtype is None else object.astype(dtype)
    return to_gpu(np.asarray(object, dtype), allocator)


def asarray(object, dtype=None):
    """An array on the device: the object itself, if it is one already.

    Examples
    --------
    >>> a = gpuarray.asarray([1, 2, 3], dtype=np.int32)
    >>> gpuarray.asarray(a) is a
    True
    """
    if isinstance(object, GPUArray):
        return object if dtype is None else object.astype(dtype, copy=False)
    interface = getattr(object, "__cuda_array_interface__", None)
    if interface is not None:
        view = from_cuda_array_interface(object)
        return view if dtype is None else view.astype(dtype, copy=False)
    return to_gpu(np.asarray(object, dtype))


def reduce(ary):
    """How an array is pickled: as the host's, with its class."""
    return _restore, (type(ary), ary.get())


def _restore(cls, ary):
    return restored(cls, _with_class, cls, ary)


def _with_class(cls, ary):
    new = to_gpu(ary)
    if cls is GPUArray:
        return new
    return cls(new.shape, new.dtype, base=new, gpudata=new.gpudata, strides=new.strides)


# What pickles name: it does not change with the files.
_restore.__module__ = "pycuda.gpuarray"
