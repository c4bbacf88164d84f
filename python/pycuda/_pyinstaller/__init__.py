# SPDX-License-Identifier: MIT
"""What PyInstaller asks an installed package for: the folder of its hooks (entry point `pyinstaller40`)."""

import os


def hook_folders():
    """The folders that hold `hook-pycuda.py`.

    Returns
    -------
    list of str
    """
    return [os.path.dirname(os.path.abspath(__file__))]
