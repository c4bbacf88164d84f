# SPDX-License-Identifier: MIT
"""Arrays on the device that work like NumPy's.

Notes
-----
Differences from the original: operands broadcast and may have any strides; copies between host and
device keep every element in its place whatever the orders; comparisons have dtype bool; ``/`` is
true division; ``//``, ``%``, bit operators, and indexing with arrays exist; reductions take `axis`,
`keepdims` and `dtype`. Memory comes from a pool when no `allocator` is given, or `mem_alloc` is.
"""

from __future__ import annotations

import builtins
import operator
import warnings

import numpy as np

import pycuda.driver as driver
from pycuda import _driver
from pycuda.compyte.array import ArrayFlags
from pycuda.compyte.array import get_common_dtype as _get_common_dtype_base

_array = _driver._array
_apply = _array.apply


def _start_compiler():
    from pycuda import compiler

    _array.set_compiler(compiler._the_compiler(), compiler._find_cache_folder(None))


_start_compiler()


def _get_common_dtype(obj1, obj2):
    return _get_common_dtype_base(obj1, obj2, True)


def splay(n, dev=None):
    """Grid and block for a kernel that goes through `n` elements."""
    if dev is None:
        dev = driver.Context.get_device()
    multiprocessors = dev.get_attribute(driver.device_attribute.MULTIPROCESSOR_COUNT)
    most_blocks = 4 * 8 * multiprocessors
    least_threads, most_threads = 32, 128
    if n < least_threads:
        blocks, threads = 1, least_threads
    elif n < most_blocks * least_threads:
        blocks, threads = (n + least_threads - 1) // least_threads, least_threads
    elif n < most_blocks * most_threads:
        groups = (n + least_threads - 1) // least_threads
        blocks = most_blocks
        threads = (groups + most_blocks - 1) // most_blocks * least_threads
    else:
        blocks, threads = most_blocks, most_threads
    return (blocks, 1), (threads, 1, 1)


def _dims(shape):
    """A tuple of ints from what the original takes as a shape."""
    if isinstance(shape, (str, bytes)):
        raise AssertionError("a shape must be an integer or integers, not a text")
    if isinstance(shape, int):
        shape = (shape,)
    elif not isinstance(shape, tuple):
        try:
            shape = tuple(shape)
        except TypeError:
            shape = (shape,)
    lengths = tuple(operator.index(length) for length in shape)
    if builtins.any(length < 0 for length in lengths):
        raise OverflowError(f"the shape {lengths} has a negative length")
    return lengths


def _order_is_fortran(order):
    if order == "C":
        return False
    if order == "F":
        return True
    raise ValueError(f"invalid order: {order}")


def _same_strides(first, second, shape):
    return builtins.all(a == b for a, b, length in zip(first, second, shape) if length > 1)


def _compact_strides(shape, strides, itemsize):
    """Dense strides with the axes in the same order."""
    result = [0] * len(shape)
    step = itemsize
    for axis in sorted(range(len(shape)), key=lambda i: (abs(strides[i]), -i)):
        result[axis] = step
        step *= builtins.max(shape[axis], 1)
    return tuple(result)


class GPUArray(_driver._ArrayBase):
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

    def __init__(self, shape, dtype, allocator=None, base=None, gpudata=None, strides=None, order="C"):
        dtype = np.dtype(dtype)
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
        """Contiguity: `c_contiguous`, `f_contiguous`, `forc`."""
        return ArrayFlags(self)

    @property
    def _grid(self):
        return splay(self.size)[0]

    @property
    def _block(self):
        return splay(self.size)[1]

    @property
    def T(self):
        """The array with its axes reversed."""
        return self.transpose()

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "strides": self.strides,
            "data": (self.ptr if self.size else 0, False),
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "stream": None,
            "version": 3,
        }

    # Transfers

    def set(self, ary, async_=False, stream=None, **kwargs):
        """Copy from the host."""
        async_ = _async_keyword(async_, kwargs)
        if ary.size != self.size:
            raise ValueError("ary and self must be the same size")
        if ary.dtype != self.dtype:
            raise ValueError("ary and self must have the same dtype")
        if ary.shape != self.shape:
            warnings.warn(f"Setting array of shape {self.shape} from one of shape {ary.shape}.", stacklevel=2)
            ary = ary.reshape(self.shape)
        self._set(ary, async_, stream)

    def _set(self, ary, async_, stream):
        if isinstance(ary, GPUArray):
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
        staged = GPUArray(self.shape, self.dtype)
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
            if ary.size != self.size:
                raise ValueError(f"self and ary must be the same size: shapes {shape} and {ary.shape}")
            if ary.dtype != dtype:
                raise TypeError("self and ary must have the same dtype")
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
            dense = GPUArray(
                self.shape,
                self.dtype,
                strides=_compact_strides(self.shape, self.strides, self.itemsize),
            )
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
        """Copy to the host, in the order of the stream."""
        return self.get(ary=ary, async_=True, stream=stream, **kwargs)

    def copy(self):
        """A copy with the same order of axes."""
        new = _array.empty_like(self, None, "K")
        _array.copy(new, self, None)
        return new

    def fill(self, value, stream=None):
        """Make every element `value`."""
        _array.fill(self, value, stream)
        return self

    # Views

    def reshape(self, *shape, **kwargs):
        """The same elements in another shape: a view where that is possible, else a copy."""
        order = kwargs.pop("order", "C")
        if kwargs:
            raise TypeError(f"unexpected keyword arguments: {', '.join(kwargs)}")
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
        if shape == self.shape:
            return self
        if order == "A":
            order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
        fortran = _order_is_fortran(order)
        strides = _reshaped_strides(self.shape, self.strides, shape, self.itemsize, fortran)
        if strides is None:
            dense = _array.empty_like(self, None, order)
            _array.copy(dense, self, None)
            return dense.reshape(shape, order=order)
        return _array.view(self, 0, shape, strides, None)

    def ravel(self, order="C"):
        """All elements in one axis."""
        return self.reshape((self.size,), order=order)

    def flatten(self, order="C"):
        """A copy of all elements in one axis."""
        flat = self.ravel(order)
        return flat.copy() if flat is self or flat.base is not None else flat

    def view(self, dtype=None):
        """The same memory with another dtype, reinterpreted along the axis of smallest stride."""
        if dtype is None:
            return _array.view(self, 0, self.shape, self.strides, None)
        dtype = np.dtype(dtype)
        old, new = self.itemsize, dtype.itemsize
        shape, strides = list(self.shape), list(self.strides)
        if old != new:
            if not shape:
                raise ValueError("new type not compatible with array")
            axis = builtins.min(range(len(shape)), key=lambda i: (shape[i] <= 1, abs(strides[i]), -i))
            total = shape[axis] * old
            if total % new or (strides[axis] != old and shape[axis] > 1):
                raise ValueError("new type not compatible with array")
            shape[axis] = total // new
            strides[axis] = new
        return _array.view(self, 0, shape, strides, dtype)

    def squeeze(self, axis=None):
        """The array without axes of length one."""
        if axis is None:
            chosen = {i for i, length in enumerate(self.shape) if length <= 1}
        else:
            chosen = set(_axes(axis, self.ndim))
            if builtins.any(self.shape[i] != 1 for i in chosen):
                raise ValueError(f"cannot squeeze axes {axis} of an array of shape {self.shape}")
        kept = [i for i in range(self.ndim) if i not in chosen]
        if axis is None and self.size == 0:
            kept = [i for i in range(self.ndim) if self.shape[i] != 1]
        return _array.view(self, 0, [self.shape[i] for i in kept], [self.strides[i] for i in kept], None)

    def transpose(self, axes=None):
        """The array with its axes in another order."""
        if axes is None:
            axes = range(self.ndim - 1, -1, -1)
        else:
            axes = [operator.index(axis) for axis in axes]
            if len(axes) != self.ndim:
                raise ValueError("axes don't match array")
            axes = [axis + self.ndim if axis < 0 else axis for axis in axes]
            if sorted(axes) != list(range(self.ndim)):
                raise ValueError("axes don't match array")
        return _array.view(self, 0, [self.shape[i] for i in axes], [self.strides[i] for i in axes], None)

    def swapaxes(self, axis1, axis2):
        """The array with two axes exchanged."""
        order = list(range(self.ndim))
        first, second = _axis(axis1, self.ndim), _axis(axis2, self.ndim)
        order[first], order[second] = order[second], order[first]
        return self.transpose(order)

    def astype(self, dtype, stream=None, copy=True):
        """A copy with another dtype."""
        dtype = np.dtype(dtype)
        if not copy and dtype == self.dtype:
            return self
        if self.dtype.kind == "c" and dtype.kind in "fiu":
            warnings.warn(
                "Casting complex values to real discards the imaginary part",
                np.exceptions.ComplexWarning,
                stacklevel=2,
            )
        new = _array.empty_like(self, dtype, "K")
        _array.copy(new, self, stream)
        return new

    def reverse(self, stream=None):
        """A copy with all elements in reverse order."""
        new = _array.empty_like(self, None, "C")
        flipped = self[(slice(None, None, -1),) * self.ndim] if self.ndim else self
        _array.copy(new, flipped, stream)
        return new

    @property
    def real(self):
        """The real parts: a view."""
        if self.dtype.kind != "c":
            return self
        return _array.view(self, 0, self.shape, self.strides, _part(self.dtype))

    @property
    def imag(self):
        """The imaginary parts: a view; zeros for real dtypes."""
        if self.dtype.kind != "c":
            return zeros_like(self)
        part = _part(self.dtype)
        return _array.view(self, part.itemsize, self.shape, self.strides, part)

    def conj(self, out=None):
        """The complex conjugates; a real array itself."""
        if self.dtype.kind != "c" and out is None:
            return self
        return _apply("conjugate", (self,), out, None, None)

    conjugate = conj

    # Indexing

    def __setitem__(self, index, value):
        if _is_selection(index):
            self._put(index, value)
            return
        _store(self[index], value)

    def _select(self, index):
        from pycuda import _array_selection

        return _array_selection.select(self, index)

    def _put(self, index, value):
        from pycuda import _array_selection

        _array_selection.put(self, index, value)

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(self.shape[0]))

    # Values

    def __bool__(self):
        if self.size == 1:
            return bool(self.get().reshape(())[()])
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")

    def __hash__(self):
        raise TypeError("GPUArrays are not hashable.")

    def __str__(self):
        return str(self.get())

    def __repr__(self):
        return repr(self.get())

    def __format__(self, spec):
        return format(self.get()[()] if self.ndim == 0 else self.get(), spec)

    def item(self, *args):
        """One element as a Python number."""
        return self.get().item(*args)

    def tolist(self):
        """The elements as nested lists of Python numbers."""
        return self.get().tolist()

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __complex__(self):
        return complex(self.item())

    def __index__(self):
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer arrays without axes can be converted to an index")
        return operator.index(self.item())

    def __array__(self, dtype=None, copy=None):
        raise TypeError("a GPUArray is not converted to a NumPy array by itself: call its get() method")

    def __reduce__(self):
        return _restore, (type(self), self.get())

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    # Arithmetic: the operators are slots of the base class.

    def __div__(self, other):
        return self / other

    def __rdiv__(self, other):
        return other / self

    def __idiv__(self, other):
        self /= other
        return self

    def mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None):
        """``selffac * self + otherfac * other``."""
        if add_timer is not None:
            raise NotImplementedError("add_timer: time with events instead")
        return _apply("mul_add", (selffac, self, otherfac, other), out, None, stream)

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

    def _new_like_me(self, dtype=None, order="C"):
        return _array.empty_like(self, None if dtype is None else np.dtype(dtype), "K" if dtype is None else order)

    def __matmul__(self, other):
        if not isinstance(other, GPUArray):
            return NotImplemented
        return matmul(self, other)

    def __round__(self, ndigits=None):
        return round_(self, ndigits or 0)

    # Reductions by NumPy's rules

    def any(self, axis=None, stream=None, allocator=None, keepdims=False, out=None):
        """Whether any element is true."""
        return _reduce("any", self, axis, None, stream, keepdims, out)

    def all(self, axis=None, stream=None, allocator=None, keepdims=False, out=None):
        """Whether all elements are true."""
        return _reduce("all", self, axis, None, stream, keepdims, out)

    def sum(self, axis=None, dtype=None, out=None, keepdims=False, stream=None):
        """The sum; small integers are summed in 64 bits, as NumPy does."""
        dtype = _sum_dtype(self.dtype) if dtype is None else dtype
        return _reduce("sum", self, axis, dtype, stream, keepdims, out)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False, stream=None):
        """The product; small integers in 64 bits, as NumPy does."""
        dtype = _sum_dtype(self.dtype) if dtype is None else dtype
        return _reduce("prod", self, axis, dtype, stream, keepdims, out)

    def max(self, axis=None, out=None, keepdims=False, stream=None):
        """The largest element; NaN if there is one."""
        return _reduce("max", self, axis, None, stream, keepdims, out)

    def min(self, axis=None, out=None, keepdims=False, stream=None):
        """The smallest element; NaN if there is one."""
        return _reduce("min", self, axis, None, stream, keepdims, out)

    def argmax(self, axis=None, out=None, keepdims=False, stream=None):
        """Where the first largest element is."""
        return _find("argmax", self, axis, stream, keepdims, out)

    def argmin(self, axis=None, out=None, keepdims=False, stream=None):
        """Where the first smallest element is."""
        return _find("argmin", self, axis, stream, keepdims, out)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False, stream=None):
        """The mean."""
        if dtype is None:
            dtype = self.dtype if self.dtype.kind in "fc" else np.dtype(np.float64)
        wide = np.dtype(np.float32) if np.dtype(dtype) == np.float16 else np.dtype(dtype)
        total = _reduce("sum", self, axis, wide, stream, keepdims, None)
        count = self.size // builtins.max(total.size, 1) if total.size else 0
        with_count = float("nan") if count == 0 else count
        return _apply(
            "true_divide",
            (total, with_count),
            out,
            None if out is not None else np.dtype(dtype),
            stream,
        )

    def var(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, stream=None):
        """The variance."""
        if dtype is None:
            dtype = self.dtype if self.dtype.kind in "fc" else np.dtype(np.float64)
        wide = np.dtype(np.float32) if np.dtype(dtype) == np.float16 else np.dtype(dtype)
        apart = self - self.mean(axis, wide, keepdims=True, stream=stream)
        size = _apply("absolute", (apart,), None, None, stream) if apart.dtype.kind == "c" else apart
        squares = size * size
        total = _reduce("sum", squares, axis, squares.dtype, stream, keepdims, None)
        count = self.size // builtins.max(total.size, 1) - ddof if total.size else 0
        result_dtype = _part(np.dtype(dtype)) if np.dtype(dtype).kind == "c" else np.dtype(dtype)
        divisor = count if count > 0 else float("nan")
        return _apply("true_divide", (total, divisor), out, None if out is not None else result_dtype, stream)

    def std(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False, stream=None):
        """The standard deviation."""
        variance = self.var(axis, dtype, None, ddof, keepdims, stream)
        return _apply("sqrt", (variance,), out, None, stream)

    def dot(self, other, stream=None):
        """The product of vectors or matrices, as NumPy's."""
        if self.ndim == 0 or other.ndim == 0:
            return self * other
        if self.ndim == 1 and other.ndim == 1:
            return dot(self, other, stream=stream)
        return matmul(self, other)

    def clip(self, min=None, max=None, out=None, stream=None):
        """The elements, no smaller than `min` and no larger than `max`."""
        return clip(self, min, max, out, stream)

    # NumPy's protocols

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        from pycuda import _numpy_protocols

        return _numpy_protocols.array_ufunc(ufunc, method, inputs, out, kwargs)

    def __array_function__(self, func, types, args, kwargs):
        from pycuda import _numpy_protocols

        return _numpy_protocols.array_function(func, types, args, kwargs)

    # Textures

    def bind_to_texref(self, texref, allow_offset=False):
        """Bind to a texture reference; gives the offset in elements."""
        return texref.set_address(self.gpudata, self.nbytes, allow_offset=allow_offset) / self.itemsize

    def bind_to_texref_ext(
        self,
        texref,
        channels=1,
        allow_double_hack=False,
        allow_complex_hack=False,
        allow_offset=False,
    ):
        """Bind to a texture reference and set its format; gives the offset in elements."""
        dtype = self.dtype
        flags = driver.TRSF_READ_AS_INTEGER
        if dtype == np.float64 and allow_double_hack:
            channels, texture_dtype = 2, np.dtype(np.int32)
        elif dtype == np.complex64 and allow_complex_hack:
            channels, texture_dtype, flags = 2, np.dtype(np.float32), 0
        elif dtype == np.complex128 and allow_complex_hack:
            channels, texture_dtype = 4, np.dtype(np.int32)
        else:
            texture_dtype = dtype
            flags = 0 if dtype == np.float32 else flags
        texref.set_format(driver.dtype_to_array_format(texture_dtype), channels)
        texref.set_flags(texref.get_flags() | flags)
        return self.bind_to_texref(texref, allow_offset)


_array_init = GPUArray.__init__
_driver._set_array_init(_array_init)


def _restore(cls, ary):
    new = to_gpu(ary)
    if cls is GPUArray:
        return new
    return cls(new.shape, new.dtype, base=new, gpudata=new.gpudata, strides=new.strides)


def _async_keyword(async_, kwargs):
    if "async" in kwargs:
        if async_:
            raise TypeError("may not specify both 'async' and 'async_'")
        async_ = kwargs.pop("async")
    if kwargs:
        raise TypeError(f"extra keyword arguments specified: {', '.join(kwargs)}")
    return async_


def _part(dtype):
    """The dtype of the parts of a complex dtype."""
    return np.dtype(np.float32) if dtype == np.complex64 else np.dtype(np.float64)


def _axis(axis, ndim):
    number = operator.index(axis)
    if not -ndim <= number < ndim:
        raise np.exceptions.AxisError(number, ndim)
    return number % ndim


def _axes(axis, ndim):
    """Axes as a list of different non-negative numbers; all of them for None."""
    if axis is None:
        return list(range(ndim))
    numbers = [_axis(one, ndim) for one in (axis if isinstance(axis, (tuple, list)) else (axis,))]
    if len(set(numbers)) != len(numbers):
        raise ValueError("duplicate value in 'axis'")
    return numbers


def _reshaped_strides(shape, strides, new_shape, itemsize, fortran):
    """Strides of the same elements in another shape, or None when only a copy can have it."""
    if 0 in shape or not new_shape or not shape:
        probe = np.ndarray(new_shape, np.dtype((np.void, itemsize)), np.empty(0, np.uint8)) if 0 in shape else None
        if probe is not None:
            return probe.strides
        return (itemsize,) * len(new_shape)
    # NumPy knows the rule; as_strided touches no memory.
    probe = np.lib.stride_tricks.as_strided(np.empty(1, np.dtype((np.void, itemsize))), shape, strides)
    probe = probe.view()
    try:
        reshaped = probe.reshape(new_shape, order="F" if fortran else "C", copy=False)
    except ValueError:
        return None
    return reshaped.strides


def _is_selection(index):
    """Whether the index holds arrays or lists."""
    if isinstance(index, tuple):
        return builtins.any(_is_selection(one) for one in index)
    if index is None or index is Ellipsis or isinstance(index, (int, slice, np.integer)):
        return False
    return isinstance(index, (list, np.ndarray, GPUArray))


def _store(view, value):
    """Put an array or a number into a view."""
    if isinstance(value, GPUArray):
        if value.dtype.kind == "c" and view.dtype.kind in "fiu":
            raise TypeError(f"elements of dtype {value.dtype} cannot be stored with {view.dtype}")
        _array.copy(view, value, None)
        return
    if isinstance(value, (np.ndarray, list, tuple)) and view.dtype.names is None:
        host = np.asarray(value)
        if host.ndim:
            if host.dtype.kind == "c" and view.dtype.kind in "fiu":
                raise TypeError(f"elements of dtype {host.dtype} cannot be stored with {view.dtype}")
            if isinstance(value, (list, tuple)):
                host = host.astype(view.dtype)
            view._set(np.broadcast_to(host, view.shape).astype(view.dtype, copy=False), False, None)
            return
        value = host[()]
    elif isinstance(value, np.ndarray) and value.ndim:
        view._set(np.broadcast_to(value, view.shape), False, None)
        return
    _array.fill(view, value, None)


# Creation

empty = GPUArray


def to_gpu(ary, allocator=None):
    """A copy on the device, with the axes in the same order."""
    if isinstance(ary, np.ndarray):
        shape = ary.shape
    elif isinstance(ary, np.generic):
        raise TypeError("to_gpu takes arrays, not numbers")
    else:
        shape = ary.shape
    new = GPUArray(shape, ary.dtype, allocator, None, None, _compact_of(ary))
    new._set(ary, False, None)
    return new


def _compact_of(ary):
    """Compact strides of an array in the order of its axes; None for C order."""
    flags = ary.flags
    if flags.c_contiguous:
        return None
    return _compact_strides(ary.shape, ary.strides, ary.dtype.itemsize)


def to_gpu_async(ary, allocator=None, stream=None):
    """A copy on the device, in the order of the stream."""
    new = GPUArray(ary.shape, ary.dtype, allocator, None, None, _compact_of(ary))
    new._set(ary, True, stream)
    return new


def zeros(shape, dtype=np.float64, allocator=None, order="C"):
    """An array of zeros."""
    new = GPUArray(shape, dtype, allocator, order=order)
    if new.size:
        _array.fill(new, np.zeros((), new.dtype)[()] if new.dtype.names else 0, None)
    return new


def ones(shape, dtype=np.float64, allocator=None, order="C"):
    """An array of ones."""
    new = GPUArray(shape, dtype, allocator, order=order)
    if new.size:
        _array.fill(new, np.ones((), new.dtype)[()] if new.dtype.names else 1, None)
    return new


def full(shape, fill_value, dtype=None, allocator=None, order="C"):
    """An array of one value."""
    dtype = np.asarray(fill_value).dtype if dtype is None else dtype
    return GPUArray(shape, dtype, allocator, order=order).fill(fill_value)


def _like(other, dtype, order):
    if order == "A":
        order = "F" if other.flags.f_contiguous and not other.flags.c_contiguous else "C"
    if order not in ("C", "F", "K"):
        raise ValueError(f"Unsupported order: {order!r}")
    return _array.empty_like(other, None if dtype is None else np.dtype(dtype), order)


def empty_like(other_ary, dtype=None, order="K"):
    """An array of the same shape, not initialised."""
    return _like(other_ary, dtype, order)


def zeros_like(other_ary, dtype=None, order="K"):
    """An array of zeros of the same shape."""
    new = _like(other_ary, dtype, order)
    if new.size:
        _array.fill(new, np.zeros((), new.dtype)[()] if new.dtype.names else 0, None)
    return new


def ones_like(other_ary, dtype=None, order="K"):
    """An array of ones of the same shape."""
    new = _like(other_ary, dtype, order)
    if new.size:
        _array.fill(new, np.ones((), new.dtype)[()] if new.dtype.names else 1, None)
    return new


def full_like(other_ary, fill_value, dtype=None, order="K"):
    """An array of one value of the same shape."""
    return _like(other_ary, dtype, order).fill(fill_value)


def arange(*args, **kwargs):
    """``arange([start,] stop[, step], dtype=None, stream=None)``: evenly spaced numbers."""
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
            raise ValueError(f"unexpected keyword argument '{name}'")
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
    """An array on the device from anything that numpy.asarray takes."""
    if isinstance(object, GPUArray):
        return object.copy() if dtype is None else object.astype(dtype)
    return to_gpu(np.asarray(object, dtype), allocator)


def asarray(object, dtype=None):
    """An array on the device: the object itself, if it is one already."""
    if isinstance(object, GPUArray):
        return object if dtype is None else object.astype(dtype, copy=False)
    interface = getattr(object, "__cuda_array_interface__", None)
    if interface is not None:
        view = from_cuda_array_interface(object)
        return view if dtype is None else view.astype(dtype, copy=False)
    return to_gpu(np.asarray(object, dtype))


def from_cuda_array_interface(object):
    """The memory of another package's array as a GPUArray, which keeps that array alive."""
    interface = object.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise TypeError("masked arrays are not supported")
    dtype = np.dtype(interface["typestr"])
    if dtype.kind == "V" and interface.get("descr"):
        dtype = np.dtype(interface["descr"])
    stream = interface.get("stream")
    if stream is not None:
        driver.Context.synchronize()
    return GPUArray(
        interface["shape"],
        dtype,
        base=object,
        gpudata=interface["data"][0],
        strides=interface.get("strides"),
    )


def _shared_allocator(arrays, allocator):
    return arrays[0].allocator if allocator is None else allocator


def concatenate(arrays, axis=0, allocator=None):
    """Arrays one after the other along an existing axis."""
    arrays = list(arrays)
    if not arrays:
        raise ValueError("need at least one array to concatenate")
    first = arrays[0]
    if not first.ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    axis = _axis(axis, first.ndim)
    total = 0
    dtype = first.dtype
    for i, ary in enumerate(arrays):
        if ary.ndim != first.ndim:
            raise ValueError(f"{i}'th array has different number of axes: shall have {first.ndim}, has {ary.ndim}")
        rest = ary.shape[:axis] + ary.shape[axis + 1 :]
        if rest != first.shape[:axis] + first.shape[axis + 1 :]:
            raise ValueError(
                f"{i}'th array has residual not matching other arrays: shapes {ary.shape} and "
                f"{first.shape}, axis {axis}"
            )
        total += ary.shape[axis]
        if ary.dtype != dtype:
            dtype = np.result_type(dtype, ary.dtype)
    shape = (*first.shape[:axis], total, *first.shape[axis + 1 :])
    result = GPUArray(shape, dtype, _shared_allocator(arrays, allocator))
    start = 0
    for ary in arrays:
        where_ = (slice(None),) * axis + (slice(start, start + ary.shape[axis]),)
        if ary.size:
            _array.copy(result[where_], ary, None)
        start += ary.shape[axis]
    return result


def stack(arrays, axis=0, allocator=None):
    """Arrays one after the other along a new axis."""
    arrays = list(arrays)
    if not arrays:
        raise ValueError("need at least one array to stack")
    shape = arrays[0].shape
    if builtins.any(ary.shape != shape for ary in arrays):
        raise ValueError("arrays must have the same shape")
    if not -len(shape) - 1 <= axis <= len(shape):
        raise ValueError("invalid axis")
    axis %= len(shape) + 1
    where_ = (slice(None),) * axis + (None,)
    return concatenate([ary[where_] for ary in arrays], axis, allocator)


def transpose(a, axes=None):
    """`GPUArray.transpose` as a function."""
    return a.transpose(axes)


def broadcast_to(a, shape):
    """The array repeated along axes of length one and new axes: a view."""
    shape = _dims(shape)
    missing = len(shape) - a.ndim
    if missing < 0 or builtins.any(have not in (1, want) for have, want in zip(a.shape, shape[missing:])):
        raise ValueError(f"could not broadcast from shape {a.shape} into shape {shape}")
    strides = (0,) * missing + tuple(
        step if have == want else 0 for step, have, want in zip(a.strides, a.shape, shape[missing:])
    )
    return _array.view(a, 0, shape, strides, None)


def reshape(a, *shape, **kwargs):
    """`GPUArray.reshape` as a function."""
    return a.reshape(*shape, **kwargs)


# Selection


def take(a, indices, out=None, stream=None):
    """The elements of the flattened array at the indices."""
    from pycuda import _array_selection

    return _array_selection.take(a, indices, out, stream)


def multi_take(arrays, indices, out=None, stream=None):
    """`take` of several arrays at the same indices: a list."""
    arrays = list(arrays)
    outs = [None] * len(arrays) if out is None else out
    return [take(ary, indices, one, stream) for ary, one in zip(arrays, outs)]


def multi_take_put(arrays, dest_indices, src_indices, dest_shape=None, out=None, stream=None, src_offsets=None):
    """``out[i][dest_indices] = arrays[i][src_indices]``: a list."""
    from pycuda import _array_selection

    return _array_selection.multi_take_put(
        list(arrays), dest_indices, src_indices, dest_shape, out, stream, src_offsets
    )


def multi_put(arrays, dest_indices, dest_shape=None, out=None, stream=None):
    """``out[i][dest_indices] = arrays[i]``: a list."""
    from pycuda import _array_selection

    return _array_selection.multi_put(list(arrays), dest_indices, dest_shape, out, stream)


# Conditionals


def if_positive(criterion, then_, else_, out=None, stream=None):
    """`then_` where the criterion is greater than zero, else `else_`."""
    shapes = [one.shape for one in (criterion, then_, else_) if isinstance(one, GPUArray)]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(f"shapes do not match: {shapes}") from None
    return _apply("if_positive", (criterion, then_, else_), out, None, stream)


def where(criterion, then_=None, else_=None, out=None, stream=None):
    """`then_` where the criterion is not zero, else `else_`."""
    if then_ is None and else_ is None:
        return nonzero(criterion)
    return _apply("where", (criterion, then_, else_), out, None, stream)


def _extreme(name, a, b, out, stream):
    if not isinstance(a, GPUArray) and not isinstance(b, GPUArray):
        return getattr(np, name)(a, b)
    return _apply(name, (a, b), out, None, stream)


def maximum(a, b, out=None, stream=None):
    """The larger of each pair of elements; a NaN gives way to a number."""
    return _extreme("fmax", a, b, out, stream)


def minimum(a, b, out=None, stream=None):
    """The smaller of each pair of elements; a NaN gives way to a number."""
    return _extreme("fmin", a, b, out, stream)


def clip(a, min=None, max=None, out=None, stream=None):
    """The elements, no smaller than `min` and no larger than `max`."""
    if min is None and max is None:
        return _apply("positive", (a,), out, None, stream)
    if min is None:
        return _apply("minimum", (a, max), out, None, stream)
    if max is None:
        return _apply("maximum", (a, min), out, None, stream)
    return _apply("clip", (a, min, max), out, None, stream)


def _logical(name, operands, out, allocator):
    for operand in operands:
        if isinstance(operand, np.ndarray):
            raise ValueError(f"{name} takes arrays on the device and numbers, not numpy.ndarray")
    if not builtins.any(isinstance(operand, GPUArray) for operand in operands):
        value = getattr(np, name)(*operands)
        result = GPUArray((), np.bool_, allocator) if out is None else out
        return result.fill(bool(value))
    return _apply(name, operands, out, None, None)


def logical_and(x1, x2, /, out=None, *, allocator=None):
    """Whether both are true."""
    return _logical("logical_and", (x1, x2), out, allocator)


def logical_or(x1, x2, /, out=None, *, allocator=None):
    """Whether one is true."""
    return _logical("logical_or", (x1, x2), out, allocator)


def logical_not(x, /, out=None, *, allocator=None):
    """Whether it is false."""
    return _logical("logical_not", (x,), out, allocator)


def round_(a, decimals=0, out=None, stream=None):
    """The elements rounded to so many decimals, halves to even."""
    if a.dtype.kind in "iub" and decimals >= 0:
        return a.copy()
    if decimals == 0:
        return _apply("rint", (a,), out, a.dtype, stream)
    factor = 10.0**decimals
    return _apply("rint", (a * factor,), None, None, stream) / factor


def nonzero(a):
    """The indices of the elements that are not zero: a tuple of arrays, one for each axis."""
    from pycuda import _array_selection

    return _array_selection.nonzero(a)


# Reductions


def _sum_dtype(dtype):
    if dtype.kind in "bi" and dtype.itemsize < 8:
        return np.dtype(np.int64)
    if dtype.kind == "u" and dtype.itemsize < 8:
        return np.dtype(np.uint64)
    return dtype


def _finish(result, a, axes, keepdims, out, stream):
    if keepdims:
        result = result.reshape(tuple(1 if i in axes else length for i, length in enumerate(a.shape)))
    if out is None:
        return result
    if out.shape != result.shape:
        raise ValueError(f"out has shape {out.shape}, the result has shape {result.shape}")
    if not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise TypeError(f"a result of dtype {result.dtype} cannot be stored with dtype {out.dtype}")
    _array.copy(out, result, stream)
    return out


def _reduce(name, a, axis, dtype, stream, keepdims=False, out=None, second=None):
    if axis is None and not keepdims and out is None:
        mask = -1 + (1 << a.ndim)
        axes = ()
    else:
        axes = _axes(axis, a.ndim)
        mask = builtins.sum(1 << i for i in axes)
    if name in ("any", "all"):
        computed = dtype = np.dtype(np.bool_)
    else:
        dtype = a.dtype if dtype is None else np.dtype(dtype)
        computed = dtype
    result = _array.reduce(name, a, second, mask, computed, dtype, stream)
    if not keepdims and out is None:
        return result
    return _finish(result, a, axes, keepdims, out, stream)


_POSITION = np.dtype(np.int64)


def _find(name, a, axis, stream, keepdims, out):
    axes = _axes(axis, a.ndim)
    if axis is not None and len(axes) != 1:
        raise TypeError("argmax and argmin take one axis or none")
    mask = builtins.sum(1 << i for i in axes)
    result = _array.reduce(name, a, None, mask, a.dtype, _POSITION, stream)
    return _finish(result, a, axes, keepdims, out, stream)


def _allocated(result, allocator):
    if allocator is None:
        return result
    return GPUArray(result.shape, result.dtype, allocator)._filled_from(result)


def _filled_from(self, other):
    _array.copy(self, other, None)
    return self


GPUArray._filled_from = _filled_from


def sum(a, dtype=None, stream=None, allocator=None, *, axis=None, keepdims=False, out=None):
    """The sum, computed and returned in `dtype`, by default the array's: an array without axes.

    Unlike `GPUArray.sum`, small integers are summed in their own dtype, as in the original.
    """
    return _allocated(_reduce("sum", a, axis, dtype, stream, keepdims, out), allocator)


def prod(a, dtype=None, stream=None, allocator=None, *, axis=None, keepdims=False, out=None):
    """The product, computed and returned in `dtype`, by default the array's."""
    return _allocated(_reduce("prod", a, axis, dtype, stream, keepdims, out), allocator)


def dot(a, b, dtype=None, stream=None, allocator=None):
    """The sum of the products of the elements, without conjugation."""
    if a.size != b.size:
        raise ValueError(f"operands of dot have shapes {a.shape} and {b.shape}")
    if a.shape != b.shape:
        a, b = a.ravel(), b.ravel()
    dtype = np.result_type(a.dtype, b.dtype) if dtype is None else dtype
    return _allocated(_reduce("dot", a, None, dtype, stream, second=b), allocator)


def vdot(a, b, dtype=None, stream=None):
    """The same with the conjugates of the first operand."""
    if a.shape != b.shape:
        a, b = a.ravel(), b.ravel()
    dtype = np.result_type(a.dtype, b.dtype) if dtype is None else dtype
    return _reduce("vdot", a, None, dtype, stream, second=b)


def subset_sum(subset, a, dtype=None, stream=None, allocator=None):
    """The sum of the elements at the indices `subset`."""
    return sum(take(a, subset, stream=stream), dtype, stream, allocator)


def subset_dot(subset, a, b, dtype=None, stream=None, allocator=None):
    """The sum of the products of the elements at the indices `subset`."""
    return dot(take(a, subset, stream=stream), take(b, subset, stream=stream), dtype, stream, allocator)


def _ordered(a):
    if a.dtype.kind not in "iuf":
        raise TypeError(f"unsupported dtype specified: {a.dtype}")
    return a


def max(a, stream=None, *, axis=None, keepdims=False, out=None):
    """The largest element; NaN only if there is nothing else."""
    return _reduce("fmax", _ordered(a), axis, None, stream, keepdims, out)


def min(a, stream=None, *, axis=None, keepdims=False, out=None):
    """The smallest element; NaN only if there is nothing else."""
    return _reduce("fmin", _ordered(a), axis, None, stream, keepdims, out)


def subset_max(subset, a, stream=None):
    """The largest of the elements at the indices `subset`."""
    return max(take(a, subset, stream=stream), stream)


def subset_min(subset, a, stream=None):
    """The smallest of the elements at the indices `subset`."""
    return min(take(a, subset, stream=stream), stream)


def any(a, stream=None, allocator=None, *, axis=None, keepdims=False):
    """Whether any element is true."""
    return _allocated(a.any(axis, stream, keepdims=keepdims), allocator)


def all(a, stream=None, allocator=None, *, axis=None, keepdims=False):
    """Whether all elements are true."""
    return _allocated(a.all(axis, stream, keepdims=keepdims), allocator)


def matmul(a, b):
    """The product of matrices, or of stacks of them."""
    from pycuda import _matmul

    return _matmul.matmul(a, b)
