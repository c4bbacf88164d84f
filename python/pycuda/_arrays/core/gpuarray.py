# SPDX-License-Identifier: MIT
"""The class of arrays on the device."""

from collections.abc import Sequence
from types import GenericAlias

import numpy as np

import pycuda.driver as driver
from pycuda import _driver
from pycuda._arrays.core.shapes import _axis, _dims, _order_is_fortran, splay
from pycuda._arrays.ops import interchange
from pycuda._arrays.ops.casting import Values
from pycuda._arrays.ops.reductions import Reductions
from pycuda._arrays.ops.textures import Textures
from pycuda._arrays.ops.transfers import Transfers
from pycuda._arrays.ops.views import Views
from pycuda.compyte.array import ArrayFlags

_array = _driver._array
_apply = _array.apply


def _start_compiler():
    from pycuda import compiler

    _array.set_compiler(compiler.the_compiler(), compiler._find_cache_folder(None))


_start_compiler()


class GPUArray(Transfers, Views, Values, Reductions, Textures, _driver._ArrayBase):
    """An array on the device.

    Parameters
    ----------
    shape : int or sequence of int
    dtype : dtype-like
    allocator : callable, optional
        Takes a number of bytes. None, or `pycuda.driver.mem_alloc`: the context's memory pool.
    base : object, optional
        Kept alive, for views.
    gpudata : optional
        The memory; anything that `int()` takes.
    strides : sequence of int, optional
        In bytes, unchecked.
    order : {"C", "F"}
    """

    __array_priority__ = 100
    # GPUArray[np.float32] in annotations: the stubs make the class generic in its element type.
    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, shape, dtype, allocator=None, base=None, gpudata=None, strides=None, order="C"):
        dtype = np.dtype(dtype)
        if dtype.hasobject:
            raise TypeError(f"elements of dtype {dtype} are Python objects, which a device cannot hold")
        fortran = _order_is_fortran(order)
        if gpudata is None:
            assert base is None, "base needs gpudata"
        elif not hasattr(gpudata, "__index__") and gpudata is not None:
            gpudata = int(gpudata)
        if allocator is driver.mem_alloc:
            allocator = None
        self._setup(_dims(shape), dtype, strides, fortran, allocator, base, gpudata)

    # What the original has as attributes.

    @property
    def flags(self):
        """What its memory is like, with `c_contiguous`, `f_contiguous` and `forc`."""
        return ArrayFlags(self)

    @property
    def _grid(self):
        return splay(self.size)[0]

    @property
    def _block(self):
        return splay(self.size)[1]

    @property
    def T(self):
        """A view with the axes reversed."""
        return self.transpose()

    # Other packages

    @property
    def __cuda_array_interface__(self):
        return interchange.cuda_array_interface(self)

    def __dlpack_device__(self):
        return interchange.dlpack_device(self)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return interchange.to_dlpack(self, stream, max_version, dl_device, copy)

    # The array API standard

    def __array_namespace__(self, *, api_version=None):
        from pycuda import array_api

        if api_version is not None and api_version not in ("2021.12", "2022.12", "2023.12", "2024.12"):
            raise ValueError(f"version {api_version!r} of the array API is not known: 2024.12 is")
        return array_api

    @property
    def device(self):
        """The device whose memory it is in."""
        return driver.Device(_array.device_number(self))

    def to_device(self, device, /, *, stream=None):
        """The array on a device: itself where it is there."""
        if device != self.device:
            raise ValueError(
                f"an array of shape {self.shape} on {self.device.name()} is not moved to {device!r}: copy it in "
                "a context of that device, or to the host with get()"
            )
        return self

    @property
    def mT(self):  # noqa: N802
        """The last two axes exchanged: a view."""
        if self.ndim < 2:
            raise ValueError(f"a matrix has two axes or more: {self.shape}")
        return self.swapaxes(-1, -2)

    # Indexing

    def __setitem__(self, index, value):
        if _is_selection(index):
            self._put(index, value)
            return
        _store(self[index], value)

    def __delitem__(self, index):
        raise ValueError("cannot delete array elements")

    def _select(self, index):
        from pycuda._arrays.ops import selection

        return selection.select(self, index)

    def _put(self, index, value):
        from pycuda._arrays.ops import selection

        selection.store(self, index, value)

    # Order

    def take(self, indices, axis=None, out=None, stream=None):
        """The elements at the indices, along an axis or of the flattened array."""
        from pycuda._arrays.ops import selection

        return selection.take(self, indices, out, stream, axis)

    def put(self, indices, values):
        """``self.flat[indices] = values``: positions in C order; `values` are repeated as needed."""
        from pycuda._arrays.ops import selection

        selection.put(self, indices, values)

    def nonzero(self):
        """The indices of the elements that are not zero, one array for each axis."""
        from pycuda._arrays.ops import selection

        return selection.nonzero(self)

    def sort(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
        """Put the elements in order along an axis, in place; equal ones keep their order, NaN is last.

        `kind` and `stable` are NumPy's, every kind is stable here; ValueError for an `order` of fields.
        """
        from pycuda._arrays.ops import sorting

        sorting.sorting_arguments(kind, order)
        _array.copy(self, sorting.sort(self, _axis(axis, self.ndim), descending=descending), None)

    def argsort(self, axis=-1, kind=None, order=None, *, stable=None, descending=False):
        """The int64 positions of the elements in order along an axis (None: of the flattened array); see `sort`."""
        from pycuda._arrays.ops import sorting

        sorting.sorting_arguments(kind, order)
        return sorting.argsort(self, axis, descending=descending)

    def searchsorted(self, v, side="left", sorter=None):
        """The int64 positions where `v` would go into this sorted array of one axis: see `searchsorted`."""
        from pycuda._arrays.ops import searching

        return searching.searchsorted(self, v, side, sorter)

    def cumsum(self, axis=None, dtype=None, out=None):
        """The sums of all elements up to each along an axis, in this shape; None: of the flattened array."""
        from pycuda._arrays.ops import scans

        return scans.cumsum(self, axis, dtype, out)

    def cumprod(self, axis=None, dtype=None, out=None):
        """The products of all elements up to each along an axis, in this shape; None: of the flattened array."""
        from pycuda._arrays.ops import scans

        return scans.cumprod(self, axis, dtype, out)

    # Arithmetic: the operators are slots of the base class.

    def __div__(self, other):
        return self / other

    def __rdiv__(self, other):
        return other / self

    def __idiv__(self, other):
        self /= other
        return self

    def mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None):
        """``selffac * self + otherfac * other``.

        `add_timer` is called with the number of elements that are read and written, and a function that waits and
        returns the seconds it took.
        """
        if add_timer is None:
            return _apply("mul_add", (selffac, self, otherfac, other), out, None, stream)
        start, end = driver.Event(), driver.Event()
        start.record(stream)
        result = _apply("mul_add", (selffac, self, otherfac, other), out, None, stream)
        end.record(stream)

        def seconds():
            end.synchronize()
            return end.time_since(start) * 1e-3

        add_timer(3 * self.size, seconds)
        return result

    def _axpbyz(self, selffac, other, otherfac, out, add_timer=None, stream=None):
        return self.mul_add(selffac, other, otherfac, add_timer, stream, out)

    def _axpbz(self, selffac, other, out, stream=None):
        """``out = selffac * self + other``."""
        return _apply("mul_add", (selffac, self, 1, other), out, None, stream)

    def _elwise_multiply(self, other, out, stream=None):
        return _apply("multiply", (self, other), out, None, stream)

    def _rdiv_scalar(self, other, out, stream=None):
        return _apply("true_divide", (other, self), out, None, stream)

    def _div(self, other, out, stream=None):
        return _apply("true_divide", (self, other), out, None, stream)

    def _pow(self, other, new):
        """``self ** other``, in a new array or in place."""
        if new:
            return self**other
        self **= other
        return self

    def _new_like_me(self, dtype=None, order="C"):
        made = _array.empty_like(self, None if dtype is None else np.dtype(dtype), "K" if dtype is None else order)
        if type(made) is type(self):
            return made
        return type(self)(self.shape, made.dtype, allocator=self.allocator, strides=made.strides)

    def __matmul__(self, other):
        if not isinstance(other, GPUArray):
            return NotImplemented
        from pycuda._arrays.ops.products import matmul

        return matmul(self, other)

    def __imatmul__(self, other):
        product = self @ other
        if product is NotImplemented:
            return NotImplemented
        if product.shape != self.shape:
            raise ValueError(f"a product of shape {product.shape} does not fit an array of shape {self.shape}")
        if not np.can_cast(product.dtype, self.dtype, "same_kind"):
            raise TypeError(f"a product of dtype {product.dtype} cannot be stored with dtype {self.dtype}")
        _array.copy(self, product, None)
        return self

    def __round__(self, ndigits=None):
        from pycuda._arrays.ops.where import round_

        return round_(self, ndigits or 0)


# What users know, pickles name and documentation shows.
GPUArray.__module__ = "pycuda.gpuarray"
_driver._set_array_class(GPUArray)


_NO_SELECTION = (int, slice, type(None), type(Ellipsis))  # the usual ones, told at once


def _is_selection(index):
    """Whether the index holds arrays, sequences or truth values."""
    return any(
        type(one) not in _NO_SELECTION
        and (isinstance(one, (bool, np.bool_, np.ndarray, GPUArray)) or _is_sequence(one))
        for one in (index if isinstance(index, tuple) else (index,))
    )


def _is_sequence(item):
    """Whether a part of an index is a sequence, which NumPy takes as an array."""
    return isinstance(item, Sequence) and not isinstance(item, (str, bytes))


def _store(view, value):
    """Put an array or a number into a view."""
    if isinstance(value, GPUArray):
        if value.dtype.kind == "c" and view.dtype.kind in "fiu":
            raise TypeError(f"elements of dtype {value.dtype} cannot be stored with {view.dtype}")
        try:
            _array.copy(view, value, None)
        except ValueError:
            if value.ndim <= view.ndim:
                raise
            _array.copy(view, _without_ones(value, view.shape), None)
        return
    if isinstance(value, (np.ndarray, list, tuple)) and view.dtype.names is None:
        host = np.asarray(value)
        if host.ndim:
            if host.dtype.kind == "c" and view.dtype.kind in "fiu":
                raise TypeError(f"elements of dtype {host.dtype} cannot be stored with {view.dtype}")
            if isinstance(value, np.ndarray):
                host = _without_ones(host, view.shape)
            else:
                host = np.array(value, view.dtype)  # refuses numbers that do not fit, as astype does not
            host = np.broadcast_to(host, view.shape)
            view._set(host.astype(view.dtype, copy=False), False, None)
            return
        value = host[()]
    elif isinstance(value, np.ndarray) and value.ndim:
        view._set(np.broadcast_to(_without_ones(value, view.shape), view.shape), False, None)
        return
    _array.fill(view, value, None)


def _without_ones(value, shape):
    """The array without first axes of length one that `shape` does not have; ValueError if they are longer."""
    extra = value.ndim - len(shape)
    if extra <= 0:
        return value
    if any(length != 1 for length in value.shape[:extra]):
        raise ValueError(f"could not broadcast an array of shape {value.shape} into shape {shape}")
    return value.reshape(value.shape[extra:])
