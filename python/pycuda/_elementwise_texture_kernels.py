# SPDX-License-Identifier: MIT
"""Ready-made elementwise kernels that read through texture references, as published programs bind and call them.

Each getter gives the prepared kernel and the list of its references. The caller binds an array to
each of these (``ary.bind_to_texref_ext(reference, allow_double_hack=True)``); they are no arguments.
"""

from __future__ import annotations

import numpy as np

from pycuda._elementwise_kernel import get_elwise_module
from pycuda._elementwise_kernels import _converted
from pycuda._kernel_arguments import struct_chars
from pycuda.tools import ScalarArg, VectorArg, context_dependent_memoize, dtype_to_ctype

# The types that <pycuda-helpers.hpp> reads from a texture.
_READABLE = frozenset(map(np.dtype, ("f4", "f8", "c8", "c16", "i4", "u4", "i2", "u2", "i1", "u1")))


def _reference(dtype, name):
    """The declaration of a texture reference to a vector of `dtype`."""
    if np.dtype(dtype) not in _READABLE:
        raise TypeError(f"no texture holds elements of dtype {np.dtype(dtype)}")
    return f"texture<{dtype_to_ctype(dtype, with_fp_tex_hack=True)}, 1, cudaReadModeElementType> {name};\n"


def _fetched(dtype, name, index):
    """C code of the element at an index."""
    return f"({dtype_to_ctype(dtype)})fp_tex1Dfetch({name}, {index})"


def _kernel_and_references(arguments, operation, name, references, loop_prep=""):
    """The prepared kernel and its references; `references` are pairs of a dtype and a name."""
    arguments = [*arguments, ScalarArg(np.uintp, "n")]
    preamble = "#include <pycuda-helpers.hpp>\n" + "".join(_reference(*one) for one in references)
    module = get_elwise_module(arguments, operation, name, preamble=preamble, loop_prep=loop_prep)
    function = module.get_function(name)
    texrefs = [module.get_texref(reference) for _, reference in references]
    function.prepare(struct_chars(arguments), texrefs=texrefs)
    return function, texrefs


@context_dependent_memoize
def get_take_kernel(dtype, idx_dtype, vec_count=1):
    """``dest[i] = src[idx[i]]``: takes idx and the destinations; a reference for each source."""
    sources = [(dtype, f"tex_src{k}") for k in range(vec_count)]
    arguments = [VectorArg(idx_dtype, "idx")] + [VectorArg(dtype, f"dest{k}") for k in range(vec_count)]
    body = "".join(f"dest{k}[i] = {_fetched(dtype, source, 'at')};" for k, (_, source) in enumerate(sources))
    body = f"const {dtype_to_ctype(idx_dtype)} at = idx[i]; {body}"
    return _kernel_and_references(arguments, body, "take", sources)


@context_dependent_memoize
def get_take_put_kernel(dtype, idx_dtype, with_offsets, vec_count=1):
    """``dest[dest_idx[i]] = src[src_idx[i] + offset]``: takes both index vectors, the destinations and
    the offsets if any; a reference for each source."""
    sources = [(dtype, f"tex_src{k}") for k in range(vec_count)]
    arguments = [VectorArg(idx_dtype, "gmem_dest_idx"), VectorArg(idx_dtype, "gmem_src_idx")]
    arguments += [VectorArg(dtype, f"dest{k}") for k in range(vec_count)]
    if with_offsets:
        arguments += [ScalarArg(idx_dtype, f"offset{k}") for k in range(vec_count)]
    index = dtype_to_ctype(idx_dtype)
    body = f"const {index} to = gmem_dest_idx[i]; const {index} from = gmem_src_idx[i];"
    for k, (_, source) in enumerate(sources):
        at = f"from + offset{k}" if with_offsets else "from"
        body += f"dest{k}[to] = {_fetched(dtype, source, at)};"
    return _kernel_and_references(arguments, body, "take_put", sources)


@context_dependent_memoize
def get_linear_combination_kernel(summand_descriptors, dtype_z):
    """``z = a0*x0 + a1*x1 + ...``: takes the vectors and z; a reference for each factor in device memory.

    A descriptor is (is the factor in device memory, its dtype, the dtype of the vector). A factor that
    is not in device memory is an argument before its vector.
    """
    arguments, factors, loop_prep, summands = [], [], "", []
    for k, (on_device, scalar_dtype, vector_dtype) in enumerate(summand_descriptors):
        if on_device:
            factors.append((scalar_dtype, f"tex_a{k}"))
            loop_prep += f"const {dtype_to_ctype(scalar_dtype)} a{k} = {_fetched(scalar_dtype, f'tex_a{k}', 0)};"
        else:
            arguments.append(ScalarArg(scalar_dtype, f"a{k}"))
        arguments.append(VectorArg(vector_dtype, f"x{k}"))
        factor = _converted(dtype_z, scalar_dtype, f"a{k}")
        summands.append(f"{factor} * {_converted(dtype_z, vector_dtype, f'x{k}[i]')}")
    arguments.append(VectorArg(dtype_z, "z"))
    operation = "z[i] = " + " + ".join(summands)
    return _kernel_and_references(arguments, operation, "linear_combination", factors, loop_prep)
