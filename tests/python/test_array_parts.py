# SPDX-License-Identifier: MIT
"""Sparse arrays and the memory under their tiles, planes of video formats, images of other libraries."""

import os

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def described(width, height=0, depth=0, flags=0, channels=1, form=cuda.array_format.FLOAT):
    descriptor = cuda.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.depth = width, height, depth
    descriptor.format, descriptor.num_channels, descriptor.flags = form, channels, flags
    return descriptor


def box(array, host, to_array, y=0, z=0, x=0):
    """Copy a host array to or from a place in an array."""
    copy = cuda.Memcpy3D()
    shape = (1,) * (3 - host.ndim) + host.shape
    if to_array:
        copy.set_src_host(host)
        copy.set_dst_array(array)
        copy.dst_x_in_bytes, copy.dst_y, copy.dst_z = x, y, z
        copy.src_pitch, copy.src_height = shape[2] * host.itemsize, shape[1]
    else:
        copy.set_src_array(array)
        copy.set_dst_host(host)
        copy.src_x_in_bytes, copy.src_y, copy.src_z = x, y, z
        copy.dst_pitch, copy.dst_height = shape[2] * host.itemsize, shape[1]
    copy.width_in_bytes, copy.height, copy.depth = shape[2] * host.itemsize, shape[1], shape[0]
    copy()


@pytest.fixture
def sparse(context):
    if not context.get_device().get_attribute(cuda.device_attribute.SPARSE_CUDA_ARRAY_SUPPORTED):
        pytest.skip("needs a device with sparse arrays")
    return cuda.Array(described(40000, 256, flags=cuda.array3d_flags.SPARSE))


def pool():
    return cuda.PhysicalMemory(cuda.mem_get_allocation_granularity(), tile_pool=True)


def test_a_sparse_array_has_memory_where_it_was_put(sparse):
    width, height, depth = sparse.get_sparse_properties().tile
    assert width * height * depth * 4 == 65536
    memory, stream = pool(), cuda.Stream()
    cuda.map_array_async(sparse, memory, (width, height, 1), stream=stream)
    stream.synchronize()
    data = np.arange(width, dtype=np.float32)
    box(sparse, data, True)
    back = np.zeros_like(data)
    box(sparse, back, False)
    assert (back == data).all()
    cuda.map_array_async(sparse, None, (width, height, 1), stream=stream)
    stream.synchronize()


def test_what_has_no_memory_is_read_as_zeros_and_not_written(sparse, cpu_context):
    width = sparse.get_sparse_properties().tile[0]
    cuda.map_array_async(sparse, pool(), (width, 2, 1), offset=(width, 5, 0))
    cuda.Context.synchronize()
    rows = np.full((2, 10), 3, np.float32)
    box(sparse, rows, True, y=5, x=4 * width)
    around = np.ones((4, 10), np.float32)
    box(sparse, around, False, y=4, x=4 * width)
    assert around.tolist() == [[0] * 10, [3] * 10, [3] * 10, [0] * 10]
    texture = cuda.TextureObject(sparse)
    out = np.zeros(2, np.float32)
    read = SourceModule("""
    __global__ void read(float *out, cudaTextureObject_t t, int width)
    {
      out[0] = tex2D<float>(t, width + 3.5f, 6.5f);
      out[1] = tex2D<float>(t, 3.5f, 6.5f);
    }
    """).get_function("read")
    read(cuda.Out(out), texture, np.int32(width), block=(1, 1, 1))
    assert out.tolist() == [3, 0]


def test_memory_keeps_what_was_written_by_another_array(sparse, cpu_context):
    width = sparse.get_sparse_properties().tile[0]
    other = cuda.Array(described(width, 8, flags=cuda.array3d_flags.SPARSE))
    memory = pool()
    for array in (sparse, other):
        cuda.map_array_async(array, memory, (width, 4, 1), memory_offset=65536)
    data = np.arange(4 * width, dtype=np.float32).reshape(4, width)
    cuda.Context.synchronize()
    box(sparse, data, True)
    back = np.zeros_like(data)
    box(other, back, False)
    assert (back == data).all()


def test_slices_and_layers_have_tiles_of_their_own(cpu_context):
    flags = cuda.array3d_flags
    volume = cuda.Array(described(100, 3, 4, flags.SPARSE))
    layers = cuda.Array(described(100, 3, 4, flags.SPARSE | flags.LAYERED))
    memory = pool()
    cuda.map_array_async(volume, memory, (100, 3, 2), offset=(0, 0, 1))
    cuda.map_array_async(layers, memory, (100, 3, 1), layer=2, memory_offset=3 * 65536)
    cuda.Context.synchronize()
    data = np.random.default_rng(0).random((2, 3, 100), np.float32)
    box(volume, data, True, z=1)
    back = np.zeros((3, 100), np.float32)
    box(layers, back, False, z=2)
    assert (back == data[1]).all()


def test_levels_of_a_sparse_array_have_tiles_and_a_tail(context):
    if not context.get_device().get_attribute(cuda.device_attribute.SPARSE_CUDA_ARRAY_SUPPORTED):
        pytest.skip("needs a device with sparse arrays")
    shape = described(16384, 256, flags=cuda.array3d_flags.SPARSE, channels=4)
    levels = cuda.MipmappedArray(shape, 5)
    properties = levels.get_sparse_properties()
    assert 0 < properties.tail_level < 5
    width, height, _ = properties.tile
    memory = pool()
    cuda.map_array_async(levels, memory, (width, height, 1))
    cuda.map_array_async(levels, memory, properties.tail_size, memory_offset=65536)
    cuda.Context.synchronize()
    first, last = np.full((1, 64), 1, np.float32), np.full((1, 64), 2, np.float32)
    box(levels.get_level(0), first, True)
    box(levels.get_level(4), last, True)
    texture = cuda.TextureObject(levels, flags=cuda.TRSF_NORMALIZED_COORDINATES)
    out = np.zeros(2, np.float32)
    read = SourceModule("""
    __global__ void read(float *out, cudaTextureObject_t t)
    {
      for (int i = 0; i < 2; ++i) out[i] = tex2DLod<float4>(t, 0.0001f, 0.001f, 4.0f * i).y;
    }
    """).get_function("read")
    read(cuda.Out(out), texture, block=(1, 1, 1))
    assert out.tolist() == [1, 2]
    with pytest.raises(cuda.LogicError, match="cuMemMapArrayAsync"):
        cuda.map_array_async(levels, memory, properties.tail_size + 1, memory_offset=65536)


def test_an_array_of_deferred_mapping_gets_all_of_its_memory_at_once(cpu_context):
    array = cuda.Array(described(1000, 100, flags=cuda.array3d_flags.DEFERRED_MAPPING))
    size, alignment = array.get_memory_requirements()
    assert size >= 400000 and size % alignment == 0
    cuda.map_array_async(array, pool(), (1000, 100, 1))
    cuda.Context.synchronize()
    data = np.random.default_rng(0).random((100, 1000), np.float32)
    box(array, data, True)
    back = np.zeros_like(data)
    box(array, back, False)
    assert (back == data).all()


def test_wrong_tiles_are_refused(sparse):
    width, height, _ = sparse.get_sparse_properties().tile
    memory, refused = pool(), pytest.raises(cuda.LogicError, match="cuMemMapArrayAsync failed: invalid argument")
    for changes in (
        {"extent": (width // 2, height, 1)},
        {"extent": (width, height, 2)},
        {"extent": (width, height, 1), "offset": (1, 0, 0)},
        {"extent": (width, height, 1), "offset": (1 << 20, 0, 0)},
        {"extent": (width, height, 1), "level": 1},
        {"extent": (width, height, 1), "layer": 1},
        {"extent": (width, height, 1), "memory_offset": 1000},
        {"extent": (width, height, 1), "memory_offset": 1 << 40},
        {"extent": 65536},
    ):
        with refused:
            cuda.map_array_async(sparse, memory, **changes)
    ordinary = cuda.PhysicalMemory(cuda.mem_get_allocation_granularity())
    with refused:
        cuda.map_array_async(sparse, ordinary, (width, height, 1))
    plain = cuda.Array(described(100, 100))
    with refused:
        cuda.map_array_async(plain, memory, (100, 100, 1))
    with pytest.raises(cuda.LogicError, match="cuArrayGetSparseProperties failed: invalid argument"):
        plain.get_sparse_properties()
    with pytest.raises(cuda.LogicError, match="cuMipmappedArrayGetSparseProperties failed: invalid argument"):
        cuda.MipmappedArray(described(64, 64)).get_sparse_properties()
    with pytest.raises(TypeError, match="memory must be a PhysicalMemory or None, not int"):
        cuda.map_array_async(sparse, 3, (width, height, 1))
    with pytest.raises(TypeError, match="array must be an Array or a MipmappedArray, not int"):
        cuda.map_array_async(3, memory, (1, 1, 1))
    with pytest.raises(ValueError, match="3 numbers each"):
        cuda.map_array_async(sparse, memory, (1, 1))


def test_a_picture_of_a_video_format_has_two_planes(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver: an H200 refuses this array")
    array = cuda.Array(described(16, 8, channels=3, form=cuda.array_format.NV12))
    light, colour = array.get_plane(0), array.get_plane(1)
    shapes = [(d.width, d.height, d.num_channels) for d in (light.get_descriptor(), colour.get_descriptor())]
    assert shapes == [(16, 8, 1), (8, 4, 2)]
    bright, colours = np.arange(128, dtype=np.uint8).reshape(8, 16), np.full((4, 16), 9, np.uint8)
    box(light, bright, True)
    box(colour, colours, True)
    back = np.zeros_like(bright)
    box(light, back, False)
    assert (back == bright).all()
    for index in (2, 99):
        with pytest.raises(cuda.LogicError, match="cuArrayGetPlane failed: invalid argument"):
            array.get_plane(index)
    with pytest.raises(cuda.LogicError, match="cuArrayGetPlane failed: invalid argument"):
        cuda.Array(described(16, 8)).get_plane(0)
    with pytest.raises(TypeError, match="index must be an integer, not str"):
        array.get_plane("light")
    del array
    box(light, back, False)  # a plane keeps the whole alive
    assert (back == bright).all()


def test_levels_in_another_processes_memory_are_an_array(cpu_context):
    descriptor = os.memfd_create("image")
    os.ftruncate(descriptor, 4096)
    memory = cuda.ExternalMemory(descriptor, 4096)
    shape = described(16, 8, flags=cuda.array3d_flags.COLOR_ATTACHMENT)
    levels = memory.map_mipmapped_array(shape, 2, offset=64)
    first, second = np.arange(128, dtype=np.float32).reshape(8, 16), np.full((4, 8), 7, np.float32)
    box(levels.get_level(0), first, True)
    box(levels.get_level(1), second, True)
    cuda.Context.synchronize()
    data = np.frombuffer(os.pread(descriptor, 4096, 0), np.float32)
    assert (data[16:144].reshape(8, 16) == first).all() and (data[144:176] == 7).all()
    with pytest.raises(cuda.LogicError, match="cuExternalMemoryGetMappedMipmappedArray failed: invalid argument"):
        memory.map_mipmapped_array(described(64, 64))
    with pytest.raises(cuda.LogicError, match="cuExternalMemoryGetMappedMipmappedArray failed: invalid argument"):
        memory.map_mipmapped_array(shape, 0)
    with pytest.raises(TypeError, match="descriptor must be an ArrayDescriptor3D, not int"):
        memory.map_mipmapped_array(3)
    levels.free()
    os.close(descriptor)


def test_a_texture_shows_a_part_of_its_array(context):
    flags = cuda.array3d_flags
    layers = cuda.Array(described(8, 4, 3, flags.LAYERED))
    data = np.arange(3 * 4 * 8, dtype=np.float32).reshape(3, 4, 8)
    box(layers, data, True)
    whole = cuda.TextureObject(layers)
    with pytest.raises(cuda.LogicError, match="cuTexObjectGetResourceViewDesc"):
        whole.get_view()
    part = whole.with_view(layers=(1, 2))
    assert part.get_view() == {"format": 0x16, "extents": (8, 4, 3), "levels": (0, 0), "layers": (1, 2)}
    assert part.get_settings() == whole.get_settings()
    out = np.zeros(2, np.float32)
    read = SourceModule("""
    __global__ void read(float *out, cudaTextureObject_t t)
    {
      for (int i = 0; i < 2; ++i) out[i] = tex2DLayered<float>(t, 0.5f, 0.5f, i);
    }
    """).get_function("read")
    read(cuda.Out(out), part, block=(1, 1, 1))
    assert out.tolist() == [data[1, 0, 0], data[2, 0, 0]]
    assert whole.with_view().get_view()["layers"] == (0, 2)
    if is_cpu():  # NVIDIA's driver takes layers that the array does not have
        with pytest.raises(cuda.LogicError, match="cuTexObjectCreate"):
            whole.with_view(layers=(1, 3))
    with pytest.raises(ValueError, match="a first and a last number each"):
        whole.with_view(layers=(1,))
    with pytest.raises(TypeError, match="layers must be an integer, not str"):
        whole.with_view(layers=("a", 1))


def test_a_texture_shows_some_levels(cpu_context):
    levels = cuda.MipmappedArray(described(16, 16), 4)
    for number in range(4):
        box(levels.get_level(number), np.full((16 >> number, 16 >> number), number, np.float32), True)
    whole = cuda.TextureObject(levels, flags=cuda.TRSF_NORMALIZED_COORDINATES)
    part = whole.with_view(levels=(2, 3))
    assert part.get_view()["extents"] == (16, 16, 0)
    out = np.zeros(2, np.float32)
    read = SourceModule("""
    __global__ void read(float *out, cudaTextureObject_t t)
    {
      for (int i = 0; i < 2; ++i) out[i] = tex2DLod<float>(t, 0.5f, 0.5f, i);
    }
    """).get_function("read")
    read(cuda.Out(out), part, block=(1, 1, 1))
    assert out.tolist() == [2, 3]
    assert whole.with_view().get_view()["levels"] == (0, 3)
