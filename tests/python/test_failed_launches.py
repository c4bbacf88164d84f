# SPDX-License-Identifier: MIT
"""A launch that fails within `pycuda.checks` or `pycuda.profile` and that nobody waits for: nothing passes over it."""

import json
import os
import pathlib
import subprocess
import sys

import pycuda
import pytest
from programs import run_program
from pycuda.compiler import SourceModule

SOURCE = """
#include <cassert>
__global__ void fine(int *a) { a[threadIdx.x] = threadIdx.x; }
__global__ void traps(int *a) { if (threadIdx.x == 3) __trap(); a[threadIdx.x] = 1; }
__global__ void asserts(int *a) { assert(a[threadIdx.x] == 7); }
__global__ void strays(int *a) { a[threadIdx.x + 1000000000] = 1; }
__global__ void meets_and_traps(int *a) { a[0] = threadIdx.x; if (threadIdx.x == 31) __trap(); }
"""
needs_cpu_driver = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)

FAULTS = {"traps": "trap instruction", "asserts": "device-side assert", "strays": "illegal memory access"}


@pytest.fixture
def launch(cpu_context, driver):
    module = SourceModule(SOURCE)
    a = driver.mem_alloc(128)
    driver.memset_d32(a, 0, 32)

    def launch(name):
        module.get_function(name)(a, block=(32, 1, 1))

    return launch


@pytest.mark.parametrize("kernel", FAULTS)
def test_the_end_of_a_statement_raises_what_its_list_lacks(launch, driver, kernel):
    with pytest.raises(driver.Error, match=FAULTS[kernel]), pycuda.checks("sync") as found:
        launch(kernel)
    assert found == [] and pycuda._checks._open == []


def test_what_a_check_finds_is_in_the_list_alone(launch, driver):
    with pycuda.checks("memory", "sync") as found:
        launch("strays")
    (finding,) = found
    assert finding.check == "memory" and finding.ended_launch
    with pytest.raises(driver.Error, match="illegal memory access"):
        launch("fine")


def test_a_failed_launch_costs_no_finding(launch, driver):
    with pytest.raises(driver.Error, match="trap instruction"), pycuda.checks("race") as found:
        launch("meets_and_traps")
    assert [finding.check for finding in found] == ["race"]


def test_the_error_of_a_statement_itself_goes_on(launch):
    with pytest.raises(KeyError), pycuda.checks("sync"):
        launch("traps")
        raise KeyError
    with pytest.raises(KeyError), pycuda.profile():
        raise KeyError


def test_a_launch_that_had_failed_before_is_not_the_statements(launch, driver):
    launch("traps")
    entered = False
    with pytest.raises(driver.Error, match="trap instruction"), pycuda.checks("sync"):
        entered = True
    assert not entered and pycuda._checks._open == []


@pytest.mark.parametrize("kernel", FAULTS)
def test_a_decorated_function_raises_what_a_check_finds_too(launch, driver, kernel):
    @pycuda.checks("memory")
    def checked():
        launch(kernel)

    with pytest.raises(driver.Error, match=FAULTS[kernel]):
        checked()


@pytest.mark.parametrize("kernel", FAULTS)
def test_a_profile_raises_the_error_of_a_launch(launch, driver, kernel):
    with pytest.raises(driver.Error, match=FAULTS[kernel]), pycuda.profile() as profile:
        launch("fine")
        launch(kernel)
    assert not pycuda._profile.is_recording()
    assert "fine" in [one.name for one in profile.work]


def test_a_kernel_that_the_time_limit_ends_is_no_clean_one():
    program = """
    import pycuda, pycuda.autoinit, pycuda.driver as cuda
    from pycuda.compiler import SourceModule
    hang = SourceModule("__global__ void hang(volatile int *a) { while (a[0] == 0); }").get_function("hang")
    a = cuda.mem_alloc(4)
    cuda.memset_d32(a, 0, 1)
    try:
        with pycuda.checks("memory", "race", "sync") as found:
            hang(a, block=(32, 1, 1))
    except cuda.Error as error:
        print(found, "time limit" in str(error))
    """
    output, _ = run_program(program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_TIMEOUT="0.5")
    assert output.strip() == "[] True"


PROGRAM = f"""
import sys
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('{{}}'.format('''{SOURCE}
__global__ void waits(int *a) {{ if (threadIdx.x < 32) while (((volatile int *)a)[0] == 0); }}
__global__ void locks(int *a) {{ if (threadIdx.x < 32) asm volatile("bar.sync 0;"); else asm volatile("bar.sync 1;"); }}
'''))
a = cuda.mem_alloc(256)
cuda.memset_d32(a, 0, 64)
module.get_function(sys.argv[1])(a, block=(64, 1, 1))
"""


def _run(tmp_path, options, kernel, ending=""):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM + ending)
    command = [sys.executable, "-m", "pycuda", "run", *options, "program.py", kernel]
    environment = {**os.environ, **({"PYCUDA_CPU_TIMEOUT": "0.5"} if kernel == "waits" else {})}
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)


@needs_cpu_driver
@pytest.mark.parametrize(
    ("kernel", "found"),
    [
        ("traps", ["launch"]),
        ("asserts", ["launch"]),
        ("waits", ["launch"]),
        ("locks", ["sync"]),
        ("strays", ["memory"]),
    ],
)
def test_run_lists_a_failed_launch_once(tmp_path, kernel, found):
    ended = _run(tmp_path, ["--check=memory,sync", "--check-report=found.json"], kernel)
    assert ended.returncode == 9, ended.stderr
    assert "found nothing" not in ended.stderr
    assert ended.stderr.count("1 launch failed") == found.count("launch")
    listed = json.loads((tmp_path / "found.json").read_text())
    assert [one["check"] for one in listed if one["ended_launch"]] == found
    (failed,) = (one for one in listed if one["ended_launch"])
    assert failed["kernel"] == kernel and failed["message"]


@needs_cpu_driver
@pytest.mark.parametrize("options", [["--counters=table.csv"], ["--report=page.html"], ["--check=race"]])
def test_the_status_tells_of_a_failed_launch(tmp_path, options):
    assert _run(tmp_path, options, "fine").returncode == 0
    assert _run(tmp_path, options, "traps").returncode == 9
    assert _run(tmp_path, options, "traps", "raise SystemExit(4)").returncode == 4
    assert _run(tmp_path, options, "traps", "cuda.Context.synchronize()").returncode == 1


@needs_cpu_driver
def test_a_page_without_checks_says_so(tmp_path):
    _run(tmp_path, ["--report=page.html"], "fine")
    assert "Not checked: run the program with --check=all, too." in (tmp_path / "page.html").read_text()
    _run(tmp_path, ["--report=page.html", "--check=race"], "fine")
    assert "Not checked" not in (tmp_path / "page.html").read_text()


@needs_cpu_driver
def test_an_access_that_is_listed_hides_no_later_failure():
    program = """
    import pycuda, pycuda.autoinit, pycuda.driver as cuda, pycuda.tools
    from pycuda.compiler import SourceModule
    source = '''
    __global__ void strays(int *a) { a[1 << 20] = 1; }
    __global__ void traps(int *a) { __trap(); }
    '''
    try:
        with pycuda.checks("memory") as found:
            SourceModule(source).get_function("strays")(cuda.mem_alloc(4), block=(1, 1, 1))
            try:
                cuda.Context.synchronize()
            except cuda.Error:
                pycuda.tools.reset_context()
            SourceModule(source).get_function("traps")(cuda.mem_alloc(4), block=(1, 1, 1))
    except cuda.Error as error:
        print([one.kernel for one in found], "traps" in str(error))
    """
    output, _ = run_program(program, PYCUDA_DRIVER="cpu")
    assert output.strip() == "['strays'] True"
