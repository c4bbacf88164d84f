# SPDX-License-Identifier: MIT
"""Functions that are called when the driver wants a process to use less device memory."""

from __future__ import annotations

import ctypes

from pycuda import _driver
from pycuda._driver_calls import call, device_number

__all__ = ["MemoryBudgetCallback"]

_OVER_BUDGET = 1


class _Information(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("bytes_over_budget", ctypes.c_ulonglong))


_Callback = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Information), ctypes.c_void_p, ctypes.c_void_p)


class MemoryBudgetCallback:
    """Calls a function whenever the process uses more device memory than the system lets it have.

    The function runs on a thread of the driver's and must not use the driver: it notes what to free. The system asks
    where graphics and other processes share the GPU, and never for the CPU driver. Needs CUDA 12.4.

    Parameters
    ----------
    function : callable
        Called with the number of bytes that are too many.
    device : Device, optional
        By default that of the current context.

    Examples
    --------
    >>> def shrink(bytes_over_budget):
    ...     print('free', bytes_over_budget)
    >>> with driver.MemoryBudgetCallback(shrink):
    ...     memory = driver.mem_alloc(100)
    """

    def __init__(self, function, device=None):
        if not callable(function):
            raise TypeError(f"the function must be callable, not {type(function).__name__}")
        self._device = device_number(device)

        def forward(information, _data, _handle):
            if information.contents.kind == _OVER_BUDGET:
                function(information.contents.bytes_over_budget)

        self._callback = _Callback(forward)
        address = ctypes.cast(self._callback, ctypes.c_void_p).value
        self._handle = call("cuDeviceRegisterAsyncNotification", self._device, address, None, "P")

    def unregister(self):
        """End the calls now; a second call does nothing."""
        handle, self._handle = self.__dict__.get("_handle"), None
        if handle:
            call("cuDeviceUnregisterAsyncNotification", self._device, handle)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.unregister()

    def __del__(self):
        if call is None:  # the interpreter ends
            return
        try:
            self.unregister()
        except _driver.Error:
            _kept.append(self.__dict__.get("_callback"))  # the driver may still call it


_kept = []
