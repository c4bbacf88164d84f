# SPDX-License-Identifier: MIT
"""Ready-made reductions by dtype, each remembered for its context."""

from __future__ import annotations

import numpy as np

from pycuda._elementwise_kernels import _converted
from pycuda._reduction_kernel import ReductionKernel
from pycuda.tools import VectorArg, context_dependent_memoize


def _vectors(**dtypes):
    return [VectorArg(dtype, name) for name, dtype in dtypes.items()]


def _as(dtype_out, dtype_in, text):
    """C code of `text` in the dtype of the result."""
    if dtype_out == dtype_in:
        return text
    return _converted(dtype_out, dtype_in, text)


@context_dependent_memoize
def get_sum_kernel(dtype_out, dtype_in):
    """The sum, in the dtype of the result (of the input when it is None)."""
    dtype_out = dtype_in if dtype_out is None else dtype_out
    return ReductionKernel(
        dtype_out, "0", "a + b", _as(dtype_out, dtype_in, "in[i]"), _vectors(**{"in": dtype_in}), "sum_kernel"
    )


def _truth(dtype_out, dtype_in, neutral, operator, name):
    return ReductionKernel(
        np.bool_ if dtype_out is None else dtype_out,
        neutral,
        f"a {operator} b",
        "(in[i] != 0)",
        _vectors(**{"in": dtype_in}),
        name,
    )


@context_dependent_memoize
def get_any_kernel(dtype_out, dtype_in):
    """Whether any element is true."""
    return _truth(dtype_out, dtype_in, "false", "||", "any_kernel")


@context_dependent_memoize
def get_all_kernel(dtype_out, dtype_in):
    """Whether all elements are true."""
    return _truth(dtype_out, dtype_in, "true", "&&", "all_kernel")


@context_dependent_memoize
def get_subset_sum_kernel(dtype_out, dtype_subset, dtype_in):
    """The sum of the elements at indices: takes the indices, then the vector."""
    dtype_out = dtype_in if dtype_out is None else dtype_out
    return ReductionKernel(
        dtype_out,
        "0",
        "a + b",
        _as(dtype_out, dtype_in, "in[lookup_tbl[i]]"),
        _vectors(**{"lookup_tbl": dtype_subset, "in": dtype_in}),
        "subset_sum_kernel",
    )


def _product(dtype_out, dtype_a, dtype_b, index):
    a, b = _as(dtype_out, dtype_a, f"a[{index}]"), _as(dtype_out, dtype_b, f"b[{index}]")
    return f"{a} * {b}"


@context_dependent_memoize
def get_dot_kernel(dtype_out, dtype_a, dtype_b):
    """The sum of products, without conjugation."""
    if dtype_out is None:
        dtype_out = np.result_type(dtype_a, dtype_b)
    product = _product(dtype_out, dtype_a, dtype_b, "i")
    return ReductionKernel(dtype_out, "0", "a + b", product, _vectors(a=dtype_a, b=dtype_b), "dot_kernel")


@context_dependent_memoize
def get_subset_dot_kernel(dtype_out, dtype_subset, dtype_a=None, dtype_b=None):
    """The sum of products at indices: takes the indices, then the vectors."""
    dtype_a = dtype_out if dtype_a is None else dtype_a
    dtype_b = dtype_a if dtype_b is None else dtype_b
    if dtype_out is None:
        dtype_out = np.result_type(dtype_a, dtype_b)
    return ReductionKernel(
        dtype_out,
        "0",
        "a + b",
        _product(dtype_out, dtype_a, dtype_b, "lookup_tbl[i]"),
        _vectors(lookup_tbl=dtype_subset, a=dtype_a, b=dtype_b),
        "subset_dot_kernel",
    )


def get_minmax_neutral(what, dtype):
    """C text of the value that no element exceeds ("min") or is below ("max")."""
    dtype = np.dtype(dtype)
    if what not in ("min", "max"):
        raise ValueError(f"what is {what!r}: it may be 'min' or 'max'")
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        limit = info.max if what == "min" else info.min
        if dtype.kind == "u":
            return f"{limit}ull"
        return f"({limit + 1}ll - 1)" if limit < 0 else f"{limit}ll"
    if dtype.kind == "f" and dtype.itemsize in (4, 8):
        infinity = "__int_as_float(0x7f800000)" if dtype.itemsize == 4 else "__longlong_as_double(0x7ff0000000000000ll)"
        return infinity if what == "min" else f"-{infinity}"
    raise TypeError(f"unsupported dtype specified: {dtype}")


def _minmax_expression(what, dtype):
    if what not in ("min", "max"):
        raise ValueError(f"what is {what!r}: it may be 'min' or 'max'")
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return f"f{what}{'f' if dtype.itemsize == 4 else ''}(a, b)"
    if dtype.kind in "iu":
        return f"{what}(a, b)" if dtype.itemsize >= 4 else f"(a {'<' if what == 'min' else '>'} b ? a : b)"
    raise TypeError(f"unsupported dtype specified: {dtype}")


@context_dependent_memoize
def get_minmax_kernel(what, dtype):
    """The smallest ("min") or largest ("max") element."""
    return ReductionKernel(
        dtype,
        get_minmax_neutral(what, dtype),
        _minmax_expression(what, dtype),
        "in[i]",
        _vectors(**{"in": dtype}),
        f"{what}_kernel",
    )


@context_dependent_memoize
def get_subset_minmax_kernel(what, dtype, dtype_subset):
    """The smallest or largest of the elements at indices: takes the indices, then the vector."""
    return ReductionKernel(
        dtype,
        get_minmax_neutral(what, dtype),
        _minmax_expression(what, dtype),
        "in[lookup_tbl[i]]",
        _vectors(**{"lookup_tbl": dtype_subset, "in": dtype}),
        f"subset_{what}_kernel",
    )
