# SPDX-License-Identifier: MIT
"""Names of addresses: elements of the arrays that a kernel was given, and of its variables."""

from dataclasses import dataclass

import numpy as np

from pycuda._stepping.types import Type


@dataclass
class Region:
    """Memory that has a name; `symbol` and `depth` are of a variable of a function that was called."""

    address: int
    size: int
    name: str
    type: Type | None  # of the elements
    symbol: str = ""
    depth: int = 0
    is_single: bool = False  # no array
    shape: tuple = ()

    @property
    def dtype(self):
        """Of the elements; None if it is not known."""
        return self.type.dtype if self.type is not None else None

    def element(self, index):
        """The index of an element as it is written in the source."""
        if self.is_single:
            return ""
        if len(self.shape) < 2 or index >= np.prod(self.shape):
            return f"[{index}]"
        return "".join(f"[{one}]" for one in np.unravel_index(index, self.shape))


class Regions:
    """The memory that is known."""

    def __init__(self):
        self._arrays, self._variables = [], []
        self._known = {}  # what is in a variable of the PTX

    def add_array(self, address, size, name, of):
        """An argument's memory, with elements of a `Type`, or None."""
        self._arrays.append(Region(address, size, name, of))

    def describe(self, symbol, parts):
        """What a variable of the PTX has in it: offset, name, `Type` and size of each."""
        self._known[symbol] = parts

    def add_variable(self, symbol, address, size, depth):
        """A variable of a function that is entered."""
        # Of what is in it, not all has a name.
        self._variables.append(Region(address, size, "", None, symbol, depth))
        for offset, name, of, size in self._known.get(symbol, ()):
            shape = of.dtype.shape if of is not None else ()
            element = _element_of(of) if shape else of
            self._variables.append(
                Region(address + offset, size, name, element, symbol, depth, of is not None and not shape, shape)
            )

    def drop_variables(self, depth):
        """Forget the variables of functions as deep as this or deeper."""
        self._variables = [region for region in self._variables if region.depth < depth]

    def _find(self, address):
        for region in [*reversed(self._variables), *self._arrays]:
            if region.address <= address < region.address + max(region.size, 1):
                return region
        return None

    def is_local(self, address):
        """Whether an address is in the memory of a function's own variables, which are shown by themselves."""
        region = self._find(address)
        return region is not None and region.symbol.startswith("__local_depot")

    def name(self, address):
        """What is at an address, and the `Type` of it or None."""
        region = self._find(address)
        if region is None or not region.name:
            return hex(address), None
        at = address - region.address
        if region.dtype is None or region.dtype.itemsize == 0:
            return f"{region.name}+{at}", None
        index, rest = divmod(at, region.dtype.itemsize)
        member, of = _member_at(region.type, rest)
        return f"{region.name}{region.element(index)}{member}", of

    def name_of_pointer(self, address):
        """An address as an expression, such as "in + 2"; "" if it is in nothing that is known."""
        region = self._find(address)
        if region is None or not region.name:
            return ""
        at = address - region.address
        if at == 0:
            return f"&{region.name}" if region.is_single else region.name
        size = region.dtype.itemsize if region.dtype is not None else 1
        if len(region.shape) > 1 and at % size == 0:
            return f"&{region.name}{region.element(at // size)}"
        return f"{region.name} + {at // size}" if size and at % size == 0 else f"{region.name} + {at} bytes"


def _element_of(of):
    """The `Type` of an array's elements."""
    return of.target if of.target is not None else Type(of.dtype.base)


def _member_at(of, offset):
    """The member of a structure at an offset, as text, and its `Type`."""
    if of.dtype.shape:
        element = _element_of(of)
        index, rest = divmod(offset, element.dtype.itemsize)
        text, inner = _member_at(element, rest)
        if len(of.dtype.shape) > 1:
            return "".join(f"[{one}]" for one in np.unravel_index(index, of.dtype.shape)) + text, inner
        return f"[{index}]{text}", inner
    if of.dtype.names is None:
        return ("", of) if offset == 0 else (f"+{offset}", None)
    for name in of.dtype.names:
        if name in of.bits:
            continue
        dtype, at = of.dtype.fields[name][:2]
        if at <= offset < at + dtype.itemsize:
            text, inner = _member_at(of.fields.get(name) or Type(dtype), offset - at)
            return f".{name}{text}", inner
    return f"+{offset}", None
