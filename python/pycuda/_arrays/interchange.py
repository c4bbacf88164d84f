# SPDX-License-Identifier: MIT
"""Memory of other packages as device arrays."""

import numpy as np

import pycuda.driver as driver
from pycuda._arrays.array import GPUArray


def from_cuda_array_interface(object):
    """The memory of another package's array as a GPUArray, which keeps that array alive."""
    interface = object.__cuda_array_interface__
    if interface.get("mask") is not None:
        raise TypeError("masked arrays are not supported")
    dtype = np.dtype(interface["typestr"])
    if dtype.kind == "V" and interface.get("descr"):
        dtype = np.dtype(interface["descr"])
    stream = interface.get("stream")
    if stream is not None:
        driver.Context.synchronize()
    return GPUArray(
        interface["shape"],
        dtype,
        base=object,
        gpudata=interface["data"][0],
        strides=interface.get("strides"),
    )
