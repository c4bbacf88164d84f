# SPDX-License-Identifier: MIT
"""NumPy's comparisons of whole arrays, questions about dtypes and memory, and functions of an element each."""

import math

import numpy as np

from pycuda._arrays.core.dtype_kinds import kind
from pycuda._arrays.core.gpuarray import GPUArray, _apply
from pycuda._arrays.numpy.arguments import refuse
from pycuda._arrays.ops.creation import asarray, ones
from pycuda._arrays.ops.operands import device, floating
from pycuda._arrays.ops.reductions import delivered
from pycuda._arrays.ops.scans import cumprod
from pycuda.array_api import dtypes


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether elements differ by no more than ``atol + rtol * abs(b)``; one side may be an array of the host."""
    a, b = asarray(a), asarray(b)
    b = b.astype(np.result_type(b.dtype, 1.0), copy=False)
    apart = _apply("absolute", (a - b,), None, None, None)
    bound = atol + rtol * _apply("absolute", (b,), None, None, None)
    close = ((apart <= bound) & _apply("isfinite", (b,), None, None, None)) | (a == b)
    if equal_nan:
        close = close | (_apply("isnan", (a,), None, None, None) & _apply("isnan", (b,), None, None, None))
    return close


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether all elements are close: a bool of Python's. One side may be an array of the host."""
    return bool(isclose(a, b, rtol, atol, equal_nan).all())


def array_equal(a1, a2, equal_nan=False):
    """Whether shapes and all elements are the same: a bool of Python's. One side may be an array of the host."""
    a, b = asarray(a1), asarray(a2)
    if a.shape != b.shape:
        return False
    if a.dtype == b.dtype and a.dtype.kind == "V" and a.dtype.names is None and kind(a.dtype) == "V":
        return a.tobytes() == b.tobytes()  # raw bytes, which have no arithmetic
    same = a == b
    if equal_nan and kind(a.dtype) in "fc" and kind(b.dtype) in "fc":
        same = same | (_apply("isnan", (a,), None, None, None) & _apply("isnan", (b,), None, None, None))
    return bool(same.all())


def array_equiv(a1, a2):
    """Whether arrays are equal where they are broadcast together: a bool of Python's."""
    a, b = asarray(a1), asarray(a2)
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return False
    return bool((a == b).all())


def iscomplexobj(x):
    """Whether the dtype is complex."""
    return x.dtype.kind == "c"


def isrealobj(x):
    """Whether the dtype is not complex."""
    return x.dtype.kind != "c"


def iscomplex(x):
    """Whether elements have an imaginary part."""
    return x.imag != 0


def isreal(x):
    """Whether elements have no imaginary part."""
    return x.imag == 0


def _is_infinity(x, value, out):
    if x.dtype.kind == "c":
        raise TypeError(f"This operation is not supported for {x.dtype} values because it would be ambiguous.")
    return delivered(x == value, out)


def isposinf(x, out=None):
    """Whether elements are infinite and positive."""
    return _is_infinity(x, math.inf, out)


def isneginf(x, out=None):
    """Whether elements are infinite and negative."""
    return _is_infinity(x, -math.inf, out)


def real_if_close(a, tol=100):
    """The real parts, if all imaginary ones are nearly zero; else the array."""
    if a.dtype.kind != "c":
        return a
    if tol > 1:
        tol = float(np.finfo(a.dtype).eps) * tol
    return a.real if bool((_apply("absolute", (a.imag,), None, None, None) < tol).all()) else a


def fix(x, out=None):
    """The elements rounded towards zero."""
    return delivered(_apply("trunc", (device(x),), None, None, None), out)


def sinc(x):
    """``sin(pi x) / (pi x)``, 1 at zero."""
    x = floating(device(x))
    angle = math.pi * _apply("where", (x != 0, x, 1e-20), None, None, None).astype(x.dtype, copy=False)
    value = _apply("sin", (angle,), None, None, None) / angle
    return _apply("where", (x != 0, value, 1), None, None, None).astype(value.dtype, copy=False)


def result_type(*arrays_and_dtypes):
    """The dtype that arrays, dtypes and numbers are promoted to."""
    return dtypes.result_type(*arrays_and_dtypes)


def can_cast(from_, to, casting="safe"):
    """Whether elements are cast to a dtype by a rule."""
    return np.can_cast(dtypes._dtype(from_), dtypes._dtype(to), casting)


def min_scalar_type(a, /):
    """The dtype of the array; of one without axes, the smallest that holds its element."""
    return a.dtype if a.ndim else np.min_scalar_type(a.get())


def common_type(*arrays):
    """The floating-point dtype that all arrays have in common."""
    return np.common_type(*(np.empty(0, one.dtype) for one in arrays))


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements with another dtype."""
    refuse("astype", device=device)
    return x.astype(dtype, copy=copy)


class _Addresses:
    """What NumPy asks of memory, without elements that it could read."""

    def __init__(self, ary):
        self.__array_interface__ = {
            "version": 3,
            "shape": ary.shape,
            "strides": ary.strides,
            "typestr": f"|V{ary.itemsize}",
            "data": (int(ary.gpudata), True),
        }


def _addresses(ary):
    return np.asarray(_Addresses(ary)) if isinstance(ary, GPUArray) else ary


def _share(asked, a, b, max_work):
    if not a.size or not b.size:
        return False
    options = () if max_work is None else (max_work,)
    return asked(_addresses(a), _addresses(b), *options)


def shares_memory(a, b, /, max_work=-1):
    """Whether two arrays have an element in the same memory."""
    return _share(np.shares_memory, a, b, max_work)


def may_share_memory(a, b, /, max_work=0):
    """Whether two arrays may have an element in the same memory: their bounds overlap."""
    return _share(np.may_share_memory, a, b, max_work)


def vander(x, N=None, increasing=False):  # noqa: N803
    """The powers of each element as a row, descending by default."""
    x = device(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    columns = x.size if N is None else N
    powers = ones((x.size, columns), np.promote_types(x.dtype, np.int64))
    powers[:, 1:] = x[:, None]
    powers = cumprod(powers, axis=1, dtype=powers.dtype)
    return powers if increasing else powers[:, ::-1]


def polyval(p, x):
    """The polynomial with these coefficients, the highest power first, at the elements."""
    p, x = device(p) if not isinstance(p, np.ndarray) else asarray(p), device(x)
    y = GPUArray(x.shape, x.dtype).fill(0)
    for i in range(p.size):
        y = y * x + p[i]
    return y
