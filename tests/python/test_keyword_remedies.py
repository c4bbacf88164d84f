# SPDX-License-Identifier: MIT
"""Python's own errors about keywords of the package's functions are shown with the keyword that was meant."""

import inspect
import re
import sys

import numpy as np
import pycuda
import pytest
from plugin_projects import run_project
from programs import has_cpu_driver, run_program
from pycuda import array_api, cumath, curandom, gpuarray, tools
from pycuda import driver as cuda
from pycuda._keyword_remedies import add_remedy

pytestmark = pytest.mark.usefixtures("context")

FUNCTIONS = [
    (module, name)
    for module in (gpuarray, cumath, curandom, tools, array_api, cuda)
    for name in dir(module)
    if name[0] != "_" and inspect.isfunction(getattr(module, name)) and getattr(module, name).__module__[:6] == "pycuda"
]


def said_of(call):
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    if caught.type is TypeError:
        add_remedy(caught.value, caught.tb)
    return str(caught.value)


@pytest.mark.parametrize("module", [gpuarray, cumath, curandom, tools, array_api, cuda], ids=lambda one: one.__name__)
def test_every_function_tells_what_it_takes(module):
    names = [name for of, name in FUNCTIONS if of is module]
    assert names
    for name in names:
        function = getattr(module, name)
        kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
        if inspect.Parameter.VAR_KEYWORD in kinds:
            continue
        said = said_of(eval(f"lambda: module.{name}(sonnenblume=3)", {"module": module}))
        assert re.search(r"; it takes \w", said), f"{name}: {said}"


@pytest.mark.parametrize("name", [name for name in dir(gpuarray.GPUArray) if name[0] != "_"])
def test_every_method_tells_what_it_takes(name):
    method = inspect.getattr_static(gpuarray.GPUArray, name)
    if not inspect.isfunction(method) or "kwargs" in inspect.signature(method).parameters:
        return
    said = said_of(lambda: getattr(gpuarray.zeros(4, np.float32), name)(sonnenblume=3))
    assert re.search(r"; it takes \w", said), said


def test_the_keyword_that_was_meant_is_named():
    a = gpuarray.zeros(4, np.float32)
    ones = gpuarray.ones
    said = {
        "dtype": said_of(lambda: gpuarray.zeros(4, dtyp="f4")),
        "order": said_of(lambda: ones(4, odrer="F")),
        "axis": said_of(lambda: a.argmax(axs=0)),
        "allocator": said_of(lambda: gpuarray.empty(4, np.float32, alocator=None)),
        "device": said_of(lambda: pycuda.array_api.zeros(gpuarray.ones(3).shape, devce=None)),
    }
    if sys.version_info < (3, 13):  # that suggests a keyword itself
        assert all(text.endswith(f"; did you mean {meant!r}?") for meant, text in said.items()), said


def test_functions_of_programs_and_other_packages_are_not_ours():
    def zeros(shape):
        return gpuarray.zeros(shape)

    for call in (lambda: zeros(sonnenblume=3), lambda: np.zeros(gpuarray.ones(3).shape, sonnenblume=3)):
        assert "takes shape" not in said_of(call)


PROGRAM = """
import sys
sys.excepthook, before = lambda kind, error, traceback: before(kind, error, traceback), sys.excepthook
from pycuda import gpuarray
{}
"""


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("gpuarray.zeros(4, sonnenblume=3)", "'sonnenblume'; it takes shape, dtype, allocator, order"),
        ("raise TypeError('zeros() got an unexpected keyword argument')", "unexpected keyword argument"),
    ],
)
def test_a_program_that_ends_so_shows_it_once(line, last):
    _, errors = run_program(PROGRAM.format(line), expect=1)
    assert errors.rstrip().endswith(last) and errors.count("Traceback") == 1


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")
def test_tests_show_it(tmp_path):
    code = "from pycuda import gpuarray\ndef test_it(cuda_context): gpuarray.ones(4, sonnenblume=3)\n"
    status, output = run_project(tmp_path, code, PYCUDA_DRIVER="cpu")
    assert status == 1 and "'sonnenblume'; it takes shape, dtype, allocator, order" in output
