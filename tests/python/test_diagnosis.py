# SPDX-License-Identifier: MIT
"""python -m pycuda."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.usefixtures("no_compiler_settings")


class TestDiagnosis:
    def test_it_prints_the_parts_and_no_traceback(self, tmp_path):
        result = subprocess.run(
            [sys.executable, "-m", "pycuda"],
            capture_output=True,
            text=True,
            env={**os.environ, "PYCUDA_CACHE_DIR": str(tmp_path / "none")},
        )
        assert result.returncode == 0 and "Traceback" not in result.stderr + result.stdout
        names = {line.split()[0] for line in result.stdout.splitlines() if line}
        assert {
            "pycuda-anywhere",
            "Python",
            "NumPy",
            "driver",
            "NVRTC",
            "CUDA",
            "nvcc",
            "cache",
        } <= names
        assert str(tmp_path / "none") in result.stdout

    def test_it_survives_an_unusable_driver_and_compiler(self, tmp_path):
        result = subprocess.run(
            [sys.executable, "-m", "pycuda"],
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "PYCUDA_DRIVER": "/no/such/driver.so",
                "PYCUDA_NVRTC": "/no/such/libnvrtc.so",
            },
        )
        assert result.returncode == 0 and "Traceback" not in result.stderr + result.stdout
        assert "/no/such/driver.so" in result.stdout and "/no/such/libnvrtc.so" in result.stdout
