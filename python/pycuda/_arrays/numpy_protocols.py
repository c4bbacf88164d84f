# SPDX-License-Identifier: MIT
"""NumPy's functions on device arrays: np.sin(a), np.add(a, 2), np.sum(a) stay on the device.

The class's `__array_ufunc__` and `__array_function__` are the base class's. It answers plain calls of the ufuncs told
to it below itself, and asks here for the rest. Functions that are not below are in families, each in a file of its own.
"""

import operator

import numpy as np

from pycuda import _driver, gpuarray
from pycuda._arrays.reductions import delivered

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
        return NotImplemented
    target = None if out is None else out[0]
    if out is not None and (len(out) != 1 or not isinstance(target, gpuarray.GPUArray)):
        kinds = ", ".join(type(one).__name__ for one in out)
        raise TypeError(f"np.{ufunc.__name__} of arrays on the device needs one of them as out, not {kinds}")
    dtype = kwargs.pop("dtype", None)
    if kwargs:
        raise TypeError(f"arguments not known for device arrays: {', '.join(kwargs)}")
    for operand in inputs:
        if isinstance(operand, np.ndarray) and operand.ndim:
            raise TypeError(
                f"np.{ufunc.__name__} of an array on the device and a numpy.ndarray of shape "
                f"{operand.shape}: copy it with to_gpu first"
            )
    if ufunc is np.matmul:
        product = gpuarray.matmul(*inputs)
        return delivered(product if dtype is None else product.astype(dtype, copy=False), target)
    if ufunc is np.divmod:
        if dtype is not None:
            raise TypeError("arguments not known for device arrays: dtype")
        # Not by divmod(): a NumPy number on the left would call this again.
        return tuple(gpuarray._apply(name, inputs, None, None, None) for name in ("floor_divide", "remainder"))
    name = _operation(ufunc)
    if name is None:
        return NotImplemented
    if dtype is not None:
        inputs = _computed_in(ufunc, inputs, np.dtype(dtype))
    return gpuarray._apply(name, inputs, target, None if dtype is None else np.dtype(dtype), None)


def _computed_in(ufunc, inputs, dtype):
    """The operands converted to what the ufunc takes where its result has a dtype, by NumPy's rule."""
    if any(getattr(one, "dtype", dtype).kind == "V" for one in (*inputs, np.empty(0, dtype))):
        return inputs  # bfloat16, of which NumPy's ufuncs know only with its package's help
    kinds = tuple(one.dtype if hasattr(one, "dtype") else type(one) for one in inputs)
    loop = ufunc.resolve_dtypes((*kinds, None), signature=(None,) * len(inputs) + (dtype,))
    return tuple(
        one.astype(wanted, copy=False) if isinstance(one, gpuarray.GPUArray) else one
        for one, wanted in zip(inputs, loop)
    )


def _reduce(ufunc, inputs, out, kwargs):
    name = _REDUCTIONS.get(ufunc)
    if name is None:
        return NotImplemented
    axis = kwargs.pop("axis", 0)
    options = {key: kwargs.pop(key) for key in ("keepdims", "dtype") if key in kwargs}
    if options.get("dtype", 0) is None:
        del options["dtype"]
    if kwargs:
        return NotImplemented
    if out is not None:
        options["out"] = out[0]
    return getattr(inputs[0], name)(axis=axis, **options)


def _method(name):
    def call(a, *args, **kwargs):
        if kwargs:
            kwargs = {key: value for key, value in kwargs.items() if value is not np._NoValue}
        if not isinstance(a, gpuarray.GPUArray):
            a = gpuarray.asarray(a)
        return getattr(a, name)(*args, **kwargs)

    return call


def _where(condition, *choices):
    return gpuarray.where(condition, *choices)


def _round(a, decimals=0, out=None):
    return gpuarray.round_(a, decimals, out)


def _take(a, indices, axis=None, out=None, mode="raise"):
    from pycuda._arrays import selection

    if mode != "raise":
        raise NotImplementedError(f"take with mode {mode!r}")
    return selection.take(a, indices, out, None, axis)


def _put(a, ind, v, mode="raise"):
    if mode != "raise":
        raise NotImplementedError(f"put with mode {mode!r}")
    gpuarray.put(a, ind, v)


def _unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True
):
    if axis is not None:
        raise NotImplementedError("unique along an axis")
    return gpuarray.unique(ar, return_index, return_inverse, return_counts, equal_nan=equal_nan)


def _found(function):
    """What answers a function that is not known yet; it is known then."""
    from pycuda._arrays import numpy_families

    FUNCTIONS[function] = numpy_families.find(function)
    return FUNCTIONS[function]


FUNCTIONS = {
    np.where: _where,
    np.dot: lambda a, b, out=None: delivered(a.dot(b), out),
    np.vdot: lambda a, b: gpuarray.vdot(a, b),
    np.transpose: lambda a, axes=None: a.transpose(axes),
    np.reshape: lambda a, shape, order="C", **kwargs: a.reshape(shape, order=order),
    np.ravel: lambda a, order="C": a.ravel(order),
    np.swapaxes: lambda a, axis1, axis2: a.swapaxes(axis1, axis2),
    np.round: _round,
    np.around: _round,
    np.nonzero: gpuarray.nonzero,
    np.take: _take,
    np.put: lambda a, ind, v, mode="raise": _put(a, ind, v, mode),
    np.sort: lambda a, axis=-1, kind=None, order=None, stable=None: gpuarray.sort(a, axis),
    np.argsort: lambda a, axis=-1, kind=None, order=None, stable=None: gpuarray.argsort(a, axis),
    np.searchsorted: lambda a, v, side="left", sorter=None: gpuarray.searchsorted(a, v, side, sorter),
    np.unique: _unique,
    np.cumsum: lambda a, axis=None, dtype=None, out=None: gpuarray.cumsum(a, axis, dtype, out),
    np.cumprod: lambda a, axis=None, dtype=None, out=None: gpuarray.cumprod(a, axis, dtype, out),
    np.flatnonzero: lambda a: gpuarray.nonzero(a.ravel())[0],
    np.argwhere: lambda a: gpuarray.stack(gpuarray.nonzero(a), 1),
    np.copy: lambda a, order="K", subok=False: a.copy(),
    np.real: lambda a: a.real,
    np.imag: lambda a: a.imag,
    np.angle: lambda z: gpuarray._apply("angle", (z,), None, None, None),
    np.shape: lambda a: a.shape,
    np.ndim: operator.attrgetter("ndim"),
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
    np.empty_like: lambda a, dtype=None, order="K", **kwargs: gpuarray.empty_like(a, dtype, order),
    np.zeros_like: lambda a, dtype=None, order="K", **kwargs: gpuarray.zeros_like(a, dtype, order),
    np.ones_like: lambda a, dtype=None, order="K", **kwargs: gpuarray.ones_like(a, dtype, order),
    np.full_like: lambda a, value, dtype=None, order="K", **kwargs: gpuarray.full_like(a, value, dtype, order),
}
for _name in ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean", "var", "std", "clip"):
    FUNCTIONS[getattr(np, _name)] = _method(_name)

_PLAIN = {
    ufunc: name
    for ufunc in vars(np).values()
    if isinstance(ufunc, np.ufunc) and ufunc not in (np.matmul, np.divmod) and (name := _operation(ufunc))
}
_driver._array.set_protocols(_PLAIN, array_ufunc, FUNCTIONS, _found)
