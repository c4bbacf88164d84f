# SPDX-License-Identifier: MIT
"""`pycuda.counters`: what the warps of kernels do on the CPU driver, by kernel and by source line."""

from __future__ import annotations

import contextlib
import csv
import json
import threading

from pycuda._counter_records import kernels_of, records_of
from pycuda._cxx_names import readable_name

_open = []  # the `with` statements that have not ended
_setting = threading.RLock()  # while the driver begins or ends to count


def _with_ideal(actual, ideal):
    return f"{actual} ({ideal})" if actual else ""


def _cells(counted):
    active = counted.active_threads
    return [
        _with_ideal(counted.global_sectors, counted.global_sectors_ideal),
        _with_ideal(counted.shared_wavefronts, counted.shared_wavefronts_ideal),
        f"{counted.divergent_branches} of {counted.branches}" if counted.branches else "",
        f"{active:.1f}" if counted.instructions else "",
    ]


_TITLES = ("sectors (ideal)", "wavefronts (ideal)", "divergent branches", "active threads")


class Counters:
    """What kernels did within `with pycuda.counters() as c:`. Printed, it is a table; Jupyter shows it as one.

    Attributes
    ----------
    kernels : list of KernelCounters
        By name; complete after the `with` statement. `c["name"]`, or `c["name<int>"]`, is the one of a kernel.
    """

    def __init__(self):
        self.kernels = []
        self._records, self._faults = [], []
        self._state = "new"

    def __enter__(self):
        from pycuda import _driver  # start-up time: the package imports this module for its names

        if self._state != "new":
            raise RuntimeError("a Counters object counts once: make a new one with pycuda.counters()")
        _wait()
        with _setting:
            _driver._set_counters(True)
            _take()
            _open.append(self)
        self._state = "counting"
        return self

    def __exit__(self, kind, error, traceback):
        from pycuda import _driver  # start-up time: as above
        from pycuda import driver as cuda  # start-up time: as above

        try:
            # The statement's own error goes on.
            with contextlib.nullcontext() if kind is None else contextlib.suppress(cuda.Error):
                _wait()
        finally:
            with _setting:
                _take()
                _open.remove(self)
                if not _open:
                    _driver._set_counters(False)
            self._state = "done"
            self.kernels = kernels_of(self._records)

    def __getitem__(self, name):
        for kernel in self.kernels:
            if kernel.kernel == name:
                return kernel
        # Instances of templates and overloads, by their names in C++: shortened if only one has that name then.
        readable = [readable_name(kernel.kernel) for kernel in self.kernels]
        for names in (readable, *([one.partition(mark)[0] for one in readable] for mark in "(<")):
            if names.count(name) == 1:
                return self.kernels[names.index(name)]
        names = ", ".join(readable) or "none"
        raise KeyError(f"no kernel {name!r} was launched; these were: {names}")

    def __iter__(self):
        return iter(self.kernels)

    def __len__(self):
        return len(self.kernels)

    def _tables(self):
        """Two tables, each a list of rows of cells with the titles first: kernels, and lines that touch memory."""
        yield [["kernel", "launches", *_TITLES]] + [
            [readable_name(one.kernel), str(one.launches), *_cells(one)] for one in self.kernels
        ]
        lines = [["line", "source", *_TITLES]]
        for kernel in self.kernels:
            for line in kernel.lines:
                if line.accesses or line.divergent_branches:
                    lines.append([line.place or "?", line.source, *_cells(line)])
        yield lines

    def __str__(self):
        if self._state != "done":
            return "counters of nothing yet: use them in a with statement"
        if not self.kernels:
            return "no kernel was launched within the with statement"
        return "\n\n".join(_text_of(table, left) for table, left in zip(self._tables(), (1, 2)) if len(table) > 1)

    def __repr__(self):
        launches = sum(one.launches for one in self.kernels)
        kernels = f"{len(self.kernels)} kernel{'' if len(self.kernels) == 1 else 's'}"
        return f"<pycuda.Counters of {kernels}, {launches} launch{'' if launches == 1 else 'es'}>"

    def _repr_html_(self):
        from html import escape  # start-up time: for notebooks

        def row(tag, cells, left):
            return "".join(
                f'<{tag} style="text-align: {"left" if i < left else "right"}">{escape(cell)}</{tag}>'
                for i, cell in enumerate(cells)
            )

        parts = []
        for (head, *body), left in zip(self._tables(), (1, 2)):
            rows = "".join(f"<tr>{row('td', cells, left)}</tr>" for cells in body)
            parts.append(f"<table><thead><tr>{row('th', head, left)}</tr></thead><tbody>{rows}</tbody></table>")
        return "".join(parts)

    def save(self, path):
        """Write a table by kernel, with a column for each metric that is not 0 everywhere.

        Parameters
        ----------
        path : str or path
            The CSV file; one that exists is replaced.
        """
        names = list(dict.fromkeys(name for kernel in self.kernels for name in kernel.metrics))
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["kernel", "launches", *names])
            for kernel in self.kernels:
                writer.writerow([kernel.kernel, kernel.launches, *(kernel.metrics.get(name, 0) for name in names)])


def _text_of(table, left):
    widths = [max(map(len, column)) for column in zip(*table)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()
        for row in table
    )


def _wait():
    import pycuda.driver as cuda  # start-up time: as above

    if cuda.Context.get_current() is not None:
        cuda.Context.synchronize()


def _take():
    """What was counted goes to all `with` statements that have not ended."""
    from pycuda import _driver  # start-up time: as above

    taken = json.loads(_driver._take_counters())
    records = records_of(taken)
    for one in _open:
        one._records += records
        one._faults += taken["faults"]


def counters():
    """Count what the warps of kernels do within a `with` statement, on the CPU driver.

    Kernels that are launched meanwhile are compiled once more, with code that counts. Sectors, wavefronts, branches and
    instructions are counted as a GPU's warps of 32 threads would execute the kernel's PTX.

    Returns
    -------
    Counters
        A context manager; afterwards a table by kernel and by source line, with `kernels` and `save(path)`.

    Raises
    ------
    LogicError
        When the driver is not the CPU driver.

    Examples
    --------
    >>> import numpy as np, pycuda, pycuda.autoinit
    >>> from pycuda import gpuarray
    >>> from pycuda.compiler import SourceModule
    >>> copy = SourceModule('''
    ... __global__ void copy(float *to, const float *from)
    ... {
    ...   to[threadIdx.x] = from[2 * threadIdx.x];
    ... }
    ... ''').get_function("copy")
    >>> a = gpuarray.zeros(128, np.float32)
    >>> with pycuda.counters() as c:
    ...     copy(a, a, block=(64, 1, 1))
    >>> c["copy"].global_sectors, c["copy"].global_sectors_ideal
    (24, 16)
    """
    return Counters()
