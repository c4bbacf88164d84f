# SPDX-License-Identifier: MIT
import dataclasses

@dataclasses.dataclass(frozen=True)
class Timing:
    name: str
    median: float
    interval: tuple[float, float]
    confidence: float
    fastest: float
    host: float
    samples: int
    calls: int
    nbytes: int | None = None

    @property
    def bandwidth(self) -> float | None: ...

@dataclasses.dataclass(frozen=True)
class Comparison:
    first: Timing
    second: Timing
    ratio: float
    interval: tuple[float, float]

    @property
    def differs(self) -> bool: ...
