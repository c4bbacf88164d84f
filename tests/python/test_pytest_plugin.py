# SPDX-License-Identifier: MIT
"""The pytest plug-in, seen from projects that use it: each test runs pytest in a process of its own."""

import functools
import pathlib
import shutil

import pytest
from plugin_projects import run_project
from programs import has_cpu_driver, run_program
from pycuda._driver import _rtc

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "testing_project"


@pytest.fixture
def project(tmp_path, driver):
    """Writes a test file, runs pytest on it with the plug-in, and returns the exit status and what it printed."""
    return functools.partial(run_project, tmp_path)


@pytest.fixture
def cpu_driver(driver):
    """Skips the test where the CPU driver was not built."""
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver")


def test_the_example_project_passes(project, tmp_path):
    folder = shutil.copytree(EXAMPLE, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__"))
    status, output = run_project(folder, None)
    assert status == 0, output
    assert "CUDA tests ran on " in output
    on_gpu = _rtc.driver_origin()["kind"] == "NVIDIA"
    assert ("9 passed" if on_gpu else "8 passed, 1 skipped") in output
    assert on_gpu or "needs an NVIDIA GPU" in output


def test_each_test_has_a_context_of_its_own(project):
    status, output = project("""
        seen = []
        def test_1(cuda_context): seen.append(cuda_context)
        def test_2(cuda_context):
            assert cuda.Context.get_current() == cuda_context != seen[0]
        def test_3(): assert cuda.Context.get_current() is None
        """)
    assert status == 0 and "3 passed" in output, output


def test_contexts_that_a_test_leaves_behind_are_popped(project):
    status, output = project("""
        def test_1(cuda_context):
            cuda.Device(0).make_context()
            cuda_context.push()
        def test_2(cuda_context):
            cuda_context.pop()
            cuda_context.detach()
        def test_3(): assert cuda.Context.get_current() is None
        """)
    assert status == 0 and "3 passed" in output, output


def test_accesses_out_of_bounds_fail_the_test_even_if_it_does_not_wait(project, cpu_driver):
    code = """
        def test_bad(cuda_context): fill(cuda.mem_alloc(40), 64)
        def test_good(cuda_context): fill(cuda.mem_alloc(40), 10)
        """
    status, output = project(code, "--cuda-device=cpu")
    assert status == 1, output
    assert "FAILED test_it.py::test_bad" in output and "0 bytes past the end of the 40-byte block" in output
    assert "1 failed, 1 passed in" in output and "memory accesses checked" in output


def test_a_fault_that_a_test_looks_for_is_no_error(project, cpu_driver):
    code = """
        def test_waits(cuda_context):
            fill(0, 64)
            with pytest.raises(cuda.LogicError): cuda.Context.synchronize()
        def test_copies(cuda_context):
            fill(0, 64)
            with pytest.raises(cuda.Error): cuda.memcpy_dtoh(np.empty(1, np.int32), cuda.mem_alloc(4))
        def test_next_one_does_not_look(cuda_context): fill(0, 64)
        """
    status, output = project(code, "--cuda-device=cpu")
    assert status == 1 and "1 failed, 2 passed in" in output, output
    assert "FAILED test_it.py::test_next_one_does_not_look" in output and "a kernel failed after the test" in output


def test_a_capture_that_is_left_open_is_called_so(project):
    status, output = project("""
        kept = []
        def test_captures(cuda_context):
            kept.append(cuda.Stream())
            kept[0].begin_capture()
        """)
    assert status == 1 and "1 passed, 1 error" in output, output
    assert "the test left a capture open: " in output and "kernel failed" not in output


def test_checks_can_be_switched_off(project, cpu_driver):
    code = """
        import os
        def test_setting(cuda_context): assert os.environ["PYCUDA_CPU_CHECK"] == EXPECTED
        """
    cases = ((["--no-cuda-check"], {}, "0"), ([], {"PYCUDA_CPU_CHECK": "0"}, "0"))
    cases += (([], {}, "1"), (["--cuda-check"], {"PYCUDA_CPU_CHECK": "0"}, "1"))
    for options, environment, expected in cases:
        status, output = project(code.replace("EXPECTED", repr(expected)), "--cuda-device=cpu", *options, **environment)
        assert status == 0, output
        assert ("memory accesses checked" in output) == (expected == "1"), output


LEAK = """
    kept = []
    def test_leaks(cuda_context): kept.append(cuda.mem_alloc(100 << 20))
    def test_does_not(cuda_context): fill(cuda.mem_alloc(100 << 20), 10)
    """


def test_errors_of_contexts_come_with_advice_for_tests(project):
    status, output = project(
        """
        kept = []
        def test_without(): cuda.mem_alloc(4)
        def test_first(cuda_context): kept.append(SourceModule("__global__ void k() {}").get_function("k"))
        def test_second(cuda_context): kept[0](block=(1, 1, 1))
        """,
        "--cuda-leaks=ignore",
    )
    assert status == 1 and "2 failed, 1 passed" in output, output
    assert "the test has no context: take the fixture cuda_context as an argument" in output
    assert "keep kernels, arrays and streams between tests by pycuda.tools.context_dependent_memoize" in output


def test_memory_that_outlives_a_test_is_reported(project):
    status, output = project(LEAK)
    assert status == 0 and "2 passed, 1 warning" in output, output
    assert "test_leaks: 104857600 bytes of device memory are still allocated" in output
    status, output = project(LEAK, "--cuda-leaks=error")
    assert status == 1 and "2 passed, 1 error" in output and "ERROR test_it.py::test_leaks" in output, output
    status, output = project(LEAK, "--cuda-leaks=ignore")
    assert status == 0 and "warning" not in output, output


def test_what_holds_leaked_memory_is_named(project):
    code = """
        from pycuda import gpuarray
        class Cache:
            def __init__(self): self.arrays = {}
        cache = Cache()
        @pytest.fixture(scope="session")
        def tables(): return []
        def test_cache(cuda_context): cache.arrays["a"] = gpuarray.zeros((1024, 1024), np.float32)
        def test_again(cuda_context): cache.arrays["b"] = gpuarray.zeros(1 << 20, np.float64)
        def test_fixture(cuda_context, tables): tables.append(cuda.mem_alloc(1 << 20))
        def test_hidden(cuda_context): cuda.hidden = cuda.mem_alloc(1 << 20)
        """
    status, output = project(code)
    assert status == 0, output
    held = "test_{}: {} bytes of device memory are still allocated after the test: {}"
    first = "held by test_it.cache.arrays['a'], a GPUArray of shape (1024, 1024) and dtype float32\n"
    assert held.format("cache", 4 << 20, first) in output, output
    second = "held by test_it.cache.arrays['b'], a GPUArray of shape (1048576,) and dtype float64\n"
    assert held.format("again", 8 << 20, second) in output, output
    assert held.format("fixture", 1 << 20, "held by the fixture tables[0], a DeviceAllocation\n") in output, output
    assert held.format("hidden", 1 << 20, "something that outlives it refers to an allocation") in output, output


def test_variables_of_a_failed_test_are_no_leak(project):
    status, output = project(
        """
        def test_fails(cuda_context):
            a = cuda.mem_alloc(100 << 20)
            assert a is None
        """,
        "--cuda-leaks=error",
    )
    assert status == 1 and "1 failed in" in output, output


def test_memory_that_arrays_keep_for_later_is_no_leak(project):
    code = """
        from pycuda import gpuarray
        kept = []
        def test_1(cuda_context): assert (2 * gpuarray.arange(1000, dtype=np.float32)).get()[7] == 14
        def test_2(cuda_context): kept.append(gpuarray.empty(32 << 20, np.float32))
        """
    status, output = project(code, "--cuda-leaks=error")
    assert status == 1 and "ERROR test_it.py::test_2" in output and "test_1" not in output, output
    assert "bytes of device memory are still allocated" in output


def test_a_device_that_is_not_there_is_no_reason_to_skip(project):
    code = """
        @pytest.mark.gpu
        def test_1(cuda_context): pass
        """
    status, output = project(code, "--cuda-device=gpu", CUDA_VISIBLE_DEVICES="")
    assert status == 1 and "skipped" not in output, output
    # Without NVIDIA's library no driver can be loaded; with it, there is no device to make a context on.
    assert "--cuda-device=gpu: " in output or "no CUDA context: " in output


def test_a_driver_that_was_loaded_before_is_named(tmp_path, cpu_driver):
    (tmp_path / "test_it.py").write_text("def test_1(cuda_context): pass")
    output, _ = run_program(
        """
        import pycuda.driver, pytest, sys
        pycuda.driver.init()
        options = ["-p", "pycuda.pytest_plugin", "-p", "no:cacheprovider", "--cuda-device=gpu"]
        sys.exit(pytest.main([*options, sys.argv[1]]))
        """,
        expect=1,
        arguments=[str(tmp_path)],
        PYCUDA_DRIVER="cpu",
    )
    assert "--cuda-device=gpu, but the CPU driver was loaded before pytest read its options" in output


def test_tests_without_cuda_load_no_driver(project):
    status, output = project("""
        def test_1():
            with open("/proc/self/maps") as maps:
                assert "libcuda" not in maps.read()
        """)
    assert status == 0 and "CUDA tests" not in output, output


RACE = """
REVERSE = '''
__global__ void reverse(int *a)
{
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  %s
  a[threadIdx.x] = s[63 - threadIdx.x];
}
'''

def run(line):
    kernel = SourceModule(REVERSE % line).get_function("reverse")
    kernel(cuda.InOut(np.zeros(64, np.int32)), block=(64, 1, 1))

def test_race(cuda_context): run("")
def test_right(cuda_context): run("__syncthreads();")
def test_without_cuda(): pass
"""


def test_findings_of_chosen_checks_fail_the_test(project, cpu_driver):
    status, output = project(RACE, "--cuda-device=cpu", "--cuda-check=race,sync")
    assert status == 1
    assert "1 failed, 2 passed" in output
    assert "FAILED test_it.py::test_race" in output
    assert "race: two threads access the same byte of shared memory" in output
    assert "s[threadIdx.x] = a[threadIdx.x];" in output
    assert "checked for: race, sync" in output


def test_findings_are_not_looked_for_unless_they_are_chosen(project, cpu_driver):
    status, output = project(RACE, "--cuda-device=cpu")
    assert (status, "3 passed" in output) == (0, True), output


OVERRUN = """
def overrun():
    memory = cuda.mem_alloc(40)
    fill(memory, 11)
    return memory

def test_nobody_waits(cuda_context): overrun()
def test_expected(cuda_context):
    overrun()
    with pytest.raises(cuda.LogicError): cuda.Context.synchronize()
"""


@pytest.mark.parametrize("checks", ["memory", "memory,race", "memory,sync", "all"])
def test_a_fault_that_a_test_does_not_wait_for_is_reported_with_all_checks(project, cpu_driver, checks):
    status, output = project(OVERRUN, "--cuda-device=cpu", f"--cuda-check={checks}")
    assert status == 1
    assert "a kernel failed after the test: " in output
    assert "0 bytes past the end of the 40-byte block" in output
    summary = output.partition("short test summary info")[2]
    assert "::test_nobody_waits" in summary and "::test_expected" not in summary


def test_an_unknown_check_is_refused(project):
    status, output = project(RACE, "--cuda-check=races")
    assert status == 4
    assert "there is no check 'races'" in output


def test_calls_that_are_refused_show_the_test_and_not_the_package(project):
    code = """
        from pycuda import gpuarray
        def test_source(cuda_context): SourceModule("__global__ void f(float *a) { a[0] = 1 }")
        def test_argument(cuda_context): gpuarray.sum(np.zeros(3))
        def test_launch(cuda_context): fill(cuda.mem_alloc(4), 4096)
        def test_bug(cuda_context, monkeypatch):
            monkeypatch.setattr(gpuarray.GPUArray, "size", property(lambda self: {}["no size"]))
            gpuarray.dot(gpuarray.zeros(3, "f4"), gpuarray.zeros(3, "f4")).get() and len(gpuarray.zeros(3, "f4").size)
        """
    status, output = project(code)
    assert status == 1 and "4 failed" in output, output
    for text in ('error: expected a ";"', "gpuarray.sum takes an array on the device", "4096 threads per block"):
        before, _, after = output.partition(f"{text}")
        assert after, output
    shown = output.partition("____ test_bug ____")[0]
    assert "pycuda/compiler.py" not in shown and "pycuda/_arrays" not in shown, shown
    assert "pycuda/compiler.py" in project(code, "--full-trace")[1]


def test_a_leak_is_as_large_as_what_the_test_has_allocated(project):
    output = project("kept = []\ndef test_it(cuda_context): kept.append(cuda.mem_alloc(100))")[1]
    assert ": 100 bytes of device memory are still allocated" in output, output
