# SPDX-License-Identifier: MIT
"""CUDA's run-time library for `cuda.bindings`, whose own copy of NVIDIA's asks for NVIDIA's driver.

Modules of the package reach the run-time library through tables of functions that Cython makes for each module. This
replaces the functions of one table by those of the same name in the libcudart beside the CPU driver, when the module
is imported. It belongs to programs started by `python -m pycuda run`, which may run in another Python: nothing of
pycuda is imported here.
"""

import ctypes
import importlib.machinery
import sys

# The modules that have NVIDIA's library, and what the names of their variants end in. They moved in 13.4.
_TABLES = {
    "cuda.bindings._bindings.cyruntime": "",
    "cuda.bindings._bindings.cyruntime_ptds": "_ptds",
    "cuda.bindings._internal.runtime": "",
    "cuda.bindings._internal.runtime_ptds": "_ptds",
}


class _Finder:
    """A finder that finds nothing by itself: it adds a step to the import of those modules."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _TABLES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or not hasattr(spec.loader, "exec_module"):
            return spec
        execute = spec.loader.exec_module

        def execute_and_replace(module):
            execute(module)
            _replace(module, _TABLES[name])

        spec.loader.exec_module = execute_and_replace
        return spec


def _replace(module, ending):
    """Point the entries of the module's table to the library of its major version."""
    package = sys.modules.get("cuda.bindings")
    major = getattr(package, "__version__", "13").partition(".")[0]
    try:
        library = ctypes.CDLL(f"libcudart.so.{major}")
    except OSError:
        return  # this installation has none
    set_pointer = ctypes.pythonapi.PyCapsule_SetPointer
    set_pointer.argtypes = [ctypes.py_object, ctypes.c_void_p]
    set_pointer.restype = ctypes.c_int
    for name, entry in getattr(module, "__pyx_capi__", {}).items():
        if not name.startswith("_cuda"):
            continue
        # Those that work with streams or wait have a form for default streams of each thread's own.
        forms = [name[1:] + "_ptsz", name[1:] + "_ptds", name[1:]] if ending else [name[1:]]
        function = next((found for form in forms if (found := getattr(library, form, None)) is not None), None)
        if function is not None:
            set_pointer(entry, ctypes.cast(function, ctypes.c_void_p).value)


def install():
    """From now on; of no effect for modules that are imported already."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
