# SPDX-License-Identifier: MIT
"""What this namespace can do, for those who ask before they use it."""

import pycuda.driver as driver
from pycuda.array_api import dtypes as known
from pycuda.array_api.devices import current_device

_NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128".split()


class _Information:
    def capabilities(self):
        """Which optional parts of the standard there are."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self):
        """The current context's device."""
        return current_device()

    def default_dtypes(self, *, device=None):
        """The dtypes that are used where none is given."""
        return {
            "real floating": known.float64,
            "complex floating": known.complex128,
            "integral": known.int64,
            "indexing": known.int64,
        }

    def dtypes(self, *, device=None, kind=None):
        """The dtypes of the standard, or those of a kind."""
        found = {name: getattr(known, name) for name in _NAMES}
        return found if kind is None else {name: one for name, one in found.items() if known.isdtype(one, kind)}

    def devices(self):
        """All devices of the driver."""
        return [driver.Device(number) for number in range(driver.Device.count())]


def __array_namespace_info__():
    """The answers: an object with `capabilities`, `default_device`, `default_dtypes`, `dtypes`, `devices`."""
    return _Information()
