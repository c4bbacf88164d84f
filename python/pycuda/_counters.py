# SPDX-License-Identifier: MIT
"""`pycuda.counters`: what the warps of kernels do on the CPU driver, by kernel and by source line."""

from __future__ import annotations

import contextlib
import csv
import json
import threading
from collections import Counter
from dataclasses import dataclass, field

from pycuda._cxx_names import readable_name

_Coordinates = tuple[int, int, int]
_open = []  # the `with` statements that have not ended
_setting = threading.RLock()  # while the driver begins or ends to count

#: Sums that tables and attributes need, by the names that metrics have in Nsight Compute and in the CSV file.
_GLOBAL, _GLOBAL_IDEAL = "memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"
_SHARED, _SHARED_IDEAL = "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"


@dataclass(frozen=True)
class AccessSample:
    """The lanes of one warp at an access: of all that executed it, the one that needed the most beyond its ideal.

    Attributes
    ----------
    block : tuple of int
        `blockIdx`.
    warp : int
        The warp's number in its block.
    lanes : tuple of int
        The lanes that made the access.
    addresses : tuple of int
        Where, in the order of `lanes`; in local memory an offset in the thread's own.
    """

    block: _Coordinates
    warp: int
    lanes: tuple[int, ...]
    addresses: tuple[int, ...]


@dataclass(frozen=True)
class Access:
    """One memory instruction of the PTX.

    Attributes
    ----------
    instruction : str
        Such as "ld.global.u32".
    space : str
        "global", "shared" or "local".
    op : str
        "load", "store", "atomic" or "reduction".
    bytes : int
        Of each lane.
    requests : int
        How often a warp executed it.
    parts : int
        The sectors of 32 bytes that these touched; in shared memory the wavefronts that they took.
    ideal : int
        As many as the lanes' bytes would need at least if they lay side by side.
    threads : int
        How often a thread executed it.
    sample : AccessSample or None
    """

    instruction: str
    space: str
    op: str
    bytes: int
    requests: int
    parts: int
    ideal: int
    threads: int
    sample: AccessSample | None = field(default=None, compare=False)

    @property
    def excess(self):
        """The sectors or wavefronts beyond the ideal; 0 where lanes share some."""
        return max(self.parts - self.ideal, 0)


class _Metrics:
    """Attributes for the sums that people ask for most; `metrics` has all by name."""

    metrics: dict[str, int]

    def _sum(self, *names):
        return sum(self.metrics.get(name, 0) for name in names)

    @property
    def global_sectors(self):
        """Sectors of 32 bytes that loads and stores of global memory touched."""
        return self._sum(_GLOBAL)

    @property
    def global_sectors_ideal(self):
        """As many as these bytes need at least."""
        return self._sum(_GLOBAL_IDEAL)

    @property
    def shared_wavefronts(self):
        """Passes over the banks that accesses of shared memory took; conflicts make more."""
        return self._sum(_SHARED)

    @property
    def shared_wavefronts_ideal(self):
        """As many as these bytes need at least."""
        return self._sum(_SHARED_IDEAL)

    @property
    def branches(self):
        """Conditional branches that warps executed."""
        return self._sum("ptx_branches")

    @property
    def divergent_branches(self):
        """Of these, those at which the active lanes went different ways."""
        return self._sum("ptx_branches_divergent")

    @property
    def instructions(self):
        """PTX instructions that warps executed."""
        return self._sum("ptx_inst_executed")

    @property
    def active_threads(self):
        """Threads that were active in a warp's instruction, on average (at most 32); NaN of no instruction."""
        warps = self.instructions
        return self._sum("ptx_thread_inst_executed") / warps if warps else float("nan")

    def __getitem__(self, name):
        return self.metrics[name]


@dataclass(frozen=True)
class LineCounters(_Metrics):
    """What one source line did.

    Attributes
    ----------
    file : str
        "" if the line is not known.
    line : int
    place : str
        Both, as messages have them: "program.py:12".
    source : str
        The line's text.
    metrics : dict
        Sums by name; those that are 0 are missing.
    accesses : tuple of Access
    """

    file: str
    line: int
    place: str
    source: str
    metrics: dict[str, int] = field(repr=False)
    accesses: tuple[Access, ...] = field(repr=False)


@dataclass(frozen=True)
class KernelCounters(_Metrics):
    """What a kernel's warps did in all its launches.

    Attributes
    ----------
    kernel : str
        The kernel's name.
    launches : int
    grid, block : tuple of int
        Of the latest launch.
    registers : int
        Per thread: the CPU driver's estimate.
    shared : int
        Bytes of shared memory per block, static and dynamic.
    metrics : dict
        Sums by name.
    lines : tuple of LineCounters
        In the order of file and line.
    """

    kernel: str
    launches: int
    grid: _Coordinates
    block: _Coordinates
    registers: int
    shared: int
    metrics: dict[str, int] = field(repr=False)
    lines: tuple[LineCounters, ...] = field(repr=False)
    # Of sources that were passed as text: by the name of the file that the lines have, a dict of lines.
    _sources: dict[str, dict[int, str]] = field(default_factory=dict, repr=False, compare=False)

    def line(self, number, file=None):
        """The `LineCounters` of a line.

        Parameters
        ----------
        number : int
        file : str, optional
            Needed where several files have such a line.

        Raises
        ------
        KeyError
            If the line executed nothing.
        """
        found = [one for one in self.lines if one.line == number and file in (None, one.file)]
        if not found:
            raise KeyError(f"kernel {self.kernel} has executed nothing of line {number}")
        return found[0]


def _access_of(record):
    sample = record.pop("sample", None)
    record.pop("at", None)
    if sample is not None:
        lanes = tuple(lane for lane in range(32) if sample["lanes"] >> lane & 1)
        addresses = tuple(sample["addresses"][lane] for lane in lanes)
        sample = AccessSample(tuple(sample["block"]), sample["warp"], lanes, addresses)
    return Access(**record, sample=sample)


_SUMS = ("requests", "parts", "ideal", "threads")


def _merged(records):
    """Records of accesses, those of one place in several codes of a kernel as one."""
    places = {}
    for record in records:
        key = record["at"], record["space"]
        if key in places:
            known = places[key]
            known.update({name: known[name] + record[name] for name in _SUMS})
        else:
            places[key] = dict(record)
    return list(places.values())


def records_of(taken):
    """The driver's records of kernels, with the sources that they refer to.

    Parameters
    ----------
    taken : dict
        What the driver counted, from JSON.

    Returns
    -------
    list of dict
    """
    sources = [dict(enumerate(one["text"].split("\n"), one["first_line"])) for one in taken["sources"]]
    files = [one["file"] for one in taken["sources"]]
    return [
        {**record, "sources": [(files[number], sources[number]) for number in record["sources"]]}
        for record in taken["kernels"]
    ]


def _lines_by_file(records):
    """By file, the lines of all sources of records. Kernels of one source share them."""
    files = {}
    for file, lines in (source for record in records for source in record["sources"]):
        known = files.setdefault(file, lines)
        if known != lines:
            files[file] = {**known, **lines}
    return files


def kernels_of(records):
    """The records of the driver as objects: one for each kernel name.

    Parameters
    ----------
    records : list of dict
        Of `records_of`.

    Returns
    -------
    list of KernelCounters
        By name.
    """
    by_name = {}
    for record in records:
        by_name.setdefault(record["kernel"], []).append(record)
    kernels = []
    for name, same in sorted(by_name.items()):
        lines = {}
        for record in same:
            for line in record["lines"]:
                known = lines.setdefault((line["file"], line["line"]), {**line, "metrics": Counter(), "accesses": []})
                known["metrics"].update(line["metrics"])
                known["accesses"] += line["accesses"]
        metrics = Counter()
        for record in same:
            metrics.update(record["metrics"])
        latest = same[-1]
        kernels.append(
            KernelCounters(
                kernel=name,
                launches=sum(record["launches"] for record in same),
                grid=tuple(latest["grid"]),
                block=tuple(latest["block"]),
                registers=latest["registers"],
                shared=latest["static_shared"] + latest["dynamic_shared"],
                metrics=dict(metrics),
                lines=tuple(
                    LineCounters(
                        file=line["file"],
                        line=line["line"],
                        place=line["place"],
                        source=line["source"],
                        metrics=dict(line["metrics"]),
                        accesses=tuple(_access_of(one) for one in _merged(line["accesses"])),
                    )
                    for _, line in sorted(lines.items())
                ),
                _sources=_lines_by_file(same),
            )
        )
    return kernels


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
