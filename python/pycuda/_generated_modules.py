# SPDX-License-Identifier: MIT
"""Modules whose sources this package generates."""

from pycuda._source_places import place_of_generated, placed
from pycuda.compiler import SourceModule


def generated_module(source, place=None, *, options=None, keep=False):
    """A `SourceModule` of a complete C++ source. Faults and compile errors name `place`, by default this package."""
    with placed(place or place_of_generated("a kernel of this package", is_users=False)):
        return SourceModule(source, options=options, keep=keep, no_extern_c=True, check_arguments=False)
