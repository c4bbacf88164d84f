# SPDX-License-Identifier: MIT
"""`pycuda.fuse`: a function of arrays, computed by one kernel."""

import functools

from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._fused_elements import Trace
from pycuda._fused_surroundings import Surroundings, constant

# Of each function, before all are forgotten. Their kernels stay.
_MOST_TRACES = 128


class Fused:
    """A function that `pycuda.fuse` has made: see there."""

    def __init__(self, function):
        if not callable(function):
            raise TypeError(f"fuse takes a function, not {type(function).__name__}")
        functools.update_wrapper(self, function)
        self._function = function
        self._traces = {}

    def __call__(self, *arguments, out=None, stream=None, **named):
        everything = (*arguments, *named.values()) if named else arguments
        arrays = tuple([one for one in everything if isinstance(one, GPUArray)])
        if not arrays:
            return self._plain(arguments, named, out, stream)
        trace = self._trace(arguments, named, everything)
        outs = out if out is None or not trace.single else (out,)
        results = trace.fusion.run(arrays, outs, stream)
        return results[0] if trace.single else tuple(results)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self):
        return f"<pycuda.fuse({getattr(self._function, '__qualname__', self._function)})>"

    def source(self, *arguments, **named):
        """The CUDA C++ source of the kernel for these arguments, where all arrays are contiguous and of one shape.

        TypeError if no argument is an array on the device.
        """
        everything = (*arguments, *named.values())
        if not any(isinstance(one, GPUArray) for one in everything):
            raise TypeError("source needs an array on the device among the arguments")
        return self._trace(arguments, named, everything).fusion.source()

    def _plain(self, arguments, named, out, stream):
        """The function itself, for elements of another fused function and for NumPy's arrays and numbers."""
        if out is not None or stream is not None:
            raise TypeError("out and stream need an array on the device among the arguments")
        return self._function(*arguments, **named)

    def _trace(self, arguments, named, everything):
        key = tuple([one.dtype if isinstance(one, GPUArray) else constant(one) for one in everything])
        if named:
            key += (tuple(named),)
        trace = self._traces.get(key)
        if trace is None or not trace.surroundings.unchanged():
            trace = self._traced(arguments, named)
            if len(self._traces) >= _MOST_TRACES:
                self._traces.clear()
            self._traces[key] = trace
        return trace

    def _traced(self, arguments, named):
        name = getattr(self._function, "__name__", "function")
        trace = Trace(name, [one.dtype for one in (*arguments, *named.values()) if isinstance(one, GPUArray)])
        trace.surroundings = Surroundings(self._function)
        stand_ins = iter(trace.arguments())

        def stand_in(one):
            return next(stand_ins) if isinstance(one, GPUArray) else one

        arguments = [stand_in(one) for one in arguments]
        named = {name: stand_in(one) for name, one in named.items()}
        try:
            returned = self._function(*arguments, **named)
        finally:
            trace.open = False
        trace.finish(name, returned)
        return trace


def fuse(function):
    """Make one kernel of a function that combines arrays element by element: a decorator.

    ``a * b + c`` runs two kernels and keeps ``a * b`` in memory. The fused function runs one, which reads each array
    once and writes the results once.

    Parameters
    ----------
    function : callable
        It may use operators, NumPy's ufuncs, ``np.where``, ``np.clip``, ``np.round``, ``np.real``, ``np.imag`` and
        ``np.angle``, the functions of `pycuda.cumath` and `pycuda.gpuarray` that work element by element, `astype`,
        and other fused functions. It returns elements, or a tuple of them.

    Returns
    -------
    callable
        It takes what the function takes: arrays of any shapes that broadcast, numbers, strings. Keyword arguments of
        its own are `out` (an array, or a tuple of arrays, for the results) and `stream`. Results are new arrays with
        the dtypes and the values that the same operations give one by one: to the bit for arithmetic, within the
        functions' accuracy for others such as `sin`. Without an array on the device among the arguments the function
        itself runs.

    Notes
    -----
    The function is called with stand-ins for arrays when a combination of dtypes and numbers comes for the first time,
    and again when a global variable or a variable of an enclosing function that it uses has been given another value.
    It cannot branch on elements, read single elements, reduce, or change its arguments: each is a TypeError that says
    what to do. A kernel has at most 16 arrays, results among them, and at most 8 results. `source` of the fused
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
    return Fused(function)
