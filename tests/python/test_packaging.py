# SPDX-License-Identifier: MIT
"""How wheels are made: metadata for `pycuda`, the requirement of the CPU driver, symbols of an old glibc."""

import base64
import csv
import hashlib
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pycuda
import pytest
from pycuda import _original

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest brings it
    import tomli as tomllib

PACKAGING = pathlib.Path(__file__).resolve().parents[2] / "packaging"


@pytest.fixture
def backend(monkeypatch):
    pytest.importorskip("scikit_build_core", reason="needs scikit-build-core")
    monkeypatch.syspath_prepend(PACKAGING / "backend")
    import pycuda_build

    return pycuda_build


def rewritten(backend, folder, needs_cpu_distribution):
    """The files of a small wheel after the backend's additions."""
    own = f"pycuda_anywhere-{pycuda.ANYWHERE_VERSION}.dist-info"
    wheel = folder / "small.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("pycuda/__init__.py", "")
        archive.writestr(f"{own}/METADATA", "Metadata-Version: 2.4\nName: pycuda-anywhere\n\nA text\n\nof two lines.\n")
        archive.writestr(f"{own}/RECORD", "pycuda/__init__.py,,\n")
    backend._rewrite(wheel, needs_cpu_distribution)
    with zipfile.ZipFile(wheel) as archive:
        return own, {name: archive.read(name) for name in archive.namelist()}


def test_a_wheel_registers_pycuda_without_a_record(backend, tmp_path):
    own, files = rewritten(backend, tmp_path, False)
    version = f"{pycuda.VERSION_TEXT}+anywhere"
    folder = f"{own.removesuffix('.dist-info')}.data/platlib/pycuda-{version}.dist-info"
    assert {name for name in files if name.startswith(folder)} == {
        f"{folder}/{name}" for name in ("METADATA", "INSTALLER", "WHEEL")
    }
    assert f"Name: pycuda\nVersion: {version}\n".encode() in files[f"{folder}/METADATA"]
    assert files[f"{folder}/INSTALLER"] == b"pycuda-anywhere\n"


def test_the_record_of_a_wheel_lists_every_file_with_its_hash(backend, tmp_path):
    own, files = rewritten(backend, tmp_path, True)
    rows = {name: digest for name, digest, _ in csv.reader(files[f"{own}/RECORD"].decode().splitlines())}
    assert set(rows) == set(files) and rows.pop(f"{own}/RECORD") == ""
    for name, digest in rows.items():
        expected = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        assert digest == f"sha256={expected}", name


def test_the_commands_for_a_mixture_with_the_original_remove_both(backend, tmp_path):
    pytest.importorskip("pip", reason="needs pip")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    (site,) = (tmp_path / "venv/lib").glob("python*/site-packages")

    def install(name, version, files):
        folder = f"{name.replace('-', '_')}-{version}.dist-info"
        metadata = {
            f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            f"{folder}/RECORD": "".join(f"{file},,\n" for file in (*files, f"{folder}/METADATA", f"{folder}/RECORD")),
        }
        for file, text in {**files, **metadata}.items():
            (site / file).parent.mkdir(exist_ok=True)
            (site / file).write_text(text)

    install("pycuda", pycuda.VERSION_TEXT, {"pycuda/_pvt_struct.so": "", "pycuda/__init__.py": ""})
    install("pycuda-anywhere", pycuda.ANYWHERE_VERSION, {"pycuda/__init__.py": "", **backend._pycuda_metadata()})
    *removals, _ = _original._REMEDY.split("`")[1].split(" && ")
    assert removals and len(list(site.glob("pycuda*"))) == 4
    for command in removals:
        name, *arguments = command.split()
        assert name == "pip"
        pip = [sys.executable, "-m", "pip", "--python", tmp_path / "venv/bin/python"]
        done = subprocess.run([*pip, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert not list(site.glob("pycuda*"))


@pytest.mark.parametrize("needs_cpu_distribution", [False, True])
def test_a_published_wheel_requires_the_cpu_driver_of_its_version(needs_cpu_distribution, backend, tmp_path):
    own, files = rewritten(backend, tmp_path, needs_cpu_distribution)
    head, _, body = files[f"{own}/METADATA"].decode().partition("\n\n")
    line = f"Requires-Dist: pycuda-anywhere-cpu=={pycuda.ANYWHERE_VERSION}; sys_platform == 'linux'"
    assert (line in head) == needs_cpu_distribution and body == "A text\n\nof two lines.\n"


def test_a_published_wheel_takes_the_libraries_by_an_extra_alone(backend, tmp_path):
    requirements = pytest.importorskip("packaging.requirements", reason="needs packaging")
    own, files = rewritten(backend, tmp_path, True)
    needs = [
        requirements.Requirement(line.partition(": ")[2])
        for line in files[f"{own}/METADATA"].decode().splitlines()
        if line.startswith("Requires-Dist")
    ]
    driver = {"pycuda-anywhere-cpu"}
    for machine in ("x86_64", "aarch64"):
        here = {"sys_platform": "linux", "platform_machine": machine}
        for extra, names in (("", driver), ("libraries", driver | {"pycuda-anywhere-libraries"})):
            taken = {need.name for need in needs if need.marker.evaluate({**here, "extra": extra})}
            assert taken == names and all(str(need.specifier) == f"=={pycuda.ANYWHERE_VERSION}" for need in needs)
    for other in ({"platform_machine": "riscv64"}, {"sys_platform": "darwin"}):
        assert not any(need.marker.evaluate({**here, **other, "extra": "libraries"}) for need in needs)


def test_the_distributions_that_are_built_in_one_folder_are_built_alike():
    cpu, libraries = (
        tomllib.loads((PACKAGING / name / "pyproject.toml").read_text())["tool"]["scikit-build"]["cmake"]["define"]
        for name in ("cpu", "libraries")
    )
    assert cpu == libraries


def test_the_distribution_of_the_libraries_has_the_licences_of_what_is_linked_in():
    for name in ("GCC-exception-3.1", "GPL-3.0", "lz4", "zstd"):
        texts = [(PACKAGING / folder / "licenses" / f"{name}.txt").read_bytes() for folder in ("cpu", "libraries")]
        assert texts[0] == texts[1]


def test_a_source_distribution_has_every_file_of_the_checkout(backend, monkeypatch, tmp_path):
    root = PACKAGING.parent
    if shutil.which("git") is None or not (root / ".git").exists():
        pytest.skip("needs a git checkout")
    monkeypatch.chdir(root)
    archive = tmp_path / backend.build_sdist(str(tmp_path))
    (top,) = {member.name.split("/")[0] for member in tarfile.open(archive)}
    assert top == f"pycuda_anywhere-{pycuda.ANYWHERE_VERSION}"
    packed = {member.name.removeprefix(f"{top}/") for member in tarfile.open(archive) if not member.isdir()}
    assert {"PKG-INFO", "LICENSE", "packaging/cpu/licenses/LLVM.txt", "src/cpu/ptx/opcode.def"} <= packed

    tracked = set(subprocess.check_output(["git", "ls-files", "-z"], text=True).split("\0")) - {""}
    assert {name for name in tracked if (root / name).exists()} <= packed
    # New files may lie here before they are committed; what git ignores may not be in it.
    others = "\n".join(packed - tracked)
    assert not subprocess.run(["git", "check-ignore", "--stdin"], input=others, capture_output=True, text=True).stdout


@pytest.fixture
def release(monkeypatch):
    monkeypatch.syspath_prepend(PACKAGING)
    import release

    return release


def test_every_text_that_names_the_version_names_the_same(release):
    assert release.version() == pycuda.ANYWHERE_VERSION
    assert not list(release.version_problems(pycuda.ANYWHERE_VERSION))
    assert len(list(release.version_problems("999.0"))) == 3


@pytest.mark.parametrize(
    "remote, address",
    [
        ("https://example.org/group/project.git", "https://example.org/group/project"),
        ("https://user:secret@example.org/group/project", "https://example.org/group/project"),
        ("git@example.org:group/project.git", "https://example.org/group/project"),
        ("ssh://git@example.org/group/project/", "https://example.org/group/project"),
        ("/work/project", None),
        ("file:///work/project", None),
        ("https://localhost/project", None),
    ],
)
def test_only_a_public_remote_gives_the_address_of_a_release(release, remote, address):
    assert release.public_address(remote) == address


def test_the_address_is_written_once_to_everything_that_names_the_repository(release, tmp_path):
    root = PACKAGING.parent
    for name in (*release.BEFORE_URLS, "CITATION.cff", "packaging/conda/recipe.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, tmp_path / name)
    for address in ("https://example.org/old", "https://example.org/new"):
        for file, text in release.metadata_with(address, tmp_path).items():
            file.write_text(text)
    for file, text in release.metadata_with("https://example.org/new", tmp_path).items():
        assert file.read_text() == text and "example.org/new" in text and "example.org/old" not in text


@pytest.mark.parametrize("machine, oldest", [("x86_64", "2.2.5"), ("aarch64", "2.17")])
def test_stand_ins_for_an_old_glibc_have_its_symbols_and_no_newer_ones(machine, oldest, tmp_path):
    compiler = shutil.which("cc" if platform.machine() == machine else f"{machine}-linux-gnu-gcc")
    if compiler is None or shutil.which("readelf") is None:
        pytest.skip(f"needs a C compiler for {machine} and binutils")
    subprocess.run([sys.executable, PACKAGING / "glibc/make_stubs.py", "2.28", tmp_path, compiler], check=True)

    def symbols(library):
        command = ["readelf", "--dyn-syms", "-W", tmp_path / f"lib{library}.so"]
        return {row.split()[-1] for row in subprocess.check_output(command, text=True).splitlines() if "GLIBC_" in row}

    assert f"dlopen@@GLIBC_{oldest}" in symbols("dl") and f"pthread_create@@GLIBC_{oldest}" in symbols("pthread")
    memcpy = "2.14" if machine == "x86_64" else oldest
    assert f"pow@@GLIBC_{oldest}" in symbols("m") and f"memcpy@@GLIBC_{memcpy}" in symbols("c")
    assert any(name.startswith("__tls_get_addr@@") for name in symbols("ld_linux"))
    names = symbols("c") | symbols("m") | symbols("pthread")
    newest = max(tuple(map(int, name.rsplit("_", 1)[1].split("."))) for name in names if "@@" in name)
    assert newest == (2, 28)
    assert not {name for name in names if name.startswith(("arc4random@", "pthread_cond_clockwait@"))}


@pytest.fixture
def sysroot(tmp_path):
    """What matters of a folder that tools/aarch64_sysroot.sh makes."""
    for folder in ("usr/include/python3.11", "usr/lib/python3.11", "usr/lib/llvm-19"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "usr/include/python3.11/Python.h").touch()
    values = "build_time_vars = {'CC': 'gcc',\n 'EXT_SUFFIX': '.cpython-311-aarch64-linux-gnu.so',\n 'EXE': ''}\n"
    (tmp_path / "usr/lib/python3.11/_sysconfigdata__aarch64-linux-gnu.py").write_text(values)
    return tmp_path


def test_wheels_for_aarch64_are_built_for_the_python_of_the_sysroot_and_named_by_it(sysroot, monkeypatch):
    monkeypatch.syspath_prepend(PACKAGING)
    from wheel_target import Aarch64

    monkeypatch.setenv("CC", "clang")
    target = Aarch64(sysroot)
    assert [version for version in ("3.10", "3.11", "3.12") if target.supports(version)] == ["3.11"]
    for name, loads in (
        ("2_26_aarch64", True),
        ("2_28_aarch64", True),
        ("2_31_aarch64", False),
        ("2_28_x86_64", False),
    ):
        assert target.loads_from_oldest_glibc(f"pycuda_anywhere_cpu-0.2.0-py3-none-manylinux_{name}.whl") == loads
    # scikit-build-core tags wheels by it.
    assert target.environment()["_PYTHON_HOST_PLATFORM"] == "linux-aarch64" and "CC" not in target.environment()
    assert target.definitions()["CMAKE_TOOLCHAIN_FILE"].exists()
    with pytest.raises(ValueError, match="aarch64_sysroot.sh FOLDER makes one"):
        Aarch64(PACKAGING)


def target_python(root):
    """What CMake says of the Python in `root` as the one to build for."""
    script = PACKAGING.parent / "cmake/TargetPython.cmake"
    if shutil.which("cmake") is None:
        pytest.skip("needs cmake")
    command = ["cmake", f"-DPYCUDA_PYTHON_ROOT={root}", "-DPYCUDA_PYTHON=ON", "-P", script]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_extension_for_another_machine_takes_headers_and_suffix_from_its_python(sysroot):
    done = target_python(sysroot)
    assert done.returncode == 0 and "python3.11, cpython-311-aarch64-linux-gnu" in done.stdout


def test_a_root_without_the_one_python_to_build_for_is_refused(sysroot):
    values = next(sysroot.glob("usr/lib/python3.11/_sysconfigdata_*"))
    values.write_text("build_time_vars = {}\n")
    assert "has no EXT_SUFFIX" in target_python(sysroot).stderr
    (sysroot / "usr/include/python3.11/Python.h").unlink()
    assert "the headers of 0 Pythons" in target_python(sysroot).stderr


def test_all_distributions_are_built_with_the_same_headers_of_cuda():
    """Without nvidia-cuda-crt, or with older headers, libcudart is left out."""
    needs = []
    for folder in (PACKAGING.parent, PACKAGING / "cpu", PACKAGING / "libraries"):
        requires = tomllib.loads((folder / "pyproject.toml").read_text())["build-system"]["requires"]
        needs.append({need for need in requires if need.startswith("nvidia-")})
    assert needs[0] == needs[1] == needs[2] == {"nvidia-cuda-runtime>=13.5,<14", "nvidia-cuda-crt>=13.5,<14"}


def test_the_cpu_driver_is_linked_without_the_parts_of_llvm_that_it_never_calls():
    library = pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so"
    if not library.exists():
        pytest.skip("needs the CPU driver of this build")
    content = library.read_bytes()
    assert b"SelectionDAG" in content
    # LLVM's own descriptions of the passes.
    for description in (
        b"IRTranslator LLVM IR -> MI",
        b"Assign register bank of generic virtual registers",
        b"Modulo Software Pipelining",
        b"Machine Outliner",
        b"Load MIR Sample Profile",
    ):
        assert description not in content, f"src/cpu/left_out does not keep it out: {description.decode()}"
