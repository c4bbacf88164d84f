# SPDX-License-Identifier: MIT
"""pycuda.cumath against NumPy."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import cumath, gpuarray
from pycuda.gpuarray import to_gpu

pytestmark = pytest.mark.usefixtures("context")

NUMPY_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
REAL = ["fabs", "ceil", "floor", "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
        "cosh", "tanh"]  # fmt: skip
COMPLEX = ["exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"]


def numpys(name):
    return getattr(np, NUMPY_NAMES.get(name, name))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_real_functions(dtype):
    h = np.random.default_rng(1).uniform(0.01, 0.99, 1000).astype(dtype)
    x = to_gpu(h)
    for name in REAL:
        result = getattr(cumath, name)(x)
        assert result.dtype == dtype
        tolerance = 1e-5 if dtype == np.float32 else 1e-13
        np.testing.assert_allclose(result.get(), numpys(name)(h), rtol=tolerance, err_msg=name)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_functions(dtype):
    random = np.random.default_rng(2)
    h = (random.normal(size=500) + 1j * random.normal(size=500)).astype(dtype)
    for name in COMPLEX:
        result = getattr(cumath, name)(to_gpu(h)).get()
        tolerance = 1e-4 if dtype == np.complex64 else 1e-12
        np.testing.assert_allclose(result, numpys(name)(h), rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_the_arcus_tangent_is_exact_on_both_sides_of_its_poles(dtype):
    random = np.random.default_rng(4)
    near = (random.normal(size=2000) + 1j * random.normal(size=2000)) * 10.0 ** random.uniform(-7, 1, 2000)
    h = np.concatenate([near, near + 1j, near - 1j, [1e-30 + 1j, -1e-30 - 1j]]).astype(dtype)
    wanted = np.arctan(h.astype(np.complex128))
    error = abs(cumath.atan(to_gpu(h)).get() - wanted) / abs(wanted)
    assert error.max() < (2e-6 if dtype == np.complex64 else 1e-14)


@pytest.mark.parametrize("dtype", [np.int64, np.uint32, np.uint64])
def test_exponents_that_no_int_holds_are_as_large_as_they_are(dtype):
    powers = np.array([3, 100, 2**31, 2**32 - 1, 2**31 + 5], dtype)
    result = cumath.ldexp(to_gpu(np.ones(5)), to_gpu(powers)).get()
    assert result.tolist() == [8, 2.0**100, np.inf, np.inf, np.inf]
    if dtype == np.int64:
        assert cumath.ldexp(to_gpu(np.ones(2)), to_gpu(np.array([-(2**40), -3]))).get().tolist() == [0, 0.125]


def test_out_and_stream():
    x, stream = to_gpu(np.ones(10, np.float32)), drv.Stream()
    out = gpuarray.empty_like(x)
    assert cumath.exp(x, out=out, stream=stream) is out
    stream.synchronize()
    np.testing.assert_allclose(out.get(), np.e, rtol=1e-6)
    with pytest.warns(DeprecationWarning):
        assert cumath.log(x, out) is out
    assert (out.get() == 0).all()
    with pytest.raises(AssertionError):
        cumath.exp(x, out=gpuarray.empty(9, np.float32))
    with pytest.raises(TypeError, match="strem"):
        cumath.exp(x, strem=None)
    with pytest.raises(TypeError, match="array on the device"):
        cumath.exp(np.ones(3))


def test_strided_arrays():
    h = np.arange(1, 101, dtype=np.float32).reshape(10, 10)
    np.testing.assert_allclose(cumath.sqrt(to_gpu(h)[:, ::-2]).get(), np.sqrt(h[:, ::-2]), rtol=1e-6)
    np.testing.assert_allclose(cumath.modf(to_gpu(h)[:, ::2])[1].get(), h[:, ::2])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_of_numbers(dtype):
    h = np.random.default_rng(3).normal(size=300).astype(dtype) * 50
    x = to_gpu(h)
    fraction, integral = cumath.modf(x)
    assert (integral.get() == np.modf(h)[1]).all() and (fraction.get() == np.modf(h)[0]).all()
    significand, exponent = cumath.frexp(x)
    assert (significand.get() == np.frexp(h)[0]).all() and (exponent.get() == np.frexp(h)[1]).all()
    assert (cumath.ldexp(significand, exponent).get() == h).all()
    assert (cumath.fmod(x, to_gpu(np.full(300, 7, dtype))).get() == np.fmod(h, dtype(7))).all()


def test_parts_of_other_numbers_are_refused():
    with pytest.raises(TypeError, match="float32 and float64, not int32"):
        cumath.modf(to_gpu(np.ones(3, np.int32)))
    with pytest.raises(ValueError, match=r"shapes \(3,\) and \(4,\)"):
        cumath.fmod(to_gpu(np.ones(3)), to_gpu(np.ones(4)))


def test_numbers_and_other_names_are_refused_with_what_takes_them():
    a = to_gpu(np.ones(3))
    for call, words in (
        (lambda: cumath.exp(2.0), "not float: numpy.exp takes numbers"),
        (lambda: cumath.fmod(a, np.float64(2)), "not float64: numpy.fmod takes numbers"),
        (lambda: cumath.exp(np.ones(3)), "not ndarray: copy it with to_gpu"),
    ):
        with pytest.raises(TypeError, match=words):
            call()
    for name, words in (
        ("erf", r"scipy.special.erf\(a\) computes it on the device"),
        ("lgamma", r"scipy.special.gammaln\(a\) computes"),
        ("arctan2", r"np.arctan2\(a\) computes it on the device"),
        ("missing", "no attribute 'missing'$"),
    ):
        with pytest.raises(AttributeError, match=words):
            getattr(cumath, name)
