# SPDX-License-Identifier: MIT
"""NumPy's functions that make arrays like others."""

import math

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.shapes import _compact_strides, _dims
from pycuda._arrays.numpy.arguments import refuse
from pycuda._arrays.ops import creation


def _model(name, prototype, dtype, order, subok, shape, device):
    """An array, not initialised, for one of these functions to fill."""
    refuse(name, device=device)
    if not subok and type(prototype) is not GPUArray:
        refuse(name, subok=subok)
    if shape is None:
        return creation.empty_like(prototype, dtype, order)
    shape = _dims(shape)
    dtype = prototype.dtype if dtype is None else dtype
    strides = None
    if order == "A":
        order = "F" if prototype.flags.f_contiguous and not prototype.flags.c_contiguous else "C"
    elif order == "K":
        order = "C"
        if len(shape) == prototype.ndim and math.prod(shape):
            strides = _compact_strides(shape, prototype.strides, np.dtype(dtype).itemsize)
    return GPUArray(shape, dtype, prototype.allocator, strides=strides, order=order)


def _filled(new, value):
    if new.size:
        new[...] = np.full((), value, new.dtype)[()] if new.dtype.names else value
    return new


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """A new array, not initialised, of the shape (or `shape`) and dtype of another one."""
    return _model("empty_like", prototype, dtype, order, subok, shape, device)


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """A new array of zeros of the shape (or `shape`) and dtype of another one."""
    new = _model("zeros_like", a, dtype, order, subok, shape, device)
    return _filled(new, creation._element(np.zeros, 0, new.dtype))


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """A new array of ones of the shape (or `shape`) and dtype of another one."""
    new = _model("ones_like", a, dtype, order, subok, shape, device)
    return _filled(new, creation._element(np.ones, 1, new.dtype))


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    """A new array of `fill_value` of the shape (or `shape`) and dtype of another one."""
    return _filled(_model("full_like", a, dtype, order, subok, shape, device), fill_value)
