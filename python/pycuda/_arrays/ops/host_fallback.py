# SPDX-License-Identifier: MIT
"""NumPy's functions on arrays of the device.

Notes
-----
On the CPU driver device memory is the host's, and NumPy reads the arrays where they are. From a GPU
they are copied to the host; results are copied to the device in either case.
"""

import numpy as np

from pycuda import _driver
from pycuda._arrays.ops.creation import to_gpu


def host_array(ary):
    """The elements for NumPy to read: the same memory on the CPU driver, when all work before is done; else a copy."""
    if _driver._device_traits().is_cpu and ary.size:
        return np.from_dlpack(ary)
    return ary.get()


def on_device(result, dtype=None):
    """What NumPy made, on the device: an array, with this dtype if any is given."""
    return to_gpu(np.asarray(result, dtype))
