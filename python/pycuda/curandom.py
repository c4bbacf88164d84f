# SPDX-License-Identifier: MIT
"""Random numbers on the device: a stateless hash, and cuRAND's generators in kernels.

Notes
-----
Differences from the original: also Philox; skipping ahead moves all generators; a Sobol generator
never shares its direction vectors with another. Generators need cuRAND's headers; direction vectors
and scramble constants are tables of its library (both in the wheel nvidia-curand).
"""

from __future__ import annotations

import random as _random

import numpy as np

import pycuda.driver as drv
from pycuda import _curand_tables, gpuarray
from pycuda._curand_tables import get_curand_version
from pycuda.driver import direction_vector_set
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import context_dependent_memoize

__all__ = [
    "MRG32k3aRandomNumberGenerator",
    "PhiloxRandomNumberGenerator",
    "ScrambledSobol32RandomNumberGenerator",
    "ScrambledSobol64RandomNumberGenerator",
    "Sobol32RandomNumberGenerator",
    "Sobol64RandomNumberGenerator",
    "XORWOWRandomNumberGenerator",
    "direction_vector_set",
    "generate_direction_vectors",
    "generate_scramble_constants32",
    "generate_scramble_constants64",
    "get_curand_version",
    "rand",
    "seed_getter_uniform",
    "seed_getter_unique",
]

_HASH = """
  unsigned long long bits = seed + (i + 1) * 0x9e3779b97f4a7c15ull;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
  bits ^= bits >> 31;
"""

_RAND_EXPRESSIONS = {
    np.dtype(np.float32): ("float", "(bits >> 40) * (1.0f / 16777216)"),
    np.dtype(np.float64): ("double", "(bits >> 11) * (1.0 / 9007199254740992)"),
    np.dtype(np.int32): ("int", "(int)(bits >> 32)"),
    np.dtype(np.uint32): ("unsigned int", "(unsigned int)(bits >> 32)"),
}


@context_dependent_memoize
def _rand_kernel(dtype):
    c_type, expression = _RAND_EXPRESSIONS[dtype]
    return ElementwiseKernel(
        f"{c_type} *dest, unsigned long long seed", f"{_HASH} dest[i] = {expression}", "rand_kernel"
    )


def rand(shape, dtype=np.float32, stream=None):
    """Uniform numbers: floats in [0, 1), 32-bit integers over their whole range.

    The seed comes from NumPy's global generator, so `numpy.random.seed` makes results repeatable.
    """
    dtype = np.dtype(dtype)
    if dtype not in _RAND_EXPRESSIONS:
        raise NotImplementedError(f"rand makes float32, float64, int32 and uint32, not {dtype}")
    result = gpuarray.GPUArray(shape, dtype)
    high, low = np.random.randint(0, 2**32, 2, dtype=np.uint64)
    _rand_kernel(dtype)(result, int(high) << 32 | int(low), stream=stream)
    return result


def generate_direction_vectors(count, direction=None):
    """Sobol direction vectors of `count` dimensions, by default `VECTOR_32`.

    Returns
    -------
    GPUArray
        `count` times 32 of uint32, or times 64 of uint64. The table has 20000; then it repeats.
    """
    return gpuarray.to_gpu(_curand_tables.direction_vectors(direction, count))


def generate_scramble_constants32(count):
    """Scramble constants of `count` dimensions: uint32."""
    return gpuarray.to_gpu(_curand_tables.scramble_constants(32, count))


def generate_scramble_constants64(count):
    """Scramble constants of `count` dimensions: uint64."""
    return gpuarray.to_gpu(_curand_tables.scramble_constants(64, count))


def seed_getter_uniform(n):
    """`n` equal seeds, from Python's generator."""
    return gpuarray.to_gpu(np.full(n, _random.randint(0, 2**31 - 1), np.int32))


def seed_getter_unique(n):
    """`n` seeds from NumPy's global generator."""
    return gpuarray.to_gpu(np.random.randint(0, 2**31 - 1, n).astype(np.int32))


_SOURCE = """
#include <curand_kernel.h>

typedef {state_type} state_type;
extern "C" __device__ unsigned char pycuda_state[sizeof(state_type)] = {{}};

#define GENERATE(NAME, TYPE, PARAMETERS, VALUE)                                              \\
  extern "C" __global__ void NAME(state_type *states, TYPE *out, long long n PARAMETERS) {{  \\
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;                              \\
    const long long delta = (long long)gridDim.x * blockDim.x;                               \\
    state_type state = states[own];                                                          \\
    for (long long i = own; i < n; i += delta) out[i] = (TYPE)(VALUE);                       \\
    states[own] = state;                                                                     \\
  }}
#define NONE
#define MEAN_AND_STDDEV(TYPE) , TYPE mean, TYPE stddev
#define LAMBDA , double lambda
{generators}

#define SKIP(NAME, TYPE, SKIPPER)                                                                \\
  extern "C" __global__ void NAME(state_type *states, unsigned n, TYPE count) {{                 \\
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;                                  \\
    if (own < n) SKIPPER(count, &states[own]);                                                   \\
  }}                                                                                             \\
  extern "C" __global__ void NAME##_array(state_type *states, unsigned n, const TYPE *counts,    \\
                                          unsigned period) {{                                    \\
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;                                  \\
    if (own < n) SKIPPER(counts[own % period], &states[own]);                                    \\
  }}
{skips}
{prepare}
"""

_PREPARE_PSEUDO = """
extern "C" __global__ void prepare(state_type *states, unsigned n, const int *seeds,
                                   unsigned long long offset) {
  const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own < n) curand_init((unsigned long long)(unsigned)seeds[own], own, offset, &states[own]);
}
"""

_PREPARE_SOBOL = """
extern "C" __global__ void prepare(state_type *states, unsigned n, {integer} *vectors, {integer} offset) {{
  const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own < n) curand_init(vectors + own * {bits}, offset, &states[own]);
}}
"""

_PREPARE_SCRAMBLED_SOBOL = """
extern "C" __global__ void prepare(state_type *states, unsigned n, {integer} *vectors,
                                   {integer} *scramble, {integer} offset) {{
  const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own < n) curand_init(vectors + own * {bits}, scramble[own], offset, &states[own]);
}}
"""

_INITIAL_STACK_BYTES = 16 * 1024
_MOST_SOBOL_DIMENSIONS = 20000

_C_TYPE_CODES = {"float": "f", "double": "d"}
_C_TYPES = {
    np.dtype(np.float32): "float",
    np.dtype(np.float64): "double",
    np.dtype(np.int32): "int",
    np.dtype(np.uint32): "int",
    np.dtype(np.int64): "long",
    np.dtype(np.uint64): "long",
}


class _RandomNumberGeneratorBase:
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
        from pycuda.compiler import SourceModule

        self.state_type = state_type
        self.generator_bits = generator_bits
        self._state = None
        skip_type = "unsigned int" if self._skips_by_32_bits() else "unsigned long long"
        skips = {
            "skip_ahead": (skip_type, "skipahead"),
            "skip_ahead_sequence": ("unsigned long long", "skipahead_sequence"),
            "skip_ahead_subsequence": ("unsigned long long", "skipahead_subsequence"),
        }
        source = _SOURCE.format(
            state_type=state_type,
            generators=self._generator_sources(),
            skips="\n".join(f"SKIP({name}, {', '.join(skips[name])})" for name in self._skips),
            prepare=prepare,
        )
        self.module = SourceModule(source, no_extern_c=True)
        self.generators = {}
        for infos, extra in (
            (self.gen_info, lambda c_type: ""),
            (self.gen_log_info, lambda c_type: 2 * _C_TYPE_CODES[c_type]),
            (self.gen_poisson_info, lambda c_type: "d"),
            (self.gen_poisson_inplace_info, lambda c_type: ""),
        ):
            for name, c_type, _ in infos:
                self.generators[name] = self.module.get_function(name).prepare("PPq" + extra(c_type))
        self._skippers = {}
        for name in self._skips:
            code = "I" if skips[name][0] == "unsigned int" else "Q"
            one = self.module.get_function(name).prepare("PI" + code)
            many = self.module.get_function(name + "_array").prepare("PIPI")
            setattr(self, name, one)
            setattr(self, name + "_array", many)
            self._skippers[name] = one, many, np.dtype(np.uint32 if code == "I" else np.uint64)
        self._prepare = self.module.get_function("prepare").prepare(prepare_types)

        device = drv.Context.get_device()
        self.block_count = device.get_attribute(drv.device_attribute.MULTIPROCESSOR_COUNT)
        functions = [self._prepare, *self.generators.values()]
        for one, many, _ in self._skippers.values():
            functions += [one, many]
        threads = min(function.max_threads_per_block for function in functions)
        threads = min(threads, device.get_attribute(drv.device_attribute.MAX_BLOCK_DIM_X))
        if self._most_generators is not None:
            threads = min(threads, max(1, self._most_generators // self.block_count))
        self._generators_per_block = threads

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
            value = f"curand{suffix}(&state, mean, stddev)"
            lines.append(f"GENERATE({name}, {c_type}, MEAN_AND_STDDEV({c_type}), {value})")
        for name, c_type, suffix in self.gen_poisson_info:
            lines.append(f"GENERATE({name}, {c_type}, LAMBDA, curand{suffix}(&state, lambda))")
        for name, c_type, suffix in self.gen_poisson_inplace_info:
            lines.append(f"GENERATE({name}, {c_type}, NONE, curand{suffix}(&state, (double)out[i]))")
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
        function.prepared_async_call(
            (self.block_count, 1), (self.generators_per_block, 1, 1), stream, self.state, *arguments
        )

    def _initialise(self, *arguments):
        """Run `prepare` with the stack that cuRAND's initialisation needs."""
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
        if data.size == 0:
            return
        if data.flags.forc:
            self._launch(self.generators[name], stream, data.ptr, data.size, *parameters)
            return
        dense = gpuarray.GPUArray(data.shape, data.dtype)
        gpuarray._array.copy(dense, data, stream)
        self._launch(self.generators[name], stream, dense.ptr, dense.size, *parameters)
        gpuarray._array.copy(data, dense, stream)

    def _generator_named(self, prefix, dtype):
        name = f"{prefix}_{_C_TYPES.get(dtype, '')}"
        if name not in self.generators:
            raise NotImplementedError(f"{type(self).__name__} has no {prefix} numbers of dtype {dtype}")
        return name

    def fill_uniform(self, data, stream=None):
        """Fill with floats in (0, 1], or integers over their whole range."""
        self._fill(self._generator_named("uniform", data.dtype), data, stream)

    def fill_normal(self, data, stream=None):
        """Fill with floats of mean 0 and standard deviation 1."""
        self._fill(self._generator_named("normal", data.dtype), data, stream)

    def fill_log_normal(self, data, mean, stddev, stream=None):
        """Fill with floats whose logarithms have this mean and standard deviation."""
        self._fill(self._generator_named("normal_log", data.dtype), data, stream, mean, stddev)

    def fill_poisson(self, data, lambda_value=None, stream=None):
        """Fill with Poisson numbers of mean `lambda_value`, or of the means that are in `data`."""
        if lambda_value is None:
            if data.dtype == np.int32:
                raise NotImplementedError(f"Poisson numbers in place of dtype {data.dtype}")
            self._fill(self._generator_named("poisson_inplace", data.dtype), data, stream)
        else:
            if data.dtype != np.uint32:
                raise NotImplementedError(f"Poisson numbers are uint32, not {data.dtype}")
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
        result = gpuarray.GPUArray(shape, dtype)
        self.fill_poisson(result, lambda_value, stream)
        return result

    def _skip(self, name, count, stream):
        self._launch(self._skippers[name][0], stream, self._count, count)

    def _skip_array(self, name, counts, stream):
        _, function, dtype = self._skippers[name]
        if counts.size not in (self._count, self.generators_per_block):
            raise ValueError(
                f"there are {self._count} generators, {self.generators_per_block} in each block: "
                f"an array of shape {counts.shape} fits neither"
            )
        if counts.dtype.kind not in "iu":
            raise TypeError(f"numbers to skip must be integers, not {counts.dtype}")
        if counts.dtype.itemsize != dtype.itemsize:
            counts = counts.astype(dtype)
        if not counts.flags.forc:
            counts = counts.copy()
        self._launch(function, stream, self._count, counts.ptr, counts.size)

    def call_skip_ahead(self, i, stream=None):
        """Skip `i` numbers of each generator."""
        self._skip("skip_ahead", i, stream)

    def call_skip_ahead_array(self, i, stream=None):
        """Skip numbers: `i` has one count for each generator, or for each of a block."""
        self._skip_array("skip_ahead", i, stream)


class _PseudoRandomNumberGenerator(_RandomNumberGeneratorBase):
    has_box_muller = True
    _skips = ("skip_ahead", "skip_ahead_sequence")

    def _start(self, state_type, seed_getter, offset):
        super().__init__(state_type, 32, _PREPARE_PSEUDO, "PIPQ")
        seeds = (seed_getter_unique if seed_getter is None else seed_getter)(self._count)
        if not (isinstance(seeds, gpuarray.GPUArray) and seeds.dtype == np.int32 and seeds.shape == (self._count,)):
            raise TypeError("seed must be GPUArray of integers of right length")
        self._initialise(seeds.ptr, offset)

    def call_skip_ahead_sequence(self, i, stream=None):
        """Skip `i` of the sequences that generators with equal seeds are set apart by."""
        self._skip("skip_ahead_sequence", i, stream)

    def call_skip_ahead_sequence_array(self, i, stream=None):
        """The same with one count for each generator, or for each of a block."""
        self._skip_array("skip_ahead_sequence", i, stream)


class XORWOWRandomNumberGenerator(_PseudoRandomNumberGenerator):
    """Marsaglia's xorwow. `seed_getter(count)` gives an array of int32."""

    def __init__(self, seed_getter=None, offset=0):
        self._start("curandStateXORWOW", seed_getter, offset)


class MRG32k3aRandomNumberGenerator(_PseudoRandomNumberGenerator):
    """L'Ecuyer's combined multiple recursive generator."""

    _skips = ("skip_ahead", "skip_ahead_sequence", "skip_ahead_subsequence")

    def __init__(self, seed_getter=None, offset=0):
        self._start("curandStateMRG32k3a", seed_getter, offset)

    def call_skip_ahead_subsequence(self, i, stream=None):
        """Skip `i` subsequences."""
        self._skip("skip_ahead_subsequence", i, stream)

    def call_skip_ahead_subsequence_array(self, i, stream=None):
        """The same with one count for each generator, or for each of a block."""
        self._skip_array("skip_ahead_subsequence", i, stream)


class PhiloxRandomNumberGenerator(_PseudoRandomNumberGenerator):
    """The counter-based generator Philox 4x32-10."""

    def __init__(self, seed_getter=None, offset=0):
        self._start("curandStatePhilox4_32_10", seed_getter, offset)


class _SobolRandomNumberGenerator(_RandomNumberGeneratorBase):
    _most_generators = _MOST_SOBOL_DIMENSIONS
    _bits = 32

    def _skips_by_32_bits(self):
        return self._bits == 32

    def _start(self, state_type, direction, dir_vector, offset, scramble=None):
        bits = self._bits
        scrambled = scramble is not None
        integer = "unsigned int" if bits == 32 else "unsigned long long"
        template = _PREPARE_SCRAMBLED_SOBOL if scrambled else _PREPARE_SOBOL
        code = "I" if bits == 32 else "Q"
        super().__init__(
            state_type,
            bits,
            template.format(integer=integer, bits=bits),
            "PIPP" + code if scrambled else "PIP" + code,
        )
        dtype = np.dtype(np.uint32 if bits == 32 else np.uint64)
        if dir_vector is None:
            dir_vector = generate_direction_vectors(self._count, direction)
        self._check(dir_vector, dtype, (self._count, bits), "seed")
        arguments = [dir_vector.ptr]
        if scrambled:
            (constants,) = scramble
            if constants is None:
                make = generate_scramble_constants32 if bits == 32 else generate_scramble_constants64
                constants = make(self._count)
            self._check(constants, dtype, (self._count,), "scramble")
            arguments.append(constants.ptr)
        self._initialise(*arguments, offset)

    @staticmethod
    def _check(array, dtype, shape, name):
        if not (
            isinstance(array, gpuarray.GPUArray)
            and array.dtype.kind in "iu"
            and array.dtype.itemsize == dtype.itemsize
            and array.shape == shape
            and array.flags.c_contiguous
        ):
            raise TypeError(f"{name} must be GPUArray of integers of right length: shape {shape}, dtype {dtype}")


class Sobol32RandomNumberGenerator(_SobolRandomNumberGenerator):
    """Sobol's sequence; each generator draws one dimension, from its row of `dir_vector`."""

    def __init__(self, dir_vector=None, offset=0):
        self._start("curandStateSobol32", direction_vector_set.VECTOR_32, dir_vector, offset)


class ScrambledSobol32RandomNumberGenerator(_SobolRandomNumberGenerator):
    """Sobol's sequence, scrambled with one constant for each generator."""

    def __init__(self, dir_vector=None, scramble_vector=None, offset=0):
        self._start(
            "curandStateScrambledSobol32",
            direction_vector_set.SCRAMBLED_VECTOR_32,
            dir_vector,
            offset,
            (scramble_vector,),
        )


class _Sobol64RandomNumberGenerator(_SobolRandomNumberGenerator):
    gen_info = _RandomNumberGeneratorBase.gen_info + [("uniform_long", "unsigned long long", "")]
    _bits = 64


class Sobol64RandomNumberGenerator(_Sobol64RandomNumberGenerator):
    """Sobol's sequence with 64 bits."""

    def __init__(self, dir_vector=None, offset=0):
        self._start("curandStateSobol64", direction_vector_set.VECTOR_64, dir_vector, offset)


class ScrambledSobol64RandomNumberGenerator(_Sobol64RandomNumberGenerator):
    """Sobol's sequence with 64 bits, scrambled."""

    def __init__(self, dir_vector=None, scramble_vector=None, offset=0):
        self._start(
            "curandStateScrambledSobol64",
            direction_vector_set.SCRAMBLED_VECTOR_64,
            dir_vector,
            offset,
            (scramble_vector,),
        )
