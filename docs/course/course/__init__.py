# SPDX-License-Identifier: MIT
"""What the notebooks of the course share: checks of exercises, pictures, plans, programs in a process of their own.

Import it before anything that starts the driver: on the CPU driver it switches the check of memory accesses on, so that
an access one element behind an array is an error, and gives endless kernels an end.
"""

import os
import sys

# Read by the CPU driver when it starts; who sets them otherwise wins.
_SETTINGS = {"PYCUDA_CPU_CHECK": "1", "PYCUDA_CPU_TIMEOUT": "10"}
if "pycuda.autoinit" in sys.modules and not _SETTINGS.keys() <= os.environ.keys():
    print(
        "course was imported after pycuda.autoinit: mistakes may stay silent, and endless kernels may not end. "
        "Restart the notebook's kernel, and run `import course` first.",
        file=sys.stderr,
    )
for _name, _value in _SETTINGS.items():
    os.environ.setdefault(_name, _value)

from . import lessons_1_to_3, lessons_4_to_6, lessons_7_to_10  # noqa: E402, F401 - they register their exercises
from .apart import run_apart  # noqa: E402
from .checks import check, needs_cpu_driver, note_cells  # noqa: E402
from .photos import night_sky  # noqa: E402
from .pictures import bars, cells, histogram_bars, image, memory_lines, timeline  # noqa: E402
from .plans import on_cpu_driver, show_plan, show_report  # noqa: E402

note_cells()

__all__ = [
    "bars",
    "cells",
    "check",
    "histogram_bars",
    "image",
    "memory_lines",
    "needs_cpu_driver",
    "night_sky",
    "on_cpu_driver",
    "run_apart",
    "show_plan",
    "show_report",
    "timeline",
]
