# SPDX-License-Identifier: MIT
"""python -m pycuda."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
from pycuda import _diagnosis as diagnosis

ROOT = pathlib.Path(__file__).resolve().parents[2]

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

    def test_it_prints_every_documented_variable_that_is_set(self):
        page = (ROOT / "docs" / "cpu-driver" / "environment.md").read_text()
        rows = re.findall(r"^\| (`.*?) \|", page, re.MULTILINE)
        documented = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
        assert documented == list(diagnosis.VARIABLES) and len(documented) > 30
        result = subprocess.run(
            [sys.executable, "-m", "pycuda"],
            capture_output=True,
            text=True,
            env={"LANG": "C", "PYTHONPATH": os.pathsep.join(sys.path)} | dict.fromkeys(documented, ""),
        )
        assert result.returncode == 0, result.stderr
        assert set(documented) <= {line.split()[0] for line in result.stdout.splitlines() if line}

    def test_it_names_misspelt_variables(self, monkeypatch):
        monkeypatch.setenv("PYCUDA_CPU_THREDS", "2")
        result = subprocess.run([sys.executable, "-m", "pycuda"], capture_output=True, text=True, check=True)
        assert "PYCUDA_CPU_THREDS nothing reads it; do you mean PYCUDA_CPU_THREADS?\n" in result.stdout

    @pytest.mark.parametrize("way", ["file", "gone"])
    def test_it_says_why_the_cache_keeps_nothing(self, way, tmp_path):
        (tmp_path / "file").write_text("")
        folder = {"file": tmp_path / "file" / "cache", "gone": pathlib.Path("/proc/nope/cache")}[way]
        result = subprocess.run(
            [sys.executable, "-m", "pycuda"],
            capture_output=True,
            text=True,
            env={**os.environ, "PYCUDA_CACHE_DIR": str(folder)},
        )
        assert re.search(rf"^cache +{folder}, cannot be made, nothing is kept: \w", result.stdout, re.MULTILINE)
        assert list(tmp_path.iterdir()) == [tmp_path / "file"]

    def test_a_cache_folder_without_room_is_reported(self, tmp_path):
        # Like a full disk, a limit lets files be made and refuses what is written to them.
        program = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room})); "
        program += "from pycuda import _diagnosis; _diagnosis.main()"
        for room in (0, 1000):
            result = subprocess.run(
                [sys.executable, "-B", "-c", program.format(room=room)],
                capture_output=True,
                text=True,
                env={**os.environ, "PYCUDA_CACHE_DIR": str(tmp_path)},
            )
            reported = rf"^cache +{tmp_path}, 0.0 MiB, cannot be written to, nothing is kept: \w"
            assert re.search(reported, result.stdout, re.MULTILINE), result.stdout
        assert not list(tmp_path.iterdir())
