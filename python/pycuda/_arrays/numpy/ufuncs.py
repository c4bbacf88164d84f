# SPDX-License-Identifier: MIT
"""NumPy's ufuncs that are no single operation on elements, and the methods of ufuncs besides `reduce`."""

import numpy as np

from pycuda import cumath
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.numpy import families
from pycuda._arrays.numpy.arguments import refuse
from pycuda._arrays.ops import host_copies, products, scans
from pycuda._arrays.ops.creation import packed
from pycuda._arrays.ops.joining import broadcast_to
from pycuda._arrays.ops.operands import device
from pycuda._arrays.ops.reductions import all_delivered, delivered
from pycuda._arrays.pycuda import special

_RUNNING = {np.add: scans.cumsum, np.multiply: scans.cumprod, np.maximum: scans.cummax, np.minimum: scans.cummin}


def _prepared(ufunc, *operands):
    """The operands, packed and in dtypes that `cumath` takes, and the dtypes of NumPy's results."""
    operands = [device(one) for one in operands]
    loop = ufunc.resolve_dtypes((*(one.dtype for one in operands), *(None,) * ufunc.nout))
    shape = np.broadcast_shapes(*(one.shape for one in operands))
    wanted = [np.dtype(np.float32) if one == np.float16 else one for one in loop]
    return [packed(broadcast_to(one, shape), dtype) for one, dtype in zip(operands, wanted)], loop[ufunc.nin :]


def frexp(x):
    """Significands and exponents, with ``x == significand * 2**exponent``."""
    (x,), (floating, whole) = _prepared(np.frexp, x)
    significand, exponent = cumath.frexp(x)
    return significand.astype(floating, copy=False), exponent.astype(whole)


def modf(x):
    """Fractional and integral parts, both with the signs of the elements."""
    (x,), (floating, _) = _prepared(np.modf, x)
    return tuple(part.astype(floating, copy=False) for part in cumath.modf(x))


def ldexp(x1, x2):
    """``x1 * 2**x2``."""
    (x1, x2), (floating,) = _prepared(np.ldexp, x1, x2)
    return cumath.ldexp(x1, x2).astype(floating, copy=False)


def vecdot(x1, x2):
    """The sums of the products of conjugated elements and those of the other along the last axes."""
    return products.vecdot(device(x1), device(x2))


def matvec(x1, x2):
    """The products of matrices with vectors."""
    x1, x2 = device(x1), device(x2)
    if x1.ndim < 2 or not x2.ndim:
        raise ValueError(f"matvec takes matrices and vectors, not {x1.shape} and {x2.shape}")
    return products.matmul(x1, x2[..., None])[..., 0]


def vecmat(x1, x2):
    """The products of conjugated vectors with matrices."""
    x1, x2 = device(x1), device(x2)
    if not x1.ndim or x2.ndim < 2:
        raise ValueError(f"vecmat takes vectors and matrices, not {x1.shape} and {x2.shape}")
    return products.matmul(x1.conj()[..., None, :], x2)[..., 0, :]


_CALLS = {
    getattr(np, function.__name__): function
    for function in (frexp, modf, ldexp, vecdot, matvec, vecmat)
    if hasattr(np, function.__name__)
}


def call(ufunc, inputs, outs, dtype):
    """A call of a ufunc that is not a single operation; `outs` has an array or None for each result."""
    function = _CALLS.get(ufunc) or special.find(ufunc)
    if function is None:
        arguments = {} if dtype is None else {"dtype": dtype}
        result = _missing(ufunc, "__call__", inputs, arguments)
        if result is NotImplemented or all(one is None for one in outs):
            return result
        results = result if isinstance(result, tuple) else (result,)
        delivered_results = all_delivered([device(one) for one in results], outs)
        return delivered_results if ufunc.nout > 1 else delivered_results[0]
    refuse(ufunc.__name__, dtype=dtype)
    result = function(*inputs)
    return delivered(result, outs[0]) if ufunc.nout == 1 else all_delivered(result, outs)


def method(ufunc, name, inputs, out, arguments):
    """A call of a ufunc's method `name`."""
    if name == "accumulate" and ufunc in _RUNNING:
        operand = device(inputs[0])
        axis, dtype = arguments.pop("axis", 0), arguments.pop("dtype", None)
        refuse(f"{ufunc.__name__}.{name}", **arguments)
        if axis is None and operand.ndim != 1:
            raise ValueError("accumulate does not allow multiple axes")
        if not operand.ndim:
            raise TypeError("cannot accumulate on a scalar")
        return _RUNNING[ufunc](operand, axis, dtype, None if out is None else out[0])
    if name == "outer" and ufunc.nin == 2:
        first, second = (device(one) for one in inputs)
        if out is not None:
            arguments["out"] = out
        return ufunc(first.reshape(first.shape + (1,) * second.ndim), second, **arguments)
    if out is not None:
        raise TypeError(f"{ufunc.__name__}.{name} with `out` is not supported on arrays of the device")
    return _missing(ufunc, name, inputs, arguments)


def _missing(ufunc, method, inputs, arguments):
    """The ufunc's method on host copies, where these are allowed: NumPy arrays."""
    for one in inputs:
        if not isinstance(one, (GPUArray, np.ndarray, np.generic)) and hasattr(one, "__array_ufunc__"):
            return NotImplemented  # another package's array, which may know it
    # `at` writes to its argument, and NumPy's does so even where that is read-only: never on a copy.
    if method == "at":
        raise TypeError(
            f"no implementation found for 'numpy.{ufunc.__name__}.at' on arrays of the device, to which it writes: "
            f"host = a.get(), np.{ufunc.__name__}.at(host, ...), a.set(host)"
        )
    if host_copies.are_allowed():
        return host_copies.on_host(getattr(ufunc, method), *inputs, **arguments)
    home = "numpy." if getattr(np, ufunc.__name__, None) is ufunc else ""
    raise families.refusal(home + ufunc.__name__ + ("" if method == "__call__" else f".{method}"))
