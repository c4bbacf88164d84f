# SPDX-License-Identifier: MIT
"""`Function.report` and `python -m pycuda run --report`: the page says what is slow, where and why."""

import dataclasses
import html.parser
import pathlib
import re
import subprocess
import sys
import warnings

import numpy as np
import pycuda
import pytest
from pycuda import _report_costs, _report_pictures
from pycuda._counter_records import Access, AccessSample
from pycuda.compiler import SourceModule

needs_cpu_driver = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)

TRANSPOSE = """
__global__ void transpose(float *to, const float *from, int n)
{
  __shared__ float tile[32][32 + PADDING];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = from[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  to[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
"""

OTHERS = """
__global__ void columns(float *to, const float *from) { to[threadIdx.x * 32] = from[threadIdx.x * 32]; }

__global__ void count(int *to, const int *from) { atomicAdd(to, from[threadIdx.x]); }

__global__ void racy(int *to, const int *from)
{
  __shared__ int s[64];
  s[threadIdx.x] = from[threadIdx.x];
  to[threadIdx.x] = s[63 - threadIdx.x];
}
"""

VOID = {"meta", "rect", "line", "br"}


class Outline(html.parser.HTMLParser):
    """Fails unless every element is closed in order; collects what refers to other files."""

    def __init__(self):
        super().__init__()
        self.open, self.references = [], []

    def handle_starttag(self, tag, attributes):
        self.references += [value for name, value in attributes if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def cpu(context, driver):
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    return driver


def _transpose_report(cuda, padding):
    kernel = SourceModule(TRANSPOSE, options=[f"-DPADDING={padding}"]).get_function("transpose")
    a, b = cuda.mem_alloc(64 * 64 * 4), cuda.mem_alloc(64 * 64 * 4)
    cuda.memset_d32(b, 0, 64 * 64)
    return kernel.report(a, b, np.int32(64), block=(32, 32, 1), grid=(2, 2))


def test_bank_conflicts_are_the_first_advice_and_padding_removes_them(cpu):
    report = _transpose_report(cpu, 0)
    kernel = report.kernels[0]
    first = report.advice(kernel)[0]
    assert first.title == "Avoid bank conflicts in shared memory"
    assert "32 passes where 1 would do" in first.text
    assert "one element longer" in first.text
    assert "test_report.py" in first.place
    assert (kernel.shared_wavefronts, kernel.shared_wavefronts_ideal) == (128 + 4096, 256)
    assert first.title in str(report)
    padded = _transpose_report(cpu, 1)
    assert padded.advice(padded.kernels[0]) == []
    assert "Nothing that the counters show" in padded.html


def test_the_page_is_whole_and_needs_no_other_file(cpu):
    page = _transpose_report(cpu, 0).html
    outline = Outline()
    outline.feed(page)
    assert outline.open == []
    assert outline.references == []
    assert "<script" not in page
    assert not re.search(r"https?://|@import|url\(", page)
    assert "prefers-color-scheme: dark" in page
    assert 'name="viewport"' in page


def test_the_page_shows_source_numbers_and_pictures(cpu):
    report = _transpose_report(cpu, 0)
    page = report.html
    assert "to[y * n + x] = tile[threadIdx.x][threadIdx.y];" in page
    assert "4\u202f096 wavefronts (128)" in page
    assert "32 lanes access 32 words in 1 of 32 banks, up to 32 in one" in page
    assert "32 lanes touch 4 sectors of 32 bytes within 128 bytes" in page
    assert "occupancy: " in page
    # One for each access of global and shared memory, and above them that of the first advice.
    assert page.count("<svg") == 5
    assert page.index("<svg") < page.index("The source, line by line")
    assert report._repr_html_().startswith("<iframe")
    assert "srcdoc" in report._repr_html_()


def test_uncoalesced_accesses_and_atomics_of_one_address_are_named(cpu):
    module = SourceModule(OTHERS)
    a = cpu.mem_alloc(8192)
    cpu.memset_d32(a, 0, 2048)
    report = module.get_function("columns").report(a, a, block=(64, 1, 1))
    first = report.advice(report.kernels[0])[0]
    assert first.title == "Coalesce the accesses to global memory"
    assert "128 bytes apart" in first.text
    assert "32 sectors" in first.text
    report = module.get_function("count").report(a, a, block=(64, 1, 1))
    titles = [one.title for one in report.advice(report.kernels[0])]
    assert "Combine atomic updates first" in titles


def test_like_accesses_of_a_line_are_one_advice(cpu):
    kernel = SourceModule(
        "__global__ void add(float *to, const float *from)\n"
        "{\n"
        "  int i = threadIdx.x * 16;\n"
        "  to[i + 3] = from[i] + from[i + 1] + from[i + 2];\n"
        "}"
    ).get_function("add")
    a = cpu.mem_alloc(8192)
    cpu.memset_d32(a, 0, 2048)
    report = kernel.report(a, a, block=(64, 1, 1))
    (only,) = report.advice(report.kernels[0])
    assert only.text.startswith("The line reads and writes 32 sectors of 32 bytes for each request")
    (line,) = [line for line in report.kernels[0].lines if line.accesses]
    assert f"its {line.global_sectors} sectors" in only.text
    assert only.access.op == "load" and only.access.parts == line.global_sectors == 256


def test_findings_stand_at_their_lines_and_checks_can_be_left_out(cpu):
    racy = SourceModule(OTHERS).get_function("racy")
    a = cpu.mem_alloc(8192)
    cpu.memset_d32(a, 0, 2048)
    report = racy.report(a, a, block=(64, 1, 1), checks="race")
    assert {finding.check for finding in report.findings} == {"race"}
    # At the line that is counted, whether the source is in this file as it is or put together.
    together = SourceModule(OTHERS + "// more").get_function("racy").report(a, a, block=(64, 1, 1), checks="race")
    for page in (report.html, together.html):
        rows = page.split('<div class="line">')
        (row,) = [row for row in rows if 'class="finding"' in row]
        assert "s[threadIdx.x] = " in row.split('class="finding"')[0]
    assert "Checks made: race" in report.html
    without = racy.report(a, a, block=(64, 1, 1), checks=())
    assert without.findings == []
    assert "No checks were made." in without.html
    with pytest.raises(ValueError, match="unknown check"):
        racy.report(a, a, block=(64, 1, 1), checks="nonsense")


def test_large_launches_are_checked_only_if_that_is_asked_for(cpu):
    racy = SourceModule(OTHERS).get_function("racy")
    a = cpu.mem_alloc(8192)
    cpu.memset_d32(a, 0, 2048)
    assert racy.report(a, a, block=(64, 1, 1), grid=(2048, 1)).checks == ""
    assert racy.report(a, a, block=(64, 1, 1), grid=(2, 1)).checks == "all"


def test_the_report_is_saved(cpu, tmp_path):
    report = _transpose_report(cpu, 0)
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html
    assert repr(report) == "<pycuda.Report of transpose, 0 findings>"


@needs_cpu_driver
def test_run_writes_a_page_for_a_program(tmp_path):
    page = tmp_path / "report.html"
    program = tmp_path / "program.py"
    program.write_text(
        f"import pycuda.autoinit\nimport pycuda.driver as cuda\nfrom pycuda.compiler import SourceModule\n"
        f'module = SourceModule("""{OTHERS}""")\na = cuda.mem_alloc(8192)\ncuda.memset_d32(a, 0, 2048)\n'
        'module.get_function("racy")(a, a, block=(64, 1, 1))\nraise SystemExit(4)\n'
    )
    command = [sys.executable, "-m", "pycuda", "run", f"--report={page}", str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 4, done.stderr
    text = page.read_text(encoding="utf-8")
    assert "racy" in text
    assert "to[threadIdx.x] = s[63 - threadIdx.x];" in text
    assert "No checks were made." in text
    done = subprocess.run([*command[:4], "--check=race", *command[4:]], capture_output=True, text=True)
    assert done.returncode == 4
    assert 'class="finding"' in page.read_text(encoding="utf-8")


FAULTING = """
__global__ void fill(int *to, const int *from, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // far behind the end
  if (i < n)
    to[i] = from[i] + from[i + 100000000 * (i / 40)];
}
"""


@pytest.mark.parametrize("checks", ["all", ()])
def test_a_kernel_that_faults_has_a_report_and_the_context_is_lost(cpu, checks):
    fill = SourceModule(FAULTING).get_function("fill")
    a = cpu.mem_alloc(4096)
    cpu.memset_d32(a, 0, 1024)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # as pytest's filterwarnings may have it: the report is what is wanted
        report = fill.report(a, a, np.int32(1024), block=(64, 1, 1), checks=checks)
    (fault,) = report.faults
    assert (fault.kernel, fault.thread, fault.block) == ("fill", (40, 0, 0), (0, 0, 0))
    assert fault.source == "to[i] = from[i] + from[i + 100000000 * (i / 40)];"
    assert "illegal memory access" in fault.message and "illegal memory access" in str(report.error)
    assert report.kernels[0].launches == 1 and report.kernels[0].global_sectors > 0
    assert str(report).startswith("fault: illegal memory access")
    assert "The context is lost" in str(report)
    assert repr(report).endswith(", a fault>")
    (row,) = [row for row in report.html.split('<div class="line">') if '<div class="fault">' in row]
    assert "to[i] = from[i]" in row.split('<div class="fault">')[0]
    above = report.html.split('<div class="tiles">')[0]
    assert "A fault ended the kernel" in above and "The context is lost" in above
    # It is said once, whether the checks have found it, too, or not.
    assert report.html.count("illegal memory access") == 2
    assert [one.check for one in report.findings] == (["memory"] if checks else [])
    with pytest.raises(cpu.Error, match="the context was lost earlier"):
        fill.report(a, a, np.int32(1), block=(64, 1, 1), checks=checks)


@pytest.mark.parametrize(
    "name, message, thread",
    [("trap", "trap instruction", (3, 0, 0)), ("hang", "deadlock, every thread of the block waits", None)],
)
def test_traps_and_deadlocks_are_faults_of_reports(cpu, name, message, thread):
    module = SourceModule("""
__global__ void trap(int n) { if (threadIdx.x == n) __trap(); }
__global__ void hang(int n) { if (threadIdx.x >= n) asm volatile("bar.sync 1, 64;"); }
""")
    report = module.get_function(name).report(np.int32(3), block=(32, 1, 1), checks=())
    (fault,) = report.faults
    assert fault.message.startswith(message) and fault.thread == thread and fault.block == (0, 0, 0)
    assert message in str(report)
    # At its line, if it has one, and above all else.
    assert report.html.count(message) == (2 if thread else 1)
    assert "lines that are not known" not in report.html


def test_a_launch_that_is_refused_raises_its_error(cpu):
    fill = SourceModule(FAULTING).get_function("fill")
    with pytest.raises(cpu.LogicError, match="invalid argument"):
        fill.report(np.intp(0), np.intp(0), np.int32(0), block=(4096, 1, 1))
    assert fill.report(np.intp(0), np.intp(0), np.int32(0), block=(32, 1, 1)).faults == []


def test_what_the_checks_find_is_above_the_numbers_with_both_accesses(cpu):
    racy = SourceModule(OTHERS).get_function("racy")
    a = cpu.mem_alloc(8192)
    cpu.memset_d32(a, 0, 2048)
    above = racy.report(a, a, block=(64, 1, 1), checks="race").html.split('<div class="tiles">')[0]
    assert above.count('class="finding top"') == 1
    assert "s[threadIdx.x] = from[threadIdx.x];" in above and "to[threadIdx.x] = s[63 - threadIdx.x];" in above
    assert "write of 4 bytes" in above and "read of 4 bytes" in above


def test_sources_that_are_in_no_file_are_shown_with_their_surroundings(cpu):
    fill = SourceModule(FAULTING + "// put together\n").get_function("fill")
    a = cpu.mem_alloc(4096)
    cpu.memset_d32(a, 0, 1024)
    page = fill.report(a, a, np.int32(32), block=(32, 1, 1)).html
    assert "  // far behind the end</span>" in page
    assert "__global__ void fill(" in page


@needs_cpu_driver
@pytest.mark.parametrize("check", [(), ("--check=all",)])
def test_run_shows_the_fault_of_a_program_at_its_line(tmp_path, check):
    page = tmp_path / "report.html"
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nimport pycuda.autoinit\nimport pycuda.driver as cuda\n"
        f'from pycuda.compiler import SourceModule\nmodule = SourceModule("""{FAULTING}""" + "")\n'
        "a = cuda.mem_alloc(4096)\ncuda.memset_d32(a, 0, 1024)\n"
        'module.get_function("fill")(a, a, np.int32(1024), block=(64, 1, 1))\ncuda.Context.synchronize()\n'
    )
    command = [sys.executable, "-m", "pycuda", "run", f"--report={page}", *check, str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    text = page.read_text(encoding="utf-8")
    (row,) = [row for row in text.split('<div class="line">') if '<div class="fault">' in row]
    assert "to[i] = from[i]" in row.split('<div class="fault">')[0]
    assert "A fault ended the kernel" in text and "thread (40, 0, 0)" in text
    assert "// far behind the end" in text
    assert text.count("illegal memory access") == 2


@needs_cpu_driver
def test_of_several_kernels_those_come_first_that_are_wrong_or_have_a_source(tmp_path):
    page = tmp_path / "report.html"
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nimport pycuda.autoinit\nfrom pycuda import gpuarray\n"
        "from pycuda.compiler import SourceModule\n"
        "a = gpuarray.zeros(100000, np.int32) + 1\n"
        f'module = SourceModule("""{OTHERS}""" + "")\n'
        'module.get_function("columns")(a, a, block=(32, 1, 1))\n'
        'module.get_function("racy")(a, a, block=(64, 1, 1))\n'
    )
    command = [sys.executable, "-m", "pycuda", "run", f"--report={page}", "--check=race", str(program)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 9, done.stderr
    text = page.read_text(encoding="utf-8")
    outline = Outline()
    outline.feed(text)
    assert outline.references == ["#kernel-0", "#kernel-1", "#kernel-2"]
    names = re.findall(r'<section id="kernel-(\d)"><h1><code>(racy|columns|array_add)', text)
    assert names == [("0", "racy"), ("1", "columns"), ("2", "array_add")]
    above = text.partition("<section")[0]
    assert "1 finding" in above and above.count('class="bar"') == 3
    assert "The kernel's source is not known" in text.partition('id="kernel-2"')[2]
    assert "(not known to the compiler)" not in text


def _access(space, addresses, size=4):
    sample = AccessSample((0, 0, 0), 0, tuple(range(len(addresses))), tuple(addresses))
    return Access("ld", space, "load", size, 1, 1, 1, len(addresses), sample)


def test_strides_are_known_from_the_sample():
    assert _report_costs.stride_of(_access("global", [64, 72, 80])) == 8
    assert _report_costs.stride_of(_access("global", [64, 60, 56])) == -4
    assert _report_costs.stride_of(_access("global", [64, 72, 76])) is None
    assert _report_costs.stride_of(_access("global", [64])) is None


def test_pictures_count_sectors_and_banks():
    picture = _report_pictures.picture_of(_access("global", [4 * i for i in range(32)]))
    assert "32 lanes touch 4 sectors of 32 bytes within 128 bytes" in picture
    assert picture.count("<line") == 32 and picture.count(">32</text>") == 4
    # Lanes at one address use its bytes once, and are served one after the other if they are atomic.
    picture = _report_pictures.picture_of(_access("global", [64] * 32))
    assert "32 lanes touch 1 sector of 32 bytes" in picture and ">4</text></svg>" not in picture
    assert picture.count(">4</text>") == 2 and 'class="clash"' not in picture
    atomic = dataclasses.replace(_access("global", [64] * 16 + [128 + 4 * i for i in range(16)]), op="reduction")
    picture = _report_pictures.picture_of(atomic)
    assert picture.count('class="clash"') == 16 and "up to 16 lanes update one address" in picture
    picture = _report_pictures.picture_of(_access("shared", [8 * i for i in range(32)]))
    assert "32 words in 16 of 32 banks, up to 2 in one" in picture
    assert _report_pictures.picture_of(_access("local", [0] * 32)) == ""
