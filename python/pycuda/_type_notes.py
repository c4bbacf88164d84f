# SPDX-License-Identifier: MIT
"""Types of variables that outlive their function, for debuggers: the compilers describe none of shared and static ones.

Behind the declaration of such a variable, in its line, goes the declaration of a pointer to it that nothing uses. The
compilers describe that one, and so the variable's type: structures and their members, dimensions, arguments of
templates.
"""

import re

#: What the names of such pointers begin with.
PREFIX = "__pycuda_type_"

_COMMENT_OR_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\\\n]|\\.)*", re.MULTILINE | re.DOTALL)
_SPECIFIER = r"(?:__shared__|__device__|__constant__|__managed__|static)\b"
_MARK = re.compile(rf"[{{}}]|(?<!\w){_SPECIFIER}")
_ATTRIBUTE = re.compile(r"__align__\s*\([^()]*\)|alignas\s*\([^()]*\)")
_DECLARATOR = re.compile(r"(?:[\s*&>]|^)([A-Za-z_]\w*)\s*((?:\[[^\[\]]*\]\s*)*)$")
_STRUCTURE = re.compile(r"\b(?:struct|class|union)\b[^{};=()]*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
_NO_VARIABLE = re.compile(r"\b(?:template|typedef|using|friend|operator|enum)\b")
_NOTE = re.compile(rf" \[\[maybe_unused\]\] (?:__device__ )?decltype\(&\w+\) {PREFIX}\w+;")


def with_type_notes(source):
    """A source with such declarations.

    Parameters
    ----------
    source : bytes

    Returns
    -------
    bytes
        With as many lines, and no change but those.
    """
    # A character for each byte, whatever the encoding.
    text = source.decode("latin-1")
    plain = _blank(_DIRECTIVE, _blank(_COMMENT_OR_TEXT, text))
    parts, done, of_file = [], 0, set()
    for end, names, is_of_file in _declarations(plain):
        space = "__device__ " if is_of_file else ""
        if is_of_file:
            # An extern variable may be declared again.
            names = [name for name in names if name not in of_file]
            of_file.update(names)
        notes = "".join(f" [[maybe_unused]] {space}decltype(&{name}) {PREFIX}{name};" for name in names)
        parts += [text[done:end], notes]
        done = end
    return "".join([*parts, text[done:]]).encode("latin-1")


def without_type_notes(text):
    """A text, such as the compiler's messages, without them. A caret stays below what it is about."""
    lines, notes = [], []
    for line in text.split("\n"):
        if notes and line.strip() == "^":
            line = line[sum(note.end() - note.start() for note in notes if note.end() <= line.index("^")) :]
        notes = list(_NOTE.finditer(line))
        lines.append(_NOTE.sub("", line))
    return "\n".join(lines)


def _blank(pattern, text):
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def _declarations(text):
    """Where each declaration of such variables ends, their names, and whether it is in no function."""
    heads, at = [], 0
    while mark := _MARK.search(text, at):
        at = mark.end()
        if mark[0] == "{":
            heads.append(_head_before(text, mark.start()))
        elif mark[0] == "}":
            del heads[-1:]
        else:
            scope = _scope_of(heads)
            end = _end_of_statement(text, mark.start())
            if end is None:
                continue
            begin = _begin_of_statement(text, mark.start())
            declaration = text[begin : end - 1]
            names = _names_in(declaration)
            if scope == "class" or not names or (scope == "file" and "__shared__" not in declaration):
                continue
            yield end, names, scope == "file"
            at = end


def _begin_of_statement(text, at):
    return max(text.rfind(mark, 0, at) for mark in ";{}") + 1


def _head_before(text, at):
    return text[_begin_of_statement(text, at) : at]


def _scope_of(heads):
    if not heads:
        return "file"
    for head in reversed(heads):
        if "(" in head:
            return "function"
        if re.search(r"\b(?:struct|class|union)\b", head):
            return "class"
    return "file" if all(re.search(r"\bnamespace\b|\bextern\b", head) for head in heads) else "function"


def _end_of_statement(text, at):
    """Behind the semicolon of the declaration at `at`; None if it is the head of a block."""
    depth = 0
    for mark in re.finditer(r"[{}();]", text[at : at + 10000]):
        if mark[0] == "{" and depth == 0 and re.search(r"\)[\s\w]*$", text[at : at + mark.start()]):
            return None
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(mark[0], 0)
        if depth < 0:
            return None
        if mark[0] == ";" and depth == 0:
            return at + mark.end()
    return None


def _names_in(declaration):
    """What a declaration declares; nothing if it declares no variables, or in a way that is not understood."""
    declaration = _STRUCTURE.sub(" & ", declaration)  # it is declared in the same statement
    if _NO_VARIABLE.search(declaration):
        return []
    names = []
    for part in _split(_ATTRIBUTE.sub(" ", declaration)):
        declarator = re.split(r"=|\{", part, maxsplit=1)[0].strip()
        found = _DECLARATOR.search(declarator)
        if found is None or "(" in declarator:
            return []
        # The first one has its type before it.
        if not names and not declarator[: found.start(1)].strip():
            return []
        names.append(found[1])
    return names


def _split(declaration):
    """The parts between the commas that separate declarators."""
    parts, depth, begin = [], 0, 0
    for mark in re.finditer(r"[(){}\[\]<>,]", declaration):
        depth += {"(": 1, "{": 1, "[": 1, "<": 1, ")": -1, "}": -1, "]": -1, ">": -1}.get(mark[0], 0)
        if mark[0] == "," and depth == 0:
            parts.append(declaration[begin : mark.start()])
            begin = mark.end()
    return [*parts, declaration[begin:]]
