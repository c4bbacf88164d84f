# SPDX-License-Identifier: MIT
"""An array that grows in place: addresses are reserved for all of it, memory comes piece by piece."""

import operator

import numpy as np

from pycuda import driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.shapes import _dims
from pycuda._unpicklable import restored


def _rounded_up(number, step):
    return -(-number // step) * step


class GrowingArray(GPUArray):
    """An array whose first axis grows in place: its address stays, nothing is copied, and views stay valid.

    Parameters
    ----------
    shape : int or sequence of int
        The initial shape; the first length may be 0.
    dtype : dtype-like
    capacity : int
        The maximum number of rows (elements, if there is one axis). Only addresses are reserved for them.

    Attributes
    ----------
    capacity : int

    Notes
    -----
    Memory is allocated in steps of `driver.mem_get_allocation_granularity`, 2 MiB on most devices, and each time by at
    least half of what is allocated already. New memory contains zeros. Operations on the array return ordinary arrays.

    Examples
    --------
    >>> a = gpuarray.GrowingArray(0, np.float32, capacity=1 << 20)
    >>> a.append(np.arange(3, dtype=np.float32))
    >>> view = a[:2]
    >>> a.append(gpuarray.to_gpu(np.float32([3, 4])))
    >>> a *= 2
    >>> view, a.shape
    (array([0., 2.], dtype=float32), (5,))
    """

    def __init__(self, shape, dtype, capacity):
        dims = _dims(shape)
        if not dims:
            raise ValueError("a GrowingArray needs at least one axis, not shape ()")
        dtype = np.dtype(dtype)
        row_bytes = dtype.itemsize * int(np.prod(dims[1:], dtype=np.int64))
        if not row_bytes:
            raise ValueError(f"rows of shape {tuple(dims[1:])} and dtype {dtype} have no bytes")
        self.capacity = operator.index(capacity)
        if self.capacity < max(dims[0], 1):
            raise ValueError(f"capacity must be at least the array's {dims[0]} rows, not {capacity}")
        self._row_bytes = row_bytes
        self._step = driver.mem_get_allocation_granularity(recommended=True)
        self._memory = driver.mem_reserve(_rounded_up(self.capacity * row_bytes, self._step))
        self._mapped_bytes = 0
        super().__init__((0, *dims[1:]), dtype, gpudata=self._memory)
        self.resize(dims[0])

    @property
    def allocated(self):
        """The number of rows that have memory."""
        return self._mapped_bytes // self._row_bytes

    def reserve(self, length):
        """Take memory for `length` rows now; the shape stays.

        Raises
        ------
        ValueError
            When that is more than `capacity`.
        MemoryError
            When there is not that much memory; the array is as it was.
        """
        if length > self.capacity:
            raise ValueError(f"{length} rows exceed the array's capacity of {self.capacity}")
        missing = length * self._row_bytes - self._mapped_bytes
        if missing <= 0:
            return
        room = self._memory.size - self._mapped_bytes
        wanted = min(_rounded_up(max(missing, self._mapped_bytes // 2), self._step), room)
        try:
            memory = driver.PhysicalMemory(wanted)
        except driver.MemoryError:
            wanted = _rounded_up(missing, self._step)
            memory = driver.PhysicalMemory(wanted)
        self._memory.map(memory, self._mapped_bytes)
        self._mapped_bytes += wanted

    def resize(self, length):
        """Give the first axis another length, in place; new rows hold zeros, or what they held before.

        Parameters
        ----------
        length : int
            At most `capacity`. Memory is kept when it is less than now.
        """
        length = operator.index(length)
        if length < 0:
            raise ValueError(f"the number of rows must not be negative: {length}")
        self.reserve(length)
        self._setup((length, *self.shape[1:]), self.dtype, None, False, None, None, self._memory)

    def append(self, values):
        """Add rows behind the last one, in the default stream.

        Parameters
        ----------
        values : array-like or GPUArray
            A row, or any number of them, of the array's own shape behind the first axis; cast to its dtype.
        """
        if not isinstance(values, GPUArray):
            values = np.ascontiguousarray(values, self.dtype)
        # A view of its own: the values may be those of this array, whose shape changes.
        rows = values[:] if values.ndim == self.ndim else values.reshape((1, *values.shape))
        if rows.shape[1:] != self.shape[1:] or rows.ndim != self.ndim:
            raise ValueError(f"values of shape {values.shape} do not fit as rows of an array of shape {self.shape}")
        before = self.shape[0]
        self.resize(before + rows.shape[0])
        if rows.size:
            self[before:] = rows

    def __reduce__(self):
        return _regrown, (self.get(), self.capacity)

    def __copy__(self):
        return _grown(self, self.capacity)

    def __deepcopy__(self, memo):
        return _grown(self, self.capacity)

    def _new_like_me(self, dtype=None, order="C"):
        """An ordinary array: results of operations do not grow."""
        return self[...]._new_like_me(dtype, order)


def _regrown(rows, capacity):
    return restored(GrowingArray, _grown, rows, capacity)


def _grown(rows, capacity):
    new = GrowingArray(rows.shape, rows.dtype, capacity)
    new[...] = rows
    return new


# What pickles name: it does not change with the files.
_regrown.__module__ = "pycuda.gpuarray"
