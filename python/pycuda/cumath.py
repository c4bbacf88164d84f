# SPDX-License-Identifier: MIT
"""Mathematical functions of arrays on the device.

Notes
-----
Differences from the original: any strides; a second positional argument is heeded, unknown keywords
are refused; integers become floats as NumPy's do, but `ceil`, `fabs` and `floor` keep their dtype;
`fmod`, `frexp`, `ldexp` and `modf` work in the arrays' own precision.
"""

from __future__ import annotations

import warnings

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray, _apply
from pycuda._arrays.ops.creation import empty_like
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import context_dependent_memoize, dtype_to_ctype

__all__ = [
    "acos",
    "asin",
    "atan",
    "ceil",
    "cos",
    "cosh",
    "exp",
    "fabs",
    "floor",
    "fmod",
    "frexp",
    "ldexp",
    "log",
    "log10",
    "modf",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]


def _refused(name, operand):
    kind = type(operand).__name__
    if isinstance(operand, (int, float, complex, np.generic)):
        return f"{kind}: numpy.{name} takes numbers"
    return f"{kind}: copy it with to_gpu"


def _unary(name, operation):
    def function(array, stream_or_out=None, *, out=None, stream=None):
        if stream_or_out is not None:
            warnings.warn("please use 'out' or 'stream' keyword arguments", DeprecationWarning, stacklevel=2)
            if isinstance(stream_or_out, GPUArray):
                if out is not None:
                    raise TypeError(f"{name} got two output arrays")
                out = stream_or_out
            elif stream is not None:
                raise TypeError(f"{name} got two streams")
            else:
                stream = stream_or_out
        if not isinstance(array, GPUArray):
            if hasattr(array, "_apply_operation"):  # what stands for an array in pycuda.fuse
                return _apply(operation, (array,), out, None, stream)
            raise TypeError(f"{name} takes an array on the device, not {_refused(name, array)}")
        if out is not None:
            assert out.shape == array.shape, f"out has shape {out.shape}, the array has shape {array.shape}"
            if array.dtype.kind in "fc":
                assert out.dtype == array.dtype, f"out has dtype {out.dtype}, the array has dtype {array.dtype}"
        return _apply(operation, (array,), out, None, stream)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of each element, in `out` if it is given."
    return function


fabs = _unary("fabs", "absolute")
ceil = _unary("ceil", "ceil")
floor = _unary("floor", "floor")
exp = _unary("exp", "exp")
log = _unary("log", "log")
log10 = _unary("log10", "log10")
sqrt = _unary("sqrt", "sqrt")
sin = _unary("sin", "sin")
cos = _unary("cos", "cos")
tan = _unary("tan", "tan")
asin = _unary("asin", "arcsin")
acos = _unary("acos", "arccos")
atan = _unary("atan", "arctan")
sinh = _unary("sinh", "sinh")
cosh = _unary("cosh", "cosh")
tanh = _unary("tanh", "tanh")


def _check(name, array, other=None):
    for operand in (array,) if other is None else (array, other):
        if not isinstance(operand, GPUArray):
            raise TypeError(f"{name} takes arrays on the device, not {_refused(name, operand)}")
    if array.dtype not in (np.float32, np.float64):
        raise TypeError(f"{name} is for float32 and float64, not {array.dtype}")
    if other is not None and other.shape != array.shape:
        raise ValueError(f"{name}: the arrays must have equal shapes: they have shapes {array.shape} and {other.shape}")


@context_dependent_memoize
def _kernel(name, arguments, operation):
    return ElementwiseKernel(arguments, operation, f"{name}_kernel")


def _c_function(name, dtype):
    return name + "f" if dtype == np.float32 else name


def fmod(arg, mod, stream=None):
    """The remainders of `arg` / `mod` with the signs of `arg`."""
    _check("fmod", arg, mod)
    if mod.dtype != arg.dtype:
        raise TypeError(f"fmod: the arrays must have equal dtypes: they have dtypes {arg.dtype} and {mod.dtype}")
    result = empty_like(arg)
    real = dtype_to_ctype(arg.dtype)
    operation = f"z[i] = {_c_function('fmod', arg.dtype)}(arg[i], mod[i])"
    _kernel("fmod", f"{real} *arg, {real} *mod, {real} *z", operation)(arg, mod, result, stream=stream)
    return result


def frexp(arg, stream=None):
    """Significands and exponents, with ``arg == significand * 2**exponent``."""
    _check("frexp", arg)
    significand, exponent = empty_like(arg), empty_like(arg)
    real = dtype_to_ctype(arg.dtype)
    function = _c_function("frexp", arg.dtype)
    operation = f"int power; significand[i] = {function}(x[i], &power); exponent[i] = power"
    arguments = f"{real} *x, {real} *significand, {real} *exponent"
    _kernel("frexp", arguments, operation)(arg, significand, exponent, stream=stream)
    return significand, exponent


def ldexp(significand, exponent, stream=None):
    """``significand * 2**exponent``."""
    _check("ldexp", significand, exponent)
    if exponent.dtype.kind not in "iuf":
        raise TypeError(f"ldexp: exponents cannot have dtype {exponent.dtype}")
    result = empty_like(significand)
    real = dtype_to_ctype(significand.dtype)
    power = "(int)expt[i]"
    if exponent.dtype in (np.int64, np.uint32, np.uint64):
        # Numbers that an int does not hold are as good as the ends of this range.
        least = "expt[i] < -9999 ? -9999 : " if exponent.dtype.kind == "i" else ""
        power = f"({least}expt[i] > 9999 ? 9999 : (int)expt[i])"
    operation = f"z[i] = {_c_function('ldexp', significand.dtype)}(sig[i], {power})"
    arguments = f"{real} *sig, {dtype_to_ctype(exponent.dtype)} *expt, {real} *z"
    _kernel("ldexp", arguments, operation)(significand, exponent, result, stream=stream)
    return result


def modf(arg, stream=None):
    """Fractional and integral parts, both with the signs of `arg`."""
    _check("modf", arg)
    fraction, integral = empty_like(arg), empty_like(arg)
    real = dtype_to_ctype(arg.dtype)
    operation = f"{real} whole; fraction[i] = {_c_function('modf', arg.dtype)}(x[i], &whole); integral[i] = whole"
    arguments = f"{real} *x, {real} *integral, {real} *fraction"
    _kernel("modf", arguments, operation)(arg, integral, fraction, stream=stream)
    return fraction, integral


def __getattr__(name):
    from pycuda import _driver, _other_names  # start-up time: only for mistakes

    remedy = _other_names.remedy(__name__, name)
    if not remedy and isinstance(getattr(np, name, None), np.ufunc) and name in _driver._array.ufuncs():
        remedy = f": np.{name}(a) computes it on the device"
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{remedy}")
