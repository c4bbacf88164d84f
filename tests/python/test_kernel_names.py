# SPDX-License-Identifier: MIT
"""Kernels by the names that C++ gives them."""

import shutil
import struct

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import _driver, gpuarray
from pycuda._images import has_variables, variables_in_use
from pycuda.compiler import SourceModule, compile

pytestmark = pytest.mark.usefixtures("context")

TEMPLATE = """
template <class T, int N> __global__ void k(T *a) { a[0] = N; }
template __global__ void k<float, 3>(float *);
namespace n { template <class T> struct two { T a, b; }; __global__ void z(int *a) { a[0] = 1; } }
__global__ void f(float *a) { a[0] = 2; }
__global__ void f(const int *from, int *a) { a[0] = from[0] + 1; }
"""


def run(function, dtype=np.int32):
    result = gpuarray.zeros(1, dtype)
    function(result, block=(1, 1, 1))
    return result.get()[0]


@pytest.fixture
def module():
    return SourceModule(TEMPLATE, no_extern_c=True)


@pytest.mark.parametrize("name", ["k<float, 3>", "k<float,3>", " k < float , 3 > ", "k<float, 3>(float *)"])
def test_an_instance_in_the_module_is_found_however_it_is_spaced(module, name):
    assert run(module.get_function(name), np.float32) == 3


def test_kernels_in_namespaces_are_found(module):
    for name in ("n::z", "n::z(int*)", "n :: z", "_ZN1n1zEPi"):
        assert run(module.get_function(name)) == 1


@pytest.mark.parametrize("no_extern_c", [False, True])
def test_kernels_in_unnamed_namespaces_are_found(no_extern_c):
    source = """
    namespace { __global__ void k(int *a) { a[0] = 6; } }
    namespace n { namespace { __global__ void z(int *a) { a[0] = 7; } } }
    """
    module = SourceModule(source, no_extern_c=no_extern_c)
    assert run(module.get_function("k")) == 6
    assert run(module.get_function("(anonymous namespace)::k(int *)")) == 6
    assert run(module.get_function("n::z")) == 7


@pytest.mark.parametrize("no_extern_c", [False, True])
def test_kernels_in_inline_namespaces_are_found(no_extern_c):
    source = """
    #define VERSION inline namespace v3
    inline namespace v1 { __global__ void k(int *a) { a[0] = 1; } }
    namespace n { inline namespace v2 { __global__ void z(int *a) { a[0] = 2; } } }
    VERSION { __global__ void m(int *a) { a[0] = 3; } template <int N> __global__ void t(int *a) { a[0] = N; } }
    namespace apart { __global__ void w(int *a) { a[0] = 4; } }
    """
    module = SourceModule(source, no_extern_c=no_extern_c)
    for name, value in [
        ("k", 1), ("::k", 1), ("v1::k", 1), ("k(int *)", 1), ("n::z", 2), ("n::v2::z", 2), ("m", 3), ("v3::m", 3),
        ("t<5>", 5), ("v3::t<6>", 6), ("apart::w", 4),
    ]:  # fmt: skip
        assert run(module.get_function(name)) == value, name
    if no_extern_c:
        with pytest.raises(cuda.LogicError, match="no kernel 'w': .*'apart::w"):
            module.get_function("w")


def test_overloads_are_told_apart_by_their_parameters(module):
    assert run(module.get_function("f(float *)"), np.float32) == 2
    two = module.get_function("f(const int *, int *)")
    result = gpuarray.zeros(1, np.int32)
    two(gpuarray.to_gpu(np.array([6], np.int32)), result, block=(1, 1, 1))
    assert result.get()[0] == 7
    with pytest.raises(
        cuda.LogicError, match=r"several kernels are named 'f': 'f\(float\*\)', 'f\(int const\*, int\*\)'"
    ):
        module.get_function("f")


@pytest.mark.parametrize(
    ("name", "dtype", "value"),
    [
        ("k<int, 5>", np.int32, 5),
        ("k<double, 2 + 2>", np.float64, 4),
        ("k<unsigned short,7>(unsigned short *)", np.uint16, 7),
    ],
)
def test_an_instance_that_the_module_lacks_is_compiled(module, name, dtype, value):
    assert run(module.get_function("n::z")) == 1
    assert run(module.get_function(name), dtype) == value
    assert run(module.get_function(name), dtype) == value
    assert run(module.get_function("k<float, 3>"), np.float32) == 3


def test_instances_are_named_beforehand():
    module = SourceModule(TEMPLATE, no_extern_c=True, name_expressions=["k<int, 8>", "k<long long, 9>"])
    assert run(module.get_function("k<int, 8>")) == 8
    assert run(module.get_function("k<long long, 9>"), np.int64) == 9


def test_an_instance_comes_from_the_cache_the_second_time(tmp_path):
    for _ in range(2):
        module = SourceModule(TEMPLATE, no_extern_c=True, cache_dir=str(tmp_path))
        assert run(module.get_function("k<int, 11>")) == 11
    assert len(list(tmp_path.iterdir())) == 2


def test_functions_of_before_stay_usable():
    module = SourceModule(TEMPLATE, no_extern_c=True)
    before = module.get_function("n::z")
    module.get_function("k<int, 6>")
    assert run(before) == 1


class TestVariables:
    SOURCE = """
    __device__ int counter;
    template <int N> __global__ void add() { counter += N; }
    __global__ void plain() { counter += 1; }
    """

    def test_an_instance_of_a_module_in_use_would_have_its_own(self):
        module = SourceModule(self.SOURCE, no_extern_c=True)
        module.get_global("counter")
        with pytest.raises(cuda.LogicError, match=r'name_expressions=\["add<3>"\]'):
            module.get_function("add<3>")

    def test_another_spelling_of_a_kernel_of_a_module_in_use_is_found(self):
        module = SourceModule(
            "typedef float real; __device__ int state; __global__ void s() { state++; }"
            "namespace n { inline namespace v { __global__ void z(real *a, const real *b) { a[0] = 1; } } }"
        )
        module.get_function("s")
        for name in ("n::z", "::n::z", "n::v::z", "n::z(float *, const float *)", "n::z(real *, real const *)"):
            out = np.zeros(1, np.float32)
            module.get_function(name)(cuda.Out(out), cuda.In(out), block=(1, 1, 1))
            assert out[0] == 1

    def test_a_module_that_is_not_in_use_is_replaced(self):
        module = SourceModule(self.SOURCE, no_extern_c=True)
        module.get_function("add<3>")(block=(1, 1, 1))
        module.get_function("plain")(block=(1, 1, 1))
        assert cuda.from_device(module.get_global("counter")[0], 1, np.int32)[0] == 4

    CONSTANTS = """
    #include <curand_kernel.h>
    struct six { static const int value = 6; static constexpr float table[3] = {1, 2, 3}; };
    const int squares[4] = {0, 1, 4, 9};
    static __constant__ float ones[2] = {1, 1};
    __device__ int unused;
    struct base { __device__ virtual int f() { return 1; } };
    struct derived : base { __device__ int f() override { return 2; } };
    template <class P> __global__ void named(int *a) { a[0] = P::value; }
    template <int N> __global__ void square(int *a) { a[0] = squares[(a[0] + N) & 3]; }
    __global__ void plain(int *a) {
      const int *p = a[0] & 1 ? squares : squares + 1;
      curandState state;
      curand_init(1, 2, 3, &state);
      base b;
      derived d;
      base *any = a[0] ? &b : &d;
      a[0] = p[a[1] + 1] + (int)ones[a[1] & 1] + (curand(&state) & 0) + (int)lgamma((double)a[1]) * any->f();
    }
    """

    @pytest.mark.parametrize(("name", "value"), [("named<six>", 6), ("square<3>", 9), ("square<2>", 4)])
    def test_what_no_code_changes_is_no_reason_against_an_instance(self, name, value):
        module = SourceModule(self.CONSTANTS, no_extern_c=True)
        plain = module.get_function("plain")
        assert run(module.get_function(name)) == value
        two = gpuarray.zeros(2, np.int32)
        plain(two, block=(1, 1, 1))

    @pytest.mark.parametrize(
        "change",
        [
            "squares[a[0]]++;",
            "atomicAdd(&squares[2], 1);",
            "int *p = a[0] ? squares : a; for (int i = 0; i < a[1]; ++i) p += a[2]; *p = 3;",
            "a[2] = *change(squares);",
            "*(int **)a = squares;",
            'asm volatile("st.global.u32 [%0], 1;" :: "l"(squares + 1));',
            r'a[2] = squares[1]; asm volatile("st.global.u32\t[squares], 1;");',
        ],
    )
    def test_what_code_may_change_is_one(self, change):
        source = (
            "__device__ int squares[3] = {0, 1, 4};"
            "__device__ __noinline__ int *change(int *a) { a[1] = 2; return a; }"
            "template <int N> __global__ void t(int *a) { a[0] = N; } __global__ void plain(int *a) { %s }"
        )
        module = SourceModule(source % change, no_extern_c=True)
        module.get_function("plain")
        with pytest.raises(cuda.LogicError, match="the module is in use"):
            module.get_function("t<3>")

    @pytest.mark.parametrize(
        ("code", "is_constant"),
        [
            ("ld.global.u32\t%r1, [table+4];", True),
            ("mov.u64\t%rd1,table;\nld.global.u32\t%r1,[%rd1];", True),
            ("// table; st table\nld.global.u32 %r1, [table]; /* st table; */", True),
            ("st.global.u32\t[table], 1;", False),
            ("st.global.u32[table],1;", False),
            ("mov.u64\t%rd1,table;\nst.global.u32\t[%rd1],1;", False),
            ("mov .u64 %rd1, table; st.global.u32 [%rd1], 1;", False),
            ("mov.u64 %rd1, table; /* one; ld */ st.global.u32 [%rd1], 1;", False),
            ("mov.b64 {%r1, %r2}, table; mov.b64 %rd1, {%r3, %r2}; st.global.u32 [%rd1], 1;", False),
            ("@!%p1 st.global.u32 [table], 1;", False),
            ("@ %p1 st.global.u32 [table], 1;", False),
        ],
    )
    def test_code_of_any_layout_is_read(self, code, is_constant):
        variable = ".visible .global .align 4 .u32 table[3] = {0, 1, 4};\n"
        ptx = f"{variable}.visible .entry mov(.param .u64 a)\n{{\n.reg .b64 %rd<9>;\n{code}\nret;\n}}\n"
        changing, constants = variables_in_use(ptx.encode())
        assert (constants, changing) == (({b"table"}, set()) if is_constant else (set(), {b"table"}))

    def test_what_the_program_may_still_change_is_one(self):
        module = SourceModule(
            "__constant__ float factor; __global__ void plain(float *a) { a[0] = factor; }"
            "template <int N> __global__ void t(int *a) { a[0] = N; }",
            no_extern_c=True,
        )
        module.get_function("plain")
        with pytest.raises(cuda.LogicError, match="the module is in use"):
            module.get_function("t<3>")

    def test_a_constant_of_two_modules_is_not_handed_out(self):
        module = SourceModule(self.CONSTANTS, no_extern_c=True)
        assert module.get_global("squares")[1] == 16
        with pytest.raises(cuda.LogicError, match="the module is in use"):
            module.get_function("square<3>")
        module = SourceModule(self.CONSTANTS, no_extern_c=True)
        module.get_function("plain")
        module.get_function("square<3>")
        with pytest.raises(cuda.LogicError, match="'squares' counted as a constant"):
            module.get_global("squares")
        assert module.get_global("unused")[1] == 4

    @pytest.mark.parametrize("target", ["ptx", "cubin"])
    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("__device__ int __counter; __global__ void k() { __counter += 1; }", True),
            ("__device__ int counter = 3; __global__ void k() { counter += 1; }", True),
            ("__constant__ float table[4]; __global__ void k(float *a) { a[0] = table[threadIdx.x]; }", True),
            ("namespace n { __device__ int many[3]; } __global__ void k() { n::many[threadIdx.x] += 1; }", True),
            ('#include <cstdio>\n__global__ void k(int a) { printf("of no variable %d", a); }', False),
            ("__global__ void k(float *a) { a[0] = sinf(a[0]); __shared__ int s[4]; s[threadIdx.x] = 1; }", False),
        ],
    )
    def test_they_are_seen_in_images(self, source, expected, target):
        from pycuda._compilers import the_compiler

        image = the_compiler().compile(
            source=source.encode(), options=[], include_folders=[], arch="sm_80", code="", target=target,
            device=_driver._DeviceTraits(capability=80), extern_c=False, keep=False, cache_folder=None, nvcc="",
        )[0]  # fmt: skip
        assert image.startswith(b"\x7fELF") == (target == "cubin")
        assert has_variables(image) is expected

    def test_places_of_the_tool_chain_are_no_variables(self):
        # NVRTC 13.0 leaves this name in cubins of all kernels.
        reserved = b".nv.reservedSmem.offset0"
        assert not has_variables(_object_file([reserved]))
        assert has_variables(_object_file([reserved, b"table"]))


def _object_file(names):
    """A 64-bit ELF with data of these names."""
    strings, symbols = b"\0", bytes(24)
    for name in names:
        symbols += struct.pack("<IBBHQQ", len(strings), 1, 0, 0, 0, 4)
        strings += name + b"\0"
    header = b"\x7fELF".ljust(40, b"\0") + struct.pack("<QIHHHHHH", 64, 0, 64, 0, 0, 64, 3, 0)
    tables_at = 64 + 3 * 64
    sections = bytes(64) + struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, tables_at, len(symbols), 2, 1, 8, 24)
    sections += struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, tables_at + len(symbols), len(strings), 0, 0, 1, 0)
    return header + sections + symbols + strings


class TestErrors:
    def test_the_names_are_those_of_the_source(self, module):
        with pytest.raises(cuda.LogicError) as caught:
            module.get_function("nothing")
        text = str(caught.value)
        assert caught.value.name == "CUDA_ERROR_NOT_FOUND"
        assert "no kernel 'nothing': the module has " in text
        assert "'k<float, 3>(float*)'" in text and "'n::z(int*)'" in text and "_Z" not in text

    @pytest.mark.parametrize(
        ("wrong", "right"),
        [("matmull", "matmul"), ("scan_blokcs", "scan_blocks"), ("Reduce", "reduce"), ("matMul", "matmul")],
    )
    def test_the_close_one_is_suggested(self, wrong, right):
        module = SourceModule(
            "__global__ void matmul() {} __global__ void scan_blocks() {} __global__ void reduce() {}"
        )
        with pytest.raises(cuda.LogicError, match=f"no kernel '{wrong}': .*; did you mean '{right}'"):
            module.get_function(wrong)

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("one<nothing>", 'identifier "nothing" is undefined'),
            ("one<3>", "cannot determine which instance"),
            ("one<int", 'expected a ">"'),
            ("one<int, int>", "cannot determine which instance"),
            ("sized<sizeof(absent)>", 'identifier "absent" is undefined'),
            ("two::one<int>", "name followed by"),
        ],
    )
    @pytest.mark.parametrize("no_extern_c", [False, True])
    def test_the_compilers_reason_is_there_for_every_expression(self, name, reason, no_extern_c):
        module = SourceModule(
            "template <class T> __global__ void one(T *a) {} template <int N> __global__ void sized(int *a) {}",
            no_extern_c=no_extern_c,
        )
        with pytest.raises(cuda.LogicError, match="as a C\\+\\+ expression: ") as caught:
            module.get_function(name)
        assert reason in str(caught.value)

    @pytest.mark.parametrize("name", ["k<nothing>", "absent<int>", "n::absent", "f(double *)"])
    def test_what_no_expression_names_is_said_by_the_compiler(self, module, name):
        with pytest.raises(cuda.LogicError, match="no kernel .*; as a C\\+\\+ expression: ") as caught:
            module.get_function(name)
        assert caught.value.name == "CUDA_ERROR_NOT_FOUND"

    @pytest.mark.parametrize("name", ["", "(", "k<", "a b", "::", ")", "k\0"])
    def test_what_is_no_name_is_not_found(self, module, name):
        with pytest.raises((cuda.LogicError, ValueError)):
            module.get_function(name)

    def test_a_wrong_expression_given_beforehand_is_an_error_of_the_compiler(self):
        with pytest.raises(cuda.CompileError, match="absent"):
            SourceModule(TEMPLATE, no_extern_c=True, name_expressions=["absent<int>"])


def test_nvcc_is_not_asked_for_instances():
    if shutil.which("nvcc") is None:
        pytest.skip("needs nvcc")
    with pytest.raises(cuda.CompileError, match=r"k<int, 3>, are compiled by NVRTC alone"):
        SourceModule(TEMPLATE, nvcc=shutil.which("nvcc"), no_extern_c=True, name_expressions=["k<int, 3>"])


def test_plain_names_of_the_default_wrapper_stay_plain():
    image = compile(
        "namespace n { __global__ void z() {} }\n__global__ void k() {}", arch="sm_80", target="ptx"
    ).decode()
    assert ".entry k(" in image and ".entry z(" in image


def test_no_name_is_no_template(module):
    with pytest.raises(cuda.LogicError) as caught:
        module.get_function("")
    assert "it is a template" not in str(caught.value)


def test_a_template_in_a_comment_is_none(context):
    module = SourceModule("// template <class T> __global__ void one(T *a) { }\n__global__ void two(int *a) { }")
    with pytest.raises(cuda.LogicError) as raised:
        module.get_function("one")
    assert "template" not in str(raised.value)
