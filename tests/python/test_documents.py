# SPDX-License-Identifier: MIT
"""Every code block of README and documents for users runs as printed.

`python` is a program, or a test file if it defines tests; `ipython` blocks are the cells of one session a page; `sh` is
commands; `yaml` is a job of a CI service; `c` declares functions that the CPU driver has. `text` is for what programs
print, and nothing else is used.
"""

import ast
import contextlib
import ctypes
import inspect
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import types

import numpy as np
import pycuda
import pytest
from programs import has_cpu_driver
from pycuda import gpuarray
from pycuda._arrays.ops import reductions

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "docs", *(ROOT / "docs" / name for name in ("guide", "howto", "course", "cpu-driver", "reference"))]
# Their commands install packages; the tests of packaging run them.
INSTALLING = {"installing.md", "platforms.md"}
PAGES = [ROOT / "README.md", *sorted(page for folder in FOLDERS for page in folder.glob("*.md"))]
PAGES = [page for page in PAGES if page.name not in INSTALLING]
# Open MPI asks root to be sure.
OPEN_MPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# Of connections that its scheduler or a worker has closed first.
DASK_COMPLAINS = {"complaints": ()}
BLOCK = re.compile(r"^ *```([\w{}]*)[^\n`]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)


def blocks(language):
    parameters = []
    for page in PAGES:
        found = [match[2] for match in BLOCK.finditer(page.read_text()) if match[1] == language]
        for number, text in enumerate(found, 1):
            parameters.append(pytest.param(text, id=f"{page.parent.name}-{page.stem}-{number}"))
    return parameters


def run(command, cwd=None, complaints=("Traceback", "Exception ignored"), **environment):
    settings = {**os.environ, **environment}
    # Files, as what a command leaves in the background would keep a pipe open; it ends with the command.
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command, stdout=output, stderr=errors, text=True, cwd=cwd, env=settings, start_new_session=True
        )
        try:
            status = process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        output.seek(0)
        errors.seek(0)
        printed, complained = output.read(), errors.read()
    assert status == 0, printed + complained
    for sign in complaints:
        assert sign not in complained, complained
    return printed


def test_every_block_is_of_a_kind_that_is_run():
    for page in PAGES:
        kinds = {match[1] for match in BLOCK.finditer(page.read_text())} - {
            "{toctree}",
            "{image}",
            "{literalinclude}",
            "{eval",
        }
        assert kinds <= {"python", "ipython", "sh", "yaml", "c", "text"}, f"{page.name}: {kinds}"


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().split()) <= 600


def test_printed_declarations_are_of_functions_that_the_cpu_driver_has():
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver")
    library = ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so"))
    declared = [name for block in blocks("c") for name in re.findall(r"\b(cu[A-Z]\w*)\(", block.values[0])]
    assert len(declared) > 5
    assert [name for name in declared if not hasattr(library, name)] == []


@pytest.mark.parametrize("program", blocks("python"))
def test_a_printed_program_runs(program, driver, tmp_path):
    if "def test_" in program:
        (tmp_path / "test_printed.py").write_text(program)
        output = run(
            [sys.executable, "-m", "pytest", "-q", "-p", "pycuda.pytest_plugin", "-p", "no:cacheprovider"], tmp_path
        )
        assert re.search(r"\d passed", output)
        return
    if "pycuda.provide_libcuda()" in program and not has_cpu_driver():
        pytest.skip("needs the CPU driver")
    for library in re.findall(r'CDLL\("(libcublas\.\S+?)"\)', program):
        if not (pathlib.Path(pycuda.__file__).parent / library).exists():
            pytest.skip(f"needs {library} of a build from source")
    complaints = {}
    if "from distributed import" in program:
        pytest.importorskip("distributed", reason="needs distributed")
        complaints = DASK_COMPLAINS
    file = tmp_path / "printed.py"
    file.write_text(program)
    # Programs that ask for two devices find them.
    run([sys.executable, str(file)], tmp_path, PYCUDA_CPU_DEVICES="2", **complaints)


SESSIONS = [page for page in PAGES if "```ipython" in page.read_text()]


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.stem)
def test_printed_cells_run_in_one_session(page, driver):
    pytest.importorskip("IPython", reason="needs IPython")
    cells = [match[2] for match in BLOCK.finditer(page.read_text()) if match[1] == "ipython"]
    run(
        [
            sys.executable,
            "-c",
            "import sys; from IPython.core.interactiveshell import InteractiveShell as Shell\n"
            "for cell in sys.argv[1:]: Shell.instance().run_cell(cell).raise_error()",
            *cells,
        ]
    )


@pytest.mark.parametrize("commands", blocks("sh"))
def test_printed_commands_run(commands, driver, tmp_path):
    if "./run " in commands:
        # The tests run inside one of these commands, so that here they are only looked up.
        listed = run([ROOT / "run", "help"])
        for command in re.findall(r"^\./run (\w+)", commands, re.MULTILINE):
            assert re.search(rf"^  {command}\b", listed, re.MULTILINE), f"./run has no command {command}"
        return
    beside = pathlib.Path(sys.executable).parent
    for tool, module in (("mpiexec", "mpi4py"), ("dask", "distributed")):
        if re.search(rf"\b{tool} ", commands):
            pytest.importorskip(module, reason=f"needs {module}")
            if not (beside / tool).exists() and shutil.which(tool) is None:
                pytest.skip(f"needs {tool}")
    if ("PYCUDA_DRIVER=cpu" in commands or driver.Device.count() < 4) and not has_cpu_driver():
        pytest.skip("needs the CPU driver")
    four = {} if driver.Device.count() >= 4 else {"PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_DEVICES": "4"}
    # Whatever is started in the background ends with the last command.
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        here = commands.replace("node1", "127.0.0.1").replace("8786", str(free.getsockname()[1]))
    script = "trap 'for job in $(jobs -p); do kill $job; done; wait' EXIT\n" + here
    path = os.pathsep.join([str(beside), os.environ["PATH"]])
    # What they read lies in the repository; what they write must not.
    for name in ("examples", "docs", "tests", "python", "benchmarks"):
        (tmp_path / name).symlink_to(ROOT / name)
    settings = {"PATH": path, "PYCUDA_CPU_THREADS": "1", **four}
    run(["bash", "-ec", script], tmp_path, **settings, **DASK_COMPLAINS, **OPEN_MPI_AS_ROOT)


DEVELOPMENT = sorted((ROOT / "docs" / "development").glob("*.md"))


def development_blocks(language, *pages):
    found = []
    for page in pages or DEVELOPMENT:
        texts = [textwrap.dedent(match[2]) for match in BLOCK.finditer(page.read_text()) if match[1] == language]
        found += [pytest.param(text, id=f"{page.stem}-{number}") for number, text in enumerate(texts, 1)]
    return found


@pytest.mark.parametrize("page", DEVELOPMENT, ids=lambda page: page.stem)
def test_blocks_for_developers_are_of_a_kind_and_name_what_there_is(page):
    for match in BLOCK.finditer(page.read_text()):
        language, text = match[1], textwrap.dedent(match[2])
        assert language in ("python", "sh", "text"), language
        if language != "sh":
            continue
        subprocess.run(["bash", "-n"], input=text, text=True, check=True)
        for path in re.findall(r"(?<![\w/.-])(?:tools|tests|docs|src|python)/[\w/.-]+", text):
            assert (ROOT / path).exists(), path
        for program in re.findall(r"build/release/(\S+)", text):
            folder, name = (ROOT / program).parent, pathlib.Path(program).name
            cmake = [file for file in (folder / "CMakeLists.txt", folder.parent / "CMakeLists.txt") if file.exists()]
            assert "*" in program or program == "tests" or any(name in file.read_text() for file in cmake), program


# What the commands of those pages work on.
DEVELOPERS_PROGRAM = """
import pycuda.autoinit
from pycuda import gpuarray
from pycuda.compiler import SourceModule
kernel = SourceModule("__global__ void k(int *a) { if (threadIdx.x > 3) a[threadIdx.x] = 1; }").get_function("k")
kernel(gpuarray.zeros(32, "int32"), block=(32, 1, 1))
"""


# One compares two states of the checkout, which a test leaves as it is.
COMMANDS = [block for block in development_blocks("sh") if "git stash" not in block.values[0]]


@pytest.mark.parametrize("commands", COMMANDS)
def test_commands_for_developers_run(commands, tmp_path):
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver")
    for program in re.findall(r"build/release/\S+", commands):
        if not (ROOT / program).exists():
            pytest.skip(f"needs {program}")
    # The tests run inside ./run, and they are among what it runs.
    commands = re.sub(r"^\./run (?:[^\n]*\\\n)*[^\n]*\n", "", commands, flags=re.MULTILINE)
    commands = commands.replace("/tmp/", f"{tmp_path}/").replace("--kernels 3000", "--kernels 12")
    for name in ("build", "docs", "src", "tests", "tools"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "program.py").write_text(DEVELOPERS_PROGRAM)
    shutil.copy(ROOT / "tests" / "ir" / "if-convert.ll", tmp_path / "kernel.ll")
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
    settings = {"PATH": path, "PYCUDA_DRIVER": "cpu", "PYCUDA_DISABLE_CACHE": "1"}
    run(["bash", "-ec", commands], tmp_path, **settings)
    if "/ir" in commands:
        assert list((tmp_path / "ir").glob("*if-convert*")), "the page says that dumps are there"


def test_the_method_that_developers_are_shown_is_right(context, monkeypatch):
    page = ROOT / "docs" / "development" / "array-method.md"
    operation, entry, stub = (block.values[0] for block in development_blocks("python", page))
    names = dict(vars(reductions))
    exec(operation, names)
    ((name, method),) = eval(f"{{{entry}}}", {"reductions": types.SimpleNamespace(**names)}).items()
    assert list(inspect.signature(method).parameters) == [one.arg for one in ast.parse(stub).body[0].args.args]
    monkeypatch.setattr(gpuarray.GPUArray, name, method, raising=False)
    host = np.arange(12.0).reshape(3, 4) % 5
    for axis in (None, 0, 1):
        assert (getattr(gpuarray.to_gpu(host), name)(axis).get() == getattr(np, name)(host, axis)).all()


def test_files_of_the_repository_that_pages_show_are_there():
    for page in PAGES:
        for name in re.findall(r"^```{literalinclude} (\S+)$", page.read_text(), re.MULTILINE):
            assert (page.parent / name).is_file(), f"{page.name}: {name}"


@pytest.mark.parametrize("job", blocks("yaml"))
def test_a_printed_job_tests_the_example_project(job, driver):
    job = re.sub(r"\n {10,}", " ", job)  # commands that go on in the next line
    commands = re.findall(r"^ *- run: (.*?)(?:  #.*)?$", job, re.MULTILINE)
    package, diagnosis, project, tests = commands
    assert package == "pip install pycuda-anywhere" and project == "pip install -e '.[test]'"
    assert tests.startswith("pytest ")
    options = tests.split()[1:]
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver")
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])
    # The runner has no GPU.
    run(["bash", "-eo", "pipefail", "-c", diagnosis], PATH=path, PYCUDA_DRIVER="cpu")
    run(
        [sys.executable, "-m", "pytest", "-p", "pycuda.pytest_plugin", "-p", "no:cacheprovider", *options],
        ROOT / "examples" / "testing_project",
    )
