# SPDX-License-Identifier: MIT
"""Which variables of the source can be seen where in a PTX function, and where they are."""

from dataclasses import dataclass, field

from pycuda._stepping.sections import Reader, read_entries
from pycuda._stepping.types import Type, Types

_ADDRESS, _PLUS, _REGISTER = 0x03, 0x23, 0x90  # DW_OP_addr, DW_OP_plus_uconst, DW_OP_regx


@dataclass(frozen=True)
class Location:
    """Where a variable is: in a register, or in memory `offset` bytes behind a symbol."""

    register: str = ""
    symbol: str = ""
    offset: int = 0


@dataclass
class Variable:
    """A variable, and the places that it has while the code is within ranges of labels.

    Attributes
    ----------
    places : list of (str, str, Location)
        The first label, the one behind the last instruction, and the place in between. "" for the scope's.
    """

    name: str
    type: Type
    line: int
    file: int
    places: list
    is_parameter: bool = False


@dataclass
class Scope:
    """A function, an inlined call of one, or a block in braces: from one label to another."""

    begin: str
    end: str
    name: str = ""  # of the function; "" for a block
    symbol: str = ""  # the function's in PTX; "" if it is inlined
    returns: Type | None = None
    variables: list = field(default_factory=list)
    scopes: list = field(default_factory=list)
    file: int = 0  # of the function
    call: tuple = (0, 0)  # file and line of the call that is inlined


class DebugInformation:
    """What a module's sections of debug information say.

    Attributes
    ----------
    functions : dict
        The `Scope` of each function, by its symbol.
    globals : list of Variable
    types : Types
    """

    def __init__(self, sections):
        self._sections = sections
        units, self._entries = read_entries(sections)
        self.types = Types(self._entries)
        self.functions, self.globals = {}, []
        for unit in units:
            self._read(unit)

    def _read(self, parent):
        for entry in parent.children:
            if entry.tag == 0x39:  # a namespace
                self._read(entry)
            elif entry.tag == 0x2E and 0x11 in entry.attributes:
                scope = self._scope(entry)
                self.functions[scope.symbol] = scope
            elif entry.tag == 0x34 and (variable := self._variable(entry)):
                self.globals.append(variable)

    def _origin(self, entry):
        """The attributes of an entry and those that it has from the function that is inlined there."""
        attributes = {}
        while entry is not None:
            attributes = {**entry.attributes, **attributes}
            entry = self._entries.get(entry.get(0x31, entry.get(0x47)))
        return attributes

    def _scope(self, entry):
        attributes = self._origin(entry)
        is_function = entry.tag in (0x2E, 0x1D)
        scope = Scope(
            entry.get(0x11, ("", 0))[0],
            entry.get(0x12, ("", 0))[0],
            attributes.get(3, "") if is_function else "",
            attributes.get(0x2007, attributes.get(0x6E, attributes.get(3, ""))) if entry.tag == 0x2E else "",
            self.types.at(attributes.get(0x49)) if is_function else None,
            file=attributes.get(0x3A, 0),
            call=(entry.get(0x58, 0), entry.get(0x59, 0)),
        )
        for child in entry.children:
            if child.tag in (0x05, 0x34):
                if variable := self._variable(child):
                    scope.variables.append(variable)
            elif child.tag in (0x0B, 0x1D):
                scope.scopes.append(self._scope(child))
        return scope

    def _variable(self, entry):
        attributes = self._origin(entry)
        of = self.types.at(attributes.get(0x49))
        name, where = attributes.get(3), entry.get(0x02)
        if of is None or not name or where is None:
            return None
        places = self._list(where) if isinstance(where, int) else [("", "", _location(where))]
        places = [place for place in places if place[2] is not None]
        line, file = attributes.get(0x3B, 0), attributes.get(0x3A, 0)
        return Variable(name, of, line, file, places, entry.tag == 0x05)

    def _list(self, offset):
        """The ranges of `.debug_loc` from there on."""
        reader = Reader(self._sections[".debug_loc"], offset)
        places = []
        while reader.offset < reader.end:
            begin, end = reader.address(), reader.address()
            if begin == end == ("", 0):
                break
            places.append((begin[0], end[0], _location(reader.block(reader.number(2)))))
        return places


def _location(reader):
    """The place that an expression stands for; None if it is none of a register or a symbol."""
    if reader.offset >= reader.end:
        return None
    operation = reader.number(1)
    if operation == _REGISTER:
        # A register's number is its name, the first letter in the highest byte.
        number = reader.leb()
        return Location(register=number.to_bytes((number.bit_length() + 7) // 8, "big").decode(errors="replace"))
    if operation == _ADDRESS:
        symbol, offset = reader.address()
        if reader.offset < reader.end and reader.number(1) == _PLUS:
            offset += reader.leb()
        return Location(symbol=symbol, offset=offset)
    return None
