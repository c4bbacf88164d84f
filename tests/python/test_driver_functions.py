# SPDX-License-Identifier: MIT
"""The table of the driver API's functions agrees with the package, the CPU driver and the page of the reference."""

import functools
import importlib
import pathlib
import re
import shutil
import subprocess
import sys

import pycuda
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import list_driver_functions  # noqa: E402

FACTS = list_driver_functions.tomllib.loads((ROOT / "docs" / "reference" / "driver-functions.toml").read_text())
CPU_DRIVER = pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so"
FUNCTIONS = {function.name: function for function in list_driver_functions.functions(ROOT)}


def test_the_page_is_what_the_tool_prints():
    written = (ROOT / "docs" / "reference" / "driver-functions.md").read_text()
    assert written == list_driver_functions.page(ROOT), "run tools/list_driver_functions.py"


def test_the_driver_api_is_complete():
    assert len(FUNCTIONS) == 464


def test_every_entry_is_about_a_function_of_the_api():
    superseded = {name: successor for name, successor in FACTS["superseded"].items() if name != "groups"}
    named = [
        *FACTS["python"],
        *FACTS["refused"],
        *FACTS["no_python"],
        *superseded,
        *superseded.values(),
        *FACTS["superseded"]["groups"].values(),
    ]
    assert [name for name in named if name and name not in FUNCTIONS] == []
    assert set(FACTS["superseded"]["groups"]) <= {function.group for function in FUNCTIONS.values()}


def test_a_function_with_a_python_name_has_no_reason_for_none():
    assert set(FACTS["python"]) & set(FACTS["no_python"]) == set()


@pytest.mark.parametrize("name", sorted({name for names in FACTS["python"].values() for name in names}))
def test_every_python_name_exists(name):
    module, *path = name.split(".")
    functools.reduce(getattr, path, importlib.import_module(f"pycuda.{module}"))


def test_the_conformance_suite_calls_every_function_of_the_cpu_driver():
    called = set()
    for file in (ROOT / "tests" / "driver").glob("*.[ch]*"):
        called |= set(re.findall(r"\bcu[A-Z]\w*", file.read_text()))
    works = [f for f in FUNCTIONS.values() if list_driver_functions.cpu_text(f, FACTS) == "yes"]
    assert [f.name for f in works if f.symbol not in called] == []


@pytest.mark.skipif(not CPU_DRIVER.exists(), reason="needs the CPU driver")
@pytest.mark.skipif(shutil.which("nm") is None, reason="needs binutils: nm")
def test_the_cpu_driver_defines_what_the_table_says():
    symbols = subprocess.run(["nm", "-D", CPU_DRIVER], capture_output=True, text=True, check=True)
    # A refused function is exported weakly.
    defined = {line.split()[2] for line in symbols.stdout.splitlines() if line.split()[1:2] == ["T"]}
    assert [f.name for f in FUNCTIONS.values() if f.on_cpu != (f.symbol in defined)] == []
