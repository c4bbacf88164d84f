# SPDX-License-Identifier: MIT
"""Copies between device arrays and the host."""

import builtins
import warnings

import numpy as np

import pycuda.driver as driver
from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.shapes import _compact_strides

_array = _driver._array


def _async_keyword(async_, kwargs):
    if "async" in kwargs:
        if async_:
            raise TypeError("may not specify both 'async' and 'async_'")
        async_ = kwargs.pop("async")
    if kwargs:
        raise TypeError(
            f"extra keyword arguments specified: {', '.join(kwargs)}; ary, pagelocked, async_ and stream are known"
        )
    return async_


def _plain(shape, dtype, strides=None):
    """An array whatever the class of the one copied: subclasses may be made with other arguments."""
    return GPUArray(shape, dtype, strides=strides)


def _memcpy_discontig(dst, src, async_=False, stream=None):
    """Copy `src` to `dst`, arrays on the device or the host of one shape and dtype, whatever their strides.

    No part of the documented interface, but packages that subclass GPUArray call it.
    """
    for name, array in (("src", src), ("dst", dst)):
        if not isinstance(array, (_driver._ArrayBase, np.ndarray)):
            raise TypeError(f"{name} must be a GPUArray or a numpy.ndarray, not {type(array).__name__}")
    if src.shape != dst.shape:
        raise ValueError(f"src and dst must have the same shape: {src.shape} and {dst.shape}")
    if src.dtype != dst.dtype:
        raise TypeError(f"src and dst must have the same dtype: {src.dtype} and {dst.dtype}")
    if isinstance(dst, _driver._ArrayBase):
        dst._set(src, async_, stream)
    elif isinstance(src, _driver._ArrayBase):
        src._get(dst, async_, stream)
    else:
        dst[...] = src


def set(self, ary, async_=False, stream=None, **kwargs):
    """Copy from the host into this array.

    `ary`, of any strides, has the same size and dtype (ValueError else); another shape is taken with a
    warning. With `async_` it is `set_async`.

    Examples
    --------
    >>> a = gpuarray.empty(3, np.float32)
    >>> a.set(np.array([1, 2, 3], np.float32))
    >>> a
    array([1., 2., 3.], dtype=float32)
    """
    async_ = _async_keyword(async_, kwargs)
    if not isinstance(ary, (np.ndarray, _driver._ArrayBase)) and not hasattr(ary, "dtype"):
        raise TypeError(f"set() takes a NumPy array, not {type(ary).__name__}: numpy.array makes one")
    if ary.size != self.size:
        raise ValueError(f"ary and self must be the same size: shapes {ary.shape} and {self.shape}")
    if ary.dtype != self.dtype:
        raise ValueError(f"ary and self must have the same dtype: {ary.dtype} and {self.dtype}; astype converts ary")
    if ary.shape != self.shape:
        warnings.warn(f"Setting array of shape {self.shape} from one of shape {ary.shape}.", stacklevel=2)
        ary = ary.reshape(self.shape)
    self._set(ary, async_, stream)


def _set(self, ary, async_, stream):
    if isinstance(ary, _driver._ArrayBase):
        _array.copy(self, ary, stream)
        return
    if stream is not None and not async_:
        async_ = True
        wait = True
    else:
        wait = False
    if _array.upload(self, ary, stream, async_):
        if wait:
            stream.synchronize()
        return
    strides = self.strides
    if _array.contiguity(self)[2] and builtins.all(step > 0 for step in strides):
        # The host's elements in the device's order.
        staged = np.ndarray(self.shape, self.dtype, strides=strides, buffer=np.empty(self.nbytes, np.uint8))
        staged[...] = ary
        uploaded = _array.upload(self, staged, stream, False)
        assert uploaded
        return
    staged = _plain(self.shape, self.dtype)
    staged._set(np.ascontiguousarray(ary).reshape(self.shape), False, stream)
    _array.copy(self, staged, stream)
    if stream is not None:
        stream.synchronize()


def set_async(self, ary, stream=None):
    """Copy from the host, in the order of the stream; page-locked memory does not block."""
    return self.set(ary, async_=True, stream=stream)


def get(self, ary=None, pagelocked=False, async_=False, stream=None, **kwargs):
    """Copy to the host.

    Parameters
    ----------
    ary : numpy.ndarray, optional
        The target.
    pagelocked : bool
        The new target is page-locked.
    async_ : bool
        Do not wait; only page-locked targets are really asynchronous.
    stream : pycuda.driver.Stream, optional

    Examples
    --------
    >>> gpuarray.arange(3, dtype=np.float32).get()
    array([0., 1., 2.], dtype=float32)
    >>> host = np.empty(3, np.float32)
    >>> gpuarray.arange(3, dtype=np.float32).get(host) is host
    True
    """
    async_ = _async_keyword(async_, kwargs)
    shape, dtype = self.shape, self.dtype
    if ary is None:
        strides = self.strides
        if _array.contiguity(self)[0]:
            ary = driver.pagelocked_empty(shape, dtype) if pagelocked else np.empty(shape, dtype)
        else:
            raw = driver.pagelocked_empty(self.nbytes, np.uint8) if pagelocked else np.empty(self.nbytes, np.uint8)
            compact = _compact_strides(shape, strides, dtype.itemsize)
            ary = np.ndarray(shape, dtype, strides=compact, buffer=raw)
    else:
        if not hasattr(ary, "dtype"):
            raise TypeError(
                f"get() copies to a NumPy array, not {type(ary).__name__}: it makes one where none is given"
            )
        if ary.size != self.size:
            raise ValueError(f"self and ary must be the same size: shapes {shape} and {ary.shape}")
        if ary.dtype != dtype:
            raise TypeError(f"self and ary must have the same dtype: {dtype} and {ary.dtype}; get() without ary fits")
        if ary.shape != shape:
            warnings.warn(
                f"Copying an array of shape {shape} to one of shape {ary.shape} is deprecated.",
                DeprecationWarning,
                stacklevel=2,
            )
            self._get(ary.reshape(shape), False, stream) if np.shares_memory(
                ary.reshape(shape), ary
            ) else ary.__setitem__(..., self.get(stream=stream).reshape(ary.shape))
            return ary
    self._get(ary, async_, stream)
    return ary


def _get(self, ary, async_, stream):
    wait = stream is not None and not async_
    if _array.download(self, ary, stream, async_ or wait):
        if wait:
            stream.synchronize()
        return
    dense = self
    if not _array.contiguity(self)[2] or builtins.any(step < 0 for step in self.strides):
        dense = _plain(self.shape, self.dtype, _compact_strides(self.shape, self.strides, self.itemsize))
        _array.copy(dense, self, stream)
    if stream is not None:
        stream.synchronize()
    if _array.download(dense, ary, None, False):
        return
    staged = np.ndarray(dense.shape, dense.dtype, strides=dense.strides, buffer=np.empty(dense.nbytes, np.uint8))
    downloaded = _array.download(dense, staged, None, False)
    assert downloaded
    ary[...] = staged


def get_async(self, stream=None, ary=None, **kwargs):
    """Copy to the host in the order of the stream, without waiting: see `get`.

    The result may be read after the stream's work is done; only page-locked targets are asynchronous.
    """
    # Not self.get: subclasses of other packages have one with other parameters.
    return get(self, ary=ary, async_=True, stream=stream, **kwargs)


def copy(self):
    """A new array with the same shape, dtype, elements and order of axes.

    Examples
    --------
    >>> a = gpuarray.zeros(2, np.int32)
    >>> b = a.copy()
    >>> b[0] = 1
    >>> a
    array([0, 0], dtype=int32)
    """
    new = _array.empty_like(self, None, "K")
    _array.copy(new, self, None)
    return new


def fill(self, value, stream=None):
    """Make every element `value`, converted to the dtype; gives the array back. Views of any strides are filled.

    `value`: a number, or an array on the device without axes.

    Examples
    --------
    >>> gpuarray.empty(3, np.int32).fill(5)
    array([5, 5, 5], dtype=int32)
    """
    if isinstance(value, _driver._ArrayBase) and value.ndim == 0:
        _array.copy(self, value, stream)
    else:
        _array.fill(self, value, stream)
    return self
