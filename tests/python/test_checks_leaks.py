# SPDX-License-Identifier: MIT
"""Memory that a program did not free is a finding when it ends, with the place that allocated it."""

import json
import pathlib
import re
import shutil
import subprocess

import pycuda
import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

SOURCE = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long Address;
static int (*allocate)(Address *, size_t);
static int (*allocate_host)(void **, size_t, unsigned);
static int (*release)(Address);
static Address late;

static void free_late(void) { release(late); }

__attribute__((noinline)) void forgetful(size_t bytes)
{
  Address made = 0;
  if (allocate(&made, bytes) != 0) abort();
}

__attribute__((noinline)) void tidy(size_t bytes)
{
  Address made = 0;
  if (allocate(&made, bytes) != 0 || release(made) != 0) abort();
}

int main(int count, char **arguments)
{
  void *library = dlopen(arguments[1], RTLD_NOW);
  if (library == NULL) return 3;
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
  int (*retain)(void **, int) = (int (*)(void **, int))dlsym(library, "cuDevicePrimaryCtxRetain");
  int (*set)(void *) = (int (*)(void *))dlsym(library, "cuCtxSetCurrent");
  allocate = (int (*)(Address *, size_t))dlsym(library, "cuMemAlloc_v2");
  allocate_host = (int (*)(void **, size_t, unsigned))dlsym(library, "cuMemHostAlloc");
  release = (int (*)(Address))dlsym(library, "cuMemFree_v2");
  void *context = NULL;
  if (init(0) != 0 || retain(&context, 0) != 0 || set(context) != 0) return 4;
  atexit(free_late);
  if (allocate(&late, 4096) != 0) return 5;
  tidy(5000);
  if (strcmp(arguments[2], "leak") == 0) {
    void *host = NULL;
    forgetful(4000);
    forgetful(4000);
    if (allocate_host(&host, 6000, 0) != 0) return 6;
  }
  puts("done");
  return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("leaks")
    (folder / "program.c").write_text(SOURCE)
    subprocess.run([compiler, "-O1", "-rdynamic", "-o", folder / "program", folder / "program.c", "-ldl"], check=True)
    return folder / "program"


def _run(program, what, check, report):
    driver = pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so"
    environment = {"PYCUDA_CPU_CHECK": check, "PYCUDA_CPU_CHECK_REPORT": str(report)}
    run = subprocess.run([program, driver, what], capture_output=True, text=True, env=environment, check=False)
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr
    found = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
    return run.stderr, found


def test_what_was_not_freed_is_named_with_its_caller(program, tmp_path):
    text, found = _run(program, "leak", "memory", tmp_path / "report")
    assert [finding["check"] for finding in found] == ["leak", "leak"]
    by_bytes = {int(finding["message"].split()[0]): finding for finding in found}
    assert set(by_bytes) == {8000, 6000}
    assert re.fullmatch(r"forgetful\+0x[0-9a-f]+ in program", by_bytes[8000]["place"])
    assert re.fullmatch(r"main\+0x[0-9a-f]+ in program", by_bytes[6000]["place"])
    assert by_bytes[8000]["message"] == "8000 bytes of device memory in 2 blocks were not freed when the program ended"
    assert "6000 bytes of page-locked host memory" in by_bytes[6000]["message"]
    assert re.search(r"^pycuda: leak: 8000 bytes .*, allocated at forgetful\+0x", text, re.M)
    assert text.endswith("pycuda: 2 findings (PYCUDA_CPU_CHECK)\n")


# As nvcc compiles it: the run-time library is a part of the program, under templates of its headers, and no name of
# the program's own is exported.
RUN_TIME = r"""
#include <stdio.h>

typedef unsigned long long Address;
extern "C" int cuInit(unsigned);
extern "C" int cuDevicePrimaryCtxRetain(void **, int);
extern "C" int cuCtxSetCurrent(void *);
extern "C" int cuMemAlloc_v2(Address *, size_t);

#define APART __attribute__((noinline))
enum cudaError { cudaSuccess };

extern "C" APART int libcudart_static_1234(Address *made, size_t bytes)
{
  int status = cuMemAlloc_v2(made, bytes);
  asm volatile("" ::: "memory");
  return status;
}
extern "C" APART cudaError cudaMalloc(void **made, size_t bytes)
{
  Address address = 0;
  int status = libcudart_static_1234(&address, bytes);
  *made = (void *)address;
  return (cudaError)status;
}
template <class T> static APART cudaError cudaMalloc(T **made, size_t bytes)
{
  cudaError status = cudaMalloc((void **)made, bytes);
  asm volatile("" ::: "memory");
  return status;
}

APART float *one(size_t bytes) { float *a; cudaMalloc(&a, bytes); return a; }
volatile int most = 3;
APART int *three() { int *a; for (int i = 1; i <= most; ++i) cudaMalloc(&a, 100 * i); return a; }

int main()
{
  void *context;
  if (cuInit(0) != 0 || cuDevicePrimaryCtxRetain(&context, 0) != 0 || cuCtxSetCurrent(context) != 0) return 4;
  one(1000);
  three();
  puts("done");
  return 0;
}
"""


def test_frames_of_the_run_time_library_are_not_the_place(tmp_path):
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("needs a C++ compiler")
    (tmp_path / "program.cpp").write_text(RUN_TIME)
    driver = pathlib.Path(pycuda.__file__).absolute().parent / "libcuda_cpu.so"
    command = [compiler, "-O1", "-fno-optimize-sibling-calls", "-o", "program", "program.cpp", str(driver)]
    subprocess.run([*command, f"-Wl,-rpath,{driver.parent}"], check=True, cwd=tmp_path)
    environment = {"PYCUDA_CPU_CHECK": "memory", "PYCUDA_CPU_CHECK_REPORT": str(tmp_path / "report")}
    run = subprocess.run([tmp_path / "program"], capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == 0, run.stderr
    found = [json.loads(line) for line in (tmp_path / "report").read_text().splitlines()]
    places = {re.sub(r"\+0x[0-9a-f]+", "", one["place"]): one["message"].partition(" were")[0] for one in found}
    assert places == {
        "one(unsigned long) in program": "1000 bytes of device memory",
        "three() in program": "600 bytes of device memory in 3 blocks",
    }


@pytest.mark.parametrize(("what", "check"), [("clean", "memory"), ("clean", "all"), ("leak", "race"), ("leak", "0")])
def test_programs_without_leaks_and_checks_of_other_things_find_none(program, tmp_path, what, check):
    assert _run(program, what, check, tmp_path / "report") == ("", [])


def test_what_python_objects_hold_is_no_leak():
    output, errors = run_program(
        """
        import numpy as np
        import pycuda.autoinit
        import pycuda.driver as cuda
        import pycuda.gpuarray as gpuarray

        kept = [cuda.mem_alloc(1000), gpuarray.zeros(100, np.float32), cuda.pagelocked_empty(100, np.float32)]
        print("done")
        """,
        PYCUDA_CPU_CHECK="all",
        PYCUDA_DRIVER="cpu",
    )
    assert output == "done\n"
    assert "leak" not in errors
