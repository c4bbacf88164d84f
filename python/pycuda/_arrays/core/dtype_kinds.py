# SPDX-License-Identifier: MIT
"""What sort of numbers a dtype has; bfloat16 is not among NumPy's own."""

import numpy as np


def kind(dtype):
    """NumPy's letter, with "f" for bfloat16 too."""
    return "f" if dtype.kind == "V" and dtype.name == "bfloat16" else dtype.kind


def wide(dtype):
    """What sums of the dtype are computed in: float32 for the floats of 16 bits."""
    return np.dtype(np.float32) if dtype.itemsize == 2 and kind(dtype) == "f" else dtype
