# SPDX-License-Identifier: MIT
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

from pycuda._driver import Error, Function

@dataclasses.dataclass(frozen=True)
class Touch:
    name: str
    value: Any
    address: int
    operation: str

@dataclasses.dataclass(frozen=True)
class Step:
    number: int
    function: str
    depth: int
    file: str
    line: int
    source: str
    variables: dict[str, Any]
    changed: dict[str, Any]
    reads: list[Touch]
    writes: list[Touch]
    operations: list[str]
    returned: Any = None

    @property
    def place(self) -> str: ...
    @property
    def effects(self) -> list[str]: ...
    def describe(self, name: str) -> str: ...

class Walk:
    kernel: str
    thread: tuple[int, int, int]
    block: tuple[int, int, int]
    steps: list[Step]
    is_complete: bool
    error: Error | None

    def __init__(
        self,
        kernel: str,
        thread: tuple[int, int, int],
        block: tuple[int, int, int],
        steps: list[Step],
        is_complete: bool = True,
        error: Error | None = None,
        names: Iterable[str] = (),
        lines: Iterable[tuple[str, int]] = (),
    ) -> None: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Step]: ...
    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> list[Step]: ...
    def at(self, line: int, file: str | None = None) -> list[Step]: ...
    def variable(self, name: str, function: str | None = None) -> list[tuple[Step, Any]]: ...
    def text(self, first: int = 60, last: int = 20) -> str: ...
    def _repr_html_(self) -> str: ...

def step(
    function: Function,
    *args: Any,
    block: int | Sequence[int],
    grid: int | Sequence[int] = (1, 1),
    thread: int | Sequence[int] = (0, 0, 0),
    in_block: int | Sequence[int] = (0, 0, 0),
    shared: int = 0,
    limit: int = 100_000,
) -> Walk: ...
def main() -> int: ...
