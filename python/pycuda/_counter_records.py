# SPDX-License-Identifier: MIT
"""What the CPU driver has counted, as values: kernels, their source lines and accesses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pycuda._cxx_names import readable_name

_Coordinates = tuple[int, int, int]

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


@dataclass(frozen=True, repr=False)
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
            raise KeyError(f"kernel {readable_name(self.kernel)} has executed nothing of line {number}")
        return found[0]

    def __repr__(self):
        launches = f"{self.launches} launch{'' if self.launches == 1 else 'es'}"
        return (
            f"<KernelCounters of {readable_name(self.kernel)}: {launches}, grid {self.grid}, block {self.block}, "
            f"{self.registers} registers, {self.shared} bytes of shared memory>"
        )


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
