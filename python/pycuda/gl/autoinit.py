# SPDX-License-Identifier: MIT
"""Importing this module initialises CUDA and makes a context for the OpenGL context that is current."""

import atexit
import os

import pycuda.driver as _driver
import pycuda.gl as _gl
from pycuda import tools as _tools

_driver.init()

context = _tools.make_default_context(_gl.make_context)
device = context.get_device()
_process = os.getpid()


def _finish_up():
    global context
    # A forked process has nothing but its parent's context.
    if context is None or os.getpid() != _process:
        return
    ending, context = context, None
    _tools.clear_context_caches()
    if _driver.Context.get_current() == ending:
        ending.pop()


atexit.register(_finish_up)
