# SPDX-License-Identifier: MIT
# Types of pycuda.cumath.
from typing import Any, overload

from pycuda._driver import _Stream
from pycuda.gpuarray import GPUArray, _Inexact

@overload
def acos(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def acos(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def asin(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def asin(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def atan(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def atan(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def ceil(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def ceil(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def cos(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def cos(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def cosh(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def cosh(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def exp(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def exp(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def fabs(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def fabs(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def floor(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def floor(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def log(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def log(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def log10(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def log10(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def sin(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def sin(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def sinh(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def sinh(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def sqrt(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def sqrt(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def tan(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def tan(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
@overload
def tanh(
    array: GPUArray[_Inexact],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[_Inexact]: ...
@overload
def tanh(
    array: GPUArray[Any],
    stream_or_out: _Stream | GPUArray[Any] = None,
    *,
    out: GPUArray[Any] | None = None,
    stream: _Stream = None,
) -> GPUArray[Any]: ...
def fmod(arg: GPUArray[_Inexact], mod: GPUArray[Any], stream: _Stream = None) -> GPUArray[_Inexact]: ...
def frexp(arg: GPUArray[_Inexact], stream: _Stream = None) -> tuple[GPUArray[_Inexact], GPUArray[_Inexact]]: ...
def ldexp(significand: GPUArray[_Inexact], exponent: GPUArray[Any], stream: _Stream = None) -> GPUArray[_Inexact]: ...
def modf(arg: GPUArray[_Inexact], stream: _Stream = None) -> tuple[GPUArray[_Inexact], GPUArray[_Inexact]]: ...
