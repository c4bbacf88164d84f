# SPDX-License-Identifier: MIT
"""Variables by their declarations: debug information says little of shared ones, and nothing of a function's own
variables that outlive it (``__shared__``, ``__device__``, ``__constant__``, ``static``)."""

import re
from dataclasses import dataclass

import numpy as np

from pycuda._source_text import code_of
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
    """One variable: the type of its elements, its dimensions where these are numbers, and where its name is known."""

    type: Type | None = None
    shape: tuple = ()
    line: int = 0
    last_line: int = 1 << 30
    functions: frozenset = frozenset()  # words before parentheses, at the heads of the blocks around it


class Declarations:
    """What a source declares.

    Parameters
    ----------
    source : bytes
    types : Types
    """

    def __init__(self, source, types):
        self._known = {}  # by name, in the order of the source
        text = code_of(source, keeps_lines=True)
        heads = _Heads(text)
        for declaration in _DECLARATION.finditer(text):
            line = text.count("\n", 0, declaration.start()) + 1
            last = text.count("\n", 0, _end_of_block(text, declaration.end() - 1)) + 1
            functions = heads.around(declaration.start())
            base = None
            for part in declaration[1].split(","):
                declarator = _DECLARATOR.match(part.strip())
                if declarator is None:
                    break
                words = declarator[1] or ""
                if base is None:
                    base = " ".join(words.replace("*", " ").split())
                sizes = re.findall(r"\[\s*([^\]]*?)\s*\]", declarator[3])
                shape = tuple(int(size) if size.isdigit() else 0 for size in sizes)
                of = types.named(base + "*" * words.count("*"))
                self._known.setdefault(declarator[2], []).append(Declaration(of, shape, line, last, functions))

    def of(self, symbol, first_line):
        """The `Declaration` of a variable of PTX that is used by a function whose code begins at `first_line`."""
        names, number = names_of(symbol)
        known = self._known.get(names[-1], [])
        if is_of_function(symbol):
            known = [one for one in known if one.functions.intersection(names[:-1])]
            # Of functions that are called alike, the one whose code this is.
            known = [one for one in known if one.line >= first_line] or known
            known = known[number:]
        return known[0] if known else Declaration()


class _Heads:
    """What stands before the blocks of a text that are open."""

    def __init__(self, text):
        self._text, self._at, self._open = text, 0, []

    def around(self, at):
        """The words before parentheses in them; `at` never decreases."""
        for brace in _BRACE.finditer(self._text, self._at, at):
            if brace[0] == "{":
                begin = max(self._text.rfind(end, 0, brace.start()) for end in ";{}") + 1
                self._open.append(_CALLED.findall(self._text, begin, brace.start()))
            elif self._open:
                self._open.pop()
        self._at = at
        return frozenset(word for head in self._open for word in head)


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
    if not symbol.startswith("_Z"):
        return [symbol], 0
    names, at = [], 2
    while at < len(symbol):
        if names and (numbered := _NUMBERED.fullmatch(symbol, at)):
            return names, int(numbered[1] or numbered[2]) + 1
        if symbol[at].isdigit():
            digits = at
            while at < len(symbol) and symbol[at].isdigit():
                at += 1
            size = int(symbol[digits:at])
            names.append(symbol[at : at + size])
            at += size
        else:
            at += 1
    return names or [symbol], 0


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
