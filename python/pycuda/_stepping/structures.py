# SPDX-License-Identifier: MIT
"""Structures by their definitions in the source: debug information leaves out those that no plain variable has."""

import re

import numpy as np

from pycuda._stepping.templates import named_parts, split_outside, substituted, template_parameters
from pycuda._stepping.types import Type

_DEFINITION = re.compile(r"(template\s*<[^;{}]*>\s*)?\b(?:struct|class)\s+(\w+)\s*\{")
_INNER = re.compile(r"\{[^{}]*\}")
_ACCESS = re.compile(r"\b(?:public|private|protected)\s*:(?!:)")
_MEMBER = re.compile(r"^([\w:<>, ]*?[\w>])\s*(\*?)\s*\b(\w+)\s*((?:\[[^\]]*\]\s*)*)$")
_NO_DATA = re.compile(r"\b(?:static|using|typedef|friend|template|operator|enum|struct|class)\b|\(")
_OTHER_LAYOUT = re.compile(r"\b(?:virtual|alignas|__align__|__attribute__)\b|\w\s*:\s*\d")
_VECTOR = re.compile(r"([a-z]+?)([1-4])$")


class Structures:
    """The structures that a text without comments defines.

    Parameters
    ----------
    text : str
    types : Types
    constants : Constants
    """

    def __init__(self, text, types, constants):
        self._types, self._constants = types, constants
        self._known = {}
        for found in _DEFINITION.finditer(text):
            body = text[found.end() : _end(text, found.end())]
            self._known[found[2]] = template_parameters(found[1] or ""), body

    def named(self, name):
        """The `Type` of this name, such as "Pair<float>"; None if it is not known, or its layout is not a plain one."""
        found = self._layout(name, 0)
        return found[0] if found is not None else None

    def _layout(self, name, depth):
        """A type and its alignment."""
        name = re.sub(r"^(?:(?:struct|class|typename|const|volatile)\s+)+", "", name.strip())
        parts = named_parts(name)
        known = self._known.get(parts[-1][0]) if len(parts) == 1 and depth < 8 else None
        if known is None or len(known[0]) != len(parts[0][1]):
            of = self._types.named(name)
            # How another structure is aligned is not known.
            is_plain = of is not None and (of.dtype.names is None or _VECTOR.match(name))
            return (of, _alignment(name, of)) if is_plain else None
        return self._structure(known[1], dict(zip(known[0], parts[0][1])), depth)

    def _structure(self, body, bound, depth):
        has_union = re.search(r"\bunion\b", body)  # its members are in a block of their own
        while (inner := _INNER.sub(";", body)) != body:
            body = inner
        if has_union or _OTHER_LAYOUT.search(body):
            return None
        fields, offsets, size, widest = {}, [], 0, 1
        for statement in split_outside(_ACCESS.sub("", body), ";"):
            words = statement.partition("=")[0].strip()
            if not words or _NO_DATA.search(statement):
                continue
            base = None
            for part in split_outside(words, ","):
                text = part if base is None else f"{base} {part}"
                member = _MEMBER.match(" ".join(text.split()))
                if member is None:
                    return None
                base = member[1]
                one = self._member(substituted(base, bound), member, bound, depth)
                if one is None:
                    return None
                of, alignment = one
                offset = -(-size // alignment) * alignment
                fields[member[3]] = of
                offsets.append(offset)
                size, widest = offset + of.dtype.itemsize, max(widest, alignment)
        if not fields:
            return None
        formats = [one.dtype for one in fields.values()]
        size = -(-size // widest) * widest
        dtype = {"names": list(fields), "formats": formats, "offsets": offsets, "itemsize": size}
        return Type(dtype, fields=fields), widest

    def _member(self, base, member, bound, depth):
        if member[2]:
            found = Type("u8", kind="*", target=self._types.named(base)), 8
        else:
            found = self._layout(base, depth + 1)
        sizes = re.findall(r"\[\s*([^\]]*?)\s*\]", member[4])
        if found is None or not sizes:
            return found
        shape = tuple(self._constants.number(one, bound) for one in sizes)
        if min(shape) < 1 or np.prod(shape) > 1 << 16:
            return None
        return Type((found[0].dtype, shape), target=found[0]), found[1]


def _alignment(name, of):
    """Of a number, a pointer or a vector."""
    vector = _VECTOR.match(name) if of.dtype.names else None
    if vector is None:
        return of.dtype.itemsize
    count = int(vector[2])
    return of.dtype.itemsize // count if count == 3 else min(of.dtype.itemsize, 16)


def _end(text, at):
    """Where the block ends that begins before `at`."""
    depth = 1
    while at < len(text) and depth:
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at - 1
