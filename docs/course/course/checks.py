# SPDX-License-Identifier: MIT
"""Checks of exercises: they compare a result with the right one, and explain the first difference."""

import numpy as np


def check(result, expected, hint="", tolerance=1e-4):
    """Print whether `result` is `expected`; if it is not, where they differ first, and the hint.

    Nothing is raised, so that a notebook with open exercises runs to its end.
    """
    return check_all([_difference(result, expected, tolerance)], hint)


def check_all(problems, hint=""):
    """Print the first of the problems that is one (a text), and the hint; "Correct!" if none is."""
    problem = next(filter(None, problems), None)
    if problem is None:
        print("Correct!")
    else:
        print("Not yet. " + problem + (f"\nHint: {hint}" if hint else ""))
    return problem is None


def check_answer(answer, expected, why=""):
    """Print whether an answer (a number, several, or letters) is right; the explanation follows a right one."""
    if answer is None or answer is ...:
        print("Not yet. Replace the ... in the cell above by your answer.")
        return False
    if not _same_answer(answer, expected):
        print(f"Not yet. {answer!r} is not the answer; think again, then look at the solution.")
        return False
    print("Correct!" + (" " + why if why else ""))
    return True


def _same_answer(answer, expected):
    """Whether they are the same, however it is written: "DA" or "A, D" for "AD", a list for a tuple."""
    if isinstance(expected, str):
        letters = "".join(map(str, answer)) if isinstance(answer, (str, list, tuple, set)) else ""
        return {letter for letter in letters.upper() if letter.isalnum()} == set(expected)
    return bool(np.array_equal(answer, expected))


def _difference(result, expected, tolerance):
    if result is None or result is ...:
        return "Replace the ... in the cell above."
    if hasattr(result, "get"):
        result = result.get()
    result, expected = np.asarray(result), np.asarray(expected)
    if result.shape != expected.shape:
        return f"The result has shape {result.shape}, expected is {expected.shape}."
    if np.issubdtype(expected.dtype, np.inexact):
        wrong = ~np.isclose(result, expected, rtol=tolerance, atol=tolerance)
    else:
        wrong = result != expected
    count = int(np.count_nonzero(wrong))
    if count == 0:
        return None
    if expected.ndim == 0:
        return f"The result is {result}, expected is {expected}."
    first = tuple(int(place) for place in np.argwhere(wrong)[0])
    place = ", ".join(map(str, first))
    text = f"{count} of {wrong.size} elements differ. The first is [{place}]: "
    text += f"yours is {result[first]:.6g}, expected is {expected[first]:.6g}."
    if not result.any():
        text += " All of your elements are 0: did the kernel write any?"
    return text
