# SPDX-License-Identifier: MIT
"""Environment variables of the package that are misspelt, in programs."""

import pytest
from programs import run_program
from pycuda import _variables


@pytest.mark.parametrize(
    "name, meant",
    [
        ("PYCUDA_CPU_CHEK", "PYCUDA_CPU_CHECK"),
        ("PYCUDA_DRIVR", "PYCUDA_DRIVER"),
        ("PYCUDA_CPU_THREAD", "PYCUDA_CPU_THREADS"),
        ("PYCUDA_TIMEOUT", "PYCUDA_CPU_TIMEOUT"),
    ],
)
def test_a_misspelt_variable_is_told_once(name, meant):
    environment = {name: "1", "PATH": ""}
    assert _variables.misspelt(environment) == [f"nothing reads {name}; do you mean {meant}?"]
    assert _variables.misspelt(environment) == []


def test_other_variables_are_none_of_ours():
    others = ["PYCUDA_COURSE_PAGES", "PYCUDA_CPU_DRIVER", "PYCUDA_TEST_DRIVER", "CUDA_DEVICES", "HOME"]
    assert _variables.misspelt(dict.fromkeys([*_variables.VARIABLES, *others], "1")) == []


@pytest.mark.parametrize("program", ["import pycuda.autoinit", "import pycuda.driver; pycuda.driver.init()"])
def test_a_program_is_told_when_it_starts_the_driver(program):
    _, errors = run_program(program, PYCUDA_CPU_CHEK="1")
    assert errors.count("UserWarning: nothing reads PYCUDA_CPU_CHEK; do you mean PYCUDA_CPU_CHECK?") == 1
