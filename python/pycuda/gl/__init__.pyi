# SPDX-License-Identifier: MIT
from pycuda._driver import BufferObject as BufferObject
from pycuda._driver import BufferObjectMapping as BufferObjectMapping
from pycuda._driver import RegisteredBuffer as RegisteredBuffer
from pycuda._driver import RegisteredImage as RegisteredImage
from pycuda._driver import RegisteredMapping as RegisteredMapping
from pycuda._driver import RegisteredObject as RegisteredObject
from pycuda._driver import gl_init as init
from pycuda._driver import graphics_map_flags as graphics_map_flags
from pycuda._driver import make_gl_context as make_context
from pycuda.driver import gl_get_devices as get_devices

__all__ = [
    "BufferObject",
    "BufferObjectMapping",
    "RegisteredBuffer",
    "RegisteredImage",
    "RegisteredMapping",
    "RegisteredObject",
    "get_devices",
    "graphics_map_flags",
    "init",
    "make_context",
]
