# SPDX-License-Identifier: MIT
"""NumPy's functions given device arrays: plain calls, which need no Python code, and all others."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.gpuarray import GPUArray, to_gpu

pytestmark = pytest.mark.usefixtures("context")

HOST = np.linspace(0.5, 3, 24, dtype=np.float32).reshape(4, 6)


def test_results_go_to_out_in_its_dtype():
    a = to_gpu(HOST)
    out = gpuarray.empty((4, 6), np.float64)
    assert np.add(a, 1, out=out) is out and np.allclose(out.get(), HOST + 1)
    assert np.exp(a, out=(out,)) is out and np.allclose(out.get(), np.exp(HOST))
    assert np.exp(a, out=None).dtype == np.float32
    with pytest.raises(ValueError, match="output of shape"):
        np.exp(a, out=gpuarray.empty(5, np.float32))
    with pytest.raises(TypeError, match="cannot be stored"):
        np.exp(a, out=gpuarray.empty((4, 6), np.int32))
    with pytest.raises(TypeError):
        np.exp(a, out=np.empty((4, 6), np.float32))


def test_dtype_is_the_results():
    made = np.add(to_gpu(HOST), 1, dtype=np.float64)
    assert made.dtype == np.float64 and np.allclose(made.get(), HOST + 1)


def test_where_and_other_keywords_are_refused():
    with pytest.raises(TypeError, match="arguments not supported for device arrays: where"):
        np.exp(to_gpu(HOST), where=HOST > 1)
    with pytest.raises(TypeError, match="casting"):
        np.matmul(to_gpu(HOST), to_gpu(HOST).T, casting="unsafe")


def test_operands_are_arrays_on_the_device_and_numbers():
    a = to_gpu(HOST)
    for other in (2, 2.5, True, np.float32(2), np.array(2.0, np.float32)):
        assert np.allclose(np.multiply(other, a).get(), other * HOST)
        assert np.multiply(a, other).dtype == np.float32
    with pytest.raises(TypeError, match=r"numpy.ndarray of shape \(4, 6\): copy it with to_gpu first"):
        np.add(HOST, a)
    with pytest.raises(TypeError):
        np.add(a, "text")
    with pytest.raises(OverflowError):
        np.add(to_gpu(np.arange(3, dtype=np.int8)), 1000)


def test_other_methods_and_ufuncs():
    a = to_gpu(HOST)
    assert np.allclose(np.add.reduce(a).get(), HOST.sum(0)) and np.allclose(
        np.maximum.reduce(a, axis=1).get(), HOST.max(1)
    )
    quotient, rest = np.divmod(a, 2)
    assert np.array_equal(quotient.get(), HOST // 2) and np.array_equal(rest.get(), HOST % 2)
    assert np.allclose(np.matmul(a, a.T).get(), HOST @ HOST.T, rtol=1e-5)
    assert np.array_equal(np.mod(a, 2).get(), HOST % 2) and np.allclose(np.degrees(a).get(), np.degrees(HOST))
    with pytest.raises(TypeError):
        np.add.at(a, 0, 1)
    with pytest.raises(TypeError):
        np.spacing(a)
    with pytest.raises(TypeError):
        np.frompyfunc(lambda x: x, 1, 1)(a)


def test_functions_know_numpys_arguments():
    a = to_gpu(HOST)
    assert np.allclose(np.sum(a).get(), HOST.sum()) and np.sum(a).shape == ()
    assert np.sum(a, axis=1, keepdims=True).shape == (4, 1) and np.max(a, 0).shape == (6,)
    assert (
        np.sum(to_gpu(np.ones(300, np.int8))).get() == 300 and np.sum(to_gpu(np.ones(300, np.int8))).dtype == np.int64
    )
    assert np.sum(to_gpu(np.ones(3, np.uint8))).dtype == np.uint64
    assert gpuarray.sum(to_gpu(np.ones(3, np.int8))).dtype == np.int8
    assert np.any(a).get() and np.any(a).dtype == np.bool_ and np.argmax(a).dtype == np.int64
    assert np.dot(a[0], a[1]).get() == pytest.approx(HOST[0] @ HOST[1], rel=1e-6)
    assert np.sum(gpuarray.zeros(0, np.float32)).get() == 0
    with pytest.raises(ValueError, match="no identity"):
        np.max(gpuarray.zeros(0, np.float32))
    with pytest.raises(TypeError, match="no implementation found"):
        np.i0(a)


class Louder(GPUArray):
    """Overrides what NumPy's functions come to."""

    def sum(self, *args, **kwargs):
        return "a sum"

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if ufunc is np.exp:
            return "an exponential"
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)


class Stranger:
    __array_ufunc__ = None


def test_classes_may_answer_themselves():
    loud = Louder(HOST.shape, np.float32)
    loud.set(HOST)
    assert np.exp(loud) == "an exponential" and np.sum(loud) == "a sum"
    assert type(np.sin(loud)) is Louder and np.allclose(np.sin(loud).get(), np.sin(HOST))
    out = gpuarray.empty(HOST.shape, np.float32)
    assert np.add(loud, to_gpu(HOST), out=out) is out and np.allclose(out.get(), 2 * HOST)
    with pytest.raises(TypeError):
        np.add(to_gpu(HOST), Stranger())
