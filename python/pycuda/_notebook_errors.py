# SPDX-License-Identifier: MIT
"""Errors in notebooks: without the package's own lines, at the cell that made them, and a context after a fault."""

from __future__ import annotations

import sys
import types

from pycuda import _contexts, _driver, driver
from pycuda._notebook_kernels import renew

_LOST = "The context is lost"  # as the package's errors say
_REPLACED_BY = f"{_LOST}: the next %%cuda cell that you run replaces it, or type %cuda_reset."
_HIDDEN = ("pycuda", "IPython", "course", "contextlib")


def _shown_part(traceback):
    """The traceback without frames of the package; the first frame, IPython's, is one that IPython leaves out."""
    steps = []
    while traceback is not None:
        name = traceback.tb_frame.f_globals.get("__name__", "").split(".")[0]
        if not steps or name not in _HIDDEN:
            steps.append(traceback)
        traceback = traceback.tb_next
    shown = None
    for step in reversed(steps):
        shown = types.TracebackType(shown, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return shown


def _show_error(shell, kind, error, traceback, tb_offset=None):
    # An exception may have its own text, in place of a traceback.
    if hasattr(error, "_render_traceback_"):
        lines = error._render_traceback_()
    elif shell.call_pdb or kind.__module__.startswith("IPython") or issubclass(kind, SyntaxError):
        return shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)
    else:
        sys.last_type, sys.last_value, sys.last_traceback = kind, error, traceback  # for %debug
        lines = shell.InteractiveTB.structured_traceback(kind, error, _shown_part(traceback), tb_offset=tb_offset)
    shell._showtraceback(kind, error, lines)
    return lines


def is_lost():
    """Whether a fault has ended the current context."""
    try:
        driver.mem_get_info()
    except driver.Error:
        return True
    return False


def _notes_of(error):
    return getattr(error, "__notes__", ())


def _advised(text):
    return "\n".join(_REPLACED_BY if line.startswith(_LOST) else line for line in text.splitlines())


def shown_array(array):
    """The `repr` of an array; that of a lost one says how a notebook replaces the context."""
    text = repr(array)
    return _advised(text.removesuffix(">")) + ">" if f"\n{_LOST}" in text and _can_be_replaced() else text


def _advise_notebook(error):
    """Let an error say how a notebook replaces the context, in place of how a program does."""
    if isinstance(error, driver.Error):
        error.args = (_advised(str(error)), *error.args[1:])
    if notes := _notes_of(error):
        notes[:] = map(_advised, notes)


def _tells_of_fault(error):
    """Whether the error of a cell, or a note below it, says why the context is lost."""
    return isinstance(error, driver.Error) or any(_LOST in note for note in _notes_of(error))


def _can_be_replaced():
    """Whether the driver accepts another context after a fault: NVIDIA's does not in the same process."""
    return _driver._rtc.driver_origin()["kind"] == "CPU"


class Faults:
    """Finds faults at the end of the cell that has made them, and replaces a lost context."""

    def __init__(self, shell):
        self._shell = shell
        self._lost_in = ""  # the cell whose launch has failed, such as "In[6]"
        self.is_within = False  # a magic runs a cell within a cell
        self.is_shown = False  # the cell has printed its fault itself
        self.cell_id = None  # the running cell's, where the notebook tells it
        shell.set_custom_exc((Exception, KeyboardInterrupt), self._show)
        shell.events.register("pre_run_cell", self._begin_cell)
        shell.events.register("post_run_cell", self._end_cell)
        _contexts.after_reset[:] = [self._make_again]

    def _show(self, shell, kind, error, traceback, tb_offset=None):
        """Show an error once, at the outer of two cells."""
        if _can_be_replaced():
            _advise_notebook(error)
        return [] if self.is_within else _show_error(shell, kind, error, traceback, tb_offset)

    def _begin_cell(self, info=None):
        if not self.is_within:
            self.cell_id = getattr(info, "cell_id", None)

    def _end_cell(self, result=None):
        """Wait for the cell's kernels: what they print and how they fail is then shown with their cell."""
        if self.is_within:
            return
        try:
            if driver.Context.get_current() is None or self._is_capturing():
                return
            driver.Context.synchronize()
        except KeyboardInterrupt:  # IPython would show it as an error of this function
            self._say_interrupted(result)
        except driver.Error as error:
            self._say_lost(error, result)
        finally:
            self.is_shown = False

    def _say_interrupted(self, result):
        try:
            driver.mem_get_info()
        except driver.Error as error:  # the CPU driver has ended the kernel
            self._say_lost(error, result)
        else:
            print("Interrupted; kernels of this cell may still run.", file=sys.stderr)

    def _say_lost(self, error, result):
        if self._lost_in or not is_lost():
            return
        self._lost_in = f"In[{getattr(result, 'execution_count', None) or '?'}]"
        text = str(error).replace("the context was lost earlier: ", "", 1)  # it was lost in this cell
        words = [line for line in text.splitlines() if not (_can_be_replaced() and line.startswith(_LOST))]
        shown = getattr(result, "error_in_exec", None)
        if not self.is_shown and not _tells_of_fault(shown):
            print("A launch of this cell failed.", "\n".join(words), file=sys.stderr)
        if _can_be_replaced() and not any(_REPLACED_BY in text for text in (str(shown), *_notes_of(shown))):
            print(_REPLACED_BY, file=sys.stderr)

    def _is_capturing(self):
        """Whether a stream records a graph, which waiting would end."""
        streams = [value for value in self._shell.user_ns.values() if isinstance(value, driver.Stream)]
        return any(stream.get_capture_info() is not None for stream in streams)

    def replace_context(self):
        """Make a new context; kernels of cells follow.

        Raises
        ------
        LogicError
            On a GPU after a fault.
        """
        from pycuda.tools import reset_context  # start-up time: only after a fault

        reset_context()

    def _make_again(self):
        """Make the kernels of cells for a new context, also one of the program's; say what remains to be done."""
        lost_in, self._lost_in = self._lost_in, ""
        arrays = renew(self._shell.user_ns)
        why = f"An earlier launch (cell {lost_in}) lost the context. " if lost_in else ""
        again = f"copy the arrays again ({', '.join(arrays)})" if arrays else "no arrays were lost"
        print(f"{why}There is a new context: kernels of %%cuda cells are compiled again, {again}.")
