# SPDX-License-Identifier: MIT
"""The commands of python -m pycuda."""

import logging
import os
import subprocess
import sys

import pycuda
import pytest
from pycuda import _compile_times
from pycuda.tools import mark_cuda_test


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "pycuda", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def test_version_names_both_versions():
    assert run("--version").stdout == (
        f"pycuda-anywhere {pycuda.ANYWHERE_VERSION}, stands in for PyCUDA {pycuda.VERSION_TEXT}\n"
    )


@mark_cuda_test
def test_selftest_ends_with_passed():
    result = run("selftest")
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-1].startswith("selftest         passed on ")


def test_selftest_fails_where_there_is_no_driver():
    result = run("selftest", PYCUDA_DRIVER="/no/such/driver.so")
    assert result.returncode == 1 and "Traceback" not in result.stderr
    assert "selftest         FAILED" in result.stdout and "/no/such/driver.so" in result.stdout


def test_demo_lists_the_examples_and_refuses_other_names():
    assert "  mandelbrot " in run("demo").stdout
    refused = run("demo", "no_such_example")
    assert refused.returncode == 2 and "mandelbrot" in refused.stderr


def test_cache_clear_removes_its_own_files_alone(tmp_path):
    (tmp_path / ("0" * 32 + ".cubin")).write_text("a")
    (tmp_path / ("f" * 32 + ".cpuobj")).write_text("b")
    (tmp_path / "notes.txt").write_text("mine")
    assert "2 entries" in run("cache", PYCUDA_CACHE_DIR=str(tmp_path)).stdout
    assert "2 entries removed" in run("cache", "clear", PYCUDA_CACHE_DIR=str(tmp_path)).stdout
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_unknown_command_is_refused_with_the_list():
    refused = run("sefltest")
    assert refused.returncode == 2 and "selftest" in refused.stderr


class Terminal:
    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text


SOURCE = "template <int n> __global__ void fill(float *a) {}\n__global__ void __launch_bounds__(64) sum(float *a) {}"


@pytest.mark.parametrize("level, lines", [("", 1), ("warning", 1), ("quiet", 0)])
def test_a_long_compile_is_said_once_on_a_terminal(level, lines, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(_compile_times, "_said", False)
    monkeypatch.setenv("PYCUDA_LOG", level)
    for seconds in (1.9, 2.5, 3.0):
        _compile_times.report("compiled to device code", SOURCE, seconds)
    assert terminal.text.count("\n") == lines
    assert lines == 0 or terminal.text.startswith("pycuda: kernels fill, sum: compiled to device code in 2.5 s")


@mark_cuda_test
def test_compile_times_and_cache_hits_reach_logging(caplog, tmp_path):
    import pycuda.autoprimaryctx  # noqa: F401
    from pycuda.compiler import SourceModule

    with caplog.at_level(logging.INFO, "pycuda"):
        for _ in range(2):
            SourceModule("__global__ void fill_of_log(float *a) { *a = 1; }", cache_dir=str(tmp_path))
    compiled = [record.getMessage() for record in caplog.records if "compiled" in record.getMessage()]
    assert len(compiled) == 2 and all(text.startswith("kernel fill_of_log: ") for text in compiled)
    assert "from the cache" not in compiled[0] and "from the cache" in compiled[1]
