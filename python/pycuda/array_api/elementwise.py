# SPDX-License-Identifier: MIT
"""Functions of one element each."""

from pycuda._arrays.core.gpuarray import GPUArray, _apply
from pycuda._arrays.ops.views import _parts
from pycuda._arrays.ops.where import clip as _clip
from pycuda._arrays.ops.where import round_ as _round

_UNARY = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "ceil": "ceil",
    "conj": "conjugate",
    "cos": "cos",
    "cosh": "cosh",
    "exp": "exp",
    "expm1": "expm1",
    "floor": "floor",
    "isfinite": "isfinite",
    "isinf": "isinf",
    "isnan": "isnan",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "logical_not": "logical_not",
    "negative": "negative",
    "positive": "positive",
    "real": "real",
    "imag": "imag",
    "reciprocal": "reciprocal",
    "sign": "sign",
    "signbit": "signbit",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "square": "square",
    "tan": "tan",
    "tanh": "tanh",
    "trunc": "trunc",
}
_BINARY = {
    "add": "add",
    "atan2": "arctan2",
    "bitwise_and": "bitwise_and",
    "bitwise_left_shift": "left_shift",
    "bitwise_or": "bitwise_or",
    "bitwise_right_shift": "right_shift",
    "bitwise_xor": "bitwise_xor",
    "copysign": "copysign",
    "divide": "true_divide",
    "equal": "equal",
    "floor_divide": "floor_divide",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "hypot": "hypot",
    "less": "less",
    "less_equal": "less_equal",
    "logaddexp": "logaddexp",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "logical_xor": "logical_xor",
    "maximum": "maximum",
    "minimum": "minimum",
    "multiply": "multiply",
    "nextafter": "nextafter",
    "not_equal": "not_equal",
    "pow": "power",
    "remainder": "remainder",
    "subtract": "subtract",
}


def _unary(name, operation):
    def function(x, /):
        return _apply(operation, (x,), None, None, None)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of each element."
    return function


def _binary(name, operation):
    def function(x1, x2, /):
        return _apply(operation, (x1, x2), None, None, None)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of each pair of elements; one of both may be a number."
    return function


for _name, _operation in _UNARY.items():
    globals()[_name] = _unary(_name, _operation)
for _name, _operation in _BINARY.items():
    globals()[_name] = _binary(_name, _operation)


def clip(x, /, min=None, max=None):
    """The elements, none smaller than `min` or larger than `max`, with the dtype of `x`."""
    for bound in (min, max):
        if isinstance(bound, GPUArray) and bound.dtype.kind == "f" and x.dtype.kind in "iu":
            raise TypeError(f"bounds of dtype {bound.dtype} for elements of dtype {x.dtype}")
    result = _clip(x, min, max)
    return result.astype(x.dtype, copy=False)


def round(x, /):  # noqa: A001
    """The elements rounded to whole numbers, halves to even."""
    if x.dtype.kind == "c":
        result = x.copy()
        _parts(result, 0)[...] = _round(x.real)
        _parts(result, 1)[...] = _round(x.imag)
        return result
    return _round(x)


def where(condition, x1, x2, /):
    """Elements of `x1` where the condition is true, of `x2` elsewhere."""
    return _apply("where", (condition, x1, x2), None, None, None)
