# SPDX-License-Identifier: MIT
"""Multicast objects: addresses at which a team of GPUs is written to, and summed up, by one access."""

from __future__ import annotations

import struct

from pycuda import _driver
from pycuda._driver import PhysicalMemory, mem_handle_type
from pycuda._driver_calls import call, device_number, number

__all__ = ["MulticastObject"]


def _properties(device_count, size, handle_types):
    return struct.pack(
        "I4xNQQ", number(device_count, "device_count"), number(size, "size"), number(handle_types, "handle_types"), 0
    )


class MulticastObject:
    """Memory of several GPUs at one address: what kernels store there by ``multimem`` goes to all of them.

    Add all devices, bind memory of each, then map `memory` with `ReservedAddresses.map`. Needs CUDA 12.1 and GPUs that
    an NVLink switch connects (`device_attribute.MULTICAST_SUPPORTED`), or the CPU driver with ``PYCUDA_CPU_ARCH=90``
    and ``PYCUDA_CPU_DEVICES``, in one process.

    Parameters
    ----------
    device_count : int
        How many devices will be added.
    size : int
        Bytes of each device, a multiple of `granularity`.
    handle_types : mem_handle_type
        POSIX_FILE_DESCRIPTOR for an object that other processes shall use: `memory` is then shared.

    Raises
    ------
    LogicError
        On devices without multicast.

    Examples
    --------
    ::

        team = driver.MulticastObject(driver.Device.count(), size)
        for number in range(driver.Device.count()):
            team.add_device(driver.Device(number))
        for memory in memories:  # PhysicalMemory of each device
            team.bind(memory)
        addresses = driver.mem_reserve(size)
        addresses.map(team.memory, access=driver.mem_access_flags.NONE)
        addresses.set_access(driver.mem_access_flags.READWRITE)
    """

    def __init__(self, device_count, size, handle_types=mem_handle_type.NONE):
        bytes_of_each = number(size, "size")
        handle = call("cuMulticastCreate", "Q", _properties(device_count, bytes_of_each, handle_types))
        self._memory = _driver._physical_memory_of(handle, bytes_of_each)

    @staticmethod
    def granularity(device_count, size=1, recommended=False):
        """What sizes and offsets are multiples of: at least, or for the best performance."""
        return call("cuMulticastGetGranularity", "N", _properties(device_count, size, 0), 1 if recommended else 0)

    @property
    def memory(self):
        """It as a `PhysicalMemory`, to be mapped and shared."""
        return self._memory

    def add_device(self, device=None):
        """Add a device to the team, by default the current one; all must be there before memory is bound."""
        call("cuMulticastAddDevice", self._memory.handle, device_number(device))

    def bind(self, memory, offset=0, memory_offset=0, size=None):
        """Bind `size` bytes of a `PhysicalMemory` of a device, by default all, at an offset of this object."""
        if not isinstance(memory, PhysicalMemory):
            raise TypeError(f"memory must be a PhysicalMemory, not {type(memory).__name__}")
        start = number(memory_offset, "memory_offset")
        size = memory.size - start if size is None else number(size, "size")
        call("cuMulticastBindMem", self._memory.handle, number(offset, "offset"), memory.handle, start, size, 0)

    def bind_address(self, address, size, offset=0):
        """Bind memory by the address at which it is mapped."""
        where = number(getattr(address, "gpudata", address), "address")
        call("cuMulticastBindAddr", self._memory.handle, number(offset, "offset"), where, number(size, "size"), 0)

    def unbind(self, device=None, offset=0, size=None):
        """Take away what of a device is bound."""
        size = self._memory.size if size is None else number(size, "size")
        call("cuMulticastUnbind", self._memory.handle, device_number(device), number(offset, "offset"), size)
