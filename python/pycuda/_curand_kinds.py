# SPDX-License-Identifier: MIT
"""cuRAND's kinds of generators: three pseudo-random ones, and Sobol's sequences."""

import numpy as np

from pycuda import _curand_kernels, _curand_seeds, gpuarray
from pycuda._curand_generator import RandomNumberGenerator
from pycuda.driver import direction_vector_set

_MOST_SOBOL_DIMENSIONS = 20000


class _PseudoRandomNumberGenerator(RandomNumberGenerator):
    has_box_muller = True
    _skips = ("skip_ahead", "skip_ahead_sequence")

    def _start(self, state_type, seed_getter, offset):
        super().__init__(state_type, 32, _curand_kernels.PREPARE_PSEUDO, "PIPQ")
        seeds = (_curand_seeds.seed_getter_unique if seed_getter is None else seed_getter)(self._count)
        if not (isinstance(seeds, gpuarray.GPUArray) and seeds.dtype == np.int32 and seeds.shape == (self._count,)):
            raise TypeError("seed must be GPUArray of integers of right length")
        gpuarray._array.check_context(seeds)
        if not seeds.flags.c_contiguous:
            seeds = seeds.copy()
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


class _SobolRandomNumberGenerator(RandomNumberGenerator):
    _most_generators = _MOST_SOBOL_DIMENSIONS
    _bits = 32

    def _skips_by_32_bits(self):
        return self._bits == 32

    def _start(self, state_type, direction, dir_vector, offset, scramble=None):
        bits = self._bits
        scrambled = scramble is not None
        integer = "unsigned int" if bits == 32 else "unsigned long long"
        template = _curand_kernels.PREPARE_SCRAMBLED_SOBOL if scrambled else _curand_kernels.PREPARE_SOBOL
        code = "I" if bits == 32 else "Q"
        super().__init__(
            state_type,
            bits,
            template.format(integer=integer, bits=bits),
            "PIPP" + code if scrambled else "PIP" + code,
        )
        dtype = np.dtype(np.uint32 if bits == 32 else np.uint64)
        if dir_vector is None:
            dir_vector = _curand_seeds.generate_direction_vectors(self._count, direction)
        self._check(dir_vector, dtype, (self._count, bits), "seed")
        arguments = [dir_vector.ptr]
        if scrambled:
            (constants,) = scramble
            if constants is None:
                make = (
                    _curand_seeds.generate_scramble_constants32
                    if bits == 32
                    else _curand_seeds.generate_scramble_constants64
                )
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
    gen_info = RandomNumberGenerator.gen_info + [("uniform_long", "unsigned long long", "")]
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
