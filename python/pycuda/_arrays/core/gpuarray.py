# SPDX-License-Identifier: MIT
"""The class of arrays on the device: its constructor, properties, and what Python asks of an object.

The operations are methods that `pycuda._arrays.methods` binds to it.
"""

import operator
from types import GenericAlias

import numpy as np

from pycuda import _driver, driver
from pycuda._arrays.core.shapes import _dims, _order_is_fortran
from pycuda._compilers import the_compiler
from pycuda._compiling import _find_cache_folder
from pycuda._splay import splay
from pycuda.compyte.array import ArrayFlags

_array = _driver._array
_apply = _array.apply

_array.set_compiler(the_compiler(), _find_cache_folder(None))


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
    # GPUArray[np.float32] in annotations: the stubs make the class generic in its element type.
    __class_getitem__ = classmethod(GenericAlias)

    def __init__(self, shape, dtype, allocator=None, base=None, gpudata=None, strides=None, order="C"):
        try:
            dtype = np.dtype(dtype)
        except TypeError as error:
            if isinstance(dtype, int):
                raise TypeError(f"{error}: a shape of several lengths is a tuple, ({shape}, {dtype})") from None
            raise
        if dtype.hasobject:
            raise TypeError(
                f"elements of dtype {dtype} are Python objects, which a device cannot hold: "
                "convert the array with astype"
            )
        fortran = _order_is_fortran(order)
        if gpudata is None:
            assert base is None, "base needs gpudata"
        elif not hasattr(gpudata, "__index__"):
            if isinstance(gpudata, (str, bytes)):
                raise TypeError(f"gpudata must be device memory or its address, not {type(gpudata).__name__}")
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

    # The array API standard

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
        """A view with the last two axes exchanged."""
        if self.ndim < 2:
            raise ValueError(f"a matrix needs two axes or more, not shape {self.shape}")
        return self.swapaxes(-1, -2)

    # Python's own questions

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __bool__(self):
        if self.size == 1:
            return bool(self.get().reshape(())[()])
        if not self.size:
            raise ValueError("The truth value of an array without elements is ambiguous. Ask for a.size > 0")
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")

    def __hash__(self):
        raise TypeError("GPUArrays are not hashable.")

    def __str__(self):
        return str(self.get())

    def __repr__(self):
        # An array of a context that is gone is shown in debuggers and tracebacks all the same.
        try:
            return repr(self.get())
        except (driver.Error, ValueError) as error:
            return f"<{type(self).__name__} of shape {self.shape}, {self.dtype}: {error}>"

    def __format__(self, spec):
        return format(self.get()[()] if self.ndim == 0 else self.get(), spec)

    def __bytes__(self):
        return self.tobytes()

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

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __jax_array__(self):
        # JAX would ask for the CUDA array interface first, which its CPU build refuses.
        import jax  # optional package

        return jax.dlpack.from_dlpack(self)

    def _missing_attribute(self, name):
        """An attribute that the class does not have; the base class asks for it."""
        # pandas takes what has no `__iter__` for one object. An attribute of instances alone leaves
        # isinstance(a, collections.abc.Iterable) False, by which programs tell an array from a list of arrays.
        if name == "__iter__" and self.ndim:
            return lambda: iter(self)
        from pycuda import _other_names  # start-up time: only for mistakes

        if text := _other_names.remedy("GPUArray", name):
            raise AttributeError(f"a {type(self).__name__} has no {name}{text}", name=name, obj=self)
        if name in (self.dtype.names or ()):
            raise AttributeError(
                f"a {type(self).__name__} has no {name}: a[{name!r}] is the array of the field", name=name, obj=self
            )
        return super(_driver._ArrayBase, self).__getattribute__(name)  # raises: also what a property has raised

    def __delitem__(self, index):
        raise ValueError("cannot delete array elements")

    # Arithmetic: the operators are slots of the base class.

    def __div__(self, other):
        return self / other

    def __rdiv__(self, other):
        return other / self

    def __idiv__(self, other):
        self /= other
        return self

    def _new_like_me(self, dtype=None, order="C"):
        made = _array.empty_like(self, None if dtype is None else np.dtype(dtype), "K" if dtype is None else order)
        if type(made) is type(self):
            return made
        return type(self)(self.shape, made.dtype, allocator=self.allocator, strides=made.strides)


# What users know, pickles name and documentation shows.
GPUArray.__module__ = "pycuda.gpuarray"
_driver._set_array_class(GPUArray)
