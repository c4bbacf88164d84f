# SPDX-License-Identifier: MIT
"""Prefix sums with any associative operation, written as an expression of C.

Notes
-----
Each block combines the elements of one interval; the totals of the intervals are scanned by one
block; then each block scans its interval from what precedes it. Where blocks run at the same time,
long arrays take one pass instead (``_scan_single_pass``). Operands always stand in the order
of the elements, so operations need not be commutative. Differences from the original:
``output_ary="new"`` works, inputs need not be contiguous, dtypes are checked.
"""

from __future__ import annotations

import numpy as np

from pycuda import _driver, _scan_single_pass
from pycuda._arrays.core.gpuarray import GPUArray, _array
from pycuda._arrays.ops.creation import packed_copy
from pycuda._cluda import CLUDA_PREAMBLE
from pycuda._contexts import MadeInContext
from pycuda._errors import CompileError
from pycuda._generated_kernels import GeneratesKernels
from pycuda._generated_modules import generated_module
from pycuda._kernel_arguments import check_expressions, check_kernel_name, in_cxx, with_headers
from pycuda._preamble_variables import PreambleVariables
from pycuda._public_names import without_underscore
from pycuda._source_places import place_of_generated
from pycuda._wrong_keywords import TellsKeywords
from pycuda.driver import Context, device_attribute
from pycuda.tools import dtype_to_ctype

__all__ = ["ExclusiveScanKernel", "InclusiveScanKernel", "dtype_to_ctype"]

SHARED_PREAMBLE = (
    CLUDA_PREAMBLE
    + """
#include <pycuda-complex.hpp>
#define WG_SIZE {wg_size}
#define SCAN_BATCH {batch}
#define SCAN_EXPR(a, b) ({scan_expr})
{preamble}
typedef {scan_type} scan_type;

// Totals of threads become, for each thread, the combination of all up to it.
WITHIN_KERNEL void pycuda_scan_group(scan_type *totals, unsigned valid) {{
  for (unsigned offset = 1; offset < WG_SIZE; offset *= 2) {{
    __syncthreads();
    const bool combines = LID_0 >= offset && LID_0 < valid;
    scan_type left;
    if (combines) left = totals[LID_0 - offset];
    __syncthreads();
    if (combines) totals[LID_0] = SCAN_EXPR(left, totals[LID_0]);
  }}
  __syncthreads();
}}

// Elements of one unit from memory to shared memory: neighbours by neighbours.
WITHIN_KERNEL void pycuda_scan_load(scan_type *unit, const scan_type *input, size_t first, unsigned count) {{
  __syncthreads();
  for (unsigned k = LID_0; k < count; k += WG_SIZE) unit[k] = input[first + k];
  __syncthreads();
}}
"""
)

# What a block knows of its interval.
_INTERVAL = """  LOCAL_MEM __align__(16) unsigned char unit_bytes[WG_SIZE * SCAN_BATCH * sizeof(scan_type)];
  LOCAL_MEM __align__(16) unsigned char total_bytes[WG_SIZE * sizeof(scan_type)];
  scan_type *unit = (scan_type *)unit_bytes;
  scan_type *totals = (scan_type *)total_bytes;
  const size_t begin = GID_0 * interval_size;
  const size_t end = begin + interval_size < n ? begin + interval_size : n;
"""

# One unit of an interval: its elements in shared memory, and for each thread the combination of all up to its last one.
_UNIT = """    const size_t rest = end - first;
    const unsigned count = rest < WG_SIZE * SCAN_BATCH ? (unsigned)rest : WG_SIZE * SCAN_BATCH;
    pycuda_scan_load(unit, input, first, count);
    const unsigned mine = LID_0 * SCAN_BATCH;
    if (mine < count) {{
      scan_type total = unit[mine];
      for (unsigned k = mine + 1; k < mine + SCAN_BATCH && k < count; ++k) total = SCAN_EXPR(total, unit[k]);
      totals[LID_0] = total;
    }}
    const unsigned valid = (count + SCAN_BATCH - 1) / SCAN_BATCH;
    pycuda_scan_group(totals, valid);
"""

SCAN_INTERVALS_SOURCE = (
    SHARED_PREAMBLE
    + """
KERNEL void {name_prefix}_scan_intervals(const scan_type *input, scan_type *interval_results, size_t n,
                                         size_t interval_size) {{
"""
    + _INTERVAL
    + """  scan_type carry;
  for (size_t first = begin; first < end; first += WG_SIZE * SCAN_BATCH) {{
"""
    + _UNIT
    + """    if (LID_0 == 0) carry = first == begin ? totals[valid - 1] : SCAN_EXPR(carry, totals[valid - 1]);
  }}
  if (LID_0 == 0) interval_results[GID_0] = carry;
}}
"""
)

# `input` and `output` may be the same; a unit is read before any of it is written.
_UPDATE_SOURCE = (
    SHARED_PREAMBLE
    + """
KERNEL void {name_prefix}_final_update(const scan_type *input, scan_type *output, const scan_type *interval_results,
                                       size_t n, size_t interval_size) {{
"""
    + _INTERVAL
    + """  bool has_carry = interval_results != 0 && GID_0 > 0;
  scan_type carry;
  if (has_carry) carry = interval_results[GID_0 - 1];
  for (size_t first = begin; first < end; first += WG_SIZE * SCAN_BATCH) {{
"""
    + _UNIT
    + """    if (mine < count) {{
      bool has_prefix = has_carry;
      scan_type prefix;
      if (has_carry) prefix = carry;
      if (LID_0 > 0) {{
        prefix = has_carry ? SCAN_EXPR(carry, totals[LID_0 - 1]) : totals[LID_0 - 1];
        has_prefix = true;
      }}
      for (unsigned k = mine; k < mine + SCAN_BATCH && k < count; ++k) {{
        const scan_type element = unit[k];
        __WRITE_BEFORE__
        if (has_prefix) prefix = SCAN_EXPR(prefix, element);
        else prefix = element;
        has_prefix = true;
        __WRITE_AFTER__
      }}
    }}
    if (has_carry) carry = SCAN_EXPR(carry, totals[valid - 1]);
    else carry = totals[valid - 1];
    has_carry = true;
    __syncthreads();
    for (unsigned k = LID_0; k < count; k += WG_SIZE) output[first + k] = unit[k];
  }}
}}
"""
)

INCLUSIVE_UPDATE_SOURCE = _UPDATE_SOURCE.replace("__WRITE_BEFORE__", "").replace("__WRITE_AFTER__", "unit[k] = prefix;")
EXCLUSIVE_UPDATE_SOURCE = _UPDATE_SOURCE.replace(
    "__WRITE_BEFORE__",
    "if (has_prefix) unit[k] = prefix;\n        else unit[k] = {neutral};",
).replace("__WRITE_AFTER__", "")

_MOST_INTERVALS_PER_MULTIPROCESSOR = 8


def _same_words(given, wanted):
    """Whether elements may be read as the scan's type: int32 sums are uint32 sums."""
    return given == wanted or given.itemsize == wanted.itemsize and given.kind in "iu" and wanted.kind in "iu"


@without_underscore
class _ScanKernel(TellsKeywords, MadeInContext, PreambleVariables, GeneratesKernels):
    """What both kinds share: everything but the template of the last pass."""

    final_update_tp = None
    single_pass_tp = None

    def __init__(
        self,
        dtype,
        scan_expr,
        neutral=None,
        name_prefix="scan",
        options=None,
        preamble="",
        devices=None,
    ):
        if isinstance(self, ExclusiveScanKernel) and neutral is None:
            raise ValueError(
                "neutral element is required for exclusive scan: neutral=0 for a+b, the first of the results"
            )
        neutral = in_cxx(neutral)
        check_kernel_name(name_prefix, "_")
        check_expressions(scan_expr=scan_expr)
        self.dtype = np.dtype(dtype)
        self.neutral = neutral
        self.scan_wg_size = 128
        self.update_wg_size = 256
        self.scan_wg_seq_batches = 6
        # Both passes keep a unit in shared memory, of which every device has 48 KiB.
        while self.update_wg_size * (self.scan_wg_seq_batches + 1) * self.dtype.itemsize > 49152:
            if self.scan_wg_seq_batches > 1:
                self.scan_wg_seq_batches -= 1
            elif self.update_wg_size > 1:
                self.update_wg_size //= 2
                self.scan_wg_size = min(self.scan_wg_size, self.update_wg_size)
            else:
                raise ValueError(f"elements of dtype {self.dtype} are too large to scan")
        self._remember_context(type(self), dtype, scan_expr, neutral, name_prefix, options, preamble)
        self._options = options
        self._place = place_of_generated(f"{type(self).__name__} '{name_prefix}'", scan_expr=scan_expr)
        self._single_pass = None
        self._remember_modules()
        self._settings = settings = {
            "scan_expr": scan_expr,
            "scan_type": dtype_to_ctype(self.dtype),
            "batch": self.scan_wg_seq_batches,
            "name_prefix": name_prefix,
            "preamble": with_headers(preamble, dtype_to_ctype(self.dtype)),
            "neutral": neutral,
        }

        def compile_kernel(template, group_size, name, types):
            source = template.format(wg_size=group_size, **settings)
            try:
                module = generated_module(source, self._place, options=options)
            except CompileError as error:
                raise error.with_traceback(None) from None  # the program's line, not this package's
            self._modules.append(module)
            return module.get_function(f"{name_prefix}_{name}").prepare(types)

        self.scan_intervals_knl = compile_kernel(SCAN_INTERVALS_SOURCE, self.scan_wg_size, "scan_intervals", "PPNN")
        self.final_update_knl = compile_kernel(self.final_update_tp, self.update_wg_size, "final_update", "PPPNN")
        if isinstance(self, InclusiveScanKernel):
            self._totals_knl = self.final_update_knl
        else:
            self._totals_knl = compile_kernel(INCLUSIVE_UPDATE_SOURCE, self.update_wg_size, "final_update", "PPPNN")

    def __repr__(self):
        return f"<pycuda.scan.{type(self).__name__} of {self.dtype}: {self._settings['scan_expr']}>"

    def __call__(self, input_ary, output_ary=None, allocator=None, stream=None, queue=None):
        """Scan.

        Parameters
        ----------
        input_ary : GPUArray
            With one axis.
        output_ary : GPUArray or "new", optional
            None: the input is overwritten.
        allocator : callable, optional
        stream, queue : pycuda.driver.Stream, optional

        Returns
        -------
        GPUArray
            The output.
        """
        if stream is None:
            stream = queue
        elif queue is not None:
            raise TypeError("stream and queue are the same argument: give one")
        here = self._of_current_context()
        if here is not self:
            return here(input_ary, output_ary, allocator, stream)
        for ary in (input_ary, output_ary):
            if isinstance(ary, GPUArray):
                _array.check_context(ary)
            elif isinstance(ary, np.ndarray):
                raise TypeError(
                    f"a scan takes arrays on the device, not a numpy.ndarray of shape {ary.shape}: "
                    "to_gpu(a) copies it there"
                )
        if not isinstance(input_ary, GPUArray):
            raise TypeError(
                f"a scan takes arrays on the device, not {type(input_ary).__name__}: to_gpu(numpy.array(a)) makes one"
            )
        if len(input_ary.shape) != 1:
            raise ValueError(f"a scan needs an array with one axis, the input has shape {input_ary.shape}")
        (n,) = input_ary.shape
        if not _same_words(input_ary.dtype, self.dtype):
            raise TypeError(
                f"the scan is for dtype {self.dtype}, the input has dtype {input_ary.dtype}: convert it with astype"
            )
        if output_ary is None:
            output_ary = input_ary
        elif isinstance(output_ary, str):
            if output_ary != "new":
                raise ValueError(f"output_ary is {output_ary!r}: it may be an array, None or 'new'")
            output_ary = GPUArray((n,), input_ary.dtype, allocator)
        elif not isinstance(output_ary, GPUArray):
            raise TypeError(f"a scan's output is an array on the device, not {type(output_ary).__name__}")
        if _array.is_read_only(output_ary):
            raise ValueError(f"the output of shape {output_ary.shape} and dtype {output_ary.dtype} is read-only")
        if output_ary.shape != input_ary.shape:
            raise ValueError(f"input and output must have the same shape: {input_ary.shape} and {output_ary.shape}")
        if not _same_words(output_ary.dtype, self.dtype):
            raise TypeError(
                f"the scan is for dtype {self.dtype}, the output has dtype {output_ary.dtype}: convert it with astype"
            )
        if not output_ary.flags.forc:
            raise RuntimeError("ScanKernel cannot deal with non-contiguous arrays: give a copy without gaps")
        if n == 0:
            return output_ary
        source, target = input_ary.ptr, output_ary.ptr
        overlap = source != target and abs(source - target) < input_ary.nbytes
        if overlap or not input_ary.flags.forc:
            input_ary = packed_copy(input_ary, input_ary.dtype, stream, allocator)
        self._scan(input_ary.ptr, output_ary.ptr, n, allocator, stream)
        return output_ary

    def _scan(self, source, target, n, allocator, stream):
        if self._scan_in_one_pass(source, target, n, allocator, stream):
            return
        self._spread_variables(stream)
        unit = self.update_wg_size * self.scan_wg_seq_batches
        units = -(-n // unit)
        count = Context.get_device().get_attribute(device_attribute.MULTIPROCESSOR_COUNT)
        intervals = min(units, count * _MOST_INTERVALS_PER_MULTIPROCESSOR)
        interval_size = -(-units // intervals) * unit
        intervals = -(-n // interval_size)
        group = (self.update_wg_size, 1, 1)
        if intervals == 1:
            self.final_update_knl.prepared_async_call((1, 1), group, stream, source, target, 0, n, interval_size)
            return
        totals = GPUArray((intervals,), self.dtype, allocator)
        self.scan_intervals_knl.prepared_async_call(
            (intervals, 1), (self.scan_wg_size, 1, 1), stream, source, totals.ptr, n, interval_size
        )
        self._totals_knl.prepared_async_call((1, 1), group, stream, totals.ptr, totals.ptr, 0, intervals, intervals)
        self.final_update_knl.prepared_async_call(
            (intervals, 1), group, stream, source, target, totals.ptr, n, interval_size
        )

    def _scan_in_one_pass(self, source, target, n, allocator, stream):
        """Whether that was done: it needs several tiles and blocks that run at the same time."""
        itemsize = self.dtype.itemsize
        items = _scan_single_pass.items_for(itemsize)
        tiles = -(-n // (_scan_single_pass.THREADS * items))
        if tiles < 2 or tiles >= 2**31 or itemsize > _scan_single_pass.LARGEST_ITEM:
            return False
        if _driver._device_traits().serial_threads:
            return False
        if self._single_pass is None:
            self._single_pass = self._compile_single_pass(items)
        self._spread_variables(stream)
        words, cleared = _scan_single_pass.state_sizes(itemsize, tiles)
        state = GPUArray((words + 2,), np.uint32, allocator)
        state[: cleared + 2].fill(0, stream)
        self._single_pass.prepared_async_call(
            (tiles, 1), (_scan_single_pass.THREADS, 1, 1), stream, source, target, state.ptr, state.ptr + 8, n
        )
        return True

    def _compile_single_pass(self, items):
        settings = dict(self._settings, wg_size=_scan_single_pass.THREADS, items=items)
        source = (SHARED_PREAMBLE + self.single_pass_tp).format(**settings)
        module = generated_module(source, self._place, options=self._options)
        self._modules.append(module)
        return module.get_function(f"{settings['name_prefix']}_single_pass").prepare("PPPPN")


class InclusiveScanKernel(_ScanKernel):
    """Each element becomes the combination of all up to and with it.

    Examples
    --------
    >>> products = scan.InclusiveScanKernel(np.int32, "a * b")
    >>> products(gpuarray.arange(1, 5, dtype=np.int32))
    array([ 1,  2,  6, 24], dtype=int32)
    """

    final_update_tp = INCLUSIVE_UPDATE_SOURCE
    single_pass_tp = _scan_single_pass.INCLUSIVE


class ExclusiveScanKernel(_ScanKernel):
    """Each element becomes the combination of all before it; the first, `neutral`.

    Examples
    --------
    >>> sums = scan.ExclusiveScanKernel(np.int32, "a + b", neutral=0)
    >>> sums(gpuarray.ones(4, np.int32))
    array([0, 1, 2, 3], dtype=int32)
    """

    final_update_tp = EXCLUSIVE_UPDATE_SOURCE
    single_pass_tp = _scan_single_pass.EXCLUSIVE
