# SPDX-License-Identifier: MIT
"""For PyInstaller: what a program with pycuda loads by name or path when it runs.

These are modules that the package imports late, its headers, the CPU driver, and NVRTC with NVIDIA's headers.
"""

import importlib.util
import pathlib

from PyInstaller.utils.hooks import collect_data_files, collect_submodules

# They need a test runner, a notebook or PyInstaller.
_NOT_FOR_PROGRAMS = {"pytest_plugin", "ipython_magic", "_notebook_errors", "_notebook_kernels", "_pyinstaller"}


def _is_used(module):
    return not _NOT_FOR_PROGRAMS & set(module.split(".")[1:2])


def _folders_of(package):
    found = importlib.util.find_spec(package)
    return [pathlib.Path(folder) for folder in (found.submodule_search_locations or ())] if found else []


def _placed(root, package, files):
    """Pairs as PyInstaller wants them: each file with the folder that it has in the program."""
    return [(str(file), str(pathlib.Path(package, file.relative_to(root).parent))) for file in sorted(files)]


hiddenimports = collect_submodules("pycuda", filter=_is_used)
# A program that uses them imports them itself.
excludedimports = ["IPython", "pytest", "scipy", "matplotlib", "jax", "pymetis", "nvtx", "ml_dtypes"]
datas = collect_data_files("pycuda", excludes=["_pyinstaller/*"])
binaries = []
for _root in _folders_of("pycuda"):
    binaries += _placed(_root, "pycuda", _root.glob("libcuda_cpu.so"))
for _root in _folders_of("pycuda_anywhere_cpu"):
    hiddenimports.append("pycuda_anywhere_cpu")
    binaries += _placed(_root, "pycuda_anywhere_cpu", _root.glob("driver/libcuda*"))
for _root in _folders_of("nvidia"):
    _libraries = [file for file in _root.glob("c*/lib/libnvrtc*.so.*") if ".alt." not in file.name]
    binaries += _placed(_root, "nvidia", _libraries)
    _headers = [file for folder in _root.glob("c*/include") for file in folder.rglob("*") if file.is_file()]
    datas += _placed(_root, "nvidia", _headers)
