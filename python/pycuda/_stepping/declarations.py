# SPDX-License-Identifier: MIT
"""Variables by their declarations: debug information says little of shared ones, and nothing of a function's own
variables that outlive it (``__shared__``, ``__device__``, ``__constant__``, ``static``)."""

import re
from dataclasses import dataclass

import numpy as np

from pycuda._cxx_names import readable_name
from pycuda._source_text import code_of
from pycuda._stepping.structures import Structures
from pycuda._stepping.templates import Constants, named_parts, split_outside, substituted, template_parameters
from pycuda._stepping.types import Type

_DECLARATION = re.compile(
    r"\b(?:__shared__|__device__|__constant__|__managed__|static)\s+"
    r"(?:(?:__shared__|__device__|__constant__|__managed__|static|volatile|const|constexpr)\s+"
    r"|__align__\s*\([^)]*\)\s*|alignas\s*\([^)]*\)\s*)*([^;={]+)[;={]"
)
_DECLARATOR = re.compile(r"^(.*?[\s*&])?\s*([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)$", re.S)
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_BRACE = re.compile(r"[{}]")
_NUMBERED = re.compile(r"_(\d)$|__(\d+)_$")


@dataclass(frozen=True)
class Declaration:
    """One variable: the type of its elements, its dimensions (0: not known), and where its name is known."""

    type: Type | None = None
    shape: tuple = ()
    line: int = 0
    last_line: int = 1 << 30


@dataclass(frozen=True)
class _Written:
    """A variable as the source has it."""

    base: str  # of its type
    stars: str
    sizes: tuple
    line: int
    last_line: int
    heads: tuple  # of the blocks around it

    def is_of(self, names):
        """Whether one of these is before parentheses in a head."""
        return any(name in _CALLED.findall(head) for head in self.heads for name in names)

    def bound(self, parts):
        """What the parameters of the templates around it stand for in the instance that `named_parts` tells."""
        found = {}
        for head in self.heads:
            names = template_parameters(head)
            for name, arguments in parts if names else ():
                if arguments and re.search(rf"\b{name}\b", head):
                    found.update(zip(names, arguments))
        return found


class Declarations:
    """What a source declares.

    Parameters
    ----------
    source : bytes
    types : Types
    """

    def __init__(self, source, types):
        self._known = {}  # by name, in the order of the source
        self._types = types
        text = code_of(source, keeps_lines=True)
        self._constants = Constants(text)
        self._structures = Structures(text, types, self._constants)
        heads = _Heads(text)
        for declaration in _DECLARATION.finditer(text):
            line = text.count("\n", 0, declaration.start()) + 1
            last = text.count("\n", 0, _end_of_block(text, declaration.end() - 1)) + 1
            around = heads.around(declaration.start())
            base = None
            for part in split_outside(declaration[1], ","):
                declarator = _DECLARATOR.match(part.strip())
                if declarator is None:
                    break
                words = declarator[1] or ""
                if base is None:
                    base = " ".join(words.replace("*", " ").split())
                sizes = tuple(re.findall(r"\[\s*([^\]]*?)\s*\]", declarator[3]))
                written = _Written(base, "*" * words.count("*"), sizes, line, last, around)
                self._known.setdefault(declarator[2], []).append(written)

    def of(self, symbol, first_line):
        """The `Declaration` of a variable of PTX that is used by a function whose code begins at `first_line`."""
        parts, number = _parts_of(symbol)
        known = self._known.get(parts[-1][0], [])
        if is_of_function(symbol):
            names = {name for name, _ in parts[:-1]}
            known = [one for one in known if one.is_of(names)]
            # Of functions that are called alike, the one whose code this is.
            known = [one for one in known if one.line >= first_line] or known
            known = known[number:]
        return self._resolved(known[0], parts) if known else Declaration()

    def _resolved(self, written, parts):
        bound = written.bound(parts)
        base = substituted(written.base, bound)
        of = self._types.named(base + written.stars)
        if of is None and not written.stars:
            of = self._structures.named(base)
        shape = tuple(self._constants.number(size, bound) for size in written.sizes)
        return Declaration(of, tuple(max(size, 0) for size in shape), written.line, written.last_line)


class _Heads:
    """What stands before the blocks of a text that are open."""

    def __init__(self, text):
        self._text, self._at, self._open = text, 0, []

    def around(self, at):
        """The texts before them, the outermost first; `at` never decreases."""
        for brace in _BRACE.finditer(self._text, self._at, at):
            if brace[0] == "{":
                begin = max(self._text.rfind(end, 0, brace.start()) for end in ";{}") + 1
                self._open.append(self._text[begin : brace.start()])
            elif self._open:
                self._open.pop()
        self._at = at
        return tuple(self._open)


def _end_of_block(text, at):
    """Where the block ends that `at` is in; the end of the text outside of all blocks."""
    depth = 0
    for brace in _BRACE.finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0:
            return brace.start()
    return len(text)


def is_of_function(symbol):
    """Whether a variable of PTX is declared within a function of the source."""
    return symbol.startswith("_ZZ")


def names_of(symbol):
    """The names in a variable of PTX, its own last, and how many of the function's before it are called so, too.

    `[sum, part]` and 0 of _ZZ3sumE4part, the same and 1 of _ZZ3sumE4part_0, `[part]` and 0 of part.
    """
    parts, number = _parts_of(symbol)
    return [name for name, _ in parts], number


def _parts_of(symbol):
    """As `names_of`, each name with its template arguments."""
    readable = readable_name(symbol)
    parts = named_parts(readable) if readable != symbol else []
    if not parts:
        return [(symbol, [])], 0
    name = parts[-1][0]
    _, found, rest = symbol.rpartition(f"{len(name)}{name}")
    numbered = _NUMBERED.fullmatch(rest) if found else None
    return parts, int(numbered[1] or numbered[2]) + 1 if numbered else 0


def type_of_bytes(element, shape, size):
    """The type of a variable of `size` bytes that has elements of this type."""
    if element is None or element.dtype.itemsize == 0 or size % element.dtype.itemsize:
        return Type(("u1", (size,)))
    count = size // element.dtype.itemsize
    if not shape:
        return element if count == 1 else Type((element.dtype, (count,)), target=element)
    if shape.count(0) == 1:
        known = int(np.prod([one for one in shape if one]))
        shape = tuple(one or count // known for one in shape)
    if int(np.prod(shape)) != count:
        known = int(np.prod(shape[1:])) if all(shape[1:]) else 0
        shape = (count // known, *shape[1:]) if known and count % known == 0 else (count,)
    return Type((element.dtype, shape), target=element)
