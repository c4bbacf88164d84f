# SPDX-License-Identifier: MIT
"""Direction vectors and scramble constants, from cuRAND's library, which needs no device for them."""

from __future__ import annotations

import ctypes
import functools
import glob
import operator
import os
import re
import sys

import numpy as np

from pycuda._driver import direction_vector_set

_TABLE_LENGTH = 20000

# cuRAND's numbers of the sets.
_SETS = {
    direction_vector_set.VECTOR_32: (101, 32),
    direction_vector_set.SCRAMBLED_VECTOR_32: (102, 32),
    direction_vector_set.VECTOR_64: (103, 64),
    direction_vector_set.SCRAMBLED_VECTOR_64: (104, 64),
}


def _files_of_wheels(pattern):
    return [
        path
        for folder in sys.path
        for path in sorted(glob.glob(os.path.join(glob.escape(folder or os.curdir), "nvidia", "*", pattern)))
    ]


@functools.cache
def _library():
    candidates = _files_of_wheels("lib/libcurand.so.*") + ["libcurand.so.10", "libcurand.so"]
    for path in candidates:
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    return None


def _required_library():
    library = _library()
    if library is None:
        raise ImportError(
            "libcurand, which has the tables of Sobol generators, was not found: `pip install nvidia-curand` brings it"
        )
    return library


def _version_number():
    """CURAND_VERSION, from the library or the headers; None without cuRAND."""
    library = _library()
    if library is not None:
        version = ctypes.c_int()
        if library.curandGetVersion(ctypes.byref(version)) == 0:
            return version.value
    for path in _files_of_wheels("include/curand.h"):
        with open(path) as header:
            match = re.search(r"#define\s+CURAND_VERSION\s+(\d+)", header.read())
        if match:
            return int(match[1])
    return None


def get_curand_version():
    """The version as PyCUDA counts it, from major*1000 + minor*10; None without cuRAND."""
    number = _version_number()
    return None if number is None else (number // 1000, number % 1000 // 10, number % 10)


def _checked(status, routine):
    if status != 0:
        raise RuntimeError(f"{routine} failed: status {status}")


def _repeated(table, count):
    count = operator.index(count)
    if count < 0:
        raise ValueError(f"count must not be negative: {count}")
    return np.ascontiguousarray(table[np.arange(count) % len(table)])


def _table(address, bits, shape):
    dtype = np.dtype(np.uint32 if bits == 32 else np.uint64)
    size = int(np.prod(shape)) * dtype.itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)


def direction_vectors(direction, count):
    """An ndarray of `count` rows."""
    direction = direction_vector_set.VECTOR_32 if direction is None else direction
    if not isinstance(direction, int) or direction not in _SETS:
        raise TypeError(f"direction must be a direction_vector_set, not {direction!r}")
    number, bits = _SETS[direction]
    address = ctypes.c_void_p()
    routine = f"curandGetDirectionVectors{bits}"
    _checked(getattr(_required_library(), routine)(ctypes.byref(address), number), routine)
    return _repeated(_table(address.value, bits, (_TABLE_LENGTH, bits)), count)


def scramble_constants(bits, count):
    """An ndarray of `count` constants."""
    address = ctypes.c_void_p()
    routine = f"curandGetScrambleConstants{bits}"
    _checked(getattr(_required_library(), routine)(ctypes.byref(address)), routine)
    return _repeated(_table(address.value, bits, (_TABLE_LENGTH,)), count)


def write(table, destination):
    """Copy a table to the first bytes of a writable, contiguous ndarray."""
    place = memoryview(destination).cast("B")
    if place.nbytes < table.nbytes:
        raise ValueError(f"the destination has {place.nbytes} bytes, the table {table.nbytes}")
    place[: table.nbytes] = table.tobytes()
