# SPDX-License-Identifier: MIT
"""What NumPy's functions have in common here: how they take operands, `out`, and arguments that nothing answers to."""

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.ops.creation import to_gpu


def device(x):
    """An operand on the device: arrays there as they are, numbers and lists copied, arrays of the host refused."""
    if isinstance(x, GPUArray):
        return x
    if isinstance(x, np.ndarray) and x.ndim:
        raise TypeError(f"a numpy.ndarray of shape {x.shape} beside an array on the device: copy it with to_gpu first")
    if isinstance(x, (list, tuple)) and any(isinstance(one, GPUArray) for one in x):
        from pycuda._arrays.ops.joining import stack

        return stack([device(one) for one in x])
    return to_gpu(np.asarray(x))


def host(x):
    """A parameter that the host must know: a list or array of the host as it is, an array of the device copied."""
    return x.get() if isinstance(x, GPUArray) else x


def refuse(name, **arguments):
    """TypeError for those of the arguments that are given: not None, nor NumPy's mark of what is left out."""
    for argument, value in arguments.items():
        if value is not None and value is not np._NoValue:
            raise TypeError(f"np.{name} of device arrays does not know the argument {argument!r}")


def keeps(keepdims):
    """Whether reduced axes stay, from an argument that may be left out."""
    return keepdims is not np._NoValue and bool(keepdims)


def floating(a):
    """The array; whole numbers and truth values as float64."""
    return a.astype(np.float64) if a.dtype.kind in "biu" else a
