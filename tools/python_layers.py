# SPDX-License-Identifier: MIT
"""The rules for imports in python/pycuda: no cycle, from layer to lower layer, none in functions without a reason."""

import ast
import fnmatch
import pathlib
from typing import NamedTuple

PACKAGE = "pycuda"
# Why an import may be in a function; the comment on its line, or on the one above its block, begins with one of these.
REASONS = ("start-up time", "optional package", "may fail")


class Import(NamedTuple):
    """An import of a module of the package (None: another package's)."""

    target: str | None
    line: int
    explained: bool  # at the top of a module, or with a reason


def _handles_import_error(node):
    return any(
        isinstance(name, ast.Name) and name.id in ("ImportError", "ModuleNotFoundError")
        for handler in node.handlers
        for name in ast.walk(handler.type or ast.Pass())
    )


class _Reader(ast.NodeVisitor):
    """Collects the imports of a module."""

    def __init__(self, text, modules):
        self.imports = []
        self._lines = text.splitlines()
        self._modules = modules
        self._functions = 0
        self._optional = 0
        self._reason_until = -2  # the last line of a block of imports that has a reason

    def visit_FunctionDef(self, node):  # noqa: N802
        self._functions += 1
        self.generic_visit(node)
        self._functions -= 1

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Try(self, node):  # noqa: N802
        self._optional += _handles_import_error(node)
        for part in node.body:
            self.visit(part)
        self._optional -= _handles_import_error(node)
        for part in [*node.handlers, *node.orelse, *node.finalbody]:
            self.visit(part)

    def _explained(self, node):
        if not self._functions or self._optional:
            return True
        above = self._lines[node.lineno - 2].strip()
        own = self._lines[node.end_lineno - 1].partition("#")[2].strip()
        given = own.startswith(REASONS) or (above.startswith("#") and above[1:].strip().startswith(REASONS))
        if given or self._reason_until >= node.lineno - 2:  # an empty line may lie between
            self._reason_until = node.end_lineno
            return True
        return False

    def _add(self, node, names):
        explained = self._explained(node)
        for name in names:
            # The package itself comes before its modules, whoever imports them.
            known = name in self._modules and name != PACKAGE
            self.imports.append(Import(name if known else None, node.lineno, explained))

    def visit_Import(self, node):  # noqa: N802
        self._add(node, [alias.name for alias in node.names])

    def visit_ImportFrom(self, node):  # noqa: N802
        names = {f"{node.module}.{alias.name}" for alias in node.names}
        self._add(node, [name if name in self._modules else node.module for name in sorted(names)])


def imports_of(root: pathlib.Path) -> dict[str, tuple[pathlib.Path, list[Import]]]:
    """For each module of the package in `root`, its file and imports."""
    files = {}
    for file in sorted((root / PACKAGE).rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    result = {}
    for name, file in files.items():
        text = file.read_text()
        reader = _Reader(text, files)
        reader.visit(ast.parse(text))
        result[name] = file, reader.imports
    return result


def floor_of(module: str, layers: list[list[str]]) -> int:
    """The number of a module's layer from below: that of the longest pattern for it or its package; 0 without one."""
    fitting = [
        (len(pattern), number)
        for number, layer in enumerate(layers, 1)
        for pattern in layer
        if fnmatch.fnmatchcase(module, pattern) or fnmatch.fnmatchcase(module, f"{pattern}.*")
    ]
    return max(fitting, default=(0, 0))[1]


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """The modules of one cycle of imports, in order; none if there is no cycle."""
    done: set[str] = set()
    for start in graph:
        path: list[str] = []
        pending = [iter([start])]
        while pending:
            module = next(pending[-1], None)
            if module is None:
                pending.pop()
                if path and len(pending) == len(path):
                    done.add(path.pop())
            elif module in path:
                return path[path.index(module) :]
            elif module not in done:
                path.append(module)
                pending.append(iter(sorted(graph[module])))
    return []


def violations(root: pathlib.Path, layers: list[list[str]]) -> list[str]:
    """One line for each import that breaks a rule, and one for a cycle; `root` is the folder of the package."""
    found = []
    graph = {}
    for module, (file, imports) in imports_of(root).items():
        place = file.relative_to(root.parent).as_posix()
        graph[module] = {one.target for one in imports if one.target is not None and one.target != module}
        for one in imports:
            if not one.explained:
                found.append(
                    f"{place}:{one.line}: an import in a function needs a comment on its line that begins with one of: "
                    + ", ".join(REASONS)
                )
            if one.target is not None and floor_of(one.target, layers) > floor_of(module, layers):
                found.append(f"{place}:{one.line}: {module} may not import {one.target}, which is on a higher layer")
    if ring := cycle(graph):
        found.append("import cycle: " + " -> ".join([*ring, ring[0]]))
    return found
