# SPDX-License-Identifier: MIT
"""An OpenGL context without a display, by EGL, and the OpenGL functions that the examples and tests use."""

from __future__ import annotations

import ctypes
from typing import Any

BUFFER, TEXTURE_2D, RGBA8, RGBA, UNSIGNED_BYTE = 0x8892, 0x0DE1, 0x8058, 0x1908, 0x1401
_OPENGL_API, _OPENGL_BIT, _SURFACELESS = 0x30A2, 8, 0x31DD


class Unavailable(Exception):
    """There is no EGL with OpenGL."""


def _library(name: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise Unavailable(str(error)) from None


class HeadlessContext:
    """A context that is current on this thread until `close`; `share` is one to share objects with."""

    def __init__(self, version: tuple[int, int] = (3, 3), core: bool = True, share: HeadlessContext | None = None):
        self.display: Any
        self.context: Any
        self.egl = egl = _library("libEGL.so.1")
        for name in ("eglGetPlatformDisplay", "eglCreateContext", "eglGetProcAddress", "eglGetCurrentContext"):
            getattr(egl, name).restype = ctypes.c_void_p
        if share is not None:
            self.display = share.display
        else:
            self.display = self._find_display()
        if not egl.eglBindAPI(_OPENGL_API):
            raise Unavailable("EGL has no OpenGL")
        attributes = (ctypes.c_int * 5)(0x3040, _OPENGL_BIT, 0x3033, 0, 0x3038)  # renderable type, surface type
        config, count = ctypes.c_void_p(), ctypes.c_int()
        egl.eglChooseConfig(self.display, attributes, ctypes.byref(config), 1, ctypes.byref(count))
        if count.value == 0:
            raise Unavailable("EGL has no configuration for OpenGL")
        wanted = (ctypes.c_int * 7)(0x3098, version[0], 0x30FB, version[1], 0x30FD, 1 if core else 2, 0x3038)
        parent = ctypes.c_void_p(share.context if share is not None else None)
        self.context = egl.eglCreateContext(self.display, config, parent, wanted)
        if not self.context:
            raise Unavailable(f"EGL makes no context of OpenGL {version[0]}.{version[1]}")
        self.make_current()

    def _find_display(self) -> ctypes.c_void_p:
        major, minor = ctypes.c_int(), ctypes.c_int()
        for platform, native in self._platforms():
            display = ctypes.c_void_p(self.egl.eglGetPlatformDisplay(platform, ctypes.c_void_p(native), None))
            if display and self.egl.eglInitialize(display, ctypes.byref(major), ctypes.byref(minor)):
                return display
        raise Unavailable("EGL has no display that needs no screen")

    def _platforms(self) -> list[tuple[int, int | None]]:
        """The GPUs that EGL knows, as NVIDIA's has them, and Mesa's platform without a surface."""
        found: list[tuple[int, int | None]] = []
        address = self.egl.eglGetProcAddress(b"eglQueryDevicesEXT")
        if address:
            devices, count = (ctypes.c_void_p * 16)(), ctypes.c_int()
            query = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(address)
            if query(16, devices, ctypes.byref(count)):
                found = [(0x313F, device) for device in devices[: count.value]]
        return [*found, (_SURFACELESS, None)]

    def make_current(self) -> None:
        if not self.egl.eglMakeCurrent(self.display, None, None, ctypes.c_void_p(self.context)):
            raise Unavailable("EGL does not make a context current without a surface")

    def release(self) -> None:
        """No context is current any more."""
        self.egl.eglMakeCurrent(self.display, None, None, None)

    def close(self) -> None:
        if self.context:
            if self.egl.eglGetCurrentContext() == self.context:
                self.release()
            self.egl.eglDestroyContext(self.display, ctypes.c_void_p(self.context))
            self.context = None

    def __enter__(self) -> HeadlessContext:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def call(self, name: str, *arguments: Any, result: Any = None) -> Any:
        """OpenGL's function `name`: ints, and arrays or objects of ctypes for pointers."""
        address = self.egl.eglGetProcAddress(name.encode())
        if not address:
            raise Unavailable(f"OpenGL has no {name}")
        types = [ctypes.c_ssize_t if isinstance(argument, int) else ctypes.c_void_p for argument in arguments]
        values = [self._pointer(argument) for argument in arguments]
        return ctypes.CFUNCTYPE(result, *types)(address)(*values)

    @staticmethod
    def _pointer(argument: Any) -> Any:
        if hasattr(argument, "ctypes"):  # an array of NumPy
            return argument.ctypes.data
        return argument

    def new(self, kind: str) -> int:
        """A name from glGen`kind`."""
        name = ctypes.c_uint()
        self.call(f"glGen{kind}", 1, ctypes.byref(name))
        return name.value

    def buffer(self, data: Any) -> int:
        """A buffer with the bytes of an array."""
        name = self.new("Buffers")
        self.call("glBindBuffer", BUFFER, name)
        self.call("glBufferData", BUFFER, data.nbytes, data, 0x88E8)  # GL_DYNAMIC_DRAW
        return name

    def read_buffer(self, name: int, out: Any) -> Any:
        """Fills the array `out` from a buffer."""
        self.call("glBindBuffer", BUFFER, name)
        self.call("glGetBufferSubData", BUFFER, 0, out.nbytes, out)
        return out
