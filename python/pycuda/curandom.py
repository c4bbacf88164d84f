# SPDX-License-Identifier: MIT
"""Random numbers on the device: a stateless hash, and cuRAND's generators in kernels.

Notes
-----
Differences from the original: also Philox; skipping ahead moves all generators; a Sobol generator
never shares its direction vectors with another; log-normal numbers have the mean and deviation of
the call that they come from. A generator stays with its context; arrays of any strides are filled.
Generators need cuRAND's headers; direction vectors and scramble constants are tables of its library
(both in the wheel nvidia-curand).
"""

import numpy as np

from pycuda import gpuarray
from pycuda._curand_kinds import (
    MRG32k3aRandomNumberGenerator,
    PhiloxRandomNumberGenerator,
    ScrambledSobol32RandomNumberGenerator,
    ScrambledSobol64RandomNumberGenerator,
    Sobol32RandomNumberGenerator,
    Sobol64RandomNumberGenerator,
    XORWOWRandomNumberGenerator,
)
from pycuda._curand_seeds import (
    generate_direction_vectors,
    generate_scramble_constants32,
    generate_scramble_constants64,
    seed_getter_uniform,
    seed_getter_unique,
)
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

for _class in map(globals().get, __all__):
    if isinstance(_class, type) and _class.__module__ == "pycuda._curand_kinds":
        _class.__module__ = __name__
del _class

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
    if isinstance(dtype, int):
        raise TypeError(f"dtype must be a type of numbers, not {dtype}: a shape is a tuple, rand(({shape}, {dtype}))")
    dtype = np.dtype(dtype)
    if dtype not in _RAND_EXPRESSIONS:
        raise NotImplementedError(f"rand makes float32, float64, int32 and uint32, not {dtype}")
    result = gpuarray.GPUArray(shape, dtype)
    high, low = np.random.randint(0, 2**32, 2, dtype=np.uint64)
    _rand_kernel(dtype)(result, int(high) << 32 | int(low), stream=stream)
    return result


def __getattr__(name):
    from pycuda import _other_names  # start-up time: only for mistakes

    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{_other_names.remedy(__name__, name)}")
