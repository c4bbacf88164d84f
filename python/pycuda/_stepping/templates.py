# SPDX-License-Identifier: MIT
"""What names of types and numbers stand for: the parameters of templates in one instance, macros and constants."""

import ast
import operator
import re

_TEMPLATE = re.compile(r"\btemplate\s*<")
_PARAMETER = re.compile(r"^(?:[\w:]+[\s*&]+)+?(\w+)\s*(?:=.*)?$", re.S)
_WORD = re.compile(r"[A-Za-z_]\w*")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(\S.*?)[ \t]*$", re.M)
_CONSTANT = re.compile(r"\b(?:constexpr|const)\s+(?:[\w:]+\s+)*?(\w+)\s*=\s*([^;,={}]+)[;,]")
_ENUMERATOR = re.compile(r"\benum\b[^{;]*\{([^}]*)\}")
_SUFFIX = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b")
_OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_DEEPEST = 20  # names that stand for names


def _depths(text, at=0):
    """Each place of a text from `at` on, and how many brackets are open behind it.

    `<` and `>` are operators in other brackets, and in `<<` and `->` everywhere.
    """
    angles = others = 0
    for place in range(at, len(text)):
        if text[place] in "({[":
            others += 1
        elif text[place] in ")}]":
            others -= 1
        elif others == 0 and text[place] == "<" and "<<" not in text[max(place - 1, 0) : place + 2]:
            angles += 1
        elif others == 0 and text[place] == ">" and not text.endswith("-", 0, place):
            angles = max(angles - 1, 0)
        yield place, angles + others


def split_outside(text, separator):
    """The parts of a text between separators that are in no brackets."""
    parts, begin = [], 0
    for at, depth in _depths(text):
        if depth == 0 and at >= begin and text.startswith(separator, at):
            parts.append(text[begin:at])
            begin = at + len(separator)
    return [*parts, text[begin:]]


def named_parts(name):
    """`[("k", ["float", "8"]), ("s", [])]` of "k<float, 8>(float*)::s": what `::` divides, with template arguments."""
    found = []
    for part in split_outside(name, "::"):
        word = _WORD.match(part)
        if word is None:
            continue
        rest = part[word.end() :]
        if rest[:1] != "<":
            found.append((word[0], []))
            continue
        inside = rest[1 : _closing(rest, 0)]
        found.append((word[0], [one.strip() for one in split_outside(inside, ",")]))
    return found


def _closing(text, at):
    """Where the bracket ends that begins there."""
    return next((place for place, depth in _depths(text, at) if depth == 0), len(text))


def template_parameters(head):
    """The parameters' names of the template that the head of a block begins with; none of those behind a pack."""
    template = _TEMPLATE.search(head)
    if template is None:
        return []
    begin = template.end() - 1
    found = []
    for one in split_outside(head[begin + 1 : _closing(head, begin)], ","):
        parameter = _PARAMETER.match(one.strip())
        if parameter is None:
            break
        found.append(parameter[1])
    return found


def substituted(text, bound):
    """A text with names as what they stand for."""
    return _WORD.sub(lambda word: bound.get(word[0], word[0]), text)


class Constants:
    """The numbers that a source names.

    Parameters
    ----------
    text : str
        Without comments.
    """

    def __init__(self, text):
        self._known = dict(_MACRO.findall(text))
        self._known.update(_CONSTANT.findall(text))
        for enumerators in _ENUMERATOR.findall(text):
            self._known.update(re.findall(r"(\w+)\s*=\s*([^,]+)", enumerators))

    def number(self, text, bound):
        """The value of an expression whose names may be parameters of templates; 0 if it is not known."""
        known = {**self._known, **bound}
        for _ in range(_DEEPEST):
            inner = _WORD.sub(lambda word: f"({known[word[0]]})" if word[0] in known else word[0], text)
            if inner == text:
                break
            text = inner
        try:
            return _value(ast.parse(_SUFFIX.sub(r"\1", text).strip(), mode="eval").body)
        except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, MemoryError, RecursionError):
            return 0


def _value(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, (ast.LShift, ast.RShift)) and not 0 <= right < 64:
            raise ValueError
        return _OPERATIONS[type(node.op)](left, right)
    raise ValueError
