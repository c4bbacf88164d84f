# SPDX-License-Identifier: MIT
"""Records of a thread as steps: one for each line that a function comes to, with what the line did."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pycuda._stepping.regions import Regions
from pycuda._stepping.values import is_same


@dataclass(frozen=True)
class Touch:
    """One access to memory.

    Attributes
    ----------
    name : str
        The element, such as "in[5]"; an address in hexadecimal where it is in no known array.
    value
        What was read or written; None if that is not known. Of an atomic operation: what was there before.
    address : int
    operation : str
        "read", "write" or "atomic".
    """

    name: str
    value: object
    address: int
    operation: str

    def __str__(self):
        return self.name if self.value is None else f"{self.name} = {self.value}"


@dataclass
class RawStep:
    """A step while records are gone through.

    Attributes
    ----------
    variables : dict
        Values by name before the line.
    changed : dict
        The values of those that are new behind it: the last one before, or None, and the new one.
    shared : set of str
        Which of these are in shared memory.
    """

    depth: int
    function: str
    file: int
    line: int
    variables: dict
    types: dict
    changed: dict = field(default_factory=dict)
    shared: set = field(default_factory=set)
    touches: list = field(default_factory=list)
    operations: list = field(default_factory=list)
    sites: set = field(default_factory=set)
    returned: object = None
    is_resumed: bool = False  # the rest of a line, behind a call

    @property
    def has_effect(self):
        """Whether the line did anything that can be seen."""
        return bool(self.changed or self.touches or self.operations)


class _Scope:
    """A function that was called, or an inlined call in one, and has not returned."""

    def __init__(self):
        self.step = None  # that is not over yet
        self.lines = set()  # that were come to
        self.declared = set()  # variables whose line was come to while they could be seen
        self.known = {}  # the latest bytes and values, by variable
        self.types = {}


class _Frame:
    """A function that was called and has not returned."""

    def __init__(self, function):
        self.function = function
        self.scopes = {}  # by inlined call
        self.written = set()  # as in `Site.writes`
        self.places = {}  # the latest ones of `Site.places`

    def scope(self, calls):
        """The inlined call of these, or the function itself."""
        return self.scopes.setdefault(calls, _Scope())

    def pass_code(self, site):
        """The code between this record and the next one is executed."""
        self.written |= site.writes
        self.places.update(site.places)


_OPERATION = {"ld": "read", "st": "write", "atom": "atomic", "red": "atomic"}


class StepMaker:
    """Makes steps of records.

    Attributes
    ----------
    steps : list of RawStep
    is_cut : bool
        There are more steps than are wanted: no record is to be added.
    """

    def __init__(self, regions: Regions, limit: int, names: dict):
        self.steps: list[RawStep] = []
        self.is_cut = False
        self._regions, self._limit = regions, limit
        self._stack: list[_Frame] = []
        self._names = names  # of functions, by symbol

    def add(self, record):
        """Go on with the next record."""
        getattr(self, f"_{record.site.kind}")(record)

    # --- kinds of records ---

    def _enter(self, record):
        self._stack.append(_Frame(record.site.function))
        for slot in record.site.slots:
            self._regions.add_variable(
                slot.name, record.address(slot.offset), slot.type.dtype.itemsize, len(self._stack)
            )
        self._stack[-1].pass_code(record.site)

    def _line(self, record):
        frame, site = self._frame(record), record.site
        self._close_inlined(frame, site.calls)
        scope = frame.scope(site.calls)
        step, latest = scope.step, self.steps[-1] if self.steps else None
        is_same = not site.is_passing and step is not None and (step.file, step.line) == (site.file, site.line)
        if is_same and step is not latest:
            # The line goes on behind a call: what the call changed belongs there.
            scope.step = self._start(frame, scope, site, step.variables)
            if scope.step is None:
                return
            scope.step.is_resumed = True
            self._look(frame, scope, record)
            return
        variables = self._look(frame, scope, record)
        if site.is_passing:
            return
        if is_same and site.number not in step.sites:
            step.sites.add(site.number)
        else:
            scope.step = self._start(frame, scope, site, variables)

    def _start(self, frame, scope, site, variables):
        """A new step; None if there are as many as are wanted."""
        if len(self.steps) >= self._limit:
            self.is_cut = True
            return None
        function = site.calls[-1][0] if site.calls else self._names.get(frame.function, frame.function)
        depth = len(self._stack) - 1 + len(site.calls)
        step = RawStep(depth, function, site.file, site.line, variables, scope.types, sites={site.number})
        self.steps.append(step)
        return step

    @staticmethod
    def _close_inlined(frame, calls):
        """Forget inlined calls that the code has left."""
        for other in [known for known in frame.scopes if known != calls[: len(known)]]:
            del frame.scopes[other]

    def _leave(self, record):
        frame = self._frame(record)
        scope = frame.scope(record.site.calls)
        self._look(frame, scope, record)
        slot = record.site.result
        if slot is not None and scope.step is not None:
            scope.step.returned = (slot.type.value(bytes(record.bytes_of(slot))), slot.type)
        self._regions.drop_variables(len(self._stack))
        self._stack.pop()

    def _access(self, record):
        if not self.steps:
            return
        site = record.site
        address = record.address(8)
        if self._regions.is_local(address):
            return
        values = [
            slot.type.value(bytes(record.bytes_of(slot))[: slot.type.dtype.itemsize]) if slot.size else None
            for slot in site.slots
        ]
        if site.operation == "red":
            values = [None]
        width = site.slots[0].type.dtype.itemsize if site.slots else 0
        for number, value in enumerate(values):
            where = address + number * width
            name, of = self._regions.name(where)
            if of is not None and value is not None:
                value = self._value_of_access(value, of, width)
            self.steps[-1].touches.append(Touch(name, value, where, _OPERATION[site.operation]))

    def _value_of_access(self, value, of, width):
        """What an instruction reads or writes, as the `Type` of the element has it if that is as wide."""
        dtype = of.dtype
        if dtype.itemsize != width or dtype.kind not in "fiub":
            return value
        if of.is_pointer:
            pointer = of.value(np.asarray(value).tobytes())
            pointer.name = self._regions.name_of_pointer(pointer)
            return pointer
        return np.asarray(value).reshape(1).view(dtype)[0].item() if dtype != np.float32 else _as(value, dtype)

    def _operation(self, record):
        if self.steps:
            self.steps[-1].operations.append(record.site.text)

    # --- what the thread's variables hold ---

    def _frame(self, record):
        """The frame that a record is of; those above it have been left unseen."""
        while len(self._stack) > 1 and self._stack[-1].function != record.site.function:
            self._regions.drop_variables(len(self._stack))
            self._stack.pop()
        if not self._stack:
            self._stack.append(_Frame(record.site.function))
        return self._stack[-1]

    @staticmethod
    def _is_set(scope, site, slot):
        """Whether a variable's declaration has been executed: the code is behind it, or comes to its line again."""
        place = slot.file, slot.line
        is_set = slot.variable in scope.declared or (place in scope.lines and place != (site.file, site.line))
        if place == (site.file, site.line):
            scope.declared.add(slot.variable)
        return is_set

    def _value(self, slot, data):
        value = slot.type.value(data)
        if slot.type.is_pointer and value is not None:
            value.name = self._regions.name_of_pointer(value)
        return value

    def _look(self, frame, scope, record):
        """The variables that have a value now, by name. What is new in them, the scope's latest step has done."""
        site, step, seen = record.site, scope.step, {}
        for slot in site.slots:
            if slot.since == "placed" and frame.places.get(slot.variable) != slot.place:
                continue
            if slot.since == "written" and not slot.writes & frame.written:
                continue
            if slot.since == "set" and not self._is_set(scope, site, slot):
                continue
            data, (known, before) = bytes(record.bytes_of(slot)), scope.known.get(slot.variable, (None, None))
            value = before if data == known else self._value(slot, data)
            if value is None:
                continue
            scope.known[slot.variable] = data, value
            if slot.since == "declared" and not any(
                line >= slot.line for file, line in scope.lines if file == slot.file
            ):
                continue
            seen[slot.name] = value
            scope.types[slot.name] = slot.type
            if step is None or value is before or (before is not None and is_same(before, value)):
                continue
            first = step.changed.get(slot.name, (before,))[0]
            step.changed[slot.name] = (first, value)
            if slot.is_shared:
                step.shared.add(slot.name)
        scope.lines.add((site.file, site.line))
        frame.pass_code(site)
        return seen


def _as(value, of):
    return np.asarray(value).reshape(1).view(of)[0]
