# SPDX-License-Identifier: MIT
"""Checks of exercises: `check` prints whether an answer or a function is right, and explains the first mistake."""

import builtins
import contextlib
import re
from collections import Counter, deque
from dataclasses import dataclass

import numpy as np
import pycuda.driver as cuda
from pycuda._source_text import kernel_names

_exercises = {}
_cells = deque(maxlen=2)  # of the notebook: the one that has run last, and the one that runs
_tries = Counter()  # that failed, by the name of the exercise


class NotYet(Exception):
    """An exercise is not solved; the text says why."""


class NotTried(NotYet):
    """The exercise is as it was handed out."""


@dataclass(frozen=True)
class _Exercise:
    test: object
    hint: str
    needs_cpu_driver: bool


def exercise(name, hint, needs_cpu_driver=False):
    """Register a function that raises NotYet if its argument does not solve the exercise, and may return an addition.

    `needs_cpu_driver`: on a GPU the exercise as it is handed out may pass, because a GPU does not show the mistake.
    """

    def register(test):
        _exercises[name] = _Exercise(test, hint, needs_cpu_driver)
        return test

    return register


def answer(name, expected, why, hint):
    """Register a question whose answer is a number, several, or letters."""

    def test(given):
        if given is None or given is ...:
            raise NotTried("Replace the ... in the cell above by your answer.")
        if not _same_answer(given, expected):
            raise NotYet(_form_expected(given, expected) or f"{given!r} is not the answer.")
        return why

    exercise(name, hint)(test)


def needs_cpu_driver(name):
    """Whether an exercise is about a mistake that only the CPU driver shows."""
    return _exercises[name].needs_cpu_driver


def check(name, work=...):
    """Print whether `work` solves the exercise `name`; if not, the first mistake, and a hint from the second try on.

    Nothing is raised, so that a notebook with open exercises runs to its end.
    """
    if name not in _exercises:
        raise ValueError(f"no exercise {name!r}; there are: {', '.join(_exercises)}")
    known = _exercises[name]
    try:
        addition = _tested(known.test, work)
    except NotTried as problem:
        print(f"Not yet. {problem}")
        return False
    except Exception as problem:  # whatever the exercise's code raises
        _tries[name] += 1
        print("Not yet. " + _sentence_of(problem))
        print(f"Hint: {known.hint}" if _tries[name] > 1 else "If the next try fails too, a hint follows.")
        return False
    print("Correct!" + (f" {addition}" if addition else ""))
    return True


def _tested(test, work):
    """What the test adds. Its verdict on what another cell has left there is none."""
    failed = _last_cell_failed()
    try:
        addition = test(work)
    except Exception as problem:
        # A kernel whose cell did not compile says that itself.
        if failed and not isinstance(problem, RuntimeError):
            raise failed from None
        raise
    if failed:
        raise failed
    return addition


def note_cells():
    """Remember what the notebook's cells are, from the next one on."""
    shell = getattr(builtins, "get_ipython", lambda: None)()
    if shell is not None:
        shell.events.register("pre_run_cell", lambda info=None: _cells.append(getattr(info, "raw_cell", "")))


def kernels_of_cell_before():
    """The names of the kernels that the cell before the running one defines, if it is CUDA C++."""
    source = _cells[0] if len(_cells) > 1 else ""
    return kernel_names(source) if source.startswith("%%cuda") else []


def _last_cell_failed():
    """A NotYet if the notebook's cell before the current one has raised an error; otherwise None."""
    shell = getattr(builtins, "get_ipython", lambda: None)()
    if getattr(shell, "last_execution_succeeded", True):
        return None
    return NotYet("The cell before this one failed, see its message: correct the exercise and run its cell again.")


def _sentence_of(problem):
    if isinstance(problem, (NotYet, RuntimeError)):
        return str(problem)
    if isinstance(problem, cuda.Error):
        # The context was the check's own.
        return "\n".join(line for line in str(problem).splitlines() if not line.startswith("The context is lost"))
    text = f"{type(problem).__name__}: {problem}"
    return f"{text}. Run the cells above first." if isinstance(problem, NameError) else text


def _form_expected(given, expected):
    """What an answer should look like, if the given one does not: a number in quotes, one where two are asked for."""
    if isinstance(expected, str):
        if isinstance(given, (list, tuple, set)) or (
            isinstance(given, str) and not re.search(r"\b(and|or|none|both|all)\b", given)
        ):
            return ""
        return f"{given!r} is no answer here: give letters alone, in quotes."
    with contextlib.suppress(ValueError):  # lists of lists of other lengths
        if np.shape(given) == np.shape(expected) and np.asarray(given).dtype.kind in "biuf":
            return ""
    count = np.size(expected)
    what = "a number" if count == 1 else f"a tuple of {count} numbers"
    return f"{given!r} is no answer here: give {what}, without quotes and units."


def _same_answer(given, expected):
    """Whether they are the same, however it is written: "DA" or "A, D" for "AD", a list for a tuple."""
    if isinstance(expected, str):
        letters = "".join(map(str, given)) if isinstance(given, (str, list, tuple, set)) else ""
        return {letter for letter in letters.upper() if letter.isalnum()} == set(expected)
    return bool(np.array_equal(given, expected))


def counted(count, what):
    """A number of things: "1 kernel", "10 kernels"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def returned(result):
    """Raise NotYet if a function has returned nothing."""
    if result is ...:
        raise NotTried("Replace the ... in the cell above.")
    if result is None:
        raise NotYet("The function returned None: does it end with `return` and the result?")


def compare(result, expected, tolerance=1e-4):
    """Raise NotYet with the first difference between two arrays or numbers, if there is one."""
    returned(result)
    result, expected = np.asarray(result), np.asarray(expected)
    if result.shape != expected.shape:
        raise NotYet(f"The result has shape {result.shape}, expected is {expected.shape}.")
    if np.issubdtype(expected.dtype, np.inexact):
        wrong = ~np.isclose(result, expected, rtol=tolerance, atol=tolerance)
    else:
        wrong = result != expected
    count = int(np.count_nonzero(wrong))
    if count == 0:
        return
    if expected.ndim == 0:
        raise NotYet(f"The result is {result}, expected is {expected}.")
    first = tuple(int(place) for place in np.argwhere(wrong)[0])
    place = ", ".join(map(str, first))
    text = f"{count} of {wrong.size} elements differ. The first is [{place}]: "
    text += f"yours is {result[first]:.6g}, expected is {expected[first]:.6g}."
    unwritten = int(np.count_nonzero(np.isnan(result))) if np.issubdtype(result.dtype, np.inexact) else 0
    if unwritten and not np.isnan(expected).any():
        text += f" {unwritten} of your elements are nan: no thread wrote there, or one computed something like 0 / 0."
    elif not result.any():
        text += " All of your elements are 0: did the kernel write any?"
    raise NotYet(text)
