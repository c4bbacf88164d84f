# SPDX-License-Identifier: MIT
"""Importing this module makes the default device's primary context current: the one that most libraries use."""

import atexit
import os

import pycuda.driver as _driver
from pycuda import tools as _tools


def _retain_and_push(device):
    primary = device.retain_primary_context()
    primary.push()
    return primary


_driver.init()

context = _tools.make_default_context(_retain_and_push)
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
