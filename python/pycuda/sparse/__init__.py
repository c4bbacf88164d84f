# SPDX-License-Identifier: MIT
"""Sparse matrices times vectors, and conjugate gradients; deprecated, as in the original."""

import warnings

warnings.warn(
    "pycuda.sparse is deprecated: packages for sparse matrices take device arrays by DLPack",
    DeprecationWarning,
    stacklevel=2,
)
