# SPDX-License-Identifier: MIT
"""The launch of an instrumented kernel, and its records."""

from dataclasses import dataclass

import numpy as np

from pycuda._stepping.code import FULL, STATE, STATE_WORDS


@dataclass
class Record:
    """One record: its site and its bytes."""

    site: object
    data: memoryview

    def bytes_of(self, slot):
        """What a slot holds."""
        return self.data[slot.offset : slot.offset + slot.size]

    def address(self, offset):
        """A number of eight bytes."""
        return int.from_bytes(self.data[offset : offset + 8], "little")


class Recording:
    """Memory for the records of one launch."""

    def __init__(self, module, size, thread, block):
        from pycuda import driver  # start-up time: loads the driver

        # The host's memory: it stays readable when the kernel has failed.
        self._memory = driver.pagelocked_empty(size, np.uint8, mem_flags=driver.host_alloc_flags.DEVICEMAP)
        self._start = int(self._memory.base.get_device_pointer())
        state = np.zeros(STATE_WORDS, np.uint64)
        state[0], state[1] = self._start, self._start + size - 8
        state.view(np.uint32)[6:12] = [*thread, *block]
        address, _ = module.get_global(STATE)
        driver.memcpy_htod(address, state)
        self._memory[:8] = 0

    def records(self, sites):
        """The records as a list of `Record`, and whether there was room for all of them."""
        found, at, memory = [], 0, memoryview(self._memory)
        while True:
            number = int.from_bytes(memory[at : at + 8], "little")
            if not 0 < number < len(sites):
                return found, number != FULL
            site = sites[number]
            found.append(Record(site, memory[at : at + site.bytes]))
            at += site.bytes
