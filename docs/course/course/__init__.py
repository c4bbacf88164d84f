# SPDX-License-Identifier: MIT
"""What the notebooks of the course share: checks of exercises, pictures, plans, programs in a process of their own."""

from .apart import run_apart
from .checks import check, check_all, check_answer
from .photos import night_sky
from .pictures import bars, cells, histogram_bars, image, memory_lines, timeline
from .plans import accesses, on_cpu_driver, show_plan

__all__ = [
    "accesses",
    "bars",
    "cells",
    "check",
    "check_all",
    "check_answer",
    "histogram_bars",
    "image",
    "memory_lines",
    "night_sky",
    "on_cpu_driver",
    "run_apart",
    "show_plan",
    "timeline",
]
