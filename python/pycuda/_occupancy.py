# SPDX-License-Identifier: MIT
"""What a device offers per multiprocessor, and how much of it a kernel occupies."""

from __future__ import annotations

import operator

from pycuda import driver as cuda

__all__ = ["DeviceData", "OccupancyRecord"]

# Warps per multiprocessor come from the driver; how registers and shared memory are dealt out does not.
_REGISTERS_DEALT_PER_WARP = 256
# Of a multiprocessor: each deals out a share of the registers to its own warps.
_PARTS = 4


def _round_up(number, unit):
    return -(-number // unit) * unit


class DeviceData:
    """Sizes of a device (the current context's by default) that decide how kernels fit on it.

    Notes
    -----
    All numbers come from the driver. The original had a table that ended with compute capability 3 and said eight
    blocks per multiprocessor for every device.
    """

    def __init__(self, dev=None):
        if dev is None:
            dev = cuda.Context.get_device()
        elif not isinstance(dev, cuda.Device):
            raise TypeError(f"dev must be a pycuda.driver.Device or None, not {type(dev).__name__}")
        attribute = cuda.device_attribute
        capability = dev.compute_capability()
        self.max_threads = dev.get_attribute(attribute.MAX_THREADS_PER_BLOCK)
        self.warp_size = dev.get_attribute(attribute.WARP_SIZE)
        self._multiprocessors = dev.get_attribute(attribute.MULTIPROCESSOR_COUNT)
        threads_per_mp = dev.get_attribute(attribute.MAX_THREADS_PER_MULTIPROCESSOR)
        self.warps_per_mp = threads_per_mp // self.warp_size
        self.thread_blocks_per_mp = dev.get_attribute(attribute.MAX_BLOCKS_PER_MULTIPROCESSOR)
        self.registers = dev.get_attribute(attribute.MAX_REGISTERS_PER_MULTIPROCESSOR)
        self.registers_per_block = dev.get_attribute(attribute.MAX_REGISTERS_PER_BLOCK)
        self.shared_memory = dev.get_attribute(attribute.MAX_SHARED_MEMORY_PER_BLOCK)
        self.shared_memory_per_mp = dev.get_attribute(attribute.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
        self.shared_memory_opt_in = max(
            self.shared_memory, dev.get_attribute(attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
        )
        self.reserved_shared_memory = dev.get_attribute(attribute.RESERVED_SHARED_MEMORY_PER_BLOCK)
        self.smem_alloc_granularity = 128 if capability >= (8, 0) else 256
        self.smem_granularity = 32
        self.register_allocation_unit = "warp"

    def __repr__(self):
        return (
            f"<DeviceData: {self.warps_per_mp} warps, {self.thread_blocks_per_mp} blocks, {self.registers} registers "
            f"and {self.shared_memory_per_mp} bytes of shared memory per multiprocessor>"
        )

    def align(self, bytes, word_size=4):
        """`bytes` rounded up to the alignment that makes accesses by `word_size` coalesce."""
        return _round_up(bytes, self.align_bytes(word_size))

    def align_dtype(self, elements, dtype_size):
        """`elements` of `dtype_size` bytes, rounded up in the same way."""
        return self.align(elements * dtype_size, dtype_size) // dtype_size

    def align_words(self, word_size):
        """The alignment in words."""
        return self.align_bytes(word_size) // word_size

    def align_bytes(self, word_size=4):
        """The alignment in bytes for words of 4, 8 or 16 bytes."""
        if word_size == 4:
            return 64
        if word_size in (8, 16):
            return 128
        raise ValueError(f"no alignment possible for fetches of width {word_size}")

    def coalesce(self, thread_count):
        """`thread_count` rounded up to half a warp."""
        return _round_up(thread_count, 16)

    @staticmethod
    def make_valid_tex_channel_count(size):
        """The least channel count of a texture that holds `size` components."""
        for count in (1, 2, 4):
            if size <= count:
                return count
        raise ValueError("could not find valid texture channel count")


class OccupancyRecord:
    """How many blocks of `threads` threads fit on a multiprocessor, and what stops more.

    Parameters
    ----------
    devdata : DeviceData
    threads : int
        Threads per block.
    shared_mem : int
        Bytes of shared memory per block.
    registers : int
        Registers per thread.
    """

    def __init__(self, devdata, threads, shared_mem=0, registers=0):
        threads, shared_mem, registers = (operator.index(number) for number in (threads, shared_mem, registers))
        if threads > devdata.max_threads:
            raise ValueError(f"too many threads: {threads} in a block, the device has at most {devdata.max_threads}")
        if threads < 1:
            raise ValueError("a block needs at least one thread")
        if shared_mem < 0 or registers < 0:
            raise ValueError(f"a block cannot have {shared_mem} bytes of shared memory and {registers} registers")
        if shared_mem > devdata.shared_memory_opt_in:
            raise ValueError(
                f"too much smem: {shared_mem} bytes in a block, the device has at most {devdata.shared_memory_opt_in}"
            )

        warps = _round_up(threads, devdata.warp_size) // devdata.warp_size
        limits = [
            (devdata.thread_blocks_per_mp, "device"),
            (devdata.warps_per_mp // warps, "warps"),
        ]
        if registers > 0:
            per_warp = _round_up(registers * devdata.warp_size, _REGISTERS_DEALT_PER_WARP)
            # A block alone must fit as if all parts of the multiprocessor dealt alike; several share what is left.
            alone = _round_up(warps, _PARTS)
            if registers > 255 or per_warp * alone > devdata.registers_per_block:
                raise ValueError(f"too many registers: {registers} in each of {threads} threads")
            warps_by_registers = devdata.registers // _PARTS // per_warp * _PARTS
            limits.append((warps_by_registers // warps, "regs"))
        if shared_mem > 0:
            per_block = _round_up(shared_mem + devdata.reserved_shared_memory, devdata.smem_alloc_granularity)
            limits.append((devdata.shared_memory_per_mp // per_block, "smem"))

        self.tb_per_mp_limits = limits
        self.tb_per_mp, self.limited_by = min(limits)
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp
        self._threads = threads
        self._multiprocessors = devdata._multiprocessors

    def __repr__(self):
        return (
            f"<OccupancyRecord {self.occupancy:.0%}: {self.tb_per_mp} blocks of {self._threads} threads per "
            f"multiprocessor, limited by {self.limited_by}>"
        )
