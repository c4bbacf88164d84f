# SPDX-License-Identifier: MIT
"""Calls of driver functions by name, and methods for the extension's classes that are made of them.

`pycuda._driver` binds what programs call often. The rest of the driver API is here and in the modules that import this
one: structures are packed with `struct`, handles are numbers, and every call goes through `_driver._call`, which raises
the driver's errors.
"""

from __future__ import annotations

import struct

from pycuda import _driver

__all__ = ["call", "device_number", "member", "method_of", "number", "property_of", "static_method_of", "with_detail"]


def call(name, *arguments):
    """Call a driver function; a text among the arguments is the format of a result, as `struct` takes it.

    Returns None, the only value, or a tuple of all values.
    """
    formats = [argument if isinstance(argument, str) else None for argument in arguments]
    given = [
        argument if form is None else bytearray(struct.calcsize(form))
        for argument, form in zip(arguments, formats, strict=True)
    ]
    _driver._call(name, *given)
    values = []
    for form, buffer in zip(formats, given, strict=True):
        if form is not None:
            values.extend(struct.unpack(form, buffer))
    if len(values) < 2:
        return values[0] if values else None
    return tuple(values)


def with_detail(error, text):
    """The driver's error, with what it is about at its end."""
    error.args = (f"{error} - {text}",)
    return error


def number(value, what):
    """An integer argument; TypeError that names it for anything else."""
    try:
        return int(value.__index__())
    except AttributeError:
        raise TypeError(f"{what} must be an integer, not {type(value).__name__}") from None


def member(name, value):
    """The member of an enumeration of the driver."""
    return getattr(_driver, name)(value)


def device_number(device):
    """The driver's handle of a Device; that of the current context for None."""
    if device is None:
        device = _driver.Context.get_device()
    if not isinstance(device, _driver.Device):
        raise TypeError(f"device must be a Device or None, not {type(device).__name__}")
    return hash(device)


def _add(owner, name, attribute, function):
    function.__qualname__ = f"{owner.__name__}.{name}"
    function.__module__ = owner.__module__
    setattr(owner, name, attribute)


def method_of(owner, name=None):
    """Make a function a method of a class of the extension."""

    def add(function):
        function.__name__ = name or function.__name__
        _add(owner, function.__name__, function, function)
        return function

    return add


def static_method_of(owner):
    """The same of a method without an object."""

    def add(function):
        _add(owner, function.__name__, staticmethod(function), function)
        return function

    return add


def property_of(owner):
    """The same of a property."""

    def add(function):
        made = property(function)
        _add(owner, function.__name__, made, function)
        return made

    return add
