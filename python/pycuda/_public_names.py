# SPDX-License-Identifier: MIT
"""What Python's errors call the methods of a class that is not public: `ScanKernel.__init__`, say."""

import types


def without_underscore(cls):
    """Decorate a class whose methods public classes inherit."""
    for method in vars(cls).values():
        if isinstance(method, types.FunctionType):
            method.__qualname__ = method.__qualname__.lstrip("_")
    return cls
