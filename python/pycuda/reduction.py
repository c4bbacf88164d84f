# SPDX-License-Identifier: MIT
"""Kernels that combine all elements to one value, from two expressions of C.

Notes
-----
Differences from the original: threads meet at barriers, so no expression needs to work on volatile
operands and no result depends on the order in which threads run; vectors need not be contiguous;
lengths and unknown keywords are checked; an empty vector gives the neutral element.
"""

from __future__ import annotations

from pycuda._reduction_kernel import ReductionKernel, get_reduction_kernel_and_types, get_reduction_module
from pycuda._reduction_kernels import (
    get_all_kernel,
    get_any_kernel,
    get_dot_kernel,
    get_minmax_kernel,
    get_minmax_neutral,
    get_subset_dot_kernel,
    get_subset_minmax_kernel,
    get_subset_sum_kernel,
    get_sum_kernel,
)
from pycuda.tools import context_dependent_memoize, dtype_to_ctype

__all__ = [
    "ReductionKernel",
    "context_dependent_memoize",
    "dtype_to_ctype",
    "get_all_kernel",
    "get_any_kernel",
    "get_dot_kernel",
    "get_minmax_kernel",
    "get_minmax_neutral",
    "get_reduction_kernel_and_types",
    "get_reduction_module",
    "get_subset_dot_kernel",
    "get_subset_minmax_kernel",
    "get_subset_sum_kernel",
    "get_sum_kernel",
]
