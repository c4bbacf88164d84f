# SPDX-License-Identifier: MIT
"""What `Function.plan` returns: the plan as text, with its parts as attributes and as a table in notebooks."""

import re
from collections.abc import Iterable
from typing import NamedTuple

_COLUMNS = re.compile(r" {2,}")  # the driver writes at least two blanks between columns, and "-" into empty ones


class PlanRow(NamedTuple):
    """One row of the table.

    Attributes
    ----------
    ptx_line : int or None
        The line of the PTX.
    source : str
        The line of the CUDA source as messages name it, such as "program.py:7" or "line 7 of the cell"; "" where it
        is not known.
    instruction : str
        The PTX instruction.
    what : str
        "access", "branch", "call", "note" ...
    form : str
        How the CPU driver runs it: "contiguous", "gather", "uniform" ...
    """

    ptx_line: int | None
    source: str
    instruction: str
    what: str
    form: str


class Plan(str):
    """How the CPU driver runs a kernel: a str that prints as the plan, and shows as a table in Jupyter.

    Attributes
    ----------
    kernel : str
        The kernel's name.
    block : tuple of int
        The block's size that the plan is for.
    header : list of str
        The lines before the table.
    rows : list of PlanRow
        The accesses and branches, in the order of the PTX.
    costs : list of str
        The lines after the table: what costs most, and what helps.
    is_vector : bool
        Whether the kernel runs in gangs, as vectors; False: thread by thread.
    """

    kernel: str
    block: tuple[int, ...]
    header: list[str]
    rows: list[PlanRow]
    costs: list[str]
    is_vector: bool

    def __new__(cls, text: str, kernel: str, block: Iterable[int]) -> "Plan":
        plan = super().__new__(cls, text)
        plan.kernel = kernel
        plan.block = tuple(block)
        plan.header, plan.rows, plan.costs = [], [], []
        in_table = False
        for line in text.splitlines():
            row = _COLUMNS.split(line.strip(), maxsplit=4) if in_table else []
            if len(row) == 5 and (row[0] == "-" or row[0].isdigit()):
                ptx, source, instruction, what, form = ("" if part == "-" else part for part in row)
                plan.rows.append(PlanRow(int(ptx) if ptx else None, source, instruction, what, form))
            elif line.split()[:2] == ["PTX", "source"]:
                in_table = True
            else:
                (plan.costs if in_table else plan.header).append(line)
        waits = any(line.startswith("long: runs thread by thread") for line in plan.header)
        plan.is_vector = not waits and any(line.startswith("gangs of") for line in plan.header)
        return plan

    def __getnewargs__(self):
        return str(self), self.kernel, self.block

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        from html import escape  # start-up time: only for notebooks

        titles = ("PTX", "source", "instruction", "what", "form")
        head = "".join(f"<th style='text-align:left'>{title}</th>" for title in titles)
        body = "".join(
            "<tr>"
            + "".join(f"<td style='text-align:left'>{escape('' if cell is None else str(cell))}</td>" for cell in row)
            + "</tr>"
            for row in self.rows
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if self.rows else ""
        before, after = (escape("\n".join(lines)) for lines in (self.header, self.costs))
        return f"<pre>{before}</pre>{table}" + (f"<pre>{after}</pre>" if after else "")
