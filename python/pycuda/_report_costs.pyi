# SPDX-License-Identifier: MIT
from dataclasses import dataclass

from pycuda._counter_records import Access, KernelCounters, LineCounters
from pycuda.tools import OccupancyRecord

PER_INSTRUCTION: float
PER_SECTOR: float
PER_WAVEFRONT: float
PER_TURN: float
WARP: int

@dataclass(frozen=True)
class Advice:
    title: str
    text: str
    place: str
    saved: float
    access: Access | None = None

def cycles_of(counted: KernelCounters | LineCounters) -> float: ...
def stride_of(access: Access) -> int | None: ...
def advice_for(kernel: KernelCounters, occupancy: OccupancyRecord | None = None, most: int = 3) -> list[Advice]: ...
