# SPDX-License-Identifier: MIT
"""The CUDA driver for the CPU, as files: where they are, and how to make this process use them."""

import ctypes
import os

__all__ = ["driver_folder", "library", "load"]


def driver_folder() -> str:
    """The folder that holds the driver as `libcuda.so.1` and `libcuda.so`, for LD_LIBRARY_PATH."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver")


def library() -> str:
    """The driver's own file."""
    return os.path.join(driver_folder(), "libcuda.so.1")


def load() -> ctypes.CDLL:
    """Load the driver into this process.

    Libraries that ask for `libcuda.so.1` afterwards get this driver. Call it before anything else loads CUDA.
    """
    return ctypes.CDLL(library(), mode=ctypes.RTLD_GLOBAL)
