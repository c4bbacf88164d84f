# SPDX-License-Identifier: MIT
"""Names that are almost those that a class, a module or a function has."""

import difflib
import warnings

_LIKENESS = 0.8


def _plain(name):
    return name.replace("_", "").lower()


def closest(name, names):
    """The one of `names` that `name` was probably to be; None if there is none."""
    by_plain = {_plain(one): one for one in names}
    for form, known in ((name, {one: one for one in by_plain.values()}), (_plain(name), by_plain)):
        found = difflib.get_close_matches(form, known, 1, _LIKENESS)
        if found:
            return known[found[0]]
    return None


_known_to_differ = set()


def warn_of_attribute(thing, name, also=()):
    """Warn of an attribute that the class of `thing` lacks, where it has one of almost the same name.

    The attribute is kept, as it is by the original. Classes of programs may have what attributes they like.

    Parameters
    ----------
    thing : object
    name : str
    also : iterable of str
        Attributes that its objects have and the class has not.
    """
    owner = type(thing)
    if name.startswith("_") or (owner, name) in _known_to_differ or not owner.__module__.startswith("pycuda."):
        return
    has = [*also, *(one for one in dir(owner) if not one.startswith("_"))]
    if f"set_{name}" in has:
        meant = f"call set_{name}(...)"
    else:
        # `dst_height` is another name than `height`.
        words = set(name.split("_"))
        close = closest(name, [one for one in has if not set(one.split("_")) < words])
        if close is None:
            _known_to_differ.add((owner, name))
            return
        meant = f"did you mean {close!r}?"
    text = f"{owner.__name__} has no attribute {name!r}, which is kept without an effect: {meant}"
    warnings.warn(text, UserWarning, stacklevel=3 if also else 2)
