# SPDX-License-Identifier: MIT
"""Device memory of this process alone: what `mem_get_info` reports of a GPU changes with other processes."""

import pathlib

import pycuda.driver as cuda
from programs import is_cpu
from pycuda import _driver, gpuarray

_driver._live_device_bytes()  # counts from the first call on

IMPORT = f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r}); from own_memory import own_bytes\n"


def own_bytes():
    """Bytes that this process has allocated in the current context's device and not freed.

    On the CPU driver whatever is allocated; on a GPU memory of `mem_alloc`, arrays, pools and graphs.
    """
    gpuarray._array.free_held_memory()
    if is_cpu():
        free, total = cuda.mem_get_info()
        return total - free
    return _driver._live_device_bytes()
