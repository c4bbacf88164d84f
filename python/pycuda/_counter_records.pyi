# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

@dataclass(frozen=True)
class AccessSample:
    block: tuple[int, int, int]
    warp: int
    lanes: tuple[int, ...]
    addresses: tuple[int, ...]

@dataclass(frozen=True)
class Access:
    instruction: str
    space: Literal["global", "shared", "local"]
    op: Literal["load", "store", "atomic", "reduction"]
    bytes: int
    requests: int
    parts: int
    ideal: int
    threads: int
    sample: AccessSample | None = None
    @property
    def excess(self) -> int: ...

class _Metrics:
    metrics: dict[str, int]
    @property
    def global_sectors(self) -> int: ...
    @property
    def global_sectors_ideal(self) -> int: ...
    @property
    def shared_wavefronts(self) -> int: ...
    @property
    def shared_wavefronts_ideal(self) -> int: ...
    @property
    def branches(self) -> int: ...
    @property
    def divergent_branches(self) -> int: ...
    @property
    def instructions(self) -> int: ...
    @property
    def active_threads(self) -> float: ...
    def __getitem__(self, name: str) -> int: ...

@dataclass(frozen=True)
class LineCounters(_Metrics):
    file: str
    line: int
    place: str
    source: str
    metrics: dict[str, int]
    accesses: tuple[Access, ...]

@dataclass(frozen=True)
class KernelCounters(_Metrics):
    kernel: str
    launches: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    registers: int
    shared: int
    metrics: dict[str, int]
    lines: tuple[LineCounters, ...]
    def line(self, number: int, file: str | None = None) -> LineCounters: ...

def records_of(taken: dict[str, Any]) -> list[dict[str, Any]]: ...
def kernels_of(records: Sequence[dict[str, Any]]) -> list[KernelCounters]: ...
