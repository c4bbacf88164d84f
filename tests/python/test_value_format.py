# SPDX-License-Identifier: MIT
"""pycuda._pvt_struct agrees with Python's struct where both know a code."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycuda import _pvt_struct as pvt

INTEGERS = {code: struct.calcsize(code) for code in "bBhHiIlLqQnN"}


@st.composite
def formats_with_values(draw):
    codes, values = [], []
    for _ in range(draw(st.integers(0, 8))):
        code = draw(st.sampled_from("bBhHiIlLqQnNfd?x"))
        codes.append(code)
        if code in INTEGERS:
            bits = 8 * INTEGERS[code]
            signed = code.islower()
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            values.append(draw(st.integers(low, high)))
        elif code == "f":
            values.append(draw(st.floats(width=32, allow_nan=False)))
        elif code == "d":
            values.append(draw(st.floats(allow_nan=False)))
        elif code == "?":
            values.append(draw(st.booleans()))
    return "".join(codes), values


@given(formats_with_values())
def test_packs_and_unpacks_like_struct(case):
    codes, values = case
    packed = pvt.pack(codes, *values)
    assert packed == struct.pack(codes, *values)
    assert pvt.calcsize(codes) == struct.calcsize(codes)
    assert list(pvt.unpack(codes, packed)) == values


def test_complex_codes_are_aligned_like_their_parts():
    assert pvt.calcsize("bF") == 12
    assert pvt.calcsize("bD") == 24
    assert pvt.pack("F", 1 + 2j) == np.complex64(1 + 2j).tobytes()
    assert pvt.unpack("D", pvt.pack("D", 3 - 4j)) == (3 - 4j,)


@given(st.floats(-60000, 60000) | st.floats(-1e-6, 1e-6))
def test_half_precision_rounds_like_struct_also_to_subnormals(value):
    assert pvt.pack("e", value) == struct.pack("e", value)


def test_half_precision_refuses_what_would_become_infinite():
    with pytest.raises(pvt.error):
        pvt.pack("e", 1e6)


def test_counts_repeat_and_lengths_pad():
    assert pvt.pack("3h2s5s", 1, 2, 3, b"ab", b"c") == struct.pack("3h2s5s", 1, 2, 3, b"ab", b"c")


def test_pack_into_and_unpack_from_take_offsets():
    buffer = bytearray(16)
    pvt.pack_into("iP", buffer, 0, 7, 9)
    assert pvt.unpack_from("iP", buffer) == (7, 9)
    assert pvt.unpack_from("P", buffer, 8) == (9,)
    with pytest.raises(pvt.error):
        pvt.pack_into("iP", buffer, 8, 7, 9)


@pytest.mark.parametrize(
    ("codes", "values"),
    [("i", (1.5,)), ("i", (1 << 31,)), ("B", (-1,)), ("i", ()), ("i", (1, 2)), ("g", (1,)),
     ("3", ()), ("P", ("x",)), ("c", (b"ab",)), ("f", ("1",)), ("99999999999999i", ())],
)  # fmt: skip
def test_errors_are_struct_errors(codes, values):
    with pytest.raises(struct.error):
        pvt.pack(codes, *values)


def test_the_error_class_is_that_of_struct():
    assert pvt.error is struct.error
    assert pvt.error.__module__ == "struct"
