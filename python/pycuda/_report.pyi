# SPDX-License-Identifier: MIT
from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any

from pycuda._checks import Finding, KernelFault
from pycuda._counter_records import KernelCounters
from pycuda._report_costs import Advice
from pycuda.driver import Device, Error, Function
from pycuda.tools import OccupancyRecord

class Report:
    kernels: list[KernelCounters]
    findings: list[Finding]
    checks: str
    faults: list[KernelFault]
    error: Error | None
    notes: list[str]
    def __init__(
        self,
        kernels: Iterable[KernelCounters],
        findings: Iterable[Finding] = (),
        checks: str = "",
        occupancies: dict[str, OccupancyRecord] | None = None,
        texts: dict[str, list[str]] | None = None,
        faults: Iterable[KernelFault] = (),
        error: Error | None = None,
        unchecked: str = "",
        notes: Iterable[str] = (),
    ) -> None: ...
    def occupancy(self, kernel: KernelCounters) -> OccupancyRecord | None: ...
    def advice(self, kernel: KernelCounters) -> list[Advice]: ...
    @property
    def html(self) -> str: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def _repr_html_(self) -> str: ...

def occupancies_of(kernels: Iterable[KernelCounters], device: Device | None = None) -> dict[str, OccupancyRecord]: ...
def report_of_launch(
    function: Function,
    /,
    *args: Any,
    block: Sequence[int],
    grid: Sequence[int] = (1, 1),
    shared: int = 0,
    checks: Sequence[str] | str | None = None,
) -> Report: ...
