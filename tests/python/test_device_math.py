# SPDX-License-Identifier: MIT
"""CUDA's math functions as kernels call them: within the errors that CUDA documents, and their special values."""

import math

import numpy as np
import pytest
from applied_functions import apply


def _units(result, exact):
    """Distances in units of the last place of the exact result; both are finite and not zero."""
    kind = np.finfo(result.dtype)
    exponent = np.maximum(np.frexp(exact)[1], kind.minexp + 1)
    return np.abs(result.astype(np.longdouble) - exact) / np.ldexp(np.longdouble(1), exponent - kind.nmant - 1)


PI = 4 * np.arctan(np.longdouble(1))

FLOAT_CASES = [
    # expression, exact function, range, ulp as CUDA documents them
    ("expf(x[i])", np.exp, (-103, 88.7), 2),
    ("logf(x[i])", np.log, (1e-45, 3e38), 1),
    ("log2f(x[i])", np.log2, (1e-45, 3e38), 1),
    ("log10f(x[i])", np.log10, (1e-45, 3e38), 2),
    ("exp2f(x[i])", np.exp2, (-149, 127.9), 2),
    ("powf(x[i], 1.7f)", lambda x: x ** np.longdouble(np.float32(1.7)), (1e-20, 1e20), 2),
    ("powf(x[i], -270.5f)", lambda x: x ** np.longdouble(-270.5), (0.71, 1.41), 2),
    ("powf(1e-44f, x[i])", lambda x: np.longdouble(np.float32(1e-44)) ** x, (-0.8, 0.8), 2),
    ("cbrtf(x[i])", np.cbrt, (1e-45, 3e38), 1),
    ("cbrtf(x[i])", np.cbrt, (-9, 9), 1),
    ("asinf(x[i])", np.arcsin, (-1, 1), 2),
    ("acosf(x[i])", np.arccos, (-1, 1), 2),
    ("atan2f(x[i], 0.7f)", lambda x: np.arctan2(x, np.longdouble(np.float32(0.7))), (-10, 10), 3),
    ("tanf(x[i])", np.tan, (-1.5, 1.5), 4),
    ("sinf(x[i])", np.sin, (-3.1, 3.1), 2),
    ("cosf(x[i])", np.cos, (-1.5, 1.5), 2),
    ("sinf(x[i])", np.sin, (-1e5, 1e5), 2),
    ("cosf(x[i])", np.cos, (-1e5, 1e5), 2),
    ("sinf(x[i])", np.sin, (1e-40, 3e38), 2),
    ("cosf(x[i])", np.cos, (1e-40, 3e38), 2),
    ("tanhf(x[i])", np.tanh, (-10, 10), 2),
    ("rsqrtf(x[i])", lambda x: 1 / np.sqrt(x), (1e-38, 3e38), 2),
    ("exp10f(x[i])", lambda x: np.longdouble(10) ** x, (-37, 38), 2),
    ("exp10f(x[i])", lambda x: np.longdouble(10) ** x, (-45, -37), 2),
    ("tanf(x[i])", np.tan, (-1e5, 1e5), 4),
    ("tanf(x[i])", np.tan, (1e5, 1e7), 4),
    ("atanf(x[i])", np.arctan, (-3, 3), 2),
    ("atanf(x[i])", np.arctan, (1e-40, 3e38), 2),
    ("log10f(x[i])", np.log10, (0.5, 2), 2),
    ("log2f(x[i])", np.log2, (0.5, 2), 1),
    ("sinhf(x[i])", np.sinh, (-5, 5), 3),
    ("sinhf(x[i])", np.sinh, (1e-40, 89.4), 3),
    ("coshf(x[i])", np.cosh, (-89.4, 89.4), 2),
    ("coshf(x[i])", np.cosh, (-3, 3), 2),
    ("sinpif(x[i])", lambda x: np.sin(PI * (x - 2 * np.round(x / 2))), (-0.99, 0.99), 1),
    ("cospif(x[i])", lambda x: np.sin(PI * (0.5 - np.abs(x - 2 * np.round(x / 2)))), (-3, 3), 1),
    ("hypotf(x[i], 0.7f)", lambda x: np.hypot(x, np.longdouble(np.float32(0.7))), (1e-40, 3e38), 3),
    ("hypotf(x[i], 1e-30f)", lambda x: np.hypot(x, np.longdouble(np.float32(1e-30))), (1e-40, 1e-20), 3),
    ("log1pf(x[i])", np.log1p, (1e-6, 1e6), 1),
    ("expm1f(x[i])", np.expm1, (-10, 80), 1),
    ("erfcf(x[i])", np.vectorize(lambda x: math.erfc(float(x))), (-4, 10.05), 4),
    ("erfcf(x[i])", np.vectorize(lambda x: math.erfc(float(x))), (1e-9, 10.05), 4),
    ("erff(x[i])", np.vectorize(lambda x: math.erf(float(x))), (-4, 4), 2),
]


def _spread(low, high, kind):
    """Numbers of the range, evenly spaced, or evenly spaced in their logarithms over a large positive one."""
    count = 20011
    if low > 0 and high / low > 1000:
        return np.exp(np.linspace(np.log(low), np.log(high), count)).astype(kind)[1:-1]
    return np.linspace(low, high, count).astype(kind)


@pytest.mark.parametrize("expression, exact, span, units", FLOAT_CASES, ids=lambda value: str(value)[:20])
def test_float_functions_are_as_exact_as_documented(context, expression, exact, span, units):
    x = _spread(*span, np.float32)
    wanted = exact(x.astype(np.longdouble))
    usable = (wanted != 0) & (np.abs(wanted) < np.finfo(np.float32).max)
    errors = _units(apply(expression, x), wanted)[usable]
    # CUDA's bounds are those of the rounded result: half a unit comes on top.
    assert errors.max() <= units + 0.5


@pytest.mark.parametrize(
    "expression, exact, span, units",
    [
        ("exp(x[i])", np.exp, (-700, 700), 1),
        ("exp(x[i])", np.exp, (-745.1, -700), 1),
        ("exp(x[i])", np.exp, (700, 709.78), 1),
        ("log(x[i])", np.log, (1e-300, 1e300), 1),
        ("log(x[i])", np.log, (0.3, 3), 0.5),
        ("atan(x[i])", np.arctan, (-3, 3), 2),
        ("atan(x[i])", np.arctan, (1e-300, 1e300), 2),
        ("tanh(x[i])", np.tanh, (-3, 3), 1),
        ("pow(0.7, x[i])", lambda x: np.longdouble(0.7) ** x, (-1900, 1900), 2),
        ("pow(x[i], 900.0)", lambda x: x ** np.longdouble(900), (0.5, 2), 2),
        ("sin(x[i])", np.sin, (-3.1, 3.1), 2),
        ("pow(x[i], 1.7)", lambda x: x ** np.longdouble(1.7), (1e-100, 1e100), 2),
        ("rsqrt(x[i])", lambda x: 1 / np.sqrt(x), (1e-300, 1e300), 1),
    ],
    ids=lambda value: str(value)[:20],
)
def test_double_functions_are_as_exact_as_documented(context, expression, exact, span, units):
    x = _spread(*span, np.float64)
    wanted = exact(x.astype(np.longdouble))
    assert _units(apply(expression, x), wanted)[wanted != 0].max() <= units + 0.5


def test_special_values_of_exp_and_log(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, -1.0, 1e-45, 1.0], np.float32)
    powers = apply("expf(x[i])", x)
    np.testing.assert_array_equal(powers[[0, 1, 3, 4, 6, 7]], np.array([np.inf, 0, 1, 1, 1, np.e], np.float32))
    assert np.isnan(powers[2])
    logs = apply("logf(x[i])", x)
    np.testing.assert_array_equal(logs[[0, 3, 4, 7]], np.array([np.inf, -np.inf, -np.inf, 0], np.float32))
    assert np.isnan(logs[[1, 2, 5]]).all()
    assert abs(logs[6] - np.log(1.4012984643e-45)) < 1e-5


def test_special_values_of_exp_of_doubles(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 709.79, -745.2, 1e300, -1e300, 5e-324], np.float64)
    wanted = np.array([np.inf, 0, np.nan, 1, 1, np.inf, 0, np.inf, 0, 1])
    np.testing.assert_array_equal(apply("exp(x[i])", x), wanted)


def test_special_values_of_cbrt_and_asin(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.0, -8.0, 2.0**-149], np.float32)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(apply("cbrtf(x[i])", x)[:8], np.cbrt(x[:8]))
        np.testing.assert_array_equal(np.signbit(apply("cbrtf(x[i])", x)[3:5]), [False, True])
        np.testing.assert_allclose(apply("asinf(x[i])", x), np.arcsin(x), rtol=2e-7)


SPECIAL_CASES = [
    ("atanf(x[i])", np.arctan),
    ("log2f(x[i])", np.log2),
    ("log10f(x[i])", np.log10),
    ("exp10f(x[i])", lambda x: np.float64(10) ** x),
    ("sinhf(x[i])", np.sinh),
    ("coshf(x[i])", np.cosh),
    ("tanf(x[i])", np.tan),
    ("sinpif(x[i])", lambda x: np.where(x == np.round(x), 0 * x, np.sin(np.pi * (x - 2 * np.round(x / 2))))),
    ("cospif(x[i])", lambda x: np.sin(np.pi * (0.5 - np.abs(x - 2 * np.round(x / 2))))),
]


@pytest.mark.parametrize("expression, exact", SPECIAL_CASES, ids=lambda value: str(value)[:20])
def test_special_values_of_functions_of_one_number(context, expression, exact):
    numbers = np.array([0, 2**-149, 2**-127, 0.5, 1, 1.5, 2, 2**24 - 1, 2**30, 3e38, np.inf, np.nan], np.float32)
    x = np.concatenate([numbers, -numbers])
    result = apply(expression, x)
    with np.errstate(all="ignore"):
        wanted = exact(x.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(result, wanted, rtol=3e-7, atol=0)
    # Where a zero has a sign it is that of the operand.
    zero = (wanted == 0) & (x == 0)
    np.testing.assert_array_equal(np.signbit(result)[zero], np.signbit(wanted)[zero])


def test_remainders_are_exact(context):
    random = np.random.default_rng(0)
    any_bits = random.integers(0, 1 << 32, 40000, np.uint64).astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        factors = random.uniform(1, 4, any_bits.size) * 2.0 ** random.integers(0, 60, any_bits.size)
        close = (any_bits * factors).astype(np.float32)
    special = np.array([*SPECIAL, *(-v for v in SPECIAL), np.nan], np.float32)
    pairs = np.array([(a, b) for a in special for b in special], np.float32)
    small = random.uniform(-100, 100, 40000).astype(np.float32)
    x = np.concatenate([close, any_bits, small, pairs[:, 0]])
    y = np.concatenate([any_bits, any_bits[::-1], small[::-1] / 30, pairs[:, 1]])
    both = np.empty(2 * x.size, np.float32)
    both[::2], both[1::2] = x, y
    result = apply("fmodf(x[i & ~1], x[i | 1])", both)[::2]
    with np.errstate(invalid="ignore"):
        wanted = np.fmod(x, y)
    np.testing.assert_array_equal(result, wanted)
    plain = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(result)[plain], np.signbit(wanted)[plain])


def test_special_values_of_hypot(context):
    special = np.array([*SPECIAL, *(-v for v in SPECIAL), np.nan], np.float32)
    pairs = np.array([(a, b) for a in special for b in special], np.float32).ravel()
    with np.errstate(over="ignore"):
        wanted = np.hypot(pairs[::2].astype(np.float64), pairs[1::2]).astype(np.float32)
    np.testing.assert_allclose(apply("hypotf(x[i & ~1], x[i | 1])", pairs)[::2], wanted, rtol=3e-7, atol=0)


SPECIAL = [0, 2**-149, 0.25, 0.5, 1, 1.5, 2, 3, 2**23 - 1, 2**23 + 0.5, 2**25, 3e38, np.inf]


@pytest.mark.parametrize("fixed", [None, 2.0, 3.0, -0.5, -3.0, 1e-30])
def test_special_values_of_pow(context, fixed):
    """As C has them, also where the compiler knows the exponent."""
    numbers = np.array([*SPECIAL, *(-v for v in SPECIAL), np.nan], np.float32)
    pairs = np.array([(a, b) for a in numbers for b in (numbers if fixed is None else [np.float32(fixed)])])
    x, y = pairs.astype(np.float32).T
    with np.errstate(all="ignore"):
        wanted = np.array([_power(float(a), float(b)) for a, b in zip(x, y)]).astype(np.float32)
    if fixed is None:
        both = np.empty(2 * x.size, np.float32)
        both[::2], both[1::2] = x, y
        result = apply("powf(x[i & ~1], x[i | 1])", both)[::2]
    else:
        result = apply(f"powf(x[i], {fixed}f)", np.ascontiguousarray(x))
    np.testing.assert_array_equal(np.isnan(result), np.isnan(wanted))
    plain = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(result)[plain], np.signbit(wanted)[plain])
    np.testing.assert_allclose(result[plain], wanted[plain], rtol=3e-7, atol=3e-45)


def _power(x, y):
    """pow of C, whose errors are infinities or NaN."""
    if x == 0 and y < 0:
        odd = math.isfinite(y) and y == math.floor(y) and abs(math.fmod(y, 2)) == 1
        return math.copysign(math.inf, x) if odd else math.inf
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and abs(math.fmod(y, 2)) == 1 else math.inf
    except ValueError:
        return math.nan


def test_special_values_of_log_and_atan_of_doubles(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, -1.0, 5e-324, 1.0, -5e-324, 2.0**-1022], np.float64)
    logs = apply("log(x[i])", x)
    np.testing.assert_array_equal(logs[[0, 3, 4, 7]], [np.inf, -np.inf, -np.inf, 0])
    assert np.isnan(logs[[1, 2, 5, 8]]).all()
    np.testing.assert_allclose(logs[[6, 9]], [-744.4400719213812, -708.3964185322641], rtol=3e-16)
    angles = apply("atan(x[i])", x)
    wanted = [np.pi / 2, -np.pi / 2, np.nan, 0.0, -0.0, -np.pi / 4, 5e-324, np.pi / 4, -5e-324, 2.0**-1022]
    np.testing.assert_array_equal(angles, wanted)
    assert np.signbit(angles[4]) and not np.signbit(angles[3])


def test_special_values_of_pow_and_tanh_of_doubles(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, -2.0, 1.0, 5e-324, 1e300, -1e-300], np.float64)
    with np.errstate(all="ignore"):
        for exponent in (0.0, 3.0, -3.0, 0.5, 2.5, np.inf, -np.inf, np.nan, 1e300, -1e300):
            wanted = np.array([np.float64(v) ** np.float64(exponent) for v in x])
            found = apply(f"pow(x[i], __longlong_as_double({np.float64(exponent).view(np.int64)}))", x)
            np.testing.assert_allclose(found, wanted, rtol=5e-16, atol=0)
    np.testing.assert_array_equal(
        apply("tanh(x[i])", x)[[0, 1, 2, 3, 7, 8, 9]], [1, -1, np.nan, 0, 5e-324, 1, -1e-300]
    )


def test_special_values_of_erfc(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45, -1e-45, 10.06, 1e30, -1e30, -5], np.float32)
    wanted = np.array([0, 2, np.nan, 1, 1, 1, 1, 0, 0, 2, 2], np.float32)
    np.testing.assert_array_equal(apply("erfcf(x[i])", x), wanted)
