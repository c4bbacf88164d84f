# SPDX-License-Identifier: MIT
"""Arrays whose elements have fields: comparing them with elements or arrays of the host is not silently False."""

import numpy as np
import pytest
from pycuda import gpuarray

PARTICLE = np.dtype([("x", np.float32), ("n", np.int32)])


@pytest.fixture
def host():
    particles = np.zeros(3, PARTICLE)
    particles["x"] = [1, 2, 3]
    return particles


@pytest.fixture
def there(context, host):
    return gpuarray.to_gpu(host)


@pytest.mark.parametrize("other", ["element", "void", "array", "array without axes"])
def test_comparing_with_the_host_says_what_to_do(there, host, other):
    values = {"element": host[0], "void": np.void((1, 0), PARTICLE), "array": host, "array without axes": host[0:1][0]}
    for compare in (lambda a, b: a == b, lambda a, b: a != b):
        with pytest.raises(TypeError, match=r"call its get\(\) method, or allow it with .*allow_host_copies"):
            compare(there, values[other])


def test_comparing_is_right_where_copies_are_allowed(there, host):
    with gpuarray.allow_host_copies():
        assert (there == host[1]).tolist() == [False, True, False]
        assert (there != host).tolist() == [False, False, False]


def test_comparing_on_the_device_says_what_to_do(there):
    with pytest.raises(
        TypeError, match=r"does not take an operand of .*: elements with fields are for kernels; get\(\)"
    ):
        there == there  # noqa: B015


def test_comparing_numbers_with_an_element_with_fields_is_refused(context, host):
    with pytest.raises(TypeError, match="get"):
        gpuarray.zeros(3, np.float32) == host[0]  # noqa: B015


def test_other_comparisons_stay(there):
    assert (there == None) is False  # noqa: E711
    assert (there == "x") is False
