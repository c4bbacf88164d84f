# SPDX-License-Identifier: MIT
"""Arrays on the device that work like NumPy's.

Notes
-----
Differences from the original: operands broadcast and may have any strides; copies between host and
device keep every element in its place whatever the orders; comparisons have dtype bool; ``/`` is
true division; ``//``, ``%``, bit operators, and indexing with arrays exist; reductions take `axis`,
`keepdims` and `dtype`. Memory comes from a pool when no `allocator` is given, or `mem_alloc` is.
"""

import importlib

import numpy as np  # noqa: F401

import pycuda.driver as drv  # noqa: F401
from pycuda._arrays.core.gpuarray import GPUArray, _apply, _array, _store  # noqa: F401
from pycuda._arrays.core.shapes import _axes, _axis, _splay_backend, splay  # noqa: F401
from pycuda._arrays.numpy import families
from pycuda._arrays.ops.creation import (  # noqa: F401
    _restore,
    arange,
    array,
    asarray,
    empty,
    empty_like,
    full,
    full_like,
    ones,
    ones_like,
    to_gpu,
    to_gpu_async,
    zeros,
    zeros_like,
)
from pycuda._arrays.ops.host_copies import allow_host_copies
from pycuda._arrays.ops.interchange import from_cuda_array_interface, from_dlpack
from pycuda._arrays.ops.joining import broadcast_to, concatenate, reshape, stack, transpose
from pycuda._arrays.ops.products import matmul, outer, tensordot, vecdot
from pycuda._arrays.ops.scans import cumprod, cumsum
from pycuda._arrays.ops.searching import searchsorted, unique
from pycuda._arrays.ops.selection import multi_put, multi_take, multi_take_put, nonzero, put, take
from pycuda._arrays.ops.sorting import argsort, sort
from pycuda._arrays.ops.transfers import _memcpy_discontig  # noqa: F401
from pycuda._arrays.ops.where import (
    clip,
    if_positive,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    round_,
    where,
)
from pycuda._arrays.pycuda.functions import (
    all,
    any,
    dot,
    max,
    min,
    prod,
    subset_dot,
    subset_max,
    subset_min,
    subset_sum,
    sum,
    vdot,
)
from pycuda._vectors import vec
from pycuda.characterize import has_double_support
from pycuda.compyte.array import get_common_dtype as _get_common_dtype_base

__all__ = [
    "GPUArray",
    "all",
    "allow_host_copies",
    "any",
    "arange",
    "argsort",
    "array",
    "asarray",
    "broadcast_to",
    "clip",
    "concatenate",
    "cumprod",
    "cumsum",
    "dot",
    "empty",
    "empty_like",
    "from_cuda_array_interface",
    "from_dlpack",
    "full",
    "full_like",
    "has_double_support",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "matmul",
    "max",
    "maximum",
    "min",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "nonzero",
    "ones",
    "ones_like",
    "outer",
    "prod",
    "put",
    "reshape",
    "round_",
    "searchsorted",
    "sort",
    "splay",
    "stack",
    "subset_dot",
    "subset_max",
    "subset_min",
    "subset_sum",
    "sum",
    "take",
    "tensordot",
    "to_gpu",
    "to_gpu_async",
    "transpose",
    "unique",
    "vdot",
    "vec",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]
# Private in PyCUDA, but programs use them.
_FOR_PROGRAMS = {"_compact_strides", "_get_broadcasted_binary_op_result", "_make_binary_op"}
# NumPy's names with NumPy's arguments: `__getattr__` below.
__all__ += sorted(families.BORROWED)


def _get_common_dtype(obj1, obj2):
    return _get_common_dtype_base(obj1, obj2, True)


def __getattr__(name):
    # Comes when it is first asked for: functions that are NumPy's by name and arguments, and what few programs use.
    module = families.BORROWED.get(name)
    if module is not None:
        globals()[name] = families.load(module, name)
    elif name in _FOR_PROGRAMS:
        globals()[name] = getattr(importlib.import_module("pycuda._arrays.pycuda.private"), name)
    elif name == "elementwise":
        globals()[name] = importlib.import_module("pycuda.elementwise")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]


def __dir__():
    return sorted({*globals(), *__all__})
