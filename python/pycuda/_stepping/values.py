# SPDX-License-Identifier: MIT
"""Values of variables as text, and what changed in them."""

import numpy as np

from pycuda._stepping.types import Pointer

_SHOWN = 4  # elements of an array that changed
_SHOWN_WHOLE = 12  # elements of an array that is shown as a whole


def text_of(value, of=None):
    """A value as it is shown; `of` is its `Type`, if that is known."""
    if isinstance(value, np.ndarray):
        if value.size > _SHOWN_WHOLE:
            return f"[{', '.join(text_of(one) for one in value.flat[:3])}, ... {value.size} elements]"
        inner = of.target if of is not None else None
        return "[" + ", ".join(text_of(one, inner) for one in value) + "]"
    if isinstance(value, np.void) and value.dtype.names:
        return "{" + ", ".join(f"{name} = {text_of(value[name], _field(of, name))}" for name in value.dtype.names) + "}"
    if of is not None and of.names and int(value) in of.names:
        return of.names[int(value)]
    if of is not None and of.is_character and 32 <= int(value) < 127:
        return f"{int(value)} '{chr(int(value))}'"
    if of is not None and of.is_pointer:
        return str(value) if isinstance(value, Pointer) else hex(value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return str(value)


def _field(of, name):
    return of.fields.get(name) if of is not None else None


def is_same(one, other):
    """Whether two values have the same bits; what is between the members of structures does not count."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (np.ndarray, np.generic)):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        if one.dtype.names:
            return all(is_same(one[name], other[name]) for name in one.dtype.names)
        return one.tobytes() == other.tobytes()
    return one == other or (one != one and other != other)


def _new_elements(before, value):
    return [index for index in np.ndindex(value.shape) if not is_same(value[index], before[index])]


def _element(name, index):
    return name + "".join(f"[{one}]" for one in index)


def text_of_change(name, before, value, of=None):
    """A variable's new value, of an array or a structure the elements that are new."""
    if isinstance(value, np.ndarray) and isinstance(before, np.ndarray) and value.shape == before.shape:
        new = _new_elements(before, value)
        inner = of.target if of is not None else None
        if len(new) <= _SHOWN:
            return ", ".join(text_of_change(_element(name, index), before[index], value[index], inner) for index in new)
        if value.size > _SHOWN_WHOLE:
            return f"{name}: {len(new)} new elements"
    if isinstance(value, np.void) and isinstance(before, np.void) and value.dtype.names:
        new = [one for one in value.dtype.names if not is_same(value[one], before[one])]
        return ", ".join(text_of_change(f"{name}.{one}", before[one], value[one], _field(of, one)) for one in new)
    return f"{name} = {text_of(value, of)}"


def text_of_shared_change(name, before, value, of, own):
    """What other threads changed in a shared variable, as a list of one text or none.

    Parameters
    ----------
    own : set of str
        The elements that the thread has written itself.
    """
    written = {one.partition(".")[0] for one in own}
    if not isinstance(value, np.ndarray):
        return [] if name in written else [f"other threads: {name} = {text_of(value, of)}"]
    new = [index for index in _new_elements(before, value) if _element(name, index) not in written]
    if len(new) > _SHOWN:
        return [f"other threads: {len(new)} new elements of {name}"]
    inner = of.target if of is not None else None
    return [f"other threads: {_element(name, index)} = {text_of(value[index], inner)}" for index in new]
