# SPDX-License-Identifier: MIT
"""Arrays as kernel arguments, checked against the pointers that the kernel declares."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

ONE = {"block": (1, 1, 1)}


HEADERS = {"__half": "cuda_fp16.h", "__nv_bfloat16": "cuda_bf16.h", "complex<": "pycuda-complex.hpp"}


def kernel(parameters, name="k", **keywords):
    headers = "".join(f"#include <{header}>\n" for part, header in HEADERS.items() if part in parameters)
    return SourceModule(f"{headers}__global__ void {name}({parameters}) {{}}", **keywords).get_function(name)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


class TestElementsOfAnotherSize:
    def test_the_error_names_kernel_parameter_and_types(self):
        twice = kernel("int n, float *a", "twice")
        with pytest.raises(TypeError) as caught:
            twice(np.int32(4), cuda.InOut(np.ones(4)), **ONE)
        text = str(caught.value)
        assert text.startswith("argument #1 (0-based) of kernel 'twice' is an array of float64, but the parameter is")
        assert "'float*'" in text and "astype(numpy.float32)" in text

    @pytest.mark.parametrize(
        ("dtype", "declared"),
        [
            (np.float64, "float *a"),
            (np.int64, "int *a"),
            (np.float32, "const double *a"),
            (np.float16, "float *__restrict__ a"),
            (np.uint16, "volatile unsigned int *a"),
            (np.int32, "size_t *a"),
            (np.int64, "int (*a)[4]"),
            (np.float64, "float a[][3]"),
            (np.int32, "long long *a"),
            (np.uint64, "short *a"),
            (np.float32, "__half *a"),
            (np.float64, "const __nv_bfloat16 *a"),
            (np.int32, "__half *a"),
            (np.complex128, "pycuda::complex<float> *a"),
            (np.complex64, "const pycuda::complex<double> *a"),
            (np.float64, "float &a"),
            (np.float64, "const float (&a)[4]"),
            (np.int64, "wchar_t *a"),
            (np.int32, "const bool *a"),
            (np.float64, "bool *a"),
            (np.bool_, "int *a"),
        ],
    )
    def test_every_way_to_pass_an_array_is_checked(self, dtype, declared):
        k = kernel(declared)
        host = np.ones(8, dtype)
        for argument in (cuda.In(host), cuda.Out(host), cuda.InOut(host), gpuarray.to_gpu(host)):
            with pytest.raises(TypeError, match=f"is an array of {np.dtype(dtype)}"):
                k(argument, **ONE)

    def test_arrays_of_other_packages_and_managed_memory_are_checked(self):
        k = kernel("float *a")
        array = gpuarray.zeros(4, np.float64)

        class Foreign:
            __cuda_array_interface__ = array.__cuda_array_interface__

        with pytest.raises(TypeError, match="is an array of float64"):
            k(Foreign(), **ONE)
        managed = cuda.managed_zeros(4, np.int64, mem_flags=cuda.mem_attach_flags.GLOBAL)
        with pytest.raises(TypeError, match="is an array of int64"):
            k(managed, **ONE)

    def test_types_behind_names_macros_and_instances_are_seen(self):
        module = SourceModule(
            """
            typedef float real;
            using index = long long;
            #define NUMBER double
            #define ANNOTATED __launch_bounds__(128, 2)
            namespace space { __global__ void z(real *a) {} }
            __global__ void ANNOTATED a(real *x) {}
            void __global__ __launch_bounds__(64) b(NUMBER *x);
            void __global__ __launch_bounds__(64) b(NUMBER *x) {}
            extern "C" { __global__ void c(index *x) {} }
            """
        )
        for name, dtype in (("z", np.float64), ("a", np.float64), ("b", np.float32), ("c", np.int32)):
            with pytest.raises(TypeError, match="is an array of"):
                module.get_function(name)(gpuarray.zeros(4, dtype), **ONE)
        instance = SourceModule(
            "template <class T> __global__ void k(T *a) {} template __global__ void k<float>(float *);",
            no_extern_c=True,
        ).get_function("k<float>")
        with pytest.raises(TypeError, match=r"kernel 'k<float>\(float\*\)' is an array of float64"):
            instance(gpuarray.zeros(4, np.float64), **ONE)

    def test_kernels_of_one_name_are_each_checked_by_their_own_types(self):
        module = SourceModule(
            """
            extern "C" __global__ void k(float *a) {}
            namespace n { __global__ void k(double *a) {} }
            """,
            no_extern_c=True,
        )
        single, double = gpuarray.zeros(4, np.float32), gpuarray.zeros(4, np.float64)
        module.get_function("k")(single, **ONE)
        module.get_function("n::k")(double, **ONE)
        with pytest.raises(TypeError, match="array of float32"):
            module.get_function("n::k")(single, **ONE)

    def test_kernels_in_headers_of_the_program_are_checked(self, tmp_path):
        (tmp_path / "kernels.h").write_text("__global__ void h(float *a) {}\n")
        module = SourceModule('#include "kernels.h"\n', include_dirs=[str(tmp_path)])
        with pytest.raises(TypeError, match="float64"):
            module.get_function("h")(gpuarray.zeros(4, np.float64), **ONE)

    def test_the_types_come_from_the_cache_too(self, tmp_path):
        for _ in range(2):
            k = kernel("float *cached", cache_dir=str(tmp_path))
            with pytest.raises(TypeError, match="float64"):
                k(gpuarray.zeros(4, np.float64), **ONE)

    def test_launches_from_before_cuda_4_are_checked(self):
        k = kernel("float *a")
        warnings.simplefilter("ignore", DeprecationWarning)
        with pytest.raises(TypeError, match="float64"):
            k.param_set(gpuarray.zeros(4, np.float64))

    def test_a_kernel_that_a_condition_leaves_out_leaves_the_others_checked(self):
        module = SourceModule(
            "#if 0\n__global__ void off(float *a) {}\n#endif\n__global__ void on(float *a) {}\n"
            "__device__ void twice(int) {}\n"
        )
        with pytest.raises(TypeError, match="float64"):
            module.get_function("on")(gpuarray.zeros(4, np.float64), **ONE)


class TestErrorsOfTheProgram:
    """What a program's own attributes raise reaches the caller of the kernel."""

    @pytest.mark.parametrize("attribute", ["array", "dtype"])
    def test_an_attribute_that_raises(self, attribute):
        def interrupted(self):
            raise KeyboardInterrupt

        class Memory:
            nbytes = 16

        class Handler(cuda.ArgumentHandler):
            def get_device_alloc(self):
                return gpuarray.zeros(4, np.float32).gpudata

        handler = Handler(Memory())
        setattr(Handler if attribute == "array" else Memory, attribute, property(interrupted))
        with pytest.raises(KeyboardInterrupt):
            kernel("float *a")(handler, **ONE)


class TestWarnings:
    def test_another_kind_of_the_same_size_warns_once(self):
        k = kernel("int *a, float *b")
        numbers = gpuarray.zeros(4, np.float32)
        with pytest.warns(UserWarning, match="array of float32, but the parameter is 'int\\*'") as seen:
            k(numbers, numbers, **ONE)
            k(numbers, numbers, **ONE)
        assert len(seen) == 1

    def test_short_floating_point_numbers_of_the_other_format_warn(self):
        with pytest.warns(UserWarning, match="reads the bits of float16 numbers as bfloat16 numbers.*ml_dtypes"):
            kernel("__nv_bfloat16 *a")(gpuarray.zeros(4, np.float16), **ONE)

    @pytest.mark.parametrize("index", [np.s_[::2], np.s_[::-1], np.s_[1:7:3]])
    def test_a_view_with_gaps_warns(self, index):
        k = kernel("float *a")
        with pytest.warns(UserWarning, match="view with strides"):
            k(gpuarray.zeros(8, np.float32)[index], **ONE)

    def test_a_column_of_a_matrix_warns_and_rows_do_not(self):
        matrix = gpuarray.zeros((4, 6), np.float32)
        k = kernel("float *a")
        k(matrix[1:3], **ONE)
        with pytest.warns(UserWarning, match="view with strides"):
            k(matrix[:, 1], **ONE)

    @pytest.mark.parametrize(
        "array",
        [
            lambda: gpuarray.zeros((4, 6), np.float32).T,
            lambda: gpuarray.zeros((2, 4, 6), np.float32).transpose(1, 0, 2),
        ],
        ids=["transposed", "axes swapped"],
    )
    def test_a_view_in_another_order_than_c_warns_once(self, array):
        k, given = kernel("float *a"), array()
        with pytest.warns(UserWarning, match=r"strides \(.*not those of C order.*numpy.copy\(a, order='C'\)") as seen:
            k(given, **ONE)
            k(given, **ONE)
        assert len(seen) == 1

    def test_an_order_that_was_asked_for_or_makes_no_difference_does_not_warn(self):
        k = kernel("float *a")
        for array in (
            gpuarray.empty((4, 6), np.float32, order="F"),
            gpuarray.to_gpu(np.zeros((4, 6), np.float32, order="F")),
            gpuarray.zeros((1, 6), np.float32).T,
            gpuarray.empty((4, 0), np.float32, order="F"),
            np.copy(gpuarray.zeros((4, 6), np.float32).T, order="C"),
        ):
            k(array, **ONE)
        kernel("void *a")(gpuarray.zeros((4, 6), np.float32).T, **ONE)
        k(gpuarray.zeros((4, 6), np.float32).T.gpudata, **ONE)

    def test_a_warning_that_is_an_error_stops_the_launch(self):
        module = SourceModule("__global__ void k(int *a) { *a = 1; }")
        numbers = gpuarray.zeros(1, np.float32)
        with pytest.raises(UserWarning):
            module.get_function("k")(numbers, **ONE)
        assert numbers.get()[0] == 0

    @pytest.mark.parametrize(
        "index", [slice(None, None, 2), slice(None, None, -1), (slice(None), slice(1, 3))], ids=str
    )
    def test_so_does_a_view_of_managed_memory_or_of_another_package(self, index):
        shape = (4, 4) if isinstance(index, tuple) else 8
        managed = cuda.managed_zeros(shape, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
        view = managed[index]
        k = kernel("float *a, float *b")
        with pytest.warns(UserWarning, match=f"argument #1 .* view with strides .{view.strides[0]}, ?"):
            k(managed, view, **ONE)
        array = gpuarray.zeros(shape, np.float32)

        class Foreign:
            __cuda_array_interface__ = array[index].__cuda_array_interface__

        with pytest.warns(UserWarning, match="argument #0 .* view with strides"):
            k(Foreign(), managed, **ONE)

    @pytest.mark.parametrize("turned", [lambda a: a.T, lambda a: a.transpose(1, 0, 2)])
    def test_managed_memory_in_another_order_than_c_warns(self, turned):
        managed = cuda.managed_zeros((2, 3, 4), np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
        with pytest.warns(UserWarning, match="not those of C order"):
            kernel("float *a")(turned(managed), **ONE)

    def test_managed_memory_in_the_order_of_c_does_not_warn(self):
        managed = cuda.managed_zeros((2, 3, 4), np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
        k = kernel("float *a")
        for view in (
            managed,
            managed[:1],
            managed[1],
            managed[:, :0],
            managed[0, 0],
        ):
            k(view, **ONE)
        kernel("float4 *a")(managed[..., ::2], **ONE)


class TestWhatPasses:
    @pytest.mark.parametrize(
        ("dtype", "declared"),
        [
            (np.uint32, "int *a"),
            (np.int64, "unsigned long long *a"),
            (np.float64, "void *a"),
            (np.float64, "char *a"),
            (np.float64, "unsigned char *a"),
            (np.uint8, "float4 *a"),
            (np.uint8, "float *a"),
            (np.bool_, "bool *a"),
            (np.int8, "bool *a"),
            (np.bool_, "unsigned char *a"),
            (np.float32, "float2 *a"),
            (np.complex64, "float *a"),
            (np.complex128, "double2 *a"),
            (np.complex64, "pycuda::complex<float> *a"),
            (np.float32, "pycuda::complex<float> *a"),
            (np.float16, "__half *a"),
            (np.uint16, "__half *a"),
            (np.int16, "__nv_bfloat16 *a"),
            (np.float32, "__half2 *a"),
            (np.float16, "unsigned short *a"),
            (np.float64, "float **a"),
            (np.uint64, "unsigned __int128 *a"),
            (np.int32, "const __int128 *a"),
            ([("x", np.int32), ("y", np.float64)], "int *a"),
            (np.int64, "struct { int x, y; } *a"),
            (np.int64, "unsigned long long a"),
        ],
    )
    def test_no_word_is_said(self, dtype, declared):
        if declared == "unsigned long long a":
            kernel(declared)(gpuarray.zeros(4, dtype), **ONE)
            return
        if declared.startswith("struct"):
            source = "struct pair { int x, y; }; __global__ void k(pair *a) {}"
            k = SourceModule(source).get_function("k")
        else:
            k = kernel(declared)
        host = np.zeros(8, dtype)
        k(gpuarray.to_gpu(host), **ONE)
        k(cuda.InOut(host), **ONE)

    def test_explicit_pointers_pass(self):
        k = kernel("float *a")
        array = gpuarray.zeros(8, np.float64)
        k(array.gpudata, **ONE)
        k(np.intp(int(array.gpudata)), **ONE)
        k(cuda.mem_alloc(16), **ONE)
        k.prepare("P")
        k.prepared_call((1, 1), (1, 1, 1), array.gpudata)
        k.prepared_async_call((1, 1), (1, 1, 1), None, array.gpudata)

    def test_what_a_macro_makes_passes(self):
        module = SourceModule("#define KERNEL(name) __global__ void name(float *a) {}\nKERNEL(m)\n")
        module.get_function("m")(gpuarray.zeros(4, np.float64), **ONE)

    def test_both_switches_turn_it_off(self, monkeypatch):
        array = gpuarray.zeros(8, np.float64)
        kernel("float *a", check_arguments=False)(array, **ONE)
        monkeypatch.setenv("PYCUDA_CHECK_ARGUMENTS", "0")
        kernel("float *a")(array, **ONE)
        with pytest.raises(TypeError):
            kernel("float *a", check_arguments=True)(array, **ONE)
        monkeypatch.setenv("PYCUDA_CHECK_ARGUMENTS", "perhaps")
        with pytest.raises(ValueError, match="PYCUDA_CHECK_ARGUMENTS is 'perhaps'"):
            kernel("float *a")


ENUMERATIONS = """
enum plain { one, two };
enum bytes : unsigned char { b0 };
enum truths : bool { no };
enum class scoped { s0 };
enum class shorts : short { t0 };
namespace n { enum class wide : unsigned long long { w0 }; struct s { enum inner : unsigned short { i0 }; }; }
typedef n::wide alias;
enum declared : int;
__global__ void k(TYPE) {}
"""


@pytest.mark.parametrize("no_extern_c", [False, True])
@pytest.mark.parametrize(
    ("declared", "fitting", "wrong"),
    [
        ("plain *a", np.int32, np.int64),
        ("const plain *__restrict__ a", np.uint32, np.int16),
        ("bytes *a", np.uint8, np.int32),
        ("bytes *a", np.bool_, np.float64),
        ("truths *a", np.bool_, np.int32),
        ("scoped *a", np.int32, np.float64),
        ("shorts *a", np.int16, np.int32),
        ("shorts &a", np.uint16, np.float32),
        ("n::wide *a", np.uint64, np.int32),
        ("volatile alias *a", np.int64, np.uint32),
        ("n::s::inner (*a)[4]", np.uint16, np.uint32),
        ("struct declared_later *p, plain *a", np.int32, np.int64),
        ("declared *a", np.int32, np.float64),
    ],
)
def test_enumerations_are_the_numbers_that_they_are_kept_in(declared, fitting, wrong, no_extern_c):
    k = SourceModule(ENUMERATIONS.replace("TYPE", declared), no_extern_c=no_extern_c).get_function("k")
    before = (np.intp(0),) if "," in declared else ()
    k(*before, gpuarray.zeros(8, fitting), **ONE)
    k(*before, cuda.InOut(np.zeros(8, fitting)), **ONE)
    k(*before, gpuarray.zeros(8, wrong).gpudata, **ONE)
    for array in (gpuarray.zeros(8, wrong), cuda.In(np.zeros(8, wrong))):
        with pytest.raises(TypeError, match=f"is an array of {np.dtype(wrong)}, but the parameter is '"):
            k(*before, array, **ONE)


@pytest.mark.parametrize("name", ["k<e>", "n::z<e>", "v<float, n::inner>"])
@pytest.mark.parametrize("no_extern_c", [False, True])
def test_enumerations_of_instances_are_numbers(name, no_extern_c):
    module = SourceModule(
        "enum e : short {}; template <class T> __global__ void k(T *a) {}"
        "namespace n { enum class inner : short {}; template <class T> __global__ void z(T *a) {} }"
        "template <class T, class U> __global__ void v(U *a, T *b = nullptr) {}",
        no_extern_c=no_extern_c,
    )
    k = module.get_function(name)
    rest = (np.intp(0),) if name.startswith("v") else ()
    k(gpuarray.zeros(4, np.int16), *rest, **ONE)
    with pytest.raises(TypeError, match="elements of 8 bytes instead of 2"):
        k(gpuarray.zeros(4, np.float64), *rest, **ONE)


@pytest.mark.parametrize("in_header", [False, True])
def test_enumerations_of_overloads_are_numbers(tmp_path, in_header):
    enumerations = (
        "enum plain { one, two }; enum { none }; struct data { enum own { o0 }; }; enum plain some();\n"
        "namespace n { enum class wide : unsigned long long; enum class wide : unsigned long long { w0 }; }\n"
        "#if 0\nenum absent { };\n#endif\n"
    )
    (tmp_path / "modes.h").write_text(enumerations)
    source = (
        "__global__ void f(plain *a) {} __global__ void f(float *a) {} __global__ void f(data *a) {}"
        "namespace n { __global__ void z(int n, const wide *a) {} __global__ void z(const int *a) {}"
        "__global__ void z(const wide (*a)[4]) {} }"
    )
    source = ('#include "modes.h"\n' if in_header else enumerations) + source
    module = SourceModule(source, no_extern_c=True, include_dirs=[str(tmp_path)])
    plain, wide = module.get_function("f(plain *)"), module.get_function("n::z(int, const n::wide *)")
    plain(gpuarray.zeros(4, np.uint32), **ONE)
    wide(np.int32(1), gpuarray.zeros(4, np.int64), **ONE)
    module.get_function("f(data *)")(gpuarray.zeros(4, np.float64), **ONE)
    with pytest.raises(TypeError, match="'plain\\*': elements of 8 bytes instead of 4"):
        plain(gpuarray.zeros(4, np.float64), **ONE)
    with pytest.raises(TypeError, match="elements of 4 bytes instead of 8"):
        wide(np.int32(1), gpuarray.zeros(4, np.float32), **ONE)
    with pytest.raises(TypeError, match="elements of 4 bytes instead of 8"):
        module.get_function("n::z(const n::wide (*)[4])")(gpuarray.zeros(4, np.float32), **ONE)


def test_raw_bytes_and_other_types_beside_enumerations_pass():
    k = SourceModule(
        "enum e : short {}; struct s { e x; }; union u { e x; };"
        "__global__ void k(e *a, s *b, u *c, char *d, void *f, e g) {}"
    ).get_function("k")
    fits, other = gpuarray.zeros(4, np.int16), gpuarray.zeros(4, np.float64)
    k(fits, other, other, other, other, np.int16(1), **ONE)
    with pytest.raises(TypeError, match="the parameter is 'e\\*': elements of 8 bytes instead of 2"):
        k(other, other, other, other, other, np.int16(1), **ONE)


def test_errors_of_a_source_do_not_show_what_was_asked_for():
    for source in (
        "__global__ void k(float *a) { a[0] = ; }",
        "__global__ void k(float *a) { ",
        "__global__ void k(flaot *a) { }",
        "#if 0\n__global__ void off(int *a) {}\n#endif\n__global__ void k(float *a) { b; }",
    ):
        with pytest.raises(cuda.CompileError) as caught:
            SourceModule(source)
        assert "pycuda_type_of" not in str(caught.value) and "nv_name_map" not in str(caught.value)


def test_the_commonest_mistake_ends_with_an_error():
    program = (
        "import numpy as np, pycuda.autoinit, pycuda.driver as cuda\n"
        "from pycuda.compiler import SourceModule\n"
        "f = SourceModule('__global__ void twice(float *a) { a[threadIdx.x] *= 2; }').get_function('twice')\n"
        "f(cuda.InOut(np.ones(4)), block=(4, 1, 1))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ)
    assert result.returncode == 1
    assert "TypeError: argument #0 (0-based) of kernel 'twice' is an array of float64" in result.stderr
