# SPDX-License-Identifier: MIT
"""What the CPU driver refuses, and how it says so; memory for modules."""

import pathlib

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

ASK_FOR_TABLES = """
import ctypes, pathlib
import pycuda
driver = ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so"))
table = ctypes.c_void_p()
print(driver.cuInit(0))
for first in (b"\\x6b", b"\\xa0", b"\\xc6"):
    print(driver.cuGetExportTable(ctypes.byref(table), first + b"\\x05" * 15), table.value)
"""


@pytest.mark.parametrize(("level", "times"), [("quiet", 0), ("warning", 1), ("debug", 3)])
def test_the_refusal_of_nvidias_runtime_names_it(level, times):
    output, errors = run_program(ASK_FOR_TABLES, PYCUDA_LOG=level)
    assert output == "0\n" + 3 * "1 None\n"
    assert errors.count("(libcudart) needs NVIDIA's driver") == times
    assert ("the private table 6b050505" in errors) == (times > 0)
    assert errors.count("python -m pycuda run PROGRAM takes the CPU driver's own") == times


COMPILE = """
import ctypes
driver = ctypes.CDLL("libcuda.so.1", ctypes.RTLD_GLOBAL)
from pycuda.compiler import compile
print(len(compile("__global__ void k() {}", target="ptx", arch="sm_80", cache_dir=False)) > 0)
"""


def test_nvrtc_may_ask_for_the_tables_without_a_note(tmp_path):
    import pycuda

    (tmp_path / "libcuda.so.1").symlink_to(pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so")
    output, errors = run_program(COMPILE, LD_LIBRARY_PATH=str(tmp_path), PYCUDA_LOG="debug")
    assert output == "True\n" and "cuGetExportTable" not in errors


CONSTANTS = """
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
source = "__constant__ char a[SIZE]; __constant__ char b[1000]; __global__ void k(char *o) { o[0] = a[0] + b[1]; }"
try:
    SourceModule(source)
    print("loaded")
except cuda.Error as error:
    print(error)
"""


@pytest.mark.parametrize("size", [70_000, 65_536, 64_537])
def test_more_constants_than_a_device_has_are_refused_with_the_limit(size):
    output, _ = run_program(CONSTANTS.replace("SIZE", str(size)), PYCUDA_DRIVER="cpu")
    assert "too much global constant data" in output
    assert "65536 max" in output


def test_as_many_constants_as_a_device_has_are_loaded():
    output, _ = run_program(CONSTANTS.replace("SIZE", "64536"), PYCUDA_DRIVER="cpu")
    assert output == "loaded\n"


def test_a_module_is_loaded_into_memory_that_pools_hold():
    output, _ = run_program(
        """
        import numpy as np
        import pycuda.autoinit
        from pycuda import gpuarray
        from pycuda.compiler import SourceModule
        held = gpuarray.empty(50 << 20, np.uint8)
        del held
        module = SourceModule("__device__ char room[40 << 20]; __global__ void k() { room[0] = 1; }")
        module.get_function("k")(block=(1, 1, 1))
        pycuda.autoinit.context.synchronize()
        print("ran")
        """,
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_MEMORY="64M",
    )
    assert output == "ran\n"
