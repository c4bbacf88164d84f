# SPDX-License-Identifier: MIT
"""Links from names in text to their place in the reference.

In docstrings a name in single backticks is looked up in the scope of its module and class. In Markdown, code that is
the name of something public becomes a link: `SourceModule`, `Context.synchronize()`, `pycuda.tools.reset_context()`.
"""

import re

from docutils import nodes
from sphinx.domains.python import PyXRefRole
from sphinx.util.docutils import SphinxRole
from sphinx.util.nodes import make_refnode

NAME = re.compile(r"([A-Za-z_][\w.]*)(\(.*\))?")
# Where a name without its module is looked for. Functions of arrays are not: `sum` is NumPy's as often as ours.
MODULES = ("driver", "compiler", "tools", "elementwise", "reduction", "scan")


class NameInDocstring(SphinxRole):
    """A link if the text is a name, else code: `k<float>` is no title with a target."""

    def run(self):
        if NAME.fullmatch(self.text):
            return PyXRefRole()("py:obj", self.rawtext, self.text, self.lineno, self.inliner)
        return [nodes.literal(self.rawtext, self.text)], []


def _full_names(name):
    yield name
    yield f"pycuda.{name}"
    name = re.sub(r"^(cuda|drv)\.", "", name)
    for module in MODULES:
        yield f"pycuda.{module}.{name}"
    if name.startswith("GPUArray"):
        yield f"pycuda.gpuarray.{name}"


def link_names(app, doctree, docname):
    """Make links of the code in a Markdown page that names something public."""
    if docname.startswith("reference/"):
        return
    objects = app.env.domains["py"].objects
    for code in list(doctree.findall(nodes.literal)):
        match = NAME.fullmatch(code.astext())
        if match is None or isinstance(code.parent, (nodes.reference, nodes.title)):
            continue
        for name in _full_names(match[1]):
            if name in objects and not objects[name].aliased:
                target = objects[name]
                link = make_refnode(app.builder, docname, target.docname, target.node_id, code.deepcopy(), name)
                code.replace_self(link)
                break


def setup(app):
    app.add_role("name", NameInDocstring())
    app.connect("doctree-resolved", link_names)
    return {"parallel_read_safe": True}
