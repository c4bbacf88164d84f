# SPDX-License-Identifier: MIT
"""Sources as bytes, and the names that they give to kernels."""

import os
import pathlib
import re


def source_bytes(source):
    """A source as a file would hold it.

    Bytes stay as they are, in whatever encoding; surrogates become the bytes that they stand for. Program generators
    hand over trees that turn into text. Paths do too, but are none.
    """
    if isinstance(source, (bytes, bytearray)):
        return bytes(source)
    if not isinstance(source, str):
        if type(source).__str__ is object.__str__ or isinstance(source, os.PathLike):
            advice = ": pass its read_text()" if isinstance(source, pathlib.PurePath) else ""
            if hasattr(source, "read"):
                advice = ": pass what its read() returns"
            elif callable(source):
                advice = ": kernels are written in CUDA C++, no function of Python is compiled"
            raise TypeError(f"the source must be a str, not {type(source).__name__}{advice}")
        source = str(source)
    try:
        return source.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return source.encode("utf-8", "surrogatepass")


def name_expression(name):
    """A name as NVRTC's name expressions have it: "f(float *)" is a cast of f; white space is made plain.

    None for a plain name, which no expression makes clearer.
    """
    name = " ".join(name.split())
    if not any(mark in name for mark in ("<", "(", "::")):
        return None
    if name.endswith(")"):
        depth = 0
        for place in range(len(name) - 1, 0, -1):
            depth += {")": 1, "(": -1}.get(name[place], 0)
            if depth == 0:
                return f"(void (*){name[place:]}){name[:place].rstrip()}"
    return name


def first_error(log):
    """The first complaint in a compiler's log, without its place."""
    for line in log.splitlines():
        _, mark, text = line.partition("error: ")
        if mark:
            return text
    return log.strip() or "the compiler gave no reason"


_COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
# __launch_bounds__(N * (M + 1)), __cluster_dims__(2, 1, 1), __maxnreg__(32)
_ATTRIBUTE = r"__\w+__\s*\((?:[^()]|\([^()]*\))*\)\s*"
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\\\n]|\\.)*", re.MULTILINE | re.DOTALL)
_KERNEL = re.compile(rf"__global__\s+(?:{_ATTRIBUTE}|static\s+|inline\s+|void\s+)*(\w+)\s*\(")


def code_of(source, keeps_lines=False):
    """A source, str or bytes, as str without its comments and the contents of its literals.

    With `keeps_lines`, what follows a comment of several lines stays in its line.
    """
    if isinstance(source, (bytes, bytearray)):
        source = source.decode(errors="replace")
    return _COMMENT_OR_TEXT.sub((lambda found: "\n" * found[0].count("\n") or " ") if keeps_lines else " ", source)


def kernel_names(source):
    """The names of what looks like the definition of a kernel in a source, str or bytes: in order, each once."""
    return list(dict.fromkeys(_KERNEL.findall(_MACRO.sub("", code_of(source)))))


def is_other_function(source, name):
    """Whether the source, str or bytes, defines a function of this name that is not a kernel."""
    function = rf"(?<![\w.:])(?:\w+|[*&>])\s+[*&]*{re.escape(name)}\s*\([^;{{}}]*\)\s*{{"
    return name.isidentifier() and re.search(function, code_of(source)) is not None


def is_template(source, name):
    """Whether the source, str or bytes, defines a template of kernels of this name."""
    kernel = rf"template\s*<[^;{{}}]*>\s*(?:static\s+|inline\s+)*__global__(?:{_ATTRIBUTE}|[^;{{}}()])*\b"
    return name != "" and re.search(kernel + re.escape(name) + r"\s*\(", code_of(source)) is not None
