# SPDX-License-Identifier: MIT
"""What array packages for GPUs share: C names of dtypes, and strides."""

from pycuda.compyte import array, dtypes

__all__ = ["array", "dtypes"]
