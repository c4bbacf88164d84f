# SPDX-License-Identifier: MIT
"""Machines with less, or with more: no compiler, no CPU driver, a toolkit, an older driver, no NumPy."""

import glob
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import textwrap

import pycuda
import pytest
from programs import has_cpu_driver, run_program
from pycuda._compilers import the_compiler

PACKAGE = pathlib.Path(pycuda.__file__).parent


def run_with(folders, code, **environment):
    """Run `code` in a Python that finds packages in these folders alone."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith(("PYCUDA_", "CUDA_"))}
    settings.update(environment, PYTHONPATH=os.pathsep.join(map(str, folders)))
    return subprocess.run(
        [sys.executable, "-S", "-c", textwrap.dedent(code)], capture_output=True, text=True, env=settings
    )


def copy_of_package(folder, without=()):
    """The package, by links, without some of its files."""
    folder.mkdir(parents=True)
    for path in PACKAGE.iterdir():
        if path.name not in without and path.name != "__pycache__":
            # The extension looks beside itself for the CPU driver: it must be here, not elsewhere.
            if path.suffix == ".so" and path.name.startswith("_driver"):
                shutil.copyfile(path.resolve(), folder / path.name)
            else:
                (folder / path.name).symlink_to(path.resolve())
    return folder.parent


@pytest.fixture(scope="session")
def numpy_alone(tmp_path_factory):
    """A folder of packages that has NumPy and no wheels of NVIDIA's."""
    import numpy

    folder = tmp_path_factory.mktemp("packages")
    found = pathlib.Path(numpy.__file__).parent
    for path in [found, *found.parent.glob("numpy.libs")]:
        (folder / path.name).symlink_to(path)
    return folder


@pytest.mark.skipif(
    bool(glob.glob("/usr/local/cuda*/lib64/libnvrtc.so.*") + glob.glob("/usr/lib/*-linux-gnu/libnvrtc.so.*")),
    reason="needs a machine without a CUDA toolkit",
)
def test_without_nvrtc_the_wheels_to_install_are_named(numpy_alone):
    result = run_with(
        [PACKAGE.parent, numpy_alone],
        """
        from pycuda.compiler import compile
        from pycuda.driver import CompileError
        try:
            compile("__global__ void f() {}", arch="sm_80", cache_dir=False)
        except CompileError as error:
            print(error.msg)
        """,
        PATH="/nonexistent",
    )
    assert "NVRTC was not found: `pip install nvidia-cuda-nvrtc" in result.stdout, result.stderr


def test_a_toolkit_on_the_machine_is_not_used(tmp_path, driver):
    if the_compiler().installations()[0][1] != "wheel":
        pytest.skip("needs NVIDIA's NVRTC wheel")
    toolkit = tmp_path / "toolkit"
    for folder in ("bin", "lib64", "include"):
        (toolkit / folder).mkdir(parents=True)
    for version in ("13", "15"):
        (toolkit / "lib64" / f"libnvrtc.so.{version}").write_text("not a library")
    for header in ("cuda_fp16.h", "cuda_runtime.h", "curand_kernel.h"):
        (toolkit / "include" / header).write_text('#error "a header of the toolkit"\n')
    nvcc = toolkit / "bin" / "nvcc"
    nvcc.write_text(f"#!/bin/sh\ntouch {tmp_path}/nvcc_was_run\nexit 1\n")
    nvcc.chmod(0o755)
    output, errors = run_program(
        """
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        one = np.zeros(1, np.float32)
        source = "#include <cuda_fp16.h>\\n__global__ void f(float *x) { *x = __half2float(__float2half(0.5f)); }"
        SourceModule(source, cache_dir=False).get_function("f")(cuda.InOut(one), block=(1, 1, 1))
        with open("/proc/self/maps") as maps:
            print(one[0], {line.split()[-1] for line in maps if "nvrtc" in line})
        """,
        CUDA_PATH=toolkit,
        CUDA_HOME=toolkit,
        CUDA_ROOT=toolkit,
        LD_LIBRARY_PATH=toolkit / "lib64",
        PATH=f"{toolkit}/bin:{os.environ['PATH']}",
        PYCUDA_NVRTC=None,
    )
    assert output.startswith("0.5 ") and errors == ""
    for library in eval(output.split(" ", 1)[1]):
        assert "/nvidia/" in library and "/usr/local/cuda" not in library
    assert not (tmp_path / "nvcc_was_run").exists()


def test_an_older_driver_with_only_a_newer_compiler_is_told_which_wheel_to_install(fake_driver):
    code = """
        import pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        try:
            SourceModule("__global__ void f() {}", cache_dir=False)
        except cuda.CompileError as error:
            print(error.msg)
    """
    output, _ = run_program(code, PYCUDA_DRIVER=fake_driver, FAKE_CUDA_VERSION="12040")
    if output == "":
        pytest.skip("needs a machine without an NVRTC of CUDA 12")
    assert "the driver is of CUDA 12 and cannot load what the only NVRTC found, of CUDA 13, makes" in output
    assert "`pip install nvidia-cuda-nvrtc-cu12 " in output


def test_without_a_cpu_driver_a_checkout_says_what_builds_it(tmp_path, numpy_alone):
    checkout = tmp_path / "checkout"
    folder = copy_of_package(checkout / "build/release/python/pycuda", without=["libcuda_cpu.so"])
    (checkout / "build/release/CMakeCache.txt").touch()
    (checkout / "run").touch()
    code = """
        import pycuda.driver as cuda
        try:
            cuda.init()
        except cuda.RuntimeError as error:
            print(error)
    """
    said = run_with([folder, numpy_alone], code, PYCUDA_DRIVER="cpu").stdout
    assert said.startswith("PYCUDA_DRIVER=cpu asks for the CPU driver, but libcuda_cpu.so cannot be loaded (")
    assert said.rstrip().endswith(f"): `{checkout}/run build` (with PYCUDA_CPU_DRIVER unset) brings it.")
    installed = copy_of_package(tmp_path / "site-packages/pycuda", without=["libcuda_cpu.so"])
    said = run_with([installed, numpy_alone], code, PYCUDA_DRIVER="cpu").stdout
    if platform.machine() in ("x86_64", "aarch64"):
        assert "`pip install pycuda-anywhere-cpu` brings it" in said
    else:
        assert "`apt-get install llvm-19-dev` and then `pip install --force-reinstall" in said


def test_without_numpy_the_driver_names_what_is_missing():
    result = run_with([PACKAGE.parent], "import pycuda, pycuda.compiler; import pycuda.driver")
    assert "No module named 'numpy'" in result.stderr
    diagnosis = run_with(
        [PACKAGE.parent], "import runpy; runpy.run_module('pycuda', run_name='__main__', alter_sys=True)"
    )
    assert diagnosis.returncode == 0 and "Traceback" not in diagnosis.stdout + diagnosis.stderr
    assert "missing: `pip install numpy`" in diagnosis.stdout


@pytest.mark.skipif(not has_cpu_driver() or shutil.which("cc") is None, reason="needs the CPU driver, and a C compiler")
@pytest.mark.parametrize("kilobytes", [16, 64])
def test_the_cpu_driver_refuses_systems_with_large_memory_pages(kilobytes, tmp_path):
    library = tmp_path / "libpages.so"
    text = f"int getpagesize(void) {{ return {kilobytes * 1024}; }}"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, "-x", "c", "-"], input=text, text=True, check=True)
    code = """
        import pycuda.driver as cuda
        for _ in range(2):
            try:
                cuda.init()
            except cuda.Error as error:
                print(error)
    """
    output, errors = run_program(code, LD_PRELOAD=library, PYCUDA_DRIVER="cpu")
    why = f"the CPU driver needs a system with memory pages of 4 KB, and this one's have {kilobytes} KB"
    for line in output.splitlines():
        assert line.startswith(f"cuInit failed: operation not supported - {why}")
    assert len(output.splitlines()) == 2 and errors == ""


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")
def test_the_cpu_driver_is_found_in_the_distribution_beside_the_package(tmp_path, numpy_alone):
    site = copy_of_package(tmp_path / "site-packages/pycuda", without=["libcuda_cpu.so"])
    driver = site / "pycuda_anywhere_cpu/driver/libcuda.so.1"
    driver.parent.mkdir(parents=True)
    shutil.copyfile((PACKAGE / "libcuda_cpu.so").resolve(), driver)
    code = "import pycuda.driver as cuda; cuda.init(); from pycuda._driver import _rtc; print(_rtc.driver_origin())"
    said = run_with([site, numpy_alone], code, PYCUDA_DRIVER="cpu")
    assert f"{driver}'" in said.stdout, said.stderr


def test_a_mixture_with_the_original_is_reported_with_its_remedy(tmp_path, numpy_alone):
    site = copy_of_package(tmp_path / "site-packages/pycuda")
    (site / "pycuda/_pvt_struct.cpython-311-x86_64-linux-gnu.so").touch()
    remedy = "`pip uninstall -y pycuda-anywhere && pip uninstall -y pycuda && pip install pycuda-anywhere`"
    assert remedy in run_with([site, numpy_alone], "import pycuda").stderr
    code = "import runpy; runpy.run_module('pycuda', run_name='__main__', alter_sys=True)"
    diagnosis = run_with([site, numpy_alone], code)
    assert diagnosis.returncode == 0 and remedy in diagnosis.stdout
    # The original was installed last: of its files, `__init__.py` at least has replaced this package's.
    (site / "pycuda/__init__.py").unlink()
    (site / "pycuda/__init__.py").write_text('VERSION_TEXT = "2026.1"\n')
    diagnosis = run_with([site, numpy_alone], code)
    assert diagnosis.returncode == 0 and diagnosis.stdout.startswith("problem ") and remedy in diagnosis.stdout
