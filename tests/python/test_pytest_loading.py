# SPDX-License-Identifier: MIT
"""How pytest finds the plug-in, and what it is told by the environment: by projects that load it in each way."""

import os
import pathlib
import subprocess
import sys

import pytest
from plugin_projects import PACKAGES, run_project
from programs import has_cpu_driver, run_program
from pycuda import _variables

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SETTINGS = pathlib.Path(__file__).resolve().parents[2] / "pyproject.toml"
TEST = "def test_1(cuda_context): cuda_context.synchronize()\n"


@pytest.fixture
def run(tmp_path, driver):
    """Runs pytest on a test, in a folder where pytest finds packages by `entry_points`, as pip has installed them."""
    installed = tmp_path / "installed"
    information = installed / "pycuda_anywhere-1.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: pycuda-anywhere\nVersion: 1\n")
    ((name, module),) = tomllib.loads(SETTINGS.read_text())["project"]["entry-points"]["pytest11"].items()
    (information / "entry_points.txt").write_text(f"[pytest11]\n{name} = {module}\n")
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_it.py").write_text(TEST)

    def run(*options, conftest="", is_installed=True, expect=0, **environment):
        (project / "conftest.py").write_text(conftest)
        settings = {**os.environ, "PYCUDA_CPU_CHECK": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "", **environment}
        settings["PYTHONPATH"] = os.pathsep.join([str(PACKAGES), str(installed)][: 1 + is_installed])
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options]
        done = subprocess.run(command, cwd=project, env=settings, capture_output=True, text=True)
        output = done.stdout + done.stderr
        assert done.returncode == expect, output
        return output

    return run


NAMED = 'pytest_plugins = ["pycuda.pytest_plugin"]'


@pytest.mark.parametrize(
    ("options", "conftest"),
    [((), ""), (("-p", "pycuda"), ""), (("-p", "pycuda.pytest_plugin"), ""), ((), NAMED)],
    ids=["by itself", "by its name", "by its module", "by a conftest"],
)
def test_the_plugin_is_loaded_once_however_it_is_named(run, options, conftest):
    assert "1 passed" in run(*options, conftest=conftest)


def test_the_plugin_can_be_left_out(run):
    assert "fixture 'cuda_context' not found" in run("-p", "no:pycuda", expect=1)


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver")
def test_options_hold_where_a_conftest_names_the_plugin(run):
    def loaded_late(*options):
        return run("--cuda-device=cpu", *options, conftest=NAMED, is_installed=False, PYCUDA_DRIVER="nvidia")

    assert ", memory accesses checked" in loaded_late()
    assert ", checked for: race" in loaded_late("--cuda-check=race")
    assert "checked" not in loaded_late("--no-cuda-check")


def test_a_misspelt_variable_is_a_warning(run):
    output = run(PYCUDA_CPU_CHEK="1", PYCUDA_OF_A_PROJECT="1")
    assert "CudaSettingWarning: nothing reads PYCUDA_CPU_CHEK; do you mean PYCUDA_CPU_CHECK?" in output
    assert "OF_A_PROJECT" not in output
    output = run("-W", "error", expect=4, PYCUDA_CPU_CHEK="1")
    assert "ERROR: nothing reads PYCUDA_CPU_CHEK; do you mean PYCUDA_CPU_CHECK?" in output and "INTERNAL" not in output


def test_misspelt_variables_are_told_from_those_of_others():
    assert _variables.misspelt({"PYCUDA_CPU_CHECK": "1", "PYCUDA_CACHE_DIR": "x", "PYCUDA_OWN": "1", "HOME": "/"}) == []
    assert _variables.misspelt({"PYCUDA_CACHE_DIRECTORY": "x"}) == [
        "nothing reads PYCUDA_CACHE_DIRECTORY; do you mean PYCUDA_CACHE_DIR?"
    ]


def test_a_test_may_hide_the_package(tmp_path):
    code = """
        import sys
        def test_before(cuda_context): pass
        def test_emptied(monkeypatch):
            for name in [name for name in sys.modules if name.split(".")[0] == "pycuda"]:
                monkeypatch.delitem(sys.modules, name)
        def test_forbidden(monkeypatch):
            for name in ("pycuda", "pycuda._driver", "pycuda.driver"):
                monkeypatch.setitem(sys.modules, name, None)
            with pytest.raises(ImportError):
                import pycuda.driver
        def test_after(cuda_context): fill(cuda.mem_alloc(40), 10)
        """
    status, output = run_project(tmp_path, code)
    assert status == 0 and "4 passed" in output, output


@pytest.mark.parametrize(
    "environment", [{"PYCUDA_DRIVER": "gpu"}, {"PYCUDA_DRIVER": "/nowhere.so"}, {"CUDA_DEVICE": "first"}]
)
def test_what_keeps_the_context_from_being_made_is_said_once(run, environment):
    ((name, value),) = environment.items()
    output = run(expect=1, **environment).partition("short test summary info")[0]
    assert output.count(value) == 1 and "During handling of the above exception" not in output, output
    assert name in output and "Traceback" not in output


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver")
def test_the_cpu_driver_under_nvidia_s_name_is_told_from_one_that_was_loaded_before(run, tmp_path):
    # As the action and the template for CI put it into the environment.
    library = tmp_path / "libcuda.so.1"
    library.symlink_to(PACKAGES / "pycuda" / "libcuda_cpu.so")
    output = run("--cuda-device=gpu", expect=1, LD_LIBRARY_PATH=str(tmp_path))
    assert f"--cuda-device=gpu, but {library} is the CPU driver: take it out of LD_LIBRARY_PATH" in output


def test_a_path_behind_the_option_for_checks_is_no_check(tmp_path):
    status, output = run_project(tmp_path, TEST, "--cuda-check", "test_it.py")
    assert status == 4
    assert "there is no check 'test_it.py': write files and folders before --cuda-check, or a name after it" in output


def test_no_device_with_a_context_says_what_the_driver_said(driver):
    run_program("""
        import pycuda.driver as cuda
        from pycuda import tools
        cuda.init()
        def refuse(device): raise cuda.LogicError("cuCtxCreate failed: device is busy")
        try:
            tools.make_default_context(refuse)
        except RuntimeError as error:
            assert "detected devices: cuCtxCreate failed: device is busy" in str(error), error
        else:
            raise AssertionError
        """)
