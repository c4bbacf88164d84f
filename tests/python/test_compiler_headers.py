# SPDX-License-Identifier: MIT
"""Sources that share large headers: from the third on they are compiled with precompiled headers."""

import os
import subprocess
import sys

import pytest
from compiling import needs_cccl
from programs import run_program
from pycuda.compiler import compile

GROUPS = "#include <cooperative_groups.h>\n"
# Precompiled as the large ones are, by its folder, and compiled in a twentieth of the time.
LIMITS = "#include <cuda/std/climits>\n"


def stored_by(body, prefix=GROUPS, **settings):
    """The PTX of a kernel that stores an expression."""
    source = f'{prefix}\nextern "C" __global__ void k(int *a) {{ *a = {body}; }}'
    return compile(source, no_extern_c=True, target="ptx", arch="sm_80", cache_dir=False, **settings).decode()


def test_each_source_with_the_same_headers_keeps_its_own_code():
    for number in range(101, 106):
        assert f", {number};" in stored_by(number)


def test_sources_with_other_options_do_not_share_headers():
    for number in (111, 112, 113, 111, 112, 113):
        assert f", {number};" in stored_by("N", LIMITS, options=[f"-DN={number}"])


def test_a_header_that_changes_is_read_again(tmp_path):
    header = tmp_path / "number.h"
    prefix = LIMITS + '#include "number.h"\n'
    for number, times in ((121, 4), (122, 2)):
        header.write_text(f"#define N {number}\n")
        os.utime(header, ns=(number * 10**15, number * 10**15))
        for _ in range(times):
            assert f", {number};" in stored_by("N", prefix, include_dirs=[str(tmp_path)])


@pytest.mark.filterwarnings("error")
def test_more_prefixes_than_are_precompiled_compile_without_a_warning():
    for prefix in range(131, 137):
        for _ in range(3):
            assert f", {prefix};" in stored_by("N", f"{LIMITS}#define N {prefix}\n")


@pytest.mark.parametrize("lines", ["#line 7\n", '#line 7 "other.cu"\n'])
def test_a_source_with_line_directives_compiles_with_large_headers(lines):
    for number in (141, 142, 143, 144):
        assert f", {number};" in stored_by(number, LIMITS + lines)


@pytest.mark.parametrize("header", ["cub/cub.cuh", "cuda/std/climits"])
def test_headers_of_libraries_are_precompiled(tmp_path, header):
    """`<cub/cub.cuh>` is a header of this package, which includes NVIDIA's; the other one is small."""
    program = """
import os, pathlib, sys
from pycuda.compiler import compile

for number in range(3):
    source = f"#include <{sys.argv[1]}>\\n__global__ void k(int *a) {{ *a = {number}; }}"
    compile(source, target="ptx", arch="sm_80", cache_dir=False)
    print(len(list(pathlib.Path(os.environ["TMPDIR"]).glob("*pch*"))))
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", program, header], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["0", "0", "1"], done.stderr
    # NVRTC removes its files when the process ends.
    assert not list(tmp_path.iterdir())


def test_a_long_compilation_keeps_no_memory():
    needs_cccl("thrust/sort.h")
    program = r"""
import ctypes
from pycuda.compiler import compile

def held():
    return int(open("/proc/self/statm").read().split()[1])

source = r'''#include <thrust/sort.h>
#include <thrust/execution_policy.h>
__global__ void k(float *a) { thrust::sort(thrust::seq, a, a + 100); }'''
compile(source, target="ptx", arch="sm_80", cache_dir=False, no_extern_c=True)
after = held()
ctypes.CDLL(None).malloc_trim(0)
print(after - held())
"""
    free_pages, _ = run_program(program)
    # Nothing else in this process has freed memory, and the compilation needs 80,000 pages.
    assert int(free_pages) < 20_000
