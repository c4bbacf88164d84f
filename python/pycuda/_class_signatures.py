# SPDX-License-Identifier: MIT
"""Signatures of the extension's classes, for Pythons whose `inspect` finds none, such as Debian 12's 3.11.2.

nanobind's classes have a `__new__` without parameters, which these Pythons ask first.
"""


def _is_of_extension(function):
    return type(function).__name__ == "nb_method"


class _ClassSignature:
    """The attribute `__signature__` of a class, from its `__init__`."""

    def __get__(self, instance, cls):
        from pycuda._signatures import of_bound_method  # start-up time: `inspect` is for people

        if not _is_of_extension(cls.__init__):
            raise AttributeError(f"{cls.__name__} has no signature of its own")
        return of_bound_method(cls.__init__)


def add_to(classes):
    """Give the classes that have an `__init__` of the extension's a signature."""
    for one in classes:
        if isinstance(one, type) and _is_of_extension(vars(one).get("__init__")):
            one.__signature__ = _ClassSignature()
