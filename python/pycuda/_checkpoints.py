# SPDX-License-Identifier: MIT
"""A process whose memory on the GPU goes to the host, and comes back."""

from __future__ import annotations

import os
import struct

import numpy as np

from pycuda._driver import Device
from pycuda._driver_calls import call, member, number

__all__ = ["CheckpointProcess"]

_ARGUMENTS_BYTES = 64


class CheckpointProcess:
    """A process that uses CUDA, to be stopped and to go on later: its GPU memory is saved in its host memory meanwhile.

    Lock it, checkpoint it, save the process itself (by CRIU, for example), restore it and unlock it. Needs CUDA 12.8
    and NVIDIA's driver: the CPU driver's memory is the host's already, and such a process needs no more than CRIU.

    Parameters
    ----------
    pid : int, optional
        By default this process.

    Examples
    --------
    ::

        process = driver.CheckpointProcess(pid)
        process.lock(timeout_ms=1000)
        process.checkpoint()
        ...
        process.restore()
        process.unlock()
    """

    def __init__(self, pid=None):
        self.pid = os.getpid() if pid is None else number(pid, "pid")

    @property
    def state(self):
        """A `process_state`."""
        return member("process_state", call("cuCheckpointProcessGetState", self.pid, "i"))

    @property
    def restore_thread_id(self):
        """The process's thread that will call the driver when it is restored."""
        return call("cuCheckpointProcessGetRestoreThreadId", self.pid, "i")

    def lock(self, timeout_ms=0):
        """Let the process make no more calls of CUDA; without a timeout this may never return."""
        packed = bytearray(struct.pack(f"I{_ARGUMENTS_BYTES - 4}x", number(timeout_ms, "timeout_ms")))
        call("cuCheckpointProcessLock", self.pid, packed)

    def checkpoint(self):
        """Save what a locked process has on its GPUs, and let go of them."""
        call("cuCheckpointProcessCheckpoint", self.pid, None)

    def restore(self, devices=None):
        """Give it back what it had.

        Parameters
        ----------
        devices : dict of Device to Device, optional
            Where to go on; all devices of the process must be keys.
        """
        if devices is None:
            call("cuCheckpointProcessRestore", self.pid, None)
            return
        pairs = bytearray()
        for before, after in devices.items():
            if not isinstance(before, Device) or not isinstance(after, Device):
                raise TypeError("devices must be a dict from Device to Device")
            pairs += b"".join(bytes.fromhex(one.uuid()[4:].replace("-", "")) for one in (before, after))
        places = np.frombuffer(pairs or b"\0", np.uint8)
        head = struct.pack("PI", places.ctypes.data, len(devices))
        call("cuCheckpointProcessRestore", self.pid, bytearray(head.ljust(_ARGUMENTS_BYTES, b"\0")))

    def unlock(self):
        """Let the process call CUDA again."""
        call("cuCheckpointProcessUnlock", self.pid, None)
