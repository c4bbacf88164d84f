# SPDX-License-Identifier: MIT
"""Which names of a program hold device memory: the pytest plug-in names them when a test leaves memory allocated."""

from __future__ import annotations

import gc
import sys
import types

import numpy as np

_MOST_NAMED = 3
_MOST_VISITED = 100_000
# Between a module's variable, or a fixture's value, and an array.
_DEPTH = 4


def _held_objects():
    """What holds device memory: arrays, allocations and modules of kernels."""
    from pycuda import _driver  # start-up time: pytest loads the plug-in for every project

    names = ("_ArrayBase", "DeviceAllocation", "ManagedAllocation", "PooledDeviceAllocation", "StreamOrderedAllocation")
    return tuple(getattr(_driver, name) for name in (*names, "Array", "Module"))


def _described(thing):
    shape = getattr(thing, "shape", None)
    kind = type(thing).__name__
    kind = f"{'an' if kind[0] in 'An' else 'a'} {kind}"
    return kind if shape is None else f"{kind} of shape {tuple(shape)} and dtype {thing.dtype}"


def _parts(thing):
    """What a container or an object of the program's has in it, as pairs (how it is written, object)."""
    if isinstance(thing, dict):
        return [(f"[{key!r}]", value) for key, value in list(thing.items())]
    if isinstance(thing, (list, tuple)):
        return [(f"[{number}]", value) for number, value in enumerate(thing)]
    if isinstance(thing, (set, frozenset)):
        return [("", value) for value in thing]
    if isinstance(thing, types.FunctionType):
        cells = zip(thing.__code__.co_freevars, thing.__closure__ or ())
        held = [(f" ({name})", cell.cell_contents) for name, cell in cells if cell != types.CellType()]
        return held + [(f".{name}", value) for name, value in vars(thing).items()]
    return [(f".{name}", value) for name, value in list(getattr(thing, "__dict__", {}).items())]


def _modules_of(folder):
    """The program's modules: those whose files are below the folder, without installed packages."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if file.startswith(folder) and "site-packages" not in file:
            yield name, module


def holders(folder, fixtures=()):
    """Which variables hold device memory, by the identity of the object: "test_it.kept[0], a GPUArray of ...".

    Parameters
    ----------
    folder : str
        The project's; variables of the modules below it are looked through.
    fixtures : iterable of (str, object)
        Names and values that live longer than a test.

    Returns
    -------
    dict
    """
    level = [(f"{name}.{key}", value) for name, module in _modules_of(folder) for key, value in vars(module).items()]
    return _found_in([*level, *((f"the fixture {name}", value) for name, value in fixtures)])


def holds_memory(instance):
    """Whether a test's instance of its class, or None, holds device memory."""
    return bool(_found_in([("self", instance)]))


def _found_in(level):
    held = _held_objects()
    found, seen = {}, set()
    for _ in range(_DEPTH + 1):
        following = []
        for name, thing in level:
            if id(thing) in seen or isinstance(thing, (type, types.ModuleType)) or len(seen) > _MOST_VISITED:
                continue
            seen.add(id(thing))
            # Managed memory is the base of NumPy's arrays.
            if isinstance(thing, held) or (isinstance(thing, np.ndarray) and isinstance(thing.base, held)):
                found[id(thing)] = f"{name}, {_described(thing)}"
            elif gc.is_tracked(thing):
                following += [(name + part, value) for part, value in _parts(thing)]
        level = following
    return found


def where(folder, fixtures, known):
    """A sentence on what holds device memory, without the holders that are known already; "" if none is found.

    Parameters
    ----------
    folder, fixtures
        As for `holders`.
    known : dict
        The holders of earlier tests; those that are found are added.

    Returns
    -------
    str
    """
    found = holders(folder, fixtures)
    new = [text for key, text in found.items() if known.get(key) != text]
    known.update(found)
    if not new:
        return ""
    # A module may be kept for its kernels, and hold next to nothing.
    new = [text for text in new if not text.endswith(", a Module")] or new
    more = f" and {len(new) - _MOST_NAMED} more" if len(new) > _MOST_NAMED else ""
    return f"held by {'; '.join(new[:_MOST_NAMED])}{more}"
