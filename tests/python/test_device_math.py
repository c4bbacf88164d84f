# SPDX-License-Identifier: MIT
"""CUDA's math functions as kernels call them: within the errors that CUDA documents, some of them recognised."""

import math
import os
import pathlib
import subprocess
import sys

import numpy as np
import pycuda
import pytest
from pycuda.compiler import SourceModule

SOURCE = """
extern "C" __global__ void apply(const TYPE* x, TYPE* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = FUNCTION;
}
"""


def _apply(expression, x):
    import pycuda.driver as cuda

    name = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}[x.dtype]
    module = SourceModule(SOURCE.replace("TYPE", name).replace("FUNCTION", expression), no_extern_c=True)
    result = np.empty_like(x)
    module.get_function("apply")(
        cuda.In(x), cuda.Out(result), np.int32(x.size), block=(96, 1, 1), grid=(-(-x.size // 96), 1)
    )
    return result


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
    errors = _units(_apply(expression, x), wanted)[usable]
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
    assert _units(_apply(expression, x), wanted)[wanted != 0].max() <= units + 0.5


def test_special_values_of_exp_and_log(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, -1.0, 1e-45, 1.0], np.float32)
    powers = _apply("expf(x[i])", x)
    np.testing.assert_array_equal(powers[[0, 1, 3, 4, 6, 7]], np.array([np.inf, 0, 1, 1, 1, np.e], np.float32))
    assert np.isnan(powers[2])
    logs = _apply("logf(x[i])", x)
    np.testing.assert_array_equal(logs[[0, 3, 4, 7]], np.array([np.inf, -np.inf, -np.inf, 0], np.float32))
    assert np.isnan(logs[[1, 2, 5]]).all()
    assert abs(logs[6] - np.log(1.4012984643e-45)) < 1e-5


def test_special_values_of_exp_of_doubles(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 709.79, -745.2, 1e300, -1e300, 5e-324], np.float64)
    wanted = np.array([np.inf, 0, np.nan, 1, 1, np.inf, 0, np.inf, 0, 1])
    np.testing.assert_array_equal(_apply("exp(x[i])", x), wanted)


def test_special_values_of_cbrt_and_asin(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.0, -8.0, 2.0**-149], np.float32)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(_apply("cbrtf(x[i])", x)[:8], np.cbrt(x[:8]))
        np.testing.assert_array_equal(np.signbit(_apply("cbrtf(x[i])", x)[3:5]), [False, True])
        np.testing.assert_allclose(_apply("asinf(x[i])", x), np.arcsin(x), rtol=2e-7)


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
    result = _apply(expression, x)
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
    result = _apply("fmodf(x[i & ~1], x[i | 1])", both)[::2]
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
    np.testing.assert_allclose(_apply("hypotf(x[i & ~1], x[i | 1])", pairs)[::2], wanted, rtol=3e-7, atol=0)


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
        result = _apply("powf(x[i & ~1], x[i | 1])", both)[::2]
    else:
        result = _apply(f"powf(x[i], {fixed}f)", np.ascontiguousarray(x))
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
    logs = _apply("log(x[i])", x)
    np.testing.assert_array_equal(logs[[0, 3, 4, 7]], [np.inf, -np.inf, -np.inf, 0])
    assert np.isnan(logs[[1, 2, 5, 8]]).all()
    np.testing.assert_allclose(logs[[6, 9]], [-744.4400719213812, -708.3964185322641], rtol=3e-16)
    angles = _apply("atan(x[i])", x)
    wanted = [np.pi / 2, -np.pi / 2, np.nan, 0.0, -0.0, -np.pi / 4, 5e-324, np.pi / 4, -5e-324, 2.0**-1022]
    np.testing.assert_array_equal(angles, wanted)
    assert np.signbit(angles[4]) and not np.signbit(angles[3])


def test_special_values_of_pow_and_tanh_of_doubles(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, -2.0, 1.0, 5e-324, 1e300, -1e-300], np.float64)
    with np.errstate(all="ignore"):
        for exponent in (0.0, 3.0, -3.0, 0.5, 2.5, np.inf, -np.inf, np.nan, 1e300, -1e300):
            wanted = np.array([np.float64(v) ** np.float64(exponent) for v in x])
            found = _apply(f"pow(x[i], __longlong_as_double({np.float64(exponent).view(np.int64)}))", x)
            np.testing.assert_allclose(found, wanted, rtol=5e-16, atol=0)
    np.testing.assert_array_equal(
        _apply("tanh(x[i])", x)[[0, 1, 2, 3, 7, 8, 9]], [1, -1, np.nan, 0, 5e-324, 1, -1e-300]
    )


def test_special_values_of_erfc(context):
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45, -1e-45, 10.06, 1e30, -1e30, -5], np.float32)
    wanted = np.array([0, 2, np.nan, 1, 1, 1, 1, 0, 0, 2, 2], np.float32)
    np.testing.assert_array_equal(_apply("erfcf(x[i])", x), wanted)


COUNTED = """
extern "C" {
__global__ void one(float* x) { x[threadIdx.x] = expf(x[threadIdx.x]); }
__global__ void two(float* x) { x[threadIdx.x] = expf(-2.5f * x[threadIdx.x]) + expf(x[threadIdx.x] + 1); }
__global__ void three(float* x) { x[threadIdx.x] = logf(x[threadIdx.x]); }
__global__ void four(float* x) {
  if (threadIdx.x > 3) x[threadIdx.x] = logf(x[threadIdx.x] / 3) * expf(-x[threadIdx.x]);
}
__global__ void seven(double* x) {
  if (threadIdx.x > 3) x[threadIdx.x] = exp(-x[threadIdx.x]) * exp(x[threadIdx.x] / 3);
}
__global__ void eight(double* x) { x[threadIdx.x] = exp(x[threadIdx.x]); }
__global__ void nine(double* x) { x[threadIdx.x] = log(x[threadIdx.x]); }
__global__ void ten(double* x) {
  if (threadIdx.x > 3) x[threadIdx.x] = log(x[threadIdx.x] / 3) * atan(-x[threadIdx.x]);
}
__global__ void eleven(double* x) { x[threadIdx.x] = pow(x[threadIdx.x], 1.7) + pow(x[threadIdx.x], x[threadIdx.x]); }
__global__ void five(float* x) { x[threadIdx.x] = erfcf(x[threadIdx.x]); }
__global__ void thirteen(float* x) {
  x[threadIdx.x] = powf(x[threadIdx.x], x[threadIdx.x + 9]) + powf(x[threadIdx.x], 1.7f);
}
__global__ void fourteen(float* x) { x[threadIdx.x] = cbrtf(x[threadIdx.x]); }
__global__ void fifteen(float* x) { x[threadIdx.x] = asinf(x[threadIdx.x]) + acosf(x[threadIdx.x + 9]); }
__global__ void sixteen(float* x) { x[threadIdx.x] = x[threadIdx.x + 9] > 100 ? 5 : powf(x[threadIdx.x + 9], 1.7f); }
__global__ void seventeen(float* x) {
  float a = x[threadIdx.x], b = x[threadIdx.x + 9];
  if (threadIdx.x > 3)
    x[threadIdx.x] = tanf(a) + tanf(b) * atanf(a) - log2f(b) + log10f(a) * exp10f(b) + sinhf(b) - coshf(a) + sinpif(b)
                     - cospif(a) + fmodf(b, a) + hypotf(a, b);
}
__global__ void eighteen(float* x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = sinf(x[i]) - tanf(x[i + n]);
}
__global__ void nineteen(float* x) { x[threadIdx.x] = cosf(x[threadIdx.x]) + sinf(x[threadIdx.x + 9]); }
__global__ void twenty(float* x) {
  float s, c;
  sincosf(x[threadIdx.x], &s, &c);
  x[threadIdx.x] = s - c;
}
__global__ void twenty_one(float* x) {
  float a = x[threadIdx.x];
  x[threadIdx.x] = sinf(a) + cosf(a) * tanf(a);
}
__global__ void twenty_two(float* x, float a, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = x[i] * cosf(a) + x[i + n] * sinf(a);
}
__global__ void twenty_three(float* x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    float s, c, a = -6.2831853f * i * threadIdx.x / n;
    sincosf(a, &s, &c);
    sum += x[i] * c - x[i + n] * s;
  }
  x[threadIdx.x] = sum;
}
__global__ void twenty_four(float* x) {
  x[threadIdx.x] = x[threadIdx.x + 9] > 0 ? sinf(x[threadIdx.x]) : cosf(x[threadIdx.x]);
}
__global__ void twenty_five(float* x) {
  float a = x[threadIdx.x];
  x[threadIdx.x] = sinpif(a) - cospif(a);
}
__global__ void twenty_six(float* x) {
  float a = x[threadIdx.x], b = x[threadIdx.x + 9] * 0.01f;
  x[threadIdx.x] = a < 0.0031308f ? 12.92f * a : 1.055f * powf(a, 1 / 2.4f) - 0.055f;
  x[threadIdx.x + 9] = b < 0.0031308f ? 12.92f * b : 1.055f * powf(b, 1 / 2.4f) - 0.055f;
}
__global__ void twenty_seven(float* x) { x[threadIdx.x] = -2 * logf(x[threadIdx.x]); }
__global__ void twenty_eight(float* x) { x[threadIdx.x] = logf(x[threadIdx.x]) - log2f(x[threadIdx.x]); }
__global__ void twenty_nine(float* x) {
  float s, c;
  sincosf(-x[threadIdx.x], &s, &c);
  x[threadIdx.x] = s - c;
}
__global__ void six(float* x) { x[threadIdx.x] = 0.5f * erfcf(-0.7f * x[threadIdx.x]) + erfcf(x[threadIdx.x] / 3); }
}
"""

COUNTING = """
import sys
import pycuda.autoinit
from pycuda.compiler import SourceModule
SourceModule(sys.argv[1], no_extern_c=True, options=sys.argv[2:])
"""


def _in_a_process(script, *arguments, **variables):
    """What a script prints in a process of its own, on the CPU driver."""
    if not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists():
        pytest.skip("needs the CPU driver, which was not built")
    environment = dict(os.environ, PYCUDA_DRIVER="cpu", **variables)
    ran = subprocess.run(
        [sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def _has_avx512():
    wanted = os.environ.get("PYCUDA_CPU_ISA")
    return wanted == "avx512" or (not wanted and " avx512vl " in pathlib.Path("/proc/cpuinfo").read_text())


@pytest.mark.parametrize("options", [(), ("-lineinfo",)])
def test_the_cpu_driver_recognises_functions(tmp_path, options):
    """However NVRTC writes them: a version that changes the sequences shows here."""
    _in_a_process(
        COUNTING,
        COUNTED,
        *options,
        PYCUDA_CPU_DUMP=str(tmp_path),
        PYCUDA_CPU_PATIENCE="-1",  # nothing is compiled twice because it takes long on a busy machine
        PYCUDA_DISABLE_CACHE="1",
        CUDA_MODULE_LOADING="EAGER",
    )
    text = "".join(path.read_text() for path in tmp_path.glob("*-clean.ll"))
    calls = [line for line in text.splitlines() if "call" in line and "@approximate." in line]
    assert sum("@approximate.exp(" in line for line in calls) == 4
    assert sum("@approximate.log(" in line for line in calls) == 4
    assert sum("@approximate.erfc(" in line for line in calls) == 3
    assert sum("@approximate.exp.f64(" in line for line in calls) == 3
    assert sum("@approximate.power(" in line for line in calls) == 4
    assert sum("@approximate.cbrt(" in line for line in calls) == 1
    assert sum("@approximate.log.f64(" in line for line in calls) == 2
    assert sum("@approximate.atan.f64(" in line for line in calls) == 1
    assert sum("@approximate.pow.f64(" in line for line in calls) == 2
    assert sum("@approximate.tan(" in line for line in calls) == 4
    assert sum("@approximate.sinf(" in line for line in calls) == 8
    assert sum("@approximate.cosf(" in line for line in calls) == 7
    assert sum("@approximate.sinpi(" in line for line in calls) == 2
    assert sum("@approximate.cospi(" in line for line in calls) == 2
    assert sum("@approximate.lg2(" in line for line in calls) == 2
    for name in ("atan", "log10", "exp10", "sinh", "cosh", "hypot"):
        assert sum(f"@approximate.{name}(" in line for line in calls) == 1
    # fmodf divides with directed rounding, which takes sequences of their own without AVX-512.
    fmod = 1 if _has_avx512() else 0
    assert sum("@approximate.fmod(" in line for line in calls) == fmod
    assert len(calls) == 55 + fmod
    assert sum("call float @llvm.sqrt.f32(" in line for line in text.splitlines()) == 2
    # A choice by a limit of the program's own, which became one with powf's, is none of powf's.
    body = text[text.index("@f.sixteen(") :]
    assert "1.000000e+02" in body[: body.index("\n}")]
    # Branches of logf, exp, log, powf and of fmodf, where it is recognised, go with them.
    body = text[text.index("@f.seventeen(") :]
    assert body[: body.index("\n}")].count("br i1") <= (1 if fmod else 8)
    for kernel in ("three", "eight", "nine", "twenty", "twenty_one", "twenty_five", "twenty_nine"):
        body = text[text.index(f"@f.{kernel}(") :]
        assert "br i1" not in body[: body.index("\n}")]


SUMMING = """
import hashlib, sys
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

bits = np.arange(0, 1 << 32, 4099, np.uint64).astype(np.uint32)
limits = [np.float32(v).view(np.uint32) for v in (0, 1e-45, 2**-126, 0.75, 1, 1.5, 10.055, 88.72284, np.inf)]
near = np.concatenate([np.arange(int(limit) - 40, int(limit) + 40) & 0xFFFFFFFF for limit in limits])
x = np.concatenate([bits, near, near ^ 0x80000000]).astype(np.uint32).view(np.float32)
specials = [np.inf, -np.inf, np.nan, 0, -0.0, 5e-324, -5e-324, 2.0**-1022, -745.13, 709.782712893384, 0.75, 1.5]
doubles = np.concatenate([np.linspace(-750, 750, 40001), np.linspace(0.4, 2.5, 20001), specials])
anywhere = (np.arange(1 << 16, dtype=np.uint64) * np.uint64((1 << 48) + 12345678901)).view(np.float64)
doubles = np.concatenate([doubles, anywhere[np.isfinite(anywhere)]])
floats = x
for function in sys.argv[2:]:
    x = doubles if function.split("(")[0] in ("exp", "log", "atan", "tanh", "pow") else floats
    name = "float" if x.dtype == np.float32 else "double"
    module = SourceModule(sys.argv[1].replace("TYPE", name).replace("FUNCTION", function), no_extern_c=True)
    result = np.empty_like(x)
    module.get_function("apply")(
        cuda.In(x), cuda.Out(result), np.int32(x.size), block=(96, 1, 1), grid=(-(-x.size // 96), 1)
    )
    print(function, hashlib.sha256(result.tobytes()).hexdigest())
"""


def test_functions_give_the_same_bits_on_every_path():
    """Thread by thread and in vectors of all kinds, with and without instructions for exponents."""
    functions = ["expf(x[i])", "logf(x[i])", "erfcf(x[i])", "exp2f(x[i])", "log2f(x[i])", "tanhf(x[i])", "__expf(x[i])"]
    functions += [
        "powf(x[i], 1.7f)",
        "powf(x[i], 1 - x[i])",
        "cbrtf(x[i])",
        "asinf(x[i])",
        "atan2f(x[i], 2 * x[i] - 1)",
    ]
    functions += ["(float)__float2int_rn(x[i])", "(float)__float2int_rz(x[i])"]
    functions += [
        f"{name}f(x[i])" for name in ("sin", "cos", "tan", "atan", "log10", "exp10", "sinh", "cosh", "sinpi", "cospi")
    ]
    functions += ["sinf(x[i]) + cosf(x[i])", "[&] { float s, c; sincosf(x[i], &s, &c); return s * c; }()"]
    functions += ["fmodf(x[i], x[n - 1 - i])", "fmodf(x[i], 0.3f)", "hypotf(x[i], x[n - 1 - i])"]
    functions += [
        "exp(x[i])",
        "log(x[i])",
        "atan(x[i])",
        "tanh(x[i])",
        "pow(x[i], 1.7)",
        "pow(fabs(x[i]), x[n - 1 - i])",
    ]
    paths = [{"PYCUDA_CPU_VECTOR": "0"}, *({"PYCUDA_CPU_ISA": isa} for isa in ("sse2", "avx2", "avx512"))]
    sums = [_in_a_process(SUMMING, SOURCE, *functions, **path) for path in paths]
    assert sums[0].count("\n") == len(functions)
    assert all(one == sums[0] for one in sums)


TOGETHER = """
extern "C" {
__global__ void alone(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = SINE(x[i]);
}
__global__ void other(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i + n] = COSINE(x[i]);
}
__global__ void where(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int turn = 0; turn < 2; ++turn) y[i + turn * n] = turn == i % 2 ? SINE(x[i]) : COSINE(x[i]);
}
__global__ void one_by_one(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i];
  y[i] = SINE(a);
  y[i + n] = COSINE(a);
}
__global__ void together(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sincosf(x[i], y + i, y + i + n);
}
__global__ void of_negative(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sincosf(-x[i], y + i, y + i + n);
}
__global__ void of_negative_product(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = -x[i] * (n > 0 ? 1.0f : 2.0f);
  y[i] = SINE(a);
  y[i + n] = COSINE(a);
}
__global__ void of_opposite_angles(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i];
  y[i] = SINE(-a);
  y[i + n] = COSINE(a);
}
__global__ void in_turns(float* y, const float* x, int n) {
  float a = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += n) {
    y[i] = SINE(a);
    y[i + n] = COSINE(a);
  }
}
__global__ void where_sine_is_large(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i], s = SINE(a), c = 0;
  if (!(fabsf(s) <= 0.5f)) c = COSINE(a);
  y[i] = s;
  y[i + n] = c;
}
// What CUDA computes of angles that are not large.
__global__ void as_written(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float k = __float2int_rn(__fmul_rn(x[i], 0.63661975f));
  float r = __fmaf_rn(k, -1.5707963f, x[i]);
  r = __fmaf_rn(k, -7.5497894e-08f, r);
  r = __fmaf_rn(k, -5.390303e-15f, r);
  float s = __fmul_rn(r, r);
  float p = __fmaf_rn(__fmaf_rn(s, -0.00019574659f, 0.008332703f), s, -0.16666663f);
  float sine = __fmaf_rn(p, __fmaf_rn(s, r, 0.0f), r);
  p = __fmaf_rn(__fmaf_rn(s, 2.427958e-05f, -0.001388786f), s, 0.041666728f);
  float cosine = __fmaf_rn(__fmaf_rn(p, s, -0.49999997f), s, 1.0f);
  int quarters = (int)k & 3;
  float one = quarters & 1 ? cosine : sine, two = quarters & 1 ? sine : cosine;
  y[i] = quarters & 2 ? -one : one;
  y[i + n] = quarters == 1 || quarters == 2 ? -two : two;
}
}
"""


class _Together:
    """Bits of results, one row for sines and one for cosines."""

    def __init__(self, sine, cosine):
        source = TOGETHER.replace("COSINE", cosine).replace("SINE", sine)
        self._module = SourceModule(source, no_extern_c=True)
        bits = np.arange(0, 1 << 32, 65701, np.uint64).astype(np.uint32)
        limits = [105614.99, 105615, 105616, np.inf, np.nan, 1e-45, 2**-126, 0, 2**24, 1e30]
        angles = np.concatenate([np.linspace(-20, 20, 20001), limits, -np.array(limits)]).astype(np.float32)
        x = np.concatenate([bits, angles.view(np.uint32)]).view(np.float32)
        self.x = np.resize(x, -(-x.size // 128) * 128)

    def __call__(self, kernel):
        import pycuda.driver as cuda

        y = np.zeros(2 * self.x.size, np.float32)
        self._module.get_function(kernel)(
            cuda.InOut(y), cuda.In(self.x), np.int32(self.x.size), block=(128, 1, 1), grid=(self.x.size // 128, 1)
        )
        return y.view(np.uint32).reshape(2, -1)


def test_sine_and_cosine_of_one_angle_are_what_cuda_computes(context):
    """To the bit where angles are not large, and of large ones, infinities and NaN as exact as each alone."""
    results = _Together("sinf", "cosf")
    together = results("together")
    large = ~(np.abs(results.x) < 105615)
    np.testing.assert_array_equal(together[:, ~large], results("as_written")[:, ~large])
    alone = results("alone")[0], results("other")[1]
    np.testing.assert_array_equal(together[:, large], np.array(alone)[:, large])
    for kernel in ("one_by_one", "in_turns"):
        np.testing.assert_array_equal(results(kernel), together, kernel)
    results.x = -results.x
    for kernel in ("of_negative", "of_negative_product", "of_opposite_angles"):
        np.testing.assert_array_equal(results(kernel), together, kernel)
    results.x = -results.x
    sine = together[0].view(np.float32)
    wanted = np.where(np.abs(sine) <= 0.5, np.uint32(0), together[1])
    np.testing.assert_array_equal(results("where_sine_is_large"), [together[0], wanted])


@pytest.mark.parametrize("sine, cosine", [("sinf", "cosf"), ("sinpif", "cospif")])
def test_functions_of_one_angle_for_different_threads_give_the_bits_of_each(context, sine, cosine):
    results = _Together(sine, cosine)
    alone = np.array([results("alone")[0], results("other")[1]])
    odd = np.arange(results.x.size) % 2
    np.testing.assert_array_equal(results("where"), np.where(odd, alone[::-1], alone))
    if sine == "sinpif":
        for kernel in ("one_by_one", "in_turns"):
            np.testing.assert_array_equal(results(kernel), alone, kernel)


@pytest.mark.parametrize(
    "known, alone, combine",
    [
        ("-2 * logf(x[i])", ["logf(x[i])"], lambda log: -2 * log),
        ("sqrtf(-2 * logf(x[i]))", ["-2 * logf(x[i])"], np.sqrt),
        ("logf(x[i]) + log2f(x[i])", ["logf(x[i])", "log2f(x[i])"], np.add),
        ("x[i] < 0.0031308f ? x[i] : 2 * powf(x[i], 0.4f)", ["x[i]", "2 * powf(x[i], 0.4f)"], "small"),
        ("x[i] * 4 < 0.5f ? x[i] : 2 * powf(x[i] * 4, 0.4f)", ["x[i]", "2 * powf(x[i] * 4, 0.4f)"], "larger"),
        ("x[i] > 0 ? 2 * powf(x[i], -1.7f) : x[i]", ["x[i]", "2 * powf(x[i], -1.7f)"], "positive"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_functions_with_known_special_cases_give_the_bits_of_others(context, known, alone, combine):
    """Where a compiler knows what comes out for a zero, or that the operand is none."""
    bits = np.arange(0, 1 << 32, 65701, np.uint64).astype(np.uint32)
    special = np.array([0, np.inf, np.nan, 1, 1e-45, 2**-126, 0.0031308, 0.125, 0.25], np.float32)
    x = np.concatenate([bits, special.view(np.uint32), (-special).view(np.uint32)]).view(np.float32)
    parts = [_apply(one, x) for one in alone]
    with np.errstate(all="ignore"):
        if isinstance(combine, str):
            conditions = {"small": x < np.float32(0.0031308), "larger": x * 4 < 0.5, "positive": ~(x > 0)}
            wanted = np.where(conditions[combine], *parts)
        else:
            wanted = combine(*parts)
    np.testing.assert_array_equal(_apply(known, x), wanted)


def test_an_older_tangent_is_recognised(tmp_path):
    """The reduction of large angles by a table, which NVRTC 13.4 replaced."""
    program = """
import sys, numpy as np, pycuda.autoinit, pycuda.driver as cuda
kernel = cuda.module_from_file(sys.argv[1]).get_function("k")
angles = np.array([0, 1, -2, 1e4, 1e6, -3e30, np.inf, np.nan], np.float32)
found = angles.copy()
kernel(cuda.InOut(found), block=(8, 1, 1))
want = np.tan(angles[:6].astype(np.longdouble))
np.testing.assert_allclose(found[:6], want.astype(np.float32), rtol=1e-6)
assert np.isnan(found[6:]).all()
"""
    file = pathlib.Path(__file__).with_name("tangent_by_table.ptx")
    _in_a_process(program, str(file), PYCUDA_CPU_DUMP=str(tmp_path), PYCUDA_DISABLE_CACHE="1")
    text = "".join(path.read_text() for path in tmp_path.glob("*-clean.ll"))
    assert "call float @approximate.tan(" in text
    assert "@v.__cudart_i2opi_f to i64" not in text
