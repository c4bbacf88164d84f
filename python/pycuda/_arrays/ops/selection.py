# SPDX-License-Identifier: MIT
"""Elements of device arrays chosen by arrays of indices or truth values."""

import math
import operator
from collections.abc import Sequence

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.core.shapes import _along_one
from pycuda._arrays.ops.creation import to_gpu
from pycuda._arrays.ops.scans import positions_of_true
from pycuda._arrays.ops.views import field

_array = _driver._array
_MOST_ARRAYS = 4  # that the kernels take


_NO_SELECTION = (int, slice, type(None), type(Ellipsis))  # the usual ones, recognised quickly


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
            raise TypeError(f"elements of dtype {value.dtype} cannot be stored in an array of dtype {view.dtype}")
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
                raise TypeError(f"elements of dtype {host.dtype} cannot be stored in an array of dtype {view.dtype}")
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


def set_item(self, index, value):
    """``self[index] = value``."""
    if _is_selection(index):
        self._put(index, value)
        return
    _store(self[index], value)


def _host_index(index):
    """A sequence or array of the host as an array of integers or bool."""
    host = np.asarray(index)
    if host.size == 0 and not isinstance(index, np.ndarray):
        host = host.astype(np.int64)
    if host.dtype == np.bool_:
        return host
    if host.dtype.kind not in "iu":
        raise IndexError(f"arrays used as indices must be of integers or bool, not {host.dtype}")
    return host


class _Mask:
    """A boolean mask within an index. It has a class of its own because users' tuples are index arrays."""

    def __init__(self, values):
        self.values = values


def _expand(index, ndim):
    """One entry for each axis (or None), without an ellipsis; sequences are arrays, boolean masks are in `_Mask`."""
    entries = []
    for item in index if isinstance(index, tuple) else (index,):
        if isinstance(item, (np.ndarray, bool, np.bool_)) or _is_sequence(item):
            item = _host_index(item)
        is_mask = isinstance(item, (np.ndarray, GPUArray)) and item.dtype == np.bool_
        entries.append(_Mask(item) if is_mask else item)

    def axes_of(entry):
        if isinstance(entry, _Mask):
            return entry.values.ndim
        return 0 if entry is None or entry is Ellipsis else 1

    used = sum(map(axes_of, entries))
    if used > ndim:
        raise IndexError(f"too many indices: {used} for an array with {ndim} axes")
    ellipses = sum(entry is Ellipsis for entry in entries)
    if ellipses > 1:
        raise IndexError("more than one ellipsis not allowed in index")
    if not ellipses:
        entries.append(Ellipsis)
    result = []
    for entry in entries:
        if entry is Ellipsis:
            result.extend([slice(None)] * (ndim - used))
        else:
            result.append(entry)
    return result


def _parts(mask):
    """The positions of the true elements, one array for each axis."""
    if not mask.ndim:
        return ()
    if not isinstance(mask, GPUArray):
        return np.nonzero(mask)
    return _along_axes(positions_of_true(mask), mask.shape)


def _along_axes(positions, shape):
    """Positions in C order as one array for each axis."""
    parts = []
    for length in reversed(shape[1:]):
        parts.append(positions % length)
        positions = positions // length
    return (positions, *reversed(parts))


def _check_range(indices, length, axis):
    """IndexError if indices on the device are not those of an axis of this length."""
    indices = indices.astype(np.int64, copy=False)
    wrong = (indices < -length) | (indices >= length)
    if indices.size and bool(wrong.any()):
        first = indices.ravel()[positions_of_true(wrong)[:1]].get()[0]
        raise IndexError(f"index {first} is out of bounds for axis {axis} with size {length}")


def _as_one(view, arrays):
    """A view whose first axes, as many as there are arrays of indices in range, are one, and the indices there.

    The elements lie that far apart as the axes' strides have in common, so that views of any strides have such a view.
    """
    lengths, strides = view.shape[: len(arrays)], view.strides[: len(arrays)]
    step = math.gcd(*strides) or view.itemsize
    before = sum((length - 1) * stride for length, stride in zip(lengths, strides) if stride < 0)
    reach = sum((length - 1) * abs(stride) for length, stride in zip(lengths, strides))
    if 0 in lengths:
        before, reach = 0, -step
    if any(isinstance(one, GPUArray) for one in arrays):
        arrays = [one if isinstance(one, GPUArray) else to_gpu(one) for one in arrays]
    position = -before // step
    for one, length, stride in zip(arrays, lengths, strides):
        one = one.astype(np.int64, copy=False)
        position = position + (one + (one < 0) * length) * (stride // step)
    shape, places = (reach // step + 1, *view.shape[len(lengths) :]), (step, *view.strides[len(lengths) :])
    return _array.view(view, before, shape, places, None), position


class _Plan:
    """A view whose first axes are indexed by arrays, and where the chosen axes go in the result."""

    def __init__(self, ary, index):
        entries = _expand(index, ary.ndim)
        basic, arrays, axes, places = [], [], [], []
        axis = 0  # of `ary`
        order = 0  # among the axes of the view
        first_positions = []
        self.check = False
        for position, entry in enumerate(entries):
            if isinstance(entry, _Mask):
                mask = entry.values
                if mask.shape != ary.shape[axis : axis + mask.ndim]:
                    raise IndexError(
                        f"the boolean mask has shape {mask.shape}, the indexed axes have "
                        f"{ary.shape[axis : axis + mask.ndim]}"
                    )
                if mask.ndim == 0:
                    # One truth value chooses all or nothing along an axis of its own.
                    basic.append(None)
                    arrays.append(np.zeros(int(bool(mask)), np.int64))
                    axes.append(axis)
                    places.append(order)
                    order += 1
                for part in _parts(mask):
                    basic.append(slice(None))
                    arrays.append(part)
                    axes.append(axis)
                    places.append(order)
                    order += 1
                    axis += 1
                first_positions.append(position)
            elif entry is None or isinstance(entry, slice):
                basic.append(entry)
                order += 1
                axis += entry is not None
            elif isinstance(entry, (np.ndarray, GPUArray)) or hasattr(entry, "__index__"):
                basic.append(slice(None))
                arrays.append(self._checked(entry, ary.shape[axis], axis))
                axes.append(axis)
                places.append(order)
                first_positions.append(position)
                order += 1
                axis += 1
            else:
                raise IndexError(
                    f"invalid subindex in axis {axis}: {entry!r}; integers, slices, None, ... and arrays are allowed"
                )
        view = ary[tuple(basic)]
        rest = [i for i in range(view.ndim) if i not in places]
        together = first_positions == list(range(first_positions[0], first_positions[-1] + 1))
        self.before = sum(i < places[0] for i in rest) if together else 0
        self.view = view.transpose(places + rest)
        self.rest_shape = tuple(view.shape[i] for i in rest)
        shapes = [one.shape for one in arrays]
        try:
            self.index_shape = np.broadcast_shapes(*shapes)
        except ValueError:
            raise IndexError(f"shape mismatch: indices could not be broadcast together with shapes {shapes}") from None
        if len(arrays) > _MOST_ARRAYS:
            if self.check:
                for one, length, axis in zip(arrays, self.view.shape, axes):
                    if isinstance(one, GPUArray):
                        _check_range(one, length, axis)
                self.check = False
            self.view, position = _as_one(self.view, arrays)
            arrays = [position]
        if any(one.dtype != np.int32 for one in arrays):
            arrays = [one.astype(np.int64, copy=False) for one in arrays]
        self.indices = tuple(one if isinstance(one, GPUArray) else to_gpu(np.asarray(one, order="C")) for one in arrays)

    def _checked(self, entry, length, axis):
        if isinstance(entry, GPUArray):
            if entry.dtype.kind not in "iu":
                raise IndexError(f"arrays used as indices must be of integers, not {entry.dtype}")
            self.check = True
            return _moved_by(entry)
        host = np.asarray(operator.index(entry) if not isinstance(entry, np.ndarray) else entry)
        if host.size and (host.max() >= length or host.min() < -length):
            raise IndexError(
                f"an index is out of bounds for axis {axis} with size {length}: from {host.min()} to {host.max()}"
            )
        return host.astype(np.int64)

    def result_order(self):
        """The axes of the values as (indices, rest), in the order of the result."""
        n = len(self.index_shape)
        rest = list(range(n, n + len(self.rest_shape)))
        return rest[: self.before] + list(range(n)) + rest[self.before :]


def _out_of_range(ary):
    return IndexError(f"an index is out of bounds for an array of shape {ary.shape}")


def _whole_mask(ary, index):
    """The index, if it is one boolean mask of the shape of the whole array."""
    if isinstance(index, tuple) and len(index) == 1:
        index = index[0]
    whole = isinstance(index, GPUArray) and index.dtype == np.bool_ and index.shape == ary.shape and index.ndim > 0
    return index if whole else None


def select(ary, index):
    """``ary[index]`` with arrays in the index: a copy. With the name of a field a view."""
    if isinstance(index, str):
        return field(ary, index)
    mask = _whole_mask(ary, index)
    if mask is not None:
        positions = positions_of_true(mask)
        result = GPUArray(positions.shape, ary.dtype)
        _array.select(ary.ravel(), (positions,), result, None, False, False)
        return result
    if isinstance(index, GPUArray) and index.dtype.kind in "iu" and ary.ndim > 0:
        # The most frequent form needs no plan.
        result = GPUArray(index.shape + ary.shape[1:], ary.dtype)
        if not _array.select(ary, (_moved_by(index),), result, None, True, False):
            raise _out_of_range(ary)
        return result
    plan = _Plan(ary, index)
    result = GPUArray(plan.index_shape + plan.rest_shape, ary.dtype)
    if not _array.select(plan.view, plan.indices, result, None, plan.check, False):
        raise _out_of_range(ary)
    return result.transpose(plan.result_order())


def store(ary, index, value):
    """``ary[index] = value`` with arrays in the index."""
    mask = _whole_mask(ary, index)
    if mask is not None:
        one_value = not getattr(value, "ndim", 0) and not isinstance(value, (list, tuple))
        if one_value and ary.dtype.kind != "V":
            one = GPUArray((), ary.dtype)
            _store(one, value)
            _array.apply("where", (mask, one, ary), ary, None, None)
            return
    plan = _Plan(ary, index)
    order = plan.result_order()
    values = GPUArray(plan.index_shape + plan.rest_shape, ary.dtype)
    if values.size == 0:
        return
    _store(values.transpose(order), value)
    if not _array.select(plan.view, plan.indices, values, None, plan.check, True):
        raise _out_of_range(ary)


def _moved_by(indices):
    """The same indices in a dtype that kernels take: int32 as it is, int64 otherwise."""
    return indices if indices.dtype == np.int32 else indices.astype(np.int64, copy=False)


def _device_indices(indices):
    if not isinstance(indices, GPUArray):
        indices = to_gpu(_host_index(indices).astype(np.int64))
    if indices.dtype.kind not in "iu":
        raise TypeError(f"indices must be integers, not {indices.dtype}")
    return _moved_by(indices)


def take(a, indices, axis=None, out=None, stream=None):
    """The elements at the indices, along an axis or of the flattened array."""
    indices = _device_indices(indices)
    a, axis = _along_one(a, axis)
    places = [axis, *(i for i in range(a.ndim) if i != axis)]
    view = a.transpose(places)
    result = GPUArray(indices.shape + view.shape[1:], a.dtype, a.allocator)
    if not _array.select(view, (indices,), result, stream, True, False):
        raise _out_of_range(a)
    if a.ndim > 1:
        n = indices.ndim
        rest = list(range(n, result.ndim))
        result = result.transpose(rest[:axis] + list(range(n)) + rest[axis:])
    if out is None:
        return result
    if out.shape != result.shape or out.dtype != result.dtype:
        raise ValueError(
            f"out has shape {out.shape} and dtype {out.dtype}, the result {result.shape} and {result.dtype}"
        )
    _array.copy(out, result, stream)
    return out


def nonzero(ary):
    """The indices of the elements that are not zero, one array for each axis.

    Examples
    --------
    >>> gpuarray.nonzero(gpuarray.to_gpu(np.array([0, 5, 0, 7])))
    (array([1, 3]),)
    """
    if ary.ndim == 0:
        raise ValueError("nonzero of an array without axes is not defined")
    mask = ary if ary.dtype == np.bool_ else ary != 0
    return _along_axes(positions_of_true(mask), ary.shape)


def put(ary, indices, values):
    """``ary.flat[indices] = values``: positions count in C order, values are repeated as needed; none put nothing."""
    indices = _device_indices(indices).ravel()
    if not indices.size:
        return
    if not isinstance(values, GPUArray):
        values = to_gpu(np.asarray(values, ary.dtype).reshape(-1))
    values = values.ravel()
    if not values.size:
        return
    if values.size < indices.size and values.size > 1:
        values = take(values, to_gpu(np.arange(indices.size) % values.size))
    here = GPUArray(indices.shape, ary.dtype)
    _store(here, values if values.size == 1 else values[: indices.size])
    flat = ary.ravel()
    if not _array.select(flat, (indices,), here, None, True, True):
        raise _out_of_range(ary)
    if not _shares(flat, ary):
        _array.copy(ary, flat.reshape(ary.shape), None)


def _shares(flat, ary):
    """Whether the flattened array is a view."""
    return flat is ary or flat.size == 0 or flat.ptr == ary.ptr
