# SPDX-License-Identifier: MIT
"""Check README.md and docs/ for words that have a plainer replacement (tools/prose_words.toml), and for long lines.

Code is skipped: fenced and indented blocks, and what stands in backticks. Tables may be wide.
"""

import pathlib
import re
import sys

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
COLUMNS = 120


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


def complaints(path, words):
    """What is wrong with a page, as texts with file and line."""
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text()
    whole = dict(enumerate(text.splitlines(), 1))
    for number, line in prose_lines(text):
        if len(whole[number]) > COLUMNS and not line.lstrip().startswith("|"):
            yield f"{name}:{number}: {len(whole[number])} columns, at most {COLUMNS} are allowed"
        for pattern, better in words.items():
            found = re.search(pattern, line, re.IGNORECASE)
            if found:
                yield f"{name}:{number}: '{found[0]}': write: {better}"


def main():
    words = tomllib.loads((ROOT / "tools" / "prose_words.toml").read_text())["words"]
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages = [page for page in pages if not page.relative_to(ROOT).as_posix().startswith("docs/_build")]
    found = [text for page in pages for text in complaints(page, words)]
    print("\n".join(found) if found else f"prose: {len(pages)} pages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
