# SPDX-License-Identifier: MIT
"""Stand-ins of `python -m pycuda run`: ptxas, nvcc, NVRTC and nvJitLink stop at PTX, which the driver runs."""

import os
import pathlib
import re
import stat
import subprocess
import sys

import pytest
from programs import has_cpu_driver
from pycuda import _nvcc_stand_in, _stand_ins

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry answer(.param .u64 place)
{
    .reg .u64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [place];
    mov.u32 %r1, 42;
    st.global.u32 [%rd1], %r1;
    ret;
}
"""

# What a program does with the image that a compiler made: `run(image)` is what the kernel `answer` wrote.
LOADER = """
import ctypes
from ctypes import byref, c_int, c_size_t, c_uint, c_void_p
cuda = ctypes.CDLL("libcuda.so.1")

def run(image):
    context, module, kernel, place = c_void_p(), c_void_p(), c_void_p(), ctypes.c_uint64()
    assert cuda.cuInit(0) == 0
    assert cuda.cuDevicePrimaryCtxRetain(byref(context), 0) == 0
    assert cuda.cuCtxSetCurrent(context) == 0
    assert cuda.cuModuleLoadData(byref(module), image) == 0
    assert cuda.cuModuleGetFunction(byref(kernel), module, b"answer") == 0
    assert cuda.cuMemAlloc_v2(byref(place), c_size_t(4)) == 0
    arguments = (c_void_p * 1)(ctypes.cast(byref(place), c_void_p))
    assert cuda.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, None, arguments, None) == 0
    answer = c_int()
    assert cuda.cuMemcpyDtoH_v2(byref(answer), place, c_size_t(4)) == 0
    return answer.value
"""

READ = LOADER + "import sys\nprint(run(open(sys.argv[1], 'rb').read()))\n"


def run(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "pycuda", "run", *map(str, arguments)], capture_output=True, text=True, **options
    )


@pytest.fixture
def ptx_file(tmp_path):
    path = tmp_path / "kernel.ptx"
    path.write_text(KERNEL)
    return path


def test_ptxas_is_found_where_no_other_one_is():
    ended = run("ptxas", "--version", env={**os.environ, "PATH": "/usr/bin:/bin"})
    assert ended.returncode == 0, ended.stderr
    assert "release 13" in ended.stdout


def test_what_ptxas_makes_runs(ptx_file, tmp_path):
    cubin = tmp_path / "kernel.cubin"
    command = ["ptxas", "-lineinfo", "-v", "-O3", "--gpu-name=sm_90a", ptx_file, "-o", cubin]
    ended = run(*command)
    assert ended.returncode == 0 and "entry function 'answer' for 'sm_90a'" in ended.stderr
    assert run("-c", READ, cubin).stdout == "42\n"


@pytest.mark.parametrize(
    "options",
    [["--regAllocOptLevel=2"], ["-regAllocOptLevel", "2"], ["--slr", "--cloning=no"], ["-warn-spills", "--slr"]],
)
def test_ptxas_accepts_what_nvidias_accepts_without_listing_it(options, ptx_file, tmp_path):
    cubin = tmp_path / "answer.cubin"
    assert run("ptxas", *options, "--gpu-name=sm_90a", ptx_file, "-o", cubin).returncode == 0
    assert cubin.exists()


def test_ptxas_tells_its_version_as_triton_reads_it():
    ended = run("sh", "-c", '"$TRITON_PTXAS_PATH" --version')
    assert re.search(r"release (\d+)\.(\d+)", ended.stdout), ended.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-arch=sm_80", "{bad}", "-o", "{out}"], "kernel.ptx, line 8; error   : unknown instruction 'nonsense'"),
        (["--nonsense", "{bad}"], "Unknown option '--nonsense'"),
        (["-arch=80", "{bad}"], "Value '80' is not defined for option 'gpu-name'"),
        (["{bad}.missing", "-o", "{out}"], "could not be opened"),
        (["{bad}", "{bad}"], "Several input files are not supported"),
        (["{bad}", "-o"], "Argument expected after '-o'"),
        ([], "No input file is given"),
    ],
)
def test_ptxas_names_mistakes(arguments, words, ptx_file, tmp_path):
    ptx_file.write_text(KERNEL.replace("ld.param.u64 %rd1, [place]", "nonsense"))
    out = tmp_path / "out.cubin"
    ended = run("ptxas", *(argument.format(bad=ptx_file, out=out) for argument in arguments))
    assert ended.returncode == 255 and words in ended.stderr
    assert not out.exists()


NVRTC = (
    LOADER
    + """
import sys
nvrtc = ctypes.CDLL("libnvrtc.so.13")
source = b'extern "C" __global__ void answer(int *place) { *place = 42; }'

def compiled(*options):
    program = c_void_p()
    assert nvrtc.nvrtcCreateProgram(byref(program), source, b"a.cu", 0, None, None) == 0
    texts = (ctypes.c_char_p * len(options))(*options)
    assert nvrtc.nvrtcCompileProgram(program, len(options), texts) == 0
    return program

def cubin(program):
    size = c_size_t()
    assert nvrtc.nvrtcGetCUBINSize(program, byref(size)) == 0
    image = ctypes.create_string_buffer(max(size.value, 1))
    if size.value:
        assert nvrtc.nvrtcGetCUBIN(program, image) == 0
    return image.raw[: size.value]

program = compiled(b"--gpu-architecture=sm_80", b"-lineinfo")
image = cubin(program)
print(image[:8], run(image), nvrtc.nvrtcDestroyProgram(byref(program)))
print(run(cubin(compiled(b"-arch", b"sm_80"))))
print(len(cubin(compiled(b"-arch=compute_80"))))
"""
)


def test_a_cubin_of_nvrtc_is_ptx_that_runs():
    ended = run("--log", "info", "-c", NVRTC)
    assert ended.stdout == "b'\\x7fPTXLINK' 42 0\n42\n0\n", ended.stderr
    assert "stand-in for libnvrtc.so.13: compiles with" in ended.stderr


JIT_LINK = (
    LOADER
    + """
import sys
link = ctypes.CDLL("libnvJitLink.so.13")
PTX, LTOIR = 2, 3

def create(*options):
    handle = c_void_p()
    status = link.nvJitLinkCreate(byref(handle), len(options), (ctypes.c_char_p * len(options))(*options))
    return status or handle

def log(handle):
    size = c_size_t()
    assert link.nvJitLinkGetErrorLogSize(handle, byref(size)) == 0
    text = ctypes.create_string_buffer(size.value + 1)
    assert link.nvJitLinkGetErrorLog(handle, text) == 0
    return text.value.decode()

head = ".version 8.0\\n.target sm_80\\n.address_size 64\\n"
function = "(.param .b32 result) number()"
definition = head + ".visible .func " + function + " { st.param.b32 [result], 42; ret; }"
kernel = sys.argv[1].replace(
    "mov.u32 %r1, 42;",
    "{ .param .b32 r; call.uni (r), number, (); ld.param.b32 %r1, [r]; }",
).replace(".visible .entry", ".extern .func " + function + ";\\n.visible .entry")

def add(handle, text, kind=PTX, name=b"part.ptx"):
    return link.nvJitLinkAddData(handle, kind, text.encode(), c_size_t(len(text)), name)
"""
)


def test_what_nvjitlink_links_runs():
    program = (
        JIT_LINK
        + """
handle = create(b"-arch=sm_80", b"-lineinfo", b"-O3")
assert add(handle, kernel) == 0 and add(handle, definition) == 0
assert link.nvJitLinkComplete(handle) == 0, log(handle)
size = c_size_t()
assert link.nvJitLinkGetLinkedCubinSize(handle, byref(size)) == 0
image = ctypes.create_string_buffer(size.value)
assert link.nvJitLinkGetLinkedCubin(handle, image) == 0
assert link.nvJitLinkDestroy(byref(handle)) == 0 and handle.value is None
print(run(image.raw))
"""
    )
    ended = run("-c", program, KERNEL)
    assert ended.stdout == "42\n", ended.stderr


def test_programs_that_ask_for_nvjitlinks_version_do_without_its_link_time_code():
    program = """
from ctypes import CDLL, byref, c_uint
link, major, minor = CDLL("libnvJitLink.so.13"), c_uint(), c_uint()
print(link.nvJitLinkVersion(byref(major), byref(minor)), (major.value, minor.value) < (12, 3))
print(link.nvJitLinkVersion(None, byref(minor)) != 0)
"""
    assert run("-c", program).stdout == "0 True\nTrue\n"


def test_nvjitlink_refuses_what_it_cannot_link_with_a_sentence():
    program = (
        JIT_LINK
        + """
print(create(), create(b"-arch=sm_80", b"-no-such-option"), create(b"-arch=80"), create(b"-arch=sm_80", b"-ptx"),
      create(b"-arch=compute_80"))
handle = create(b"-arch=sm_80", b"-lto")
print(add(handle, "BC", LTOIR, b"part.ltoir"), log(handle).strip(), link.nvJitLinkComplete(handle))
handle = create(b"-arch=sm_80")
print(add(handle, "BC", LTOIR), add(handle, "\\x7fELF...."), add(handle, "x", 99), add(handle, "not PTX"))
handle = create(b"-arch=sm_80")
assert add(handle, kernel) == 0
print(link.nvJitLinkComplete(handle), "number" in log(handle))
empty = create(b"-arch=sm_80")
print(link.nvJitLinkComplete(empty), link.nvJitLinkGetLinkedCubinSize(empty, byref(c_size_t())))
print(link.nvJitLinkGetLinkedCubinSize(handle, byref(c_size_t())), link.nvJitLinkComplete(c_void_p(12345)))
"""
    )
    ended = run("--log", "quiet", "-c", program, KERNEL)
    unrecognised, missing, incompatible = 1, 2, 11
    bad_input, finalise, wrong_type, no_lto, ptx, invalid = 8, 9, 12, 18, 4, 3
    assert ended.stdout.splitlines() == [
        f"{missing} {unrecognised} {unrecognised} {incompatible} {incompatible}",
        f"{bad_input} error: part.ltoir: LTO-IR is not supported without a GPU: compile to PTX (no -dlto, no -gen-lto) "
        f"{finalise}",
        f"{no_lto} {bad_input} {wrong_type} {wrong_type}",
        f"{ptx} True",
        "0 0",
        f"{invalid} {invalid}",
    ], ended.stderr


def test_programs_can_do_without_stand_ins():
    show = "import os, shutil; print(os.environ.get('LD_PRELOAD'), os.environ.get('TRITON_PTXAS_PATH'))"
    environment = {name: text for name, text in os.environ.items() if name not in ("LD_PRELOAD", "TRITON_PTXAS_PATH")}
    assert run("--no-stand-ins", "-c", show, env=environment).stdout == "None None\n"


def test_preloaded_libraries_of_the_user_stay(tmp_path):
    own = tmp_path / "libown.so"
    subprocess.run(["cc", "-shared", "-o", own, "-x", "c", "/dev/null"], check=True)
    ended = run("-c", "import os; print(os.environ['LD_PRELOAD'])", env={**os.environ, "LD_PRELOAD": str(own)})
    assert ended.stdout.strip().split(":")[-1] == str(own)


FAKE_NVCC = """#!/bin/sh
echo "$@" >>{log}
while [ $# -gt 0 ]; do [ "$1" = -o ] && cp {ptx} "$2"; shift; done
"""


@pytest.fixture
def nvcc(tmp_path, ptx_file):
    """A program in NVIDIA's nvcc's place, and the lines of its arguments."""
    folder = tmp_path / "toolkit"
    folder.mkdir()
    program, log = folder / "nvcc", tmp_path / "log"
    program.write_text(FAKE_NVCC.format(log=log, ptx=ptx_file))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    return environment, lambda: log.read_text().splitlines()


def test_nvcc_stops_at_ptx_where_machine_code_is_wanted(nvcc, tmp_path):
    environment, arguments = nvcc
    ended = run("nvcc", "--cubin", "-arch", "sm_90", "-I.", "kernel.cu", env=environment, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "-ptx -arch=compute_90 -I. kernel.cu" in arguments()[0]
    assert run("-c", READ, tmp_path / "kernel.cubin").stdout == "42\n"


def test_nvcc_links_with_the_drivers_run_time_library(nvcc, tmp_path):
    environment, arguments = nvcc
    assert run("nvcc", "a.cu", "-o", tmp_path / "a", env=environment).returncode == 0
    folder = pathlib.Path(arguments()[0].split()[0].removeprefix("-L"))
    assert (folder / "libcudart_static.a").exists()


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["a.cu"], ["a.cu"]),
        (["-arch=native", "a.cu"], ["-arch=sm_80", "a.cu"]),
        (["-arch=sm_90", "a.cu"], ["-arch=sm_90", "a.cu"]),
        (
            ["-gencode", "arch=compute_80,code=sm_80", "a.cu"],
            ["-gencode=arch=compute_80,code=compute_80", "-gencode=arch=compute_80,code=sm_80", "a.cu"],
        ),
        (
            ["-gencode=arch=compute_80,code=[sm_80,compute_80]", "a.cu"],
            ["-gencode=arch=compute_80,code=[sm_80,compute_80]", "a.cu"],
        ),
        (["-arch=compute_80", "-code=sm_80"], ["-arch=compute_80", "-code=sm_80,compute_80"]),
    ],
)
def test_nvcc_puts_ptx_into_programs(given, wanted):
    assert _nvcc_stand_in.with_ptx(given) == wanted


# The stand-in where no nvcc of NVIDIA's is found, though this machine may have one.
WITHOUT_NVCC = """
import os, sys
from pycuda import _nvcc_stand_in
_nvcc_stand_in.find_nvcc = lambda own: None
sys.argv[0] = os.path.join(os.environ["PATH"].split(os.pathsep)[0], "nvcc")
raise SystemExit(_nvcc_stand_in.main(sys.argv[1:], "."))
"""


def test_without_nvcc_device_code_is_compiled_by_nvrtc(tmp_path):
    (tmp_path / "kernel.cu").write_text('extern "C" __global__ void answer(int *place) { *place = 42; }')
    ended = run("-c", WITHOUT_NVCC, "-cubin", "-arch=sm_80", "kernel.cu", "-o", "k.cubin", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert run("-c", READ, tmp_path / "k.cubin").stdout == "42\n"
    assert "release" in run("-c", WITHOUT_NVCC, "--version", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("source", "arguments", "words"),
    [
        ("__global__ void f() {}", ["kernel.cu", "-o", "a"], "pip install nvidia-cuda-nvcc"),
        ("__global__ void f() { nonsense; }", ["-cubin", "kernel.cu"], 'identifier "nonsense" is undefined'),
        ("", ["-cubin", "missing.cu"], "missing.cu: No such file"),
    ],
)
def test_without_nvcc_mistakes_are_named(source, arguments, words, tmp_path):
    (tmp_path / "kernel.cu").write_text(source)
    ended = run("-c", WITHOUT_NVCC, *arguments, cwd=tmp_path)
    assert ended.returncode == 1 and words in ended.stderr


PROVIDED = (
    "import pycuda\nfolder = pycuda.provide_libcuda()\n"
    + LOADER
    + """
import os, sys
print(run(sys.argv[1].encode()), os.environ["NUMBA_CUDA_DRIVER"] == os.path.join(folder, "libcuda.so.1"))
for name in ("libcudart.so.13", "libnvidia-ml.so.1", "libnvJitLink.so.13", "libnvrtc.so.12"):
    ctypes.CDLL(name, mode=os.RTLD_NOLOAD)
print(os.environ["PYCUDA_DRIVER"], "LD_PRELOAD" in os.environ)
"""
)


def test_a_process_can_provide_the_driver_to_what_it_imports_later():
    environment = {name: text for name, text in os.environ.items() if name not in ("LD_LIBRARY_PATH", "LD_PRELOAD")}
    ended = subprocess.run(
        [sys.executable, "-c", PROVIDED, KERNEL], capture_output=True, text=True, env=environment, check=False
    )
    assert ended.stdout == "42 True\ncpu False\n", ended.stderr


def test_a_process_with_another_driver_is_told(tmp_path):
    other = tmp_path / "libcuda.so.1"
    text = "int cuInit(unsigned flags) { return (int)flags; }"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", other, "-x", "c", "-"],
        input=text,
        text=True,
        check=True,
    )
    program = "import ctypes, sys; ctypes.CDLL(sys.argv[1]); import pycuda; pycuda.provide_libcuda()"
    ended = subprocess.run([sys.executable, "-c", program, other], capture_output=True, text=True, check=False)
    assert "RuntimeError: another CUDA driver is loaded already" in ended.stderr


def test_all_stand_ins_are_installed():
    names = ("ptxas", "libnvidia-ml.so.1", "libcuda.so.1")
    assert all(_stand_ins.find(name) for name in names) and len(_stand_ins.libraries()) == 4


def test_a_toolkit_is_found_beside_nvcc(tmp_path):
    toolkit = tmp_path / "toolkit"
    for folder in ("bin", "include", "lib64"):
        (toolkit / folder).mkdir(parents=True)
    (toolkit / "bin/nvcc").write_text("#!/bin/sh\n")
    (toolkit / "bin/nvcc").chmod(0o755)
    (toolkit / "lib64/libcudadevrt.a").touch()
    program = (
        "import pathlib, shutil; print(*sorted(p for p in pathlib.Path(shutil.which('nvcc')).parents[1].glob('*/*')))"
    )
    environment = {**os.environ, "PYCUDA_CACHE_DIR": str(tmp_path / "cache")}
    found = run("-c", program, env={**environment, "PATH": f"{toolkit / 'bin'}:{os.environ['PATH']}"})
    assert found.returncode == 0, found.stderr
    names = [pathlib.Path(path).relative_to(pathlib.Path(path).parents[1]).as_posix() for path in found.stdout.split()]
    assert names == ["bin/nvcc", "bin/ptxas", "lib64/libcudadevrt.a"]
    # Links do not outlive what they lead to.
    (toolkit / "lib64/libcudadevrt.a").unlink()
    (toolkit / "lib64").rmdir()
    run("-c", program, env={**environment, "PATH": f"{toolkit / 'bin'}:{os.environ['PATH']}"})
    tools = pathlib.Path(found.stdout.split()[0]).parents[1]
    assert sorted(path.name for path in tools.iterdir()) == ["bin", "include"]
