# SPDX-License-Identifier: MIT
"""A limit of registers that a program gives to a stand-in for NVIDIA's compilers is that of its kernels."""

import subprocess
import sys

import pytest
from programs import has_cpu_driver

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

VALUES = 80
PTX = "\n".join(
    [
        ".version 8.0\n.target sm_80\n.address_size 64",
        ".visible .entry many(.param .u64 x) {",
        f".reg .u64 %x; .reg .b32 %r<{VALUES}>;",
        "ld.param.u64 %x, [x];",
        *(f"ld.global.u32 %r{i}, [%x+{4 * i}];" for i in range(VALUES)),
        *(f"st.global.u32 [%x+{4 * i}], %r{VALUES - 1 - i};" for i in range(VALUES)),
        "ret; }\n",
    ]
)

# Prints how many registers a thread of the kernel uses: `registers(image)`.
LOADER = """
import ctypes, sys
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p
cuda = ctypes.CDLL("libcuda.so.1")
REGISTERS = 4
context = c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0

def registers(image):
    module, kernel, number = c_void_p(), c_void_p(), c_int()
    assert cuda.cuModuleLoadData(byref(module), image) == 0
    assert cuda.cuModuleGetFunction(byref(kernel), module, b"many") == 0
    assert cuda.cuFuncGetAttribute(byref(number), REGISTERS, kernel) == 0
    return number.value
"""

JIT_LINK = """
def linked(text, *options):
    link, handle, size = ctypes.CDLL("libnvJitLink.so.13"), c_void_p(), c_size_t()
    status = link.nvJitLinkCreate(byref(handle), len(options), (c_char_p * len(options))(*options))
    if status != 0:
        return status
    assert link.nvJitLinkAddData(handle, 2, text, c_size_t(len(text)), b"many.ptx") == 0
    assert link.nvJitLinkComplete(handle) == 0
    assert link.nvJitLinkGetLinkedCubinSize(handle, byref(size)) == 0
    image = ctypes.create_string_buffer(size.value)
    assert link.nvJitLinkGetLinkedCubin(handle, image) == 0
    return registers(image.raw)

for options in ((), (b"-maxrregcount=40",), (b"-maxrregcount=3",), (b"-maxrregcount=1000",), (b"-maxrregcount=x",)):
    print(linked(sys.argv[1].encode(), b"-arch=sm_80", *options))
"""

NVRTC = """
nvrtc = ctypes.CDLL("libnvrtc.so.13")
source = b'''extern "C" __global__ void many(volatile int *x)
{
  int v[80];
  #pragma unroll
  for (int i = 0; i < 80; ++i) v[i] = x[i];
  #pragma unroll
  for (int i = 0; i < 80; ++i) x[i] = v[79 - i];
}'''

def compiled(*options):
    program, size = c_void_p(), c_size_t()
    assert nvrtc.nvrtcCreateProgram(byref(program), source, b"many.cu", 0, None, None) == 0
    assert nvrtc.nvrtcCompileProgram(program, len(options), (c_char_p * len(options))(*options)) == 0
    assert nvrtc.nvrtcGetCUBINSize(program, byref(size)) == 0
    image = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetCUBIN(program, image) == 0
    assert nvrtc.nvrtcDestroyProgram(byref(program)) == 0
    return registers(image.raw)

for options in ((), (b"--maxrregcount=40",), (b"-maxrregcount", b"48"), (b"--maxrregcount=40", b"--maxrregcount=56")):
    print(compiled(b"-arch=sm_80", *options))
"""


def run(*arguments):
    ended = subprocess.run(
        [sys.executable, "-m", "pycuda", "run", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return [int(line) for line in ended.stdout.splitlines()]


def test_nvjitlink():
    free, limited, raised, ignored, refused = run("-c", LOADER + JIT_LINK, PTX)
    assert free >= VALUES
    assert (limited, raised, ignored) == (40, 24, free)
    assert refused == 1  # an option that is not recognised


def test_nvrtc():
    free, *limited = run("-c", LOADER + NVRTC)
    assert free >= VALUES
    assert limited == [40, 48, 56]


@pytest.mark.parametrize("option", [["--maxrregcount=40"], ["-maxrregcount", "40"]])
def test_ptxas(option, tmp_path):
    source, cubin = tmp_path / "many.ptx", tmp_path / "many.cubin"
    source.write_text(PTX)
    run("ptxas", *option, "-arch=sm_80", source, "-o", cubin)
    read = LOADER + "print(registers(open(sys.argv[1], 'rb').read()))"
    assert run("-c", read, cubin) == [40]


def test_ptxas_names_a_limit_that_is_no_number(tmp_path):
    source = tmp_path / "many.ptx"
    source.write_text(PTX)
    command = [sys.executable, "-m", "pycuda", "run", "ptxas", "-maxrregcount", "few", source]
    ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert ended.returncode == 255
    assert "Value 'few' of 'maxrregcount' is not a number" in ended.stderr
