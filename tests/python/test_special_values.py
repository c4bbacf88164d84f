# SPDX-License-Identifier: MIT
"""Operations on infinities, NaN, signed zeros and the limits of dtypes, against NumPy."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.gpuarray import GPUArray, to_gpu

pytestmark = pytest.mark.usefixtures("context")


def specials(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        numbers = [0, 1, 2, 3, 7, 31, limits.max, limits.max - 1, limits.min, limits.min + 1]
        return np.array(numbers + ([-1, -2, -7] if dtype.kind == "i" else []), dtype)
    if dtype.kind == "f":
        limits = np.finfo(dtype)
        numbers = [0.0, -0.0, 1, -1, 0.5, -1.5, 2.5, -7, 0.1, 100, np.inf, -np.inf, np.nan]
        numbers += [float(one) for one in (limits.max, -limits.max, limits.tiny, limits.smallest_subnormal, limits.eps)]
        return np.array(numbers, dtype)
    parts = [0.0, -0.0, 1, -1, 0.5, -2, np.inf, -np.inf, np.nan]
    return np.array([complex(real, imag) for real in parts for imag in parts], dtype)


def pairs(dtype):
    first, second = np.meshgrid(specials(dtype), specials(dtype), indexing="ij")
    return first.ravel().copy(), second.ravel().copy()


def check(got, expected, tolerance=0.0, zero_signs=True):
    """The same numbers, infinities, places of NaN and signs of zeros."""
    assert isinstance(got, GPUArray)
    got = got.get()
    assert got.dtype == expected.dtype
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, expected)
        return
    nan = np.isnan(expected.real) | np.isnan(expected.imag)
    for one, other in ((got.real, expected.real), (got.imag, expected.imag)):
        # Beside NaN, Annex G of C leaves signs open.
        one, other = np.where(nan, np.abs(one), one), np.where(nan, np.abs(other), other)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=0)
        if zero_signs:
            zeros = (other == 0) & (one == 0)
            np.testing.assert_array_equal(np.signbit(one[zeros]), np.signbit(other[zeros]))


COMPLEX = [
    np.sqrt,
    np.exp,
    np.log,
    np.log2,
    np.log10,
    np.sin,
    np.cos,
    np.tan,
    np.cosh,
    np.sinh,
    np.tanh,
    np.arcsin,
    np.arccos,
    np.arctan,
    np.arcsinh,
]
COMPLEX += [np.arccosh, np.arctanh, np.sign, np.reciprocal, np.rint]


@pytest.mark.parametrize("function", COMPLEX, ids=lambda function: function.__name__)
def test_functions_of_complex_numbers_at_infinities_and_zeros(function):
    host = specials(np.complex128)
    if function is np.arctan:
        host = host[~np.isnan(host)]  # the sign of zero beside NaN is open
    with np.errstate(all="ignore"):
        check(function(to_gpu(host)), function(host), 1e-13)


def test_exp2_of_complex_numbers():
    host = specials(np.complex128)
    host = host[np.isfinite(host)]
    check(np.exp2(to_gpu(host)), np.exp2(host), 1e-13)


def test_functions_of_huge_and_tiny_complex_numbers():
    host = np.array(
        [1e300 + 1e300j, -1e300 + 2j, 3 - 1e300j, 1e-310 + 1e-310j, 1e200 + 0j, 1 + 1e-9j, 1.1e308 + 1.2e308j]
    )
    for function in (np.sqrt, np.log, np.arcsinh, np.arccosh, np.arcsin, np.arccos, np.arctan):
        with np.errstate(all="ignore"):
            check(function(to_gpu(host)), function(host), 1e-9)
    wide = np.array([709.5 + 1.5707j, -709.9 + 3j, 709.9 - 1.57j])
    for function in (np.exp, np.sinh, np.cosh):
        check(function(to_gpu(wide)), function(wide), 1e-11)


def test_expm1_of_complex_numbers_is_the_standards():
    """NumPy's own subtracts 1 from exp(z), which is NaN for infinite z."""
    result = np.expm1(to_gpu(np.array([complex(np.inf, 0), complex(-np.inf, np.inf), complex(np.inf, np.nan)]))).get()
    assert result[0] == complex(np.inf, 0) and result[1] == -1 and result[2].real == np.inf


ORDERS = [np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.maximum, np.minimum, np.fmax, np.fmin]


@pytest.mark.parametrize("function", ORDERS, ids=lambda function: function.__name__)
def test_complex_numbers_compare_as_numpys_beside_nan(function):
    a, b = pairs(np.complex64)
    check(function(to_gpu(a), to_gpu(b)), function(a, b), zero_signs=False)


@pytest.mark.parametrize("dtype", ["complex128", "float64", "float16", "int16"])
def test_powers(dtype):
    a, b = pairs(dtype)
    if dtype == "int16":
        a, b = a[b >= 0], b[b >= 0]
    if dtype == "complex128":
        a, b = a[np.isfinite(a) & np.isfinite(b)], b[np.isfinite(a) & np.isfinite(b)]
    with np.errstate(all="ignore"):
        check(to_gpu(a) ** to_gpu(b), a**b, 2e-3 if dtype == "float16" else 1e-12, dtype != "complex128")


def test_whole_powers_of_complex_numbers_are_products():
    host = np.array([1 + 2j, -3 + 0.5j, 2j])
    for exponent in (3, 4, -2, 17):
        check(to_gpu(host) ** exponent, host**exponent, 1e-15, zero_signs=False)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_neighbours_of_floats(dtype):
    a, b = pairs(dtype)
    # From zero to the other zero it is the other, as in C. NumPy's versions differ for halves.
    check(np.nextafter(to_gpu(a), to_gpu(b)), np.where(a == b, b, np.nextafter(a, b)))


def test_neighbours_of_small_integers_are_halves():
    host = np.array([0, 1, 7], np.int8)
    check(np.nextafter(to_gpu(host), to_gpu(host[::-1].copy())), np.nextafter(host, host[::-1]))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_signs_and_angles_of_zeros(dtype):
    host = specials(dtype)
    check(np.sign(to_gpu(host)), np.sign(host))
    check(np.angle(to_gpu(host)), np.angle(host))


WHOLE = [np.gcd, np.lcm]


@pytest.mark.parametrize("function", WHOLE, ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64"])
def test_divisors_and_multiples(function, dtype):
    host = np.array([0, 1, 2, 12, 18, 35, 100], dtype)
    a, b = (one.ravel().copy() for one in np.meshgrid(host, host[::-1]))
    check(function(to_gpu(a), to_gpu(b)), function(a, b))
    if np.dtype(dtype).kind == "i":
        check(function(to_gpu(-a), to_gpu(b)), function(-a, b))
    with pytest.raises(TypeError, match="float32"):
        function(to_gpu(a.astype(np.float32)), to_gpu(b))


REAL = [np.heaviside, np.logaddexp2, np.float_power]


@pytest.mark.parametrize("function", REAL, ids=lambda function: function.__name__)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_functions_of_two_numbers(function, dtype):
    a, b = pairs(dtype)
    with np.errstate(all="ignore"):
        check(function(to_gpu(a), to_gpu(b)), function(a, b), 1e-5 if dtype == "float32" else 1e-12)


def test_fabs_takes_reals_alone():
    check(np.fabs(to_gpu(specials(np.float64))), np.fabs(specials(np.float64)))
    check(np.fabs(to_gpu(np.array([-3, 2], np.int16))), np.fabs(np.array([-3, 2], np.int16)))
    with pytest.raises(TypeError, match="complex64"):
        np.fabs(to_gpu(specials(np.complex64)))


def test_functions_of_truth_values_have_numpys_dtypes():
    truth = np.array([True, False])
    check(np.conjugate(to_gpu(truth)), np.conjugate(truth))
    check(np.angle(to_gpu(truth)), np.angle(truth))
    with pytest.raises(TypeError, match="bool"):
        np.positive(to_gpu(truth))


def test_python_numbers_beside_halves_are_halves():
    host = np.array([0.1, 1.0, 65504.0, -65504.0], np.float16)
    device = to_gpu(host)
    with np.errstate(all="ignore"):
        for call in (
            lambda a: a == 0.1,
            lambda a: a <= 0.1,
            lambda a: a * 0.1,
            lambda a: a + 70000,
            lambda a: 0.3 - a,
            lambda a: np.where(a > 1, a, 0.1),
        ):
            check(call(device), call(host))
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")
    brain = np.array([0.1, 3.0], ml_dtypes.bfloat16)
    assert (to_gpu(brain) == 0.1).get().tolist() == [True, False]


def test_ufuncs_compute_in_the_dtype_that_is_asked_for():
    a, b = np.full(3, 2.0**24, np.float32), np.ones(3, np.float32)
    check(np.add(to_gpu(a), to_gpu(b), dtype=np.float64), np.add(a, b, dtype=np.float64))
    check(np.subtract(to_gpu(a), 1, dtype=np.float64), np.subtract(a, 1, dtype=np.float64))
    check(np.sqrt(to_gpu(b), dtype=np.float64), np.sqrt(b, dtype=np.float64))
    with pytest.raises(TypeError):
        np.add(to_gpu(a), to_gpu(b), dtype=np.int32)


def test_small_integers_wrap_before_they_are_stored_wider():
    a, b = np.full(3, 200, np.uint8), np.full(3, 100, np.uint8)
    for function in (np.add, np.multiply, lambda x, y, out: np.subtract(y, x, out=out)):
        expected, got = np.zeros(3, np.int32), gpuarray.zeros(3, np.int32)
        function(a, b, out=expected)
        function(to_gpu(a), to_gpu(b), out=got)
        check(got, expected)
    expected, got = np.zeros(3, np.int64), gpuarray.zeros(3, np.int64)
    np.negative(a, out=expected)
    np.negative(to_gpu(a), out=got)
    check(got, expected)


def test_divmod_with_numpys_numbers_on_the_left():
    host = np.array([2, 3, -4], np.int64)
    for number in (np.int64(7), np.float32(7.5)):
        for got, expected in zip(divmod(number, to_gpu(host)), divmod(number, host)):
            check(got, expected)
        for got, expected in zip(np.divmod(to_gpu(host), number), np.divmod(host, number)):
            check(got, expected)
    with pytest.raises(TypeError, match="complex64"):
        divmod(np.int64(2), to_gpu(host.astype(np.complex64)))
