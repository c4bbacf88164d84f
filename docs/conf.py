# SPDX-License-Identifier: MIT
"""Sphinx settings; `./run docs` builds the pages."""

import ast
import enum
import importlib
import inspect
import logging
import pathlib
import shutil
import sys
import zipfile

from jupyter_client import KernelManager
from pycuda import _driver, _late_methods, _signatures, driver

sys.path.insert(0, str(pathlib.Path(__file__).parent / "_extensions"))

project = "pycuda-anywhere"
copyright = "2026, the pycuda-anywhere authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton", "sphinx_design"]
extensions += ["name_links"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
html_theme = "furo"
html_title = "pycuda-anywhere"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
autodoc_typehints = "none"
autodoc_preserve_defaults = True
default_role = "name"
# The course's notebooks are stored without outputs; building the site runs them.
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_execution_show_tb = True
# Newer kernels warn of connections that are not encrypted.
if hasattr(KernelManager, "transport_encryption"):
    KernelManager.transport_encryption.default_value = "auto"
# One of the theme's packages configures logging at import; the kernels' starts are no news.
logging.getLogger("traitlets").setLevel(logging.WARNING)
copybutton_exclude = ".linenos, .gp, .go"


class _Default:
    """A default value as readers write it; "..." where the stub leaves it open and the function does not say it."""

    def __init__(self, value=...):
        self._value = value

    def __repr__(self):
        if self._value is ...:
            return "..."
        one = self._value
        return f"{type(one).__name__}.{one.name}" if isinstance(one, enum.Enum) else repr(one)


def _with_defaults(signature, original):
    """The signature with the function's own defaults in place of the stub's "...\"."""
    try:
        own = _signatures.of_function(original).parameters
    except (AttributeError, IndexError):
        own = {}
    parameters = []
    for one in signature.parameters.values():
        if one.default is ...:
            default = own[one.name].default if one.name in own else ...
            one = one.replace(default=_Default(... if default is inspect.Parameter.empty else default))
        parameters.append(one)
    return signature.replace(parameters=parameters)


def _shown_as_python(node, original):
    """A Python function that calls `original`, with a stub's parameters and without its own signature's line."""
    every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    for argument in filter(None, every):
        argument.annotation = None
    node.returns, node.decorator_list, node.body = None, [], [ast.Pass()]
    names = {}
    exec(compile(ast.fix_missing_locations(ast.Module([node], [])), "<stub>", "exec"), names)

    def made(*args, **kwargs):
        return original(*args, **kwargs)

    lines = (original.__doc__ or "").splitlines()
    if lines and lines[0].startswith(node.name + "("):
        lines = lines[2:]
    made.__name__, made.__qualname__, made.__module__ = node.name, node.name, "pycuda.driver"
    made.__doc__ = "\n".join(lines)
    made.__signature__ = _with_defaults(inspect.signature(names[node.name]), original)
    return made


def _show_the_extension_as_python():
    """Give Sphinx functions in place of the extension's, which it cannot look into; signatures come from the stubs."""
    for module in {*_late_methods.NAMES.values(), *_late_methods.MODULES}:
        importlib.import_module(f"pycuda.{module}")
    stubs = ast.parse((pathlib.Path(_driver.__file__).parent / "_driver.pyi").read_text())
    classes = {node.name: node for node in stubs.body if isinstance(node, ast.ClassDef)}

    def members(node):
        """Of a class of the stub, and of its bases that are only there."""
        yield from node.body
        for base in node.bases:
            name = getattr(base, "id", "")
            if name in classes and not hasattr(_driver, name):
                yield from members(classes[name])

    for node in stubs.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            original = getattr(_driver, node.name)
            if getattr(driver, node.name) is original:
                setattr(driver, node.name, _shown_as_python(node, original))
        if not isinstance(node, ast.ClassDef) or not hasattr(_driver, node.name):
            continue
        shown = getattr(_driver, node.name)
        # The name by which users know it: other modules that have it too refer to that.
        if getattr(driver, node.name, None) is shown:
            shown.__module__ = "pycuda.driver"
        for method in members(node):
            if not isinstance(method, ast.FunctionDef) or method.name not in vars(shown):
                continue
            decorators = [getattr(decorator, "id", "") for decorator in method.decorator_list]
            if method.name == "__init__":
                parameters = inspect.signature(_shown_as_python(method, shown.__init__)).parameters
                shown.__signature__ = inspect.Signature(list(parameters.values())[1:])
            elif not method.name.startswith("_") and "property" not in decorators:
                made = _shown_as_python(method, vars(shown)[method.name])
                setattr(shown, method.name, staticmethod(made) if "staticmethod" in decorators else made)


_show_the_extension_as_python()


def _pack_course(app, error):
    """Put the course's notebooks, and the folder that they need, into an archive beside the pages."""
    folder = pathlib.Path(__file__).parent
    files = [*folder.glob("course/*.ipynb"), *folder.glob("course/*.py"), *folder.glob("course/course/*.py")]
    with zipfile.ZipFile(pathlib.Path(app.outdir) / "course.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(files):
            archive.write(file, file.relative_to(folder))
    downloads = pathlib.Path(app.outdir) / "course"
    downloads.mkdir(exist_ok=True)
    for lesson in folder.glob("course/*.ipynb"):
        shutil.copy(lesson, downloads)


def _offer_download(app, page, template, context, tree):
    """Put a link to the notebook above a lesson."""
    lesson = pathlib.Path(app.srcdir) / f"{page}.ipynb"
    if lesson.exists() and "body" in context:
        links = (
            f'<a href="{lesson.name}" download>Download this notebook</a>, or <a href="../course.zip">all lessons</a>'
        )
        context["body"] = f"<p>{links} with the folder that they need.</p>{context['body']}"


def setup(app):
    """Add what the settings above cannot say."""
    app.connect("build-finished", _pack_course)
    app.connect("html-page-context", _offer_download)
