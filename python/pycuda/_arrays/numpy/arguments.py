# SPDX-License-Identifier: MIT
"""What NumPy's functions have in common here: keywords, and arguments that are not supported."""

import numpy as np


def refuse(name, **arguments):
    """TypeError for those of the arguments that are given: not None, nor NumPy's mark of an omitted argument."""
    for argument, value in arguments.items():
        if value is not None and value is not np._NoValue:
            raise TypeError(f"np.{name} of device arrays does not know the argument {argument!r}")


def keeps(keepdims):
    """Whether reduced axes stay, from an argument that may be left out."""
    return keepdims is not np._NoValue and bool(keepdims)
