# SPDX-License-Identifier: MIT
"""Shared variables by their declarations: debug information often says nothing of them."""

import re

import numpy as np

from pycuda._stepping.types import Type

_DECLARATION = re.compile(
    rb"__shared__\s+(?:__align__\s*\([^)]*\)\s*|alignas\s*\([^)]*\)\s*|volatile\s+|const\s+)*([^;={]+);"
)
_DECLARATOR = re.compile(r"^(.*?[\s*&])?\s*([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)$", re.S)


def shared_types(source, types):
    """The types of the elements, and the dimensions where these are numbers, by the variables' names.

    Parameters
    ----------
    source : bytes
    types : Types

    Returns
    -------
    dict
        (Type or None, tuple of int, line) by name.
    """
    found = {}
    for declaration in _DECLARATION.finditer(source):
        line = source.count(b"\n", 0, declaration.start()) + 1
        base = None
        for part in declaration[1].decode(errors="replace").split(","):
            declarator = _DECLARATOR.match(part.strip())
            if declarator is None:
                break
            words = declarator[1] or ""
            if base is None:
                base = " ".join(words.replace("*", " ").split())
            name = base + "*" * words.count("*")
            sizes = re.findall(r"\[\s*([^\]]*?)\s*\]", declarator[3])
            shape = tuple(int(size) if size.isdigit() else 0 for size in sizes)
            found[declarator[2]] = (types.named(name), shape, line)
    return found


def type_of_bytes(element, shape, size):
    """The type of a variable of `size` bytes that has elements of this type."""
    if element is None or size % element.dtype.itemsize:
        return Type(("u1", (size,)))
    count = size // element.dtype.itemsize
    if not shape:
        return element if count == 1 else Type((element.dtype, (count,)), target=element)
    if int(np.prod(shape)) != count:
        known = int(np.prod(shape[1:])) if all(shape[1:]) else 0
        shape = (count // known, *shape[1:]) if known and count % known == 0 else (count,)
    return Type((element.dtype, shape), target=element)
