# SPDX-License-Identifier: MIT
"""pycuda.gl: OpenGL's buffers and images, in a context without a display."""

import ctypes
import pathlib
import sys

import numpy as np
import pycuda.driver as cuda
import pycuda.gl
import pytest
from programs import is_cpu, run_program
from pycuda import gpuarray
from pycuda.compiler import SourceModule

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

import headless_gl  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:.*has been deprecated")

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


def as_array(mapping, dtype=np.int32):
    address, size = mapping.device_ptr_and_size()
    return gpuarray.GPUArray(size // np.dtype(dtype).itemsize, dtype, gpudata=address, base=mapping)


def test_a_kernel_writes_to_a_buffer_that_opengl_reads(both):
    buffer = both.buffer(np.arange(1000, dtype=np.int32))
    registered = pycuda.gl.RegisteredBuffer(buffer)
    assert registered.gl_handle() == buffer
    with registered.map() as mapping:
        address, size = mapping.device_ptr_and_size()
        assert address and size == 4000
        values = as_array(mapping)
        values *= 2
    assert (both.read_buffer(buffer, np.zeros(1000, np.int32)) == 2 * np.arange(1000)).all()
    registered.unregister()


def test_what_opengl_writes_between_mappings_is_seen(both):
    buffer = both.buffer(np.zeros(16, np.int32))
    registered = pycuda.gl.RegisteredBuffer(buffer)
    stream = cuda.Stream()
    for value in (3, 8):
        both.call("glBindBuffer", headless_gl.BUFFER, buffer)
        both.call("glBufferSubData", headless_gl.BUFFER, 0, 64, np.full(16, value, np.int32))
        mapping = registered.map(stream)
        assert (as_array(mapping).get() == value).all()
        mapping.unmap(stream)


def test_unmapping_waits_for_the_stream(both):
    buffer = both.buffer(np.zeros(1 << 16, np.int32))
    registered = pycuda.gl.RegisteredBuffer(buffer, pycuda.gl.graphics_map_flags.WRITE_DISCARD)
    count = SourceModule("""
        __global__ void count(int *out) {
            int value = 0;
            for (int i = 0; i < 2000; ++i) value = __shfl_sync(~0u, value, 0) + 1;
            out[blockIdx.x * blockDim.x + threadIdx.x] = value;
        }""").get_function("count")
    stream = cuda.Stream()
    mapping = registered.map(stream)
    count(np.uintp(mapping.device_ptr_and_size()[0]), block=(256, 1, 1), grid=(256, 1), stream=stream)
    mapping.unmap()
    assert (both.read_buffer(buffer, np.zeros(1 << 16, np.int32)) == 2000).all()


def test_map_flags_say_what_is_copied(both):
    if not is_cpu():
        pytest.skip("needs the CPU driver: on a GPU the flags are hints")
    flags = pycuda.gl.graphics_map_flags
    buffer = both.buffer(np.full(16, 5, np.int32))
    registered = pycuda.gl.RegisteredBuffer(buffer, flags.READ_ONLY)
    with registered.map() as mapping:
        assert (as_array(mapping).get() == 5).all()
        as_array(mapping).fill(6)
    assert (both.read_buffer(buffer, np.zeros(16, np.int32)) == 5).all()
    registered.set_map_flags(flags.WRITE_DISCARD)
    with registered.map() as mapping:
        as_array(mapping).fill(7)
        with pytest.raises(cuda.LogicError, match="resource already mapped"):
            registered.set_map_flags(flags.NONE)
    assert (both.read_buffer(buffer, np.zeros(16, np.int32)) == 7).all()
    with pytest.raises(cuda.LogicError, match="invalid argument"):
        registered.set_map_flags(3)


def test_an_immutable_buffer_is_written(context):
    gl = open_gl(version=(4, 4))
    buffer = gl.new("Buffers")
    gl.call("glBindBuffer", headless_gl.BUFFER, buffer)
    gl.call("glBufferStorage", headless_gl.BUFFER, 64, np.zeros(16, np.int32), 0)
    with pycuda.gl.RegisteredBuffer(buffer).map() as mapping:
        as_array(mapping).fill(9)
    assert (gl.read_buffer(buffer, np.zeros(16, np.int32)) == 9).all()
    gl.close()


def test_misuse_of_a_buffer_is_refused(both):
    if not is_cpu():
        pytest.skip("needs the CPU driver: its answers are listed here")
    with pytest.raises(cuda.LogicError, match="cuGraphicsGLRegisterBuffer failed: invalid resource handle"):
        pycuda.gl.RegisteredBuffer(12345)
    with pytest.raises(cuda.LogicError, match="invalid resource handle"):
        pycuda.gl.RegisteredBuffer(0)
    with pytest.raises(cuda.LogicError, match="invalid argument"):
        pycuda.gl.RegisteredBuffer(both.buffer(np.zeros(0, np.int32)))
    buffer = both.buffer(np.zeros(16, np.int32))
    for flags in (3, 4, 64):
        with pytest.raises(cuda.LogicError, match="invalid argument"):
            pycuda.gl.RegisteredBuffer(buffer, flags)
    registered = pycuda.gl.RegisteredBuffer(buffer)
    mapping = registered.map()
    with pytest.raises(cuda.LogicError, match="cuGraphicsMapResources failed: resource already mapped"):
        registered.map()
    with pytest.raises(cuda.LogicError, match="resource not mapped as array"):
        mapping.array(0, 0)
    with pytest.raises(cuda.LogicError, match="already mapped"):
        registered.unregister()
    mapping.unmap()
    with pytest.raises(cuda.LogicError, match="registered_mapping::unmap failed: invalid resource handle"):
        mapping.unmap()
    with pytest.raises(cuda.LogicError, match="not mapped"):
        mapping.device_ptr_and_size()


def test_unregistering_twice_is_refused(both):
    registered = pycuda.gl.RegisteredBuffer(both.buffer(np.zeros(16, np.int32)))
    registered.unregister()
    with pytest.raises(cuda.LogicError, match="registered_object::unregister failed: invalid resource handle"):
        registered.unregister()
    with pytest.raises(cuda.LogicError, match="invalid resource handle"):
        registered.map()


def test_a_buffer_that_was_deleted_or_has_other_storage_is_not_mapped(both):
    if not is_cpu():
        pytest.skip("needs the CPU driver: a GPU's keeps the storage")
    buffer = both.buffer(np.zeros(16, np.int32))
    registered = pycuda.gl.RegisteredBuffer(buffer)
    both.call("glBufferData", headless_gl.BUFFER, 32, None, 0x88E8)
    with pytest.raises(cuda.LogicError, match="mapping of buffer object failed"):
        registered.map()
    both.call("glDeleteBuffers", 1, np.array([buffer], np.uint32))
    with pytest.raises(cuda.LogicError, match="mapping of buffer object failed"):
        registered.map()


def test_the_memory_of_a_mapping_is_not_the_programs_to_free(both):
    if not is_cpu():
        pytest.skip("needs the CPU driver: a GPU's may be anybody's memory")
    driver = ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so"))
    with pycuda.gl.RegisteredBuffer(both.buffer(np.zeros(16, np.int32))).map() as mapping:
        address, _ = mapping.device_ptr_and_size()
        assert driver.cuMemFree_v2(ctypes.c_uint64(address)) == 1  # CUDA_ERROR_INVALID_VALUE
        as_array(mapping).fill(1)
        cuda.Context.synchronize()
    image = texture(both, TEXTURE_2D, 0x8058, RGBA, UBYTE, np.zeros((4, 4, 4), np.uint8))
    with pycuda.gl.RegisteredImage(image, TEXTURE_2D).map() as mapping:
        array = mapping.array(0, 0)
        assert driver.cuArrayDestroy(ctypes.c_uint64(array.handle)) == 400  # CUDA_ERROR_INVALID_HANDLE
        assert array.get_descriptor().width == 4


def test_without_an_opengl_context_every_call_says_so(both):
    if not is_cpu():
        pytest.skip("needs the CPU driver: its answers are listed here")
    buffer = both.buffer(np.full(16, 2, np.int32))
    registered = pycuda.gl.RegisteredBuffer(buffer)
    both.release()
    for call in (
        lambda: pycuda.gl.RegisteredBuffer(buffer),
        lambda: pycuda.gl.RegisteredImage(1, TEXTURE_2D),
        lambda: pycuda.gl.BufferObject(buffer),
        lambda: pycuda.gl.make_context(cuda.Device(0)),
        registered.map,
    ):
        with pytest.raises(cuda.LogicError, match="invalid OpenGL or DirectX context"):
            call()
    both.make_current()
    mapping = registered.map()
    both.release()
    with pytest.raises(cuda.LogicError, match="invalid OpenGL or DirectX context"):
        mapping.unmap()
    both.make_current()
    mapping.unmap()  # it was still mapped


def test_contexts_that_share_objects_reach_a_resource_and_others_do_not(both):
    if not is_cpu():
        pytest.skip("needs the CPU driver: a GPU's does not check it")
    buffer = both.buffer(np.full(16, 4, np.int32))
    registered = pycuda.gl.RegisteredBuffer(buffer)
    with open_gl(share=both), registered.map() as mapping:
        assert (as_array(mapping).get() == 4).all()
    with open_gl() as other:
        assert other.buffer(np.full(16, 1, np.int32)) == buffer
        with pytest.raises(cuda.LogicError, match="invalid OpenGL or DirectX context"):
            registered.map()


def test_resources_outlive_opengl_and_cuda_contexts():
    open_gl().close()
    run_program(f"""
        import sys
        sys.path.insert(0, {str(EXAMPLES)!r})
        import headless_gl, numpy as np, pycuda.driver as cuda, pycuda.gl
        cuda.init()
        gl = headless_gl.HeadlessContext()
        context = cuda.Device(0).make_context()
        buffer = gl.buffer(np.zeros(16, np.int32))
        kept = pycuda.gl.RegisteredBuffer(buffer)
        mapping = pycuda.gl.RegisteredBuffer(buffer).map()
        gl.close()
        for call in (kept.map, mapping.unmap):
            try:
                call()
            except cuda.LogicError as error:
                assert "OpenGL" in str(error), error
            else:
                raise AssertionError("OpenGL is gone")
        kept.unregister()
        other = headless_gl.HeadlessContext()
        again = pycuda.gl.RegisteredBuffer(other.buffer(np.zeros(16, np.int32)))
        context.detach()
        for call in (again.map, again.unregister):
            try:
                call()
            except cuda.LogicError:
                pass
        del mapping, kept, again
    """)


def test_the_deprecated_classes_work(both):
    buffer = both.buffer(np.arange(16, dtype=np.int32))
    with pytest.warns(DeprecationWarning, match="gl_init"):
        pycuda.gl.init()
    with pytest.warns(DeprecationWarning, match="buffer_object has been deprecated"):
        old = pycuda.gl.BufferObject(buffer)
    assert old.handle() == buffer
    with pytest.warns(DeprecationWarning, match="map_buffer_object"):
        mapping = old.map()
    assert mapping.size() == 64
    values = gpuarray.GPUArray(16, np.int32, gpudata=mapping.device_ptr())
    values += 1
    mapping.unmap()
    with pytest.raises(cuda.LogicError, match="buffer_object_mapping::unmap failed: invalid resource handle"):
        mapping.unmap()
    assert (both.read_buffer(buffer, np.zeros(16, np.int32)) == np.arange(1, 17)).all()
    old.unregister()
    with pytest.raises(cuda.LogicError, match="buffer_object::unregister failed: invalid resource handle"):
        old.unregister()


def test_a_context_is_made_for_opengl(gl, driver):
    context = pycuda.gl.make_context(driver.Device(0))
    try:
        assert driver.Context.get_current() == context
    finally:
        context.pop()
        context.detach()


def test_autoinit_makes_a_context_for_the_current_opengl_context():
    open_gl().close()
    output, _ = run_program(f"""
        import sys
        sys.path.insert(0, {str(EXAMPLES)!r})
        import headless_gl
        gl = headless_gl.HeadlessContext()
        import pycuda.gl.autoinit as auto, pycuda.driver as cuda
        from pycuda import tools
        print(cuda.Context.get_current() == auto.context, auto.device == cuda.Device(0))
        first = auto.context
        print(tools.reset_context() == auto.context != first)
    """)
    assert output.split() == ["True", "True", "True"]


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


def test_the_devices_of_an_opengl_context(both):
    devices = pycuda.gl.get_devices()
    assert cuda.Context.get_device() in devices or not is_cpu()
    assert all(isinstance(device, cuda.Device) for device in devices)


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
