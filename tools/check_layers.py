#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check #includes in src/ and imports in python/pycuda against layers.toml; print each that does not follow it."""

import pathlib
import re
import sys

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest brings it
    import tomli as tomllib

import python_layers

ROOT = pathlib.Path(__file__).resolve().parent.parent


def folder_of(path: str, layers: dict[str, list[str]]) -> str | None:
    """The layer that a path relative to src/ belongs to."""
    return max((layer for layer in layers if path.startswith(layer + "/")), key=len, default=None)


def violations(root: pathlib.Path) -> list[str]:
    """One line for each include or text that stands where it may not."""
    rules = tomllib.loads((root / "tools" / "layers.toml").read_text())
    layers, only_in = rules["layers"], rules["only_in"]
    found = []
    if ring := python_layers.cycle({layer: set(lower) for layer, lower in layers.items()}):
        found.append("tools/layers.toml: a circle of layers: " + " -> ".join([*ring, ring[0]]))
    for file in sorted((root / "src").rglob("*")):
        if file.suffix not in {".h", ".cpp", ".def"}:
            continue
        relative = file.relative_to(root / "src").as_posix()
        layer = folder_of(relative, layers)
        if layer is None:
            found.append(f"src/{relative}: its folder is not in tools/layers.toml")
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if include:
                target = folder_of(include.group(1), layers)
                if target is None:
                    found.append(f'src/{relative}:{number}: "{include.group(1)}" is not a path from src/')
                elif target != layer and target not in layers[layer]:
                    found.append(f"src/{relative}:{number}: {layer} may not include {target}")
            for pattern, places in only_in.items():
                if re.search(pattern, line) and not any(layer == p or layer.startswith(p + "/") for p in places):
                    found.append(f"src/{relative}:{number}: {line.strip()!r} belongs in {', '.join(places)} only")
    return found + python_layers.violations(root / "python", rules["python"]["layers"])


if __name__ == "__main__":
    lines = violations(ROOT)
    print("\n".join(lines) if lines else "layers: every include and import follows its arrow")
    sys.exit(bool(lines))
