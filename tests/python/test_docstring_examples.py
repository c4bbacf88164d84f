# SPDX-License-Identifier: MIT
"""Every example in a docstring of the package runs and prints what it says."""

import doctest
import importlib
import inspect

import numpy as np
import pytest

MODULES = {
    name: importlib.import_module(f"pycuda.{name}")
    for name in ("compiler", "cumath", "curandom", "driver", "elementwise", "gpuarray", "reduction", "scan", "tools")
}
PARSER = doctest.DocTestParser()


def documented():
    """(name, object) of all public functions, classes and methods, each object once."""
    seen = {}
    for module_name, module in MODULES.items():
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


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_prints_what_it_says(name, context):
    names = {"np": np, **MODULES}
    test = PARSER.get_doctest(inspect.cleandoc(EXAMPLES[name]), names, name, None, 0)
    failures = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=failures.append)
    assert not failures, "".join(failures)
