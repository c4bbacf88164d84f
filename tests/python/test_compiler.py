# SPDX-License-Identifier: MIT
"""pycuda.compiler without a device: compiling, errors, options, headers."""

import pathlib
import textwrap
import warnings

import pytest
from compiling import MULTIPLY, compile_error, needs_cccl, ptx_of
from pycuda import _driver, compiler
from pycuda.compiler import compile

pytestmark = pytest.mark.usefixtures("no_compiler_settings")


class TestTargets:
    def test_ptx_has_the_kernel_under_its_own_name(self):
        ptx = ptx_of(MULTIPLY)
        assert ".entry multiply_them(" in ptx
        assert ".target sm_80" in ptx
        assert "\0" not in ptx

    def test_cubin_is_machine_code(self):
        assert compile(MULTIPLY, arch="sm_90", cache_dir=False).startswith(b"\x7fELF")

    def test_a_virtual_architecture_gives_ptx(self):
        assert b".entry" in compile(MULTIPLY, arch="compute_80", cache_dir=False)

    def test_fatbin_is_the_container_that_drivers_know(self):
        assert compile(MULTIPLY, arch="sm_80", target="fatbin", cache_dir=False).startswith(b"\x50\xed\x55\xba")

    def test_other_targets_are_refused(self):
        with pytest.raises(AssertionError):
            compile(MULTIPLY, target="obj")

    def test_code_decides_over_arch(self):
        assert compile(MULTIPLY, arch="compute_80", code="sm_86", cache_dir=False).startswith(b"\x7fELF")

    def test_without_extern_c_names_are_mangled(self):
        assert "_Z13multiply_them" in ptx_of(MULTIPLY, no_extern_c=True)

    def test_templates_compile_without_extern_c(self):
        source = "template <class T> __device__ T twice(T x) { return x + x; }\n" + (
            'extern "C" __global__ void k(float *a) { a[0] = twice(a[1]); }'
        )
        assert ".entry k(" in ptx_of(source, no_extern_c=True)

    @pytest.mark.parametrize("source", ["", "// nothing", "#define X 1", "#if 0\n__global__ void k() {}\n#endif"])
    def test_a_source_may_have_no_code(self, source):
        assert ".entry" not in ptx_of(source)

    def test_bytes_are_a_source_too(self):
        assert ".entry multiply_them(" in ptx_of(MULTIPLY.encode())

    def test_compile_plain_takes_a_source_as_it_is(self):
        image = compiler.compile_plain('extern "C" __global__ void k() {}', ["-arch=sm_80"], False, "nvcc", None, "ptx")
        assert b".entry k(" in image


class TestErrors:
    @pytest.mark.parametrize(
        "before",
        [
            "",
            "\n",
            "\n\n\n",
            "// a comment\n",
            "#define X 1\n",
            "#include <cuda_fp16.h>\n",
            "#include <stdio.h>\n\n",
            "#include <stdint.h>\nint early;\n#include <cuda_fp16.h>\n",
            "/* two\nlines */ ",
        ],
    )
    def test_line_numbers_are_the_users(self, before):
        source = before + "__global__ void k() {\n  no_such_name;\n}"
        line = source[: source.index("no_such_name")].count("\n") + 1
        error = compile_error(source)
        assert f"kernel.cu({line}): error: identifier" in error.stderr

    def test_the_log_shows_the_line_and_points_at_the_column(self):
        lines = compile_error("__global__ void k() { int x = missing; }").stderr.splitlines()
        assert lines[1].strip() == "__global__ void k() { int x = missing; }"
        assert lines[2].index("^") == lines[1].index("missing")

    def test_it_carries_message_command_and_log(self):
        error = compile_error("nonsense", options=["-lineinfo", "-O3"])
        assert error.msg.startswith("compilation of kernel.cu failed")
        assert "-lineinfo" in error.command_line and "-O3" not in error.command_line
        assert "kernel.cu(1): error" in error.stderr
        assert str(error).startswith("kernel.cu(1): error")
        assert "[command: nvrtc" in str(error) and "-lineinfo kernel.cu]" in str(error)

    def test_it_names_the_place_of_the_call(self):
        assert "compiling.py:" in compile_error("nonsense").msg

    def test_c_linkage_comes_with_advice(self):
        error = compile_error('extern "C" { template <class T> __device__ T f(T x) { return x; } }')
        assert "templates and overloads cannot have C linkage" in error.msg

    def test_an_unknown_option_is_named(self):
        assert "--no-such-option" in compile_error(MULTIPLY, options=["--no-such-option"]).stderr

    def test_machine_code_for_an_architecture_too_old_is_told_what_to_do(self):
        from pycuda._compilers import rtc, the_compiler

        gpu = _driver._DeviceTraits(capability=90, driver_version=13000)
        settings = {"options": [], "include_folders": [], "arch": "sm_20", "code": "", "target": "cubin", "nvcc": ""}
        with pytest.raises(rtc().CompileFailure, match="sm_20 is older than .*nvidia-cuda-nvrtc-cu12"):
            the_compiler().compile(
                source=MULTIPLY.encode(), device=gpu, extern_c=True, keep=False, cache_folder=None, **settings
            )

    def test_a_misspelt_architecture_is_named(self):
        assert "hopper" in compile_error(MULTIPLY, arch="hopper").msg

    def test_a_source_with_a_nul_is_refused(self):
        assert "NUL" in compile_error("int a;\0").msg

    def test_an_empty_source_compiles(self):
        assert ".version" in ptx_of("")

    def test_failures_leave_no_files_behind(self, tmp_path, monkeypatch):
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        compile_error("nonsense", cache_dir=str(tmp_path / "cache"))
        assert not any(path.is_file() for path in tmp_path.rglob("*"))

    def test_options_as_one_text_are_refused(self):
        with pytest.raises(TypeError, match="list"):
            compile(MULTIPLY, options="-O3")


class TestOptions:
    def test_options_of_nvcc_that_programs_pass_compile(self):
        options = [
            "-O3",
            "-g",
            "-m64",
            "--use_fast_math",
            "-lineinfo",
            "-Xcompiler",
            "-Wall",
            "-DX=1",
            "-D",
            "Y=2",
            "-maxrregcount",
            "32",
            "--compiler-options",
            "-fPIC",
            "-lcudadevrt",
            "--expt-relaxed-constexpr",
            "-prec-div=false",
            "-w",
            "-std=c++17",
            "-gencode",
            "arch=compute_80,code=sm_80",
            "-Xcicc",
            "-x",
        ]
        assert ".entry k(" in ptx_of("__global__ void k(int *a) { a[0] = X + Y; }", options=options)

    def test_options_that_change_no_code_reach_the_compiler_or_are_dropped(self, tmp_path):
        (tmp_path / "options.txt").write_text('-DX=1 "-DY=2"')
        options = ["-e", "k", "-time", "t.csv", "-t0", "--use-local-env", "-no-compress", "-compress-mode=none"]
        options += ["-Ofc=0", "-split-compile", "2", "-optf", str(tmp_path / "options.txt"), "-DZ=3,W=4"]
        assert ".entry k(" in ptx_of("__global__ void k(int *a) { a[0] = X + Y + Z + W; }", options=options)

    def test_warnings_become_errors_where_they_are_asked_to(self):
        source = "__global__ void k(int *a) { int unused; a[0] = 1; }"
        error = compile_error(source, options=["-Werror", "all-warnings"])
        assert "unused" in error.stderr

    def test_an_option_that_asks_for_another_job_is_refused_with_a_remedy(self):
        error = compile_error(MULTIPLY, options=["--preprocess"])
        assert "the option --preprocess is not supported" in error.stderr
        assert "preprocess_source" in error.stderr

    def test_fast_math_reaches_the_compiler(self):
        source = "__global__ void k(float *a) { a[0] = sinf(a[1]); }"
        assert "sin.approx" in ptx_of(source, options=["--use_fast_math"])
        assert "sin.approx" not in ptx_of(source)

    def test_default_flags_are_used_when_none_are_given(self, monkeypatch):
        monkeypatch.setattr(compiler, "DEFAULT_NVCC_FLAGS", ["-DVALUE=7"])
        assert "7" in ptx_of("__global__ void k(int *a) { a[0] = VALUE; }")
        compile_error("__global__ void k(int *a) { a[0] = VALUE; }", options=[])

    def test_the_callers_list_is_left_alone(self):
        options = ["-O3"]
        ptx_of(MULTIPLY, options=options)
        assert options == ["-O3"]

    def test_include_dirs_and_headers_of_headers(self, tmp_path):
        (tmp_path / "outer.h").write_text('#include "inner.h"\n')
        (tmp_path / "inner.h").write_text("#define N 3\n__global__ void from_header(int *a) { a[0] = N; }\n")
        assert ".entry from_header(" in ptx_of("#include <outer.h>\n", include_dirs=[str(tmp_path)])
        assert ".entry from_header(" in ptx_of('#include "outer.h"\n', options=["-I", str(tmp_path)])

    @pytest.mark.parametrize("option", [["--ptxas-options=-v"], ["-Xptxas", "-v"], ["-Xptxas -v"], ["-res-usage"]])
    @pytest.mark.parametrize("target", ["cubin", "ptx"])
    def test_the_register_report_comes_as_a_warning(self, option, target):
        with pytest.warns(UserWarning) as caught:
            compile(MULTIPLY, options=option, arch="sm_80", target=target, cache_dir=False)
        text = str(caught[0].message)
        assert text.startswith("The CUDA compiler succeeded, but said the following:\nptxas info    : 0 bytes gmem\n")
        assert "ptxas info    : Compiling entry function 'multiply_them' for 'sm_80'\n" in text
        assert "\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n" in text
        assert "ptxas info    : Used " in text and " registers" in text
        assert caught[0].filename == __file__

    def test_a_silent_compilation_warns_of_nothing(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ptx_of(MULTIPLY)

    def test_keep_leaves_the_files_and_says_where(self, capsys, tmp_path, monkeypatch):
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        compile(MULTIPLY, keep=True, arch="sm_80", cache_dir=False)
        text = capsys.readouterr().out
        assert text.startswith("*** compiler output in ")
        folder = pathlib.Path(text.removeprefix("*** compiler output in ").strip())
        assert {"kernel.cu", "kernel.ptx", "kernel.cubin"} <= {path.name for path in folder.iterdir()}


HEADER_SOURCES = {
    "stdio.h": 'printf("%d\\n", 1);',
    "cstdio": 'std::printf("%d\\n", 1);',
    "stdint.h": "uint32_t x = UINT32_MAX; uint8_t y = 1; a[0] = x + y;",
    "cstdint": "std::int64_t x = INT64_MAX; a[0] = x;",
    "math.h": "a[0] = M_PI * sqrt(a[1]) + INFINITY;",
    "cmath": "a[0] = std::sqrt(a[1]) + std::abs(a[2]) + std::pow(a[1], 2.0f);",
    "float.h": "a[0] = FLT_MAX + DBL_EPSILON;",
    "cfloat": "a[0] = FLT_MIN;",
    "limits.h": "a[0] = INT_MAX + LLONG_MIN;",
    "climits": "a[0] = UINT_MAX;",
    "limits": "a[0] = std::numeric_limits<float>::infinity();",
    "stdlib.h": "uint n = 3; ushort m = 4; a[0] = abs(-3) + n + m; free(malloc(4));",
    "cstdlib": "a[0] = std::abs(-3);",
    "string.h": 'memcpy(a, a + 1, 4); memset(a, 0, 4); a[0] = strlen("abc");',
    "cstring": "std::memcpy(a, a + 1, 4);",
    "assert.h": "assert(a != nullptr);",
    "cassert": "assert(a != nullptr);",
    "stddef.h": "ptrdiff_t d = 1; size_t s = 2; a[0] = d + s;",
    "cstddef": "std::size_t s = 2; a[0] = s;",
    "type_traits": "a[0] = std::is_same<std::remove_cv<const int>::type, int>::value;",
    "algorithm": "a[0] = std::min(a[1], std::max(a[2], 1.0f)); std::swap(a[1], a[2]);",
    "utility": "auto p = std::make_pair(1, 2.0f); a[0] = p.second;",
    "stdbool.h": "bool b = true; a[0] = b;",
    "time.h": "a[0] = clock();",
    "sys/types.h": "uint n = 1; a[0] = n;",
    "cuda_runtime.h": "a[0] = 1;",
    "device_launch_parameters.h": "a[0] = threadIdx.x;",
    "cuda_fp16.h": "__half h = __float2half(a[0]); a[1] = __half2float(__hadd(h, h));",
    "cuComplex.h": "cuFloatComplex z = make_cuFloatComplex(1, 2); a[0] = cuCabsf(z);",
    "math_constants.h": "a[0] = CUDART_PI_F;",
}


class TestHeaders:
    @pytest.mark.parametrize("header", HEADER_SOURCES)
    @pytest.mark.parametrize("no_extern_c", [False, True])
    def test_a_header_of_every_day_works(self, header, no_extern_c):
        source = f"#include <{header}>\n__global__ void k(float *a) {{ {HEADER_SOURCES[header]} }}\n"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert ".entry" in ptx_of(source, no_extern_c=no_extern_c)

    @pytest.mark.parametrize(
        "use",
        [
            "double x = M_PI + M_SQRT2 + INFINITY + NAN + HUGE_VAL",
            "uint x = UINT_MAX; ushort y = SHRT_MAX; ulong z = x + y",
            "int8_t x = CHAR_BIT; int64_t y = LLONG_MAX",
            "float x = std::abs(-1.f) + std::sqrt(2.f) + std::pow(2.f, 2.f)",
            "void *x = NULL; ptrdiff_t y = RAND_MAX",
        ],
    )
    def test_what_nvcc_knows_without_any_include_is_known_here(self, use):
        assert ".entry k(" in ptx_of(f"__global__ void k() {{ {use}; }}", options=["-w"])

    def test_programs_may_define_the_names_that_nvcc_leaves_free(self):
        source = """
        typedef unsigned int uint;
        typedef unsigned int uint32_t;
        typedef unsigned long long uint64_t;
        __device__ int strcmp(const char *a, const char *b) { return *a - *b; }
        #define FLT_MAX 1.0f
        __global__ void k(uint64_t *a, uint32_t b) { a[0] = b + strcmp("a", "b") + (uint)FLT_MAX; }
        """
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert ".entry k(" in ptx_of(source)

    def test_small_headers_and_libcuxx_go_together(self):
        source = (
            "#include <cstdint>\n#include <climits>\n#include <cfloat>\n#include <ctime>\n"
            "#include <limits>\n"
            "#include <cuda/std/cstdint>\n#include <cuda/std/climits>\n#include <cuda/std/cfloat>\n"
            "#include <cuda/std/ctime>\n#include <cuda/std/limits>\n#include <curand_kernel.h>\n"
            "__global__ void k(uint64_t *a) { a[0] = INT64_MAX - LONG_MAX; }\n"
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert ".entry k(" in ptx_of(source)

    def test_all_small_headers_go_together(self):
        small = [name for name in HEADER_SOURCES if "cuda" not in name]
        source = "".join(f"#include <{name}>\n" for name in small + small) + "__global__ void k() {}\n"
        assert ".entry k(" in ptx_of(source)

    @pytest.mark.parametrize(
        ("header", "body"),
        [
            (
                "curand_kernel.h",
                "curandState s; curand_init(1, 2, 3, &s); a[0] = curand_uniform(&s);",
            ),
            ("cooperative_groups.h", "cooperative_groups::this_thread_block().sync();"),
            (
                "cub/block/block_reduce.cuh",
                "typedef cub::BlockReduce<float, 128> R; __shared__ R::TempStorage t;a[0] = R(t).Sum(a[threadIdx.x]);",
            ),
        ],
    )
    def test_heavy_headers_work_inside_of_the_implicit_extern_c(self, header, body):
        needs_cccl()
        assert ".entry k(" in ptx_of(f"#include <{header}>\n__global__ void k(float *a) {{ {body} }}\n")

    def test_a_header_of_cuda_may_come_after_code_and_in_conditions(self):
        source = """
        #define WANT_HALF 1
        __device__ int first() { return 1; }
        #if WANT_HALF
        #include <cuda_fp16.h>
        #endif
        __global__ void k(__half *a) { a[0] = __float2half(first()); }
        """
        assert ".entry k(" in ptx_of(textwrap.dedent(source))

    def test_a_users_header_that_includes_cudas_keeps_c_linkage_for_its_kernels(self, tmp_path):
        (tmp_path / "mine.h").write_text(
            "#pragma once\n#include <cuda_fp16.h>\n__global__ void mine(__half *a) { a[0] = a[1]; }\n"
        )
        assert ".entry mine(" in ptx_of("#include <mine.h>\n", include_dirs=[str(tmp_path)])

    def test_unannotated_functions_are_device_functions(self):
        assert ".entry k(" in ptx_of("int f(int x) { return x; }\n__global__ void k(int *a) { a[0] = f(1); }")

    def test_a_missing_header_is_named(self):
        error = compile_error("#include <no_such_header.h>\n")
        assert "no_such_header.h" in error.msg and "kernel.cu(1)" in error.stderr


def test_options_that_are_no_texts_are_refused():
    with pytest.raises(TypeError, match="options must be a list of strings"):
        ptx_of(MULTIPLY, options=["-DA", None])
    assert "multiply_them" in ptx_of(MULTIPLY, options=[b"-DA=1"])
