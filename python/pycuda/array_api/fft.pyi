# SPDX-License-Identifier: MIT
# Types of pycuda.array_api.fft, an extension of the Python array API standard.
from collections.abc import Sequence
from typing import Any, Literal, SupportsIndex, TypeAlias

from numpy.typing import DTypeLike

from pycuda._driver import Device
from pycuda.gpuarray import GPUArray

_Array: TypeAlias = GPUArray[Any]
_Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
_Norm: TypeAlias = Literal["backward", "ortho", "forward"]

def fft(x: _Array, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def hfft(x: _Array, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def ifft(x: _Array, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def ihfft(x: _Array, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def irfft(x: _Array, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def rfft(x: _Array, /, *, n: int | None = None, axis: SupportsIndex = -1, norm: _Norm = "backward") -> _Array: ...
def fftn(
    x: _Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> _Array: ...
def ifftn(
    x: _Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> _Array: ...
def irfftn(
    x: _Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> _Array: ...
def rfftn(
    x: _Array,
    /,
    *,
    s: Sequence[int] | None = None,
    axes: Sequence[SupportsIndex] | None = None,
    norm: _Norm = "backward",
) -> _Array: ...
def fftfreq(n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: Device | None = None) -> _Array: ...
def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: Device | None = None) -> _Array: ...
def fftshift(x: _Array, /, *, axes: _Axes = None) -> _Array: ...
def ifftshift(x: _Array, /, *, axes: _Axes = None) -> _Array: ...
