# SPDX-License-Identifier: MIT
"""The error of functions of `pycuda.gpuarray` that get something else than an array on the device."""

import numpy as np


def not_on_device(function, value):
    """The TypeError to raise.

    Parameters
    ----------
    function : str
        The name in `pycuda.gpuarray`.
    value : object
        What is not a GPUArray.
    """
    to_gpu = "to_gpu(a)" if isinstance(value, np.ndarray) else "to_gpu(numpy.array(a))"
    what = type(value).__name__ if isinstance(value, (list, tuple)) or value is None else repr(type(value))[8:-2]
    return TypeError(f"gpuarray.{function} takes an array on the device, not {what}: {to_gpu} copies it there")
