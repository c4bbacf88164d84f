# SPDX-License-Identifier: MIT
"""Discrete Fourier transforms: the standard's `fft` extension.

Notes
-----
NumPy does the work, on the host: on the CPU driver it reads the arrays where they are, from a GPU
they are copied, and so are results. All work on the device is waited for. Elements of float32 and
complex64 give results of the same precision; integers and truth values count as float64.

All transforms take `norm`, which says where the result is divided by the number of elements:
"backward" in inverse transforms, "forward" in the others, "ortho" by its root in both.
"""

import numpy as np

from pycuda._arrays.core.shapes import _axes
from pycuda._arrays.ops.host_fallback import host_array, on_device
from pycuda.array_api.devices import check_device
from pycuda.array_api.manipulation import roll

__all__ = [
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "rfft",
    "rfftfreq",
    "rfftn",
]


def _transform(name, x, real_result, **options):
    dtype = x.dtype
    if dtype.kind not in "biu" and dtype.char not in "fdFD":
        raise TypeError(f"{name} needs elements of dtype float32, float64, complex64 or complex128, not {dtype}")
    if not x.ndim:
        raise ValueError(f"{name} needs an array with axes, not of shape {x.shape}")
    single = dtype.char in "fF"
    result = getattr(np.fft, name)(host_array(x), **options)
    if real_result:
        return on_device(result, np.float32 if single else np.float64)
    return on_device(result, np.complex64 if single else np.complex128)


def fft(x, /, *, n=None, axis=-1, norm="backward"):
    """The transform along an axis, cut or filled with zeros to `n` elements first: complex."""
    return _transform("fft", x, False, n=n, axis=axis, norm=norm)


def ifft(x, /, *, n=None, axis=-1, norm="backward"):
    """The inverse of `fft`."""
    return _transform("ifft", x, False, n=n, axis=axis, norm=norm)


def _over_axes(name, x, real_result, s, axes, norm):
    if axes is None and s is not None:
        axes = tuple(range(x.ndim - len(s), x.ndim))
    return _transform(name, x, real_result, s=s, axes=axes, norm=norm)


def fftn(x, /, *, s=None, axes=None, norm="backward"):
    """The transform along several axes, all by default (the last ones with `s`, the lengths): complex."""
    return _over_axes("fftn", x, False, s, axes, norm)


def ifftn(x, /, *, s=None, axes=None, norm="backward"):
    """The inverse of `fftn`."""
    return _over_axes("ifftn", x, False, s, axes, norm)


def _check_real(name, x):
    if x.dtype.kind == "c":
        raise TypeError(f"{name} needs real elements, not {x.dtype}")


def rfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The first ``n // 2 + 1`` elements of the transform of real ones along an axis: complex."""
    _check_real("rfft", x)
    return _transform("rfft", x, False, n=n, axis=axis, norm=norm)


def irfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The inverse of `rfft`: real, `n` elements along the axis, by default ``2 * (m - 1)`` of `m`."""
    return _transform("irfft", x, True, n=n, axis=axis, norm=norm)


def rfftn(x, /, *, s=None, axes=None, norm="backward"):
    """`rfft` along the last of several axes, `fft` along the others: complex."""
    _check_real("rfftn", x)
    return _over_axes("rfftn", x, False, s, axes, norm)


def irfftn(x, /, *, s=None, axes=None, norm="backward"):
    """The inverse of `rfftn`: real."""
    return _over_axes("irfftn", x, True, s, axes, norm)


def hfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The transform of a signal that is Hermitian, of which half is given: real, `n` elements."""
    return _transform("hfft", x, True, n=n, axis=axis, norm=norm)


def ihfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The inverse of `hfft`: complex, ``n // 2 + 1`` elements."""
    _check_real("ihfft", x)
    return _transform("ihfft", x, False, n=n, axis=axis, norm=norm)


def _frequencies(numbers, dtype, device):
    check_device(device)
    dtype = np.dtype(np.float64 if dtype is None else dtype)
    if dtype.kind != "f":
        raise TypeError(f"frequencies are real floating-point numbers, not {dtype}")
    return on_device(numbers, dtype)


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of `fft`'s elements for samples `d` apart: shape (n,), float64 by default."""
    return _frequencies(np.fft.fftfreq(n, d), dtype, device)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of `rfft`'s elements for `n` samples `d` apart: shape (n // 2 + 1,), float64 by default."""
    return _frequencies(np.fft.rfftfreq(n, d), dtype, device)


def _shift(x, axes, inverse):
    axes = tuple(range(x.ndim)) if axes is None else tuple(_axes(axes, x.ndim))
    if not axes:
        return x.copy()
    steps = tuple(-(x.shape[axis] // 2) if inverse else x.shape[axis] // 2 for axis in axes)
    return roll(x, steps, axis=axes)


def fftshift(x, /, *, axes=None):
    """The element of frequency zero moved to the middle, along all axes by default."""
    return _shift(x, axes, False)


def ifftshift(x, /, *, axes=None):
    """The inverse of `fftshift`."""
    return _shift(x, axes, True)
