# SPDX-License-Identifier: MIT
"""What warps do, counted by the definitions of docs/reference/counters.md, one thread and one byte at a time."""

import collections
import itertools

OPS = ("ld", "st", "atom", "red")


def number(i):
    """Element i of the input of the kernels in tests/counters."""
    return 7919 * i % 1024


class Thread:
    """A thread of a launch: `tid`, `ctaid`, `place` (linear along x over blocks), `lane`."""

    def __init__(self, grid, block, ctaid, linear):
        self.tid = linear % block[0], linear // block[0] % block[1], linear // (block[0] * block[1])
        self.ctaid = ctaid
        self.linear, self.lane = linear, linear % 32
        self.place = ctaid[0] * block[0] + self.tid[0]
        self.x, self.y, self.z = self.tid


def _sectors(accesses, size):
    return len({byte // 32 for address in accesses.values() for byte in range(address, address + size)})


def _local_sectors(accesses, size):
    words = range(0, max(size, 4), 4)
    return sum(len({((address + at) // 4 * 32 + lane) // 8 for lane, address in accesses.items()}) for at in words)


def _passes(accesses, size, is_update):
    """The most words that one of the 32 banks has to give; to each lane its own, if it is an update."""
    words = collections.defaultdict(list if is_update else set)
    for address in accesses.values():
        for word in range(address // 4, (address + max(size, 4) - 1) // 4 + 1):
            bank = words[word % 32]
            bank.append(word) if is_update else bank.add(word)
    return max(map(len, words.values()))


def _pairs(accesses, size, op):
    """2 if the two lanes of each pair load the same words, else 1."""
    same = all(accesses.get(lane ^ 1, address) == address for lane, address in accesses.items())
    return 2 if op == "ld" and size > 4 and same else 1


def _wavefronts(accesses, size, op):
    group = 32 * 4 // max(size, 4) * _pairs(accesses, size, op)
    total = 0
    for first in range(0, 32, group):
        part = {lane: address for lane, address in accesses.items() if first <= lane < first + group}
        total += _passes(part, size, op in ("atom", "red")) if part else 0
    return total


class WarpModel:
    """A launch; `metrics` holds the sums by the names of the CPU driver's metrics."""

    def __init__(self, grid, block):
        self.metrics = collections.Counter()
        self.warps = []
        threads = block[0] * block[1] * block[2]
        for z, y, x in itertools.product(*(range(extent) for extent in reversed(grid))):
            for first in range(0, threads, 32):
                self.warps.append([Thread(grid, block, (x, y, z), i) for i in range(first, min(first + 32, threads))])

    def access(self, space, op, size, element, active=lambda thread: True):
        """Each warp's active threads access the element (of `size` bytes) that `element` says."""
        for warp in self.warps:
            accesses = {thread.lane: element(thread) * size for thread in warp if active(thread)}
            if accesses:
                self._count(space, op, size, accesses)

    def _count(self, space, op, size, accesses):
        add = self.metrics
        if space == "shared":
            name = "atom" if op == "red" else op
            waves = _wavefronts(accesses, size, op)
            add[f"smsp__sass_inst_executed_op_shared_{name}.sum"] += 1
            add[f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{name}.sum"] += waves
            add["memory_l1_wavefronts_shared"] += waves
            add["memory_l1_wavefronts_shared_ideal"] += -(-len(accesses) * size // (128 * _pairs(accesses, size, op)))
            return
        sectors = _sectors(accesses, size) if space == "global" else _local_sectors(accesses, size)
        add[f"l1tex__t_requests_pipe_lsu_mem_{space}_op_{op}.sum"] += 1
        add[f"l1tex__t_sectors_pipe_lsu_mem_{space}_op_{op}.sum"] += sectors
        add[f"memory_l2_theoretical_sectors_{space}"] += sectors
        if space == "global":
            ideal = min(-(-len(accesses) * size // 32), sectors)
            add["memory_l2_theoretical_sectors_global_ideal"] += ideal

    def branch(self, way, active=lambda thread: True):
        """Each warp with active threads branches to where `way` says."""
        for warp in self.warps:
            ways = {way(thread) for thread in warp if active(thread)}
            self.metrics["ptx_branches"] += bool(ways)
            self.metrics["ptx_branches_divergent"] += len(ways) > 1

    def threads(self, active=lambda thread: True):
        return sum(active(thread) for warp in self.warps for thread in warp)
