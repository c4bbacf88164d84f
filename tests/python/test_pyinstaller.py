# SPDX-License-Identifier: MIT
"""A program that PyInstaller has frozen runs kernels: the package's hook names what it loads by path."""

import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pycuda
import pytest
from programs import has_cpu_driver

PACKAGE = pathlib.Path(pycuda.__file__).parent
PROJECT = pathlib.Path(__file__).resolve().parents[2] / "pyproject.toml"

PROGRAM = '''
import sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

source = """
    #include <cstdint>
    #include <pycuda-complex.hpp>
    __global__ void twice(float *a) { a[threadIdx.x] *= 2; }
"""
a = np.ones(4, np.float32)
SourceModule(source).get_function("twice")(cuda.InOut(a), block=(4, 1, 1))
print(sys.frozen, a.tolist(), float(gpuarray.sum(gpuarray.to_gpu(a))), gpuarray.arange(3).tolist())
'''


def entry_point():
    table = PROJECT.read_text().partition("[project.entry-points.pyinstaller40]")[2]
    return re.search(r'hook-dirs = "([\w.]+):(\w+)"', table).groups()


def test_the_entry_point_leads_to_the_hook():
    module, function = entry_point()
    (folder,) = getattr(importlib.import_module(module), function)()
    assert pathlib.Path(folder, "hook-pycuda.py").is_file()


@pytest.mark.timeout(1800)  # it copies NVRTC, and reads all of Python's modules
def test_a_frozen_program_runs(tmp_path):
    pytest.importorskip("PyInstaller", reason="needs PyInstaller")
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver in the package")
    # As an installed distribution has it.
    facts = tmp_path / "site" / "pycuda_anywhere-0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: pycuda-anywhere\nVersion: 0\n")
    (facts / "entry_points.txt").write_text("[pyinstaller40]\nhook-dirs = {}:{}\n".format(*entry_point()))
    (tmp_path / "program.py").write_text(PROGRAM)
    path = os.pathsep.join([str(tmp_path / "site"), str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "program.py"]
    environment = {**os.environ, "PYTHONPATH": path}
    made = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    inside = tmp_path / "dist" / "program" / "_internal"
    assert (inside / "pycuda" / "libcuda_cpu.so").exists()
    assert not (inside / "IPython").exists()
    bare = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment = {**bare, "PYCUDA_DRIVER": "cpu", "PYCUDA_CACHE_DIR": str(tmp_path / "cache")}
    program = tmp_path / "dist" / "program" / "program"
    run = subprocess.run([program], cwd=tmp_path, env=environment, capture_output=True, text=True)
    shutil.rmtree(tmp_path / "dist")  # hundreds of megabytes
    assert run.stdout == "True [2.0, 2.0, 2.0, 2.0] 8.0 [0, 1, 2]\n", run.stderr
