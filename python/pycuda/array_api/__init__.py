# SPDX-License-Identifier: MIT
# ruff: noqa: F401 (what is imported is the namespace)
"""Device arrays as a namespace of the Python array API standard, version 2024.12.

`GPUArray.__array_namespace__()` gives this module, so libraries that are written against the
standard take device arrays. Where PyCUDA's functions of the same name behave otherwise
(`pycuda.gpuarray.sum` keeps small integers small, `pycuda.gpuarray.max` skips NaN), these follow the
standard. `linalg` and `fft` are the standard's extensions.
"""

from pycuda.array_api import fft, linalg
from pycuda.array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)
from pycuda.array_api.dtypes import (
    astype,
    bool,
    can_cast,
    complex64,
    complex128,
    finfo,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    result_type,
    uint8,
    uint16,
    uint32,
    uint64,
)
from pycuda.array_api.elementwise import (
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    clip,
    conj,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    greater,
    greater_equal,
    hypot,
    imag,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    real,
    reciprocal,
    remainder,
    round,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
    where,
)
from pycuda.array_api.inspection import __array_namespace_info__
from pycuda.array_api.linalg import matmul, matrix_transpose, tensordot, vecdot
from pycuda.array_api.manipulation import (
    broadcast_arrays,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    tile,
    unstack,
)
from pycuda.array_api.ordering import (
    argmax,
    argmin,
    argsort,
    count_nonzero,
    nonzero,
    searchsorted,
    sort,
    take,
    take_along_axis,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)
from pycuda.array_api.statistics import (
    all,
    any,
    cumulative_prod,
    cumulative_sum,
    diff,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)

__array_api_version__ = "2024.12"

e = 2.718281828459045
inf = float("inf")
nan = float("nan")
newaxis = None
pi = 3.141592653589793

__all__ = [name for name in dir() if not name.startswith("_")]
__all__ += ["__array_api_version__", "__array_namespace_info__"]


def __getattr__(name):
    if name == "special":  # SciPy looks for it
        from pycuda._arrays.pycuda.special import namespace  # start-up time: for SciPy only

        return namespace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
