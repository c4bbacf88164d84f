# SPDX-License-Identifier: MIT
"""Device arrays as the memory of texture references."""

import warnings

import numpy as np

import pycuda.driver as driver


def _check_reference(texref):
    if not isinstance(texref, driver.TextureReference):
        raise TypeError(f"texref must be what module.get_texref(name) returns, not {type(texref).__name__}")


def bind_to_texref(self, texref, allow_offset=False):
    """Bind to a texture reference; gives the offset in elements. The array must be contiguous, in either order."""
    if not self.flags.forc:
        raise RuntimeError(
            f"only contiguous arrays can be bound to a texture reference, not one of shape {self.shape} "
            f"and strides {self.strides}"
        )
    _check_reference(texref)
    if texref.get_format()[0] is driver.array_format.FLOAT and self.dtype.kind in "iuf" and self.dtype != np.float32:
        warnings.warn(
            f"the texture's texels are float32, and the array has {self.dtype}: astype converts", stacklevel=2
        )
    return texref.set_address(self.gpudata, self.nbytes, allow_offset=allow_offset) / self.itemsize


def bind_to_texref_ext(
    self,
    texref,
    channels=1,
    allow_double_hack=False,
    allow_complex_hack=False,
    allow_offset=False,
):
    """Bind to a texture reference and set its format; gives the offset in elements."""
    _check_reference(texref)
    dtype = self.dtype
    flags = driver.TRSF_READ_AS_INTEGER
    if dtype == np.float64 and allow_double_hack:
        channels, texture_dtype = 2, np.dtype(np.int32)
    elif dtype == np.complex64 and allow_complex_hack:
        channels, texture_dtype, flags = 2, np.dtype(np.float32), 0
    elif dtype == np.complex128 and allow_complex_hack:
        channels, texture_dtype = 4, np.dtype(np.int32)
    else:
        texture_dtype = dtype
        flags = 0 if dtype == np.float32 else flags
    texref.set_format(driver.dtype_to_array_format(texture_dtype), channels)
    texref.set_flags(texref.get_flags() | flags)
    return self.bind_to_texref(texref, allow_offset)
