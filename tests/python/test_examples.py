# SPDX-License-Identifier: MIT
"""The example programs run and check themselves."""

import os
import pathlib
import shutil
import subprocess
import sys

import pycuda
import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py") if path.name != "run_all.py")


@pytest.mark.parametrize("program", PROGRAMS)
def test_example_program(driver, program, tmp_path):
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / program)], capture_output=True, text=True, timeout=110, cwd=tmp_path
    )
    assert run.returncode == 0, run.stdout + run.stderr


def _launcher():
    beside = pathlib.Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else shutil.which("mpiexec")


def _run_on_four_ranks(driver, program, *arguments, on_cpu=False):
    if _launcher() is None:
        pytest.skip("needs mpiexec")
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    settings = dict(os.environ)
    # Open MPI asks root to be sure.
    settings.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    if on_cpu or driver.Device.count() < 4:
        if not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists():
            pytest.skip("needs four devices, or the CPU driver")
        settings.update(PYCUDA_DRIVER="cpu", PYCUDA_CPU_DEVICES="4")
    run = subprocess.run(
        [_launcher(), "-n", "4", sys.executable, "-m", "mpi4py", str(EXAMPLES / "mpi" / program), *arguments],
        capture_output=True,
        text=True,
        timeout=110,
        env=settings,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_four_ranks_work_on_four_devices(driver):
    output = _run_on_four_ranks(driver, "seed_000_scatter.py", "100")
    assert output.rstrip().endswith("correct")
    for rank in range(4):
        assert f"rank {rank}: device {rank}, " in output


def test_mpi_takes_arrays_on_the_device(driver):
    # Not every MPI can read a GPU's memory; any can read the CPU driver's.
    output = _run_on_four_ranks(driver, "allreduce_arrays.py", on_cpu=True)
    assert output.rstrip().endswith("correct")
