# SPDX-License-Identifier: MIT
"""What Python programs of `python -m pycuda run` start with: this folder comes first on their PYTHONPATH."""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _load(spec):
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
_load(
    importlib.util.spec_from_file_location(
        "_pycuda_bindings_runtime", os.path.join(os.path.dirname(_HERE), "_bindings_runtime.py")
    )
).install()

# The installation's own file of this name has its turn as well.
_own = importlib.machinery.PathFinder.find_spec("sitecustomize")
if _own is not None:
    sys.modules["sitecustomize"] = importlib.util.module_from_spec(_own)
    _own.loader.exec_module(sys.modules["sitecustomize"])
