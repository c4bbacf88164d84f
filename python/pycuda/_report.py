# SPDX-License-Identifier: MIT
"""`Function.report`: one page that says what a kernel's lines cost and what would help."""

from __future__ import annotations

import math

from pycuda import _report_costs
from pycuda._cxx_names import readable_name
from pycuda._errors import CONTEXT_IS_LOST

#: Launches of more threads are not checked unless that is asked for: checked code is hundreds of times slower.
_MOST_CHECKED_THREADS = 65536


class Report:
    """What kernels did and what would make them faster: a page in Jupyter and as a file, a short text when printed.

    Attributes
    ----------
    kernels : list of KernelCounters
        What was counted.
    findings : list of Finding
        What the checks found; empty also if none were asked for.
    checks : str
        The checks that were made, as "memory,race"; "" for none.
    faults : list of KernelFault
        What ended launches: a fault of `Function.report` is the only one. The counters are those until then.
    error : Error or None
        The error of the launch that ended with a fault: its context is lost, every call in it fails, and
        `pycuda.tools.reset_context()` makes a new one.
    notes : list of str
        What may be a mistake of the launch: arguments passed as `In` that the kernel writes to.
    """

    def __init__(
        self,
        kernels,
        findings=(),
        checks="",
        occupancies=None,
        texts=None,
        faults=(),
        error=None,
        unchecked="",
        notes=(),
    ):
        self.kernels, self.findings, self.checks = list(kernels), list(findings), checks
        self.faults, self.error, self.notes = list(faults), error, list(notes)
        self._occupancies = occupancies or {}
        self._unchecked = unchecked  # why no checks were made, of a launch that has them usually
        self._texts = texts or {}  # the lines of what is in no file, by the name that counters have for it

    def occupancy(self, kernel):
        """The `OccupancyRecord` of a kernel's latest launch on the device; None if it is not known.

        Parameters
        ----------
        kernel : KernelCounters
        """
        return self._occupancies.get(kernel.kernel)

    def advice(self, kernel):
        """The three changes that would help a kernel most, as a list of `Advice`: title, text, place and saved cycles.

        Parameters
        ----------
        kernel : KernelCounters
        """
        return _report_costs.advice_for(kernel, self.occupancy(kernel))

    @property
    def html(self):
        """The page: HTML that needs no other file and no network."""
        from pycuda import _report_page  # start-up time: long texts

        return _report_page.page_of(self)

    def save(self, path):
        """Write the page to a file.

        Parameters
        ----------
        path : str or path
            Such as "report.html"; a file that exists is replaced.
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def _repr_html_(self):
        from html import escape  # start-up time: for notebooks

        # A frame of its own: the page's style is not the notebook's.
        return f'<iframe style="width:100%;height:50em;border:0" srcdoc="{escape(self.html)}"></iframe>'

    def _other_findings(self):
        """Without those that a fault says, too."""
        said = {(one.kernel, one._counted_at) for one in self.faults}
        return [one for one in self.findings if not one.ended_launch or (one.kernel, one._counted_at) not in said]

    def __str__(self):
        parts = [f"fault: {fault}" for fault in self.faults]
        if self.error is not None:
            parts.append(CONTEXT_IS_LOST)
        if self._unchecked:
            parts.append(self._unchecked)
        parts += self.notes
        findings = self._other_findings()
        parts += [str(finding) for finding in findings]
        for kernel in self.kernels:
            lines = [f"{readable_name(kernel.kernel)}: {kernel.launches} launch{'es' if kernel.launches != 1 else ''}"]
            has_fault = any(fault.kernel == kernel.kernel for fault in self.faults)
            changes = [] if has_fault else self.advice(kernel)
            if not has_fault and any(finding.kernel == kernel.kernel for finding in findings):
                lines.append("  fix what the checks found first: it may change what follows")
            for number, one in enumerate(changes, 1):
                where = f" ({one.place})" if one.place else ""
                lines.append(f"  {number}. {one.title}{where}: {one.text}")
            if has_fault:
                lines.append("  fix the fault first: the counts end there")
            elif not changes:
                lines.append("  nothing that the counters show would make it much faster")
            parts.append("\n".join(lines))
        return "\n".join(parts) if parts else "a report of no kernels"

    def __repr__(self):
        names = ", ".join(readable_name(kernel.kernel) for kernel in self.kernels)
        findings = f"{len(self.findings)} finding{'' if len(self.findings) == 1 else 's'}"
        fault = ", a fault" if self.faults else ""
        return f"<pycuda.Report of {names or 'no kernels'}, {findings}{fault}>"


def occupancies_of(kernels, device=None):
    """How many warps of each kernel a multiprocessor holds, by the kernel's name.

    Parameters
    ----------
    kernels : list of KernelCounters
    device : Device, optional
        The current context's by default.
    """
    from pycuda._occupancy import DeviceData, OccupancyRecord  # start-up time: needs the driver

    data = DeviceData(device)
    known = {}
    for kernel in kernels:
        try:
            known[kernel.kernel] = OccupancyRecord(
                data, math.prod(kernel.block), kernel.shared, min(kernel.registers, 255)
            )
        except ValueError:
            continue  # such a block does not fit
    return known


def _lost_results(args, kernels):
    """What to say of each argument that is copied to the device alone, and that a kernel writes to."""
    import pycuda.driver as cuda  # start-up time: as above

    for number, argument in enumerate(args):
        if not isinstance(argument, cuda.In) or isinstance(argument, cuda.Out) or argument.dev_alloc is None:
            continue
        begin = int(argument.dev_alloc)
        places = [
            line.place
            for kernel in kernels
            for line in kernel.lines
            for one in line.accesses
            if one.space == "global"
            and one.op in ("store", "atomic", "reduction")
            and one.sample is not None
            and begin <= one.sample.addresses[0] < begin + argument.array.nbytes
        ]
        if places:
            yield (
                f"argument #{number} (0-based) was passed as In, but the kernel writes to it at {places[0]}: what it "
                "writes is not copied back; pass InOut or Out if the program needs it"
            )


def report_of_launch(function, /, *args, block, grid=(1, 1), shared=0, checks=None):
    """As `Function.report`.

    Parameters
    ----------
    function : Function
    *args
        The kernel's arguments.
    block, grid : tuple of int
    shared : int
        Bytes of dynamic shared memory.
    checks : str or sequence of str, optional

    Returns
    -------
    Report
        Also if the kernel ends with a fault: then `faults` and `error` have it, and the context is lost. The page and
        the text begin with the fault.

    Raises
    ------
    LogicError
        When the driver is not the CPU driver.
    ValueError
        For an unknown check.
    Error
        When the kernel could not be launched, or an earlier one had ended with a fault.
    """
    import contextlib  # start-up time: as above

    import pycuda.driver as cuda
    from pycuda._checks import checking, fault_of
    from pycuda._counters import counters

    unchecked = ""
    if checks is None:
        checks = ("all",)
        if math.prod(block) * math.prod(grid) > _MOST_CHECKED_THREADS:
            checks, unchecked = (), f'not checked: more than {_MOST_CHECKED_THREADS:,} threads; pass checks="all"'
    names = [checks] if isinstance(checks, str) else list(checks)
    device, counted, error = cuda.Context.get_device(), counters(), None
    findings = []
    try:
        with checking(*names) if names else contextlib.nullcontext(findings) as findings, counted:
            function(*args, block=tuple(block), grid=tuple(grid), shared=shared)
    except cuda.Error as fault:
        if not counted._faults:
            raise
        error = fault
    cell = getattr(function, "_cell", None)
    texts = {} if cell is None else {"the cell": [f"%%cuda {cell.line}".rstrip(), *cell.source.splitlines()]}
    faults = [fault_of(one) for one in counted._faults]
    notes = list(_lost_results(args, counted.kernels))
    known = occupancies_of(counted.kernels, device)
    return Report(counted.kernels, findings, ",".join(names), known, texts, faults, error, unchecked, notes)
