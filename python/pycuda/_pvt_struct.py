# SPDX-License-Identifier: MIT
"""Python's `struct` in native layout, with codes for complex numbers (F, D) and half precision (e)."""

from functools import lru_cache as _lru_cache
from struct import error

from pycuda._driver import _Struct as Struct

__all__ = ["Struct", "calcsize", "error", "pack", "pack_into", "unpack", "unpack_from"]

_compiled = _lru_cache(maxsize=128)(Struct)


def _clearcache():
    """Forget the formats used so far."""
    _compiled.cache_clear()


def calcsize(fmt):
    """The size in bytes of the values that `fmt` describes."""
    return _compiled(fmt).size


def pack(fmt, *values):
    """The values as bytes."""
    return _compiled(fmt).pack(*values)


def pack_into(fmt, buffer, offset, *values):
    """Write the values into `buffer` at `offset`."""
    _compiled(fmt).pack_into(buffer, offset, *values)


def unpack(fmt, buffer):
    """The values in `buffer`, which has exactly the format's size."""
    return _compiled(fmt).unpack(buffer)


def unpack_from(fmt, buffer, offset=0):
    """The values in `buffer` at `offset`."""
    return _compiled(fmt).unpack_from(buffer, offset)
