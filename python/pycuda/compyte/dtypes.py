# SPDX-License-Identifier: MIT
"""The C names of NumPy's dtypes, and C declarations of kernel arguments."""

from __future__ import annotations

import re
import struct
import warnings

import numpy as np


class TypeNameNotKnown(RuntimeError):  # noqa: N818
    """A C type name that no dtype is registered for."""


class DTypeRegistry:
    """Which C name stands for which dtype. The first name given to a dtype is the one it is written with."""

    def __init__(self):
        self.dtype_to_name = {}
        self.name_to_dtype = {}

    def get_or_register_dtype(self, names, dtype=None):
        """The dtype called `names`; with a `dtype`, make `names` (one or several) stand for it first.

        Raises
        ------
        TypeNameNotKnown
            Without `dtype`, when a name is unknown.
        RuntimeError
            When a name already stands for another dtype.
        """
        if isinstance(names, str):
            names = [names]
        if dtype is None:
            found = {self._named(name) for name in names}
            if len(found) != 1:
                raise RuntimeError(f"names do not agree on a dtype: {', '.join(names)}")
            return found.pop()

        dtype = np.dtype(dtype)
        for name in names:
            known = self.name_to_dtype.get(name)
            if known is not None and known != dtype:
                raise RuntimeError(
                    f"name '{name}' already registered to different dtype {known}: choose another name for {dtype}"
                )
        # Compare with what is there: a struct given again keeps the dtype object that was registered first.
        dtype = next((known for known in self.dtype_to_name if known == dtype), dtype)
        for name in names:
            self.name_to_dtype[name] = dtype
            self.dtype_to_name.setdefault(dtype, name)
        return dtype

    def _named(self, name):
        try:
            return self.name_to_dtype[name]
        except KeyError:
            raise _UnknownName(f"unknown type '{name}'") from None

    def dtype_to_ctype(self, dtype):
        """The C name of `dtype`.

        Raises
        ------
        ValueError
            When no name is registered for it.
        """
        if dtype is None:
            raise ValueError("dtype may not be None")
        dtype = np.dtype(dtype)
        try:
            return self.dtype_to_name[dtype]
        except KeyError:
            remedy = ": get_or_register_dtype(name, dtype) gives it a name in C++" if dtype.names else ""
            raise ValueError(f"unable to map dtype '{dtype}'{remedy}") from None


class _UnknownName(TypeNameNotKnown, KeyError):
    def __str__(self):
        return str(self.args[0])


_UnknownName.__name__ = _UnknownName.__qualname__ = "TypeNameNotKnown"  # what programs catch


def fill_registry_with_c_types(reg, respect_windows, include_bool=True):
    """The types that C has by itself, as this platform (or Windows) sizes them."""
    if include_bool:
        reg.get_or_register_dtype("bool", np.bool_)
    reg.get_or_register_dtype(["signed char", "char"], np.int8)
    reg.get_or_register_dtype("unsigned char", np.uint8)
    reg.get_or_register_dtype(["short", "signed short", "signed short int", "short signed int", "short int"], np.int16)
    reg.get_or_register_dtype(["unsigned short", "unsigned short int", "short unsigned int"], np.uint16)
    reg.get_or_register_dtype(["int", "signed int", "signed"], np.int32)
    reg.get_or_register_dtype(["unsigned", "unsigned int"], np.uint32)

    long_names = ["long", "long int", "signed long", "signed long int", "long signed int"]
    unsigned_long_names = ["unsigned long", "unsigned long int", "long unsigned int"]
    long_long_names = ["long long", "long long int", "signed long long", "signed long long int"]
    unsigned_long_long_names = ["unsigned long long", "unsigned long long int"]
    if respect_windows and struct.calcsize("l") == 4:
        reg.get_or_register_dtype(long_names, np.int32)
        reg.get_or_register_dtype(unsigned_long_names, np.uint32)
    elif struct.calcsize("l") == 8:
        reg.get_or_register_dtype(long_names, np.int64)
        reg.get_or_register_dtype(unsigned_long_names, np.uint64)
    reg.get_or_register_dtype(long_long_names, np.int64)
    reg.get_or_register_dtype(unsigned_long_long_names, np.uint64)
    # NumPy may have a second 64-bit integer type; equal dtypes share the entry, different ones need their own.
    reg.dtype_to_name.setdefault(np.dtype(np.longlong), "long long")
    reg.dtype_to_name.setdefault(np.dtype(np.ulonglong), "unsigned long long")
    reg.get_or_register_dtype(["size_t", "uintptr_t"], np.uintp)
    reg.get_or_register_dtype(["ssize_t", "ptrdiff_t", "intptr_t"], np.intp)

    reg.get_or_register_dtype("float", np.float32)
    reg.get_or_register_dtype("double", np.float64)


def fill_registry_with_opencl_c_types(reg):
    """The types of OpenCL C, whose sizes are fixed."""
    reg.get_or_register_dtype(["char", "signed char"], np.int8)
    reg.get_or_register_dtype(["uchar", "unsigned char"], np.uint8)
    reg.get_or_register_dtype(["short", "signed short"], np.int16)
    reg.get_or_register_dtype(["ushort", "unsigned short"], np.uint16)
    reg.get_or_register_dtype(["int", "signed int"], np.int32)
    reg.get_or_register_dtype(["uint", "unsigned", "unsigned int"], np.uint32)
    reg.get_or_register_dtype(["long", "signed long"], np.int64)
    reg.get_or_register_dtype(["ulong", "unsigned long"], np.uint64)
    reg.get_or_register_dtype(["half"], np.float16)
    reg.get_or_register_dtype("float", np.float32)
    reg.get_or_register_dtype("double", np.float64)
    reg.get_or_register_dtype("bool", np.bool_)


def fill_registry_with_c99_stdint_types(reg):
    """The types of <stdint.h> and bool."""
    reg.get_or_register_dtype("bool", np.bool_)
    for bits in (8, 16, 32, 64):
        reg.get_or_register_dtype(f"int{bits}_t", np.dtype(f"int{bits}"))
        reg.get_or_register_dtype(f"uint{bits}_t", np.dtype(f"uint{bits}"))
    reg.get_or_register_dtype("uintptr_t", np.uintp)


def fill_registry_with_c99_complex_types(reg):
    """The complex types of C99."""
    reg.get_or_register_dtype("float complex", np.complex64)
    reg.get_or_register_dtype("double complex", np.complex128)
    if np.dtype(np.clongdouble).itemsize > 16:
        reg.get_or_register_dtype("long double complex", np.clongdouble)


TYPE_REGISTRY = DTypeRegistry()
NAME_TO_DTYPE = TYPE_REGISTRY.name_to_dtype
DTYPE_TO_NAME = TYPE_REGISTRY.dtype_to_name
dtype_to_ctype = TYPE_REGISTRY.dtype_to_ctype
get_or_register_dtype = TYPE_REGISTRY.get_or_register_dtype


def _fill_dtype_registry(respect_windows, include_bool=True):
    fill_registry_with_c_types(TYPE_REGISTRY, respect_windows, include_bool)
    for bits in (8, 16, 32, 64):
        TYPE_REGISTRY.get_or_register_dtype(f"int{bits}_t", np.dtype(f"int{bits}"))
        TYPE_REGISTRY.get_or_register_dtype(f"uint{bits}_t", np.dtype(f"uint{bits}"))


def register_dtype(dtype, c_names, alias_ok=False):
    """Register `c_names` for `dtype`. Deprecated: `get_or_register_dtype` does it."""
    warnings.warn(
        "register_dtype is deprecated. Use get_or_register_dtype instead.",
        DeprecationWarning,
        stacklevel=2,
    )
    if isinstance(c_names, str):
        c_names = [c_names]
    dtype = np.dtype(dtype)
    if not alias_ok and any(name in NAME_TO_DTYPE for name in c_names):
        raise RuntimeError(f"name '{c_names[0]}' already registered")
    if not alias_ok and dtype in DTYPE_TO_NAME:
        raise RuntimeError(f"dtype '{dtype}' already registered")
    get_or_register_dtype(c_names, dtype)


_QUALIFIERS = re.compile(r"\b(?:const|volatile|__restrict__|__restrict|restrict)\b")
_DECLARATION = re.compile(r"^(?P<type>.*?)(?P<name>[A-Za-z_]\w*)?\s*(?P<extents>(?:\[[^\]]*\])*)$", re.S)


def parse_c_arg_backend(c_arg, scalar_arg_factory, vec_arg_factory, name_to_dtype=None):
    """One argument of a C declaration, such as ``const float *x``: a vector if it is a pointer or array, else a scalar.

    Qualifiers are words of their own: an argument may be called ``my_const``.

    Raises
    ------
    ValueError
        When the type is unknown or the text is not a declaration.
    """
    look_up = _type_named if name_to_dtype is None else name_to_dtype
    text = _QUALIFIERS.sub(" ", c_arg).strip()
    is_vector = "*" in text or "[" in text
    match = _DECLARATION.match(text.replace("*", " * "))
    if match is None or not match["name"]:
        raise ValueError(f"cannot parse the argument declaration '{c_arg}'")
    type_name = " ".join(match["type"].replace("*", " ").split())
    if not type_name:
        raise ValueError(f"the argument declaration '{c_arg}' lacks a type or a name")
    if type_name.startswith("struct ") and type_name[7:] in NAME_TO_DTYPE:
        type_name = type_name[7:]
    try:
        dtype = look_up(type_name)
    except (KeyError, TypeNameNotKnown):
        hint = ": arguments are separated by commas" if " " in type_name else ": register_dtype makes a type known"
        raise ValueError(f"unknown type '{type_name}' in the argument '{text}'{hint}") from None
    factory = vec_arg_factory if is_vector else scalar_arg_factory
    return factory(dtype, match["name"])


def _type_named(name):
    return NAME_TO_DTYPE[name]
