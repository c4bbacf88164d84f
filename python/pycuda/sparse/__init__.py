# SPDX-License-Identifier: MIT
"""Sparse matrices times vectors, and conjugate gradients; deprecated, as in the original.

`coordinate.CoordinateSpMV` and `packeted.PacketedSpMV` take matrices of SciPy, `cg.CGStateContainer` and
`cg.solve_pkt_with_cg` solve systems with anything that multiplies.
"""

import warnings

warnings.warn(
    "pycuda.sparse is deprecated: packages for sparse matrices take device arrays by DLPack",
    DeprecationWarning,
    stacklevel=2,
)
