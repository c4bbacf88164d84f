# SPDX-License-Identifier: MIT
"""What `pycuda.debug.step` gives: the steps of one thread, as objects, as text and as a table in a notebook."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pycuda._cxx_names import readable_name
from pycuda._stepping.frames import Touch
from pycuda._stepping.values import text_of, text_of_change, text_of_shared_change

_FAULTED = re.compile(r"block \((\d+), (\d+), (\d+)\), thread \((\d+), (\d+), (\d+)\)")


@dataclass(frozen=True)
class Step:
    """One line that the thread executed.

    Attributes
    ----------
    number : int
        Of the step in its walk.
    function : str
        The function that the line is in.
    depth : int
        How many calls it is away from the kernel.
    file : str
    line : int
        Both as messages about the kernel have them.
    source : str
        The line's text.
    variables : dict
        The variables that can be seen and have a value, by name, before the line is executed.
    changed : dict
        Those that the line gave another value, with the new value. Of a line that calls a function that is walked too:
        what it did before the call; the rest is in the step behind the call.
    reads, writes : list of Touch
        The line's accesses to memory other than local variables. Atomic operations are in both.
    operations : list of str
        Barriers and operations of the warp, in PTX: "bar.sync 0".
    returned
        What the function returns, if the line does that and the value is a number or a pointer; else None.
    """

    number: int
    function: str
    depth: int
    file: str
    line: int
    source: str
    variables: dict
    changed: dict
    reads: list[Touch]
    writes: list[Touch]
    operations: list[str]
    returned: object = None
    _types: dict = field(repr=False, compare=False, kw_only=True, default_factory=dict)
    _before: dict = field(repr=False, compare=False, kw_only=True, default_factory=dict)
    _shared: set = field(repr=False, compare=False, kw_only=True, default_factory=set)

    @property
    def place(self):
        """File and number of the line, as messages write them."""
        return f"{self.file}:{self.line}"

    @property
    def effects(self):
        """What the line did, as a text for each effect."""
        found = []
        own = {touch.name for touch in self.writes}
        for name, value in self.changed.items():
            before, of = self._before.get(name), self._types.get(name)
            if name in self._shared:
                found += text_of_shared_change(name, before, value, of, own)
            else:
                found.append(text_of_change(name, before, value, of))
        found += [f"reads {touch}" for touch in self.reads if touch.operation == "read"]
        found += [f"writes {touch}" for touch in self.writes if touch.operation == "write"]
        found += [f"atomic on {touch}" for touch in self.reads if touch.operation == "atomic"]
        found += self.operations
        if self.returned is not None:
            found.append(f"returns {text_of(self.returned, self._types.get(None))}")
        return found

    def describe(self, name):
        """The value of a variable before the line, as text."""
        return text_of(self.variables[name], self._types.get(name))

    def __str__(self):
        known = ", ".join(f"{name} = {self.describe(name)}" for name in self.variables)
        effects = "; ".join(self.effects)
        return f"{self.place}: {self.source.strip()}\n  before: {known or '-'}\n  effect: {effects or '-'}"


class Walk:
    """The steps of one thread of a kernel, in their order; walks can be indexed and iterated over.

    Attributes
    ----------
    kernel : str
    thread, block : tuple of int
        `threadIdx` and `blockIdx` of the thread.
    steps : list of Step
    is_complete : bool
        False if the recording was full before the thread had ended.
    error : pycuda.driver.Error or None
        What ended the launch, if it failed: the walk then ends with the line at which the thread was. It has no steps
        if another thread failed before this one had begun; printed, it says which one to walk.
    """

    def __init__(self, kernel, thread, block, steps, is_complete=True, error=None, names=(), lines=()):
        self.kernel, self.thread, self.block = kernel, thread, block
        self.steps, self.is_complete, self.error = steps, is_complete, error
        # What the code has, whether the thread came to it or not: variables, and lines as (file, number).
        self._names = list(dict.fromkeys([*names, *(name for one in steps for name in (*one.variables, *one.changed))]))
        self._lines = {*lines, *((step.file, step.line) for step in steps)}

    def __len__(self):
        return len(self.steps)

    def __iter__(self):
        return iter(self.steps)

    def __getitem__(self, index):
        return self.steps[index]

    def at(self, line, file=None):
        """The steps of a line.

        Parameters
        ----------
        line : int
        file : str, optional
            Needed where several files have such a line.

        Returns
        -------
        list of Step
            Empty if the thread did not come to the line.

        Raises
        ------
        KeyError
            If the line has no code.
        """
        if not any(line == number and file in (None, one) for one, number in self._lines):
            raise KeyError(self._no_line(line, file))
        return [step for step in self.steps if step.line == line and file in (None, step.file)]

    def variable(self, name, function=None):
        """The values that a variable was given.

        Parameters
        ----------
        name : str
        function : str, optional
            Whose variable it is, where several have one of this name.

        Returns
        -------
        list of (Step, value)
            Empty if the thread gave the variable no value.

        Raises
        ------
        KeyError
            If no function has such a variable, or the compiler has not kept it, or the thread was in no such function.
        """
        if name not in self._names:
            raise KeyError(
                f"no variable {name!r} is recorded; these are: {_list_of(self._names)}. What the compiler does "
                "not keep is not recorded"
            )
        functions = {step.function for step in self.steps}
        if function is not None and function not in functions:
            raise KeyError(f"the thread was in no function {function!r}; it was in: {_list_of(sorted(functions))}")
        return [
            (step, step.changed[name])
            for step in self.steps
            if name in step.changed and function in (None, step.function)
        ]

    def text(self, first=60, last=20):
        """A table of the steps: the first and the last ones, if there are more.

        Parameters
        ----------
        first, last : int
        """
        width = min(max((len(_source_of(step)) for step in self.steps), default=0), 60)
        digits = max((len(str(step.line)) for step in self.steps), default=1)
        lines = [self._title()]
        for step in self._shown(first, last):
            if isinstance(step, int):
                lines.append(f"{'':>{digits}}  ... {step} steps ...")
            else:
                lines.append(f"{step.line:>{digits}}  {_source_of(step):<{width}}  {'; '.join(step.effects)}".rstrip())
        return "\n".join(lines + self._ending())

    def _no_line(self, line, file):
        files = {one for one, _ in self._lines}
        if file is not None and file not in files:
            return f"the walk has no file {file!r}; it has: {_list_of(sorted(files))}"
        numbers = sorted({step.line for step in self.steps if file in (None, step.file)})
        return f"line {line} has no code; the steps are at the lines {_list_of(map(str, numbers))}"

    def _title(self):
        count = f"{len(self.steps)} step{'' if len(self.steps) == 1 else 's'}"
        return f"{readable_name(self.kernel)}, block {self.block}, thread {self.thread}: {count}"

    def _shown(self, first, last):
        """The steps of a table, and the number of those that are left out in their place."""
        if len(self.steps) <= first + last + 1:
            return self.steps
        return [*self.steps[:first], len(self.steps) - first - last, *self.steps[len(self.steps) - last :]]

    def _ending(self):
        if self.error is not None:
            return [f"the launch failed: {self.error}", *self._where_to_look()]
        if not self.is_complete:
            return ["the recording ends here, the thread went on: limit=... records more steps"]
        return []

    def _where_to_look(self):
        """What to walk instead, if another thread than this one has failed; as a list of one text or none."""
        if faulted := _FAULTED.search(str(self.error)):
            numbers = tuple(map(int, faulted.groups()))
            block, thread = numbers[:3], numbers[3:]
            if (block, thread) == (self.block, self.thread):
                return []
            begun = "" if self.steps else ", before this one had begun"
            return [f"another thread failed{begun}: walk it with thread={thread}, in_block={block}"]
        return [] if self.steps else ["this thread had not begun: walk the one that failed"]

    def __str__(self):
        return self.text()

    def __repr__(self):
        return f"<pycuda.debug.Walk of {self._title()}>"

    def _repr_html_(self):
        from html import escape  # start-up time: for notebooks

        rows = []
        for step in self._shown(200, 50):
            if isinstance(step, int):
                rows.append(f"<tr><td></td><td>... {step} steps ...</td><td></td></tr>")
                continue
            known = ", ".join(f"{name} = {step.describe(name)}" for name in step.variables)
            rows.append(
                f'<tr title="{escape("before: " + known)}"><td style="text-align:right">{step.line}</td>'
                f'<td style="text-align:left"><code style="white-space:pre">{escape(_source_of(step))}</code></td>'
                f'<td style="text-align:left">{escape("; ".join(step.effects))}</td></tr>'
            )
        ending = "".join(f"<p>{escape(line)}</p>" for line in self._ending())
        return (
            f"<p>{escape(self._title())}</p><table><thead><tr><th>line</th><th>source</th><th>effect</th></tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>{ending}"
        )


def _list_of(names, most=30):
    """Names with commas between them, of many the first."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more if names else "none"


def _source_of(step):
    """The line's text, with a bar for each call around it."""
    return "| " * step.depth + step.source


def make_steps(raw, source_of, place_of):
    """Steps of what was recorded.

    Parameters
    ----------
    raw : list of RawStep
    source_of, place_of : callable
        The text of a line, and (file, line) as messages have them, of a file's number and a line.
    """
    steps = []
    for one in raw:
        if one.is_resumed and not one.has_effect and one is not raw[-1]:
            continue
        returned, of = one.returned or (None, None)
        file, line = place_of(one.file, one.line)
        steps.append(
            Step(
                len(steps),
                one.function,
                one.depth,
                file,
                line,
                source_of(one.file, one.line),
                one.variables,
                {name: value for name, (_, value) in one.changed.items()},
                [touch for touch in one.touches if touch.operation != "write"],
                [touch for touch in one.touches if touch.operation != "read"],
                one.operations,
                returned,
                _types={**one.types, None: of},
                _before={name: before for name, (before, _) in one.changed.items()},
                _shared=one.shared,
            )
        )
    return steps
