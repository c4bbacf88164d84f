# SPDX-License-Identifier: MIT
"""CUDA's math functions that the CPU driver recognises in compiled code: which, and with which bits."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pycuda
import pytest
from applied_functions import SOURCE, apply
from pycuda.compiler import SourceModule

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
    parts = [apply(one, x) for one in alone]
    with np.errstate(all="ignore"):
        if isinstance(combine, str):
            conditions = {"small": x < np.float32(0.0031308), "larger": x * 4 < 0.5, "positive": ~(x > 0)}
            wanted = np.where(conditions[combine], *parts)
        else:
            wanted = combine(*parts)
    np.testing.assert_array_equal(apply(known, x), wanted)


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
