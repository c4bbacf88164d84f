# SPDX-License-Identifier: MIT
"""What the current device and its compiler are like."""

from __future__ import annotations

import numpy as np

from pycuda import driver
from pycuda._generated_modules import generated_module
from pycuda._source_places import place_of_generated
from pycuda.tools import context_dependent_memoize, platform_bits

__all__ = ["has_double_support", "has_stack", "platform_bits", "sizeof"]


def _current_capability():
    return driver.Context.get_device().compute_capability()


def has_stack() -> bool:
    """Whether device functions have a stack."""
    return _current_capability() >= (2, 0)


def has_double_support() -> bool:
    """Whether the device computes in double precision."""
    return _current_capability() >= (1, 3)


@context_dependent_memoize
def sizeof(type_name: str, preamble: str = "") -> int:
    """The size in bytes of a C type on the device; `preamble` may declare it."""
    module = generated_module(
        f"""
        {preamble}
        extern "C"
        __global__ void size_of_type(unsigned long long *size)
        {{
          *size = sizeof({type_name});
        }}
        """,
        place_of_generated(f"sizeof({type_name!r})", preamble=preamble),
    )
    size = np.zeros(1, np.uint64)
    module.get_function("size_of_type")(driver.Out(size), block=(1, 1, 1), grid=(1, 1))
    return int(size[0])
