# SPDX-License-Identifier: MIT
"""What a kernel file's expressions may call: random numbers, the rows of sparse matrices and graphs, and trees."""

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
        own += [self.suffix_keys, self.snap_terms, self.snap_blocks]
        own += [self.octree, self.octree_counts, self.queens]
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

    def suffix_keys(self, text: np.ndarray) -> np.ndarray:
        """Numbers in the order of the suffixes of a random text of 1, 2 and 3."""
        return np.convolve(text.astype(np.int64), 4 ** np.arange(31))[30:]

    def snap_terms(self, highest: int) -> np.ndarray:
        """Nine numbers of each product of a spectral neighbour potential, of momenta (twice each) up to `highest`."""
        j1, j2, j, mb, ma = (part.ravel() for part in np.indices((highest + 1,) * 5))
        wanted = (j2 <= j1) & (j >= j1 - j2) & (j <= np.minimum(highest, j1 + j2)) & ((j1 + j2 + j) % 2 == 0)
        wanted &= (2 * mb <= j) & (ma <= j)
        j1, j2, j, mb, ma = (part[wanted] for part in (j1, j2, j, mb, ma))
        rows = [j1, j2, j]
        for m in (ma, mb):
            lowest = np.maximum(0, (2 * m - j - j2 + j1) // 2)
            rows += [lowest, (2 * m - j - 2 * lowest + j1 + j2) // 2]
            rows += [np.minimum(j1, (2 * m - j + j2 + j1) // 2) - lowest + 1]
        return np.array(rows)

    def snap_blocks(self, highest: int) -> np.ndarray:
        """Where the coefficients of three momenta start."""
        j, j2, j1 = np.indices((highest + 1,) * 3)
        wanted = (j2 <= j1) & (j >= j1 - j2) & (j <= j1 + j2) & ((j1 + j2 + j) % 2 == 0)
        lengths = np.where(wanted, (j1 + 1) * (j2 + 1), 0).ravel()
        return np.append(0, np.cumsum(lengths)[:-1])

    def octree(self, bodies: int, levels: int) -> np.ndarray:
        """The eight children of each cell: bodies, -1 for none, and cells, numbered after the bodies, the root last."""
        leaves = np.full(8**levels, -1)
        leaves[self.random.permutation(leaves.size)[:bodies]] = np.arange(bodies)
        cells = (8**levels - 1) // 7
        inner = bodies + np.arange(cells - 2, -1, -1)
        return np.concatenate([inner, leaves]).reshape(cells, 8)[::-1]

    def octree_counts(self, children: np.ndarray, levels: int) -> np.ndarray:
        """The bodies below each cell."""
        counts = [np.count_nonzero(children[: 8**levels].reshape(-1, 8) >= 0, axis=1)]
        while counts[-1].size > 1:
            counts.append(counts[-1].reshape(-1, 8).sum(axis=1))
        return np.concatenate(counts)

    def queens(self, n: int, rows: int) -> np.ndarray:
        """Boards of n columns with queens in the first rows that do not attack each other, a row of numbers each."""
        boards = np.zeros((1, 0), np.int8)
        for row in range(rows):
            tried = np.repeat(boards, n, axis=0)
            new = np.tile(np.arange(n, dtype=np.int8), len(boards))[:, None]
            away = np.abs(tried - new)
            free = np.all((away != 0) & (away != row - np.arange(row)), axis=1)
            boards = np.hstack([tried, new])[free]
        return boards
