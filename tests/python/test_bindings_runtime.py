# SPDX-License-Identifier: MIT
"""cuda.bindings gets the CPU driver's run-time library from `python -m pycuda run`."""

import os
import subprocess
import sys

import pytest
from programs import has_cpu_driver
from pycuda import _programs

pytestmark = pytest.mark.skipif(
    not has_cpu_driver() or "libcudart.so.13" not in _programs.run_time_libraries(),
    reason="needs the CPU driver and its run-time library, which were not built",
)

# A package with the table of a module that Cython made: its functions fail, as NVIDIA's do on another driver.
TABLE = """
import ctypes
new = ctypes.pythonapi.PyCapsule_New
new.restype = ctypes.py_object
new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
FORM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int))
fail = FORM(lambda result: 999)
address = ctypes.cast(fail, ctypes.c_void_p).value
signature = b"cudaError_t (int *)"
__pyx_capi__ = {name: new(address, signature, None) for name in ("_cudaGetDeviceCount", "_cudaOfTheFuture", "helper")}

def call(name):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    count = ctypes.c_int(-1)
    return FORM(get(__pyx_capi__[name], signature))(ctypes.byref(count)), count.value
"""
PROGRAM = "import {module} as m; print(*(m.call(name) for name in m.__pyx_capi__))"


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "cuda" / "bindings"
    for inner in ("_internal", "_bindings"):
        (folder / inner).mkdir(parents=True)
        (folder / inner / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("__version__ = '13.4.1'\n")
    for file in ("_internal/runtime.py", "_internal/runtime_ptds.py", "_bindings/cyruntime.py", "_internal/other.py"):
        (folder / file).write_text(TABLE)
    return tmp_path


def output(folder, *program):
    paths = [str(folder), *(filter(None, [os.environ.get("PYTHONPATH")]))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    run = subprocess.run([sys.executable, *program], capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


@pytest.mark.parametrize("module", ["_internal.runtime", "_internal.runtime_ptds", "_bindings.cyruntime"])
def test_the_table_gets_our_functions(package, module):
    program = PROGRAM.format(module=f"cuda.bindings.{module}")
    found = output(package, "-m", "pycuda", "run", "--devices", "3", "-c", program)
    assert found == "(0, 3) (999, -1) (999, -1)"


def test_other_modules_are_left_alone(package):
    program = PROGRAM.format(module="cuda.bindings._internal.other")
    assert output(package, "-m", "pycuda", "run", "-c", program) == "(999, -1) (999, -1) (999, -1)"
    program = PROGRAM.format(module="cuda.bindings._internal.runtime")
    assert output(package, "-m", "pycuda", "run", "--no-stand-ins", "-c", program) == "(999, -1) (999, -1) (999, -1)"


def test_a_process_that_asks_for_the_driver_gets_it_too(package):
    program = "import pycuda; pycuda.provide_libcuda(); " + PROGRAM.format(module="cuda.bindings._internal.runtime")
    assert output(package, "-c", program).startswith("(0, 1) ")


def test_the_installations_own_start_file_runs(package):
    (package / "sitecustomize.py").write_text("print('own')\n")
    program = "import sitecustomize, sys; print(sitecustomize.__file__, [p for p in sys.path if '_python_start' in p])"
    assert output(package, "-m", "pycuda", "run", "-c", program).splitlines()[-2:] == [
        "own",
        f"{package / 'sitecustomize.py'} []",
    ]
