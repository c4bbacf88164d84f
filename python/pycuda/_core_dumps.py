# SPDX-License-Identifier: MIT
"""Core dumps of a GPU: when the driver writes them, and where."""

from __future__ import annotations

import struct

from pycuda._driver import coredump_attribute
from pycuda._driver_calls import call, number

__all__ = ["get_coredump_attribute", "set_coredump_attribute"]

_TEXTS = {coredump_attribute.FILE, coredump_attribute.PIPE}
_NUMBERS = {coredump_attribute.GENERATION_FLAGS}
_TEXT_BYTES = 1024


def get_coredump_attribute(attribute, process=False):
    """A `coredump_attribute` of the current context, or of contexts that the process makes from now on.

    The CPU driver keeps the settings but writes no core dumps: turning them on raises LogicError. A fault has its
    thread and line in the error.

    Returns
    -------
    bool, int or str
    """
    attribute = coredump_attribute(number(attribute, "attribute"))
    form = f"{_TEXT_BYTES}s" if attribute in _TEXTS else "i" if attribute in _NUMBERS else "?"
    size = struct.pack("N", struct.calcsize(form))
    name = "cuCoredumpGetAttributeGlobal" if process else "cuCoredumpGetAttribute"
    value = call(name, int(attribute), form, bytearray(size))
    return value.partition(b"\0")[0].decode() if attribute in _TEXTS else value


def set_coredump_attribute(attribute, value, process=False):
    """Set a `coredump_attribute`; see `get_coredump_attribute`. FILE and PIPE are set for the process only."""
    attribute = coredump_attribute(number(attribute, "attribute"))
    if attribute in _TEXTS:
        if not isinstance(value, str):
            raise TypeError(f"{attribute.name} is a string, not {type(value).__name__}")
        packed = value.encode() + b"\0"
    else:
        packed = struct.pack("i" if attribute in _NUMBERS else "?", number(value, "value"))
    name = "cuCoredumpSetAttributeGlobal" if process else "cuCoredumpSetAttribute"
    call(name, int(attribute), packed, struct.pack("N", len(packed)))
