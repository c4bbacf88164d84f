# SPDX-License-Identifier: MIT
"""cuRAND's kinds of generators: three pseudo-random ones, and Sobol's sequences."""

import numpy as np

from pycuda import _curand_kernels, _curand_seeds, gpuarray
from pycuda._arrays.ops.creation import packed
from pycuda._curand_generator import RandomNumberGenerator
from pycuda._public_names import without_underscore
from pycuda.driver import direction_vector_set

_MOST_SOBOL_DIMENSIONS = 20000


def _dense(name, array, dtypes, shape):
    """The array of one of the dtypes and of this shape, or a copy of it without gaps.

    Raises
    ------
    TypeError
        For another one, and for what is none.
    """
    words = f"{name} must be GPUArray of integers of right length: shape {shape}, dtype {dtypes[0]}, not "
    if not isinstance(array, gpuarray.GPUArray):
        raise TypeError(words + type(array).__name__)
    if array.dtype not in dtypes or array.shape != shape:
        raise TypeError(f"{words}{array.shape} and {array.dtype}")
    gpuarray._array.check_context(array)
    return packed(array, array.dtype)


@without_underscore
class _PseudoRandomNumberGenerator(RandomNumberGenerator):
    has_box_muller = True
    _skips = ("skip_ahead", "skip_ahead_sequence")

    def _start(self, state_type, seed_getter, offset):
        super().__init__(state_type, 32, _curand_kernels.PREPARE_PSEUDO, "PIPQ")
        if seed_getter is None:
            seed_getter = _curand_seeds.seed_getter_unique
        elif not callable(seed_getter):
            raise TypeError(
                f"seed_getter must be a function of the number of seeds, not {type(seed_getter).__name__}:"
                " pycuda.curandom.seed_getter_uniform is one"
            )
        seeds = _dense("seed", seed_getter(self._count), (np.dtype(np.int32),), (self._count,))
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


@without_underscore
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
        dtypes = tuple(np.dtype(f"{kind}{dtype.itemsize}") for kind in "ui")
        dir_vector = _dense("seed", dir_vector, dtypes, (self._count, bits))
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
            constants = _dense("scramble", constants, dtypes, (self._count,))
            arguments.append(constants.ptr)
        self._initialise(*arguments, offset)


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


@without_underscore
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
