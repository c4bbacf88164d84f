# SPDX-License-Identifier: MIT
"""What the CPU driver is built with: documents name it, and `pip install .` says what is missing."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pycuda
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_documents_name_the_packages_that_are_looked_for():
    looked_for = set(re.findall(r"\b[\w-]+-dev\b", (ROOT / "cmake" / "CpuDriverNeeds.cmake").read_text()))
    assert len(looked_for) == 4
    for page in ("README.md", "docs/guide/testing.md"):
        commands = re.sub(r"\n {10,}", " ", (ROOT / page).read_text())
        (named,) = re.findall(r"apt-get install ([\w+ -]*llvm-19-dev[\w+ -]*)", commands)
        assert {name for name in named.split() if name.endswith("-dev")} == looked_for, page
    installed_by_run = set(re.findall(r"\becho ([\w-]+-dev)\b", (ROOT / "run").read_text()))
    assert looked_for <= installed_by_run


@pytest.mark.parametrize("asked_for_by", ["pip", "cmake"])
def test_a_missing_library_is_named(asked_for_by, tmp_path):
    if any(shutil.which(program) is None for program in ("cmake", "ninja", "c++")):
        pytest.skip("needs cmake, ninja and a C++ compiler")
    done = subprocess.run(
        [
            # CMake's default asks for make, which the project does not need.
            *("cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path, "-DPYCUDA_PYTHON=OFF", "-DPYCUDA_NEEDS_zstd=OFF"),
            f"-DPython_EXECUTABLE={sys.executable}",  # its packages have CUDA's headers
            *(["-DSKBUILD=ON"] if asked_for_by == "pip" else []),
        ],
        capture_output=True,
        text=True,
    )
    said = " ".join(done.stderr.split())
    assert re.search(r"apt-get install [\w -]*libzstd-dev", said), said
    if asked_for_by == "pip" and any(os.path.exists(device) for device in ("/dev/nvidiactl", "/dev/dxg")):
        assert done.returncode == 0 and "The CPU driver is left out" in said, said
        assert not (tmp_path / "src" / "cpu").exists()
    elif asked_for_by == "pip":
        # One line each, to be copied. pip 23.0, which Debian 12 has, knows the option by its long name alone.
        lines = [line.strip() for line in done.stderr.splitlines()]
        assert done.returncode != 0, said
        assert any(re.fullmatch(r"apt-get install [\w -]*libzstd-dev[\w -]*", line) for line in lines), said
        assert "pip install . --config-settings=cmake.define.PYCUDA_CPU_DRIVER=OFF" in lines, said
    else:
        assert done.returncode != 0 and "-DPYCUDA_CPU_DRIVER=OFF" in said, said


def test_the_linker_of_the_system_understands_the_lists_of_exported_symbols(tmp_path):
    if any(shutil.which(program) is None for program in ("cmake", "ninja", "c++")):
        pytest.skip("needs cmake, ninja and a C++ compiler")
    build = tmp_path / "build"
    python = f"-DPython_EXECUTABLE={sys.executable}"
    linkers = ("-DPYCUDA_MOLD=OFF", "-DPYCUDA_LLD=OFF")
    command = ["cmake", "-G", "Ninja", "-S", ROOT, "-B", build, "-DPYCUDA_PYTHON=OFF", python, *linkers]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 and "-DPYCUDA_CPU_DRIVER=OFF" in done.stderr:  # the advice where something is missing
        pytest.skip("needs what the CPU driver is built with")
    assert done.returncode == 0, done.stderr
    lists = sorted((build / "src").rglob("*.map"))
    assert {"standin_nvml.map", "exports.map", "cublas13.map"} <= {file.name for file in lists}
    source = tmp_path / "empty.cpp"
    source.write_text("")
    for file in lists:
        if file.name == "dash.map":  # what CMake tries
            continue
        link = ["c++", "-shared", "-fPIC", source, f"-Wl,--version-script={file}", "-o", tmp_path / "empty.so"]
        done = subprocess.run(link, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_the_cpu_driver_links_with_gnu_ld(tmp_path):
    build = pathlib.Path(pycuda.__file__).absolute().parents[2]
    if shutil.which("ninja") is None or shutil.which("ld.bfd") is None:
        pytest.skip("needs ninja and GNU ld")
    if not (build / "build.ninja").exists() or not (build / "src/cpu/jit/libcpu_jit.a").exists():
        pytest.skip("needs the folder that the CPU driver was built in")
    commands = subprocess.check_output(["ninja", "-t", "commands", "libcuda_cpu.so"], cwd=build, text=True)
    link = commands.splitlines()[-1].split(" && ")[1]
    library = tmp_path / "libcuda_cpu.so"
    link = re.sub(r" -fuse-ld=\w+", "", link).replace(" -o src/cpu/api/libcuda_cpu.so ", f" -fuse-ld=bfd -o {library} ")
    done = subprocess.run(link, shell=True, cwd=build, capture_output=True, text=True)
    assert done.returncode == 0 and library.exists(), done.stderr[-2000:]


def test_a_package_folder_that_leads_to_the_sources_is_refused(tmp_path):
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    source, package = tmp_path / "source", tmp_path / "package"
    (source / "part").mkdir(parents=True)
    (source / "part/module.py").write_text("value = 1")
    link = ["cmake", f"-DSOURCE={source}", f"-DDESTINATION={package}", "-P", ROOT / "src/bindings/link_package.cmake"]
    assert subprocess.run(link).returncode == 0
    assert (package / "part/module.py").readlink() == source / "part/module.py"
    shutil.rmtree(package / "part")
    (package / "part").symlink_to(source / "part")
    done = subprocess.run(link, capture_output=True, text=True)
    assert done.returncode != 0 and "leads to the sources" in done.stderr
    assert (source / "part/module.py").read_text() == "value = 1"
