# SPDX-License-Identifier: MIT
"""The reference is made of docstrings: every public name has one, and every public module has a page."""

import importlib
import inspect
import pathlib
import pkgutil
import re
import subprocess
import sys

import pycuda
import pytest

REFERENCE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reference"
PAGES = {name for page in REFERENCE.glob("*.md") for name in re.findall(r"automodule:: (\S+)", page.read_text())}
# Parts of the original that programs import by these names; their contents are on the pages of other modules.
WITHOUT_PAGE = {"pycuda.characterize", "pycuda.compyte", "pycuda.debug"}


def test_every_public_module_has_a_page():
    found = {f"pycuda.{module.name}" for module in pkgutil.iter_modules(pycuda.__path__)}
    public = {name for name in found if not name.startswith(("pycuda._", "pycuda.libcuda"))}
    documented = {name for name in PAGES if name.count(".") == 1}  # the others are parts of these
    assert public - WITHOUT_PAGE == documented, "docs/reference/ must have an automodule for each public module"


def _documented(thing):
    return bool((getattr(thing, "__doc__", None) or "").strip())


@pytest.mark.parametrize("name", sorted(PAGES))
def test_every_public_name_has_a_docstring(name, context):
    module = importlib.import_module(name)
    assert _documented(module)
    missing = []
    for public in getattr(module, "__all__", [key for key in vars(module) if not key.startswith("_")]):
        thing = getattr(module, public)
        if not callable(thing) or not (getattr(thing, "__module__", "") or "").startswith("pycuda"):
            continue
        if not _documented(thing):
            missing.append(public)
        if inspect.isclass(thing):
            for key, member in vars(thing).items():
                shown = callable(member) or isinstance(member, (property, staticmethod, classmethod))
                if not key.startswith("_") and shown and not _documented(member):
                    missing.append(f"{public}.{key}")
    assert not missing


@pytest.mark.parametrize("name", sorted(PAGES))
def test_no_attribute_is_described_twice(name, context):
    # Sphinx warns of a name that a section "Attributes" lists beside a property of that name with a docstring.
    twice = []
    for public, thing in vars(importlib.import_module(name)).items():
        if public.startswith("_") or not inspect.isclass(thing) or not thing.__module__.startswith("pycuda"):
            continue
        listed = (inspect.getdoc(thing) or "").partition("\nAttributes\n-----")[2].partition("\n---")[0]
        for attribute in re.findall(r"^(\w+) : ", listed, re.MULTILINE):
            if _documented(inspect.getattr_static(thing, attribute, None)) and isinstance(
                inspect.getattr_static(thing, attribute), property
            ):
                twice.append(f"{public}.{attribute}")
    assert not twice


def _what_sphinx_misreads(path, thing):
    """Lines of a docstring that the site would show as something else."""
    text = inspect.getdoc(thing) or ""
    # Napoleon takes what stands before a colon as the property's type.
    before, colon, after = re.sub("`[^`]*`", "", text.partition("\n")[0]).partition(":")
    if isinstance(thing, property) and colon and after.strip():
        yield f"{path}: {before}"
    listed = text.partition("\nParameters\n-----")[2].partition("\n---")[0].splitlines()[1:]
    # The last line is the title of the next section, if there is one.
    for line in listed[: -1 if "\n---" in text.partition("\nParameters\n-----")[2] else None]:
        if line and not re.fullmatch(r" .*|[*\w, ]+( : .*)?", line):
            yield f"{path}: {line}"


@pytest.mark.parametrize("name", sorted(PAGES | {"pycuda.debug"}))
def test_docstrings_have_the_form_that_sphinx_reads(name, context):
    misread = []
    for public, thing in vars(importlib.import_module(name)).items():
        if public.startswith("_") or not (getattr(thing, "__module__", "") or "").startswith("pycuda"):
            continue
        misread += _what_sphinx_misreads(public, thing)
        for key, member in vars(thing).items() if inspect.isclass(thing) else ():
            misread += [] if key.startswith("_") else _what_sphinx_misreads(f"{public}.{key}", member)
    assert not misread


def _exists(name):
    """Whether a dotted name leads to an attribute of an importable module."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
        return True
    return False


def test_the_names_that_tables_refer_to_exist():
    text = "".join(page.read_text() for page in REFERENCE.glob("*.md"))
    names = re.findall(r"\{py:obj\}`\S+ <(\S+)>`", text)
    assert len(names) > 100
    assert [name for name in names if not _exists(name)] == []


SHOWN = """
import inspect, runpy, sys
from pycuda import driver
runpy.run_path(sys.argv[1])
for name, thing in vars(driver).items():
    if name.startswith("_") or not getattr(thing, "__module__", "").startswith("pycuda"):
        continue
    members = [(name, thing)]
    if inspect.isclass(thing):
        members += [(f"{name}.{key}", getattr(thing, key)) for key in dir(thing) if not key.startswith("_")]
    for path, member in members:
        of_extension = type(member).__module__ in ("nanobind", "pycuda.driver") and not inspect.isclass(member)
        if "Stands for" in (member.__doc__ or "") or of_extension and callable(member):
            print(path, type(member), member.__doc__)
        if inspect.isfunction(member) and ("Ellipsis" in str(inspect.signature(member))):
            print(path, inspect.signature(member))
"""


def test_the_site_shows_methods_of_the_extension_as_python():
    pytest.importorskip("jupyter_client", reason="needs jupyter_client")
    command = [sys.executable, "-c", SHOWN, str(REFERENCE.parent / "conf.py")]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown == ""
