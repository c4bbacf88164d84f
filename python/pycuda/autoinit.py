# SPDX-License-Identifier: MIT
"""Importing this module initialises CUDA and makes a context on the default device."""

import atexit

import pycuda.driver as _driver
from pycuda import tools as _tools

_driver.init()

context = _tools.make_default_context()
device = context.get_device()


def _finish_up():
    global context
    if context is None:
        return
    ending, context = context, None
    _tools.clear_context_caches()
    if _driver.Context.get_current() == ending:
        ending.pop()


atexit.register(_finish_up)
