# SPDX-License-Identifier: MIT
"""The kernel that does one thing to each element: its text, its preparation, its call."""

from __future__ import annotations

import struct

import numpy as np

from pycuda._contexts import remembered_with_object
from pycuda._errors import CompileError
from pycuda._generated_kernels import GeneratesKernels
from pycuda._generated_modules import generated_module
from pycuda._kernel_arguments import (
    STRIDED_VECTOR,
    Call,
    check_argument_names,
    check_expressions,
    check_kernel_name,
    declarations,
    elementwise_names,
    extent_arguments,
    parse_arguments,
    strided_objects,
    struct_chars,
    with_headers,
)
from pycuda._preamble_variables import copy_variables
from pycuda._source_places import place_of_generated, placed
from pycuda._splay import splay
from pycuda._wrong_keywords import refuse_keywords
from pycuda.tools import ScalarArg, VectorArg

_COUNTED_LOOP = """
  size_t i;
  {loop_prep}
  ;
  for (i = cta_start + tid; i < n; i += total_threads) {{
    {operation}
    ;
  }}
"""

_RANGE_LOOP = """
  long i;
  {loop_prep}
  ;
  const long pycuda_step = (long)total_threads * step;
  if (step < 0) {{
    for (i = start + (long)(cta_start + tid) * step; i > stop; i += pycuda_step) {{
      {operation}
      ;
    }}
  }} else {{
    for (i = start + (long)(cta_start + tid) * step; i < stop; i += pycuda_step) {{
      {operation}
      ;
    }}
  }}
"""

_KERNEL = """
#include <pycuda-complex.hpp>
{strided_vector}
{preamble}
extern "C" __global__ void {name}({declarations}) {{
  const unsigned tid = threadIdx.x;
  const size_t total_threads = (size_t)gridDim.x * blockDim.x;
  const size_t cta_start = (size_t)blockDim.x * blockIdx.x;
  {strided_objects}
  {loop}
  {after_loop}
  ;
}}
"""

_SETTINGS = ("preamble", "loop_prep", "after_loop")
_OWN_NAMES = ("i", "n", "tid", "total_threads", "cta_start")
_COUNT = [ScalarArg(np.uintp, "n")]
_RANGE = [ScalarArg(np.intp, name) for name in ("start", "stop", "step")]


def _build_module(loop, arguments, operation, name, keep, options, preamble, loop_prep, after_loop, layout=()):
    arguments = parse_arguments(arguments)
    declared = declarations(arguments, layout)
    objects = strided_objects(arguments, layout)
    source = _KERNEL.format(
        strided_vector=STRIDED_VECTOR if layout else "",
        preamble=with_headers(preamble, declared, objects),
        name=name,
        declarations=declared,
        strided_objects=objects,
        loop=loop.format(loop_prep=loop_prep, operation=operation),
        after_loop=after_loop,
    )
    place = place_of_generated(f"the elementwise kernel '{name}'", is_users=False)
    return generated_module(source, place, options=options, keep=keep)


def get_elwise_module(
    arguments,
    operation,
    name="kernel",
    keep=False,
    options=None,
    preamble="",
    loop_prep="",
    after_loop="",
):
    """The module of a kernel that does `operation` for each ``i < n``; `n` is one of the arguments."""
    return _build_module(_COUNTED_LOOP, arguments, operation, name, keep, options, preamble, loop_prep, after_loop)


def get_elwise_range_module(
    arguments,
    operation,
    name="kernel",
    keep=False,
    options=None,
    preamble="",
    loop_prep="",
    after_loop="",
):
    """The same for `i` from `start` to `stop` by `step`, which are among the arguments."""
    return _build_module(_RANGE_LOOP, arguments, operation, name, keep, options, preamble, loop_prep, after_loop)


def get_elwise_kernel_and_types(
    arguments, operation, name="kernel", keep=False, options=None, use_range=False, **kwargs
):
    """The module, its prepared kernel, and the kernel's arguments with `n`, or `start`, `stop` and `step`."""
    arguments = parse_arguments(arguments) + (_RANGE if use_range else _COUNT)
    build = get_elwise_range_module if use_range else get_elwise_module
    module = build(arguments, operation, name, keep, options, **kwargs)
    function = module.get_function(name)
    function.prepare(struct_chars(arguments))
    return module, function, arguments


def get_elwise_kernel(arguments, operation, name="kernel", keep=False, options=None, **kwargs):
    """The prepared kernel: ``prepared_async_call(grid, block, stream, *arguments, n)``."""
    return get_elwise_kernel_and_types(arguments, operation, name, keep, options, **kwargs)[1]


@remembered_with_object
def _kernel_for(kernel, use_range, layout):
    """Module and prepared kernel of an `ElementwiseKernel` in this context for a layout of its vectors."""
    if use_range:
        check_argument_names(kernel.gen_kwargs["name"], kernel._arguments, [bound.name for bound in _RANGE])
    if not layout:
        return kernel.generate_stride_kernel_and_types(use_range)[:2]
    settings = dict(kernel.gen_kwargs)
    arguments = parse_arguments(settings.pop("arguments"))
    counts = _RANGE if use_range else _COUNT
    settings = {"preamble": "", "loop_prep": "", "after_loop": "", **settings}
    with placed(kernel._place):
        module = _build_module(
            _RANGE_LOOP if use_range else _COUNTED_LOOP,
            arguments + counts,
            layout=layout + (None,) * len(counts),
            **settings,
        )
    function = module.get_function(settings["name"])
    added = extent_arguments(arguments, layout)
    function.prepare(struct_chars(arguments + counts + added))
    return module, function


class ElementwiseKernel(GeneratesKernels):
    """A function on arrays that does `operation` for each index.

    Parameters
    ----------
    arguments : str or sequence of VectorArg and ScalarArg
        C declarations, separated by commas.
    operation : str
        C statements that use the element at `i` of the vectors.
    name : str
    keep : bool
    options : list of str, optional
        For the compiler.
    preamble, loop_prep, after_loop : str
        C code before the kernel, and in it before and after the loop.

    Examples
    --------
    >>> axpy = elementwise.ElementwiseKernel(
    ...     "float a, float *x, float *y", "y[i] += a * x[i]", "axpy")
    >>> x, y = gpuarray.arange(3, dtype=np.float32), gpuarray.ones(3, np.float32)
    >>> axpy(10, x, y)
    >>> y
    array([ 1., 11., 21.], dtype=float32)
    """

    def __init__(self, arguments, operation, name="kernel", keep=False, options=None, **kwargs):
        check_kernel_name(name)
        if operation is None:
            raise TypeError("operation must be a string of C++, such as 'z[i] = x[i] + y[i]'; it is None")
        check_expressions(operation=operation)
        if kwargs.keys() - _SETTINGS:
            refuse_keywords(
                "ElementwiseKernel", kwargs, ("arguments", "operation", "name", "keep", "options", *_SETTINGS)
            )
        self.gen_kwargs = dict(kwargs, keep=keep, options=options, name=name, operation=operation, arguments=arguments)
        self._arguments = None
        self._variables = []
        self._place = place_of_generated(f"ElementwiseKernel '{name}'", operation=operation)

    def __repr__(self):
        return f"<pycuda.elementwise.ElementwiseKernel {self.gen_kwargs['name']}: {self.gen_kwargs['operation']}>"

    def get_texref(self, name, use_range=False):
        """A texture reference of the module; drivers since CUDA 12 have none."""
        return self.generate_stride_kernel_and_types(use_range)[0].get_texref(name)

    def get_global(self, name):
        """Address and size in bytes of a variable that the preamble declares, as (int, int).

        The variable is the current context's. From the first time that it is asked for, it is the same one for vectors,
        views, `range` and `slice`, which run code of their own.

        Raises
        ------
        pycuda.driver.LogicError
            When the preamble has no such variable.

        Examples
        --------
        >>> scale = elementwise.ElementwiseKernel(
        ...     "float *x", "x[i] *= factors[i % 2]", "scale",
        ...     preamble="__constant__ float factors[2];")
        >>> address, size = scale.get_global("factors")
        >>> driver.memcpy_htod(address, np.array([10, 100], np.float32))
        >>> x = gpuarray.arange(4, dtype=np.float32)
        >>> scale(x)
        >>> x
        array([  0., 100.,  20., 300.], dtype=float32)
        """
        found = _stride_kernel_and_types(self, False)[0].get_global(name)
        if name not in self._variables:
            self._variables.append(name)
        return found

    def generate_stride_kernel_and_types(self, use_range):
        """Module, kernel and arguments for contiguous vectors, made once in each context."""
        return _stride_kernel_and_types(self, bool(use_range))

    def _read_arguments(self):
        settings = self.gen_kwargs
        arguments = parse_arguments(settings["arguments"])
        check_argument_names(settings["name"], arguments, _OWN_NAMES)
        self._arguments = arguments
        assert any(isinstance(argument, VectorArg) for argument in self._arguments), (
            "ElementwiseKernel can only be used with functions that have at least one vector argument"
        )
        elsewhere = settings.get("loop_prep", "") + settings.get("after_loop", "")
        self._same_length = elementwise_names(self._arguments, settings["operation"], elsewhere)

    def __call__(self, *args, range=None, slice=None, stream=None, **kwargs):
        """Run it on the arrays and scalars `args`.

        Parameters
        ----------
        range : slice, optional
            The values of `i`.
        slice : slice, optional
            The same, relative to the number of elements.
        stream : pycuda.driver.Stream, optional
        """
        if kwargs:
            raise TypeError(
                f"invalid keyword arguments specified: {', '.join(kwargs)}; arrays and numbers are given without names,"
                " range, slice and stream with theirs"
            )
        if range is not None and slice is not None:
            raise TypeError("may not specify both range and slice keyword arguments")
        if self._arguments is None:
            self._read_arguments()
        use_range = range is not None or slice is not None
        name = self.gen_kwargs["name"]
        call = Call(name, self._arguments, args, self._same_length, sized=range is None, whole=not use_range)
        if use_range:
            chosen = _range_of(range, slice, call.size)
            count = len(chosen)
            _check_range(name, chosen, call.same_length)
            counts = (chosen.start, chosen.stop, chosen.step)
        else:
            count = call.size
            counts = (count,)
        if count == 0:
            return
        try:
            module, function = _kernel_for(self, use_range, call.layout)
        except CompileError as error:
            raise error.with_traceback(None) from None  # the program's line, not this package's
        grid, block = splay(count)
        given = len(args)
        arguments = (*call.packed[:given], *counts, *call.packed[given:])
        first = _stride_kernel_and_types(self, False)[0] if self._variables else None
        if first:
            copy_variables(self._variables, first, module, stream)
        try:
            function.prepared_async_call(grid, block, stream, *arguments)
        except struct.error as error:
            from pycuda._wrong_values import wrong_value  # start-up time: only for an error

            raise wrong_value(name, self._arguments, args, error) from None
        if first:
            copy_variables(self._variables, module, first, stream)


@remembered_with_object
def _stride_kernel_and_types(kernel, use_range):
    with placed(kernel._place):
        result = get_elwise_kernel_and_types(use_range=use_range, **kernel.gen_kwargs)
    assert any(isinstance(argument, VectorArg) for argument in result[2]), (
        "ElementwiseKernel can only be used with functions that have at least one vector argument"
    )
    return result


def _range_of(chosen_range, chosen_slice, size):
    """The values of `i` as a Python range."""
    if chosen_slice is not None:
        if not isinstance(chosen_slice, slice):
            raise TypeError(f"slice must be a slice, not {type(chosen_slice).__name__}")
        return range(*chosen_slice.indices(size))
    if not all(hasattr(chosen_range, part) for part in ("start", "stop", "step")):
        raise TypeError(f"range must have start, stop and step as a slice has, {type(chosen_range).__name__} has not")
    start = 0 if chosen_range.start is None else chosen_range.start
    step = 1 if chosen_range.step is None else chosen_range.step
    stop = size if chosen_range.stop is None else chosen_range.stop
    return range(start, stop, step)


def _check_range(name, chosen, vectors):
    if not chosen:
        return
    lowest, highest = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1])
    for vector in vectors:
        if lowest < 0 or highest >= vector.size:
            raise IndexError(
                f"{name}: indices {lowest} to {highest} are not all in '{vector.argument.name}' of shape {vector.shape}"
            )


# Where users find them, and pickles look for them.
for _public in (
    ElementwiseKernel,
    get_elwise_kernel,
    get_elwise_kernel_and_types,
    get_elwise_module,
    get_elwise_range_module,
):
    _public.__module__ = "pycuda.elementwise"
