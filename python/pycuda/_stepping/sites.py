# SPDX-License-Identifier: MIT
"""The places of a PTX function at which a thread records what it does, and what it records there."""

import functools
import math
import re
from dataclasses import dataclass, field

from pycuda._stepping.types import Type

_REGISTERS = re.compile(r"^\s*(?:\{\s*)?\.reg\s+\.(\w+)\s+(.*?);")
_ACCESS = re.compile(
    r"^(ld|st|atom|red)((?:\.[\w:]+)*)\s+(?:(\{[^}]*\}|[%\w$.|]+)\s*,\s*)?\[([^\]]+)\]\s*(?:,\s*(.*?))?;$"
)
_RESULT = re.compile(r"^(?:@!?%\w+\s+)?(\w+)[\w.:]*\s+(\{[^}]*\}|%[\w$]+(?:\|%[\w$]+)?)")
_STORED = re.compile(r"^(?:@!?%\w+\s+)?st[.\w]*\s+\[%SPL?(?:\+(\d+))?\]")
_BASE = re.compile(r"^([%$\w.]+)\s*(?:\+\s*(-?\w+))?$")
_OPERATIONS = re.compile(r"^(bar|barrier|shfl|vote|match|redux|activemask|elect|membar|fence|mbarrier)\b[^;]*;$")
_OPERAND = re.compile(r"[%$_A-Za-z][\w$.]*")
_WIDTH = re.compile(r"^[subf](8|16|32|64|128)$|^bf16$")

#: Variables of more bytes are not recorded. A tile of 32 x 32 floats is.
MOST_BYTES = 4096


@dataclass
class Slot:
    """A variable's bytes in a record, from `offset` on."""

    name: str
    type: Type
    offset: int
    size: int
    line: int = 0
    file: int = 0
    #: From where on it has a value: "always"; while debug information has it at `place` ("placed"), as variables move
    #: from register to register; once one of `writes` has been written ("written"); for memory that is
    #: written through pointers, once the line of its declaration has been executed ("set"), which for declarations
    #: without code is a line behind it ("declared").
    since: str = "always"
    writes: frozenset = frozenset()
    place: str = ""
    is_shared: bool = False

    @functools.cached_property
    def variable(self):
        """Which variable it is: several may have the same name."""
        return self.name, self.file, self.line


@dataclass
class Site:
    """A place at which a thread makes a record; `number` is how the record names it."""

    number: int
    kind: str  # "enter", "line", "access", "operation", "leave"
    function: str
    position: int  # in the text
    file: int = 0
    line: int = 0
    calls: tuple = ()  # the inlined calls around it: (name, first label) each
    slots: list = field(default_factory=list)
    bytes: int = 0
    result: Slot | None = None  # of "leave": what is returned
    #: Registers, and places in the function's own memory as "%SP+8", that the code up to the next record writes.
    writes: set = field(default_factory=set)
    #: Variables that are at another place from there on, in the same code: (variable, place) each.
    places: list = field(default_factory=list)
    #: The code up to the next record does no work of its line: it moves registers and returns.
    is_passing: bool = False
    #: Of an access: "ld", "st", "atom" or "red", and the type and number of elements.
    operation: str = ""
    element: str = ""
    count: int = 1
    text: str = ""


@dataclass
class Access:
    """A memory instruction by its parts."""

    operation: str
    space: str
    element: str
    width: int
    base: str
    offset: str
    registers: list


def registers_declared(line):
    """The registers that a line declares, as (name or prefix, type, count or None)."""
    declared = _REGISTERS.match(line)
    if declared is None:
        return []
    found = []
    for one in declared[2].split(","):
        name, _, count = one.strip().partition("<")
        found.append((name, declared[1], int(count.rstrip(">")) if count else None))
    return found


def access_of(instruction):
    """A load, store or atomic as an `Access`; None for other instructions, parameters, and what has no plain form."""
    found = _ACCESS.match(instruction)
    if found is None:
        return None
    operation, words, first, address, rest = found.groups()
    parts = words.split(".")[1:]
    space = next((part.partition(":")[0] for part in parts if part in _SPACES), "")
    element = next((part for part in reversed(parts) if _WIDTH.match(part)), "")
    base = _BASE.match(address.strip())
    if space == "param" or not element or base is None:
        return None
    width = 16 if element == "bf16" else int(_WIDTH.match(element)[1])
    value = rest if operation in ("st", "red") else first
    if value is None or width > 64 or (operation in ("ld", "st") and (first is None) != (operation == "st")):
        return None
    registers = [word.strip() for word in value.strip("{} ").split(",")]
    if operation == "red":
        registers = registers[:1]
    return Access(operation, space, element, width, base[1], base[2] or "0", registers)


_SPACES = ("global", "shared", "shared::cta", "local", "const", "param")


def written_by(instruction):
    """The registers that an instruction writes, by their names, and the place in the function's own memory."""
    stored = _STORED.match(instruction)
    if stored is not None:
        return [f"%SP+{stored[1] or 0}"]
    found = _RESULT.match(instruction)
    if found is None or found[1] in ("st", "red", "bra", "bar", "barrier", "call", "sust", "prefetch"):
        return []
    return re.findall(r"%[\w$]+", found[2])


def operation_of(instruction):
    """A barrier with its numbers, or an operation of a warp; "" for other instructions."""
    words = instruction.rstrip(";").split()
    if words[0].startswith(("bar.", "barrier.")) and not words[0].startswith("bar.warp"):
        numbers = " ".join(word for word in words[1:] if not word.startswith("%")).rstrip(",")
        return f"{words[0]} {numbers}".rstrip() if _OPERATIONS.match(instruction) else ""
    return words[0] if _OPERATIONS.match(instruction) else ""


def _accessed_kind(body, symbol):
    """The type of the numbers that code accesses behind a symbol, if all have one width; "" otherwise.

    Parameters
    ----------
    body : list of str
        The lines of a function.
    symbol : str
    """
    behind, kinds = {symbol}, set()
    for line in body:
        instruction = line.strip().rstrip(" }")
        access = access_of(instruction)
        if access is not None:
            if access.base in behind:
                kinds.add(access.element)
        elif not behind.isdisjoint(_OPERAND.findall(instruction)[1:]):
            behind.update(written_by(instruction))
    if len({kind.lstrip("subf") for kind in kinds}) != 1:
        return ""
    return min(kinds, key=lambda kind: "fsub".index(kind[0]))


def accessed_element(body, memory, shape):
    """The `Type` of a variable's elements by what code accesses; None if that is of none that it has so many of.

    Parameters
    ----------
    body : list of str
        The lines of a function.
    memory : Memory
    shape : tuple of int
    """
    # Of one number the compilers write u32 for int, too.
    kind = memory.kind or _accessed_kind(body, memory.symbol)
    element = Type(dtype_of(kind.replace("u", "s").replace("b", "s"))) if kind else None
    return element if element and math.prod(shape) * element.dtype.itemsize == memory.size else None


def dtype_of(element):
    """The dtype of the numbers that an instruction of this type moves."""
    if element == "bf16":
        return "u2"
    return {"b": "u", "s": "i"}.get(element[0], element[0]) + str(int(element[1:]) // 8)
