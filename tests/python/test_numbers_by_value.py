# SPDX-License-Identifier: MIT
"""Numbers, and arrays of numbers, as kernel arguments by value: converted to what the parameter is, or refused."""

import ctypes

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

ONE = {"block": (1, 1, 1)}
HEADERS = {"_half": "cuda_fp16.h", "_bfloat16": "cuda_bf16.h", "complex<": "pycuda-complex.hpp"}


def kernel(parameters):
    headers = "".join(f"#include <{header}>\n" for part, header in HEADERS.items() if part in parameters)
    return SourceModule(f"{headers}__global__ void k({parameters}) {{}}").get_function("k")


@pytest.mark.parametrize("number", [1.5, np.float32(3), np.float64(3), np.complex64(1), 1j, 2j])
def test_a_number_with_a_fraction_is_no_pointer(number):
    with pytest.raises(TypeError, match="but the parameter is a pointer"):
        kernel("float *a")(number, **ONE)


@pytest.mark.parametrize("declared", ["double", "long long", "unsigned long long", "float", "short"])
def test_a_complex_number_is_no_real_one(declared):
    for number in (1j, np.complex64(1j), np.complex128(1j)):
        with pytest.raises(TypeError, match="but the parameter is a real number"):
            kernel(f"{declared} a")(number, **ONE)


@pytest.mark.parametrize("declared", ["float2", "double2", "pycuda::complex<double>"])
def test_a_complex_number_is_one_value_of_two_numbers(declared):
    source = f"#include <pycuda-complex.hpp>\n__global__ void k({declared} x, {declared} *a) {{ *a = x; }}"
    out = np.zeros(1, np.complex64 if declared == "float2" else np.complex128)
    SourceModule(source).get_function("k")(3 - 4j, cuda.Out(out), **ONE)
    assert out[0] == 3 - 4j


@pytest.mark.parametrize(
    ("declared", "array", "remedy"),
    [
        ("double a", np.array(3), "array.item"),
        ("long long a", np.array([2.5]), "array.item"),
        ("float a", np.array(7, np.int32), "array.item"),
        ("int a", np.array(7, np.float32), "array.item"),
        ("double a", np.array([1, 2], np.int32), "pass one of its elements"),
        ("double a", np.array([1, 2], np.float32), "pass one of its elements"),
        ("unsigned long long a", np.zeros(4, np.int16), "pass one of its elements"),
        ("unsigned long long a", np.zeros(1, np.float64), "array.item"),
        ("double a", np.array(1j, np.complex64), "array.item"),
        ("float2 a", np.array([1, 2], np.int32), "astype converts"),
        ("double2 a", np.ones(4, np.float32), "a numpy.array of its 2 numbers"),
        ("int2 a", np.ones(2, np.float32), "astype converts"),
        ("pycuda::complex<float> a", np.array(1.0), "astype converts"),
        ("__nv_bfloat162 a", np.ones(2, np.float16), "astype converts"),
        ("__half2 a", np.ones(1, np.float32), "a numpy.array of its 2 numbers"),
        ("__nv_bfloat16 a", np.array(1, np.float16), "array.item"),
        ("int4 a", np.array([1, 2]), "a numpy.array of its 4 numbers"),
        ("double a", np.array(3, np.uint64), "array.item"),
    ],
)
def test_arrays_of_other_numbers_are_refused(declared, array, remedy):
    with pytest.raises(TypeError, match=f"is an ndarray of {array.dtype}, but the parameter is '.*'; {remedy}"):
        kernel(declared)(array, **ONE)


@pytest.mark.parametrize(
    ("declared", "array"),
    [
        ("double a", np.array(3.0)),
        ("int a", np.array([5], np.int32)),
        ("unsigned int a", np.array(-5, np.int32)),
        ("bool a", np.array(True)),
        ("__half a", np.array(1, np.uint16)),
        ("double a", np.array(b"8 bytes.", np.void(8).dtype)),
        ("float2 a", np.array([1, 2], np.float32)),
        ("float2 a", np.array(1j, np.complex64)),
        ("pycuda::complex<float> a", np.array([1, 2], np.float32)),
        ("pycuda::complex<double> a", np.array(1j)),
        ("uchar4 a", np.array(7, np.uint32)),
        ("float4 a", np.ones(2, np.complex64)),
        ("__half2 a", np.ones(2, np.float16)),
        ("__half2 a", np.array(0x3C003C00, np.uint32)),
        ("__nv_bfloat162 a", np.ones(2, np.uint16)),
        ("double a", np.frombuffer(b"8 bytes.", np.uint8)),
        ("unsigned long long a", np.array([1, 2], np.uint32)),
        ("int a", np.array([1, 2], np.uint16)),
        ("double a", np.array([1, 2], np.uint32)),
        ("float2 a", np.array([1, 2], np.uint32)),
        ("unsigned short a", np.array(1, np.float16)),
        ("unsigned long long a", np.array(-1)),
    ],
)
def test_arrays_of_the_same_numbers_pass(declared, array):
    kernel(declared)(array, **ONE)


@pytest.mark.parametrize("declared", ["float2", "double2", "float3"])
@pytest.mark.parametrize("number", [1, 2.5, True, np.float64(2.5), np.float32(1), np.int64(1), np.uint32(1)])
def test_a_number_is_no_vector(declared, number):
    with pytest.raises(TypeError, match=rf"vec.make_{declared}\(\.\.\.\) makes one"):
        kernel(f"{declared} a")(number, **ONE)


@pytest.mark.parametrize("number", [2.5, np.float32(1), 1j, np.complex64(1)])
@pytest.mark.parametrize("declared", ["int2", "uchar4", "int1", "longlong2"])
def test_a_number_with_a_fraction_is_no_vector_of_integers(declared, number):
    with pytest.raises(TypeError, match=rf"vec.make_{declared}\(\.\.\.\) makes one"):
        kernel(f"{declared} a")(number, **ONE)


@pytest.mark.parametrize(
    ("declared", "array"),
    [("float2 a", np.ones(2)), ("int3 a", np.arange(3)), ("pycuda::complex<float> a", np.ones(1, np.complex128))],
)
def test_arrays_of_longer_numbers_are_to_be_converted(declared, array):
    with pytest.raises(TypeError, match=f"an ndarray of {array.nbytes} bytes, .*; astype converts the array"):
        kernel(declared)(array, **ONE)
    other = np.ones(5, array.dtype)
    with pytest.raises(TypeError, match=f"an ndarray of {other.nbytes} bytes, .*; a numpy.array of its . numbers"):
        kernel(declared)(other, **ONE)


@pytest.mark.parametrize("declared", ["int2", "uchar4", "int3", "int4", "char3", "short3", "longlong2"])
@pytest.mark.parametrize("number", [7, np.int16(7), True, 2**40])
def test_an_integer_is_no_vector(declared, number):
    with pytest.raises(TypeError, match=rf"vec.make_{declared}\(\.\.\.\) makes one"):
        kernel(f"{declared} a")(number, **ONE)


@pytest.mark.parametrize(
    ("declared", "array"), [("double", np.array(3)), ("float2", np.array([3])), ("int4", np.array([1, 2]))]
)
def test_without_a_check_arrays_are_their_bytes(declared, array):
    SourceModule(f"__global__ void k({declared} a) {{}}", check_arguments=False).get_function("k")(array, **ONE)


@pytest.mark.parametrize("declared", ["__half2", "__nv_bfloat162"])
def test_a_number_is_no_pair_of_halves_unless_it_is_their_bits(declared):
    header = {"__half2": "cuda_fp16.h", "__nv_bfloat162": "cuda_bf16.h"}[declared]
    store = "a[0] = (float)x.x; a[1] = (float)x.y;"
    source = f"#include <{header}>\n__global__ void k({declared} x, float *a) {{ {store} }}"
    k = SourceModule(source).get_function("k")
    out = np.zeros(2, np.float32)
    for number in (1.0, np.float32(1), np.float16(1), 1j, np.complex64(1), (1, 2), [1, 2]):
        with pytest.raises(TypeError, match="a numpy.array of its 2 numbers is passed by value"):
            k(number, cuda.Out(out), **ONE)
    k(np.uint32(0x40004000), cuda.Out(out), **ONE)
    assert list(out) == [2, 2]


def test_components_of_vectors_are_numbers():
    assert gpuarray.vec.make_float2(y=np.float64(2), x=np.int8(1)).tolist() == (1, 2)
    with pytest.raises(TypeError, match=r"'x' of make_float4 is no number: \(1, 2, 3, 4\); unpack it: make_float4"):
        gpuarray.vec.make_float4((1, 2, 3, 4))
    with pytest.raises(TypeError, match="'y' of make_float2 is no number: 'two'$"):
        gpuarray.vec.make_float2(1, "two")


STRUCT = "struct Size { int w, h; }; enum Color { RED, GREEN };\n"


def of_struct(declared):
    source = f'{STRUCT}extern "C" __global__ void k({declared} a, int *out) {{ *out = *(int *)&a; }}'
    return SourceModule(source, no_extern_c=True).get_function("k")


@pytest.mark.parametrize("number", [640, 640.0, True, np.float32(640), np.int16(640), (640, 480)])
def test_a_number_is_no_struct(number):
    with pytest.raises(TypeError, match=r"; numpy.array\(\(...\), dtype\)\[\(\)\] makes one struct"):
        of_struct("Size")(number, np.intp(0), **ONE)


@pytest.mark.parametrize(
    ("declared", "value", "first"),
    [
        ("Size", np.int64(640 | 480 << 32), 640),
        ("Size", np.int32([640, 480]), 640),
        ("Size", np.array((640, 480), [("w", np.int32), ("h", np.int32)])[()], 640),
        ("int2", gpuarray.vec.make_int2(640, 480), 640),
        ("Color", 1, 1),
        ("Color", np.int64(1), 1),
        ("Color", np.array(1, np.int32), 1),
    ],
)
def test_bytes_of_structs_and_numbers_of_enumerations_pass(declared, value, first):
    out = np.zeros(1, np.int32)
    of_struct(declared)(value, cuda.Out(out), **ONE)
    assert out[0] == first


def test_a_pointer_to_a_function_and_a_reference_are_integers():
    for declared in ("int (*f)(int)", "const int &n", "const int (&n)[2]"):
        kernel(declared)(0, **ONE)


@pytest.mark.parametrize(
    ("declared", "value", "remedy"),
    [
        ("float2", gpuarray.vec.make_int2(1, 2), "vec.make_float2"),
        ("int2", gpuarray.vec.make_float2(1, 2), "vec.make_int2"),
        ("double", gpuarray.vec.make_float2(1, 2), "a field of it"),
        ("double", np.zeros(1, [("a", [("x", np.int32), ("y", np.int32)])])[0], "a field of it"),
    ],
)
def test_structs_of_other_numbers_are_refused(declared, value, remedy):
    with pytest.raises(TypeError, match=remedy):
        kernel(f"{declared} a")(value, **ONE)


@pytest.mark.parametrize("declared", ["float2", "int2", "pycuda::complex<float>"])
def test_an_address_is_no_vector(declared):
    array = gpuarray.zeros(4, np.float32)
    for argument in (array, cuda.In(np.zeros(4, np.float32))):
        with pytest.raises(TypeError, match="is an array"):
            kernel(f"{declared} a")(argument, **ONE)


@pytest.mark.parametrize("number", [2.0, 0.5, np.float32(2), np.float64(-1), ctypes.c_float(2)])
def test_a_float_becomes_a_bool_by_its_truth(number):
    out = np.zeros(2, np.int32)
    k = SourceModule("__global__ void k(bool b, int *a) { a[0] = b; a[1] = b == true; }").get_function("k")
    k(number, cuda.Out(out), **ONE)
    assert list(out) == [1, 1]
    k(type(number)(0), cuda.Out(out), **ONE)
    assert list(out) == [0, 0]


@pytest.mark.parametrize("declared", ["int", "float", "double", "long long"])
def test_several_values_for_a_number_are_told_to_pass_one(declared):
    for value in ([1, 2], (1,), None):
        with pytest.raises(TypeError, match="; pass one number"):
            kernel(f"{declared} a")(value, **ONE)
    with pytest.raises(TypeError, match="pass one of its elements"):
        kernel(f"{declared} a")(np.ones(5), **ONE)


@pytest.mark.parametrize(("declared", "count"), [("double3", 3), ("longlong4_16a", 4), ("ulonglong3", 3)])
def test_vectors_without_a_maker_are_arrays(declared, count):
    with pytest.raises(TypeError, match=f"a numpy.array of its {count} numbers is passed by value"):
        kernel(f"{declared} a")([1] * count, **ONE)
    number = "double" if declared == "double3" else "long long"
    source = f"__global__ void k({declared} x, {number} *a) {{ a[0] = x.x; a[1] = x.y; a[2] = x.z; }}"
    values = np.arange(5, 5 + count, dtype=np.float64 if number == "double" else np.int64)
    out = np.zeros(3, values.dtype)
    SourceModule(source).get_function("k")(values, cuda.Out(out), **ONE)
    assert list(out) == [5, 6, 7]


@pytest.mark.parametrize(
    ("declared", "number", "expected"),
    [
        ("uchar4", np.uint32(0x04030201), [1, 2, 3, 4]),
        ("ushort2", np.int32(0x00020001), [1, 2]),
        ("int1", 7, [7]),
        ("int1", np.int64(-7), [-7]),
        ("int2", np.int64(1 | 2 << 32), [1, 2]),
        ("float1", 2, [2]),
        ("float1", np.int32(2), [2]),
        ("float1", np.float32(2.5), [2.5]),
        ("float1", np.float64(2.5), [2.5]),
        ("double1", 2.5, [2.5]),
        ("double1", np.float32(2.5), [2.5]),
    ],
)
def test_a_number_is_a_vector_of_one_or_the_bytes_of_integers(declared, number, expected):
    fields = "xyzw"[: len(expected)]
    stores = " ".join(f"a[{i}] = v.{field};" for i, field in enumerate(fields))
    k = SourceModule(f"__global__ void k({declared} v, double *a) {{ {stores} }}").get_function("k")
    out = np.zeros(len(expected))
    k(number, cuda.Out(out), **ONE)
    assert list(out) == expected


@pytest.mark.parametrize("number", [2, 2.0, True, np.float64(2), np.float32(2), np.int64(2), np.uint8(2)])
@pytest.mark.parametrize("real", ["float", "double"])
def test_a_number_is_the_real_part_of_a_complex_one(number, real):
    source = "#include <pycuda-complex.hpp>\n__global__ void k(pycuda::complex<{0}> x, pycuda::complex<{0}> *a)"
    out = np.zeros(1, np.complex64 if real == "float" else np.complex128)
    k = SourceModule(source.format(real) + " { *a = x; }").get_function("k")
    k(number, cuda.Out(out), **ONE)
    assert out[0] == number


@pytest.mark.parametrize("number", [True, 2, -1, 256, np.int8(2), np.int64(512), np.bool_(True)])
def test_a_number_becomes_a_bool_by_its_truth(number):
    k = SourceModule("__global__ void k(bool b, int *a) { a[0] = b; a[1] = b ? 7 : 8; }").get_function("k")
    out = np.zeros(2, np.int32)
    k(number, cuda.Out(out), **ONE)
    assert list(out) == [1, 7]
    k(type(number)(0), cuda.Out(out), **ONE)
    assert list(out) == [0, 8]


@pytest.mark.parametrize("number", [3, 3.0, np.float16(3), np.float64(3), np.int8(3), np.int64(3), np.uint32(3)])
@pytest.mark.parametrize("declared", ["__half", "const __nv_bfloat16"])
def test_a_number_becomes_a_short_float_by_its_value(declared, number):
    source = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n__global__ void k(%s x, float *a) { *a = x; }"
    out = np.zeros(1, np.float32)
    k = SourceModule(source % declared).get_function("k")
    k(number, cuda.Out(out), **ONE)
    assert out[0] == 3
    k(np.uint16(0x4040), cuda.Out(out), **ONE)  # the bits of one
    assert out[0] == (2.125 if declared == "__half" else 3)


@pytest.mark.parametrize(
    ("number", "rounded"),
    [
        (1 + 2**-8, 1.0),  # between two: to the even one
        (1 + 2**-8 + 2**-40, 1 + 2**-7),  # which a float does not tell from the one before
        (1 + 3 * 2**-8 - 2**-40, 1 + 2**-7),
        (-3.3e38, -248 * 2.0**120),
        (1e-41, 2.0**-133 * round(1e-41 * 2.0**133)),
        (float("inf"), float("inf")),
    ],
)
def test_a_bfloat16_is_the_nearest_one(number, rounded):
    source = "#include <cuda_bf16.h>\n__global__ void k(__nv_bfloat16 x, float *a) { *a = x; }"
    out = np.zeros(1, np.float32)
    SourceModule(source).get_function("k")(number, cuda.Out(out), **ONE)
    assert out[0] == rounded


def test_a_number_too_large_for_a_bfloat16_is_refused():
    k = kernel("__nv_bfloat16 a, float *b")
    for number in (3.4e38, 1e300, -(10**40)):
        with pytest.raises(OverflowError, match="out of range"):
            k(number, np.intp(0), **ONE)
