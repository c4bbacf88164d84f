# SPDX-License-Identifier: MIT
"""The commands of python -m pycuda."""

import io
import logging
import os
import subprocess
import sys
import threading
import types

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
    (tmp_path / ("nvrtc-headers-" + "0" * 32) / "cccl").mkdir(parents=True)
    (tmp_path / "notes.txt").write_text("mine")
    assert "2 entries" in run("cache", PYCUDA_CACHE_DIR=str(tmp_path)).stdout
    assert "2 entries removed" in run("cache", "clear", PYCUDA_CACHE_DIR=str(tmp_path)).stdout
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_unknown_command_is_refused_with_the_list():
    refused = run("sefltest")
    assert refused.returncode == 2 and "selftest" in refused.stderr


SOURCE = "template <int n> __global__ void fill(float *a) {}\n__global__ void __launch_bounds__(64) sum(float *a) {}"


def announced(monkeypatch, level, compile):
    """What is on the standard error stream once `compile` has run and the watching thread has ended."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_compile_times, "_announced", set())
    monkeypatch.setattr(_compile_times, "_watcher", None)
    monkeypatch.setenv("PYCUDA_LOG", level)
    compile()
    join_watcher()
    return stream.getvalue()


def join_watcher():
    watcher = _compile_times._watcher
    if watcher is not None:
        watcher.join()


@pytest.mark.parametrize("level, lines", [("", 1), ("warning", 0), ("quiet", 0), ("info", 0)])
def test_a_long_compilation_is_announced_once_while_it_runs(level, lines, monkeypatch):
    monkeypatch.setattr(_compile_times, "_LONG_SECONDS", 0.0)
    seen_while_running = []

    def compile_twice():
        for _ in range(2):
            with _compile_times.Compilation("compiling", "compiled", SOURCE):
                join_watcher()
                seen_while_running.append(sys.stderr.getvalue().count("\n"))

    text = announced(monkeypatch, level, compile_twice)
    assert text.count("\n") == lines and seen_while_running == [lines, lines]
    assert lines == 0 or text.startswith("pycuda: compiling kernels fill, sum takes longer than 0 s")


def test_every_long_compilation_is_announced(monkeypatch):
    monkeypatch.setattr(_compile_times, "_LONG_SECONDS", 0.0)

    def compile_both():
        for name in ("first", "second"):
            with _compile_times.Compilation("compiling", "compiled", f"__global__ void {name}() {{}}"):
                join_watcher()

    said = announced(monkeypatch, "", compile_both).splitlines()
    assert [line.split(" takes")[0] for line in said] == [
        "pycuda: compiling kernel first",
        "pycuda: compiling kernel second",
    ]


def test_a_folder_that_cannot_be_made_keeps_nothing(tmp_path):
    from pycuda._compiling import _keeps

    (tmp_path / "file").write_text("no folder")
    assert _keeps(str(tmp_path)) and _keeps(str(tmp_path / "new/cache"))
    assert not _keeps(str(tmp_path / "file/cache")) and not _keeps(None)


@pytest.mark.parametrize("is_kept", [False, True])
def test_the_cache_is_named_where_it_keeps_the_result(is_kept, monkeypatch):
    monkeypatch.setattr(_compile_times, "_LONG_SECONDS", 0.0)

    def compile():
        with _compile_times.Compilation("compiling", "compiled", SOURCE, is_kept):
            join_watcher()

    assert ("is cached for the next run" in announced(monkeypatch, "", compile)) == is_kept


def test_without_a_thread_for_the_announcement_compiling_goes_on(monkeypatch):
    def start(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)

    def compile():
        with _compile_times.Compilation("compiling", "compiled", SOURCE):
            assert not _compile_times._running

    assert announced(monkeypatch, "", compile) == ""


def test_a_short_compilation_is_not_announced(monkeypatch):
    ended = threading.Event()
    clock = types.SimpleNamespace(perf_counter=lambda: 0.0, sleep=lambda seconds: ended.wait())
    monkeypatch.setattr(_compile_times, "time", clock)

    def compile_briefly():
        with _compile_times.Compilation("compiling", "compiled", SOURCE):
            pass
        clock.perf_counter = lambda: 60.0
        ended.set()

    assert announced(monkeypatch, "", compile_briefly) == ""


def test_a_compilation_that_fails_is_not_watched_any_more(monkeypatch):
    with pytest.raises(KeyError), _compile_times.Compilation("compiling", "compiled", SOURCE):
        raise KeyError
    assert not _compile_times._running


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
