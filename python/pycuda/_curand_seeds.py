# SPDX-License-Identifier: MIT
"""What generators start from: seeds, and Sobol's direction vectors and scramble constants."""

import operator
import random

import numpy as np

from pycuda import _curand_tables, gpuarray


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
    return gpuarray.to_gpu(np.full(operator.index(n), random.randint(0, 2**31 - 1), np.int32))


def seed_getter_unique(n):
    """`n` seeds from NumPy's global generator."""
    return gpuarray.to_gpu(np.random.randint(0, 2**31 - 1, operator.index(n)).astype(np.int32))
