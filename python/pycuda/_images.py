# SPDX-License-Identifier: MIT
"""What compiled images contain: PTX and cubins."""

import re
import struct

_VARIABLE = re.compile(
    rb"^[ \t]*(?:\.\w+[ \t]+)*?\.(?:global|const)[ \t](?:[^;=\[]*[ \t])?([\w$]+)[ \t]*(?:\[\d*\][ \t]*)*(=[^;]*)?;",
    re.M,
)
# Texts of printf, tables of virtual functions, and those of CUDA's own functions, are no variables of the program.
_OF_THE_TOOL_CHAIN = re.compile(rb"[$.]|_param|_ZT|__(?:cr|cudart|internal|nv|unnamed)_")
_FUNCTION = re.compile(rb"^[ \t]*(?:\.\w+[ \t]+)*\.(?:entry|func)\b", re.M)
_COMMENT = re.compile(rb'("[^"\n]*")|//[^\n]*|/\*.*?\*/', re.S)  # beside texts, which may hold either
_BEFORE_INSTRUCTION = re.compile(rb"(?:[\s{}]|\.loc\b.*\n|[\w$%]+:|@!?[\w$%]+\s)*")
_WORD = re.compile(rb"[\w$%]+")
_OPERAND = re.compile(rb"(?<![.:\w$%])[\w$%]+")  # no modifier
# What addresses are computed with.
_ADDRESS_STEPS = frozenset(b"add and cvt cvta mad mov mul or selp shl sub".split())


def has_variables(image):
    """Whether the program in an image has `__device__` or `__constant__` variables. Not sure means yes."""
    if image.startswith(b"\x7fELF"):
        names = _object_names(image)
    else:
        names = (variable[1] for variable in _VARIABLE.finditer(image))
    return any(not _OF_THE_TOOL_CHAIN.match(name) for name in names)


def variables_in_use(ptx):
    """The variables that the code of a program in PTX refers to, as two sets of names.

    Those of the second set have initial values that no code changes. Not sure means the first.
    """
    ptx = _COMMENT.sub(rb"\1 ", ptx)
    variables = [found for found in _VARIABLE.finditer(ptx) if not _OF_THE_TOOL_CHAIN.match(found[1])]
    names = {found[1] for found in variables}
    initialised = {found[1] for found in variables if found[2]}
    seen = set()
    changed = set()
    for found in variables:  # what an initial value points to may be changed through it
        changed.update(names.intersection(_WORD.findall(found[2] or b"")))
    for code in _FUNCTION.split(ptx)[1:]:
        here = names.intersection(_WORD.findall(_VARIABLE.sub(b"", code)))
        seen |= here
        if here:
            changed |= _changed_in(code, here)
    constants = (seen & initialised) - changed
    return (seen | changed) - constants, constants


def _changed_in(code, names):
    """Of these variables, those that a function may write to or hand on."""
    carried = {name: {name} for name in names}  # by what holds an address of it
    changed = set()
    steps = []
    for statement in code.partition(b"{")[2].split(b";"):
        begin = _BEFORE_INSTRUCTION.match(statement).end()
        root = _WORD.match(statement, begin)
        takes_parts = root is not None and root[0] in _ADDRESS_STEPS and b"{" in statement[begin:]
        if root is None or takes_parts:  # not sure: what has parts of an address is not followed
            if not statement.startswith(b".", begin):
                steps.append((b"", _WORD.findall(statement, begin)))
        else:
            steps.append((root[0], _OPERAND.findall(statement, root.end())))
    grows = True
    while grows:
        grows = False
        for root, words in steps:
            found = set().union(*(carried[word] for word in words if word in carried))
            if not found or root in (b"ld", b"setp"):
                continue
            if root not in _ADDRESS_STEPS:
                changed |= found
            elif not found <= carried.setdefault(words[0], set()):
                carried[words[0]] |= found
                grows = True
    return changed


def _object_names(image):
    """The names of a 64-bit ELF's symbols that are data, defined in it or elsewhere."""
    (sections_at,) = struct.unpack_from("<Q", image, 40)
    entry, count = struct.unpack_from("<HH", image, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, sections_at + entry * i) for i in range(count)]
    for _, kind, _, _, offset, size, link, _, _, step in sections:
        if kind != 2:  # the symbol table
            continue
        names_at = sections[link][4]
        for at in range(offset, offset + size, step):
            name, information = struct.unpack_from("<IB", image, at)
            if information & 15 == 1:  # an object
                start = names_at + name
                yield image[start : image.index(b"\0", start)]
