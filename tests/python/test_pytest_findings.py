# SPDX-License-Identifier: MIT
"""Whom the pytest plug-in blames for findings of checks and for faults: the test, its fixtures, or nobody."""

import functools
import os
import shutil

import pytest
from plugin_projects import PACKAGES, run_project
from programs import has_cpu_driver

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

RACE = """
import pycuda
RACE = '''
__global__ void last(int *a) { a[0] = threadIdx.x; }
'''
def race(): SourceModule(RACE).get_function("last")(cuda.mem_alloc(4), block=(64, 1, 1))
"""


@pytest.fixture
def project(tmp_path, driver):
    """Runs pytest on a file of tests on the CPU driver."""
    return functools.partial(run_project, tmp_path, PYCUDA_DRIVER="cpu")


def summary_of(output):
    return output.partition("short test summary info")[2]


@pytest.mark.parametrize("workers", [[], ["-n2"]], ids=["here", "workers"])
def test_fixtures_that_launch_a_race_fail_their_test(project, workers):
    code = """
        @pytest.fixture
        def before(cuda_context): race()
        @pytest.fixture
        def after(cuda_context):
            yield
            race()
        def test_before(before): pass
        def test_after(after): pass
        def test_neither(cuda_context): pass
        """
    status, output = project(RACE + code.replace("\n        ", "\n"), "--cuda-check=race", *workers)
    assert status == 1, output
    assert "2 passed, 2 errors" in output
    said = summary_of(output)
    assert "ERROR test_it.py::test_before - " in said and "ERROR test_it.py::test_after - " in said
    assert "pycuda: " not in output


@pytest.mark.parametrize("workers", [[], ["-n1"]], ids=["here", "workers"])
def test_a_race_outside_of_tests_fails_the_session(project, workers):
    code = "\nimport pycuda.autoinit\nrace()\ndef test_1(): pass\n"
    status, output = project(RACE + code, "--cuda-check=race", *workers)
    assert status == 1, output
    assert "1 passed" in output and "CUDA code outside of tests" in output
    assert "race: two threads of a warp access the same byte" in output


def test_a_race_in_a_fixture_that_outlives_the_tests_is_of_the_last_one(project):
    code = """
import pycuda.autoinit
@pytest.fixture(scope="module", autouse=True)
def whole():
    yield
    race()
def test_1(): pass
def test_2(): pass
"""
    status, output = project(RACE + code, "--cuda-check=race")
    assert status == 1 and "2 passed, 1 error" in output, output
    assert "ERROR test_it.py::test_2" in summary_of(output)


def test_a_fault_without_the_fixture_is_of_the_test_that_launched_it(project):
    code = """
import pycuda.autoinit
def test_faulty(): fill(cuda.mem_alloc(4), 64)
def test_after(): cuda.mem_alloc(4)
def test_without(): pass
"""
    status, output = project(code)
    assert status == 1 and "2 failed, 1 passed" in output, output
    said = summary_of(output)
    assert "FAILED test_it.py::test_faulty - Failed: a kernel failed after the test" in said
    assert "FAILED test_it.py::test_after" in said
    assert "the context was lost earlier, by test_it.py::test_faulty: cuCtxSynchronize failed: an illegal" in output


def test_a_test_of_mark_cuda_test_fails_by_its_kernel(project):
    status, output = project("""
        from pycuda.tools import mark_cuda_test
        @mark_cuda_test
        def test_faulty(): fill(cuda.mem_alloc(4), 64)
        @mark_cuda_test
        def test_right(): fill(cuda.mem_alloc(256), 64)
        """)
    assert status == 1 and "1 failed, 1 passed" in output, output
    assert "an illegal memory access was encountered" in output


def test_a_test_that_fails_by_itself_tells_its_race_and_its_fault(project):
    code = """
def test_race(cuda_context):
    race()
    assert 1 == 2
def test_fault(cuda_context):
    fill(cuda.mem_alloc(4), 64)
    assert 3 == 4
"""
    status, output = project(RACE + code, "--cuda-check=memory,race")
    assert status == 1 and "2 failed in" in output, output
    assert "assert 1 == 2" in output and "race: two threads of a warp access the same byte" in output
    assert "assert 3 == 4" in output and "0 bytes past the end of the 4-byte block" in output


def test_a_test_that_is_skipped_after_a_race_fails(project):
    code = "\ndef test_1(cuda_context):\n    race()\n    pytest.skip('enough')\n"
    status, output = project(RACE + code, "--cuda-check=race")
    assert status == 1 and "1 failed" in output, output


def test_findings_of_a_statement_in_a_test_are_the_statements(project):
    code = """
def test_detects(cuda_context):
    with pycuda.checks("race") as found: race()
    assert [finding.check for finding in found] == ["race"]
def test_does_not_ask(cuda_context):
    with pycuda.checks("sync") as found: race()
    assert found == []
"""
    status, output = project(RACE + code, "--cuda-check=race")
    assert status == 1 and "1 failed, 1 passed" in output, output
    assert "FAILED test_it.py::test_does_not_ask" in output


def test_nothing_is_said_of_a_fault_that_was_expected(project):
    status, output = project("""
        from pycuda import tools
        def test_own():
            cuda.init()
            context = tools.make_default_context()
            fill(cuda.mem_alloc(4), 64)
            with pytest.raises(cuda.Error): context.synchronize()
            context.detach()
        def test_expected(cuda_context):
            fill(cuda.mem_alloc(4), 64)
            with pytest.raises(cuda.Error): cuda_context.synchronize()
        """)
    assert status == 0 and "2 passed" in output, output
    assert "finding" not in output


def test_findings_of_a_test_that_is_to_fail_are_said(project):
    code = """
@pytest.mark.xfail
def test_race(cuda_context): race()
@pytest.mark.xfail
def test_both(cuda_context):
    race()
    assert 1 == 2
"""
    status, output = project(RACE + code, "--cuda-check=race")
    assert status == 0 and "2 xfailed" in output, output
    for name in ("race", "both"):
        assert f"found in test_it.py::test_{name}, which is marked xfail: race: two threads of a warp access" in output


def test_the_first_finding_is_in_the_line_of_the_summary(project):
    status, output = project(RACE + "\ndef test_1(cuda_context): race()\n", "--cuda-check=race", COLUMNS="300")
    assert status == 1
    assert "FAILED test_it.py::test_1 - Failed: race: two threads of a warp access the same byte" in summary_of(output)


def test_workers_name_their_device(project):
    status, output = project("def test_1(cuda_context): pass\ndef test_2(cuda_context): pass\n", "-n2")
    assert status == 0 and output.count("CUDA tests ran on CPU ") == 1, output


ENDLESS = """
def test_endless(cuda_context):
    kernel = SourceModule("__global__ void k(volatile int *a) { while (*a) ; }").get_function("k")
    kernel(cuda.to_device(np.ones(1, np.int32)), block=(32, 1, 1))
    cuda_context.synchronize()
"""


@pytest.mark.parametrize("options", [["--cuda-timeout=1"], ["--timeout=1", "--timeout-method=signal"]])
def test_an_endless_kernel_ends_by_a_limit(project, options):
    status, output = project(ENDLESS, *options)
    assert status == 1 and "1 failed" in output, output
    assert "PYCUDA_CPU_TIMEOUT" in output or "Timeout (>1.0s)" in output


@pytest.mark.parametrize(
    ("options", "settings", "expected"),
    [
        ([], {}, "600"),
        ([], {"PYCUDA_CPU_TIMEOUT": "7"}, "7"),
        (["--cuda-timeout=0"], {"PYCUDA_CPU_TIMEOUT": "7"}, "0"),
        (["--timeout=20"], {}, "20.0"),
        ([], {"PYTEST_TIMEOUT": "30"}, "30.0"),
    ],
)
def test_kernels_have_the_limit_of_tests(project, options, settings, expected):
    code = f"import os\ndef test_1(): assert os.environ['PYCUDA_CPU_TIMEOUT'] == '{expected}'\n"
    status, output = project(code, *options, **settings)
    assert status == 0, output


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PYCUDA_CPU_ARCH", "120"),
        ("PYCUDA_CPU_TIMEOUT", "1m"),
        ("PYCUDA_CPU_CHECK", "nonsense"),
        ("PYCUDA_CPU_THREADS", "many"),
        ("PYCUDA_CPU_MEMORY", "4 GB"),
    ],
)
def test_a_variable_without_effect_is_a_usage_error(project, variable, value):
    status, output = project("def test_1(): pass\n", **{variable: value})
    assert status == 4, output
    assert f"ERROR: {variable}={value}: it may be " in output


def test_the_claimed_capability_is_named(project):
    status, output = project("def test_1(cuda_context): pass\n", PYCUDA_CPU_ARCH="sm_90a")
    assert status == 0 and ", compute capability 9.0, memory accesses checked" in output, output


@pytest.mark.parametrize("option", ["--cuda-check=", "--cuda-timeout=1m", "--cuda-timeout=-1"])
def test_an_option_without_a_meaning_is_refused(project, option):
    status, output = project("def test_1(): pass\n", option)
    assert status == 4 and "error: argument --cuda-" in output, output


def test_setup_methods_are_told_how_to_get_a_context(project):
    status, output = project("""
        @pytest.mark.usefixtures("cuda_context")
        class TestIt:
            def setup_method(self): cuda.mem_alloc(4)
            def test_1(self): pass
        """)
    assert status == 1 and "make it a fixture that takes the context" in output, output


def test_the_original_in_the_same_place_is_named(tmp_path):
    def link(file, copy):
        os.symlink(os.path.realpath(file), copy)

    copied = shutil.copytree(PACKAGES / "pycuda", tmp_path / "packages" / "pycuda", copy_function=link)
    (copied / "_pvt_struct.cpython-311-x86_64-linux-gnu.so").touch()
    project = tmp_path / "project"  # beside the package, whose examples have tests of their own
    project.mkdir()
    code = "def test_1(cuda_context): pass\n"
    status, output = run_project(project, code, PYCUDA_DRIVER="cpu", PYTHONPATH=str(copied.parent))
    assert status == 1, output
    assert output.count("pip uninstall -y pycuda-anywhere && pip uninstall -y pycuda && pip install") >= 2
