# SPDX-License-Identifier: MIT
"""What the CPU driver is compared with, where each is found, and how Intel's runtime gets a folder of its own."""

import ctypes.util
import dataclasses
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable

HERE = pathlib.Path(__file__).parent
#: The benchmark's own: the product neither needs nor sees it.
INTEL_FOLDER = HERE.parents[1] / "build" / "rivals" / "intel"
INTEL_WHEELS = ["intel-opencl-rt", "intel-cmplr-lib-rt"]


@dataclasses.dataclass(frozen=True)
class Rival:
    name: str
    #: worker.py's arguments, and its environment.
    arguments: list[str]
    environment: dict[str, str] = dataclasses.field(default_factory=dict)


def compile_native(folder: pathlib.Path, name: str, compiler: list[str], threads: int) -> Rival | str:
    """The C++ programs as a rival, or why not."""
    if shutil.which(compiler[0]) is None:
        return f"{compiler[0]} is not installed"
    library = folder / f"{name.replace(' ', '')}.so"
    sources = [str(HERE / name) for name in ("native.cpp", "native_harder.cpp", "native_varied.cpp")]
    flags = ["-march=native", "-std=c++20", "-shared", "-fPIC", "-pthread", f"-DWORKERS={threads}"]
    done = subprocess.run([*compiler, *flags, *sources, "-o", str(library)], capture_output=True, text=True)
    if done.returncode != 0:
        return f"does not compile: {done.stderr[:300]}"
    return Rival(name, ["native", str(library)])


def native_rivals(folder: pathlib.Path, threads: int, is_wanted: Callable[[str], bool]) -> dict[str, Rival | str]:
    clang = next((c for c in ("clang++-19", "clang++") if shutil.which(c)), "clang++")
    fast = ["-Ofast", "-mprefer-vector-width=512"]
    with_libmvec = ["-fveclib=libmvec"]
    return {
        name: compile_native(folder, name, compiler, threads)
        for name, compiler in {
            "g++ -O3": ["g++", "-O3"],
            "g++ -Ofast": ["g++", *fast],
            "clang -Ofast": [clang, *fast, *with_libmvec, "-Wno-deprecated"],
        }.items()
        if is_wanted(name)
    }


def intel_library() -> pathlib.Path | None:
    found = sorted(INTEL_FOLDER.glob("lib/libintelocl.so.*.*"))
    return found[0] if found else None


def install_intel() -> None:
    """A virtual environment with Intel's wheels (about 850 MB)."""
    subprocess.run([sys.executable, "-m", "venv", str(INTEL_FOLDER)], check=True)
    subprocess.run([str(INTEL_FOLDER / "bin" / "pip"), "install", "-q", *INTEL_WHEELS], check=True)


def opencl_rivals(folder: pathlib.Path, threads: int) -> dict[str, Rival | str]:
    loader = ctypes.util.find_library("OpenCL")
    if loader is None:
        missing = "no OpenCL loader: apt-get install ocl-icd-libopencl1"
        return {"PoCL": missing, "Intel": missing}
    rivals: dict[str, Rival | str] = {}
    vendors = pathlib.Path("/etc/OpenCL/vendors")
    if (vendors / "pocl.icd").exists():
        pocl_folder = folder / "pocl"
        pocl_folder.mkdir()
        shutil.copy(vendors / "pocl.icd", pocl_folder)
        settings = {"OCL_ICD_VENDORS": str(pocl_folder), "POCL_MAX_PTHREAD_COUNT": str(threads)}
        for method in ("loopvec", "cbs"):
            environment = {**settings, "POCL_WORK_GROUP_METHOD": method}
            environment["POCL_CACHE_DIR"] = str(folder / f"pocl-cache-{method}")
            rivals[f"PoCL, {method}"] = Rival(
                f"PoCL, {method}", ["opencl", loader, "Portable Computing Language"], environment
            )
    else:
        rivals["PoCL"] = "not installed: apt-get install pocl-opencl-icd"
    library = intel_library()
    if library is None:
        rivals["Intel"] = "not installed: ./run bench cpu --install-intel"
        return rivals
    intel_folder = folder / "intel"
    intel_folder.mkdir()
    (intel_folder / "intel.icd").write_text(f"{library}\n")
    for mode in ("auto", "16", "32"):
        environment = {"OCL_ICD_VENDORS": str(intel_folder), "CL_CONFIG_CPU_TBB_NUM_WORKERS": str(threads)}
        if mode != "auto":
            environment["CL_CONFIG_CPU_VECTORIZER_MODE"] = mode
        rivals[f"Intel, {mode}"] = Rival(f"Intel, {mode}", ["opencl", loader, "Intel"], environment)
    return rivals
