# SPDX-License-Identifier: MIT
"""pycuda.gl: OpenGL's buffers, and its contexts beside CUDA's, without a display."""

import ctypes
import pathlib

import numpy as np
import pycuda.driver as cuda
import pycuda.gl
import pytest
from opengl_contexts import EXAMPLES, RGBA, TEXTURE_2D, UBYTE, headless_gl, open_gl, texture
from programs import is_cpu, run_program
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.filterwarnings("ignore:.*has been deprecated")


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


def test_the_devices_of_an_opengl_context(both):
    devices = pycuda.gl.get_devices()
    assert cuda.Context.get_device() in devices or not is_cpu()
    assert all(isinstance(device, cuda.Device) for device in devices)
