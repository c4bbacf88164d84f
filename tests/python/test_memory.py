# SPDX-License-Identifier: MIT
"""Device, host and managed memory; copies and fills."""

import gc
import threading
import weakref

import numpy as np
import pycuda.driver as cuda
import pytest
from own_memory import own_bytes
from programs import has_cpu_driver, run_program
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")


def test_an_allocation_is_an_address_until_it_is_freed():
    memory = cuda.mem_alloc(np.int64(100))
    assert int(memory) == memory.__index__() == memory.__long__() != 0
    base, size = cuda.mem_get_address_range(int(memory) + 10)
    assert base == int(memory) and size >= 100
    memory.free()
    with pytest.raises(cuda.LogicError, match="device_allocation::free failed"):
        memory.free()
    with pytest.raises(cuda.LogicError, match="the memory has been freed"):
        int(memory)


def test_the_class_of_allocations_cannot_be_made_by_hand():
    class Derived(cuda.DeviceAllocation):
        pass

    for kind in (cuda.DeviceAllocation, cuda.ManagedAllocation, Derived):
        with pytest.raises(TypeError, match="cannot create"):
            kind()
    for wrong in ({}, {"size": 4}, {"bytes": 4, "more": 5}):
        with pytest.raises(TypeError, match=r"mem_alloc\(\) takes one argument, the size in bytes"):
            cuda.mem_alloc(**wrong)
    memory = cuda.mem_alloc(bytes=4)
    noticed = []
    reference = weakref.ref(memory, noticed.append)
    assert reference() is memory
    del memory
    assert noticed == [reference]


def test_a_thread_that_frees_leaves_others_running():
    stop = threading.Event()

    def churn():
        while not stop.is_set():
            cuda.mem_alloc(100).free()
            cuda.mem_alloc(2 << 20).free()

    threads = [threading.Thread(target=churn) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        cuda.mem_alloc(50)
    stop.set()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("wait", ["dummy.free()", "cuda.Context.synchronize()"])
def test_an_allocation_lets_the_thread_run_that_a_kernel_waits_for(wait):
    output, _ = run_program(
        """
        import threading, time
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        source = "__global__ void wait(volatile int *flag) { while (*flag == 0) {} }"
        kernel = SourceModule(source).get_function("wait")
        flag = cuda.pagelocked_zeros(1, np.int32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
        dummy = cuda.mem_alloc(100)
        kernel(np.intp(flag.base.get_device_pointer()), block=(1, 1, 1))
        waits = threading.Thread(target=lambda: WAIT)
        waits.start()
        def give():
            time.sleep(0.3)
            flag[0] = 1
        gives = threading.Thread(target=give)
        gives.start()
        while gives.is_alive():
            cuda.mem_alloc(64)
        waits.join()
        print("done")
        """.replace("WAIT", wait),
    )
    assert output == "done\n"


def test_freed_memory_is_refused_by_copies_and_fills():
    memory = cuda.mem_alloc(100)
    memory.free()
    for use in (
        lambda: cuda.memcpy_htod(memory, np.zeros(4)),
        lambda: cuda.memcpy_dtoh(np.zeros(4), memory),
        lambda: cuda.memset_d8(memory, 0, 10),
    ):
        with pytest.raises(cuda.LogicError, match="the memory has been freed"):
            use()


def test_too_much_memory_is_a_memory_error():
    with pytest.raises(cuda.MemoryError, match="cuMemAlloc failed: out of memory") as caught:
        cuda.mem_alloc(1 << 50)
    assert caught.value.code == 2
    assert caught.value.name == "CUDA_ERROR_OUT_OF_MEMORY"
    assert not isinstance(caught.value, MemoryError)


def test_no_bytes_are_an_invalid_argument():
    with pytest.raises(cuda.LogicError, match="cuMemAlloc failed: invalid argument"):
        cuda.mem_alloc(0)


@pytest.mark.parametrize(
    ("size", "kind"),
    [(-1, OverflowError), (1 << 70, OverflowError), (1.5, TypeError), ("9", TypeError), (None, TypeError)],
)  # fmt: skip
def test_sizes_must_be_integers(size, kind):
    with pytest.raises(kind):
        cuda.mem_alloc(size)


def test_memory_of_freed_arrays_counts_as_free():
    statistics = gpuarray._array.pool_statistics
    before = own_bytes()
    for _ in range(3):
        array = gpuarray.empty(64 << 20, np.uint8)
        assert own_bytes() >= before + (64 << 20)
        del array
        active, managed = statistics()
        assert managed >= active + (64 << 20)
        cuda.mem_get_info()
        assert statistics() == (active, active)
        assert own_bytes() < before + (1 << 20)


def test_memory_goes_back_when_collected():
    free, total = cuda.mem_get_info()
    assert 0 < free <= total
    before = own_bytes()
    memory = cuda.mem_alloc(64 << 20)
    address = int(memory)
    assert own_bytes() >= before + (64 << 20)
    assert cuda.mem_get_address_range(address) == (address, 64 << 20)
    del memory
    gc.collect()
    assert own_bytes() == before
    with pytest.raises(cuda.LogicError, match="cuMemGetAddressRange failed"):
        cuda.mem_get_address_range(address)


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_go_to_the_device_and_back(order):
    array = np.asarray(np.random.rand(7, 5), order=order)
    memory = cuda.to_device(array)
    assert (cuda.from_device(memory, (7, 5), array.dtype, order) == array).all()
    assert (cuda.from_device_like(memory, array) == array).all()
    again = cuda.mem_alloc_like(array)
    cuda.memcpy_dtod(again, memory, array.nbytes)
    assert (cuda.from_device_like(again, array) == array).all()


def test_copies_check_the_host_side():
    memory = cuda.mem_alloc(400)
    array = np.zeros((10, 10), np.float32)
    with pytest.raises(ValueError, match="contiguous"):
        cuda.memcpy_htod(memory, array[:, ::2])
    with pytest.raises(TypeError):
        cuda.memcpy_htod(memory, [1, 2, 3])
    array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        cuda.memcpy_dtoh(array, memory)
    with pytest.raises(BufferError):
        cuda.memcpy_dtoh(b"12345678", memory)
    with pytest.raises(TypeError):
        cuda.memcpy_htod("no pointer", array)


def test_offsets_are_added_as_integers():
    memory = cuda.to_device(np.arange(10, dtype=np.int32))
    part = np.empty(3, np.int32)
    cuda.memcpy_dtoh(part, int(memory) + 4 * 5)
    assert part.tolist() == [5, 6, 7]
    cuda.memcpy_dtoh(part, np.uint64(int(memory)))
    assert part.tolist() == [0, 1, 2]


def test_copies_in_a_stream_are_done_when_it_is():
    stream = cuda.Stream()
    source = cuda.pagelocked_zeros(1000, np.int32)
    source[:] = np.arange(1000)
    target = cuda.pagelocked_empty_like(source)
    memory, other = cuda.mem_alloc_like(source), cuda.mem_alloc_like(source)
    cuda.memcpy_htod_async(memory, source, stream)
    cuda.memcpy_dtod_async(other, memory, source.nbytes, stream=stream)
    cuda.memcpy_dtoh_async(target, other, stream)
    stream.synchronize()
    assert stream.is_done()
    assert (target == source).all()


def test_peer_copies_default_to_the_current_context(context):
    array = np.arange(8)
    source, target = cuda.to_device(array), cuda.mem_alloc_like(array)
    cuda.memcpy_peer(target, source, array.nbytes)
    assert (cuda.from_device_like(target, array) == array).all()
    cuda.memset_d8(target, 0, array.nbytes)
    cuda.memcpy_peer(target, source, array.nbytes, context, context)
    cuda.memcpy_peer_async(target, source, array.nbytes, stream=cuda.Stream())
    cuda.Context.synchronize()
    assert (cuda.from_device_like(target, array) == array).all()


@pytest.mark.parametrize(
    ("fill", "dtype", "value"),
    [(cuda.memset_d8, np.uint8, 0xAB), (cuda.memset_d16, np.uint16, 0xABCD), (cuda.memset_d32, np.uint32, 0xDEADBEEF)],
)  # fmt: skip
def test_fills_count_elements(fill, dtype, value):
    array = np.zeros(10, dtype)
    memory = cuda.to_device(array)
    fill(memory, value, 7)
    expected = [value] * 7 + [0] * 3
    assert cuda.from_device_like(memory, array).tolist() == expected
    fill(dest=memory, data=1, count=2)
    assert cuda.from_device_like(memory, array).tolist() == [1, 1] + expected[2:]
    with pytest.raises(OverflowError):
        fill(memory, int(np.iinfo(dtype).max) + 1, 1)
    with pytest.raises(TypeError):
        fill(memory, 1)


def test_fills_in_two_dimensions_keep_the_gaps():
    array = np.zeros((4, 8), np.uint32)
    memory = cuda.to_device(array)
    cuda.memset_d2d32(memory, array.strides[0], 5, 3, 4)
    expected = np.zeros_like(array)
    expected[:, :3] = 5
    assert (cuda.from_device_like(memory, array) == expected).all()
    stream = cuda.Stream()
    cuda.memset_d2d32_async(memory, array.strides[0], 6, 2, 4, stream)
    cuda.memset_d32_async(memory, 7, 1, stream)
    stream.synchronize()
    expected[:, :2] = 6
    expected[0, 0] = 7
    assert (cuda.from_device_like(memory, array) == expected).all()


def test_pitched_memory_takes_copies_of_rows():
    array = np.arange(30, dtype=np.float32).reshape(5, 6)
    memory, pitch = cuda.mem_alloc_pitch(array.strides[0], 5, 4)
    assert pitch >= array.strides[0]
    copy = cuda.Memcpy2D()
    copy.set_src_host(array)
    copy.src_pitch = array.strides[0]
    copy.set_dst_device(memory)
    copy.dst_pitch = pitch
    copy.width_in_bytes = array.strides[0]
    copy.height = 5
    assert copy.src_memory_type == cuda.memory_type.HOST
    copy(aligned=True)

    back = np.zeros((5, 4), np.float32)
    copy = cuda.Memcpy2D()
    copy.set_src_device(memory)
    copy.src_pitch = pitch
    copy.src_x_in_bytes = 8
    copy.set_dst_host(back)
    copy.dst_pitch = back.strides[0]
    copy.width_in_bytes = np.int64(16)
    copy.height = 5
    copy(cuda.Stream())
    cuda.Context.synchronize()
    assert (back == array[:, 2:]).all()
    back[:] = 0
    copy()
    assert (back == array[:, 2:]).all()


def test_copies_in_three_dimensions_cut_out_a_box():
    array = np.arange(4 * 5 * 6, dtype=np.int32).reshape(4, 5, 6)
    memory = cuda.to_device(array)
    box = np.zeros((2, 3, 4), np.int32)
    for make in (cuda.Memcpy3D, cuda.Memcpy3DPeer):
        box[:] = 0
        copy = make()
        copy.set_src_device(memory)
        copy.src_pitch, copy.src_height = array.strides[1], 5
        copy.src_x_in_bytes, copy.src_y, copy.src_z = 4, 2, 1
        copy.set_dst_host(box)
        copy.dst_pitch, copy.dst_height = box.strides[1], 3
        copy.width_in_bytes, copy.height, copy.depth = 16, 3, 2
        if make is cuda.Memcpy3DPeer:
            copy.set_src_context(cuda.Context.get_current())
            copy.set_dst_context(cuda.Context.get_current())
        copy()
        assert (box == array[1:3, 2:5, 1:5]).all(), make


def test_structured_copies_keep_their_host_memory():
    copy = cuda.Memcpy2D()
    array = np.ones((2, 2))
    references = _references(array)
    copy.set_src_host(array)
    assert _references(array) > references


def _references(thing):
    import sys

    return sys.getrefcount(thing)


@pytest.mark.parametrize("kind", ["pagelocked", "aligned", "managed"])
def test_host_arrays_of_all_kinds(kind):
    empty = getattr(cuda, kind + "_empty")
    zeros = getattr(cuda, kind + "_zeros")
    array = empty((3, np.int64(4)), np.float32, order="F")
    assert array.shape == (3, 4) and array.dtype == np.float32 and array.flags.f_contiguous
    array[:] = 5
    like = getattr(cuda, kind + "_empty_like")(array)
    assert like.flags.f_contiguous and like.shape == array.shape
    assert (getattr(cuda, kind + "_zeros_like")(array) == 0).all()
    assert (zeros(np.int32(7), "f8") == 0).all()
    assert zeros((0,), "f8").size == 0
    memory = cuda.to_device(array)
    assert (cuda.from_device(memory, array.shape, array.dtype, "F") == 5).all()
    with pytest.raises(cuda.LogicError, match="numpy_empty failed.*unrecognized order specifier"):
        empty((3,), "f4", order="Q")
    with pytest.raises(OverflowError):
        empty((-1,), "f4")
    with pytest.raises(ValueError, match="could not detect array order"):
        getattr(cuda, kind + "_empty_like")(np.zeros((4, 4))[::2, ::2])


def test_bases_of_host_arrays_have_their_classes():
    locked = cuda.pagelocked_empty(4, "f4", mem_flags=cuda.host_alloc_flags.DEVICEMAP)
    assert type(locked.base) is cuda.PagelockedHostAllocation is cuda.HostAllocation
    assert isinstance(locked.base, cuda.HostPointer)
    assert locked.base.get_device_pointer() != 0
    assert locked.base.get_flags() & cuda.host_alloc_flags.DEVICEMAP
    locked.base.free()
    with pytest.raises(cuda.LogicError, match="pagelocked_host_allocation::free failed"):
        locked.base.free()
    managed = cuda.managed_zeros(4, "f4", mem_flags=cuda.mem_attach_flags.GLOBAL)
    assert isinstance(managed.base, cuda.ManagedAllocationOrStub)
    assert isinstance(managed.base, cuda.DeviceAllocation)
    assert managed.base.get_device_pointer() == managed.ctypes.data
    aligned = cuda.aligned_empty(4, "f4", alignment=1 << 16)
    assert aligned.ctypes.data % (1 << 16) == 0
    aligned.base.free()
    with pytest.raises(cuda.LogicError, match="aligned_host_allocation::free failed"):
        aligned.base.free()
    with pytest.raises(cuda.LogicError, match="alignment must be a power of two"):
        cuda.aligned_empty(4, "f4", alignment=48)
    with pytest.raises(cuda.LogicError, match="alignment must non-zero"):
        cuda.aligned_empty(4, "f4", alignment=0)


def test_memory_can_be_registered_and_unregistered():
    array = cuda.aligned_zeros((64, 64), np.float32)
    registered = cuda.register_host_memory(array, flags=cuda.mem_host_register_flags.DEVICEMAP)
    assert registered.shape == array.shape
    registered[0, 0] = 3
    assert array[0, 0] == 3
    assert type(registered.base) is cuda.RegisteredHostMemory
    assert registered.base.base is array
    assert registered.base.get_device_pointer() != 0
    registered.base.unregister()
    with pytest.raises(cuda.LogicError, match="registered_host_memory::free failed"):
        registered.base.unregister()
    with pytest.raises(cuda.LogicError, match="ary argument is not a numpy array"):
        cuda.register_host_memory([1, 2])
    with pytest.raises(cuda.LogicError, match="ary argument is not contiguous"):
        cuda.register_host_memory(array[:, ::2])


def test_as_buffer_keeps_the_allocation_alive():
    managed = cuda.managed_zeros(16, np.uint8)
    view = managed.base.as_buffer(8, 4)
    managed[:] = np.arange(16)
    assert view.nbytes == 8 and bytes(view) == bytes(range(4, 12))
    view[0] = 99
    assert managed[4] == 99
    del managed
    gc.collect()
    assert view[1] == 5


def test_a_pointer_holder_tells_its_address_by_a_method():
    array = np.arange(4.0)
    memory = cuda.to_device(array)

    class Holder(cuda.PointerHolderBase):
        def get_pointer(self):
            return int(memory)

    holder = Holder()
    assert int(holder) == int(memory) == holder.__index__()
    assert (cuda.from_device(holder, 4, np.float64) == array).all()
    with pytest.raises(NotImplementedError):
        int(cuda.PointerHolderBase())


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")
def test_kernels_load_when_an_array_takes_all_memory():
    output, _ = run_program(
        """
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda import gpuarray
        block = cuda.mem_alloc(cuda.mem_get_info()[0] - 4096)
        assert cuda.mem_get_info()[0] <= 4096
        array = gpuarray.GPUArray((15 << 20,), np.float32, gpudata=block)
        array.fill(np.nan)
        print(np.isnan(array.get()).all())
        """,
        PYCUDA_DRIVER="cpu",
        PYCUDA_CPU_MEMORY="64M",
    )
    assert output == "True\n"
