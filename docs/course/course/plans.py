# SPDX-License-Identifier: MIT
"""The CPU driver's plan of a kernel, shortened to what a lesson talks about."""

import re

import pycuda.driver as cuda


def on_cpu_driver():
    """Whether the current device is the CPU driver's."""
    return cuda.Context.get_device().name().startswith("CPU")


def accesses(function, block):
    """The memory accesses in a kernel's plan, as pairs (instruction, form); None on a GPU, which has no plan."""
    if not on_cpu_driver():
        return None
    plan = str(function.plan(block=block))
    rows = re.findall(r"^ +\d+ .*?((?:ld|st|atom|red)\.\S+) +\w+ +(\S.*)$", plan, re.MULTILINE)
    return [(instruction, form.split(";")[0]) for instruction, form in rows]


def show_plan(function, block):
    """Print the accesses and branches of a kernel's plan, and what costs most."""
    if not on_cpu_driver():
        print("plan() is a report of the CPU driver. Run this notebook with PYCUDA_DRIVER=cpu to see it.")
        return
    lines = str(function.plan(block=block)).splitlines()
    shown = [line for line in lines if re.match(r"^ +\d+ ", line)]
    if any(line.startswith("what costs most") for line in lines):
        shown += lines[next(i for i, line in enumerate(lines) if line.startswith("what costs most")) :]
    print("\n".join(shown))
