# SPDX-License-Identifier: MIT
"""Sphinx settings; `./run docs` builds the pages."""

project = "pycuda-anywhere"
copyright = "2026, the pycuda-anywhere authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
autodoc_typehints = "none"
