# SPDX-License-Identifier: MIT
"""The kernel that combines all elements to one value: its text, its stages, its call."""

from __future__ import annotations

import struct
from types import GenericAlias

import numpy as np

from pycuda._arrays.core.gpuarray import GPUArray, _array
from pycuda._contexts import MadeInContext
from pycuda._errors import CompileError
from pycuda._generated_kernels import GeneratesKernels
from pycuda._generated_modules import generated_module
from pycuda._kernel_arguments import (
    STRIDED_VECTOR,
    Call,
    check_argument_names,
    check_expressions,
    check_kernel_name,
    elementwise_names,
    extent_arguments,
    in_cxx,
    parse_arguments,
    strided_objects,
    struct_chars,
    with_headers,
)
from pycuda._preamble_variables import PreambleVariables
from pycuda._source_places import place_of_generated, placed
from pycuda._wrong_keywords import TellsKeywords
from pycuda.tools import ScalarArg, VectorArg, dtype_to_ctype

_BLOCK_SIZE = 512
_MOST_BLOCKS = 1024
_SMALL_SEQUENCE = 4
_OWN_NAMES = ("n", "tid", "seq_count", "sdata", "acc", "out_type")

_SOURCE = """
#include <pycuda-complex.hpp>
#define BLOCK_SIZE {block_size}
#define READ_AND_MAP(i) ({map_expr})
#define REDUCE(a, b) ({reduce_expr})
{strided_vector}
{preamble}
typedef {out_type} out_type;

extern "C" __global__ void {name}(out_type *pycuda_out, {declarations}, unsigned int seq_count, size_t n{extents}) {{
  // Raw bytes: shared memory runs no constructors.
  __shared__ __align__(16) unsigned char pycuda_shared[BLOCK_SIZE * sizeof(out_type)];
  out_type *sdata = (out_type *)pycuda_shared;
  const unsigned tid = threadIdx.x;
  {strided_objects}
  out_type acc = {neutral};
  const size_t pycuda_first = (size_t)blockIdx.x * BLOCK_SIZE * seq_count + tid;
  for (unsigned pycuda_turn = 0; pycuda_turn < seq_count; ++pycuda_turn) {{
    const size_t i = pycuda_first + (size_t)pycuda_turn * BLOCK_SIZE;
    if (i >= n) break;
    acc = REDUCE(acc, READ_AND_MAP(i));
  }}
  sdata[tid] = acc;
  __syncthreads();
#pragma unroll
  for (unsigned half = BLOCK_SIZE / 2; half > 0; half /= 2) {{
    if (tid < half) sdata[tid] = REDUCE(sdata[tid], sdata[tid + half]);
    __syncthreads();
  }}
  if (tid == 0) pycuda_out[blockIdx.x] = sdata[0];
}}
"""


def _build_module(
    out_type,
    block_size,
    neutral,
    reduce_expr,
    map_expr,
    arguments,
    name,
    keep,
    options,
    preamble,
    layout=(),
):
    if block_size < 1 or block_size & (block_size - 1):
        raise ValueError(f"block_size is {block_size}: it must be a power of two")
    if any(argument.name == "i" for argument in arguments):
        raise ValueError("an argument is named 'i', as the index that map_expr uses")
    check_argument_names(name, arguments, _OWN_NAMES)
    added = extent_arguments(arguments, layout)
    objects = strided_objects(arguments, layout)
    entries = layout or (None,) * len(arguments)
    own = [
        argument.declarator() if entry is None else f"char *{argument.name}_base"
        for argument, entry in zip(arguments, entries)
    ]
    source = _SOURCE.format(
        block_size=block_size,
        map_expr=map_expr,
        reduce_expr=reduce_expr,
        strided_vector=STRIDED_VECTOR if layout else "",
        preamble=with_headers(preamble, out_type, *own, objects),
        out_type=out_type,
        name=name,
        declarations=", ".join(own),
        extents="".join(f", {argument.declarator()}" for argument in added),
        strided_objects=objects,
        neutral=neutral,
    )
    place = place_of_generated(f"the reduction kernel '{name}'", is_users=False)
    return generated_module(source, place, options=options, keep=keep)


def get_reduction_module(
    out_type,
    block_size,
    neutral,
    reduce_expr,
    map_expr,
    arguments,
    name="reduce_kernel",
    keep=False,
    options=None,
    preamble="",
):
    """The module of one stage of a reduction; `out_type` is the name of a C type."""
    return _build_module(
        out_type,
        block_size,
        neutral,
        reduce_expr,
        map_expr,
        parse_arguments(arguments),
        name,
        keep,
        options,
        preamble,
    )


def get_reduction_kernel_and_types(
    stage,
    out_type,
    block_size,
    neutral,
    reduce_expr,
    map_expr=None,
    arguments=None,
    name="reduce_kernel",
    keep=False,
    options=None,
    preamble="",
):
    """The prepared kernel of a stage, and the types of its arguments after the output.

    Stage 2 reads what stage 1 has written, and takes the arguments of stage 1 after it.
    """
    return _stage_kernel(
        stage, out_type, block_size, neutral, reduce_expr, map_expr, arguments, name, keep, options, preamble, ()
    )[1:]


def _stage_arguments(stage, out_type, map_expr, arguments):
    if stage == 1:
        if map_expr is None:
            map_expr = "in[i]"
        if arguments is None:
            arguments = f"const {out_type} *in"
        return map_expr, parse_arguments(arguments)
    if stage != 2:
        raise ValueError(f"stage is {stage}: it may be 1 or 2")
    partial = parse_arguments(f"const {out_type} *pycuda_reduction_inp")
    return "pycuda_reduction_inp[i]", partial + (parse_arguments(arguments) if arguments is not None else [])


def _stage_kernel(
    stage,
    out_type,
    block_size,
    neutral,
    reduce_expr,
    map_expr,
    arguments,
    name,
    keep,
    options,
    preamble,
    layout,
):
    map_expr, arguments = _stage_arguments(stage, out_type, map_expr, arguments)
    module = _build_module(
        out_type,
        block_size,
        neutral,
        reduce_expr,
        map_expr,
        arguments,
        name,
        keep,
        options,
        preamble,
        layout,
    )
    function = module.get_function(name)
    counts = [ScalarArg(np.uint32, "seq_count"), ScalarArg(np.uintp, "n")]
    added = extent_arguments(arguments, layout)
    function.prepare("P" + struct_chars(arguments + counts + added))
    return module, function, arguments


class ReductionKernel(TellsKeywords, MadeInContext, PreambleVariables, GeneratesKernels):
    """A function on arrays that combines ``map_expr`` of all indices to one value.

    Parameters
    ----------
    dtype_out : numpy.dtype
        Of the result and of everything in between; structured ones need a registered C type.
    neutral : str
        C text of the value that changes nothing.
    reduce_expr : str
        Combines `a` and `b`; must be associative and commutative.
    map_expr : str, optional
        The value at index `i`, by default ``in[i]``.
    arguments : str or sequence, optional
        C declarations of the arguments, by default one vector `in`.
    name : str
    keep : bool
    options : list of str, optional
        For the compiler.
    preamble : str
        C code before the kernels.
    allocator : callable, optional
        For the results.

    Examples
    --------
    >>> norm = reduction.ReductionKernel(
    ...     np.float32, neutral="0", reduce_expr="a + b",
    ...     map_expr="x[i] * x[i]", arguments="float *x")
    >>> float(norm(gpuarray.arange(4, dtype=np.float32)))
    14.0
    """

    # ReductionKernel[np.float32] in annotations: the stubs make the class generic in the result's element type.
    __class_getitem__ = classmethod(GenericAlias)

    def __init__(
        self,
        dtype_out,
        neutral,
        reduce_expr,
        map_expr=None,
        arguments=None,
        name="reduce_kernel",
        keep=False,
        options=None,
        preamble="",
        allocator=None,
    ):
        check_kernel_name(name, "_stage1")
        check_expressions(reduce_expr=reduce_expr, map_expr=map_expr)
        if neutral is None:
            raise TypeError("neutral must be what reduce_expr starts from, in C++, such as '0' for a+b; it is None")
        neutral = in_cxx(neutral)
        self.dtype_out = np.dtype(dtype_out)
        self.block_size = _BLOCK_SIZE
        while self.block_size > 32 and self.block_size * self.dtype_out.itemsize > 32768:
            self.block_size //= 2
        self._allocator = allocator
        self._name = name
        out_type = dtype_to_ctype(self.dtype_out)
        self._settings = (
            out_type,
            self.block_size,
            neutral,
            reduce_expr,
            map_expr,
            arguments if arguments is None or isinstance(arguments, str) else tuple(arguments),
            name,
            keep,
            None if options is None else list(options),
            preamble,
        )
        self._remember_context(ReductionKernel, self.dtype_out, *self._settings[2:], self._allocator)
        self._strided_kernels = {}
        self._remember_modules()
        self._place = place_of_generated(f"ReductionKernel '{name}'", map_expr=map_expr, reduce_expr=reduce_expr)
        stage1, self.stage1_arg_types = self._compile_stage(1)
        self.stage1_func = stage1.prepared_async_call
        assert any(isinstance(argument, VectorArg) for argument in self.stage1_arg_types), (
            "ReductionKernel can only be used with functions that have at least one vector argument"
        )
        # Without the arguments of the user that stage 1 needs, stage 2 would not know its own map.
        stage2, self.stage2_arg_types = self._compile_stage(2)
        self.stage2_func = stage2.prepared_async_call
        self._same_length = elementwise_names(self.stage1_arg_types, map_expr or "in[i]", "")

    def __repr__(self):
        return f"<pycuda.reduction.ReductionKernel {self._name} of {self.dtype_out}>"

    def _compile_stage(self, stage, layout=()):
        """The prepared kernel of a stage, and its arguments."""
        name = f"{self._name}_stage{stage}"
        try:
            with placed(self._place):
                module, function, arguments = _stage_kernel(
                    stage, *self._settings[:6], name, *self._settings[7:], layout
                )
        except CompileError as error:
            raise error.with_traceback(None) from None  # the program's line, not this package's
        self._modules.append(module)
        return function, arguments

    def _stage1_for(self, layout):
        if not layout:
            return self.stage1_func
        function = self._strided_kernels.get(layout)
        if function is None:
            kernel, _ = self._compile_stage(1, layout)
            function = self._strided_kernels[layout] = kernel.prepared_async_call
        return function

    def __call__(self, *args, stream=None, out=None, allocator=None, kernel_wrapper=None):
        """Combine.

        Parameters
        ----------
        stream : pycuda.driver.Stream, optional
        out : GPUArray, optional
            Its first element becomes the result.
        allocator : callable, optional
            For the result and what is in between.
        kernel_wrapper : callable, optional
            Gets a function that launches a kernel and returns one that is called instead.

        Returns
        -------
        GPUArray
            Without axes, or `out`.
        """
        here = self._of_current_context()
        if here is not self:
            return here(*args, stream=stream, out=out, allocator=allocator, kernel_wrapper=kernel_wrapper)
        if out is not None:
            if not isinstance(out, GPUArray):
                raise TypeError(f"out must be an array on the device, not {type(out).__name__}")
            _array.check_context(out)
            if _array.is_read_only(out):
                raise ValueError(f"out, of shape {out.shape} and dtype {out.dtype}, is read-only")
            if out.dtype != self.dtype_out:
                raise ValueError(f"out must have the same dtype as dtype_out: {out.dtype} and {self.dtype_out}")
            if out.size == 0:
                raise ValueError("out array is empty")
        allocator = self._allocator if allocator is None else allocator
        call = Call(self._name, self.stage1_arg_types, args, self._same_length)
        given = len(args)
        function = self._stage1_for(call.layout)
        self._spread_variables(stream)
        passed, extents = call.packed[:given], call.packed[given:]
        size = call.size
        while True:
            blocks, seq_count = self._launch_shape(size)
            if blocks == 1 and out is not None:
                result = out
            else:
                result = GPUArray(() if blocks == 1 else (blocks,), self.dtype_out, allocator)
            launch = function if kernel_wrapper is None else kernel_wrapper(function)
            shape = (blocks, 1), (self.block_size, 1, 1)
            try:
                launch(*shape, stream, result.ptr, *passed, seq_count, size, *extents)
            except struct.error as error:
                from pycuda._wrong_values import wrong_value  # start-up time: only for an error

                raise wrong_value(self._name, self.stage1_arg_types, args, error, before=1) from None
            if blocks == 1:
                return result
            function, extents, size = self.stage2_func, (), blocks
            # The name keeps the partial results alive until the next launch is in the stream.
            partial = result
            # Those of stage 1 follow, unless it has the default one, which stage 2 does without.
            passed = [partial.ptr, *call.packed[: len(self.stage2_arg_types) - 1]]

    def _launch_shape(self, size):
        """Blocks, and how many elements each thread reads."""
        block = self.block_size
        if size <= block * _SMALL_SEQUENCE:
            return 1, max(1, -(-size // block))
        if size <= block * _SMALL_SEQUENCE * _MOST_BLOCKS:
            return -(-size // (block * _SMALL_SEQUENCE)), _SMALL_SEQUENCE
        seq_count = -(-size // (block * _MOST_BLOCKS))
        return -(-size // (block * seq_count)), seq_count


# Where users find them, and pickles look for them.
for _public in (ReductionKernel, get_reduction_kernel_and_types, get_reduction_module):
    _public.__module__ = "pycuda.reduction"
