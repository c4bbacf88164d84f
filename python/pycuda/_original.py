# SPDX-License-Identifier: MIT
"""Finds the original PyCUDA in the folder of this package: both install the package `pycuda`."""

import os
import sys

# In two steps: pip refuses to remove `pycuda` while pycuda-anywhere has that name registered, too.
_REMEDY = (
    "the original PyCUDA and pycuda-anywhere are installed in the same place and have overwritten parts of each other: "
    "`pip uninstall -y pycuda-anywhere && pip uninstall -y pycuda && pip install pycuda-anywhere`"
)


def problem():
    """What is wrong and how to fix it, or None.

    It looks at the package's own folder alone, because every import calls it.
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    try:
        names = os.listdir(folder)
    except OSError:  # in an archive, for instance: there the original, with its extension, is not
        return None
    # The original's second extension; here it is a Python file.
    if any(name.startswith("_pvt_struct.") and name.endswith((".so", ".pyd")) for name in names):
        return _REMEDY
    return None if hasattr(sys.modules[__package__], "ANYWHERE_VERSION") else _REMEDY
