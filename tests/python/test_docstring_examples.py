# SPDX-License-Identifier: MIT
"""Every example in a docstring of the package runs and prints what it says."""

import ast
import doctest
import importlib
import inspect
import pathlib

import numpy as np
import pycuda
import pytest
from programs import is_cpu

MODULES = {
    name: importlib.import_module(f"pycuda.{name}")
    for name in (
        "compiler",
        "cumath",
        "curandom",
        "debug",
        "driver",
        "elementwise",
        "gpuarray",
        "reduction",
        "scan",
        "tools",
    )
}
PARSER = doctest.DocTestParser()
# What a GPU has not; and what changes the process for another package.
CPU_DRIVER_ONLY = {"pycuda.checks", "pycuda.counters"}
NOT_RUN = {"pycuda.provide_libcuda"}


def documented():
    """(name, object) of all public functions, classes and methods, each object once."""
    seen = {}
    for module_name, module in {**MODULES, "pycuda": pycuda}.items():
        for name in getattr(module, "__all__", [name for name in dir(module) if not name.startswith("_")]):
            found = getattr(module, name)
            if not callable(found) or not str(getattr(found, "__module__", "pycuda")).startswith("pycuda"):
                continue
            seen.setdefault(id(found), (f"{module_name}.{name}", found))
            if not inspect.isclass(found):
                continue
            for method_name in dir(found):
                method = getattr(found, method_name, None)
                if not method_name.startswith("_") and callable(method):
                    seen.setdefault(id(method), (f"{module_name}.{name}.{method_name}", method))
    return list(seen.values())


EXAMPLES = {name: found.__doc__ for name, found in documented() if ">>>" in (found.__doc__ or "")}


def test_the_most_used_names_have_an_example():
    assert len(EXAMPLES) >= 60


def test_every_example_of_the_sources_is_among_them():
    written = set()
    for path in pathlib.Path(pycuda.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                written.add(inspect.cleandoc(ast.get_docstring(node) or ""))
    of_sources = {text for text in written if ">>> " in text}
    assert len(of_sources) > 50
    assert of_sources - {inspect.cleandoc(text) for text in EXAMPLES.values()} == set()
    assert {name for name, text in EXAMPLES.items() if "+SKIP" in text} == NOT_RUN


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_prints_what_it_says(name, context):
    if (name in CPU_DRIVER_ONLY or name.startswith("debug.")) and not is_cpu():
        pytest.skip("needs the CPU driver")
    names = {"np": np, **MODULES}
    test = PARSER.get_doctest(inspect.cleandoc(EXAMPLES[name]), names, name, None, 0)
    failures = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=failures.append)
    assert not failures, "".join(failures)
