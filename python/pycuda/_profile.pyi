# SPDX-License-Identifier: MIT
import dataclasses
import os
from collections.abc import Iterable
from contextlib import ContextDecorator
from types import TracebackType
from typing import type_check_only

from pycuda._counter_records import KernelCounters

@type_check_only
class _Range(ContextDecorator):
    def __enter__(self) -> None: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None, /
    ) -> None: ...

@dataclasses.dataclass(frozen=True)
class Work:
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
    grid: tuple[int, int, int] | None
    block: tuple[int, int, int] | None
    shared: int
    registers: int
    blocks_per_multiprocessor: int

@dataclasses.dataclass(frozen=True)
class Summary:
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
    occupancy: float | None
    flops: int = 0

    @property
    def bandwidth(self) -> float | None: ...
    @property
    def flop_rate(self) -> float | None: ...

class Profile:
    work: list[Work]
    ranges: list[tuple[str, float, float, int]]
    compilations: list[tuple[str, float, float, int]]
    elapsed: float
    timing: str
    dropped: int

    def __init__(self, counters: Iterable[KernelCounters] = ()) -> None: ...
    def __enter__(self) -> Profile: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
    @property
    def waiting(self) -> float: ...
    def summary(self) -> list[Summary]: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...

def profile(counters: Iterable[KernelCounters] = ()) -> Profile: ...
def is_recording() -> bool: ...
def add_compilation(name: str, start: float, end: float) -> None: ...
def range(name: str) -> _Range: ...
