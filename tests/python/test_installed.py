# SPDX-License-Identifier: MIT
"""The package as it is installed, in a fresh virtual environment: found without settings, its pytest plug-in too."""

import os
import pathlib
import shutil
import site
import subprocess
import sys
import sysconfig

import pycuda
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(pycuda.__file__).absolute().parents[2]


def _run(command, cwd, **environment):
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("PYCUDA_", "PYTHON"))}
    settings.update(environment)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=cwd, env=settings)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The Python of a virtual environment with the package in it, with this one's NumPy and pytest."""
    if not (BUILD / "cmake_install.cmake").exists() or shutil.which("cmake") is None:
        pytest.skip("needs the folder that the package was built in, and cmake")
    pytest.importorskip("scikit_build_core", reason="needs scikit-build-core")
    folder = tmp_path_factory.mktemp("installed")
    _run([sys.executable, "-m", "venv", "--without-pip", folder], folder)
    python = folder / "bin" / "python"
    packages = pathlib.Path(
        _run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], folder).strip()
    )
    theirs = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), *site.getsitepackages()}
    (packages / "dependencies.pth").write_text("\n".join(sorted(theirs)))
    # A wheel is these files and these metadata; building one would compile everything again.
    _run(["cmake", "--install", BUILD, "--prefix", packages, "--component", "python"], folder)
    metadata = "import sys; from scikit_build_core.build import prepare_metadata_for_build_wheel as p; p(sys.argv[1])"
    _run([sys.executable, "-c", metadata, packages], ROOT)
    python_files = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "python" / "pycuda", packages / "pycuda", ignore=python_files, dirs_exist_ok=True)
    return python


def test_it_is_found_and_runs_a_kernel(installed, tmp_path, driver):
    output = _run(
        [
            installed,
            "-c",
            "import importlib.metadata, pycuda, pycuda.autoinit\n"
            "from pycuda import gpuarray\n"
            "print(pycuda.__file__, importlib.metadata.version('pycuda-anywhere'))\n"
            "print(int(gpuarray.sum(gpuarray.arange(10, dtype='i4') * 2).get()))",
        ],
        tmp_path,
    )
    assert str(installed.parents[1]) in output and output.split()[-1] == "90"


def test_its_pytest_plug_in_is_there_without_asking(installed, tmp_path, driver):
    folder = shutil.copytree(
        ROOT / "examples" / "testing_project", tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__")
    )
    output = _run([installed, "-m", "pytest", "-p", "no:cacheprovider"], folder)
    assert "CUDA tests ran on " in output and " passed" in output
    assert "--cuda-device=" in _run([installed, "-m", "pytest", "--help"], folder)
