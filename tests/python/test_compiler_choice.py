# SPDX-License-Identifier: MIT
"""Which compiler pycuda.compiler takes, and what it says of one that cannot be used."""

import os
import shutil
import subprocess
import sys

import pytest
from compiling import MULTIPLY, compile_error
from pycuda import compiler
from pycuda.compiler import compile, preprocess_source

pytestmark = pytest.mark.usefixtures("no_compiler_settings")


def run_python(program, **environment):
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


class TestCompilers:
    def test_an_unusable_nvrtc_is_named_in_a_compile_error(self, tmp_path):
        wrong = tmp_path / "libnvrtc.so.13"
        wrong.write_text("no library")
        result = run_python(
            "from pycuda.compiler import compile\n"
            "from pycuda.driver import CompileError\n"
            "try: compile('', arch='sm_80', cache_dir=False)\n"
            "except CompileError as error: print(error.msg)",
            PYCUDA_NVRTC=str(wrong),
        )
        assert str(wrong) in result.stdout, result.stderr
        assert f"PYCUDA_NVRTC={wrong} cannot be used" in result.stdout

    def test_importing_does_not_need_numpy_or_a_driver(self):
        program = "import sys, pycuda.compiler\nprint('numpy' in sys.modules, 'pycuda.driver' in sys.modules)"
        assert run_python(program).stdout.split() == ["False", "False"]

    def test_the_version_text_has_nvccs_form(self):
        assert "release 1" in compiler.get_nvcc_version("nvcc")

    def test_a_named_nvcc_that_is_missing_is_an_os_error(self):
        with pytest.raises(OSError, match="error invoking '/no/such/nvcc"):
            compile(MULTIPLY, nvcc="/no/such/nvcc", cache_dir=False)
        with pytest.raises(OSError, match="error invoking '/no/such/nvcc --version'"):
            compiler.get_nvcc_version("/no/such/nvcc")

    def test_a_named_nvcc_is_run_with_the_users_options(self, tmp_path):
        program = tmp_path / "my-nvcc"
        program.write_text(
            "#!/bin/sh\n"
            'while [ $# -gt 1 ]; do [ "$1" = -o ] && output=$2; echo "$1" >&2; shift; done\n'
            "cat kernel.cu > $output\n"
        )
        program.chmod(0o755)
        with pytest.warns(UserWarning, match="-O3"):
            image = compile(MULTIPLY, nvcc=str(program), options=["-O3"], arch="sm_80", cache_dir=False)
        assert b"multiply_them" in image

    def test_a_failing_nvcc_gives_its_output(self, tmp_path):
        program = tmp_path / "my-nvcc"
        program.write_text("#!/bin/sh\necho to stdout\necho 'kernel.cu(3): error: bad' >&2\nexit 2\n")
        program.chmod(0o755)
        error = compile_error(MULTIPLY, nvcc=str(program))
        assert error.stdout == "to stdout\n" and "kernel.cu(3)" in error.stderr
        assert error.command_line[0] == str(program)

    def test_an_unknown_choice_of_compiler_is_refused(self, monkeypatch):
        monkeypatch.setenv("PYCUDA_COMPILER", "clang")
        with pytest.raises(ValueError, match="PYCUDA_COMPILER"):
            compile(MULTIPLY)

    def test_a_source_is_preprocessed_without_nvcc(self, tmp_path, monkeypatch):
        from pycuda.driver import CompileError

        if not (shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")):
            pytest.skip("needs a C++ compiler")
        (tmp_path / "part.h").write_text("#define TWICE(x) ((x) + (x))\n")
        source = '#include "part.h"\n// gone\n__global__ void f(int *x) { *x = TWICE(N); }\n'
        options = ["-I", str(tmp_path), "-DN=21", "--ptxas-options=-v", "-O3"]
        text = preprocess_source(source, options, "nvcc")
        assert text.split() == "__global__ void f(int *x) { *x = ((21) + (21)); }".split()
        monkeypatch.chdir(tmp_path)
        assert preprocess_source(source, ["-I.", *options[2:]], "nvcc") == text
        conditional = "#ifdef __CUDACC__\nint device;\n#else\nint host;\n#endif\n"
        assert preprocess_source(conditional, [], "nvcc").strip() == "int device;"
        with pytest.raises(CompileError, match="nvcc preprocessing of .* failed") as caught:
            preprocess_source('#include "nothing_of_this_name.h"\n', [], "nvcc")
        assert "nothing_of_this_name.h" in caught.value.stderr
        monkeypatch.setenv("PATH", "/nonexistent")
        with pytest.raises(OSError, match="/nonexistent/nvcc --preprocess"):
            preprocess_source(source, options, "/nonexistent/nvcc")

    def test_what_turns_into_text_is_preprocessed_by_a_program(self, tmp_path):
        class Tree:
            def __str__(self):
                return "int a;\n"

        program = tmp_path / "nvcc"
        program.write_text('#!/bin/sh\ncat "$2"\n')
        program.chmod(0o755)
        assert preprocess_source(Tree(), [], str(program)) == "int a;\n"

    def test_the_old_names_are_there(self):
        assert compiler.JitLinkModule is compiler.DynamicModule
        assert issubclass(compiler.DynamicSourceModule, compiler.CudaModule)


HOST_CODE = "#include <thread>\n__host__ void start(std::thread &) {}\n__global__ void from_nvcc(int *a) { *a = 1; }\n"

COMPILE_TWICE = f"""
from pycuda.compiler import compile
for number in range(2):
    compile({HOST_CODE!r} + f"// {{number}}", arch="sm_80", target="ptx", cache_dir=False)
"""


@pytest.fixture
def path_with_nvcc(tmp_path):
    """A PATH with an nvcc that writes the source as its output."""
    program = tmp_path / "nvcc"
    program.write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp "$3" "$2"\n')
    program.chmod(0o755)
    return f"{tmp_path}:{os.environ['PATH']}"


def test_the_help_of_an_installed_nvcc_is_told_once(path_with_nvcc):
    result = run_python(COMPILE_TWICE, PATH=path_with_nvcc)
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("compiles it; where no nvcc is installed it fails") == 1
    assert "NVRTC says: kernel.cu(2): error" in result.stderr


def test_a_choice_of_nvrtc_means_that_no_nvcc_is_tried(path_with_nvcc):
    result = run_python(COMPILE_TWICE, PATH=path_with_nvcc, PYCUDA_COMPILER="nvrtc")
    assert "CompileError" in result.stderr


def test_a_choice_of_nvrtc_takes_nothing_that_nvcc_has_made_from_the_cache(path_with_nvcc, tmp_path):
    folder = str(tmp_path / "own")
    program = COMPILE_TWICE.replace("cache_dir=False", f"cache_dir={folder!r}")
    assert run_python(program, PATH=path_with_nvcc).returncode == 0
    assert any((tmp_path / "own").iterdir())
    assert "CompileError" in run_python(program, PATH=path_with_nvcc, PYCUDA_COMPILER="nvrtc").stderr
