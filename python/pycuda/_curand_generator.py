# SPDX-License-Identifier: MIT
"""A generator on the device: its states, the kernels that draw from them, and how arrays are filled."""

import numbers

import numpy as np

import pycuda.driver as drv
from pycuda import _curand_kernels, gpuarray
from pycuda._arrays.ops.creation import packed_copy
from pycuda._curand_functions import PreparedFunctions, most_threads
from pycuda._generated_modules import generated_module
from pycuda._wrong_keywords import TellsKeywords

_INITIAL_STACK_BYTES = 16 * 1024

_C_TYPE_CODES = {"float": "f", "double": "d"}
_C_TYPES = {
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
    np.dtype(np.int32): "int",
    np.dtype(np.uint32): "int",
    np.dtype(np.int64): "long",
    np.dtype(np.uint64): "long",
}
_MOST_OF_32_BITS = 2**32 - 1


def _require_number(name, value):
    if not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")


def _require_array(data, words):
    if not isinstance(data, gpuarray.GPUArray):
        raise TypeError(f"{words}, not {type(data).__name__}")


class RandomNumberGenerator(TellsKeywords):
    """What all generators share: a state for each thread, and the kernels that draw from it."""

    # (name of the kernel, C type, end of the name of cuRAND's function)
    gen_info = [
        ("uniform_int", "unsigned int", ""),
        ("uniform_float", "float", "_uniform"),
        ("uniform_double", "double", "_uniform_double"),
        ("normal_float", "float", "_normal"),
        ("normal_double", "double", "_normal_double"),
    ]
    gen_log_info = [
        ("normal_log_float", "float", "_log_normal"),
        ("normal_log_double", "double", "_log_normal_double"),
    ]
    gen_poisson_info = [("poisson_int", "unsigned int", "_poisson")]
    gen_poisson_inplace_info = [
        ("poisson_inplace_float", "float", "_poisson"),
        ("poisson_inplace_double", "double", "_poisson"),
        ("poisson_inplace_int", "unsigned int", "_poisson"),
    ]
    has_box_muller = False
    _skips = ("skip_ahead",)
    _most_generators = None

    def __init__(self, state_type, generator_bits, prepare, prepare_types):
        self.state_type = state_type
        self.generator_bits = generator_bits
        self._state = None
        self._context = drv.Context.get_current()
        skip_type = "unsigned int" if self._skips_by_32_bits() else "unsigned long long"
        skips = {
            "skip_ahead": (skip_type, "skipahead"),
            "skip_ahead_sequence": ("unsigned long long", "skipahead_sequence"),
            "skip_ahead_subsequence": ("unsigned long long", "skipahead_subsequence"),
        }
        source = _curand_kernels.SOURCE.format(
            state_type=state_type,
            generators=self._generator_sources(),
            skips="\n".join(f"SKIP({name}, {', '.join(skips[name])})" for name in self._skips),
            prepare=prepare,
        )
        self.module = generated_module(source)
        formats = {}
        for infos, extra in (
            (self.gen_info, lambda c_type: ""),
            (self.gen_log_info, lambda c_type: 2 * _C_TYPE_CODES[c_type]),
            (self.gen_poisson_info, lambda c_type: "d"),
            (self.gen_poisson_inplace_info, lambda c_type: ""),
        ):
            formats.update((name, "PPq" + extra(c_type)) for name, c_type, _ in infos)
        self.generators = PreparedFunctions(self.module, formats)
        self._skip_dtypes = {}
        formats = {}
        for name in self._skips:
            code = "I" if skips[name][0] == "unsigned int" else "Q"
            formats[name] = "PI" + code
            formats[name + "_array"] = "PIPI"
            self._skip_dtypes[name] = np.dtype(np.uint32 if code == "I" else np.uint64)
        self._skippers = PreparedFunctions(self.module, formats)
        self._prepare = self.module.get_function("prepare").prepare(prepare_types)

        device = drv.Context.get_device()
        self.block_count = device.get_attribute(drv.device_attribute.MULTIPROCESSOR_COUNT)
        threads = min(self._prepare.max_threads_per_block, most_threads(device, self.generators, self._skippers))
        if self._most_generators is not None:
            threads = min(threads, max(1, self._most_generators // self.block_count))
        self._generators_per_block = threads

    def __repr__(self):
        return f"<{type(self).__name__}: {self.block_count} blocks of {self.generators_per_block} generators>"

    def __getattr__(self, name):
        # The kernels that skip are attributes, too.
        if name.startswith("skip_ahead") and name in self._skippers:
            return self._skippers[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def generators_per_block(self):
        """How many generators a block has: as many as threads that every kernel can have."""
        return self._generators_per_block

    def _skips_by_32_bits(self):
        return False

    def _generator_sources(self):
        lines = []
        for name, c_type, suffix in self.gen_info:
            value = f"curand{suffix}(&state)"
            if name == "uniform_int" and self.generator_bits == 64:
                value += " >> 32"
            lines.append(f"GENERATE({name}, {c_type}, NONE, {value})")
        for name, c_type, suffix in self.gen_log_info:
            # cuRAND's own function keeps the second of a pair for the next call, with the mean and deviation of this
            # one: numbers of the next fill would have them.
            normal = f"curand{suffix.replace('_log_normal', '_normal')}(&state)"
            value = f"exp(mean + stddev * {normal})"
            lines.append(f"GENERATE({name}, {c_type}, MEAN_AND_STDDEV({c_type}), {value})")
        for name, c_type, suffix in self.gen_poisson_info:
            lines.append(f"GENERATE({name}, {c_type}, LAMBDA, curand{suffix}(&state, lambda))")
        for name, c_type, suffix in self.gen_poisson_inplace_info:
            # Drawing for a mean that is not a number would not end.
            value = f"curand{suffix}(&state, (double)out[i])"
            if c_type != "unsigned int":
                value = f"out[i] >= 0 && out[i] <= 4294967295.0 ? ({c_type}){value} : ({c_type})NAN"
            lines.append(f"GENERATE({name}, {c_type}, NONE, {value})")
        return "\n".join(lines)

    @property
    def _count(self):
        return self.block_count * self.generators_per_block

    @property
    def state(self):
        """The states of all generators, in device memory."""
        if self._state is None:
            _, state_bytes = self.module.get_global("pycuda_state")
            self._state = drv.mem_alloc(self._count * state_bytes)
        return self._state

    def _launch(self, function, stream, *arguments):
        current = drv.Context.get_current()
        if current is not None and current != self._context:  # threads without one share one
            raise ValueError("the generator belongs to another context: make that context current")
        function.prepared_async_call(
            (self.block_count, 1), (self.generators_per_block, 1, 1), stream, self.state, *arguments
        )

    def _initialise(self, *arguments):
        """Run `prepare` with the stack that cuRAND's initialisation needs."""
        if arguments[-1] < 0:
            raise ValueError(f"offset must not be negative, and is {arguments[-1]}")
        before = drv.Context.get_limit(drv.limit.STACK_SIZE)
        if before < _INITIAL_STACK_BYTES:
            drv.Context.set_limit(drv.limit.STACK_SIZE, _INITIAL_STACK_BYTES)
        try:
            self._launch(self._prepare, None, self._count, *arguments)
            drv.Context.synchronize()
        except drv.LaunchError as error:
            raise ValueError("Initialisation failed. Decrease number of threads.") from error
        finally:
            if before < _INITIAL_STACK_BYTES:
                drv.Context.set_limit(drv.limit.STACK_SIZE, before)

    def _fill(self, name, data, stream, *parameters):
        gpuarray._array.check_context(data)
        if gpuarray._array.is_read_only(data):
            raise ValueError(f"the array of shape {data.shape} and dtype {data.dtype} is read-only")
        if data.size == 0:
            return
        if data.flags.forc:
            self._launch(self.generators[name], stream, data.ptr, data.size, *parameters)
            return
        dense = packed_copy(data, data.dtype, stream)
        self._launch(self.generators[name], stream, dense.ptr, dense.size, *parameters)
        gpuarray._array.copy(data, dense, stream)

    def _generator_named(self, prefix, data):
        _require_array(data, "random numbers are put into a GPUArray")
        name = f"{prefix}_{_C_TYPES.get(data.dtype, '')}"
        if name not in self.generators:
            raise NotImplementedError(f"{type(self).__name__} has no {prefix} numbers of dtype {data.dtype}")
        return name

    def fill_uniform(self, data, stream=None):
        """Fill with floats in (0, 1], or integers over their whole range."""
        self._fill(self._generator_named("uniform", data), data, stream)

    def fill_normal(self, data, stream=None):
        """Fill with floats of mean 0 and standard deviation 1."""
        self._fill(self._generator_named("normal", data), data, stream)

    def fill_log_normal(self, data, mean, stddev, stream=None):
        """Fill with floats whose logarithms have this mean and standard deviation."""
        _require_number("the mean", mean)
        _require_number("the standard deviation", stddev)
        self._fill(self._generator_named("normal_log", data), data, stream, mean, stddev)

    def fill_poisson(self, data, lambda_value=None, stream=None):
        """Fill with Poisson numbers of mean `lambda_value`, or of the means that are in `data`.

        In `data`, where a mean is NaN, negative, or more than 32 bits hold, the number is NaN.

        Raises
        ------
        ValueError
            For such a `lambda_value`.
        """
        if lambda_value is None:
            name = self._generator_named("poisson_inplace", data)
            if data.dtype == np.int32:
                raise NotImplementedError(f"Poisson numbers cannot replace means of dtype {data.dtype}")
            self._fill(name, data, stream)
        else:
            _require_array(data, "random numbers are put into a GPUArray")
            if data.dtype != np.uint32:
                raise NotImplementedError(f"Poisson numbers are uint32, not {data.dtype}")
            _require_number("the mean of Poisson numbers", lambda_value)
            if not 0 <= lambda_value <= _MOST_OF_32_BITS:
                raise ValueError(f"the mean of Poisson numbers of 32 bits cannot be {lambda_value}")
            self._fill("poisson_int", data, stream, lambda_value)

    def gen_uniform(self, shape, dtype, stream=None):
        """A new array, see `fill_uniform`."""
        result = gpuarray.GPUArray(shape, dtype)
        self.fill_uniform(result, stream)
        return result

    def gen_normal(self, shape, dtype, stream=None):
        """A new array, see `fill_normal`."""
        result = gpuarray.GPUArray(shape, dtype)
        self.fill_normal(result, stream)
        return result

    def gen_log_normal(self, shape, dtype, mean, stddev, stream=None):
        """A new array, see `fill_log_normal`."""
        result = gpuarray.GPUArray(shape, dtype)
        self.fill_log_normal(result, mean, stddev, stream)
        return result

    def gen_poisson(self, shape, dtype, lambda_value, stream=None):
        """A new array, see `fill_poisson`."""
        if lambda_value is None:
            raise TypeError("lambda_value is needed: a new array holds no means")
        result = gpuarray.GPUArray(shape, dtype)
        self.fill_poisson(result, lambda_value, stream)
        return result

    def _skip(self, name, count, stream):
        self._launch(self._skippers[name], stream, self._count, count)

    def _skip_array(self, name, counts, stream):
        function, dtype = self._skippers[name + "_array"], self._skip_dtypes[name]
        _require_array(counts, "numbers to skip must be in a GPUArray")
        gpuarray._array.check_context(counts)
        if counts.size not in (self._count, self.generators_per_block):
            raise ValueError(
                f"there are {self._count} generators, {self.generators_per_block} in each block: "
                f"an array of shape {counts.shape} fits neither"
            )
        if counts.dtype.kind not in "iu":
            raise TypeError(f"numbers to skip must be integers, not {counts.dtype}")
        # The host cannot look at what will be there when a graph is launched.
        if counts.dtype.kind == "i" and not (stream is not None and stream.is_capturing()):
            lowest = gpuarray.min(counts, stream=stream).get(stream=stream)
            if lowest < 0:
                raise ValueError(f"numbers to skip cannot be below 0, one is {lowest}")
        if counts.dtype.itemsize != dtype.itemsize or not counts.flags.forc:
            counts = packed_copy(counts, dtype, stream)
        self._launch(function, stream, self._count, counts.ptr, counts.size)

    def call_skip_ahead(self, i, stream=None):
        """Skip `i` numbers of each generator."""
        self._skip("skip_ahead", i, stream)

    def call_skip_ahead_array(self, i, stream=None):
        """Skip numbers: `i` has one count for each generator, or for each of a block; none below 0."""
        self._skip_array("skip_ahead", i, stream)
