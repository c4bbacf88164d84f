# SPDX-License-Identifier: MIT
"""Kernels that this package writes for the dtypes at hand, compiled once for each context."""

from pycuda import _driver
from pycuda._generated_modules import generated_module
from pycuda.tools import context_dependent_memoize

_array = _driver._array


@context_dependent_memoize
def compiled(name, template, *types):
    """The function `name` of a CUDA text in which ``$0``, ``$1``, ... stand for `types`.

    The text begins with the types and conversions of the array operations: `i64`, `f16`, `cx<f32>`,
    `cast<To>(value)`, `less(a, b)`, `is_nan(a)`.
    """
    text = template
    for number, type_name in enumerate(types):
        text = text.replace(f"${number}", type_name)
    # Products and sums are rounded one by one, as NumPy does.
    module = generated_module(_array.kernel_types() + text, options=["--fmad=false"])
    return module.get_function(name)


def type_name(dtype):
    """The name of a dtype in those texts; TypeError for those that kernels do not know."""
    name = _array.kernel_type(dtype)
    if name is None:
        remedy = "" if dtype.isnative else f": on the host astype({dtype.newbyteorder('=').name!r}) turns their bytes"
        raise TypeError(f"elements of dtype {dtype} cannot be computed with{remedy}")
    return name


#: fused_sum(sum, a, b) is sum + a * b, of floating-point numbers with one rounding.
FUSED_SUM = """
template <class B> FN B fused_sum(B sum, B a, B b) {
  if constexpr (same<B, bool>) return sum || (a && b);
  else if constexpr (same<B, f32>) return __fmaf_rn(a, b, sum);
  else if constexpr (same<B, f64>) return __fma_rn(a, b, sum);
  else return static_cast<B>(sum + static_cast<B>(a * b));
}
"""
