# SPDX-License-Identifier: MIT
"""What `pycuda.fuse` refuses, and what it says."""

import numpy as np
import pycuda
import pytest
from pycuda import gpuarray
from test_fuse import combined, on_device, same_bits

pytestmark = pytest.mark.usefixtures("context")


def test_wrong_out(context):
    a = on_device(10)
    with pytest.raises(ValueError, match=r"output of shape \(9,\) does not match the result, which has shape \(10,\)"):
        combined(a, a, 1, out=gpuarray.zeros(9, np.float32))
    with pytest.raises(TypeError, match="dtype float32 and cannot be stored with dtype int32"):
        combined(a, a, 1, out=gpuarray.zeros(10, np.int32))
    with pytest.raises(TypeError, match="out"):
        combined(a, a, 1, out=np.zeros(10, np.float32))
    two = pycuda.fuse(lambda a: (a + 1, a + 2))
    with pytest.raises(ValueError, match="two arrays of out share memory"):
        two(a, out=(a, a))
    with pytest.raises(ValueError, match="gives 2 results, out has 1"):
        two(a, out=(a,))


def changes_argument(a):
    a += 1
    return a


def branches(a):
    return a if a > 0 else -a


OTHER = []
MISTAKES = {
    "argument": (changes_argument, "write x = x \\+ 1 instead of x \\+= 1"),
    "branch": (branches, "np.where"),
    "and": (lambda a: a > 0 and a, "np.where"),
    "loop": (lambda a: [x for x in a], "all elements at once"),
    "index": (lambda a: a[0], "an index inside a fused function"),
    "len": (lambda a: a / len(a), "the length of an array"),
    "float": (lambda a: float(a), "float\\(\\) of elements"),
    "sum": (lambda a: np.sum(a), "np.sum inside a fused function: it is not done element by element"),
    "reduce": (lambda a: np.add.reduce(a), "np.add.reduce"),
    "product": (lambda a: a @ a, "a matrix product"),
    "frexp": (lambda a: np.frexp(a)[0], "np.frexp inside a fused function is not supported"),
    "host": (lambda a: a + np.arange(3), "a numpy.ndarray inside a fused function: pass it"),
    "array": (lambda a: a + OTHER[0], "an array on the device inside a fused function: pass it"),
    "string": (lambda a: a + "1", "'add' takes elements and numbers, not str"),
    "out": (lambda a: np.add(a, 1, out=np.zeros(3)), "pass out to the fused function"),
    "where": (lambda a: np.add(a, 1, where=True), "does not take where"),
    "nothing": (lambda a: None, "returned None"),
    "number": (lambda a: (a, 1.0), "returned an object of type float"),
    "none": (lambda a: (), "returned no results"),
    "copy": (lambda a: np.asarray(a), "a copy on the host"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(context, name):
    function, message = MISTAKES[name]
    OTHER[:] = [on_device(3)]
    try:
        with pytest.raises(TypeError, match=message):
            pycuda.fuse(function)(on_device(3))
    finally:
        OTHER.clear()


def test_unknown_attributes(context):
    with pytest.raises(AttributeError, match="no 'sum': it takes operations on single elements"):
        pycuda.fuse(lambda a: a.sum())(on_device(3))


def test_elements_that_leave_the_function(context):
    kept = []

    def function(a):
        kept.append(a + 1)
        return a + 1

    fused = pycuda.fuse(function)
    fused(on_device(3))
    for use in (lambda x: x + 1, lambda x: x.astype(np.int8)):
        with pytest.raises(TypeError, match="known only while it runs"):
            use(kept[0])
    with pytest.raises(TypeError, match="elements of another call"):
        pycuda.fuse(lambda a: a + kept[0])(on_device(3))
    with pytest.raises(TypeError, match="returned an object of type Elements"):
        pycuda.fuse(lambda a: kept[0])(on_device(3))


def test_wrong_arguments(context):
    a = on_device(3)
    with pytest.raises(TypeError, match="not ndarray: copy it with to_gpu"):
        combined(a, np.arange(3), 1)
    with pytest.raises(TypeError, match="not list: pass what it needs of it"):
        combined(a, [1, 2], 1)
    with pytest.raises(TypeError, match="fuse takes a function, not int"):
        pycuda.fuse(3)

    class Body:
        @pycuda.fuse
        def step(self, a):
            return a

    with pytest.raises(TypeError, match="not Body: pass what it needs of it"):
        Body().step(a)
    for dtype in ("i4,f4", "S3", ">f4"):
        with pytest.raises(TypeError, match="does not compute with elements of dtype"):
            pycuda.fuse(lambda x: x)(gpuarray.to_gpu(np.zeros(3, dtype)))
    for function in (lambda a, out: a, lambda stream: stream):
        with pytest.raises(TypeError, match="the parameter '(out|stream)' is what the fused function itself takes"):
            pycuda.fuse(function)
    for arguments in (((a, a),), (a, [a]), (a, {"x": a})):
        with pytest.raises(TypeError, match="pass each array as an argument of its own"):
            pycuda.fuse(lambda *arguments: arguments[0])(*arguments)


def test_too_many_arrays(context):
    a = on_device(3)

    @pycuda.fuse
    def total(*arrays):
        return sum(arrays[1:], arrays[0])

    same_bits(total(*[a] * 15), sum([a] * 14, a))
    with pytest.raises(ValueError, match="at most 16 arrays in all: this one takes 16 and gives 1"):
        total(*[a] * 16)
    with pytest.raises(ValueError, match="at most 8 results"):
        pycuda.fuse(lambda a: (a,) * 9)(a)


def test_errors_of_the_function_are_its_own(context):
    @pycuda.fuse
    def fails(a):
        raise KeyError("own")

    for _ in range(2):
        with pytest.raises(KeyError, match="own"):
            fails(on_device(3))
