# SPDX-License-Identifier: MIT
"""How large clusters of a kernel's blocks may be, and how many of them run at once."""

from __future__ import annotations

import struct

import numpy as np

from pycuda._driver import Function
from pycuda._driver_calls import call, method_of, number

__all__ = []

_CONFIG = "7IPPI4x"  # CUlaunchConfig
_ATTRIBUTE = "I4x3I52x"  # CUlaunchAttribute
_CLUSTER_DIMENSION = 4


def _extents(value, what):
    values = [number(extent, what) for extent in (value if isinstance(value, (tuple, list)) else (value,))]
    if not 1 <= len(values) <= 3:
        raise ValueError(f"{what} has 1 to 3 extents, not {len(values)}")
    if any(not 0 < extent < 2**32 for extent in values):
        raise ValueError(f"{what} must be positive, not {value!r:.80}")
    return values + [1] * (3 - len(values))


def _ask(function, kernel, grid, block, shared, cluster):
    attributes, count = None, 0
    if cluster is not None:
        attributes = np.frombuffer(struct.pack(_ATTRIBUTE, _CLUSTER_DIMENSION, *_extents(cluster, "cluster")), np.uint8)
        count = 1
    place = attributes.ctypes.data if count else 0
    extents = (*_extents(grid, "grid"), *_extents(block, "block"))
    config = struct.pack(_CONFIG, *extents, number(shared, "shared"), 0, place, count)
    return call(function, "i", kernel.handle, config)


@method_of(Function)
def max_cluster_size(self, block, shared=0):
    """The most blocks of a cluster, for blocks of `block` threads with `shared` bytes of dynamic shared memory.

    Raises
    ------
    LogicError, RuntimeError
        On devices without clusters, those before compute capability 9.0.
    """
    return _ask("cuOccupancyMaxPotentialClusterSize", self, 1, block, shared, None)


@method_of(Function)
def max_active_clusters(self, cluster, block, shared=0):
    """How many clusters of `cluster` blocks the device runs at once, for such blocks.

    Parameters
    ----------
    cluster, block : int or tuple of int
        Blocks of a cluster, threads of a block.
    shared : int
        Bytes of dynamic shared memory of a block.

    Raises
    ------
    LogicError, RuntimeError
        On devices without clusters, and for clusters that are too large.
    """
    return _ask("cuOccupancyMaxActiveClusters", self, cluster, block, shared, cluster)
