# SPDX-License-Identifier: MIT
"""The CPU driver's plan of a kernel, shortened to what a lesson talks about."""

import pycuda.driver as cuda

# Rows with a `note` are for experts.
_KINDS = ("access", "branch", "lanes", "barrier")


def on_cpu_driver():
    """Whether the current device is the CPU driver's."""
    cuda.init()
    return cuda.Device(0).name().startswith("CPU")


def _rows(function, block):
    """The plan's rows without repetitions: the compiler unrolls loops, and a row may stand for several copies."""
    found = []
    for row in function.plan(block=block).rows:
        short = row.source, row.instruction, row.what, row.form.split(";")[0]
        if row.what in _KINDS and row.form != "uniform" and short not in found:
            found.append(short)
    return found


def show_plan(function, block):
    """Print the accesses and divergent branches of a kernel's plan, and what costs most."""
    if not on_cpu_driver():
        print("plan() is a report of the CPU driver. Run this notebook with PYCUDA_DRIVER=cpu to see it.")
        return
    plan = function.plan(block=block)
    print(function.name)
    rows = _rows(function, block)
    width = max((len(source) for source, *_ in rows), default=0)
    for source, instruction, what, form in rows:
        print(f"  {source:{width}}  {instruction:16} {what:8} {form}")
    for line in plan.header[1:] if not rows else plan.costs:
        print(f"  {line}")


def show_report(function, *args, **launch):
    """Launch a kernel once and return its `Report`, which the notebook shows."""
    if on_cpu_driver():
        return function.report(*args, **launch)
    print("report() needs the CPU driver. Run this notebook with PYCUDA_DRIVER=cpu to see it.")
    return None
