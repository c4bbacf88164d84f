# SPDX-License-Identifier: MIT
"""Operands as functions take them: on the device, on the host, as floating-point numbers."""

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.ops.creation import to_gpu
from pycuda._arrays.ops.joining import stack


def device(x):
    """An operand on the device: arrays there as they are, numbers and lists copied, arrays of the host refused."""
    if isinstance(x, GPUArray):
        return x
    if isinstance(x, np.ndarray) and x.ndim:
        raise TypeError(f"a numpy.ndarray of shape {x.shape} beside an array on the device: copy it with to_gpu first")
    if isinstance(x, (list, tuple)) and any(isinstance(one, GPUArray) for one in x):
        return stack([device(one) for one in x])
    return to_gpu(np.asarray(x))


def host(x):
    """A parameter that the host must know: a list or array of the host as it is, an array of the device copied."""
    return x.get() if isinstance(x, GPUArray) else x


def floating(a):
    """The array; whole numbers and truth values as float64."""
    return a.astype(np.float64) if a.dtype.kind in "biu" else a
