# SPDX-License-Identifier: MIT
"""The kernels of a notebook's cells: which cell made them, what becomes of their names, and how they are made again."""

from __future__ import annotations

import shlex
import sys
import warnings
from typing import NamedTuple

from pycuda import driver
from pycuda._compiling import COMPILER_OUTPUT
from pycuda._source_places import Place, placed
from pycuda._source_text import kernel_names
from pycuda.compiler import SourceModule

# Beginnings of the names of instances of templates and of what is static.
_NOT_OF_C = ("_Z", "__nv_", "_INTERNAL")


class Cell(NamedTuple):
    """A `%%cuda` cell: its number in the notebook, such as "In[5]" or "", the options and the source.

    `place` is what the notebook calls the cell itself, also after changes; None where it does not tell.
    """

    number: str
    line: str
    source: str
    place: str | None = None


class NotCompiled:
    """Takes the place of a kernel whose cell was changed and does not compile, so that the old one is not used."""

    def __init__(self, name, number):
        self._text = f"{name} did not compile in {number or 'its cell'}: correct that cell and run it again"

    def __repr__(self):
        return f"<{self._text}>"

    def __call__(self, *args, **kwargs):
        raise RuntimeError(self._text)

    def __getattr__(self, name):
        if name.startswith("_"):  # what notebooks ask of every object
            raise AttributeError(name)
        raise RuntimeError(self._text)


def _has(module, name):
    try:
        module.get_function(name)
    except driver.LogicError as error:
        if error.name != "CUDA_ERROR_NOT_FOUND":
            raise
        return False
    return True


def kernels_of(module, source):
    """The kernels of a module made from `source`, in its order; those of templates and static ones have no names."""
    written = kernel_names(source)
    try:
        names = [name for name in module.module._kernel_names() if not name.startswith(_NOT_OF_C)]
    except driver.Error:  # a driver before CUDA 12.4
        names = [name for name in written if _has(module, name)]
    names.sort(key=lambda name: written.index(name) if name in written else len(written))
    return {name: module.get_function(name) for name in names}


def compile_again(cell):
    """As compile_for_context, without the compiler's warnings, which the cell has shown."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", COMPILER_OUTPUT)
        return compile_for_context(cell)


def compile_for_context(cell):
    """The kernels of a cell by name, compiled for the current context."""
    with placed(Place(cell=True)):
        module = SourceModule(cell.source, options=shlex.split(cell.line))
    functions = kernels_of(module, cell.source)
    for function in functions.values():
        function._cell = cell
    return functions


def cell_of(kernel):
    """The cell that a kernel comes from, or None."""
    return getattr(kernel, "_cell", None) if isinstance(kernel, driver.Function) else None


def forget(source, number, namespace):
    """Let names that were kernels of cells, and that `source` defines, be kernels no more: it does not compile."""
    for name in kernel_names(source):
        if isinstance(namespace.get(name), (driver.Function, NotCompiled)):
            namespace[name] = NotCompiled(name, number)


def left_by(cell, namespace):
    """The kernels that earlier versions of `cell` defined and that are still names; the cell has another number now.

    As with a function of Python whose cell is changed, the name stays.
    """
    for name, value in namespace.items():
        earlier = cell_of(value)
        if earlier and cell.place and earlier.place == cell.place and earlier.number != cell.number:
            yield name, earlier


def renew(namespace):
    """Compile the kernels among the names again, for a new context.

    Returns
    -------
    list of str
        The names of arrays and memory, which are lost.
    """
    made = {}
    for name, value in list(namespace.items()):
        cell = cell_of(value)
        if cell is not None:
            if cell not in made:
                made[cell] = compile_again(cell)
            namespace[name] = made[cell][value.name]
    arrays = sys.modules.get("pycuda.gpuarray")
    memory = (driver.DeviceAllocation, *([arrays.GPUArray] if arrays else []))
    return [name for name, value in namespace.items() if isinstance(value, memory) and not name.startswith("_")]
