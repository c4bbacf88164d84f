# SPDX-License-Identifier: MIT
"""What a kernel file's expressions may call: random numbers, and the rows of sparse matrices and graphs."""

import math
from typing import Any

import numpy as np


class Inputs:
    """Gives the same numbers for the same seed and calls."""

    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        #: Elements of the argument whose expression is evaluated.
        self.size = 0

    def functions(self) -> dict[str, Any]:
        own = [self.uniform, self.integers, self.row_starts, self.neighbours, self.permutation, self.bits]
        plain = {"arange": np.arange, "sort": np.sort, "int": int, "max": max, "min": min, "len": len}
        return {
            **{function.__name__: function for function in own},
            **plain,
            "ceil": lambda count, each: -(-count // each),
            "np": np,
            "math": math,
        }

    def uniform(self, low: float, high: float) -> np.ndarray:
        return self.random.random(self.size) * (high - low) + low

    def integers(self, low: int, high: int) -> np.ndarray:
        return self.random.integers(low, high, self.size)

    def row_starts(self, shortest: int, longest: int) -> np.ndarray:
        """Of a sparse matrix whose rows have that many elements."""
        lengths = self.random.integers(shortest, longest + 1, self.size - 1)
        return np.concatenate([[0], np.cumsum(lengths)])

    def neighbours(self, count: int, each: int, near: int) -> np.ndarray:
        """`each` numbers below `count` for each of `count`, at most `near` away from it."""
        places = np.arange(count)[:, None] + self.random.integers(-near, near + 1, (count, each))
        return np.clip(places, 0, count - 1)

    def permutation(self, count: int) -> np.ndarray:
        return self.random.permutation(count)

    def bits(self) -> np.ndarray:
        """64 of them a number."""
        return self.random.integers(0, 2**64, self.size, dtype=np.uint64)
