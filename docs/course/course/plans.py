# SPDX-License-Identifier: MIT
"""The CPU driver's plan of a kernel, shortened to what a lesson talks about."""

import re

import pycuda.driver as cuda

# PTX line, source, instruction, what it is, its form; `note` rows are for experts.
ROW = re.compile(r"^ +\d+ +(\S+) +(\S+) +(access|branch|lanes|barrier) +(.*)$", re.MULTILINE)


def on_cpu_driver():
    """Whether the current device is the CPU driver's."""
    cuda.init()
    return cuda.Device(0).name().startswith("CPU")


def _rows(function, block):
    """The plan's rows without repetitions: the compiler unrolls loops, and a row may stand for several copies."""
    found = []
    for source, instruction, what, form in ROW.findall(str(function.plan(block=block))):
        row = source, instruction, what, form.split(";")[0]
        if row not in found and form != "uniform":
            found.append(row)
    return found


def accesses(function, block):
    """The memory accesses in a kernel's plan, as pairs (instruction, form); None where the plan shows none.

    That is on a GPU, which has no plan, and of kernels that run thread by thread, as with the check of races.
    """
    if not on_cpu_driver():
        return None
    return [(instruction, form) for _, instruction, what, form in _rows(function, block) if what == "access"] or None


def show_plan(function, block):
    """Print the accesses and divergent branches of a kernel's plan, and what costs most."""
    if not on_cpu_driver():
        print("plan() is a report of the CPU driver. Run this notebook with PYCUDA_DRIVER=cpu to see it.")
        return
    print(function.name)
    for source, instruction, what, form in _rows(function, block):
        print(f"  {source:14} {instruction:16} {what:8} {form}")
    costs = str(function.plan(block=block)).partition("what costs most")[2]
    if costs:
        print("  what costs most" + costs.rstrip().replace("\n", "\n  "))
