# SPDX-License-Identifier: MIT
"""Check the project's prose for words that have a plainer replacement, for long sentences and for long lines.

Blocks of code in documents, cells of notebooks and examples in docstrings are checked for lines that are wider than a
page of the site.

Prose is Markdown, the course's text cells, the docstrings and comments of the package and the examples, and the
comments of C++ headers. tools/prose_words.toml lists the words. Code is skipped: fenced and indented blocks of
Markdown, examples in docstrings, and what stands in backticks. Tables may be wide.
"""

import ast
import io
import json
import pathlib
import re
import sys
import tokenize

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLUMNS = 120
# Of blocks of code, which are shown without line breaks: the site's pages are so wide.
CODE_COLUMNS = 92
# Of examples in docstrings: the reference shows them indented.
EXAMPLE_COLUMNS = 84
# Of a sentence, or of a part of one that a colon or semicolon ends. The style guide recommends 25.
WORDS = 45
BLOCK_START = re.compile(r" *([-*+] |\d+\. |\||#|: |>|:::|```|\Z)")


def prose_lines(text):
    """The lines of Markdown that are prose, as pairs (number, line without code)."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r" *(```+)", line)
        if mark and fence is None:
            fence = mark[1]
        elif mark and line.strip() == fence:
            fence = None
        elif fence is None and not line.startswith("    "):
            yield number, re.sub(r"`[^`]*`", "``", line)


def code_lines(text):
    """The lines of Markdown's fenced blocks that are shown as they are, as pairs (number, line)."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r" *(```+)([{]?)", line)
        if mark and fence is None:
            fence, is_directive = mark[1], mark[2]
        elif mark and line.strip() == fence:
            fence = None
        elif fence is not None and not is_directive:
            yield number, line


def python_lines(text):
    """The lines of a Python file's docstrings and comments, without code."""
    documented = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            first = node.body[0].lineno
            for number, line in enumerate(ast.get_docstring(node, clean=False).splitlines(), first):
                if not re.match(r" *(>>>|\.\.\.)", line):
                    yield number, re.sub(r"(``?)[^`]*\1", "``", line.strip())
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], re.sub(r"`[^`]*`", "``", token.string.lstrip("# "))


def example_lines(text):
    """The lines of examples in a Python file's docstrings, as pairs (number, line without indentation)."""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r" *(>>>|\.\.\.) ", line):
            yield number, line.strip()


def header_lines(text):
    """The comments of a C++ file, without code."""
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.search(r"(?<!:)//+ ?(.*)", line)
        if comment:
            # A comment behind code is about that line alone.
            mark = "" if line.lstrip().startswith("//") else "- "
            yield number, mark + re.sub(r"`[^`]*`", "``", comment[1])


def sentences(lines):
    """The sentences of prose lines, as pairs (number of the first line, text). Table cells and list items end one."""
    block, start, last = [], 0, -1
    for number, line in [*lines, (-1, "")]:
        if block and (number != last + 1 or not line.strip() or BLOCK_START.match(line)):
            for cell in re.split(r"\|", " ".join(block)):
                yield from ((start, part) for part in re.split(r"(?<=[.!?:;])[)*\"]*\s+", cell))
            block = []
        if line.strip():
            start = start if block else number
            block.append(line.strip())
        last = number


def complaints_of_lines(name, lines, words):
    """What is wrong with prose lines, as texts with file and line."""
    for number, line in lines:
        for pattern, better in words.items():
            found = re.search(pattern, line, re.IGNORECASE)
            if found:
                yield f"{name}:{number}: '{found[0]}': write: {better}"
    for number, sentence in sentences(lines):
        count = sum(any(letter.isalnum() for letter in word) or "``" in word for word in sentence.split())
        if count > WORDS:
            yield f"{name}:{number}: a sentence of {count} words, at most {WORDS} are allowed: {sentence[:60]}..."


def complaints_of_wide_code(name, lines, columns=CODE_COLUMNS):
    """Which lines of code are too wide for a page, as texts with file and line."""
    for number, line in lines:
        if len(line) > columns:
            yield f"{name}:{number}: code of {len(line)} columns, at most {columns} are shown without scrolling"


def complaints(path, words):
    """What is wrong with a file, as texts with file and line."""
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text()
    if path.suffix == ".ipynb":
        for number, cell in enumerate(json.loads(text)["cells"], 1):
            source = "".join(cell["source"])
            lines = list(enumerate(source.splitlines(), 1))
            if cell["cell_type"] == "markdown":
                yield from complaints_of_lines(f"{name}: cell {number}", list(prose_lines(source)), words)
                lines = code_lines(source)
            yield from complaints_of_wide_code(f"{name}: cell {number}", lines)
        return
    if path.suffix == ".py":
        yield from complaints_of_lines(name, list(python_lines(text)), words)
        yield from complaints_of_wide_code(name, example_lines(text), EXAMPLE_COLUMNS)
        return
    if path.suffix == ".h":
        yield from complaints_of_lines(name, list(header_lines(text)), words)
        return
    lines = list(prose_lines(text))
    whole = dict(enumerate(text.splitlines(), 1))
    for number, line in lines:
        if len(whole[number]) > COLUMNS and not line.lstrip().startswith("|"):
            yield f"{name}:{number}: {len(whole[number])} columns, at most {COLUMNS} are allowed"
    yield from complaints_of_lines(name, lines, words)
    yield from complaints_of_wide_code(name, code_lines(text))


def files():
    """The files whose prose is checked. The seeds are programs of others."""
    yield from sorted(ROOT.glob("*.md"))
    for pattern in ("docs/**/*.md", "docs/course/*.ipynb", "python/**/*.py", "examples/**/*.py", "src/**/*.h"):
        for path in sorted(ROOT.glob(pattern)):
            if "_build" not in path.relative_to(ROOT).parts and not path.name.startswith("seed_"):
                yield path


def main():
    words = tomllib.loads((ROOT / "tools" / "prose_words.toml").read_text())["words"]
    checked = list(files())
    found = [text for path in checked for text in complaints(path, words)]
    print("\n".join(found) if found else f"prose: {len(checked)} files")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
