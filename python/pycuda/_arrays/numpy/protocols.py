# SPDX-License-Identifier: MIT
"""NumPy's functions on device arrays: np.sin(a), np.add(a, 2), np.sum(a) stay on the device.

The class's `__array_ufunc__` and `__array_function__` are the base class's. It answers plain calls of the ufuncs that
are registered below, and calls this module for the rest. Functions that are not below are in families, each in a file
of its own.
"""

import math
import operator

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray, _apply
from pycuda._arrays.core.shapes import _axes
from pycuda._arrays.numpy import families
from pycuda._arrays.numpy.arguments import refuse
from pycuda._arrays.ops import creation, products, reductions, scans, searching, selection, sorting, where
from pycuda._arrays.ops.joining import stack
from pycuda._arrays.ops.operands import device
from pycuda._arrays.ops.reductions import all_delivered, delivered
from pycuda._arrays.ops.sorting import sorting_arguments

_KNOWN = _driver._array.ufuncs()
_OTHER_NAMES = {"divide": "true_divide", "degrees": "rad2deg", "radians": "deg2rad", "mod": "remainder"}
# The operations whose own name means something else here.
_REDUCTIONS = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}


def _operation(ufunc):
    """The name of the operation that is the ufunc, or None."""
    name = _OTHER_NAMES.get(ufunc.__name__, ufunc.__name__)
    return name if ufunc.nin == _KNOWN.get(name) and ufunc.nout == 1 else None


def array_ufunc(ufunc, method, inputs, out, kwargs):
    """GPUArray.__array_ufunc__ of calls that are not plain."""
    if method == "reduce":
        return _reduce(ufunc, inputs, out, kwargs)
    if method != "__call__":
        from pycuda._arrays.numpy import ufuncs  # start-up time: it brings `elementwise`

        return ufuncs.method(ufunc, method, inputs, out, kwargs)
    targets = (None,) * ufunc.nout if out is None else out
    target = targets[0]
    if not all(one is None or isinstance(one, GPUArray) for one in targets):
        kinds = ", ".join(type(one).__name__ for one in targets)
        wanted = "one of them" if ufunc.nout == 1 else "such arrays"
        raise TypeError(f"np.{ufunc.__name__} of arrays on the device needs {wanted} as out, not {kinds}")
    name = _operation(ufunc)
    dtype = kwargs.pop("dtype", None)
    casting = "same_kind" if name is None else kwargs.pop("casting", "same_kind")
    if kwargs:
        raise TypeError(f"arguments not supported for device arrays: {', '.join(kwargs)}")
    for operand in inputs:
        if isinstance(operand, np.ndarray) and operand.ndim:
            raise TypeError(
                f"np.{ufunc.__name__} of an array on the device and a numpy.ndarray of shape "
                f"{operand.shape}: copy it with to_gpu first"
            )
    if ufunc is np.matmul:
        product = products.matmul(*map(device, inputs))
        return delivered(product if dtype is None else product.astype(dtype, copy=False), target)
    if ufunc is np.divmod:
        if dtype is not None:
            raise TypeError("arguments not supported for device arrays: dtype")
        # Not by divmod(): a NumPy number on the left would call this again.
        names = "floor_divide", "remainder"
        return all_delivered([_apply(name, inputs, None, None, None) for name in names], targets)
    if name is None:
        from pycuda._arrays.numpy import ufuncs  # start-up time: it brings `elementwise`

        return ufuncs.call(ufunc, inputs, targets, dtype)
    dtype = None if dtype is None else np.dtype(dtype)
    if dtype is not None or casting != "same_kind":
        inputs = _computed_in(ufunc, inputs, dtype, casting)
    if target is not None and casting != "same_kind":
        result = _apply(name, inputs, None, dtype, None)
        return delivered(result, target, casting=casting)
    return _apply(name, inputs, target, dtype, None)


def _computed_in(ufunc, inputs, dtype, casting):
    """The operands converted to what the ufunc takes where its result has a dtype, by NumPy's rule."""
    given = [one.dtype for one in inputs if hasattr(one, "dtype")]
    if any(one.kind == "V" for one in (given if dtype is None else (*given, dtype))):
        return inputs  # bfloat16, of which NumPy's ufuncs know only with its package's help
    kinds = tuple(one.dtype if hasattr(one, "dtype") else type(one) for one in inputs)
    signature = {} if dtype is None else {"signature": (None,) * len(inputs) + (dtype,)}
    loop = ufunc.resolve_dtypes((*kinds, None), casting=casting, **signature)
    return tuple(
        one.astype(wanted, copy=False) if isinstance(one, GPUArray) else one for one, wanted in zip(inputs, loop)
    )


def _reduce(ufunc, inputs, out, kwargs):
    name = _REDUCTIONS.get(ufunc)
    if name is None:
        from pycuda._arrays.numpy import ufuncs  # start-up time: it brings `elementwise`

        return ufuncs.method(ufunc, "reduce", inputs, out, kwargs)
    axis = kwargs.pop("axis", 0)
    options = {key: kwargs.pop(key) for key in ("keepdims", "dtype") if key in kwargs}
    if options.get("dtype", 0) is None:
        del options["dtype"]
    refuse(f"{ufunc.__name__}.reduce", **kwargs)
    if out is not None:
        options["out"] = out[0]
    return getattr(inputs[0], name)(axis=axis, **options)


def _method(name):
    def call(a, *args, **kwargs):
        if kwargs:
            kwargs = {key: value for key, value in kwargs.items() if value is not np._NoValue}
            refuse(name, **{key: kwargs.pop(key) for key in ("initial", "where", "mean") if key in kwargs})
        if not isinstance(a, GPUArray):
            a = creation.asarray(a)
        return getattr(a, name)(*args, **kwargs)

    return call


def _spread(name):
    def call(a, axis=None, dtype=None, out=None, ddof=0, *, correction=np._NoValue, **kwargs):
        if correction is not np._NoValue:
            if ddof:
                raise ValueError("ddof and correction can't be provided simultaneously.")
            ddof = correction
        return method(a, axis, dtype, out, ddof, **kwargs)

    method = _method(name)
    return call


def _clip(a, a_min=np._NoValue, a_max=np._NoValue, out=None, *, min=np._NoValue, max=np._NoValue, **kwargs):
    refuse("clip", **kwargs)
    if a_min is np._NoValue and a_max is np._NoValue:
        limits = [None if limit is np._NoValue else limit for limit in (min, max)]
    elif a_min is np._NoValue or a_max is np._NoValue:
        raise TypeError(f"clip() missing the argument {'a_min' if a_min is np._NoValue else 'a_max'!r}")
    elif min is not np._NoValue or max is not np._NoValue:
        raise ValueError("clip() takes either `a_min` and `a_max` or `min` and `max`")
    else:
        limits = a_min, a_max
    return where.clip(creation.asarray(a), *limits, out)


def _dot(a, b, out=None):
    return delivered(device(a).dot(device(b)), out)


def _angle(z, deg=False):
    angle = _apply("angle", (z,), None, None, None)
    if deg:
        angle *= 180 / np.pi
    return angle


def _argwhere(a):
    if not a.ndim:
        return creation.empty((int(bool(a)), 0), np.int64)
    return stack(selection.nonzero(a), 1)


def _size(a, axis=None):
    return a.size if axis is None else math.prod(a.shape[i] for i in _axes(axis, a.ndim))


def _where(condition, *choices):
    # What describes the work may be the host's.
    return where.where(creation.asarray(condition), *choices)


def _sorting(function):
    def call(a, axis=-1, kind=None, order=None, stable=None):
        sorting_arguments(kind, order)
        return function(a, axis)

    return call


def _round(a, decimals=0, out=None):
    return where.round_(a, decimals, out)


def _unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True
):
    if axis is not None:
        raise NotImplementedError("np.unique of device arrays along an axis is not supported: pass axis=None")
    return searching.unique(ar, return_index, return_inverse, return_counts, equal_nan=equal_nan)


def _copy(a, order="K", subok=False):
    if order == "K":
        return a.copy()
    new = creation.empty_like(a, order=order)
    new[...] = a
    return new


def _found(function):
    """What answers a function that is not known yet; it is known then."""
    FUNCTIONS[function] = families.find(function)
    return FUNCTIONS[function]


FUNCTIONS = {
    np.where: _where,
    np.dot: _dot,
    np.vdot: reductions.vdot,
    np.transpose: lambda a, axes=None: a.transpose(axes),
    np.reshape: lambda a, shape, order="C", *, copy=None: a.reshape(shape, order=order, copy=copy),
    np.ravel: lambda a, order="C": a.ravel(order),
    np.swapaxes: lambda a, axis1, axis2: a.swapaxes(axis1, axis2),
    np.round: _round,
    np.around: _round,
    np.nonzero: selection.nonzero,
    np.sort: _sorting(sorting.sort),
    np.argsort: _sorting(sorting.argsort),
    np.searchsorted: lambda a, v, side="left", sorter=None: searching.searchsorted(a, v, side, sorter),
    np.unique: _unique,
    np.cumsum: lambda a, axis=None, dtype=None, out=None: scans.cumsum(a, axis, dtype, out),
    np.cumprod: lambda a, axis=None, dtype=None, out=None: scans.cumprod(a, axis, dtype, out),
    np.flatnonzero: lambda a: selection.nonzero(a.ravel())[0],
    np.argwhere: _argwhere,
    np.copy: _copy,
    np.real: lambda a: a.real,
    np.imag: lambda a: a.imag,
    np.angle: _angle,
    np.shape: lambda a: a.shape,
    np.ndim: operator.attrgetter("ndim"),
    np.size: _size,
    np.var: _spread("var"),
    np.std: _spread("std"),
    np.clip: _clip,
}
for _name in ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean"):
    FUNCTIONS[getattr(np, _name)] = _method(_name)
FUNCTIONS[np.amax], FUNCTIONS[np.amin] = _method("max"), _method("min")

_PLAIN = {
    ufunc: name
    for ufunc in vars(np).values()
    if isinstance(ufunc, np.ufunc) and ufunc not in (np.matmul, np.divmod) and (name := _operation(ufunc))
}


def plain_operation(ufunc):
    """The name of the single operation that a ufunc is; None for other ufuncs."""
    return _PLAIN.get(ufunc)


_driver._array.set_protocols(_PLAIN, array_ufunc, FUNCTIONS, _found)
