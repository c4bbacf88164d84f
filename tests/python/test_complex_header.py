# SPDX-License-Identifier: MIT
"""pycuda-complex.hpp and pycuda-helpers.hpp: what kernels compute with them is what NumPy computes."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule, compile

pytestmark = pytest.mark.usefixtures("context")

UNARY = ["sqrt", "exp", "log", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "conj"]
PRECISIONS = [("float", np.complex64, 2e-5), ("double", np.complex128, 1e-12)]


def run(body, real_type, *inputs, out_dtype=None, preamble=""):
    """Runs `body`, which sets out[i] from x[i] (and y[i]), for each element."""
    dtype = inputs[0].dtype
    out = np.zeros(len(inputs[0]), out_dtype or dtype)
    names = ["x", "y"][: len(inputs)]
    result_type = "real" if out.dtype.kind == "f" else "bool" if out.dtype.kind == "b" else "number"
    declared = "".join(f", const number *{name}" for name in names)
    module = SourceModule(
        f"""
    #include <pycuda-complex.hpp>
    typedef {real_type} real;
    typedef pycuda::complex<real> number;
    {preamble}
    __global__ void k(int n, {result_type} *out{declared}) {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) {{ {body}; }}
    }}"""
    )
    n = len(out)
    module.get_function("k")(
        np.int32(n), drv.Out(out), *map(drv.In, inputs), block=(128, 1, 1), grid=((n + 127) // 128, 1)
    )
    return out


def numbers(dtype, count=500, seed=1):
    random = np.random.default_rng(seed)
    return (random.normal(size=count) * 3 + 1j * random.normal(size=count) * 3).astype(dtype)


@pytest.mark.parametrize(("real_type", "dtype", "tolerance"), PRECISIONS)
def test_functions_agree_with_numpy(real_type, dtype, tolerance):
    x = numbers(dtype)
    cases = "".join(f"out[{k} * 500 + i % 500] = {name}(x[i % 500]);" for k, name in enumerate(UNARY))
    tiled = np.tile(x, len(UNARY))
    out = run(f"if (i < 500) {{ {cases} }}", real_type, tiled).reshape(len(UNARY), 500)
    for name, got in zip(UNARY, out, strict=True):
        np.testing.assert_allclose(got, getattr(np, name)(x), rtol=tolerance, atol=tolerance, err_msg=name)


@pytest.mark.parametrize(("real_type", "dtype", "tolerance"), PRECISIONS)
@pytest.mark.parametrize("operation", ["x + y", "x - y", "x * y", "x / y", "x ** y"])
def test_binary_operators_agree_with_numpy(real_type, dtype, tolerance, operation):
    x, y = numbers(dtype, seed=2), numbers(dtype, seed=3)
    left, operator, right = operation.split()
    text = "pow(x[i], y[i])" if operator == "**" else f"x[i] {operator} y[i]"
    got = run(f"out[i] = {text}", real_type, x, y)
    expected = eval(operation, {"x": x, "y": y})
    np.testing.assert_allclose(got, expected, rtol=tolerance * 20, atol=tolerance)


def test_real_operands_stand_on_either_side():
    x = numbers(np.complex64)
    got = run("real r = 2; out[i] = (r + x[i]) * r - r / x[i] - (x[i] - 1) / r + 3 * x[i]", "float", x)
    np.testing.assert_allclose(got, (2 + x) * 2 - 2 / x - (x - 1) / 2 + 3 * x, rtol=1e-5, atol=1e-5)


def test_assigning_operators_and_accessors():
    x, y = numbers(np.complex128, seed=4), numbers(np.complex128, seed=5)
    got = run(
        """number z = x[i]; z += y[i]; z *= y[i]; z -= 1.0; z /= 2.0; z *= 3.0; z += 1.0; z -= x[i]; z /= x[i];
        out[i] = number(z.imag(), z.real()); out[i].real(out[i].real() + 1)""",
        "double",
        x,
        y,
    )
    z = ((((x + y) * y - 1) / 2) * 3 + 1 - x) / x
    np.testing.assert_allclose(got, z.imag + 1 + 1j * z.real, rtol=1e-10, atol=1e-10)


def test_precisions_convert():
    x = numbers(np.complex64)
    got = run(
        "pycuda::complex<double> wide = x[i]; wide = wide * x[i]; out[i] = number(wide); out[i] = wide",
        "float",
        x,
    )
    np.testing.assert_allclose(got, (x.astype(np.complex128) ** 2).astype(np.complex64), rtol=1e-6)


def test_real_results():
    x = numbers(np.complex128)
    got = run("out[i] = abs(x[i]) + 10 * arg(x[i]) + norm(x[i]) + pycuda::real(x[i]) * imag(x[i])", "double", x,
              out_dtype=np.float64)  # fmt: skip
    np.testing.assert_allclose(got, np.abs(x) + 10 * np.angle(x) + np.abs(x) ** 2 + x.real * x.imag, rtol=1e-10)


def test_powers_with_real_exponents_and_bases():
    x = numbers(np.complex128)
    got = run("out[i] = pow(x[i], 3) + pow(x[i], -1.5) + pow(2.0, x[i]) + pycuda::polar(2.0, x[i].real())", "double", x)
    expected = x**3 + x**-1.5 + 2.0**x + 2 * np.exp(1j * x.real)
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-11)


def test_volatile_shared_memory():
    x = numbers(np.complex64, 128)
    got = run(
        """__shared__ __align__(8) unsigned char raw[128 * sizeof(number)];
        volatile number *s = (volatile number *)raw;
        s[i] = x[i]; __syncthreads();
        number sum = s[i] + s[i ^ 1]; number product = s[i] * s[i ^ 1]; __syncthreads();
        s[i] = sum; s[i] = s[i]; __syncthreads();
        out[i] = number(s[i]) + product""",
        "float",
        x,
    )
    pairs = x[np.arange(128) ^ 1]
    np.testing.assert_allclose(got, x + pairs + x * pairs, rtol=1e-5, atol=1e-5)


def test_division_and_functions_do_not_overflow_in_between():
    x = np.array([1e38 + 1e38j, 1e-30 + 1e-30j, 3e38 + 1j, 1e-40 + 1e-41j], np.complex64)
    quotient = run("out[i] = x[i] / x[i]", "float", x[:2])
    np.testing.assert_allclose(quotient, [1, 1], rtol=1e-5)
    root = run("out[i] = sqrt(x[i])", "float", x)
    np.testing.assert_allclose(root, np.sqrt(x.astype(np.complex128)).astype(np.complex64), rtol=1e-4)
    logarithm = run("out[i] = log(x[i])", "float", x[:3])
    np.testing.assert_allclose(logarithm, np.log(x[:3].astype(np.complex128)), rtol=1e-5)


def test_comparison():
    x = np.array([1 + 1j, 2, 3j], np.complex64)
    y = np.array([1 + 1j, 2 + 1j, 0], np.complex64)
    got = run("out[i] = (x[i] == y[i]) || x[i] == 2.0f || 2.0f != x[i] && !(x[i] != y[i])", "float", x, y,
              out_dtype=np.bool_)  # fmt: skip
    assert list(got) == [True, True, False]


def test_helpers_compile_for_every_stored_type():
    uses = "".join(
        f"""{{ typedef {name} T; T v = fp_tex1Dfetch<T>(t, 1); T w;
        fp_surf2DLayeredwrite(v, s, 1, 2, 3, cudaBoundaryModeTrap);
        fp_surf2DLayeredread(&w, s, 1, 2, 3, cudaBoundaryModeTrap);
        fp_surf3Dwrite(w, s, 1, 2, 3, cudaBoundaryModeClamp); fp_surf3Dread(&v, s, 1, 2, 3, cudaBoundaryModeZero);
        v = fp_tex2D<T>(t, 1, 2); w = fp_tex2DLayered<T>(t, 1, 2, 3); v = fp_tex3D<T>(t, 1, 2, 3);
        fp_surf3Dwrite(v, s, 1, 2, 3, cudaBoundaryModeTrap); }}"""
        for name in ["float", "int", "unsigned char", "double", "pycuda::complex<float>", "pycuda::complex<double>"]
    )
    source = f"""#include <pycuda-helpers.hpp>
    __global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s) {{ {uses} }}"""
    code = compile(source, target="ptx")
    assert b"sust.b.3d.v4.b32.trap" in code
    assert b"tex.3d.v4.s32" in code


def test_storage_of_doubles_keeps_their_bits():
    x = numbers(np.complex128)
    got = run(
        """typedef fp_tex_storage<number> both; typedef fp_tex_storage<double> one;
        fp_tex_cdouble stored = both::pack(x[i]); fp_tex_double real_part = one::pack(x[i].real());
        out[i] = both::unpack(stored); out[i].real(one::unpack(real_part))""",
        "double",
        x,
        preamble="#include <pycuda-helpers.hpp>",
    )
    assert (got == x).all()


def test_results_of_expressions_convert_as_variables_do():
    module = SourceModule("""
    #include <pycuda-complex.hpp>
    typedef pycuda::complex<float> single;
    typedef pycuda::complex<double> number;
    __global__ void k(number *out)
    {
      const single a(1, 2);
      number implicit = a * a, assigned;
      assigned = a + a;
      volatile number shared;
      shared = a * single(0, 1);
      out[0] = implicit;
      out[1] = assigned;
      out[2] = number(shared);
      out[3] = number(exp(single(0)));
      out[4] = number(single(number(3, 4) - number(1, 1)));
    }""")
    out = np.zeros(5, np.complex128)
    module.get_function("k")(drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [-3 + 4j, 2 + 4j, -2 + 1j, 1, 2 + 3j]
