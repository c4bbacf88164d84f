# SPDX-License-Identifier: MIT
"""Programs may put attributes of their own on every object, as on the original's."""

import gc
import inspect
import rlcompleter
import weakref

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import compiler, elementwise, gpuarray, reduction, scan, tools
from pycuda.compiler import DynamicModule, SourceModule
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool

pytestmark = pytest.mark.usefixtures("context")


def texture_array():
    return cuda.np_to_array(np.zeros((4, 4), np.float32), order="C")


def surface_array():
    return cuda.gpuarray_to_array(gpuarray.zeros((4, 4), np.float32), order="C", allowSurfaceBind=True)


MAKERS = {
    "Memcpy2D": cuda.Memcpy2D,
    "Memcpy3D": cuda.Memcpy3D,
    "Memcpy3DPeer": cuda.Memcpy3DPeer,
    "ArrayDescriptor": cuda.ArrayDescriptor,
    "ArrayDescriptor3D": cuda.ArrayDescriptor3D,
    "Array": texture_array,
    "TextureReference": cuda.TextureReference,
    "TextureObject": lambda: cuda.TextureObject(texture_array()),
    "SurfaceObject": lambda: cuda.SurfaceObject(surface_array()),
    "Stream": cuda.Stream,
    "Event": cuda.Event,
    "Context": cuda.Context.get_current,
    "Device": lambda: cuda.Device(0),
    "SourceModule": lambda: SourceModule("__global__ void k() {}"),
    "Module": lambda: SourceModule("__global__ void k() {}").module,
    "Function": lambda: SourceModule("__global__ void k() {}").get_function("k"),
    "DynamicModule": DynamicModule,
    "Linker": cuda.Linker,
    "DeviceAllocation": lambda: cuda.mem_alloc(4),
    "ManagedAllocation": lambda: cuda.managed_empty(4, np.int8, mem_flags=cuda.mem_attach_flags.GLOBAL).base,
    "PooledDeviceAllocation": lambda: DeviceMemoryPool().allocate(4),
    "PageLocked": lambda: cuda.pagelocked_empty(4, np.int8).base,
    "Aligned": lambda: cuda.aligned_empty(4, np.int8).base,
    "PooledHost": lambda: PageLockedMemoryPool().allocate(4, np.int8).base,
    "GPUArray": lambda: gpuarray.zeros(3, np.float32),
    "Graph": cuda.Graph,
}


@pytest.mark.parametrize("name", MAKERS)
def test_an_unknown_attribute_stays_with_the_object(name):
    thing = MAKERS[name]()
    thing.note_of_mine = [1]
    assert thing.note_of_mine == [1]
    assert thing.__dict__["note_of_mine"] == [1]
    del thing.note_of_mine
    with pytest.raises(AttributeError):
        thing.note_of_mine  # noqa: B018


def test_instances_of_every_public_class_have_a_dictionary():
    modules = (cuda, gpuarray, tools, compiler, elementwise, reduction, scan)
    classes = {thing for module in modules for thing in vars(module).values() if isinstance(thing, type)}
    own = {one for one in classes if one.__module__.startswith("pycuda")}
    assert len(own) > 100
    assert {one.__name__ for one in own if not one.__dictoffset__} == set()


def test_a_copy_with_an_attribute_of_another_class_copies():
    source = gpuarray.to_gpu(np.arange(12, dtype=np.float32).reshape(3, 4))
    result = np.zeros((3, 4), np.float32)
    copy = cuda.Memcpy2D()
    copy.set_src_device(source.gpudata)
    copy.set_dst_host(result)
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 16
    copy.height = 3
    copy.dst_height = 3  # of Memcpy3D
    copy(aligned=True)
    assert (result == source.get()).all()


def test_memory_in_a_cycle_of_attributes_is_collected():
    memory = cuda.mem_alloc(4)
    memory.itself = memory
    gone = weakref.ref(memory)
    del memory
    gc.collect()
    assert gone() is None


def test_memory_in_a_cycle_through_its_dictionary_is_collected():
    for change in (lambda m: m.__dict__.update(itself=m), lambda m: setattr(m, "__dict__", {"itself": m})):
        memory = cuda.mem_alloc(4)
        change(memory)
        gone = weakref.ref(memory)
        del memory
        gc.collect()
        assert gone() is None


def test_memory_without_attributes_is_nothing_to_the_collector():
    memory = cuda.mem_alloc(4)
    assert not gc.is_tracked(memory)
    memory.note = 1
    assert gc.is_tracked(memory)


def test_memory_with_attributes_is_used_again_without_them():
    for number in range(100):
        memory = cuda.mem_alloc(64)
        assert not hasattr(memory, "note")
        memory.note = number


@pytest.mark.parametrize("name", MAKERS)
def test_all_attributes_that_are_listed_can_be_asked_for(name):
    thing = MAKERS[name]()
    for attribute in dir(thing):
        try:
            hasattr(thing, attribute)
        except ValueError:  # of a property of NumPy's that this shape has not
            assert attribute == "mT"


def test_a_kernel_has_no_attribute_of_the_driver_s_count():
    function = MAKERS["Function"]()
    assert not hasattr(function, "max")
    assert "max" not in dir(function)
    assert rlcompleter.Completer({"f": function}).complete("f.max_t", 0) == "f.max_threads_per_block"
    assert dict(inspect.getmembers(function))["num_regs"] == function.num_regs
