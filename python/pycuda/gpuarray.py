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
from pycuda._arrays.core.gpuarray import GPUArray, _array  # noqa: F401
from pycuda._arrays.functions import FUNCTIONS as _FUNCTIONS
from pycuda._arrays.numpy.families import BORROWED as _BORROWED
from pycuda._arrays.numpy.families import HOMES as _NUMPYS
from pycuda._arrays.numpy.families import load as _load
from pycuda._arrays.ops.creation import _restore  # noqa: F401
from pycuda._arrays.ops.transfers import _memcpy_discontig  # noqa: F401
from pycuda._splay import splay_on as _splay_backend  # noqa: F401
from pycuda._vectors import vec  # noqa: F401
from pycuda.characterize import has_double_support  # noqa: F401
from pycuda.compyte.array import get_common_dtype as _get_common_dtype_base

empty = GPUArray
globals().update(_FUNCTIONS)
# NumPy's names with NumPy's arguments, the borrowed ones, come by `__getattr__` below.
__all__ = sorted(["GPUArray", "GrowingArray", "empty", "has_double_support", "vec", *_FUNCTIONS, *_BORROWED])
# Private in PyCUDA, but programs use them.
_FOR_PROGRAMS = {"_compact_strides", "_get_broadcasted_binary_op_result", "_make_binary_op"}


def _get_common_dtype(obj1, obj2):
    return _get_common_dtype_base(obj1, obj2, True)


def __getattr__(name):
    # Comes when it is first asked for: functions that are NumPy's by name and arguments, and what few programs use.
    module = _BORROWED.get(name)
    if module is not None:
        globals()[name] = _load(module, name)
    elif name in _FOR_PROGRAMS:
        globals()[name] = getattr(importlib.import_module("pycuda._arrays.pycuda.private"), name)
    elif name in ("GrowingArray", "_regrown"):  # the second is what pickles name
        globals()[name] = getattr(importlib.import_module("pycuda._arrays.pycuda.growing"), name)
    elif name == "elementwise":
        globals()[name] = importlib.import_module("pycuda.elementwise")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_elsewhere(name)}")
    return globals()[name]


def _elsewhere(name):
    """What has, or computes, what a program looks for here; "" if nothing does."""
    if name.startswith("_"):
        return ""
    places = ["pycuda.cumath"] if name in importlib.import_module("pycuda.cumath").__all__ else []
    ufunc = getattr(np, name, None)
    if name in _NUMPYS or (isinstance(ufunc, np.ufunc) and ufunc.__name__ in _array.ufuncs()):
        places.append("np")
    if not places and callable(getattr(GPUArray, name, None)):
        return f": arrays have the method a.{name}()"
    called = " and ".join(f"{place}.{name}(a)" for place in places)
    if places:
        return f": {called} compute{'s' if len(places) == 1 else ''} it on the device"
    return importlib.import_module("pycuda._other_names").remedy(__name__, name)


def __dir__():
    return sorted({*globals(), *__all__})
