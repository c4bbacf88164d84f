# SPDX-License-Identifier: MIT
"""`pycuda.profile` and `pycuda.range`: what the device worked on, for how long, and what the host did meanwhile."""

import collections
import contextlib
import dataclasses
import json
import math
import threading
import time

from pycuda import _cupti, _driver, driver
from pycuda._checks import failed_launch
from pycuda._counters import Counters
from pycuda._cxx_names import readable_name

_active = None  # the profile that is being recorded
_KINDS = {"kernel": "kernel", "graph": "graph launch", "copy": "copy", "set": "memset"}


@dataclasses.dataclass(frozen=True)
class Work:
    """One kernel, copy, memset or graph launch on the device, or one wait on the host.

    Attributes
    ----------
    kind : str
        "kernel", "graph", "copy", "set" or "wait".
    name : str
        The kernel as in C++, the direction of a copy, the function that waits.
    start, duration : float
        In seconds; `start` is on the clock of `time.perf_counter`. NaN where nothing is known, for instance because the
        context has been lost since.
    called, returned : float
        When the call began and ended on the host, in seconds on the same clock.
    nbytes : int
        The bytes that a copy or memset writes; 0 of kernels.
    device, context, stream : int
        The number of the device; contexts and streams are counted as they appear, stream 0 is the default one.
    grid, block : tuple of int, or None
    shared : int
        Bytes of shared memory per block, static and dynamic.
    registers : int
        Per thread; on the CPU driver an estimate.
    blocks_per_multiprocessor : int
        How many blocks a multiprocessor can hold; 0 if the driver does not tell.
    """

    kind: str
    name: str
    start: float
    duration: float
    called: float
    returned: float
    nbytes: int
    device: int
    context: int
    stream: int
    grid: object
    block: object
    shared: int
    registers: int
    blocks_per_multiprocessor: int


@dataclasses.dataclass(frozen=True)
class Summary:
    """All work of one kind and name: times in seconds, `share` of the time of all work on the device.

    `nbytes` are what copies and memsets write, and what kernels move in sectors of global memory if the profile has
    counters of them; `flops` are these kernels' floating-point operations, 0 without counters.
    """

    kind: str
    name: str
    calls: int
    total: float
    mean: float
    least: float
    most: float
    share: float
    nbytes: int
    registers: int
    shared: int
    occupancy: object
    flops: int = 0

    @property
    def bandwidth(self):
        """Bytes per second; None of work whose bytes are not known."""
        return self.nbytes / self.total if self.nbytes and self.total > 0 else None

    @property
    def flop_rate(self):
        """Floating-point operations per second; None where they are not known, or there are none."""
        return self.flops / self.total if self.flops and self.total > 0 else None


_SECTOR = 32
_GLOBAL_SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_"
_FLOPS = {  # by what a thread's instruction does
    f"smsp__sass_thread_inst_executed_op_{kind}{operation}_pred_on.sum": count
    for kind in "hfd"
    for operation, count in (("add", 1), ("mul", 1), ("fma", 2))
}


def _work_of_kernels(counters):
    """By the name of each kernel: the bytes that a launch moves on average, and its operations."""
    known = {}
    for kernel in counters:
        sums = kernel.metrics
        moved = _SECTOR * sum(value for name, value in sums.items() if name.startswith(_GLOBAL_SECTORS))
        flops = sum(count * sums.get(name, 0) for name, count in _FLOPS.items())
        known[readable_name(kernel.kernel)] = moved / kernel.launches, flops / kernel.launches
    return known


def _occupancy(work):
    """The share of a multiprocessor's threads that can be resident, or None."""
    if not work.blocks_per_multiprocessor or work.block is None:
        return None
    threads = driver.Device(work.device).get_attribute(driver.device_attribute.MAX_THREADS_PER_MULTIPROCESSOR)
    warps = -(-math.prod(work.block) // 32)
    return min(1.0, work.blocks_per_multiprocessor * warps * 32 / threads)


def _milliseconds(seconds):
    return f"{seconds * 1e3:.4g}"


class Profile:
    """Work recorded within `with pycuda.profile() as p:`. Printed, it is a table; Jupyter shows it as one.

    Attributes
    ----------
    work : list of Work
        In the order of the calls; complete after the `with` statement.
    ranges : list of tuple
        (name, start, end, thread): what `pycuda.range` marked, in seconds on the clock of `time.perf_counter`.
    compilations : list of tuple
        The same for sources of the program that were compiled, or whose code was loaded. One that began before the
        `with` statement, in another thread, counts from the statement's beginning.
    elapsed : float
        The seconds between the beginning and the end of the `with` statement, on the host.
    timing : str
        Where the device's times come from: "CUPTI", or "events", on a GPU with the reason: "events because ...".
    dropped : int
        How many records CUPTI had no room for.
    """

    def __init__(self, counters=()):
        self.work, self.ranges, self.compilations, self.elapsed = [], [], [], 0.0
        # Counters that still count are complete later. Anything else is read once: it may be an iterator.
        self._counters = counters if isinstance(counters, Counters) else tuple(counters)
        self.timing, self.dropped = "events", 0
        self._began = None

    def __enter__(self):
        global _active
        if self._began is not None:
            raise RuntimeError("a profile records once: make a new one with pycuda.profile()")
        libraries, why_none = _cupti.libraries()
        try:
            why = _driver._start_profile(libraries) or why_none
        except RuntimeError as error:
            raise RuntimeError("a profile is being recorded already: it records nested work too") from error
        self.timing = _cupti.timing(why)
        self._began = time.perf_counter()
        _active = self
        return self

    def __exit__(self, kind, error, traceback):
        global _active
        records, self.dropped = _driver._stop_profile()
        self.elapsed = time.perf_counter() - self._began
        _active = None
        self.work = [Work(*record) for record in records]
        if kind is None and (failed := failed_launch()) is not None:
            raise failed

    @property
    def waiting(self):
        """The seconds that the host spent in calls that wait for the device, and in copies (`get`, `memcpy_dtoh`)."""
        waits = sum(one.duration for one in self.work if one.kind == "wait")
        return waits + sum(one.returned - one.called for one in self.work if one.kind == "copy")

    def summary(self):
        """The work on the device by kind and name, what took longest first: a list of `Summary`."""
        groups = collections.defaultdict(list)
        for one in self.work:
            if one.kind != "wait" and not math.isnan(one.duration):
                groups[one.kind, one.name].append(one)
        everything = sum(one.duration for group in groups.values() for one in group)
        rows = []
        counted = _work_of_kernels(self._counters)
        for (kind, name), group in groups.items():
            times = [one.duration for one in group]
            moved, flops = counted.get(name, (0, 0)) if kind == "kernel" else (0, 0)
            occupancies = [occupancy for one in group if (occupancy := _occupancy(one)) is not None]
            rows.append(
                Summary(
                    kind=kind,
                    name=name,
                    calls=len(group),
                    total=sum(times),
                    mean=sum(times) / len(group),
                    least=min(times),
                    most=max(times),
                    share=sum(times) / everything if everything else 0.0,
                    nbytes=round(len(group) * moved) or sum(one.nbytes for one in group),
                    registers=max(one.registers for one in group),
                    shared=max(one.shared for one in group),
                    occupancy=min(occupancies) if occupancies else None,
                    flops=round(len(group) * flops),
                )
            )
        return sorted(rows, key=lambda row: -row.total)

    def _table(self):
        head = [
            "",
            "calls",
            "total ms",
            "mean ms",
            "min ms",
            "max ms",
            "share",
            "MB",
            "GB/s",
            *(["GFLOP/s"] if self._counters else []),
            "registers",
            "shared",
            "occupancy",
        ]
        yield head
        for row in self.summary():
            kernel = row.kind == "kernel"
            times = (row.total, row.mean, row.least, row.most)
            name = row.name if kernel else f"[{_KINDS[row.kind]}{' ' + row.name if row.kind == 'copy' else ''}]"
            yield [
                name,
                str(row.calls),
                *map(_milliseconds, times),
                f"{row.share:.1%}",
                f"{row.nbytes / 1e6:.4g}" if row.nbytes else "",
                "" if row.bandwidth is None else f"{row.bandwidth / 1e9:.4g}",
                *([f"{row.flop_rate / 1e9:.4g}" if row.flop_rate else ""] if self._counters else []),
                str(row.registers) if kernel else "",
                str(row.shared) if kernel else "",
                "" if row.occupancy is None else f"{row.occupancy:.0%}",
            ]

    def _notes(self):
        device = sum(one.duration for one in self.work if one.kind != "wait" and not math.isnan(one.duration))
        yield (
            f"{_milliseconds(self.elapsed)} ms on the host, {_milliseconds(self.waiting)} of them waiting or copying; "
            f"{_milliseconds(device)} ms of work on the device"
        )
        if self.timing != "events":
            yield f"kernel times from {self.timing}"
        unknown = sum(math.isnan(one.duration) for one in self.work)
        if unknown:
            it, its, s = ("it", "its", "") if unknown == 1 else ("them", "their", "s")
            why = f"CUPTI gave no record of {it}" if self.timing == "CUPTI" else f"{its} context was lost or detached"
            yield f"{unknown} piece{s} of work without times: {why}"
        if self.dropped:
            yield f"CUPTI dropped {self.dropped} record{'' if self.dropped == 1 else 's'}"

    def __str__(self):
        if self._began is None:
            return "a profile that has not begun: use it in a with statement"
        rows = list(self._table())
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = [
            "  ".join(
                [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
            ).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, *self._notes()])

    def __repr__(self):
        pieces = sum(one.kind != "wait" for one in self.work)
        plural = "" if pieces == 1 else "s"
        return f"<pycuda.Profile of {pieces} piece{plural} of work in {_milliseconds(self.elapsed)} ms>"

    def _repr_pretty_(self, printer, cycle):
        printer.text(str(self))

    def _repr_html_(self):
        from html import escape  # start-up time: for notebooks

        head, *rows = self._table()

        def cells(tag, row):
            first, *others = (escape(cell) for cell in row)
            right = "".join(f'<{tag} style="text-align: right">{cell}</{tag}>' for cell in others)
            return f'<tr><{tag} style="text-align: left">{first}</{tag}>{right}</tr>'

        body = "".join(cells("td", row) for row in rows)
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._notes())
        return f"<table><thead>{cells('th', head)}</thead><tbody>{body}</tbody></table>{notes}"

    def _trace_events(self):
        def event(process, thread, name, start, duration, category, arguments):
            return {
                "ph": "X",
                "pid": process,
                "tid": thread,
                "name": name,
                "cat": category,
                "ts": (start - self._began) * 1e6,
                "dur": duration * 1e6,
                "args": arguments,
            }

        def name(process, text, thread=None):
            what = {"ph": "M", "pid": process, "name": "thread_name" if thread is not None else "process_name"}
            return {**what, **({} if thread is None else {"tid": thread}), "args": {"name": text}}

        yield name(0, "host")
        yield name(0, "CUDA calls", 0)
        places = {(one.context, one.device) for one in self.work if one.kind != "wait"}
        for context, device in sorted(places):
            yield name(context, f"device {device}, context {context}")
        for context, stream in sorted({(one.context, one.stream) for one in self.work if one.kind != "wait"}):
            yield name(context, f"stream {stream}" if stream else "default stream", stream)
        for one in self.work:
            if one.kind == "wait":
                yield event(0, 0, one.name, one.start, one.duration, "wait", {})
                continue
            yield event(0, 0, f"call: {one.name}", one.called, one.returned - one.called, "call", {})
            if math.isnan(one.duration):
                continue
            facts = {"bytes": one.nbytes} if one.nbytes else {}
            if one.kind == "kernel":
                facts = {"grid": one.grid, "block": one.block, "shared": one.shared, "registers": one.registers}
            yield event(one.context, one.stream, one.name, one.start, one.duration, one.kind, facts)
        for category, spans in (("range", self.ranges), ("compile", self.compilations)):
            for title, start, end, thread in spans:
                yield event(0, thread, title, start, end - start, category, {})

    def save(self, path):
        """Write the work as a trace in JSON, which https://ui.perfetto.dev and chrome://tracing show as a timeline.

        Parameters
        ----------
        path : str or path
            The file, such as "trace.json"; one that exists is replaced.
        """
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": list(self._trace_events()), "displayTimeUnit": "ms"}, file)


def profile(counters=()):
    """Record what the device works on within a `with` statement.

    Launches of kernels and graphs, copies and memsets through this package are timed on the device, waits on the host.
    A process that does not record pays nothing. Work of other libraries is not seen, and what is captured into a graph
    counts when the graph is launched.

    On a GPU the times come from NVIDIA's CUPTI if it is installed (``pip install 'pycuda-anywhere[profile]'``), else
    from events around each piece of work; the printed profile says which. The CPU driver has events: kernels in one
    stream follow each other as on a GPU, but the events keep small kernels from running as one sequence, and they take
    some microseconds longer.

    Parameters
    ----------
    counters : Counters or iterable of KernelCounters, optional
        What the kernels do: the table then has the bytes that they move and their operations per second. Count a run of
        the same work on the CPU driver before, since kernels that count are slower: ``with pycuda.counters() as c:``.

    Returns
    -------
    Profile
        A context manager; afterwards a table by kernel, with `summary()`, `work` and `save(path)`.

    Raises
    ------
    RuntimeError
        When a profile is being recorded already.
    Error
        When the statement ends, if a kernel failed and the statement has raised no error itself.

    Examples
    --------
    >>> import numpy as np, pycuda, pycuda.autoinit
    >>> from pycuda import gpuarray
    >>> with pycuda.profile() as p:
    ...     a = gpuarray.to_gpu(np.ones(1000, np.float32))
    ...     total = gpuarray.sum(a).get()
    >>> {row.kind for row in p.summary()} >= {"copy", "kernel"}
    True
    """
    return Profile(counters)


@contextlib.contextmanager
def range(name):
    """Name what the host does within a `with` statement, or in a decorated function, in the trace of `pycuda.profile`.

    With the package `nvtx` installed, tools such as Nsight Systems show the range too.

    Parameters
    ----------
    name : str

    Examples
    --------
    >>> import pycuda
    >>> with pycuda.range("preparation"):
    ...     pass
    """
    nvtx = _nvtx()
    recording, start = _active, time.perf_counter()
    if nvtx is not None:
        nvtx.push_range(name)
    try:
        yield
    finally:
        if nvtx is not None:
            nvtx.pop_range()
        if recording is not None:
            recording.ranges.append((str(name), start, time.perf_counter(), threading.get_ident()))


def is_recording():
    """Whether a profile is being recorded."""
    return _active is not None


def add_compilation(name, start, end):
    """Add a compilation by this thread to the profile that is being recorded; the times are `time.perf_counter`'s."""
    recording = _active
    if recording is not None:
        recording.compilations.append((name, max(start, recording._began), end, threading.get_ident()))


def _nvtx():
    """The package `nvtx`, if it is installed."""
    global _found_nvtx
    if _found_nvtx is ...:
        try:
            import nvtx  # optional package: only tools on a GPU read its ranges
        except ImportError:
            nvtx = None
        _found_nvtx = nvtx
    return _found_nvtx


_found_nvtx = ...
