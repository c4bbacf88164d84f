# SPDX-License-Identifier: MIT
"""SciPy's special functions on device arrays: `scipy.special.erf(a)` stays on the device.

Each is one expression of CUDA's mathematical functions, in the dtype that SciPy computes in. Accuracy is that of
CUDA's functions (the CUDA programming guide's tables of maximum errors, in units in the last place).
"""

import sys
from functools import partial
from types import SimpleNamespace

import numpy as np

from pycuda._arrays.ops.creation import packed
from pycuda._arrays.ops.joining import broadcast_to
from pycuda._arrays.ops.operands import device
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import context_dependent_memoize, dtype_to_ctype

# `x` and `y` are the operands, of type T; T(...) makes a constant of the type.
_EXPRESSIONS = {
    "cbrt": "cbrt(x)",
    "cosm1": "T(-2) * sin(x / T(2)) * sin(x / T(2))",
    "entr": "isnan(x) ? x : x > T(0) ? -x * log(x) : x == T(0) ? T(0) : -T(INFINITY)",
    "erf": "erf(x)",
    "erfc": "erfc(x)",
    "erfcinv": "erfcinv(x)",
    "erfcx": "erfcx(x)",
    "erfinv": "erfinv(x)",
    "exp10": "exp10(x)",
    "exp2": "exp2(x)",
    "expit": "T(1) / (T(1) + exp(-x))",
    "expm1": "expm1(x)",
    "exprel": "x == T(0) ? T(1) : isinf(x) && x > T(0) ? x : expm1(x) / x",
    "gamma": "tgamma(x)",
    "gammaln": "lgamma(x)",
    "i0": "cyl_bessel_i0(x)",
    "i1": "cyl_bessel_i1(x)",
    "j0": "j0(x)",
    "j1": "j1(x)",
    "kl_div": (
        "isnan(x) || isnan(y) ? T(NAN) : x > T(0) && y > T(0) ? x * log(x / y) - x + y : "
        "x == T(0) && y >= T(0) ? y : T(INFINITY)"
    ),
    "log1p": "log1p(x)",
    "log_expit": "x < T(0) ? x - log1p(exp(x)) : -log1p(exp(-x))",
    "logit": "log(x / (T(1) - x))",
    "ndtr": "normcdf(x)",
    "ndtri": "normcdfinv(x)",
    "rel_entr": (
        "isnan(x) || isnan(y) ? T(NAN) : x > T(0) && y > T(0) ? x * log(x / y) : "
        "x == T(0) && y >= T(0) ? T(0) : T(INFINITY)"
    ),
    "xlog1py": "x == T(0) && !isnan(y) ? T(0) : x * log1p(y)",
    "xlogy": "x == T(0) && !isnan(y) ? T(0) : x * log(y)",
    "y0": "y0(x)",
    "y1": "y1(x)",
}


@context_dependent_memoize
def _kernel(name, operands, dtype):
    c_type = dtype_to_ctype(dtype)
    names = "xy"[:operands]
    return ElementwiseKernel(
        ", ".join([f"const {c_type} *{one}_values" for one in names] + [f"{c_type} *out"]),
        "".join(f"const T {one} = {one}_values[i]; " for one in names) + f"out[i] = {_EXPRESSIONS[name]}",
        f"special_{name}",
        preamble=f"typedef {c_type} T;",
    )


def find(ufunc):
    """What computes one of SciPy's ufuncs of arrays on the device, or None."""
    home = sys.modules.get("scipy.special")
    name = ufunc.__name__
    if home is None or name not in _EXPRESSIONS or getattr(home, name, None) is not ufunc:
        return None
    return partial(_compute, name)


def _compute(name, *operands):
    arrays = [device(one) for one in operands]
    kinds = [one.dtype for one in arrays]
    # SciPy's first loop to which the operands convert without loss.
    dtypes = (np.dtype(dtype) for dtype in (np.float32, np.float64))
    dtype = next((one for one in dtypes if all(np.can_cast(kind, one) for kind in kinds)), None)
    if dtype is None:
        raise TypeError(
            f"scipy.special.{name} of arrays on the device is not supported for dtypes {', '.join(map(str, kinds))}"
        )
    shape = np.broadcast_shapes(*(one.shape for one in arrays))
    arrays = [packed(broadcast_to(one, shape), dtype) for one in arrays]
    out = type(arrays[0])(shape, dtype)
    if out.size:
        _kernel(name, len(arrays), dtype)(*arrays, out)
    return out


# Where SCIPY_ARRAY_API is set, SciPy's functions are not ufuncs: they ask `xp.special` of the array's namespace.
namespace = SimpleNamespace(**{name: partial(_compute, name) for name in _EXPRESSIONS})
