# SPDX-License-Identifier: MIT
"""A generator's kernels, found and prepared when they are first asked for."""

from collections.abc import Mapping

import pycuda.driver as drv
from pycuda._splay import runs_threads_serially


class PreparedFunctions(Mapping):
    """The kernels of `module` by name; `formats` has the types of their arguments.

    A generator has some 16 of them and programs use one or two. On the CPU driver each takes a third of a second to
    compile, which happens when it is looked up.
    """

    def __init__(self, module, formats):
        self._module = module
        self._formats = formats
        self._functions = {}

    def __getitem__(self, name):
        function = self._functions.get(name)
        if function is None:
            function = self._module.get_function(name).prepare(self._formats[name])
            self._functions[name] = function
        return function

    def __contains__(self, name):
        return name in self._formats

    def __iter__(self):
        return iter(self._formats)

    def __len__(self):
        return len(self._formats)


def most_threads(device, *mappings):
    """How many threads a block of each kernel of `mappings` can have."""
    attribute = drv.device_attribute
    most = min(device.get_attribute(attribute.MAX_THREADS_PER_BLOCK), device.get_attribute(attribute.MAX_BLOCK_DIM_X))
    if runs_threads_serially(device):  # it has no registers that threads share out among themselves
        return most
    return min([most, *(function.max_threads_per_block for kernels in mappings for function in kernels.values())])
