# SPDX-License-Identifier: MIT
"""`pycuda.checks`, `PYCUDA_CPU_CHECK` and `python -m pycuda run --check`: who is told what was found, and how."""

import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pycuda
import pytest
from programs import run_program
from pycuda._checks import _file_and_line
from pycuda.compiler import SourceModule

needs_cpu_driver = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)

SOURCE = """
__global__ void reverse(int *a)
{
  __shared__ int s[64];
  s[threadIdx.x] = a[threadIdx.x];
  a[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void early(int *a, int n)
{
  if (threadIdx.x >= n) return;
  __syncthreads();
  a[threadIdx.x] = n;
}
"""

PROGRAM = f"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('''{SOURCE}''')
module.get_function("reverse")(cuda.InOut(np.zeros(64, np.int32)), block=(64, 1, 1))
module.get_function("early")(cuda.InOut(np.zeros(64, np.int32)), np.int32(40), block=(64, 1, 1))
print("done")
"""


@pytest.fixture
def kernels(context, driver):
    """The kernels of SOURCE, compiled and launched before anything is checked."""
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    module = SourceModule(SOURCE)
    reverse, early = module.get_function("reverse"), module.get_function("early")

    def run():
        reverse(driver.InOut(np.zeros(64, np.int32)), block=(64, 1, 1))
        early(driver.InOut(np.zeros(64, np.int32)), np.int32(40), block=(64, 1, 1))

    run()
    return run


def test_findings_are_objects(kernels):
    with pycuda.checks("race") as found:
        assert found == []
        kernels()
        kernels()
    assert len(found) == 1
    finding = found[0]
    assert (finding.check, finding.kernel) == ("race", "reverse")
    assert finding.source == "s[threadIdx.x] = a[threadIdx.x];"
    assert finding.other.source == "a[threadIdx.x] = s[63 - threadIdx.x];"
    assert finding.other.line == finding.line + 1
    assert finding.file == finding.other.file
    assert finding.file.endswith("test_checks.py")
    assert finding.place == f"{finding.file}:{finding.line}"
    assert finding.access == "write of 4 bytes"
    assert finding.other.access == "read of 4 bytes"
    assert sum(finding.thread) + sum(finding.other.thread) == 63
    assert finding.block == finding.other.block == (0, 0, 0)
    assert "64" in finding.message or "'reverse::s'" in finding.message
    assert "race: two threads access the same byte of shared memory" in repr(finding)


def test_the_file_of_a_source_that_is_put_together_is_the_one_that_passes_it(kernels, driver):
    source = SOURCE.replace("reverse", "turned")
    line = sys._getframe().f_lineno + 1
    turned = SourceModule(source).get_function("turned")
    with pycuda.checks("race") as found:
        turned(driver.InOut(np.zeros(64, np.int32)), block=(64, 1, 1))
    (finding,) = found
    assert finding.file == finding.other.file and finding.file.endswith("test_checks.py")
    assert finding.line == finding.other.line == line
    assert finding.place == f"line 5 of the source passed at {finding.file}:{line}"
    assert finding.source == "s[threadIdx.x] = a[threadIdx.x];"


@pytest.mark.parametrize(
    "place, found",
    [
        ("program.py:12", None),
        ("line 4 of the source passed at program.py:7", ("program.py", 7)),
        ("line 4 of the source passed at line 2 of cell In[3]", ("cell In[3]", 2)),
        ("a line of ElementwiseKernel 'k' made at program.py:9", ("program.py", 9)),
        ("a line of ElementwiseKernel 'k'", ("", 0)),
        ("line 3 of the cell", ("the cell", 3)),
        ("line 4 of the source", ("", 4)),
    ],
)
def test_places_in_words_name_a_file_and_a_line(place, found):
    assert _file_and_line(place) == found


def test_each_statement_has_its_own_findings(kernels):
    with pycuda.checks("race") as races:
        kernels()
        with pycuda.checks("sync") as inner:
            kernels()
        kernels()
    with pycuda.checks("race", "sync") as both:
        kernels()
    with pycuda.checks("0") as none:
        kernels()
    assert [finding.check for finding in races] == ["race"] * 3  # in the inner statement, too
    assert [finding.check for finding in inner] == ["sync"]
    assert sorted(finding.check for finding in both) == ["race", "sync"]
    assert none == []


def test_statements_of_threads_end_in_any_order(kernels):
    first, second = pycuda.checks("race"), pycuda.checks("race")
    found = first.__enter__()
    later = second.__enter__()
    first.__exit__(None, None, None)
    kernels()
    second.__exit__(None, None, None)
    assert found == [] and len(later) == 1


def test_a_statement_has_an_object_of_its_own(kernels):
    checks = pycuda.checks("race")
    with checks:
        pass
    with pytest.raises(RuntimeError, match="make a new one"), checks:
        pass


def test_a_function_may_be_checked_by_a_decorator(kernels):
    calls = []

    @pycuda.checks("race")
    def checked():
        kernels()
        with pycuda.checks("race") as found:  # of the innermost statement
            pass
        calls.append((len(pycuda._checks._open), found))

    checked()
    checked()
    assert calls == [(1, []), (1, [])] and pycuda._checks._open == []


def test_an_error_in_the_statement_is_the_programs_own(kernels):
    with pytest.raises(KeyError), pycuda.checks("race") as found:
        kernels()
        raise KeyError
    assert len(found) == 1


@pytest.mark.parametrize("names", [("races",), ("race", "nothing"), ("",)])
def test_an_unknown_check_names_the_checks(cpu_context, names):
    with pytest.raises(ValueError, match="the checks are memory, init, race, sync and all"), pycuda.checks(*names):
        pass


@pytest.mark.parametrize("names", [(), (3,), (None,)])
def test_names_of_checks_are_strings(names):
    with pytest.raises(TypeError, match="names of checks"), pycuda.checks(*names):
        pass


def test_another_driver_names_compute_sanitizer(fake_driver):
    program = """
    import pycuda, pycuda.driver as cuda
    cuda.init()
    try:
        with pycuda.checks("race"):
            pass
    except cuda.Error as error:
        print(error)
    """
    output, _ = run_program(program, PYCUDA_DRIVER=fake_driver)
    assert "only the CPU driver checks kernels" in output
    assert "compute-sanitizer" in output


@needs_cpu_driver
def test_the_variable_prints_findings_and_a_summary():
    output, errors = run_program(PROGRAM, PYCUDA_CPU_CHECK="race,sync", PYCUDA_DRIVER="cpu")
    assert output == "done\n"
    assert errors.count("pycuda: race: ") == errors.count("pycuda: sync: ") == 1
    assert "in kernel reverse, block (0, 0, 0), thread (" in errors
    assert "    s[threadIdx.x] = a[threadIdx.x];\n  the other: block (0, 0, 0), thread (" in errors
    assert "24 threads exited without reaching a barrier that the others of the block wait at" in errors
    assert errors.endswith("pycuda: 2 findings (PYCUDA_CPU_CHECK)\n")


@needs_cpu_driver
@pytest.mark.parametrize("value", ["", "0", "1", "memory"])
def test_checks_that_are_not_chosen_say_nothing(value):
    assert run_program(PROGRAM, PYCUDA_CPU_CHECK=value, PYCUDA_DRIVER="cpu") == ("done\n", "")


@needs_cpu_driver
def test_each_kernel_that_cannot_be_checked_while_the_program_runs_is_told_of_once():
    _, log = run_program(
        """
        import numpy as np
        import pycuda
        import pycuda.autoinit
        from pycuda import gpuarray
        from pycuda.compiler import SourceModule

        source = (
            "typedef void (*function)(int *);"
            "__device__ void one(int *a) { a[0] = FIRST; } __device__ void two(int *a) { a[0] = 2; }"
            "__device__ function table[2] = {one, two};"
            "__global__ void k(int *a, int i) { table[i](a); }"
        )
        a = gpuarray.zeros(1, np.int32)
        for first in ("1", "3"):
            k = SourceModule(source.replace("FIRST", first)).get_function("k")
            with pycuda.checks("memory"):
                for _ in range(2):
                    k(a, np.int32(0), block=(1, 1, 1))
        """,
        PYCUDA_DRIVER="cpu",
    )
    assert log.count("kernel 'k' calls functions by their addresses and is not checked") == 2


@needs_cpu_driver
def test_an_unknown_name_in_the_variable_is_told_once():
    output, errors = run_program(PROGRAM, PYCUDA_CPU_CHECK="race,speed", PYCUDA_DRIVER="cpu")
    assert output == "done\n"
    assert errors.count("PYCUDA_CPU_CHECK=race,speed is not understood") == errors.count("\n") == 1
    assert "memory, init, race, sync" in errors


def _run(*options, program):
    command = [sys.executable, "-m", "pycuda", "run", *map(str, options), "-c", program]
    return subprocess.run(command, capture_output=True, text=True)


@needs_cpu_driver
def test_run_reports_findings_by_its_status_and_as_json(tmp_path):
    report = tmp_path / "report.json"
    ended = _run("--check=race,sync", f"--check-report={report}", program=PROGRAM)
    assert (ended.returncode, ended.stdout) == (9, "done\n")
    findings = json.loads(report.read_text())
    assert sorted(finding["check"] for finding in findings) == ["race", "sync"]
    race = next(finding for finding in findings if finding["check"] == "race")
    assert {"kernel", "file", "line", "thread", "block", "access", "message", "other"} <= set(race)


PASSED_AS_TEXT = f"""
import numpy as np
import pycuda
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

source = {SOURCE!r}
reverse = SourceModule(source.replace("reverse", "turned")).get_function("turned")
with pycuda.checks("race") as found:
    reverse(cuda.InOut(np.zeros(64, np.int32)), block=(64, 1, 1))
for one in (found[0], found[0].other):
    print([one.file, one.line, one.place, one.source])
"""


@needs_cpu_driver
@pytest.mark.parametrize("page", [(), ("--report=page.html",)])
def test_the_places_of_json_findings_are_those_of_the_objects(tmp_path, page):
    (tmp_path / "program.py").write_text(PASSED_AS_TEXT)
    command = [sys.executable, "-m", "pycuda", "run", "--check=race", "--check-report=found.json", *page, "program.py"]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 9, ended.stderr
    (race,) = json.loads((tmp_path / "found.json").read_text())
    told = [[one["file"], one["line"], one["place"], one["source"]] for one in (race, race["other"])]
    assert [str(place) for place in told] == ended.stdout.splitlines()
    assert [place[:3] for place in told] == [
        ["program.py", 9, f"line {line} of the source passed at program.py:9"] for line in (5, 6)
    ]


@needs_cpu_driver
def test_run_keeps_the_programs_own_status(tmp_path):
    report = tmp_path / "report.json"
    assert _run("--check=race", program=PROGRAM + "raise SystemExit(5)").returncode == 5
    ended = _run("--check=race", f"--check-report={report}", program="print('clean')")
    assert (ended.returncode, ended.stdout, json.loads(report.read_text())) == (0, "clean\n", [])
    assert "the checks found nothing" in ended.stderr
    assert _run("--check=race", program="import os; os.kill(os.getpid(), 9)").returncode == 137


@needs_cpu_driver
@pytest.mark.parametrize(("number", "name"), [(11, "SIGSEGV"), (9, "SIGKILL")])
def test_run_says_that_a_signal_ended_the_program(number, name):
    ended = _run("--check=race,sync", program=f"import os; os.kill(os.getpid(), {number})")
    said = f"pycuda: the program was ended by signal {number} ({name}); the checks (race,sync) found nothing before"
    assert said in ended.stderr and "the checks found nothing\n" not in ended.stderr
    ended = _run("--check=race", program=PROGRAM + f"import os; os.kill(os.getpid(), {number})")
    assert "the checks (race) found 1 place before, and may be incomplete" in ended.stderr


@needs_cpu_driver
def test_run_refuses_an_empty_list_of_checks():
    ended = _run("--check=", program="print('ran')")
    assert ended.returncode == 2 and "there is no check ''" in ended.stderr


@needs_cpu_driver
@pytest.mark.parametrize("option", ["--report", "--counters", "--check-report"])
def test_a_forgotten_file_name_costs_no_program(tmp_path, option):
    program, other = tmp_path / "program.py", tmp_path / "other.py"
    program.write_text("print(1)")
    other.write_text("print(2)")
    command = [sys.executable, "-m", "pycuda", "run", "--check"] if option == "--check-report" else None
    command = (command or [sys.executable, "-m", "pycuda", "run"]) + [option, str(program)]
    taken = f"no program is given: {option} takes {program} as its value"
    for rest, words in (([], taken), ([str(other)], "it is not overwritten")):
        ended = subprocess.run([*command, *rest], capture_output=True, text=True)
        assert ended.returncode == 2
        assert words in ended.stderr
        assert program.read_text() == "print(1)"


@needs_cpu_driver
def test_a_report_outlives_a_program_that_is_not_there(tmp_path):
    report = tmp_path / "report.html"
    report.write_text("an older one")
    command = [sys.executable, "-m", "pycuda", "run", f"--report={report}", str(tmp_path / "missing.py")]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2
    assert "there is no program" in ended.stderr
    assert report.read_text() == "an older one"


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--memory=4X", "'4X' is not a number of bytes"),
        ("--memory=0", "'0' is not a number of bytes"),
        ("--devices=99", "'99' is not a whole number from 1 to 64"),
        ("--threads=0", "'0' is not a whole number from 1 to 1024"),
    ],
)
def test_run_refuses_settings_that_the_driver_does_not_take(option, words):
    ended = _run(option, program="print(1)")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--check=races"], "there is no check 'races'"),
        (["--chek=race"], "there is no option --chek=race; did you mean --check?"),
        (["--check-report=x.json"], "--check-report needs --check"),
        (["--check", "--check-report="], "--check-report: the file's name is empty: a variable of the shell may"),
        (["--report="], "--report: the file's name is empty"),
        (["--counters", ""], "--counters: the file's name is empty"),
        pytest.param(
            ["--check", "--check-report=/nowhere/x.json"], "No such file or directory", marks=needs_cpu_driver
        ),
    ],
)
def test_run_refuses_what_it_cannot_do(options, words):
    ended = _run(*options, program="print(1)")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr


def test_the_textbook_scan_in_place_is_a_race(cpu_context, driver):
    module = SourceModule("""
    __global__ void scan(double *a)
    {
        __shared__ double s[1024];
        int t = threadIdx.x;
        s[t] = a[t];
        for (int d = 1; d < 1024; d *= 2) { __syncthreads(); if (t >= d) s[t] = s[t] + s[t - d]; }
        __syncthreads();
        a[t] = s[t];
    }
    """)
    with pycuda.checks("race") as found:
        module.get_function("scan")(driver.InOut(np.ones(1024)), block=(1024, 1, 1))
    assert [(finding.kernel, finding.line == finding.other.line) for finding in found] == [("scan", True)]


SUM = """
__global__ void sum(float *to, const float *from) { to[threadIdx.x] += from[threadIdx.x]; }
"""


def _sum(driver, fill):
    """The findings of a sum over an array that `fill` prepares."""
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    function = SourceModule(SUM).get_function("sum")
    with pycuda.checks("init") as found:
        array = driver.mem_alloc(256)
        fill(array)
        function(driver.InOut(np.zeros(64, np.float32)), array, block=(64, 1, 1))
    return found


def test_what_the_host_writes_is_written(context, driver):
    assert _sum(driver, lambda array: driver.memset_d32(array, 0, 64)) == []
    assert _sum(driver, lambda array: driver.memcpy_htod(array, np.zeros(64, np.float32))) == []


def test_an_array_written_in_part_is_found_at_the_first_byte_that_is_not(context, driver):
    found = _sum(driver, lambda array: driver.memset_d32(array, 0, 40))
    assert [(finding.check, finding.thread) for finding in found] == [("init", (40, 0, 0))]
    assert "160 bytes into the 256-byte block of device memory" in found[0].message
    assert found[0].access == "read of 4 bytes"


def test_a_copy_of_unwritten_memory_is_unwritten(context, driver):
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    with pycuda.checks("init"):
        source = driver.mem_alloc(256)
        driver.memset_d32(source, 0, 10)
    found = _sum(driver, lambda array: driver.memcpy_dtod(array, source, 256))
    assert [finding.thread for finding in found] == [(10, 0, 0)]


def _many_races(count):
    """A kernel with a race on each of so many lines."""
    lines = "\n".join(f"  s[(threadIdx.x + {k}) % 64] = threadIdx.x * 64 + {k};" for k in range(count))
    end = "  __syncthreads();\n  a[threadIdx.x] = s[threadIdx.x];\n}"
    return f"__global__ void many(int *a)\n{{\n  __shared__ int s[64];\n{lines}\n{end}"


def test_no_more_than_a_hundred_places_are_listed(context, driver):
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    function = SourceModule(_many_races(40)).get_function("many")
    with pytest.warns(RuntimeWarning, match="lists 100 places and leaves out"), pycuda.checks("race") as found:
        function(driver.InOut(np.zeros(64, np.int32)), block=(64, 1, 1))
    assert len(found) == 100
    with warnings.catch_warnings(), pytest.raises(RuntimeWarning):
        warnings.simplefilter("error")
        with pycuda.checks("race"):
            function(driver.InOut(np.zeros(64, np.int32)), block=(64, 1, 1))
    assert pycuda._checks._open == []


@needs_cpu_driver
def test_the_arrays_own_kernels_are_clean():
    """In one process, which compiles what arrays of several lengths have in common once."""
    program = """
    import sys
    import numpy as np, pycuda.autoinit
    from pycuda import gpuarray
    for length in (10, 100, 3000, 100_000):
        print(length, file=sys.stderr)
        a = gpuarray.arange(length, dtype=np.float32)
        b = gpuarray.cumsum(a).get()
        c = gpuarray.sum(a).get(), gpuarray.max(a).get(), gpuarray.dot(a, a).get()
        d = a.argmax().get(), np.sort(a).get(), (a % 7).get(), a[a > 5].get()
        e = gpuarray.cumsum(a.reshape(-1, 10), axis=0).get(), (a.reshape(10, -1) @ a.reshape(-1, 10)).get()
    print("done")
    """
    output, errors = run_program(program, PYCUDA_CPU_CHECK="all", PYCUDA_DRIVER="cpu", PYCUDA_DISABLE_CACHE=1)
    assert "done" in output and "pycuda" not in errors, errors


def test_a_fault_beside_an_array_is_not_blamed_on_one_that_is_gone(cpu_context, driver):
    fill = SourceModule("__global__ void fill(float *a, int n) { if (threadIdx.x <= n) a[threadIdx.x] = 1; }")
    fill = fill.get_function("fill")
    fill(driver.InOut(np.zeros(500, np.float32)), np.int32(100), block=(256, 1, 1))
    with pytest.raises(driver.Error, match="0 bytes past the end of the 48-byte block of device memory"):
        with pycuda.checks("memory"):
            fill(driver.InOut(np.zeros(12, np.float32)), np.int32(12), block=(256, 1, 1))
