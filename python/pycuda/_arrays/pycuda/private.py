# SPDX-License-Identifier: MIT
"""Private names of PyCUDA's module of arrays that published programs use."""

import operator

import numpy as np

from pycuda._arrays.core import shapes
from pycuda.compyte.array import get_common_dtype

_OPERATORS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _make_binary_op(operator):
    """A method for a class of arrays that applies an operator, which is given as C writes it."""
    try:
        function = _OPERATORS[operator]
    except KeyError:
        raise ValueError(f"the operator must be one of {' '.join(_OPERATORS)}, not {operator!r}") from None

    def method(self, other):
        return function(self, other)

    return method


def _compact_strides(a):
    """Strides of a dense array with the shape of `a` and the axes in its order, in bytes."""
    return shapes._compact_strides(a.shape, a.strides, a.dtype.itemsize)


def _get_broadcasted_binary_op_result(obj1, obj2, dtype_getter=None):
    """A new array for what an operator makes of two, not filled.

    `dtype_getter` is called with both and says its dtype; NumPy's promotion where it is None.
    """
    shape = np.broadcast_shapes(obj1.shape, obj2.shape)
    dtype = get_common_dtype(obj1, obj2, True) if dtype_getter is None else dtype_getter(obj1, obj2)
    like = obj1 if obj1.shape == shape else obj2
    if like.shape == shape:
        return like._new_like_me(dtype)
    return type(obj1)(shape, dtype, allocator=obj1.allocator)
