# SPDX-License-Identifier: MIT
from pycuda._driver import Context, Device

context: Context
device: Device
