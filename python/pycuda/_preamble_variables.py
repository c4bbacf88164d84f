# SPDX-License-Identifier: MIT
"""Variables in the preamble of a generated kernel, of which each of its modules has one of its own.

A kernel is compiled for contiguous vectors, for views, for its stages: the user fills one variable, so the modules that
run get its value before a launch.
"""

from pycuda import driver as cuda


def copy_variables(names, source, target, stream):
    """Copy the variables of these names from one module to another, in the stream."""
    if source is target:
        return
    for name in names:
        address, size = source.get_global(name)
        cuda.memcpy_dtod_async(target.get_global(name)[0], address, size, stream)


class PreambleVariables:
    """For kernels with several modules: those of the first one count."""

    def _remember_modules(self):
        self._modules, self._variables = [], []

    def get_global(self, name):
        """Address and size in bytes of a variable that the preamble declares, as (int, int).

        The variable is the current context's. What it holds when the kernel is called counts for all of its stages.

        Raises
        ------
        pycuda.driver.LogicError
            When the preamble has no such variable.
        """
        here = self._of_current_context()
        found = here._modules[0].get_global(name)
        if name not in here._variables:
            here._variables.append(name)
        return found

    def _spread_variables(self, stream):
        for module in self._modules[1:] if self._variables else ():
            copy_variables(self._variables, self._modules[0], module, stream)
