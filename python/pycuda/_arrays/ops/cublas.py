# SPDX-License-Identifier: MIT
"""Matrix products by NVIDIA's cuBLAS, if the library is installed: it is looked for once, at run time."""

import ctypes
import os
import threading

import numpy as np

import pycuda.driver as driver
from pycuda import _driver
from pycuda.tools import context_dependent_memoize

_array = _driver._array
_NAMES = "libcublas.so.13", "libcublas.so.12", "libcublas.so"
_lock = threading.Lock()
_loaded = []  # the library or None, once looked for

# The functions of each dtype, with what a number of it is in C.
_PRODUCTS = {
    np.dtype(np.float32): ("cublasSgemmStridedBatched", ctypes.c_float),
    np.dtype(np.float64): ("cublasDgemmStridedBatched", ctypes.c_double),
    np.dtype(np.complex64): ("cublasCgemmStridedBatched", ctypes.c_float * 2),
    np.dtype(np.complex128): ("cublasZgemmStridedBatched", ctypes.c_double * 2),
}


def library():
    """The loaded library, or None.

    ``PYCUDA_CUBLAS`` names the file, or switches it off with "0". On the CPU driver only a file
    that is named is used: NVIDIA's own cannot use that driver's memory.
    """
    if not _loaded:
        with _lock:
            if not _loaded:
                _loaded.append(_load(os.environ.get("PYCUDA_CUBLAS", "")))
    return _loaded[0]


def _load(named):
    if named == "0" or (not named and _driver._device_traits().is_cpu):
        return None
    for name in (named,) if named else _NAMES:
        try:
            found = ctypes.CDLL(name)
        except OSError as error:
            if named:
                raise OSError(f"PYCUDA_CUBLAS={named} cannot be used: {error}") from None
            continue
        missing = [function for function, _ in _PRODUCTS.values() if not hasattr(found, function)]
        if not missing:
            return found
        if named:
            raise OSError(f"PYCUDA_CUBLAS={named} cannot be used: it has no {missing[0]}")
    return None


def _check(status, name):
    if status:
        raise driver.LaunchError(f"{name} failed: status {status}")


@context_dependent_memoize
def _handle():
    handle = ctypes.c_void_p()
    _check(library().cublasCreate_v2(ctypes.byref(handle)), "cublasCreate")
    return handle


def multiply(left, right, result, count, rows, inner, columns, left_step, right_step):
    """``result = left @ right`` for `count` matrices in C order; False where this is not for cuBLAS."""
    if _array.thread_captures():
        return False  # the library works in the default stream, which cannot be captured
    known = _PRODUCTS.get(result.dtype)
    if known is None or library() is None:
        return False
    if _driver._device_traits().is_cpu:
        driver.Context.synchronize()  # a library of the processor's knows nothing of the device's queue
    if max(rows, inner, columns, count) > 2**31 - 1:
        return False
    name, number = known
    complex_ = result.dtype.kind == "c"
    one, zero = (number(1, 0), number(0, 0)) if complex_ else (number(1), number(0))
    # cuBLAS has columns one after the other: there, C order is the transposed matrix, and the
    # transposed product is the product of the transposed ones the other way round.
    size, step = ctypes.c_int, ctypes.c_longlong
    status = getattr(library(), name)(
        _handle(),
        size(0),
        size(0),
        size(columns),
        size(rows),
        size(inner),
        ctypes.byref(one),
        ctypes.c_void_p(right.ptr),
        size(columns),
        step(right_step),
        ctypes.c_void_p(left.ptr),
        size(inner),
        step(left_step),
        ctypes.byref(zero),
        ctypes.c_void_p(result.ptr),
        size(columns),
        step(rows * columns),
        size(count),
    )
    _check(status, name)
    return True
