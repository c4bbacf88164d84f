# SPDX-License-Identifier: MIT
"""What the driver knows of addresses, arrays, textures and surfaces; settings of core dumps."""

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

attribute = cuda.pointer_attribute


def test_an_address_in_device_memory_tells_its_block(context):
    memory = cuda.mem_alloc(1000)
    wanted = (attribute.MEMORY_TYPE, attribute.DEVICE_ORDINAL, attribute.RANGE_START_ADDR, attribute.CONTEXT)
    facts = cuda.pointer_get_attributes(int(memory) + 100, wanted)
    assert facts[attribute.MEMORY_TYPE] is cuda.memory_type.DEVICE
    assert facts[attribute.DEVICE_ORDINAL] == 0
    assert facts[attribute.RANGE_START_ADDR] == int(memory)
    assert facts[attribute.CONTEXT] == context.handle
    assert cuda.pointer_get_attributes(memory, [attribute.RANGE_SIZE])[attribute.RANGE_SIZE] >= 1000
    assert cuda.pointer_get_attributes(memory, []) == {}


def test_blocks_have_numbers_of_their_own():
    first, second = gpuarray.zeros(1000, np.float32), cuda.mem_alloc(100)
    numbers = [cuda.pointer_get_attributes(one, [attribute.BUFFER_ID])[attribute.BUFFER_ID] for one in (first, second)]
    assert 0 not in numbers and numbers[0] != numbers[1]


def test_host_memory_is_known_where_it_is_page_locked():
    locked = cuda.pagelocked_zeros(10, np.int32)
    kind = [attribute.MEMORY_TYPE]
    assert cuda.pointer_get_attributes(locked, kind)[attribute.MEMORY_TYPE] is cuda.memory_type.HOST
    assert cuda.pointer_get_attributes(np.zeros(10), kind)[attribute.MEMORY_TYPE] == 0


def test_managed_memory_says_so():
    managed = cuda.managed_zeros(10, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    assert cuda.pointer_get_attributes(managed, [attribute.IS_MANAGED])[attribute.IS_MANAGED] == 1
    assert cuda.pointer_get_attributes(cuda.mem_alloc(10), [attribute.IS_MANAGED])[attribute.IS_MANAGED] == 0


def test_copies_of_memory_can_be_made_to_wait():
    memory = cuda.mem_alloc(100)
    cuda.pointer_set_attribute(memory, attribute.SYNC_MEMOPS, True)
    assert cuda.pointer_get_attributes(memory, [attribute.SYNC_MEMOPS])[attribute.SYNC_MEMOPS] == 1
    with pytest.raises(cuda.LogicError, match="cuPointerSetAttribute"):
        cuda.pointer_set_attribute(memory, attribute.RANGE_SIZE, 1)
    with pytest.raises(TypeError, match="memory must be an integer, not str"):
        cuda.pointer_set_attribute("here", attribute.SYNC_MEMOPS, 1)
    with pytest.raises(cuda.LogicError, match="cuPointerGetAttributes"):
        cuda.pointer_get_attributes(memory, [attribute.MEMORY_TYPE, 999])


def picture():
    return cuda.np_to_array(np.arange(12, dtype=np.float32).reshape(3, 4), "C")


def test_arrays_with_memory_have_no_requirements_or_tell_them():
    array = picture()
    try:
        size, alignment = array.get_memory_requirements()
        assert size >= 48 and alignment > 0
    except cuda.LogicError as error:
        assert error.name == "CUDA_ERROR_INVALID_VALUE"  # noqa: PT017 - they have their memory
    with pytest.raises(TypeError, match="device must be a Device or None, not int"):
        array.get_memory_requirements(0)


def test_a_texture_tells_its_array_and_settings():
    array = picture()
    mirror = cuda.address_mode.MIRROR
    texture = cuda.TextureObject(array, mirror, cuda.filter_mode.LINEAR, cuda.TRSF_NORMALIZED_COORDINATES)
    assert texture.get_resource() == {"kind": "array", "handle": array.handle}
    settings = texture.get_settings()
    assert settings["address_modes"][:2] == (mirror, mirror)
    assert settings["filter_mode"] is cuda.filter_mode.LINEAR
    assert settings["flags"] == cuda.TRSF_NORMALIZED_COORDINATES
    assert settings["border_color"] == (0, 0, 0, 0)


def test_a_texture_of_plain_memory_tells_its_address():
    memory = cuda.mem_alloc(64)
    resource = cuda.TextureObject.linear(memory, 64, cuda.array_format.FLOAT, 2).get_resource()
    assert (resource["kind"], resource["address"], resource["size"]) == ("linear", int(memory), 64)
    assert (resource["format"], resource["num_channels"]) == (cuda.array_format.FLOAT, 2)


def test_a_surface_tells_its_array():
    descriptor = cuda.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.depth = 8, 4, 0
    descriptor.format, descriptor.num_channels = cuda.array_format.FLOAT, 1
    descriptor.flags = cuda.array3d_flags.SURFACE_LDST
    array = cuda.Array(descriptor)
    assert cuda.SurfaceObject(array).get_resource() == {"kind": "array", "handle": array.handle}


def test_settings_of_core_dumps():
    lightweight = cuda.coredump_attribute.LIGHTWEIGHT
    assert cuda.get_coredump_attribute(lightweight, process=True) in (False, True)
    assert isinstance(cuda.get_coredump_attribute(cuda.coredump_attribute.FILE, process=True), str)
    if is_cpu():
        cuda.set_coredump_attribute(lightweight, True)
        assert cuda.get_coredump_attribute(lightweight) is True
        assert cuda.get_coredump_attribute(lightweight, process=True) is False
        with pytest.raises(cuda.LogicError, match=r"cuCoredumpSetAttribute failed: operation not supported"):
            cuda.set_coredump_attribute(cuda.coredump_attribute.ENABLE_ON_EXCEPTION, True)
    with pytest.raises(TypeError, match="FILE is a string, not int"):
        cuda.set_coredump_attribute(cuda.coredump_attribute.FILE, 3, process=True)
