# SPDX-License-Identifier: MIT
"""`python -m pycuda run` and `env`: programs that load libcuda.so.1 get the CPU driver."""

import os
import pathlib
import subprocess
import sys

import pytest
from programs import has_cpu_driver
from pycuda import _programs, _stand_ins

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

# What any client of the driver API does first, without this package.
CLIENT = """
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
count, name = ctypes.c_int(), ctypes.create_string_buffer(100)
assert cuda.cuInit(0) == 0
assert cuda.cuDeviceGetCount(ctypes.byref(count)) == 0
assert cuda.cuDeviceGetName(name, 100, 0) == 0
print(count.value, name.value.decode()[:3], sys.argv[1:])
"""


def pycuda_command(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "pycuda", *map(str, arguments)], capture_output=True, text=True, **options
    )


def test_a_python_file_runs_with_its_arguments(tmp_path):
    program = tmp_path / "client.py"
    program.write_text(CLIENT)
    ended = pycuda_command("run", "--devices", 3, program, "--check", "x y")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "3 CPU ['--check', 'x y']\n"


def test_text_and_modules_run(tmp_path):
    assert pycuda_command("run", "-c", CLIENT, "a").stdout == "1 CPU ['a']\n"
    (tmp_path / "client.py").write_text(CLIENT)
    assert pycuda_command("run", "-m", "client", cwd=tmp_path).stdout == "1 CPU []\n"


def test_another_executable_finds_the_driver():
    ended = pycuda_command("run", "sh", "-c", 'echo "$PYCUDA_DRIVER"; exec "$0" -c "$1"', sys.executable, CLIENT)
    assert ended.stdout == "cpu\n1 CPU []\n", ended.stderr


def test_the_status_of_the_program_is_the_status():
    assert pycuda_command("run", "-c", "raise SystemExit(7)").returncode == 7


def test_options_reach_the_driver():
    show = "import os; print(*(os.environ.get('PYCUDA_CPU_' + n) for n in ('CHECK', 'THREADS', 'MEMORY', 'TIMEOUT')))"
    options = ["--check", "--threads", 2, "--memory", "1G", "--timeout", 5]
    assert pycuda_command("run", *options, "-c", show).stdout == "1 2 1G 5.0\n"


RUN_TIME_CLIENT = """
import ctypes
runtime = ctypes.CDLL("libcudart.so.{}")
version, count, pointer = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
assert runtime.cudaRuntimeGetVersion(ctypes.byref(version)) == 0
assert runtime.cudaGetDeviceCount(ctypes.byref(count)) == 0
assert runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(64)) == 0
assert runtime.cudaFree(pointer) == 0
print(version.value // 1000, count.value)
"""


@pytest.mark.parametrize("version", [12, 13])
def test_programs_of_the_run_time_api_find_its_library(version):
    ended = pycuda_command("run", "--devices", 2, "-c", RUN_TIME_CLIENT.format(version))
    assert ended.stdout == f"{version} 2\n", ended.stderr


@pytest.mark.parametrize(
    "name",
    ["libcudart.so", "libcublas.so", "libcublas.so.12", "libcublasLt.so", "libcublasLt.so.12", "libcufft.so",
     "libcufft.so.11", "libcusolver.so", "libcusolver.so.11", "libcurand.so", "libcurand.so.10",
     "libcusparse.so", "libcusparse.so.12"],
)  # fmt: skip
def test_libraries_are_found_with_and_without_a_version(name):
    program = f"import ctypes; print(ctypes.CDLL({name!r})._handle != 0)"
    assert pycuda_command("run", "-c", program).stdout == "True\n"


WITHOUT_DRIVER = """
import ctypes
runtime = ctypes.CDLL({!r})
insufficient_driver = 35
number, pointer = ctypes.c_int(-1), ctypes.c_void_p()
assert runtime.cudaDriverGetVersion(ctypes.byref(number)) == 0 and number.value == 0
assert runtime.cudaGetLastError() == 0
for _ in range(3):
    assert runtime.cudaGetDeviceCount(ctypes.byref(number)) == insufficient_driver
    assert runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(64)) == insufficient_driver
assert runtime.cudaPeekAtLastError() == runtime.cudaGetLastError() == insufficient_driver
assert runtime.cudaGetLastError() == 0
assert runtime.cudaRuntimeGetVersion(ctypes.byref(number)) == 0
print(number.value // 1000)
"""


@pytest.mark.parametrize("version", [12, 13])
def test_the_run_time_api_without_a_driver_says_so_once(version, tmp_path):
    library = str(pathlib.Path(_programs.__file__).parent / f"libcudart.so.{version}")
    environment = os.environ | {"PYCUDA_DRIVER": str(tmp_path / "libcuda.so.1")}
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_DRIVER.format(library)], capture_output=True, text=True, env=environment
    )
    assert ended.stdout == f"{version}\n", ended.stderr
    assert ended.stderr.count("pycuda:") == 1 and str(tmp_path) in ended.stderr


def test_libraries_of_another_installation_do_not_stay_in_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path))
    driver = tmp_path / "libcuda_cpu.so"
    driver.touch()
    monkeypatch.setattr(_programs, "cpu_driver", lambda: str(driver))
    monkeypatch.setattr(_programs, "run_time_libraries", lambda: {"libcudart.so.13": str(driver)})
    folder = pathlib.Path(_programs.driver_folder())
    assert (folder / "libcudart.so.13").exists()
    monkeypatch.setattr(_programs, "run_time_libraries", dict)
    assert _programs.driver_folder() == str(folder) and not (folder / "libcudart.so.13").is_symlink()


def test_the_driver_has_its_own_name_too(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path))
    driver = tmp_path / "libcuda_cpu.so"
    driver.touch()
    monkeypatch.setattr(_programs, "cpu_driver", lambda: str(driver))
    folder = pathlib.Path(_programs.driver_folder())
    assert {os.readlink(folder / name) for name in ("libcuda.so", "libcuda.so.1", "libcuda_cpu.so")} == {str(driver)}


def distribution(folder, monkeypatch):
    """A folder of the driver like that of the wheels, with names but nothing behind them; its path."""
    package = folder / "pycuda_anywhere_cpu"
    (package / "driver" / "standins").mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import os\ndef driver_folder():\n    return os.path.join(os.path.dirname(__file__), 'driver')\n"
    )
    libraries = "cublas.so.13", "cublas.so.12", "nvidia-ml.so.1"
    for name in ("libcuda.so", "libcuda_cpu.so", "libcuda.so.1", *(f"lib{library}" for library in libraries)):
        (package / "driver" / name).touch()
    (package / "driver" / "standins" / "ptxas").touch()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "pycuda_anywhere_cpu", raising=False)
    # The package as the wheels install it: no driver of its own.
    monkeypatch.setattr(_programs, "__file__", str(folder / "pycuda" / "_programs.py"))
    monkeypatch.setattr(_stand_ins, "__file__", str(folder / "pycuda" / "_stand_ins.py"))
    return package / "driver"


def test_libraries_of_the_distributions_get_all_their_names(tmp_path, monkeypatch):
    driver = distribution(tmp_path / "packages", monkeypatch)
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "cache"))
    folder = pathlib.Path(_programs.driver_folder())
    targets = {"libcuda.so": "libcuda.so.1", "libcublas.so": "libcublas.so.13"}
    for name in ("libcuda.so", "libcuda.so.1", "libcublas.so", "libcublas.so.12", "libnvidia-ml.so.1"):
        assert os.readlink(folder / name) == str(driver / targets.get(name, name))
    assert _stand_ins.find("ptxas") == str(driver / "standins" / "ptxas")


def test_where_no_links_can_be_made_the_folder_of_the_distribution_is_used(tmp_path, monkeypatch):
    driver = distribution(tmp_path / "packages", monkeypatch)
    (tmp_path / "file").touch()
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(_programs.tempfile, "gettempdir", lambda: str(tmp_path / "file"))
    assert _programs.driver_folder() == str(driver)


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, who may give a folder away")
def test_a_temporary_folder_of_another_user_is_not_used(tmp_path, monkeypatch):
    driver = distribution(tmp_path / "packages", monkeypatch)
    (tmp_path / "file").touch()
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(_programs.tempfile, "gettempdir", lambda: str(tmp_path))
    (tmp_path / "pycuda-0").mkdir()
    assert _programs.driver_folder().startswith(str(tmp_path / "pycuda-0"))
    os.chown(tmp_path / "pycuda-0", 12345, 12345)
    assert _programs.driver_folder() == str(driver)


def test_what_an_uninstalled_distribution_leaves_is_no_driver(tmp_path, monkeypatch):
    driver = distribution(tmp_path / "packages", monkeypatch)
    (driver.parent / "__init__.py").unlink()
    assert _stand_ins.distributed_driver_folder() is None
    with pytest.raises(FileNotFoundError, match="pip install pycuda-anywhere-cpu"):
        _programs.driver_folder()


def test_a_full_disk_is_reported_with_the_folder(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(_stand_ins, "make_tools", fail)
    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/tools-"):
        _programs._tools(str(tmp_path))


def test_two_installations_do_not_share_links(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_CACHE_DIR", str(tmp_path / "cache"))
    folders = set()
    for name in ("one", "other"):
        monkeypatch.setattr(_programs, "cpu_driver", lambda name=name: str(tmp_path / name / "libcuda_cpu.so"))
        folders.add(_programs.driver_folder())
    assert len(folders) == 2


def test_a_shell_gets_the_same_environment():
    program = 'eval "$("$0" -m pycuda env --devices 2)" && exec "$0" -c "$1"'
    ended = subprocess.run(["sh", "-c", program, sys.executable, CLIENT], capture_output=True, text=True)
    assert ended.stdout == "2 CPU []\n", ended.stderr


def test_paths_of_the_program_are_kept():
    ended = pycuda_command(
        "run",
        "-c",
        "import os; print(os.environ['LD_LIBRARY_PATH'])",
        env={**os.environ, "LD_LIBRARY_PATH": "/somewhere/else"},
    )
    assert ended.stdout.strip().endswith(":/somewhere/else")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no program"),
        (["--devices", "2"], "no program"),
        (["no-such-program-anywhere"], "there is no program 'no-such-program-anywhere'"),
        (["--check", "race,sync", "program.py"], "there is no program 'race,sync'; did you mean --check=race,sync?"),
        (["--devices", "two", "x.py"], "'two' is not a whole number from 1 to 64"),
        (["--no-such-option", "x.py"], "there is no option --no-such-option"),
    ],
)
def test_mistakes_are_named(arguments, words):
    ended = pycuda_command("run", *arguments)
    assert ended.returncode == 2 and words in ended.stderr


@pytest.mark.parametrize(
    ("option", "is_told"),
    [("--check=race,sync", True), ("--check", True), ("--check=style", False), ("--checks", False), ("--log", False)],
)
def test_a_check_that_is_asked_of_the_program_is_told(option, is_told):
    ended = pycuda_command("run", "-c", "import sys; print(sys.argv[1:])", option)
    assert ended.stdout == f"[{option!r}]\n"
    assert ("is the program's: options of run come before it" in ended.stderr) == is_told, ended.stderr
    ended = pycuda_command("run", "--check", "-c", "1", option)
    assert "options of run" not in ended.stderr


def test_a_read_only_cache_folder_is_no_obstacle(tmp_path):
    ended = pycuda_command("run", "-c", CLIENT, env={**os.environ, "PYCUDA_CACHE_DIR": "/proc/nowhere"})
    assert ended.stdout == "1 CPU []\n", ended.stderr


def test_the_cache_folder_begins_with_the_home_folder_as_for_compiled_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYCUDA_CACHE_DIR", "~/cache")
    assert pathlib.Path(_programs._cached_folder("tools", "libcuda.so.1")).parent == tmp_path / "home/cache"
    monkeypatch.setenv("PYCUDA_CACHE_DIR", "~root/cache")  # a folder of that name
    assert pathlib.Path(_programs._cached_folder("tools", "libcuda.so.1")).resolve().parent == tmp_path / "~root/cache"
