# SPDX-License-Identifier: MIT
"""The launch shape for a number of elements."""

import pycuda.driver as driver

_MOST_BLOCKS = 4096


def runs_threads_serially(device):
    """Whether `device` is a processor, which runs a block's threads one after the other. As in src/array."""
    attribute = driver.device_attribute
    return (
        device.get_attribute(attribute.INTEGRATED) != 0
        and device.get_attribute(attribute.SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO) <= 2
    )


def splay(n, dev=None):
    """Grid and block for a kernel that goes through `n` elements.

    At most 128 threads a block and 4 * 8 blocks a multiprocessor, as PyCUDA has it. On a device that runs a block's
    threads one after the other (the CPU driver) up to 4096 blocks: each block's accesses are closer together then,
    which takes a third to a half off the time for 2**20 floats and more.
    """
    return splay_on(n, driver.Context.get_device() if dev is None else dev)


def splay_on(n, dev):
    """`splay`, whose device is known."""
    multiprocessors = dev.get_attribute(driver.device_attribute.MULTIPROCESSOR_COUNT)
    most_blocks = 4 * 8 * multiprocessors
    if runs_threads_serially(dev):
        most_blocks = max(most_blocks, _MOST_BLOCKS)
    least_threads, most_threads = 32, 128
    if n < least_threads:
        blocks, threads = 1, least_threads
    elif n < most_blocks * least_threads:
        blocks, threads = (n + least_threads - 1) // least_threads, least_threads
    elif n < most_blocks * most_threads:
        groups = (n + least_threads - 1) // least_threads
        blocks = most_blocks
        threads = (groups + most_blocks - 1) // most_blocks * least_threads
    else:
        blocks, threads = most_blocks, most_threads
    return (blocks, 1), (threads, 1, 1)
