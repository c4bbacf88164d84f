# SPDX-License-Identifier: MIT
"""What is passed for a number that a kernel declares: no addresses, and integers that the declared type holds."""

import struct

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import DynamicSourceModule, SourceModule
from pycuda.elementwise import ElementwiseKernel

pytestmark = pytest.mark.usefixtures("context")

ONE = {"block": (1, 1, 1)}
TYPES = {
    "float": np.float32,
    "double": np.float64,
    "int": np.int32,
    "unsigned int": np.uint32,
    "short": np.int16,
    "unsigned short": np.uint16,
    "signed char": np.int8,
    "unsigned char": np.uint8,
    "char": np.int8,
    "long long": np.int64,
    "unsigned long long": np.uint64,
    "size_t": np.uint64,
}


def keeper(declared, module=SourceModule, **keywords):
    """A kernel that puts its second argument into the array that is its first."""
    source = f"__global__ void keep({declared} *out, {declared} s) {{ *out = s; }}"
    return module(source, **keywords).get_function("keep")


def kept(declared, value, **keywords):
    out = np.zeros(1, TYPES[declared])
    keeper(declared, **keywords)(cuda.Out(out), value, **ONE)
    return out[0]


ARRAYS = {
    "sum": (lambda ones: gpuarray.sum(ones), r"is an array, .*: pass (float|int)\(x.get\(\)\)"),
    "one": (lambda ones: ones[:1], r"is an array, .*: pass x.item\(\)"),
    "several": (lambda ones: ones, "is an array, .*: pass one number"),
    "In": (lambda ones: cuda.In(ones.get()), "is an array in .*In, .*: pass the number itself"),
    "InOut": (lambda ones: cuda.InOut(ones.get()), "is an array in .*InOut, .*: pass the number itself"),
}


@pytest.mark.parametrize("module", [SourceModule, DynamicSourceModule])
@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("declared", ["double", "float", "long long", "unsigned int", "int"])
def test_an_array_is_no_number(declared, array, module):
    make, words = ARRAYS[array]
    ones = gpuarray.to_gpu(np.ones(3, TYPES[declared]))
    with pytest.raises(TypeError, match=f"argument #1 .*kernel 'keep' {words}") as caught:
        keeper(declared, module)(ones, make(ones), **ONE)
    assert f"('{declared}')" in str(caught.value)
    assert ("float(" in str(caught.value)) <= (TYPES[declared](0).dtype.kind == "f")
    keeper(declared, module)(ones, ones[1].get()[()], **ONE)
    assert (ones.get() == 1).all()


@pytest.mark.parametrize("declared", ["double", "float"])
def test_an_address_is_no_floating_point_number(declared):
    memory = cuda.mem_alloc(16)
    for address in (memory, gpuarray.zeros(1, np.float64).gpudata):
        with pytest.raises(TypeError, match="is an address in device memory, but the parameter is a number"):
            keeper(declared)(memory, address, **ONE)
        prepared = keeper(declared).prepare("P" + TYPES[declared](0).dtype.char)
        with pytest.raises(struct.error, match="needs a number, not "):
            prepared.prepared_call((1, 1), (1, 1, 1), memory, address)
        double = ElementwiseKernel(f"{declared} *x, {declared} s", "x[i] = s")
        with pytest.raises(struct.error, match="needs a number, not "):
            double(gpuarray.zeros(1, TYPES[declared]), address)


def test_a_code_for_pointers_does_not_stand_for_a_floating_point_number():
    with pytest.raises(TypeError, match="is a floating-point number, but its code in 'PP' is not"):
        keeper("double").prepare("PP")


@pytest.mark.parametrize("declared", ["long long", "unsigned long long", "size_t"])
def test_addresses_pass_as_integers_of_their_size(declared):
    memory = cuda.mem_alloc(16)
    array = gpuarray.zeros(4, np.float32)
    assert kept(declared, memory) == int(memory)
    assert kept(declared, int(memory)) == int(memory)
    assert kept(declared, array.gpudata) == int(array.gpudata) == array.ptr


def test_arrays_pass_for_numbers_where_nothing_is_checked():
    ones = gpuarray.to_gpu(np.ones(3, np.int64))
    assert kept("long long", ones, check_arguments=False) == ones.ptr


LIMITS = {name: np.iinfo(dtype) for name, dtype in TYPES.items() if np.dtype(dtype).kind != "f" and name != "char"}


@pytest.mark.parametrize("declared", LIMITS)
def test_integers_beyond_the_declared_type_are_refused(declared):
    limits = LIMITS[declared]
    for value in (limits.min, limits.max):
        assert kept(declared, int(value)) == value
    for value in (int(limits.min) - 1, int(limits.max) + 1):
        with pytest.raises(OverflowError, match=f"#1 .*'keep' is out of range: {value} .*{limits.min} to {limits.max}"):
            kept(declared, value)


def test_numbers_of_numpy_and_whole_floats_are_held_to_the_same():
    for value in (np.int64(2**31), np.uint64(2**32 - 1), 2.0**31):
        with pytest.raises(OverflowError, match="does not fit in the 4 bytes of 'int', -2147483648 to 2147483647"):
            kept("int", value)
    # The same size is the program's choice, as in C.
    assert kept("int", np.uint32(0xFFFFFFFF)) == -1
    assert kept("unsigned int", np.int32(-1)) == 0xFFFFFFFF


def test_a_plain_char_takes_either():
    assert kept("char", 255) == kept("char", -1) == -1


def test_without_a_check_all_that_fits_the_bytes_passes():
    assert kept("int", 0xFFFFFFFF, check_arguments=False) == -1


def test_dynamic_modules_check_the_elements_of_arrays():
    source = "__global__ void twice(float *a) { a[threadIdx.x] *= 2; }"
    wrong = np.ones(4)
    with pytest.raises(TypeError, match="array of float64, but the parameter is 'float\\*'"):
        DynamicSourceModule(source).get_function("twice")(cuda.InOut(wrong), block=(4, 1, 1))
    DynamicSourceModule(source, check_arguments=False).get_function("twice")(cuda.InOut(wrong), block=(4, 1, 1))
    assert (wrong != 1).any()
