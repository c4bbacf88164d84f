# SPDX-License-Identifier: MIT
"""Other shapes, dtypes and orders of the same elements."""

import builtins
import operator

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.shapes import _axis, _order_is_fortran, _reduced_axes, _reshaped_strides
from pycuda._wrong_keywords import refuse_keywords

_array = _driver._array


def _part(dtype):
    """The dtype of the parts of a complex dtype."""
    return np.dtype(np.float32) if dtype == np.complex64 else np.dtype(np.float64)


def _parts(ary, number):
    """The real (0) or imaginary (1) parts of a complex array: a view."""
    part = _part(ary.dtype)
    return _array.view(ary, number * part.itemsize, ary.shape, ary.strides, part)


def reshape(self, *shape, **kwargs):
    """The same elements in another shape, also `shape=`, taken and laid out in `order` as NumPy counts them.

    A view where that is possible, else a copy. Of a contiguous array the result is contiguous in
    `order` ("C" by default), so that kernels may take its pointer; the array itself if nothing changes.
    `copy` true: always a copy; false: a view, as NumPy gives it. ValueError if that cannot be, or if the number
    of elements would change.

    Examples
    --------
    >>> gpuarray.arange(6, dtype=np.int32).reshape(2, -1)
    array([[0, 1, 2],
           [3, 4, 5]], dtype=int32)
    """
    order, copy = kwargs.pop("order", "C"), kwargs.pop("copy", None) if kwargs else None
    if kwargs:
        refuse_keywords("reshape", kwargs, ("shape", "order", "copy"))
        if shape:
            raise TypeError("reshape() got the shape twice, by position and as shape=")
        shape = (kwargs["shape"],)
    if len(shape) == 1 and not hasattr(shape[0], "__index__"):
        shape = shape[0]
    shape = list(operator.index(length) for length in shape)
    if shape.count(-1) > 1:
        raise ValueError("can only specify one unknown dimension")
    if builtins.any(length < -1 for length in shape):
        raise ValueError(f"the shape {tuple(shape)} has a negative length")
    if -1 in shape:
        known = 1
        for length in shape:
            known *= length if length != -1 else 1
        if known == 0 or self.size % known:
            raise ValueError(f"total size of new array must be unchanged: shapes {self.shape} and {tuple(shape)}")
        shape[shape.index(-1)] = self.size // known
    shape = tuple(shape)
    total = 1
    for length in shape:
        total *= length
    if total != self.size:
        raise ValueError(f"total size of new array must be unchanged: shapes {self.shape} and {shape}")
    is_c, is_f, _ = _array.contiguity(self)
    if order == "A":
        order = "F" if is_f and not is_c else "C"
    fortran = _order_is_fortran(order)
    turned = copy or copy is None and (is_c or is_f) and not (is_f if fortran else is_c)
    if shape == self.shape and not turned:
        return self
    strides = None if turned else _reshaped_strides(self.shape, self.strides, shape, self.itemsize, fortran)
    if strides is None:
        if copy is False:
            raise ValueError(f"an array of shape {self.shape} is not reshaped to {shape} without a copy")
        dense = _array.empty_like(self, None, order)
        _array.copy(dense, self, None)
        return dense.reshape(shape, order=order)
    return _array.view(self, 0, shape, strides, None)


def ravel(self, order="C"):
    """All elements in one axis of length `size`, in `order`: a view where that is possible, else a copy.

    `order` is "C", "F", "A", or "K" for that of the axes in memory.

    Examples
    --------
    >>> gpuarray.zeros((2, 2), np.int32).ravel()
    array([0, 0, 0, 0], dtype=int32)
    """
    if order == "C" and self.ndim == 1:
        return self
    if order == "K":
        places = [i for i in range(self.ndim) if self.strides[i] and self.shape[i] > 1]
        axes = list(range(self.ndim))
        for place, axis in zip(places, sorted(places, key=lambda i: -abs(self.strides[i]))):
            axes[place] = axis
        return self.transpose(axes).ravel()
    return self.reshape((self.size,), order=order)


def flatten(self, order="C"):
    """A copy of all elements in one axis of length `size`, in `order` as of `ravel`."""
    flat = self.ravel(order)
    return flat.copy() if flat is self or flat.base is not None else flat


def view(self, dtype=None):
    """The same memory with another dtype, reinterpreted along the axis of smallest stride.

    Examples
    --------
    >>> gpuarray.ones(1, np.float32).view(np.int32)
    array([1065353216], dtype=int32)
    """
    if dtype is None:
        return _array.view(self, 0, self.shape, self.strides, None)
    dtype = np.dtype(dtype)
    old, new = self.itemsize, dtype.itemsize
    shape, strides = list(self.shape), list(self.strides)
    if old != new:
        if not shape:
            raise ValueError(f"new type not compatible with array: {dtype} and shape ()")
        axis = builtins.min(range(len(shape)), key=lambda i: (shape[i] <= 1, abs(strides[i]), -i))
        total = shape[axis] * old
        if total % new or (strides[axis] != old and shape[axis] > 1):
            raise ValueError(
                f"new type not compatible with array: {dtype} and {self.dtype} of shape {self.shape}, "
                f"strides {self.strides}"
            )
        shape[axis] = total // new
        strides[axis] = new
    return _array.view(self, 0, shape, strides, dtype)


def field(self, name):
    """The elements of one field of structs: a view, as in NumPy.

    IndexError if the elements have no fields, ValueError if there is none of that name, or if kernels cannot read it
    because the structs are packed.
    """
    fields = self.dtype.fields
    if fields is None:
        raise IndexError(f"invalid subindex in axis 0: {name!r}, and elements of dtype {self.dtype} have no fields")
    if name not in fields:
        raise ValueError(f"no field {name!r}: the elements have {', '.join(map(repr, fields))}")
    dtype, offset = fields[name][:2]
    base = dtype.base
    boundary = base.itemsize if base.kind in "biufc" else base.alignment
    if self.size and builtins.any(distance % boundary for distance in (self.ptr + offset, *self.strides)):
        raise ValueError(
            f"field {name!r} is not at multiples of {boundary} bytes, as kernels need it for {base}: "
            "numpy.dtype(fields, align=True) lays structs out as C does"
        )
    inner = np.empty(dtype.shape, base).strides
    return _array.view(self, offset, (*self.shape, *dtype.shape), (*self.strides, *inner), base)


def squeeze(self, axis=None):
    """A view without axes of length one: without all of them, or without `axis`. ValueError if that is longer."""
    if axis is None:
        chosen = {i for i, length in enumerate(self.shape) if length <= 1}
    else:
        chosen = set(_reduced_axes(axis, self.ndim))
        if builtins.any(self.shape[i] != 1 for i in chosen):
            raise ValueError(f"cannot squeeze axes {axis} of an array of shape {self.shape}")
    kept = [i for i in range(self.ndim) if i not in chosen]
    if axis is None and self.size == 0:
        kept = [i for i in range(self.ndim) if self.shape[i] != 1]
    return _array.view(self, 0, [self.shape[i] for i in kept], [self.strides[i] for i in kept], None)


def transpose(self, axes=None, *more):
    """A view with its axes in the order `axes`, which may come one by one (none, or None: reversed).

    ValueError if they are not a permutation.

    Examples
    --------
    >>> gpuarray.zeros((2, 3), np.float32).transpose().shape
    (3, 2)
    """
    if axes is None and not more:
        axes = range(self.ndim - 1, -1, -1)
    else:
        if more or hasattr(axes, "__index__"):
            axes = (axes, *more)
        axes = [operator.index(axis) for axis in axes]
        if len(axes) != self.ndim:
            raise ValueError(f"axes don't match array: {axes} and shape {self.shape}")
        axes = [axis + self.ndim if axis < 0 else axis for axis in axes]
        if sorted(axes) != list(range(self.ndim)):
            raise ValueError(f"axes don't match array: {axes} and shape {self.shape}")
    return _array.view(self, 0, [self.shape[i] for i in axes], [self.strides[i] for i in axes], None)


def swapaxes(self, axis1, axis2):
    """A view with two axes exchanged; they count from the end if negative."""
    order = list(range(self.ndim))
    first, second = _axis(axis1, self.ndim), _axis(axis2, self.ndim)
    order[first], order[second] = order[second], order[first]
    return self.transpose(order)


def reverse(self, stream=None):
    """A copy with all elements in reverse order: of several axes, in that of the flattened array."""
    new = _array.empty_like(self, None, "C")
    flipped = self[(slice(None, None, -1),) * self.ndim] if self.ndim else self
    _array.copy(new, flipped, stream)
    return new


def real(self):
    """The real parts as a new array in the same order of axes; the array itself if it is real."""
    return _parts(self, 0).copy() if self.dtype.kind == "c" else self


def imag(self):
    """The imaginary parts as a new array in the same order of axes; zeros for real dtypes."""
    if self.dtype.kind != "c":
        return _array.empty_like(self, None, "K").fill(0)
    return _parts(self, 1).copy()


def set_real(self, value):
    """``self.real = value``: stores the real parts."""
    (_parts(self, 0) if self.dtype.kind == "c" else self)[...] = value


def set_imag(self, value):
    """``self.imag = value``: stores the imaginary parts. TypeError for real dtypes."""
    if self.dtype.kind != "c":
        raise TypeError(f"an array of dtype {self.dtype} has no imaginary parts to store")
    _parts(self, 1)[...] = value


def conj(self, out=None):
    """The complex conjugates as a new array (or in `out`); a real array itself."""
    if self.dtype.kind != "c" and out is None:
        return self
    return _array.apply("conjugate", (self,), out, None, None)
