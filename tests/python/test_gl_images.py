# SPDX-License-Identifier: MIT
"""pycuda.gl: OpenGL's textures and renderbuffers as CUDA's arrays, without a display."""

import ctypes

import numpy as np
import pycuda.driver as cuda
import pycuda.gl
import pytest
from opengl_contexts import (
    ARRAY,
    CUBE,
    FLOAT,
    HALF,
    RECTANGLE,
    RED,
    RENDERBUFFER,
    RG,
    RGBA,
    RGBA_INTEGER,
    TEXTURE_2D,
    TEXTURE_3D,
    UBYTE,
    UINT,
    USHORT,
    texture,
)
from programs import is_cpu
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.filterwarnings("ignore:.*has been deprecated")


def read_texture(gl, target, name, layout, kind, like):
    out = np.zeros_like(like)
    gl.call("glBindTexture", target, name)
    gl.call("glPixelStorei", 0x0D05, 1)
    gl.call("glGetTexImage", target, 0, layout, kind, out)
    return out


def copy_out(array, like):
    host = np.zeros_like(like)
    cuda.memcpy_atoh(host, array, 0)
    return host


@pytest.mark.parametrize(
    ("internal", "layout", "kind", "dtype", "channels"),
    [
        (0x8229, RED, UBYTE, np.uint8, 1),
        (0x822B, RG, UBYTE, np.uint8, 2),
        (0x8058, RGBA, UBYTE, np.uint8, 4),
        (0x805B, RGBA, USHORT, np.uint16, 4),
        (0x881A, RGBA, HALF, np.float16, 4),
        (0x822E, RED, FLOAT, np.float32, 1),
        (0x8814, RGBA, FLOAT, np.float32, 4),
        (0x8D70, RGBA_INTEGER, UINT, np.uint32, 4),
        (RGBA, RGBA, UBYTE, np.uint8, 4),
    ],
)
def test_formats_of_textures(both, internal, layout, kind, dtype, channels):
    data = np.arange(5 * 7 * channels).reshape(5, 7, channels).astype(dtype)
    name = texture(both, TEXTURE_2D, internal, layout, kind, data)
    registered = pycuda.gl.RegisteredImage(name, TEXTURE_2D)
    with registered.map() as mapping:
        array = mapping.array(0, 0)
        shape = array.get_descriptor()
        assert (shape.width, shape.height, shape.num_channels) == (7, 5, channels)
        if is_cpu():
            assert (copy_out(array, data) == data).all()
            cuda.memcpy_htoa(array, 0, (data + 1).astype(dtype))
    if is_cpu():
        assert (read_texture(both, TEXTURE_2D, name, layout, kind, data) == data + 1).all()


@pytest.mark.parametrize("target", [RECTANGLE, TEXTURE_3D, ARRAY])
def test_targets(both, target):
    shape = (4, 6, 4) if target == RECTANGLE else (3, 4, 6, 4)
    data = np.arange(np.prod(shape)).reshape(shape).astype(np.uint8)
    name = texture(both, target, 0x8058, RGBA, UBYTE, data)
    registered = pycuda.gl.RegisteredImage(name, target)
    layers = 3 if target == ARRAY else 1
    with registered.map() as mapping:
        for layer in range(layers):
            array, part = mapping.array(layer, 0), data[layer] if layers > 1 else data
            assert array.get_descriptor_3d().depth == (3 if target == TEXTURE_3D else 0)
            if is_cpu():
                assert (copy_out(array, part) == part).all()
                cuda.memcpy_htoa(array, 0, 255 - part)
        for index, level in ((layers, 0), (0, 1)):
            with pytest.raises(cuda.LogicError, match="cuGraphicsSubResourceGetMappedArray failed: invalid argument"):
                mapping.array(index, level)
    if is_cpu():
        assert (read_texture(both, target, name, RGBA, UBYTE, data) == 255 - data).all()


def test_faces_of_a_cube_and_levels_of_a_texture(both):
    name = both.new("Textures")
    both.call("glBindTexture", CUBE, name)
    faces = np.arange(6 * 8 * 8).reshape(6, 8, 8).astype(np.uint16)
    for face in range(6):
        both.call("glTexImage2D", 0x8515 + face, 0, 0x822A, 8, 8, 0, RED, USHORT, faces[face])
        both.call("glTexImage2D", 0x8515 + face, 1, 0x822A, 4, 4, 0, RED, USHORT, faces[face])
    both.call("glTexParameteri", CUBE, 0x813D, 1)
    with pycuda.gl.RegisteredImage(name, CUBE).map() as mapping:
        for face in range(6):
            assert mapping.array(face, 1).get_descriptor().width == 4
            if is_cpu():
                assert (copy_out(mapping.array(face, 0), faces[face]) == faces[face]).all()
                first = faces[face].reshape(-1)[:16]
                assert (copy_out(mapping.array(face, 1), first) == first).all()
        with pytest.raises(cuda.LogicError, match="invalid argument"):
            mapping.array(0, 2)


def test_all_levels_of_a_texture_are_one_array(both):
    name = both.new("Textures")
    both.call("glBindTexture", TEXTURE_2D, name)
    both.call("glPixelStorei", 0x0CF5, 1)
    for level in range(3):
        size = 16 >> level
        data = np.full((size, size), level + 1, np.float32)
        both.call("glTexImage2D", TEXTURE_2D, level, 0x822E, size, size, 0, RED, FLOAT, data)
    both.call("glTexParameteri", TEXTURE_2D, 0x813D, 2)
    registered = pycuda.gl.RegisteredImage(name, TEXTURE_2D)
    mapping = registered.map()
    levels = mapping.mipmapped_array()
    assert levels.levels == 3
    assert [levels.get_level(i).get_descriptor().width for i in range(3)] == [16, 8, 4]
    out = np.zeros(3, np.float32)
    read = SourceModule("""
    __global__ void read(float *out, cudaTextureObject_t t)
    {
      out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, threadIdx.x);
    }
    """).get_function("read")
    texture = cuda.TextureObject(levels, flags=cuda.TRSF_NORMALIZED_COORDINATES)
    read(cuda.Out(out), texture, block=(3, 1, 1))
    assert out.tolist() == [1, 2, 3]
    texture.free()
    written = np.arange(16, dtype=np.float32).reshape(4, 4)
    copy = cuda.Memcpy2D()
    copy.set_src_host(written)
    copy.set_dst_array(levels.get_level(2))
    copy.width_in_bytes = copy.src_pitch = 16
    copy.height = 4
    copy(aligned=True)
    mapping.unmap()
    with pytest.raises(cuda.LogicError, match="it has been unmapped before"):
        mapping.mipmapped_array()
    both.call("glBindTexture", TEXTURE_2D, name)
    found = np.zeros((4, 4), np.float32)
    both.call("glGetTexImage", TEXTURE_2D, 2, RED, FLOAT, found)
    assert (found == written).all()
    with pycuda.gl.RegisteredBuffer(both.buffer(np.zeros(4, np.int32))).map() as buffer:
        with pytest.raises(cuda.LogicError, match="cuGraphicsResourceGetMappedMipmappedArray"):
            buffer.mipmapped_array()


def test_faces_and_layers_of_all_levels_are_one_array(both):
    layers = np.arange(3 * 8 * 8).reshape(3, 8, 8).astype(np.uint8)
    name = texture(both, ARRAY, 0x8229, RED, UBYTE, layers)
    with pycuda.gl.RegisteredImage(name, ARRAY).map() as mapping:
        array = mapping.mipmapped_array()
        assert array.levels == 1
        descriptor = array.get_level(0).get_descriptor_3d()
        assert (descriptor.width, descriptor.height, descriptor.depth) == (8, 8, 3)
        if is_cpu():
            assert (copy_out(array.get_level(0), layers) == layers).all()


def test_a_renderbuffer(both):
    name, frame = both.new("Renderbuffers"), both.new("Framebuffers")
    both.call("glBindRenderbuffer", RENDERBUFFER, name)
    both.call("glRenderbufferStorage", RENDERBUFFER, 0x8058, 6, 4)
    both.call("glBindFramebuffer", 0x8D40, frame)
    both.call("glFramebufferRenderbuffer", 0x8D40, 0x8CE0, RENDERBUFFER, name)
    both.call("glEnable", 0x0C11)
    both.call("glScissor", 0, 0, 0, 0)  # of the program, which copies do not heed
    data = np.arange(96).reshape(4, 6, 4).astype(np.uint8)
    with pycuda.gl.RegisteredImage(name, RENDERBUFFER).map() as mapping:
        cuda.memcpy_htoa(mapping.array(0, 0), 0, data)
    out = np.zeros_like(data)
    both.call("glReadPixels", 0, 0, 6, 4, RGBA, UBYTE, out)
    assert (out == data).all()
    assert both.call("glIsEnabled", 0x0C11, result=ctypes.c_ubyte) == 1
    with pycuda.gl.RegisteredImage(name, RENDERBUFFER).map() as mapping:
        assert (copy_out(mapping.array(0, 0), data) == data).all()


def test_misuse_of_an_image_is_refused(both):
    if not is_cpu():
        pytest.skip("needs the CPU driver: its answers are listed here")
    data = np.zeros((4, 4, 4), np.uint8)
    name = texture(both, TEXTURE_2D, 0x8058, RGBA, UBYTE, data)
    with pytest.raises(cuda.LogicError, match="cuGraphicsGLRegisterImage failed: invalid resource handle"):
        pycuda.gl.RegisteredImage(12345, TEXTURE_2D)
    with pytest.raises(cuda.LogicError, match="invalid argument"):
        pycuda.gl.RegisteredImage(name, TEXTURE_3D)
    with pytest.raises(cuda.LogicError, match="invalid argument"):
        pycuda.gl.RegisteredImage(name, 0x0DE0)  # GL_TEXTURE_1D
    with pytest.raises(cuda.LogicError, match="invalid argument"):
        pycuda.gl.RegisteredImage(name, TEXTURE_2D, 16)
    three = texture(both, TEXTURE_2D, 0x8051, 0x1907, UBYTE, data)  # GL_RGB8
    with pytest.raises(cuda.LogicError, match="invalid argument"):
        pycuda.gl.RegisteredImage(three, TEXTURE_2D)
    mapping = pycuda.gl.RegisteredImage(name, TEXTURE_2D).map()
    with pytest.raises(cuda.LogicError, match="resource not mapped as pointer"):
        mapping.device_ptr_and_size()
    array = mapping.array(0, 0)
    mapping.unmap()
    with pytest.raises(cuda.LogicError, match="not mapped"):
        mapping.array(0, 0)
    assert array.get_descriptor().width == 4  # borrowed: freeing it frees nothing
    array.free()


def test_a_program_finds_its_own_opengl_state_after_a_mapping(both):
    first = both.buffer(np.zeros(16, np.int32))
    name = texture(both, TEXTURE_2D, 0x8058, RGBA, UBYTE, np.zeros((4, 4, 4), np.uint8))
    second = both.buffer(np.zeros(16, np.int32))
    both.call("glBindTexture", TEXTURE_2D, 0)
    both.call("glPixelStorei", 0x0D05, 8)
    both.call("glPixelStorei", 0x0CF2, 3)
    with pycuda.gl.RegisteredBuffer(first).map(), pycuda.gl.RegisteredImage(name, TEXTURE_2D).map():
        pass
    expected = {0x8894: second, 0x8069: 0, 0x0D05: 8, 0x0CF2: 3, 0x8F36: 0, 0x88ED: 0}
    for what, value in expected.items():
        found = np.zeros(1, np.int32)
        both.call("glGetIntegerv", what, found)
        assert found[0] == value, hex(what)
    assert both.call("glGetError", result=ctypes.c_uint) == 0


def test_a_kernel_writes_to_a_texture_by_a_surface(both):
    data = np.zeros((8, 8, 4), np.uint8)
    name = texture(both, TEXTURE_2D, 0x8058, RGBA, UBYTE, data)
    if not is_cpu():
        pytest.skip("needs the CPU driver: surface references are gone from CUDA 12")
    module = SourceModule("""
        surface<void, cudaSurfaceType2D> picture;
        __global__ void paint() {
            uchar4 value = make_uchar4(threadIdx.x, threadIdx.y, 7, 255);
            surf2Dwrite(value, picture, threadIdx.x * 4, threadIdx.y);
        }""")
    flags = cuda.graphics_register_flags.SURFACE_LDST
    with pycuda.gl.RegisteredImage(name, TEXTURE_2D, flags).map() as mapping:
        module.get_surfref("picture").set_array(mapping.array(0, 0))
        module.get_function("paint")(block=(8, 8, 1))
    out = read_texture(both, TEXTURE_2D, name, RGBA, UBYTE, data)
    assert (out[..., 0] == np.arange(8)).all()
    assert (out[..., 1] == np.arange(8)[:, None]).all()
    assert (out[..., 2] == 7).all()
