# SPDX-License-Identifier: MIT
"""What textures, surfaces, arrays and copies of boxes are refused for stands in the error, on the CPU driver."""

import ctypes
import re

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

REFERENCE = "texture<float, 2> image; __global__ void k(float *a) { a[0] = tex2D(image, 0, 0); }"


@pytest.fixture(autouse=True)
def _on_the_cpu_driver(context):
    if "CPU" not in drv.Device(0).name():
        pytest.skip("needs the CPU driver: NVIDIA's says no more than its result")


def array(width=8, height=4, flags=0):
    description = drv.ArrayDescriptor3D()
    description.width, description.height, description.depth = width, height, 0
    description.format, description.num_channels = drv.array_format.FLOAT, 1
    description.flags = flags
    return drv.Array(description)


def plane(width=8, height=4, channels=1):
    description = drv.ArrayDescriptor()
    description.width, description.height = width, height
    description.format, description.num_channels = drv.array_format.FLOAT, channels
    return description


def box(**changes):
    copy = drv.Memcpy2D()
    copy.set_src_host(np.zeros((64, 64), np.float32))
    copy.set_dst_device(drv.mem_alloc(4096))
    copy.src_pitch, copy.dst_pitch, copy.width_in_bytes, copy.height = 256, 64, 64, 64
    for name, value in changes.items():
        setattr(copy, name, value)
    copy(aligned=False)


def copy_to_array(**changes):
    copy = drv.Memcpy2D()
    copy.set_src_host(np.zeros((64, 64), np.float32))
    copy.set_dst_array(array())
    copy.src_pitch, copy.width_in_bytes, copy.height = 256, 32, 4
    for name, value in changes.items():
        setattr(copy, name, value)
    copy(aligned=False)


def refused_array(**changes):
    description = plane()
    for name, value in changes.items():
        setattr(description, name, value)
    drv.Array(description)


def reference():
    return SourceModule(REFERENCE).get_texref("image")


def set_pitched(offset=0, description=None, pitch=128):
    reference().set_address_2d(int(drv.mem_alloc(4096)) + offset, description or plane(), pitch)


CALLS = {
    "no width": (lambda: refused_array(width=0), "array: no array is 0 x 4 x 0 .*: a width from 1 to 131072"),
    "too wide": (lambda: refused_array(width=200000), "array: no array is 200000 x 4 x 0"),
    "three channels": (lambda: refused_array(num_channels=3), "texels: 3 channels, but there may be 1, 2 or 4"),
    "a surface of a plain array": (
        lambda: drv.SurfaceObject(array()),
        "surface: the array was made without CUDA_ARRAY3D_SURFACE_LDST",
    ),
    "a pitch": (lambda: set_pitched(pitch=100), "texture: the pitch of 100 bytes is .* no multiple of 32"),
    "an address": (lambda: set_pitched(offset=4), "texture: the address 0x[0-9a-f]+ is no multiple of 256"),
    "rows beyond memory": (lambda: set_pitched(description=plane(height=64)), "texture: the [0-9]+ bytes at 0x"),
    "no rows": (lambda: set_pitched(description=plane(height=0)), r"texture: no rows in memory are 8 x 0"),
    "no memory": (lambda: reference().set_address(1 << 46, 1 << 20), "texture: the 1048576 bytes at 0x"),
    "no bytes": (lambda: reference().set_address(drv.mem_alloc(4096), 0), "texture: 0 bytes of texels of 4 are 0"),
    "a pitch that is too small": (lambda: box(dst_pitch=32), "copy: the destination has a pitch of 32 bytes, too few"),
    "a copy beyond memory": (lambda: box(height=64, dst_pitch=128), "copy: the destination takes [0-9]+ bytes at 0x"),
    "half a texel": (lambda: copy_to_array(width_in_bytes=30), "copy: the destination is an array of texels of 4 byte"),
    "beyond an array": (
        lambda: copy_to_array(dst_y=2),
        "copy: the destination is an array of 32 bytes x 4 rows x 1 slices, too small for 32 bytes x 4 rows",
    ),
    "a run beyond an array": (
        lambda: drv.memcpy_atod(drv.mem_alloc(512), array(), 100, 64),
        "copy: 64 bytes from byte",
    ),
}


@pytest.mark.parametrize(("call", "words"), CALLS.values(), ids=CALLS.keys())
def test_a_refusal_says_why_in_its_error(call, words, capfd):
    with pytest.raises(drv.Error) as refused:
        call()
    text = str(refused.value)
    assert re.search(f"( - |; ){words}", text), text
    assert "\n" not in text
    drv.Context.synchronize()
    assert "pycuda: " not in capfd.readouterr().err


def test_a_reason_that_a_program_does_not_read_is_in_the_log(capfd):
    # As other libraries that use the driver in this process.
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "libcuda_cpu.so" in line)
    driver = ctypes.CDLL(path)
    nothing = ctypes.c_void_p()
    description = (ctypes.c_size_t * 3)(4, 4, 32 | 3 << 32)  # three channels of floats
    assert driver.cuArrayCreate_v2(ctypes.byref(nothing), description) == 1
    drv.Context.synchronize()
    assert "pycuda: texels: 3 channels, but there may be 1, 2 or 4" in capfd.readouterr().err


def test_flags_that_a_texture_has_not_are_refused_before_anything_is_bound():
    with pytest.raises(drv.LogicError, match="a texture has no flags of value 1048576"):
        reference().set_flags(1 << 20)
