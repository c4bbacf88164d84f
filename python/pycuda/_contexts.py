# SPDX-License-Identifier: MIT
"""The default context, and results remembered for one context."""

from __future__ import annotations

import atexit
import functools
import gc
import os
import warnings
import weakref

from pycuda import _driver
from pycuda import driver as cuda
from pycuda._source_places import placed
from pycuda._unpicklable import restored

__all__ = [
    "clear_context_caches",
    "context_dependent_memoize",
    "context_dependent_memoized_functions",
    "get_default_device",
    "init_cuda_context_fixture",
    "make_default_context",
    "mark_cuda_test",
    "reset_context",
]


def _chosen_device_number():
    """The device number that the user asked for, or None: $CUDA_DEVICE, else the file ~/.cuda_device."""
    text = os.environ.get("CUDA_DEVICE")
    if text:
        try:
            return int(text)
        except ValueError:
            raise ValueError(f"CUDA_DEVICE={text} is not understood: set it to the number of a device") from None
    home = os.environ.get("HOME")
    if home is None:
        return None
    for name in (".cuda_device", ".cuda-device"):
        try:
            with open(os.path.join(home, name)) as chosen:
                text = chosen.read().strip()
        except OSError:
            continue
        try:
            return int(text)
        except ValueError:
            raise ValueError(f"~/{name} holds {text!r}: it may hold the number of a device") from None
    return None


def make_default_context(ctx_maker=None):
    """Make a context on the device that the user chose, else on the first device that allows it.

    Parameters
    ----------
    ctx_maker : callable, optional
        Makes a context on the device that it is given; `Device.make_context` by default.

    Raises
    ------
    RuntimeError
        (the built-in one) When there is no device, or none allows a context.

    Examples
    --------
    >>> context = tools.make_default_context()
    >>> context == driver.Context.get_current()
    True
    >>> context.detach()
    """
    if ctx_maker is None:

        def ctx_maker(device):
            return device.make_context()

    count = cuda.Device.count()
    if count == 0:
        raise RuntimeError("No CUDA enabled device found. Please check your installation.")

    number = _chosen_device_number()
    if number is not None:
        return ctx_maker(cuda.Device(number))

    last_error = None
    for ordinal in range(count):
        try:
            return ctx_maker(cuda.Device(ordinal))
        except cuda.Error as error:
            last_error = error
    raise RuntimeError(
        f"make_default_context() wasn't able to create a context on any of the {count} detected devices: {last_error}; "
        "`python -m pycuda` shows the driver and its devices"
    ) from last_error


_kept = {}  # the modules that keep a context, and what makes it


def keep_until_exit(module, ctx_maker=cuda.Device.make_context):
    """End `module.context`, which `ctx_maker` has made of a device, with the interpreter.

    Until then `reset_context` replaces it by another of `ctx_maker`.
    """
    _kept[module] = ctx_maker
    process = os.getpid()

    def finish_up():
        # A forked process has nothing but its parent's context.
        if module.context is None or os.getpid() != process:
            return
        ending, module.context = module.context, None
        clear_context_caches()
        if cuda.Context.get_current() == ending:
            ending.pop()

    atexit.register(finish_up)


def get_default_device(default=0):
    """The chosen device. Deprecated: use `make_default_context`."""
    warnings.warn(
        "get_default_device() is deprecated; use make_default_context() instead",
        DeprecationWarning,
        stacklevel=2,
    )
    number = _chosen_device_number()
    return cuda.Device(default if number is None else number)


def _context_in_use():
    """This thread's context, else the process's, which the calls of a thread without one use; None without any."""
    context = cuda.Context.get_current()
    return _driver._process_context() if context is None else context


context_dependent_memoized_functions: list = []


def context_dependent_memoize(func):
    """Decorator: remember results by the current context and the arguments, which must be hashable."""
    if not callable(func):
        raise TypeError(f"context_dependent_memoize decorates a function, not {type(func).__name__}")
    results: dict = {}
    context_dependent_memoized_functions.append(results)

    @functools.wraps(func)
    def remember(*args, **kwargs):
        key = (_context_in_use(), args, tuple(sorted(kwargs.items())) if kwargs else ())
        try:
            return results[key]
        except KeyError:
            # Threads that come at the same time all get what the first one to end has made.
            return results.setdefault(key, func(*args, **kwargs))

    remember.__dict__["_pycuda_ctx_dep_memoize_dic"] = results
    return remember


def remembered_with_object(func):
    """Decorator: remember what `func` gives for its first argument as long as that lives, by context and the rest."""
    results: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
    context_dependent_memoized_functions.append(results)

    @functools.wraps(func)
    def remember(owner, *args):
        of_owner = results.get(owner)
        if of_owner is None:
            of_owner = results.setdefault(owner, {})
        key = (_context_in_use(), args)
        try:
            return of_owner[key]
        except KeyError:
            return of_owner.setdefault(key, func(owner, *args))

    return remember


def _remade(kind, arguments):
    """A kernel that was pickled."""
    return restored(kind, kind, *arguments)


_made_elsewhere = weakref.WeakSet()


class MadeInContext:
    """A kernel that is made again in each context where it is called: it runs in the one where it was made."""

    def _remember_context(self, kind, *arguments):
        # Not a function that knows the kernel: a cycle would keep its module until it is found.
        self._context, self._made_by, self._elsewhere = _context_in_use(), (kind, arguments), {}
        _made_elsewhere.add(self)

    def __reduce__(self):
        kind, arguments = self._made_by
        if type(self) is not kind:
            raise TypeError(f"cannot pickle or copy {type(self).__name__}: only a plain {kind.__name__} is")
        return _remade, (kind, arguments)

    def _of_current_context(self):
        """The one of the context in use; this one where there is none."""
        context = _context_in_use()
        if context is None or context == self._context:
            return self
        made = self._elsewhere.get(context)
        if made is None:
            kind, arguments = self._made_by
            with placed(self._place):
                made = self._elsewhere.setdefault(context, kind(*arguments))
        return made


def clear_context_caches():
    """Forget what is remembered by context: by `context_dependent_memoize`, kernels made again, memory of arrays."""
    for results in context_dependent_memoized_functions:
        results.clear()
    for kernel in list(_made_elsewhere):
        kernel._elsewhere.clear()
    _driver._array.free_held_memory()
    _driver._array.forget_all()


#: What else makes its things again in the context that `reset_context` has made: functions without arguments.
after_reset = []


def reset_context():
    """Replace the current context, for instance after a kernel's fault, by a new one on the same device.

    Everything made in the old context is gone: memory, arrays, modules, streams and events. Compile
    and copy again. The context of `pycuda.autoinit`, `pycuda.autoprimaryctx` or `pycuda.gl.autoinit`
    is replaced in that module too.

    Returns
    -------
    Context
        The new context, current in this thread.

    Raises
    ------
    LogicError
        When no context is current, when others still hold a primary context that is lost, and on a
        GPU after a fault: NVIDIA's driver accepts no further work from such a process.

    Examples
    --------
    >>> context = tools.reset_context()
    >>> context == driver.Context.get_current()
    True
    """
    old = cuda.Context.get_current()
    if old is None:
        raise cuda.LogicError("reset_context failed: no context is current")
    device = old.get_device()
    holders = [module for module in _kept if module.context == old]
    ctx_maker = _kept[holders[0]] if holders else cuda.Device.make_context
    clear_context_caches()
    try:
        old.detach()
    except cuda.Error:
        pass  # the fault again
    new = ctx_maker(device)
    for module in holders:
        module.context = new
    for follow in after_reset:
        follow()
    return new


def _tell_fault(context):
    """Raise a kernel's fault that no call has reported. A capture that is open is not waited for."""
    try:
        context.synchronize()
    except cuda.Error:
        if context._fault_told:
            raise


def _with_context():
    """Init, give out a default context, and clean up after it."""
    cuda.init()
    context = make_default_context()
    if not isinstance(context, cuda.Context):
        raise TypeError(f"make_default_context() must return a Context, not {type(context).__name__}")
    try:
        yield context
        if not context._fault_told and cuda.Context.get_current() == context:
            _tell_fault(context)
    finally:
        # What the test made must go before its context does; cycles need the collector.
        clear_context_caches()
        gc.collect()
        if cuda.Context.get_current() == context:
            context.pop()
        context.detach()
        gc.collect()


def init_cuda_context_fixture():
    """Generator for a pytest fixture: a fresh default context, cleaned up afterwards."""
    yield from _with_context()


def mark_cuda_test(inner_f):
    """Decorator: run a test function in a fresh default context, and mark it `cuda` for pytest."""
    if not callable(inner_f):
        raise TypeError(f"mark_cuda_test decorates a function, not {type(inner_f).__name__}")

    @functools.wraps(inner_f)
    def run(*args, **kwargs):
        for _ in _with_context():
            result = inner_f(*args, **kwargs)
        return result

    try:
        import pytest
    except ImportError:
        return run
    return pytest.mark.cuda(run)
