# SPDX-License-Identifier: MIT
"""`pycuda.fuse`: a function of arrays, computed by one kernel."""

import functools
import inspect

from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._fused_elements import Trace
from pycuda._fused_surroundings import CallsFunction, Surroundings, contains_array, key_of

# Of each function, before all are forgotten. Their kernels stay.
_MOST_TRACES = 128


class Fused(CallsFunction):
    """A function that `pycuda.fuse` has made: see there."""

    def __init__(self, function, kernel_name=None):
        if not callable(function):
            raise TypeError(f"fuse takes a function, not {type(function).__name__}")
        if taken := _taken_names(function):
            raise TypeError(f"fuse: the parameter {taken[0]!r} is what the fused function itself takes: rename it")
        functools.update_wrapper(self, function)
        self._function = function
        self._kernel_name = kernel_name or getattr(function, "__name__", "function")
        self._traces = {}

    def __call__(self, *arguments, out=None, stream=None, **named):
        everything = (*arguments, *named.values()) if named else arguments
        arrays = tuple([one for one in everything if isinstance(one, GPUArray)])
        if not arrays:
            return self._plain(arguments, named, out, stream)
        trace = self._find_trace(arguments, named, everything)
        if out is not None and not isinstance(out, (tuple, list)):
            if not trace.single:
                raise TypeError(f"out must be a tuple of arrays for several results, not {type(out).__name__}")
            out = (out,)
        results = trace.fusion.run(arrays, out, stream)
        return results[0] if trace.single else tuple(results)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self):
        """As a function: by its name."""
        return self.__qualname__

    def __repr__(self):
        return f"<pycuda.fuse({getattr(self._function, '__qualname__', self._function)})>"

    def source(self, *arguments, **named):
        """The CUDA C++ source of the kernel for these arguments, where all arrays are contiguous and of one shape.

        TypeError if no argument is an array on the device.
        """
        everything = (*arguments, *named.values())
        if not any(isinstance(one, GPUArray) for one in everything):
            raise TypeError("source needs an array on the device among the arguments")
        return self._find_trace(arguments, named, everything).fusion.source()

    def _plain(self, arguments, named, out, stream):
        """The function itself, for elements of another fused function and for NumPy's arrays and numbers."""
        for one in (*arguments, *named.values()):
            if contains_array(one):
                key_of(one)  # refuses it
        if out is not None or stream is not None:
            raise TypeError("out and stream need an array on the device among the arguments")
        return self._function(*arguments, **named)

    def _find_trace(self, arguments, named, everything):
        key = tuple([one.dtype if isinstance(one, GPUArray) else key_of(one) for one in everything])
        if named:
            key += (tuple(named),)
        trace = self._traces.get(key)
        if trace is None or not trace.surroundings.unchanged():
            trace = self._make_trace(arguments, named)
            if len(self._traces) >= _MOST_TRACES:
                self._traces.clear()
            self._traces[key] = trace
        return trace

    def _make_trace(self, arguments, named):
        everything = (*arguments, *named.values())
        dtypes = [one.dtype for one in everything if isinstance(one, GPUArray)]
        surroundings = Surroundings((self, *(one for one in everything if callable(one))))
        trace = Trace(self._kernel_name, dtypes, surroundings)
        stand_ins = iter(trace.arguments())

        def stand_in(one):
            return next(stand_ins) if isinstance(one, GPUArray) else one

        arguments = [stand_in(one) for one in arguments]
        named = {name: stand_in(one) for name, one in named.items()}
        try:
            returned = self._function(*arguments, **named)
        finally:
            trace.open = False
        trace.finish(returned)
        return trace


def _taken_names(function):
    """The function's parameters that have the names of the fused function's own."""
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):  # written in C, without a signature
        return []
    return [name for name in ("out", "stream") if name in parameters]


def fuse(function=None, *, kernel_name=None):
    """Make one kernel of a function that combines arrays element by element: a decorator.

    ``a * b + c`` runs two kernels and keeps ``a * b`` in memory. The fused function runs one, which reads each array
    once and writes the results once.

    Parameters
    ----------
    function : callable
        It may use operators, NumPy's ufuncs, ``np.where``, ``np.clip``, ``np.round``, ``np.real``, ``np.imag`` and
        ``np.angle``, `pycuda.cumath`'s functions of one argument, `where`, `if_positive`, `maximum`, `minimum`, `clip`
        and the logical functions of `pycuda.gpuarray`, `astype`, and other fused functions. It returns what it has
        computed, or a tuple of that. Without a function `fuse` returns a decorator.
    kernel_name : str, optional
        The kernel's name in profiles and messages; by default the function's.

    Returns
    -------
    callable
        It takes what the function takes: arrays of any shapes that broadcast, numbers, strings, functions. Keyword
        arguments of its own are `out` (an array, or a tuple of arrays, for the results) and `stream`. Results are new
        arrays of the shape that all arrays among the arguments broadcast to, with the dtypes and the values that the
        same operations give one by one: to the bit for arithmetic, within the functions' accuracy for others such as
        `sin`. Without an array on the device among the arguments the function itself runs.

    Notes
    -----
    The function is called with stand-ins for arrays when a combination of dtypes and numbers comes for the first time.
    That costs some microseconds for each operation: pass a number that changes from call to call as an array of one
    element where that counts. It is called again when a variable outside of it, or of functions that it uses, has been
    given another value; changes within an object, as of an attribute or of an element of a list, are not noticed. It
    cannot branch on elements, read single elements, reduce, or change its arguments: each is an error that says what to
    do. A kernel has at most 16 arrays, results among them, at most 8 results and 128 numbers. `source` of the fused
    function returns the kernel's source.

    Raises
    ------
    TypeError
        For an operation that is not done element by element.
    ValueError
        For shapes that do not broadcast, arrays of `out` that overlap, and too many arrays.

    Examples
    --------
    >>> import numpy as np, pycuda, pycuda.autoinit
    >>> from pycuda import gpuarray
    >>> @pycuda.fuse
    ... def damped(x, v, dt):
    ...     v = v - dt * (x + 0.5 * v)
    ...     return x + dt * v, v
    >>> x, v = gpuarray.arange(3, dtype=np.float32), gpuarray.zeros(3, np.float32)
    >>> damped(x, v, 0.5)
    (array([0.  , 0.75, 1.5 ], dtype=float32), array([ 0. , -0.5, -1. ], dtype=float32))
    """
    if function is None:
        return functools.partial(Fused, kernel_name=kernel_name)
    return Fused(function, kernel_name)
