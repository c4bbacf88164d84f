# SPDX-License-Identifier: MIT
"""Conversions of device arrays to other dtypes and to Python's values."""

import warnings

import numpy as np

from pycuda import _driver
from pycuda._arrays.ops.operands import device

_array = _driver._array


def astype(self, dtype, stream=None, copy=True):
    """A copy with another dtype, in the same order of axes.

    Conversions follow NumPy's; complex numbers lose their imaginary parts with a ComplexWarning. With
    ``copy=False`` an array that has the dtype already is returned itself.

    Examples
    --------
    >>> gpuarray.arange(3, dtype=np.int32).astype(np.float64)
    array([0., 1., 2.])
    """
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


def contains(self, value):
    """Whether an element equals the value."""
    same = self == value
    if same is False:
        # Python's own answer: what is neither a number nor numbers is none of the elements.
        if not isinstance(value, (list, tuple)):
            return False
        same = self == device(value)
    return bool(same.any())


def item(self, *args):
    """One element as a Python number, copied from the device.

    `args`: nothing for an array of one element, a position in the flattened array, or an index for each axis.
    ValueError for an array of several elements, IndexError out of range.

    Examples
    --------
    >>> gpuarray.arange(3, dtype=np.float32).item(2)
    2.0
    """
    return self.get().item(*args)


def tobytes(self, order="C"):
    """The elements' bytes on the host, in C or Fortran order, without gaps: a copy."""
    return self.get().tobytes(order)


def tolist(self):
    """All elements as nested lists of Python numbers, a list for each axis; a number if there is none.

    Examples
    --------
    >>> gpuarray.arange(3, dtype=np.int32).tolist()
    [0, 1, 2]
    """
    return self.get().tolist()
