# SPDX-License-Identifier: MIT
"""Importing this module initialises CUDA and makes a context on the default device."""

import sys as _sys

import pycuda.driver as _driver
from pycuda import tools as _tools
from pycuda._contexts import keep_until_exit as _keep_until_exit

_driver.init()

context: _driver.Context = _tools.make_default_context()
device: _driver.Device = context.get_device()
_keep_until_exit(_sys.modules[__name__])
