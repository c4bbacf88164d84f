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
        TypeError,
        match=r"does not take an operand of .*: elements with fields are for kernels; array\['\w+'\] is .*get\(\)",
    ):
        there == there  # noqa: B015


def test_comparing_numbers_with_an_element_with_fields_is_refused(context, host):
    with pytest.raises(TypeError, match="get"):
        gpuarray.zeros(3, np.float32) == host[0]  # noqa: B015


def test_other_comparisons_stay(there):
    assert (there == None) is False  # noqa: E711
    assert (there == "x") is False


SHAPED = np.dtype([("position", np.float32, 3), ("mass", np.float64), ("kind", np.int8)], align=True)


@pytest.fixture
def bodies():
    bodies = np.zeros((3, 4), SHAPED)
    bodies["position"] = np.arange(36).reshape(3, 4, 3)
    bodies["mass"] = np.arange(12).reshape(3, 4)
    return bodies


@pytest.mark.parametrize("name", SHAPED.names)
@pytest.mark.parametrize("part", [np.s_[...], np.s_[1:, ::-2], np.s_[2, 1], np.s_[3:]], ids=str)
def test_a_field_is_a_view(context, bodies, name, part):
    field = gpuarray.to_gpu(bodies)[part][name]
    assert field.dtype == bodies[part][name].dtype
    assert np.array_equal(field.get(), bodies[part][name])


def test_fields_are_computed_with_and_stored(context, bodies):
    there = gpuarray.to_gpu(bodies)
    assert float(gpuarray.sum(there["mass"])) == bodies["mass"].sum()
    for a in there, bodies:
        a["mass"] *= 2
        a["mass"][0] = 7
        a["position"][..., 1] += 1
        a["kind"] = 3
    there["mass"][1] = gpuarray.arange(4, dtype=np.float64)
    bodies["mass"][1] = np.arange(4)
    assert (there.get() == bodies).all()


def test_components_of_vectors_are_fields(context):
    points = gpuarray.zeros(4, gpuarray.vec.float4)
    points["w"] = 1.5
    points["x"] = gpuarray.arange(4, dtype=np.float32)
    assert points.get()["x"].tolist() == [0, 1, 2, 3]
    assert float(gpuarray.dot(points["x"], points["w"])) == 9


def test_a_field_that_kernels_cannot_read_is_refused(context):
    packed = gpuarray.zeros(3, np.dtype([("kind", np.int8), ("mass", np.float32)]))
    assert packed["kind"].get().tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=r"'mass' is not at multiples of 4 bytes.*align=True"):
        packed["mass"]


def test_a_field_that_is_not_there_is_refused(there):
    with pytest.raises(ValueError, match="no field 'y': the elements have 'x', 'n'"):
        there["y"]
    with pytest.raises(ValueError, match="no field 'y'"):
        there["y"] = 1
    with pytest.raises(IndexError, match="elements of dtype float64 have no fields"):
        gpuarray.zeros(3)["x"]
