# SPDX-License-Identifier: MIT
"""Importing needs nothing; the first call that needs a driver says what is missing."""

import ast
import re
import sys
import sysconfig

import pytest
from programs import run_program


def test_modules_can_be_imported_without_a_driver():
    run_program(
        """
        import pycuda, pycuda.driver, pycuda.tools, pycuda.characterize, pycuda.compyte.array
        import pycuda._pvt_struct, pycuda.debug
        assert pycuda.VERSION >= (2011, 1)
        assert pycuda.driver.have_gl_ext()
        assert pycuda.driver.get_version() >= (12, 0, 0)
        """,
        PYCUDA_DRIVER="/nonexistent/libcuda.so",
    )


def test_a_missing_driver_is_named_by_the_first_call_that_needs_it():
    output, _ = run_program(
        """
        import pycuda.driver as cuda
        for call in (cuda.init, cuda.get_driver_version, lambda: cuda.Device.count()):
            try:
                call()
            except cuda.RuntimeError as error:
                print(error)
        """,
        PYCUDA_DRIVER="/nonexistent/libcuda.so",
    )
    lines = output.splitlines()
    assert len(lines) == 3
    for line in lines:
        assert "/nonexistent/libcuda.so" in line


def test_autoinit_without_a_driver_raises_the_same_sentence():
    output, _ = run_program(
        """
        import pycuda.driver as cuda
        try:
            import pycuda.autoinit
        except cuda.RuntimeError as error:
            print(error)
        """,
        PYCUDA_DRIVER="/nonexistent/libcuda.so",
    )
    assert "/nonexistent/libcuda.so" in output


def test_a_call_without_a_context_says_so():
    # The context is asked for before the driver: this needs none.
    output, _ = run_program(
        """
        import pycuda.driver as cuda
        try:
            cuda.mem_alloc(100)
        except cuda.LogicError as error:
            print(error)
        """
    )
    assert output.startswith("explicit_context_dependent failed: ")
    assert "no currently active context?" in output


def _loaded_by(modules):
    """The modules that importing `modules` after NumPy loads."""
    output, _ = run_program(
        f"""
        import sys, numpy
        before = set(sys.modules)
        import {modules}
        print(sorted(set(sys.modules) - before))
        """
    )
    return set(ast.literal_eval(output))


def test_importing_loads_little():
    # `./run bench compile` prints what it takes: less than NumPy does.
    few = {name for name in _loaded_by("pycuda.driver") if name.startswith("pycuda")}
    assert len(few) <= 12, few
    loaded = _loaded_by("pycuda.driver, pycuda.compiler, pycuda.gpuarray")
    slow = {"asyncio", "concurrent", "ctypes", "dataclasses", "email", "importlib", "inspect", "json", "logging"}
    slow |= {"multiprocessing", "platform", "sqlite3", "subprocess", "tempfile", "tomllib", "typing", "unittest"}
    assert not {name.partition(".")[0] for name in loaded} & slow


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_nothing_of_cuda_is_loaded_by_importing():
    output, _ = run_program(
        """
        import pycuda.driver
        print([line for line in open("/proc/self/maps") if "libcuda" in line or "nvrtc" in line])
        """
    )
    assert output.strip() == "[]"


def test_opengl_needs_no_driver_to_be_imported():
    run_program(
        """
        import pycuda.driver, pycuda.gl
        assert pycuda.driver.have_gl_ext()
        assert pycuda.gl.make_context is pycuda.driver.make_gl_context
        """,
        PYCUDA_DRIVER="/nonexistent/libcuda.so",
    )


def test_without_the_gil_the_import_is_refused():
    run_program(
        """
        import sys
        sys._is_gil_enabled = lambda: False
        try:
            import pycuda.driver
        except ImportError as error:
            assert "relies on the GIL" in str(error) and "PYTHON_GIL=0" in str(error), error
        else:
            raise AssertionError("imported")
        """
    )


def test_a_free_threaded_python_enables_the_gil():
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("needs a free-threaded Python")
    run_program(
        """
        import sys, warnings
        assert not sys._is_gil_enabled()
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            import pycuda.driver
        assert sys._is_gil_enabled() and any("pycuda._driver" in str(warning.message) for warning in said), said
        """
    )


def test_a_sub_interpreter_is_refused_and_the_process_ends():
    output, _ = run_program(
        """
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        run = getattr(interpreters, "exec", None) or interpreters.run_string
        made = interpreters.create()
        code = '''
        import warnings
        warnings.simplefilter("ignore")
        try:
            import pycuda.driver
        except ImportError as error:
            print(error, flush=True)
        '''
        import textwrap
        run(made, textwrap.dedent(code))
        print("end")
        """
    )
    *refusal, end = output.splitlines()
    # From Python 3.12 on it is NumPy, imported first, that refuses, in its own words.
    assert re.search("does not support .*sub-?interpreters", "\n".join(refusal)) and end == "end", output


def test_a_second_import_in_a_process_says_what_has_been_done():
    # A test that empties sys.modules, to see a package without pycuda, does so.
    output, errors = run_program(
        """
        import sys
        import pycuda.driver
        kept = {name: module for name, module in sys.modules.items() if name.startswith("pycuda")}
        for name in kept: del sys.modules[name]
        try:
            import pycuda.driver
        except ImportError as error:
            print(error)
        for name in [name for name in sys.modules if name.startswith("pycuda")]: del sys.modules[name]
        sys.modules.update(kept)
        import pycuda.gpuarray
        print(sys.modules["pycuda.driver"].Error.__name__)
        """
    )
    assert "can be loaded once in a process, and the program has taken it out of sys.modules" in output
    assert output.endswith("\nError\n") and errors == "", errors


def test_errors_are_named_as_programs_know_them():
    output, _ = run_program(
        """
        import pickle, pycuda.driver as cuda
        for name in ("Error", "LogicError", "LaunchError", "MemoryError", "RuntimeError", "CompileError"):
            kind = getattr(cuda, name)
            print(f"{kind.__module__}.{kind.__qualname__}", pickle.loads(pickle.dumps(kind)) is kind)
        """
    )
    assert all(line.startswith("pycuda.driver.") and line.endswith("Error True") for line in output.splitlines())


def test_classes_are_named_as_programs_import_them():
    output, _ = run_program(
        """
        import inspect, pickle, pycuda.curandom, pycuda.driver as cuda
        for module in (cuda, pycuda.curandom):
            for name, kind in vars(module).items():
                if inspect.isclass(kind) and kind.__module__ in ("pycuda._driver", "pycuda._curand_kinds"):
                    # Enumerations have the name that they have in PyCUDA.
                    print("" if issubclass(kind, int) else name, end="")
                assert not inspect.isclass(kind) or pickle.loads(pickle.dumps(kind)) is kind
        print(cuda.Stream.__module__, pycuda.curandom.XORWOWRandomNumberGenerator.__module__)
        """
    )
    assert output == "pycuda.driver pycuda.curandom\n"
