# SPDX-License-Identifier: MIT
"""Ready-made elementwise kernels by dtype, each prepared and remembered for its context.

They take what their C declarations say, then the number of elements.
"""

from __future__ import annotations

import numpy as np

from pycuda._elementwise_kernel import get_elwise_kernel
from pycuda.tools import ScalarArg, VectorArg, context_dependent_memoize, dtype_to_ctype


def _kernel(arguments, operation, name, preamble="", loop_prep=""):
    return get_elwise_kernel(arguments, operation, name, preamble=preamble, loop_prep=loop_prep)


def _declared(**dtypes):
    """Arguments by name: dtypes of vectors, or tuples of a dtype and True for scalars."""
    return [
        ScalarArg(dtype[0], name) if isinstance(dtype, tuple) else VectorArg(dtype, name)
        for name, dtype in dtypes.items()
    ]


def _scalar(dtype):
    return (dtype, True)


def _cast(dtype, text):
    return f"({dtype_to_ctype(dtype)})({text})"


def _is_complex(dtype):
    return np.dtype(dtype).kind == "c"


def _converted(dtype_to, dtype_from, text):
    """C code of a value in another dtype; complex numbers lose their imaginary part where they must."""
    if _is_complex(dtype_from):
        if np.dtype(dtype_to).kind == "b":
            return f"(({text}) != 0)"
        if not _is_complex(dtype_to):
            text = f"pycuda::real({text})"
    elif _is_complex(dtype_to):
        return _cast(dtype_to, _cast(np.dtype(dtype_to).type(0).real.dtype, text))
    return _cast(dtype_to, text)


@context_dependent_memoize
def get_put_kernel(dtype, idx_dtype, vec_count=1):
    """``dest[idx[i]] = src[i]``: takes idx, the destinations, the sources."""
    arguments = (
        [VectorArg(idx_dtype, "gmem_dest_idx")]
        + [VectorArg(dtype, f"dest{k}") for k in range(vec_count)]
        + [VectorArg(dtype, f"src{k}") for k in range(vec_count)]
    )
    body = "".join(f"dest{k}[to] = src{k}[i];" for k in range(vec_count))
    return _kernel(arguments, f"const {dtype_to_ctype(idx_dtype)} to = gmem_dest_idx[i]; {body}", "put")


@context_dependent_memoize
def get_copy_kernel(dtype_dest, dtype_src):
    """``dest[i] = src[i]``, converted."""
    value = _converted(dtype_dest, dtype_src, "src[i]") if dtype_dest != dtype_src else "src[i]"
    return _kernel(_declared(dest=dtype_dest, src=dtype_src), f"dest[i] = {value}", "copy")


def _element(name, is_scalar):
    return f"{name}[0]" if is_scalar else f"{name}[i]"


@context_dependent_memoize
def get_axpbyz_kernel(dtype_x, dtype_y, dtype_z, x_is_scalar=False, y_is_scalar=False):
    """``z = a*x + b*y``: takes a, x, b, y, z. A vector that is a scalar has one element."""
    ax = f"{_converted(dtype_z, dtype_z, 'a')} * {_converted(dtype_z, dtype_x, _element('x', x_is_scalar))}"
    by = f"{_converted(dtype_z, dtype_z, 'b')} * {_converted(dtype_z, dtype_y, _element('y', y_is_scalar))}"
    arguments = _declared(a=_scalar(dtype_z), x=dtype_x, b=_scalar(dtype_z), y=dtype_y, z=dtype_z)
    return _kernel(arguments, f"z[i] = {ax} + {by}", "axpbyz")


@context_dependent_memoize
def get_axpbz_kernel(dtype_x, dtype_z):
    """``z = a*x + b``: takes a, x, b, z."""
    arguments = _declared(a=_scalar(dtype_z), x=dtype_x, b=_scalar(dtype_z), z=dtype_z)
    return _kernel(arguments, f"z[i] = a * {_converted(dtype_z, dtype_x, 'x[i]')} + b", "axpb")


@context_dependent_memoize
def get_binary_op_kernel(dtype_x, dtype_y, dtype_z, operator, x_is_scalar=False, y_is_scalar=False):
    """``z = x operator y``: takes x, y, z. A vector that is a scalar has one element."""
    x, y = _element("x", x_is_scalar), _element("y", y_is_scalar)
    if _is_complex(dtype_x) or _is_complex(dtype_y):
        common = np.result_type(dtype_x, dtype_y)
        x, y = _converted(common, dtype_x, x), _converted(common, dtype_y, y)
    elif operator in ("+", "-", "*", "/"):
        x, y = _converted(dtype_z, dtype_x, x), _converted(dtype_z, dtype_y, y)
    return _kernel(_declared(x=dtype_x, y=dtype_y, z=dtype_z), f"z[i] = {x} {operator} {y}", "binary_op")


def get_multiply_kernel(dtype_x, dtype_y, dtype_z):
    """``z = x * y``."""
    return get_binary_op_kernel(dtype_x, dtype_y, dtype_z, "*")


def get_divide_kernel(dtype_x, dtype_y, dtype_z):
    """``z = x / y``."""
    return get_binary_op_kernel(dtype_x, dtype_y, dtype_z, "/")


@context_dependent_memoize
def get_rdivide_elwise_kernel(dtype_x, dtype_z):
    """``z = y / x`` for a number y: takes x, y, z."""
    arguments = _declared(x=dtype_x, y=_scalar(dtype_z), z=dtype_z)
    return _kernel(arguments, f"z[i] = y / {_converted(dtype_z, dtype_x, 'x[i]')}", "divide_r")


@context_dependent_memoize
def get_binary_func_kernel(func, dtype_x, dtype_y, dtype_z):
    """``z = func(x, y)``."""
    return _kernel(_declared(x=dtype_x, y=dtype_y, z=dtype_z), f"z[i] = {func}(x[i], y[i])", f"{func}_kernel")


@context_dependent_memoize
def get_binary_func_scalar_kernel(func, dtype_x, dtype_y, dtype_z):
    """``z = func(x, y)`` for a number y."""
    arguments = _declared(x=dtype_x, y=_scalar(dtype_y), z=dtype_z)
    return _kernel(arguments, f"z[i] = {func}(x[i], y)", f"{func}_kernel")


@context_dependent_memoize
def get_binary_minmax_kernel(func, dtype_x, dtype_y, dtype_z, use_scalar):
    """``z = max(x, y)`` or ``min``, computed in z's dtype; a NaN gives way to a number."""
    x = _converted(dtype_z, dtype_x, "x[i]")
    y = _converted(dtype_z, dtype_y, "y" if use_scalar else "y[i]")
    name = f"f{func}" if np.dtype(dtype_z).kind == "f" else func
    arguments = _declared(x=dtype_x, y=_scalar(dtype_y) if use_scalar else dtype_y, z=dtype_z)
    return _kernel(arguments, f"z[i] = {name}({x}, {y})", f"{name}_kernel")


@context_dependent_memoize
def get_fill_kernel(dtype):
    """``z = a``: takes a, z."""
    return _kernel(_declared(a=_scalar(dtype), z=dtype), "z[i] = a", "fill")


@context_dependent_memoize
def get_reverse_kernel(dtype):
    """``z`` is ``y`` from its end: takes y, z."""
    return _kernel(_declared(y=dtype, z=dtype), "z[i] = y[n - 1 - i]", "reverse")


@context_dependent_memoize
def get_real_kernel(dtype, real_dtype):
    """``z = real(y)``."""
    return _kernel(_declared(y=dtype, z=real_dtype), "z[i] = pycuda::real(y[i])", "real")


@context_dependent_memoize
def get_imag_kernel(dtype, real_dtype):
    """``z = imag(y)``."""
    return _kernel(_declared(y=dtype, z=real_dtype), "z[i] = pycuda::imag(y[i])", "imag")


@context_dependent_memoize
def get_conj_kernel(dtype, conj_dtype):
    """``z = conj(y)``."""
    return _kernel(_declared(y=dtype, z=conj_dtype), "z[i] = pycuda::conj(y[i])", "conj")


@context_dependent_memoize
def get_arange_kernel(dtype):
    """``z = start + i*step``: takes z, start, step."""
    index = _converted(dtype, np.dtype(np.uintp), "i")
    arguments = _declared(z=dtype, start=_scalar(dtype), step=_scalar(dtype))
    return _kernel(arguments, f"z[i] = start + {index} * step", "arange")


@context_dependent_memoize
def get_pow_kernel(dtype):
    """``z = y ** value``: takes value, y, z."""
    return _kernel(_declared(value=_scalar(dtype), y=dtype, z=dtype), "z[i] = pow(y[i], value)", "pow_method")


@context_dependent_memoize
def get_pow_array_kernel(dtype_x, dtype_y, dtype_z, is_base_array, is_exp_array):
    """``z = x ** y``: takes x, y, z; base or exponent may be a number."""
    base = _converted(dtype_z, dtype_x, "x[i]" if is_base_array else "x")
    exponent = _converted(dtype_z, dtype_y, "y[i]" if is_exp_array else "y")
    arguments = _declared(
        x=dtype_x if is_base_array else _scalar(dtype_x),
        y=dtype_y if is_exp_array else _scalar(dtype_y),
        z=dtype_z,
    )
    return _kernel(arguments, f"z[i] = pow({base}, {exponent})", "pow_method")


_f4 = np.dtype(np.float32)


@context_dependent_memoize
def get_fmod_kernel():
    """``z = fmod(arg, mod)`` of float32."""
    return _kernel(_declared(arg=_f4, mod=_f4, z=_f4), "z[i] = fmodf(arg[i], mod[i])", "fmod_kernel")


@context_dependent_memoize
def get_modf_kernel():
    """Takes x, intpart, fracpart, of float32."""
    body = "float whole; fracpart[i] = modff(x[i], &whole); intpart[i] = whole"
    return _kernel(_declared(x=_f4, intpart=_f4, fracpart=_f4), body, "modf_kernel")


@context_dependent_memoize
def get_frexp_kernel():
    """Takes x, significand, exponent, of float32."""
    body = "int power; significand[i] = frexpf(x[i], &power); exponent[i] = power"
    return _kernel(_declared(x=_f4, significand=_f4, exponent=_f4), body, "frexp_kernel")


@context_dependent_memoize
def get_ldexp_kernel():
    """``z = sig * 2**expt``: takes sig, expt, z, of float32."""
    return _kernel(_declared(sig=_f4, expt=_f4, z=_f4), "z[i] = ldexpf(sig[i], (int)expt[i])", "ldexp_kernel")


@context_dependent_memoize
def get_unary_func_kernel(func_name, in_dtype, out_dtype=None):
    """``z = func(y)``: takes y, z."""
    out_dtype = in_dtype if out_dtype is None else out_dtype
    name = f"{func_name.replace('::', '_')}_kernel"
    return _kernel(_declared(y=in_dtype, z=out_dtype), f"z[i] = {func_name}(y[i])", name)


def _choice(test, crit_dtype, dtype, name):
    arguments = _declared(crit=crit_dtype, then_=dtype, else_=dtype, result=dtype)
    return _kernel(arguments, f"result[i] = crit[i] {test} 0 ? then_[i] : else_[i]", name)


@context_dependent_memoize
def get_if_positive_kernel(crit_dtype, dtype):
    """``result = crit > 0 ? then_ : else_``."""
    return _choice(">", crit_dtype, dtype, "if_positive")


@context_dependent_memoize
def get_where_kernel(crit_dtype, dtype):
    """``result = crit != 0 ? then_ : else_``."""
    return _choice("!=", crit_dtype, dtype, "where")


@context_dependent_memoize
def get_scalar_op_kernel(dtype_x, dtype_a, dtype_y, operator):
    """``y = x operator a`` for a number a: takes x, a, y."""
    x, a = "x[i]", "a"
    if _is_complex(dtype_x) or _is_complex(dtype_a):
        common = np.result_type(dtype_x, dtype_a)
        x, a = _converted(common, dtype_x, x), _converted(common, dtype_a, a)
    arguments = _declared(x=dtype_x, a=_scalar(dtype_a), y=dtype_y)
    return _kernel(arguments, f"y[i] = {x} {operator} {a}", "scalarop_kernel")


@context_dependent_memoize
def get_logical_not_kernel(dtype_x, dtype_out):
    """``out = (x == 0)``: takes x, out."""
    return _kernel(_declared(x=dtype_x, out=dtype_out), "out[i] = (x[i] == 0)", "logical_not_kernel")
