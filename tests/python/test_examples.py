# SPDX-License-Identifier: MIT
"""The example programs run and check themselves, alone and in the demo."""

import importlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import zlib

import pytest
from programs import has_cpu_driver
from pycuda._driver import _rtc

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = sorted(path.name for kind in ("seed", "gallery") for path in EXAMPLES.glob(f"{kind}_*.py"))
PICTURES = {"gallery_filter.py": "filter.png", "gallery_life.py": "life.png"}
PICTURES.update({"gallery_mandelbrot.py": "mandelbrot.png", "gallery_nbody.py": "nbody.png"})
PICTURES["gallery_opengl.py"] = "opengl.png"


def _read_png(path):
    """Width, height, bytes a pixel, and the rows of a PNG file without filters; checks its structure."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, chunks = 8, {}
    while place < len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        body = data[place + 8 : place + 8 + length]
        assert struct.unpack_from(">I", data, place + 8 + length)[0] == zlib.crc32(kind + body)
        chunks[kind] = body
        place += 12 + length
    width, height, depth, colours = struct.unpack_from(">IIBB", chunks[b"IHDR"])
    assert depth == 8 and b"IEND" in chunks
    return width, height, {0: 1, 2: 3}[colours], zlib.decompress(chunks[b"IDAT"])


@pytest.mark.parametrize("program", PROGRAMS)
def test_example_program(driver, program, tmp_path):
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / program)], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 0, run.stdout + run.stderr
    if run.stdout.startswith("needs "):
        pytest.skip(run.stdout.strip())
    if program.startswith("gallery"):
        assert re.search(r"device [\d.]+ ms, NumPy [\d.]+ ms$", run.stdout.rstrip()), run.stdout
    assert [path.name for path in tmp_path.iterdir()] == ([PICTURES[program]] if program in PICTURES else [])
    for picture in tmp_path.iterdir():
        width, height, channels, rows = _read_png(picture)
        assert width >= 500 and height >= 500 and len(rows) == height * (width * channels + 1)
        assert len(set(rows)) > 1, "the picture is empty"


def _launcher():
    beside = pathlib.Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else shutil.which("mpiexec")


def _run_on_four_ranks(driver, program, *arguments):
    if _launcher() is None:
        pytest.skip("needs mpiexec")
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    settings = dict(os.environ)
    # Open MPI asks root to be sure.
    settings.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if driver.Device.count() < 4:
        if not has_cpu_driver():
            pytest.skip("needs four devices, or the CPU driver")
        settings.update(PYCUDA_DRIVER="cpu", PYCUDA_CPU_DEVICES="4")
    run = subprocess.run(
        [_launcher(), "-n", "4", sys.executable, "-m", "mpi4py", str(EXAMPLES / "mpi" / program), *arguments],
        capture_output=True,
        text=True,
        env=settings,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_four_ranks_work_on_four_devices(driver):
    output = _run_on_four_ranks(driver, "seed_000_scatter.py", "100")
    assert output.rstrip().endswith("correct")
    for rank in range(4):
        assert f"rank {rank}: device {rank}, " in output
    assert len(set(re.findall(r"^rank .* at (\S+)$", output, re.MULTILINE))) == 4


def test_mpi_takes_arrays_on_the_device(driver):
    output = _run_on_four_ranks(driver, "allreduce_arrays.py")
    assert output.rstrip().endswith("correct")
    # Not every MPI can read a GPU's memory; any can read the CPU driver's.
    assert "the first on CPU" not in output or "summed as they are" in output


def test_ranks_share_an_array(driver):
    output = _run_on_four_ranks(driver, "shared_array.py")
    # MPI may have said something too, as where a container has no /sys.
    assert re.search(r"^4 processes wrote to one array of 1048576 floats on .*: correct$", output, re.MULTILINE)


def test_dask_workers_have_a_device_each_and_exchange_arrays(driver):
    pytest.importorskip("distributed", reason="needs distributed")
    settings = dict(os.environ)
    if _rtc.driver_origin()["kind"] == "CPU":
        settings.update(PYCUDA_CPU_DEVICES="3", PYCUDA_CPU_THREADS="1")
        workers = 3
    else:
        workers = min(4, driver.Device.count())
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / "dask_options.py")], capture_output=True, text=True, env=settings
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"{workers} workers, {workers} devices" in run.stdout
    assert "formula 9.1218" in run.stdout


def _demo(*arguments, **environment):
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / "run_all.py"), *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    return run.returncode, run.stdout + run.stderr


def test_the_demo_ends_with_a_table(driver, tmp_path):
    status, output = _demo("--into", tmp_path / "new", EXAMPLES / "seed_002_multiply.py", EXAMPLES / "gallery_life.py")
    assert status == 0, output
    assert "[1/2] seed_002_multiply.py: Multiply two arrays" in output and "[2/2] gallery_life.py: Play" in output
    assert re.search(r"^program +device +time +check\n", output, re.MULTILINE)
    device = re.escape(driver.Device(0).name())
    assert re.search(rf"^seed_002_multiply.py +{device} +[\d.]+ s +correct\n", output, re.MULTILINE), output
    assert "life.png" in output.splitlines()[-1] and (tmp_path / "new" / "life.png").exists()


def test_the_demo_says_which_program_failed_and_goes_on(driver, tmp_path):
    wrong, killed = tmp_path / "wrong.py", tmp_path / "killed.py"
    wrong.write_text('"""Go wrong on purpose."""\nprint("before")\nassert 1 + 1 == 3, "counted wrongly"\n')
    killed.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    status, output = _demo("--into", tmp_path, wrong, killed, EXAMPLES / "seed_002_multiply.py")
    assert status == 1
    assert "[1/3] wrong.py: Go wrong on purpose\n" in output
    assert "before" in output and "AssertionError: counted wrongly" in output
    assert re.search(r"^wrong.py .* FAILED: exit status 1\n", output, re.MULTILINE), output
    assert re.search(r"^killed.py .* FAILED: killed by SIGKILL\n", output, re.MULTILINE), output
    assert re.search(r"^seed_002_multiply.py .* correct\n", output, re.MULTILINE), output
    assert output.rstrip().endswith("2 of 3 programs failed: wrong.py, killed.py")


def test_the_demo_without_a_device_says_so_once():
    status, output = _demo(PYCUDA_DRIVER="/nowhere/libcuda.so.1")
    assert status == 1 and "device: none: " in output and "`python -m pycuda`" in output
    assert "[1/" not in output


@pytest.fixture
def run_all(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module("run_all")


def test_idle_threads_of_the_demos_programs_sleep_unless_the_user_wants_them_awake(run_all, monkeypatch, tmp_path):
    command = [sys.executable, "-c", "import os; print(os.environ['OPENBLAS_THREAD_TIMEOUT'])"]
    monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT", raising=False)
    assert run_all.run_program(command, {}, tmp_path)[2] == ["4"]
    monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", "20")
    assert run_all.run_program(command, {}, tmp_path)[2] == ["20"]


def test_the_demo_runs_every_example(run_all):
    names = {path.name for path in run_all.PROGRAMS}
    assert names == {*PROGRAMS, "seed_000_scatter.py", "allreduce_arrays.py", "shared_array.py", "dask_options.py"}
