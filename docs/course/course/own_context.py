# SPDX-License-Identifier: MIT
"""Functions of exercises run in a context of their own, with every access checked: a fault leaves the notebook's alone.

The kernels that they use are compiled for it once more, from the notebook's cells.
"""

import builtins
import contextlib
import dis
import time
import types
from dataclasses import dataclass, field

import numpy as np
import pycuda
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda._notebook_kernels import NotCompiled
from pycuda.gpuarray import GPUArray
from pycuda.ipython_magic import cell_of, compile_again
from pycuda.tools import clear_context_caches

from .checks import NotTried, NotYet, kernels_of_cell_before
from .plans import on_cpu_driver


@dataclass
class Run:
    """What a function has returned and done.

    Attributes
    ----------
    result : object
        As returned; arrays as NumPy's.
    on_device, page_locked : bool
        Where the returned array was.
    work : list
        The `work` of a `pycuda.Profile`.
    polled : list
        (time, stream or event) of each `is_done` and `query` that said yes, on the clock of `work`.
    counted : list
        The `kernels` of `pycuda.counters`, if the check asks for them; empty on a GPU.
    seen : object
        What `look` has returned.
    """

    result: object = None
    on_device: bool = False
    page_locked: bool = False
    work: list = field(default_factory=list)
    polled: list = field(default_factory=list)
    counted: list = field(default_factory=list)
    seen: object = None


def run_checked(function, *arguments, look=None, count=False):
    """Call `function(*arguments)` with every check of the CPU driver; raise NotYet with what is found.

    Arguments that are a `ToDevice` are on the device. `look` is called afterwards, with the kernels that the function
    uses by name, while they exist. `count`: with what the warps do.
    """
    if not callable(function):
        raise NotTried("Replace the ... in the cell above.")
    _refuse_other_name(function)
    if not on_cpu_driver():  # no checks, and a fault ends CUDA for the process whatever the context
        return _run(function, arguments, look, _kernels_of(function))
    context = pycuda.autoinit.device.make_context()
    try:
        with _kernels_of_this_context(function) as kernels:
            return _with_checks(function, arguments, look, kernels, count)
    finally:
        clear_context_caches()
        with contextlib.suppress(cuda.Error):  # the fault again
            context.pop()
        with contextlib.suppress(cuda.Error):
            context.detach()


class ToDevice:
    """An argument that is copied to the device of the context in which the function runs."""

    def __init__(self, array):
        self.array = array


def _with_checks(function, arguments, look, kernels, count):
    found, error = [], None
    try:
        with pycuda.checks("memory", "race", "sync") as found:
            run = _run(function, arguments, None, kernels, count)
    except Exception as problem:
        error = problem
    if found:
        # A fault is the plainest mistake, and a race may be what follows from it or from a misused barrier.
        raise NotYet(str(min(found, key=lambda one: ("memory", "sync", "race").index(one.check)))) from error
    if error is not None:
        raise error
    if look is not None:
        run.seen = look(kernels)
    return run


def _run(function, arguments, look, kernels, count=False):
    from pycuda import gpuarray

    given = [gpuarray.to_gpu(one.array) if isinstance(one, ToDevice) else one for one in arguments]
    # The profile is the inner one: counting waits for the device at its end.
    counting = pycuda.counters() if count else contextlib.nullcontext([])
    with counting as counted, _polls() as polled, pycuda.profile() as recorded:
        result = function(*given)
    run = Run(on_device=isinstance(result, GPUArray), page_locked=is_page_locked(result))
    run.work, run.polled, run.counted = recorded.work, polled, list(counted)
    run.result = _kept(result)
    cuda.Context.synchronize()
    if look is not None:
        run.seen = look(kernels)
    return run


def _kept(result):
    """A result without memory that goes with the context."""
    if isinstance(result, (list, tuple)):
        return [_kept(one) for one in result]
    if isinstance(result, GPUArray):
        return result.get()
    return np.array(result) if isinstance(result, np.ndarray) else result


@contextlib.contextmanager
def _polls():
    """Collect (time, stream or event) of the questions whether it is done that are answered by yes."""
    answered = []

    def noting(ask):
        def is_done(self):
            answer = ask(self)
            if answer:
                answered.append((time.perf_counter(), self.handle))
            return answer

        return is_done

    questions = [(cuda.Stream, "is_done"), (cuda.Event, "query")]
    known = [getattr(kind, name) for kind, name in questions]
    for (kind, name), ask in zip(questions, known):
        setattr(kind, name, noting(ask))
    try:
        yield answered
    finally:
        for (kind, name), ask in zip(questions, known):
            setattr(kind, name, ask)


def is_page_locked(array):
    """Whether an array, or each of a list of them, is in page-locked memory."""
    if isinstance(array, (list, tuple)):
        return bool(array) and all(map(is_page_locked, array))
    while isinstance(array, np.ndarray):
        array = array.base
    return isinstance(array, cuda.HostPointer)


def names_in(code):
    """The names that a function's code asks for, with those of functions in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def _refuse_other_name(function):
    """Raise NotYet if the cell before the check defines a kernel, and not the one that the check's function calls."""
    defined = kernels_of_cell_before()
    if not defined or not isinstance(function, types.FunctionType):
        return
    asked = dict.fromkeys(one.argval for one in dis.get_instructions(function) if one.opname == "LOAD_GLOBAL")
    known = vars(builtins) | function.__globals__
    wanted = [name for name in asked if isinstance(known.get(name), (cuda.Function, NotCompiled)) or name not in known]
    if wanted and not set(defined) & set(asked):
        raise NotYet(
            f"The cell before this one defines the kernel `{defined[0]}`, and this one calls `{wanted[0]}`: name the "
            f"kernel `{wanted[0]}`, and run its cell again."
        )


def _kernels_of(function, known=None):
    """The kernels of cells that a notebook's function uses, itself or through others, by name."""
    known = {} if known is None else known
    if not isinstance(function, types.FunctionType):
        return {}
    names = function.__globals__
    for name in names_in(function.__code__):
        value = names.get(name)
        if name not in known and cell_of(value) is not None:
            known[name] = value
        elif isinstance(value, types.FunctionType) and value.__globals__ is names and name not in known:
            known[name] = value
            _kernels_of(value, known)
    return {name: value for name, value in known.items() if not isinstance(value, types.FunctionType)}


@contextlib.contextmanager
def _kernels_of_this_context(function):
    """Replace the kernels that `function` uses by those of the current context."""
    old = _kernels_of(function)
    new = {}
    for name, kernel in old.items():
        made = compile_again(cell_of(kernel))
        new[name] = made[kernel.name]
    names = getattr(function, "__globals__", {})
    names.update(new)
    try:
        yield new
    finally:
        names.update(old)
