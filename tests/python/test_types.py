# SPDX-License-Identifier: MIT
"""The package's types: stubs agree with what they describe, and programs check under `mypy --strict`."""

import ast
import importlib
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import pycuda
import pytest
from pycuda import gpuarray
from pycuda._arrays.methods import METHODS

FOLDER = pathlib.Path(__file__).parent / "typed"
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
PACKAGE = pathlib.Path(pycuda.__file__).parent


def _typed_modules():
    """The modules with stubs that stubtest imports: with a package within the package, all of its modules.

    That is why `gl` is not among them: one of its modules needs a window.
    """
    stubs = [path.relative_to(PACKAGE) for path in PACKAGE.glob("*/*.pyi") if path.parent.name != "gl"]
    packages = {path.parent for path in stubs if path.name == "__init__.pyi"}
    alone = [path.with_suffix("") for path in stubs if path.parent not in packages]
    alone += [path.relative_to(PACKAGE).with_suffix("") for path in PACKAGE.glob("[!_]*.pyi")]
    return sorted("pycuda." + ".".join(path.parts) for path in {*packages, *alone})


TYPED_MODULES = _typed_modules()


def _run(module, *arguments, folder):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("needs mypy")
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)}
    # One for all tests: NumPy's types and the package's are read once.
    cache = ["--cache-dir", str(folder.parent / "mypy")] if module == "mypy" else []
    return subprocess.run(
        [sys.executable, "-m", module, *cache, *map(str, arguments)],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_stubs_agree_with_the_modules(tmp_path):
    found = _run(
        "mypy.stubtest",
        "--concise",
        "--ignore-missing-stub",
        "--allowlist",
        FOLDER / "allowed_differences.txt",
        *TYPED_MODULES,
        folder=tmp_path,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def _names_in(body):
    names = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    names |= {target.id for node in body if isinstance(node, ast.Assign) for target in node.targets}
    names |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    return names | {one.asname or one.name for node in body if isinstance(node, ast.ImportFrom) for one in node.names}


def test_every_method_and_function_of_arrays_has_types():
    # stubtest is asked to pass over names that stubs lack: modules have names that are nobody's business.
    stub = ast.parse((PACKAGE / "gpuarray.pyi").read_text()).body
    (array,) = (node for node in stub if isinstance(node, ast.ClassDef) and node.name == "GPUArray")
    assert {name for name in METHODS if not name.startswith("_")} <= _names_in(array.body)
    assert set(gpuarray.__all__) <= _names_in(stub)


def _without_types(source):
    """The public names of a module that say no type: functions and variables."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            if node.returns is None or not all(argument.annotation for argument in arguments):
                yield node.name
        if isinstance(node, ast.Assign):
            names = [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
            yield from (name for name in names if not name.startswith("_"))


def test_every_public_module_has_types():
    without_stub = {f"pycuda.{name}" for name in PUBLIC_MODULES} - {"pycuda.gl"} - set(TYPED_MODULES)
    assert without_stub == {"pycuda.autoinit", "pycuda.autoprimaryctx", "pycuda.characterize", "pycuda.sparse"}
    for name in without_stub:
        path = PACKAGE / name.removeprefix("pycuda.")
        source = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text()
        assert list(_without_types(source)) == [], name
    assert (PACKAGE / "gl" / "__init__.pyi").exists()
    assert list(_without_types("a = 1\ndef f(x): ...\ndef g(x: int) -> int: ...\nb: int = 1")) == ["a", "f"]


def test_modules_that_say_their_types_themselves_are_seen_by_a_type_checker(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import pycuda.autoinit\nimport pycuda.autoprimaryctx\nfrom typing_extensions import assert_type\n"
        "from pycuda import characterize, driver\n"
        "assert_type(pycuda.autoinit.context, driver.Context)\n"
        "assert_type(pycuda.autoprimaryctx.device.warp_size, int)\n"
        "assert_type(characterize.sizeof('int'), int)\n"
        "pycuda.autoinit.device.warp_sise\n"
    )
    found = _run("mypy", "--strict", program, folder=tmp_path).stdout
    told = [line for line in found.splitlines() if line.startswith("program.py")]
    assert len(told) == 1 and 'has no attribute "warp_sise"; maybe "warp_size"?' in told[0], found


PUBLIC_MODULES = [
    "array_api",
    "autoinit",
    "autoprimaryctx",
    "characterize",
    "compiler",
    "cumath",
    "curandom",
    "driver",
    "elementwise",
    "gl",
    "gpuarray",
    "reduction",
    "scan",
    "sparse",
    "tools",
]


def _every_public_name():
    """A program that names all that the public modules say they have."""
    lines = ["import pycuda"]
    for name in PUBLIC_MODULES:
        if name not in ("autoinit", "gl"):
            module = importlib.import_module(f"pycuda.{name}")
            names = getattr(module, "__all__", None) or [one for one in vars(module) if not one.startswith("_")]
            own = [one for one in names if getattr(getattr(module, one), "__module__", "").startswith("pycuda")]
            lines += [f"import {module.__name__}", *(f"{module.__name__}.{one}" for one in own)]
    return "\n".join(lines) + "\n"


def test_every_public_name_is_known_to_a_type_checker(tmp_path):
    (tmp_path / "names.py").write_text(_every_public_name())
    found = _run("mypy", "--strict", tmp_path / "names.py", folder=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


def test_stubs_export_what_they_import_and_the_module_has():
    # By the rules for stubs, `from a import b` is private, and `import b as b` and a star are not. mypy finds a name
    # that a star brings as well; pyright, and so VS Code, does not.
    for name in set(PUBLIC_MODULES) - {"gl"}:
        module = importlib.import_module(f"pycuda.{name}")
        stub = pathlib.Path(module.__file__).with_suffix(".pyi")
        for node in ast.parse(stub.read_text()).body if stub.exists() else ():
            if isinstance(node, ast.ImportFrom):
                private = {one.name for one in node.names if one.asname is None}
                assert private & set(getattr(module, "__all__", ())) == set(), f"{stub.name}: {node.module}"


@pytest.mark.parametrize("program", ["typical_program.py", "element_types.py", "namespace.py", "insight.py"])
def test_a_typed_program_is_clean_under_strict_rules(program, tmp_path):
    found = _run("mypy", "--strict", FOLDER / program, folder=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


def test_examples_are_clean_under_strict_rules(tmp_path):
    # The seeds are programs of others, which run unchanged; Dask and MPI have types of their own.
    programs = [path for path in sorted(EXAMPLES.glob("*.py")) if not path.name.startswith(("seed_", "dask_"))]
    assert len(programs) > 10
    found = _run("mypy", "--strict", *programs, folder=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr


def _run_pyright(folder, **settings):
    pytest.importorskip("basedpyright", reason="needs basedpyright")
    settings = {
        "extraPaths": [str(PACKAGE.parent)],
        "pythonVersion": "3.12",
        "reportMissingModuleSource": False,
        **settings,
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "-p", str(folder)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert found.returncode == 0, found.stdout + found.stderr


def test_stubs_and_typed_programs_are_clean_under_pyright(tmp_path):
    _run_pyright(
        tmp_path,
        include=[str(FOLDER), str(PACKAGE / "*.pyi")],
        exclude=[str(FOLDER / "refused.py")],
        typeCheckingMode="strict",
        reportPrivateUsage=False,  # the stubs share private names
    )


def test_every_public_name_is_known_to_pyright(tmp_path):
    (tmp_path / "names.py").write_text(_every_public_name())
    _run_pyright(tmp_path, include=["names.py"], typeCheckingMode="basic", reportUnusedExpression=False)


def test_examples_are_clean_under_pyright(tmp_path):
    # The seeds are programs of others, which run unchanged; Dask and MPI have types of their own.
    _run_pyright(
        tmp_path,
        include=[str(EXAMPLES / "*.py")],
        extraPaths=[str(PACKAGE.parent), str(EXAMPLES)],
        exclude=[str(EXAMPLES / name) for name in ("seed_*.py", "dask_options.py")],
        typeCheckingMode="standard",
    )


def test_mistakes_are_found_by_a_type_checker(tmp_path):
    program = FOLDER / "refused.py"
    found = _run("mypy", "--strict", program, folder=tmp_path)
    reported = {int(number) for number in re.findall(r"refused\.py:(\d+): error", found.stdout)}
    marked = {n for n, line in enumerate(program.read_text().splitlines(), 1) if "# refused" in line}
    assert reported == marked, found.stdout + found.stderr


def test_generic_classes_can_be_subscripted_when_the_program_runs():
    import numpy as np
    from pycuda.gpuarray import GPUArray
    from pycuda.reduction import ReductionKernel

    assert GPUArray[np.float32].__origin__ is GPUArray
    assert ReductionKernel[np.float32].__origin__ is ReductionKernel
