# SPDX-License-Identifier: MIT
"""Importing this module makes the default device's primary context current: the one that most libraries use."""

import sys as _sys

import pycuda.driver as _driver
from pycuda import tools as _tools
from pycuda._contexts import keep_until_exit as _keep_until_exit


def _retain_and_push(device):
    primary = device.retain_primary_context()
    primary.push()
    return primary


_driver.init()

context: _driver.Context = _tools.make_default_context(_retain_and_push)
device: _driver.Device = context.get_device()
_keep_until_exit(_sys.modules[__name__], _retain_and_push)
