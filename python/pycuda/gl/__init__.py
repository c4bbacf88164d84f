# SPDX-License-Identifier: MIT
"""OpenGL's buffers and images in kernels: registered once, and mapped while kernels use them.

Every call is for the OpenGL context that is current on the calling thread. On the CPU driver a mapping is a copy.
"""

from pycuda.driver import (
    BufferObject,
    BufferObjectMapping,
    RegisteredBuffer,
    RegisteredImage,
    RegisteredMapping,
    RegisteredObject,
    graphics_map_flags,
)
from pycuda.driver import gl_get_devices as get_devices
from pycuda.driver import gl_init as init
from pycuda.driver import make_gl_context as make_context

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
