# SPDX-License-Identifier: MIT
"""Kernels that do one thing to each element, from a line of C.

Notes
-----
Differences from the original: vectors need not be contiguous, and lengths and dtypes of vectors
that are used as ``x[i]`` are checked. A caller's list of arguments stays as it is.
"""

from __future__ import annotations

from pycuda._elementwise_kernel import (
    ElementwiseKernel,
    get_elwise_kernel,
    get_elwise_kernel_and_types,
    get_elwise_module,
    get_elwise_range_module,
)
from pycuda._elementwise_kernels import (
    get_arange_kernel,
    get_axpbyz_kernel,
    get_axpbz_kernel,
    get_binary_func_kernel,
    get_binary_func_scalar_kernel,
    get_binary_minmax_kernel,
    get_binary_op_kernel,
    get_conj_kernel,
    get_copy_kernel,
    get_divide_kernel,
    get_fill_kernel,
    get_fmod_kernel,
    get_frexp_kernel,
    get_if_positive_kernel,
    get_imag_kernel,
    get_ldexp_kernel,
    get_logical_not_kernel,
    get_modf_kernel,
    get_multiply_kernel,
    get_pow_array_kernel,
    get_pow_kernel,
    get_put_kernel,
    get_rdivide_elwise_kernel,
    get_real_kernel,
    get_reverse_kernel,
    get_scalar_op_kernel,
    get_unary_func_kernel,
    get_where_kernel,
)
from pycuda._elementwise_texture_kernels import get_linear_combination_kernel, get_take_kernel, get_take_put_kernel
from pycuda.tools import ScalarArg, VectorArg, context_dependent_memoize, dtype_to_ctype

__all__ = [
    "ElementwiseKernel",
    "ScalarArg",
    "VectorArg",
    "context_dependent_memoize",
    "dtype_to_ctype",
    "get_arange_kernel",
    "get_axpbyz_kernel",
    "get_axpbz_kernel",
    "get_binary_func_kernel",
    "get_binary_func_scalar_kernel",
    "get_binary_minmax_kernel",
    "get_binary_op_kernel",
    "get_conj_kernel",
    "get_copy_kernel",
    "get_divide_kernel",
    "get_elwise_kernel",
    "get_elwise_kernel_and_types",
    "get_elwise_module",
    "get_elwise_range_module",
    "get_fill_kernel",
    "get_fmod_kernel",
    "get_frexp_kernel",
    "get_if_positive_kernel",
    "get_imag_kernel",
    "get_ldexp_kernel",
    "get_linear_combination_kernel",
    "get_logical_not_kernel",
    "get_modf_kernel",
    "get_multiply_kernel",
    "get_pow_array_kernel",
    "get_pow_kernel",
    "get_put_kernel",
    "get_rdivide_elwise_kernel",
    "get_real_kernel",
    "get_reverse_kernel",
    "get_scalar_op_kernel",
    "get_take_kernel",
    "get_take_put_kernel",
    "get_unary_func_kernel",
    "get_where_kernel",
]
