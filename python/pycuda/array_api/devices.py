# SPDX-License-Identifier: MIT
"""Devices as the standard sees them: arrays are made on the current context's."""

import pycuda.driver as driver


def current_device():
    """The device of new arrays."""
    return driver.Context.get_device()


def check_device(device):
    """ValueError for any device but the current one."""
    if device is None:
        return
    current = current_device()
    if device != current:
        raise ValueError(
            f"arrays are made on the device of the current context, {current.name()}, not on {device!r}: "
            "push a context of that device"
        )
