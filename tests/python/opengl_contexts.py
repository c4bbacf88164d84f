# SPDX-License-Identifier: MIT
"""OpenGL in a context without a display, for tests."""

import pathlib
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import headless_gl  # noqa: E402

RED, RG, RGBA, RGBA_INTEGER = 0x1903, 0x8227, 0x1908, 0x8D99
UBYTE, USHORT, UINT, FLOAT, HALF = 0x1401, 0x1403, 0x1405, 0x1406, 0x140B
TEXTURE_3D, RECTANGLE, CUBE, ARRAY, RENDERBUFFER = 0x806F, 0x84F5, 0x8513, 0x8C1A, 0x8D41
TEXTURE_2D = headless_gl.TEXTURE_2D


def open_gl(**wanted):
    try:
        return headless_gl.HeadlessContext(**wanted)
    except headless_gl.Unavailable as error:
        pytest.skip(f"needs EGL with OpenGL: {error}")


@pytest.fixture
def gl():
    made = open_gl()
    yield made
    made.close()


@pytest.fixture
def both(gl, context):
    """OpenGL, and a CUDA context that ends first."""
    return gl


def texture(gl, target, internal, layout, kind, data):
    """A texture of one level; the shape of `data` begins with depth (3-D, layers), height, width."""
    name = gl.new("Textures")
    gl.call("glBindTexture", target, name)
    gl.call("glPixelStorei", 0x0CF5, 1)
    shape = data.shape[:3] if target in (TEXTURE_3D, ARRAY) else data.shape[:2]
    call = "glTexImage3D" if len(shape) == 3 else "glTexImage2D"
    gl.call(call, target, 0, internal, *reversed(shape), 0, layout, kind, data)
    gl.call("glTexParameteri", target, 0x813D, 0)  # GL_TEXTURE_MAX_LEVEL
    return name
