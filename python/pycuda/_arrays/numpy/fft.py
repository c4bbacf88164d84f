# SPDX-License-Identifier: MIT
"""np.fft on device arrays, by NumPy on the host: see `pycuda.array_api.fft`."""

import numpy as np

from pycuda._arrays.numpy.arguments import refuse
from pycuda._arrays.ops.operands import device
from pycuda.array_api import fft as standard


def _taken(a):
    """The operand; floats of 16 bits as float32, as NumPy takes them."""
    a = device(a)
    return a.astype(np.float32) if a.dtype == np.float16 else a


def _along_an_axis(name):
    def function(a, n=None, axis=-1, norm=None, out=None):
        refuse(f"fft.{name}", out=out)
        return getattr(standard, name)(_taken(a), n=n, axis=axis, norm=norm or "backward")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of the standard, along an axis. On the host."
    return function


def _along_axes(name, called, last_two):
    def function(a, s=None, axes=(-2, -1) if last_two else None, norm=None, out=None):
        refuse(f"fft.{called}", out=out)
        return getattr(standard, name)(_taken(a), s=s, axes=axes, norm=norm or "backward")

    function.__name__ = function.__qualname__ = called
    function.__doc__ = f"`{name}` of the standard, along {'the last two' if last_two else 'several'} axes. On the host."
    return function


fft, ifft, rfft, irfft, hfft, ihfft = map(_along_an_axis, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = (_along_axes(name, name, False) for name in ("fftn", "ifftn", "rfftn", "irfftn"))
fft2, ifft2, rfft2, irfft2 = (_along_axes(name + "n", name + "2", True) for name in ("fft", "ifft", "rfft", "irfft"))


def fftshift(x, axes=None):
    """The element of frequency zero moved to the middle, along all axes by default."""
    return standard.fftshift(device(x), axes=axes)


def ifftshift(x, axes=None):
    """The inverse of `fftshift`."""
    return standard.ifftshift(device(x), axes=axes)
