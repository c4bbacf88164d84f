# SPDX-License-Identifier: MIT
"""Numbers become what the kernel's parameters are: where the driver takes PTX, their kinds are known."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
struct Pair { float a, b; };
__global__ void put(double *out, float f, double d, int i, long long l, Pair p) {
    out[0] = f; out[1] = d; out[2] = i; out[3] = l; out[4] = p.a + p.b;
}
__global__ void one(int *out, int i) { *out = i; }
__global__ void reads(float *out, float f) { *out = f; }
"""
PAIR = np.array([(1, 2)], [("a", np.float32), ("b", np.float32)])[0]


@pytest.fixture
def module():
    made = SourceModule(SOURCE)
    if not drv.Context.get_device().name().startswith("CPU"):
        pytest.skip("needs the CPU driver: machine code does not tell the kinds of parameters")
    return made


@pytest.mark.parametrize(
    "numbers",
    [
        (2, 3, 4, 5),
        (2.0, 3.0, 4.0, 5.0),
        (np.int32(2), np.int64(3), np.float32(4), np.float64(5)),
        (True, 0, -1, 2**40),
    ],
)
def test_numbers_are_converted_to_the_kind_of_the_parameter(module, numbers):
    out = np.zeros(5)
    module.get_function("put")(drv.Out(out), *numbers, PAIR, block=(1, 1, 1))
    assert out.tolist() == [*map(float, numbers), 3]


@pytest.mark.parametrize("number", [2.5, np.float32(2.5), np.float64(0.1), float("nan"), float("inf")])
def test_a_fraction_is_no_integer(module, number):
    with pytest.raises(
        TypeError, match=r"argument #1 \(0-based\) of kernel 'one' is .*, but the parameter is an integer"
    ):
        module.get_function("one")(drv.Out(np.zeros(1, np.int32)), number, block=(1, 1, 1))


def test_what_does_not_fit_is_refused(module):
    with pytest.raises(OverflowError):
        module.get_function("reads")(drv.Out(np.zeros(1, np.float32)), 10**400, block=(1, 1, 1))
    with pytest.raises(OverflowError, match="does not fit in the 4 bytes"):
        module.get_function("one")(drv.Out(np.zeros(1, np.int32)), 1e10, block=(1, 1, 1))
    with pytest.raises(TypeError, match="but the parameter is a real number"):
        module.get_function("put")(drv.Out(np.zeros(5)), 1, np.complex64(1), 1, 1, PAIR, block=(1, 1, 1))


def test_codes_of_prepared_calls_are_compared(module):
    one, reads = module.get_function("one"), module.get_function("reads")
    with pytest.raises(
        TypeError, match=r"parameter #1 \(0-based\) of kernel 'one' is an integer, but its code in 'Pf'"
    ):
        one.prepare("Pf")
    with pytest.raises(TypeError, match=r"parameter #1 \(0-based\) of kernel 'reads' is a floating-point number"):
        reads.prepare("Pi")
    out = drv.mem_alloc(4)
    reads.prepare("Pf").prepared_call((1, 1), (1, 1, 1), out, 3)
    assert drv.from_device(out, 1, np.float32)[0] == 3


PADDED = np.dtype([("a", np.int8), ("b", np.float64)])
STRUCTS = {
    "an element": (lambda: np.zeros(2, PADDED)[0], r"a struct of 9 bytes, but the parameter has 16 bytes; C\+\+ pads"),
    "an array": (lambda: np.zeros(1, PADDED), r"ndarray of 9 bytes, .* has 16 bytes; C\+\+ pads .*align=True"),
    "elements": (
        lambda: np.zeros(3, PADDED),
        r"ndarray of 27 bytes, .* has 16 bytes; pass one of its elements, .*\[0\]",
    ),
    "bytes": (lambda: b"123", r"'take': bytes of 3 bytes, but the parameter has 16 bytes; C\+\+ pads .*align=True"),
    "void": (
        lambda: np.void(b"123"),
        r"a struct of 3 bytes, but the parameter has 16 bytes; C\+\+ pads .*into the bytes",
    ),
    "a bytearray": (lambda: bytearray(16), r"'take': bytearray; bytes\(\) of it passes its contents by value"),
    "a tuple": (
        lambda: (1, 2.0),
        r"'take': tuple; numpy.array\(\(...\), dtype\)\[\(\)\] makes one struct, .*align=True",
    ),
    "a dictionary": (lambda: {"a": 1}, r"'take': dict; numpy.array"),
}


@pytest.mark.parametrize("value", STRUCTS)
def test_a_struct_of_another_size_says_how_to_make_one_that_fits(value):
    make, words = STRUCTS[value]
    take = SourceModule("struct S { char a; double b; }; __global__ void take(S s) {}").get_function("take")
    with pytest.raises(TypeError, match=words) as caught:
        take(make(), block=(1, 1, 1))
    assert "#0 (0-based) of kernel 'take'" in str(caught.value)
    take(np.zeros((), np.dtype(PADDED.descr, align=True)), block=(1, 1, 1))


def test_a_struct_for_a_number_or_a_pointer_says_what_to_pass():
    module = SourceModule("__global__ void number(int n) {}\n__global__ void pointer(double *p) {}")
    element = np.zeros(1, PADDED)[0]
    with pytest.raises(TypeError, match="has 4 bytes; pass one number, such as a field of it"):
        module.get_function("number")(element, block=(1, 1, 1))
    with pytest.raises(
        TypeError, match="has 8 bytes; for a pointer to it wrap a numpy.array of it in pycuda.driver.In"
    ):
        module.get_function("pointer")(element, block=(1, 1, 1))
