# SPDX-License-Identifier: MIT
"""The values of variables that programs of this package refuse are those that the CPU driver would not use."""

import pytest
from programs import has_cpu_driver, run_program
from pycuda import _settings

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

USED = {
    "PYCUDA_LOG": ["warning"],
    "PYCUDA_CPU_ARCH": ["sm_90a", "75", "80", "86", "89", "90", "100"],
    "PYCUDA_CPU_CHECK": ["memory, race", "1", "0", "all"],
    "PYCUDA_CPU_TIMEOUT": ["30.5", "0", "1e3"],
    "PYCUDA_CPU_PATIENCE": ["-1", "2.5"],
    "PYCUDA_CPU_THREADS": ["2", "1024"],
    "PYCUDA_CPU_DEVICES": ["2", "64"],
    "PYCUDA_CPU_MEMORY": ["512M", "1073741824", "1g"],
    "PYCUDA_CPU_MARGIN": ["64K", "0"],
    "PYCUDA_CPU_ISA": ["avx2", "sse2", "avx512"],
    "PYCUDA_CPU_GANG": ["16", "0"],
    "PYCUDA_CPU_STREAM": ["1", "0"],
    "PYCUDA_CPU_VECTOR": ["1", "0"],
    "PYCUDA_CPU_VERIFY": ["1", "0"],
    "PYCUDA_CPU_SYMBOLS": ["0", "1"],
}
UNUSED = {
    "PYCUDA_CPU_ARCH": ["120", "sm_", "9.0"],
    "PYCUDA_CPU_CHECK": ["nonsense", "memory,,race"],
    "PYCUDA_CPU_TIMEOUT": ["1m", "-1", "inf"],
    "PYCUDA_CPU_PATIENCE": ["long"],
    "PYCUDA_CPU_THREADS": ["0", "many", "1025"],
    "PYCUDA_CPU_DEVICES": ["65", "+2"],
    "PYCUDA_CPU_MEMORY": ["4 GB", "0", "half"],
    "PYCUDA_CPU_MARGIN": ["-4", "2G"],
    "PYCUDA_CPU_ISA": ["AVX2"],
    "PYCUDA_CPU_GANG": ["8"],
    "PYCUDA_CPU_STREAM": ["yes"],
    "PYCUDA_CPU_VECTOR": ["2"],
    "PYCUDA_CPU_VERIFY": ["on"],
    "PYCUDA_CPU_SYMBOLS": ["true"],
}
PROGRAM = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
kernel = SourceModule("__global__ void k(int *a) { a[threadIdx.x] = 1; }", no_extern_c=False).get_function("k")
kernel(cuda.InOut(np.zeros(32, np.int32)), block=(32, 1, 1))
"""


def _columns(values):
    """One value of each variable at a time, until all have been taken."""
    return [
        {name: some[min(number, len(some) - 1)] for name, some in values.items()}
        for number in range(max(map(len, values.values())))
    ]


def _messages(settings):
    _, errors = run_program(PROGRAM, **{"PYCUDA_DRIVER": "cpu", "PYCUDA_DISABLE_CACHE": "1", **settings})
    return errors


@pytest.mark.parametrize("settings", _columns(USED))
def test_what_the_driver_uses_is_no_problem(settings):
    assert _settings.problems(settings) == []
    assert _messages(settings) == ""


@pytest.mark.parametrize("settings", _columns(UNUSED))
def test_what_the_driver_does_not_use_is_a_problem(settings):
    assert [text.partition("=")[0] for text in _settings.problems(settings)] == list(
        name for name in _settings._RULES if name in settings
    )
    messages = _messages(settings)
    for name, value in settings.items():
        assert f"{name}={value}" in messages, messages


def test_empty_values_are_those_of_unset_variables():
    assert _settings.problems(dict.fromkeys(UNUSED, "")) == []
