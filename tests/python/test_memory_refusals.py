# SPDX-License-Identifier: MIT
"""What memory and copies cannot do is refused with the figures, and touches nothing."""

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import run_program
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool

pytestmark = pytest.mark.usefixtures("context")

OBJECTS = {"objects": "O", "a field of objects": [("a", "i1"), ("b", "O")]}


@pytest.mark.parametrize("dtype", OBJECTS.values(), ids=OBJECTS.keys())
def test_memory_of_the_driver_holds_no_python_objects(dtype):
    for make in (
        cuda.pagelocked_empty,
        cuda.pagelocked_zeros,
        cuda.aligned_zeros,
        lambda shape, dtype: cuda.managed_empty(shape, dtype, mem_flags=cuda.mem_attach_flags.GLOBAL),
        PageLockedMemoryPool().allocate,
    ):
        with pytest.raises(TypeError, match="Python objects, which a device cannot hold"):
            make(3, dtype)


@pytest.mark.parametrize("dtype", OBJECTS.values(), ids=OBJECTS.keys())
def test_python_objects_are_not_copied(dtype):
    memory = cuda.mem_alloc(1000)
    objects = np.zeros(10, dtype)
    copy = cuda.Memcpy2D()
    for attempt in (
        lambda: cuda.memcpy_dtoh(objects, memory),
        lambda: cuda.memcpy_htod(memory, objects),
        lambda: cuda.memcpy_dtoh_async(objects, memory, cuda.Stream()),
        lambda: cuda.to_device(objects),
        lambda: cuda.from_device(memory, 3, dtype),
        lambda: copy.set_dst_host(objects),
    ):
        with pytest.raises(TypeError, match="Python objects"):
            attempt()
    with pytest.raises(TypeError, match="memoryview of Python objects"):
        cuda.memcpy_dtoh(memoryview(np.zeros(10, object)), memory)


@pytest.mark.parametrize("make", ["aligned_zeros", "pagelocked_zeros", "managed_zeros"])
def test_zeros_are_bytes(make):
    zeros = getattr(cuda, make)
    for dtype in ("S3", "U3", "M8[s]", [("a", "i1"), ("b", "U2")], ">f8"):
        for shape in ((), (2, 3), (0, 3)):
            for order in "CF":
                made = zeros(shape, dtype, order)
                assert made.shape == shape and (made == np.zeros(shape, dtype)).all()
    run_program(
        f"""
        import pycuda.autoinit, pycuda.driver as cuda
        for dtype in ("S0", "V0", []):
            assert cuda.{make}((2**20, 2**20), dtype).nbytes == 0  # not one visit to each element
        """,
    )


def test_shapes_may_be_arrays():
    for shape in (np.array([2, 3]), [np.int64(2), 3]):
        assert cuda.pagelocked_empty(shape, np.float32).shape == (2, 3)
        assert PageLockedMemoryPool().allocate(shape, np.float32).shape == (2, 3)
    assert cuda.pagelocked_empty(np.array(4), np.float32).shape == (4,)


REFUSED = {
    "an allocation": (lambda a: cuda.mem_alloc(1 << 60), f"{1 << 60} bytes"),
    "a pool": (lambda a: DeviceMemoryPool().allocate(1 << 60), f"{1 << 60} bytes"),
    "aligned memory": (lambda a: cuda.aligned_empty(1 << 50, "u1"), f"{1 << 50} bytes at a multiple of 4096"),
    "page-locked memory": (lambda a: cuda.pagelocked_empty(1 << 50, "u1"), f"{1 << 50} bytes"),
    "shared memory": (lambda a: cuda.managed_empty(1 << 50, "u1"), f"{1 << 50} bytes"),
    "pitched memory": (lambda a: cuda.mem_alloc_pitch(10, 20, 3), "20 rows of 10 bytes, elements of 3 bytes"),
    "a copy's source": (lambda a: cuda.memcpy_dtod(a, int(a) + 30, 20), "source: 20 bytes, but.*has only 10"),
    "a copy's destination": (lambda a: cuda.memcpy_dtod(int(a) + 30, a, 20), "destination: 20 bytes, but.*only 10"),
    "a copy in a stream": (lambda a: cuda.memcpy_dtod_async(a, a, 50, cuda.Stream()), "50 bytes, but.*only 40"),
    "a copy between peers": (lambda a: cuda.memcpy_peer(a, a, 50), "50 bytes, but.*only 40"),
    "a fill": (lambda a: cuda.memset_d32(a, 0, 11), "44 bytes, but.*only 40"),
    "a fill in a stream": (lambda a: cuda.memset_d16_async(a, 0, 21, cuda.Stream()), "42 bytes, but.*only 40"),
    "an odd address": (lambda a: cuda.memset_d32(int(a) + 2, 0, 1), "no multiple of the element's 4 bytes"),
    "rows": (lambda a: cuda.memset_d2d32(a, 20, 0, 5, 3), "3 rows of 5 elements of 4 bytes, 20 bytes from row to row"),
    "a variable": (lambda a: SourceModule("").get_global("absent"), "no variable 'absent'"),
    "a time": (lambda a: cuda.Event().time_till(cuda.Event()), "the start event was never recorded: call its record"),
    "an end": (
        lambda a: cuda.Event().record().time_till(cuda.Event()),
        "the end event was never recorded: call its record",
    ),
    "an event without timing": (
        lambda a: cuda.Event().record().time_till(cuda.Event(cuda.event_flags.DISABLE_TIMING).record()),
        "an event made with event_flags.DISABLE_TIMING has no time: make both without",
    ),
    "an array": (lambda a: cuda.make_multichannel_2d_array(np.zeros((4, 5, 3), "f4"), "C"), "5 x 4 x 0.* 3 channels"),
}


@pytest.mark.parametrize("call, words", REFUSED.values(), ids=REFUSED.keys())
def test_a_refusal_has_the_figures(call, words):
    with pytest.raises(cuda.Error, match=words):
        call(cuda.mem_alloc(40))


def test_a_view_of_memory_stays_within_it():
    memory = cuda.mem_alloc(40)
    assert memory.as_buffer(30, 10).nbytes == 30
    for size, offset in ((41, 0), (31, 10), (0, 41), (2**64 - 1, 10)):
        with pytest.raises(ValueError, match="the memory has 40 bytes"):
            memory.as_buffer(size, offset)
    managed = cuda.managed_empty(10, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    with pytest.raises(ValueError, match="the memory has 40 bytes"):
        managed.base.as_buffer(41)


def rectangle(cls=cuda.Memcpy2D, **attributes):
    copy = cls()
    for name, value in attributes.items():
        if name.startswith("set_"):
            getattr(copy, name)(value)
        else:
            setattr(copy, name, value)
    return copy


def test_a_rectangle_stays_within_host_memory():
    device = cuda.to_device(np.arange(120, dtype=np.float32))
    whole = dict(src_pitch=48, dst_pitch=48, width_in_bytes=48, height=10)
    for beyond in ({"dst_y": 1}, {"height": 11}, {"dst_pitch": 49}, {"dst_y": 2**62}):
        host = np.zeros((10, 12), np.float32)
        for call in (lambda copy: copy(aligned=False), lambda copy: copy(cuda.Stream())):
            copy = rectangle(**{**whole, "set_src_device": device, "set_dst_host": host, **beyond})
            with pytest.raises(cuda.LogicError, match="destination: host memory of 480 bytes, but the copy goes to"):
                call(copy)
        assert (host == 0).all()
    with pytest.raises(cuda.LogicError, match="source: host memory of 480 bytes"):
        rectangle(**{**whole, "set_src_host": host, "set_dst_device": device, "src_y": 1})(True)


def test_a_rectangle_may_go_beyond_a_view_within_its_array():
    device = cuda.to_device(np.arange(12, dtype=np.float32))
    host = np.zeros((10, 12), np.float32)
    part = dict(set_src_device=device, src_pitch=16, dst_pitch=48, width_in_bytes=16, height=3)
    rectangle(**part, set_dst_host=host[2, 3:7])(aligned=False)
    assert (host[2:5, 3:7] == np.arange(12).reshape(3, 4)).all() and np.count_nonzero(host) == 11
    rectangle(**part, set_dst_host=host[7:, 8:])(aligned=False)
    with pytest.raises(cuda.LogicError, match="destination: host memory of 112 bytes"):
        rectangle(**part, set_dst_host=host[7:, 8:], dst_x_in_bytes=4)(aligned=False)


def test_a_rectangle_that_the_driver_refuses_is_described():
    device = cuda.to_device(np.zeros(120, np.float32))
    wrong = dict(set_src_device=device, set_dst_device=device, src_pitch=40, dst_pitch=48, width_in_bytes=48, height=10)
    words = "48 bytes x 10 rows, from byte 0 of row 0, 40 bytes from row to row, to byte 4 of row 2, 48 bytes"
    for call in (lambda copy: copy(aligned=False), lambda copy: copy(True), lambda copy: copy(cuda.Stream())):
        with pytest.raises(cuda.LogicError, match=words):
            call(rectangle(**wrong, dst_x_in_bytes=4, dst_y=2))
    words = "48 bytes x 10 rows x 3 slices, from byte 0 of row 0 of slice 1, 40 bytes from row to row, 12 rows"
    for call in (lambda copy: copy(), lambda copy: copy(cuda.Stream())):
        with pytest.raises(cuda.LogicError, match=words):
            call(rectangle(cuda.Memcpy3D, **wrong, depth=3, src_height=12, dst_height=10, src_z=1))


@pytest.mark.parametrize("cls", [cuda.Memcpy3D, cuda.Memcpy3DPeer])
def test_a_box_stays_within_host_memory(cls):
    source = np.arange(120, dtype=np.float32).reshape(4, 5, 6)
    host = np.zeros_like(source)
    box = dict(src_pitch=24, dst_pitch=24, src_height=5, dst_height=5, width_in_bytes=24, height=5, depth=4)
    sides = dict(set_src_device=cuda.to_device(source), set_dst_host=host)
    if cls is cuda.Memcpy3DPeer:
        sides.update(set_src_context=cuda.Context.get_current(), set_dst_context=cuda.Context.get_current())
    rectangle(cls, **box, **sides)()
    assert (host == source).all()
    for beyond in ({"dst_z": 1}, {"dst_height": 6}):
        for call in (lambda copy: copy(), lambda copy: copy(cuda.Stream())):
            with pytest.raises(cuda.LogicError, match="destination: host memory of 480 bytes"):
                call(rectangle(cls, **{**box, **sides, **beyond}))


def test_values_of_the_other_byte_order_are_not_passed_as_they_lie():
    keep = SourceModule("__global__ void keep(int *a, int value) { *a = value; }").get_function("keep")
    kept = np.zeros(1, np.int32)
    keep(cuda.Out(kept), np.array(5, "<i4"), block=(1, 1, 1))
    assert kept[0] == 5
    keep(cuda.Out(kept), np.array(6, ">i4")[()], block=(1, 1, 1))  # a number
    assert kept[0] == 6
    with pytest.raises(TypeError, match="of the other byte order"):
        keep(cuda.Out(kept), np.array(7, ">i4"), block=(1, 1, 1))  # bytes


@pytest.mark.parametrize("handler", [cuda.Out, cuda.InOut])
def test_results_that_have_no_place_are_refused_before_the_kernel_runs(handler):
    count = SourceModule("__global__ void count(int *runs, int *a) { ++*runs; *a = 1; }").get_function("count")
    runs = cuda.managed_zeros(1, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    constant = np.zeros(3, np.int32)
    constant.flags.writeable = False
    for array, words in (
        (constant, r"read-only, of shape \(3,\)"),
        (np.int32(5), "read-only"),
        (np.zeros(6, np.int32)[::2], r"ndarray is not contiguous: its shape is \(3,\), its strides \(8,\)"),
    ):
        for stream in (None, cuda.Stream()):
            with pytest.raises(ValueError, match=words):
                count(runs, handler(array), block=(1, 1, 1), stream=stream)
    cuda.Context.synchronize()
    assert runs[0] == 0
    count(runs, handler(np.zeros((2, 3), np.int32).T), block=(1, 1, 1))
    assert runs[0] == 1


def test_a_pointer_holder_that_was_not_set_up_says_so():
    class Holder(cuda.PointerHolderBase):
        def __init__(self):
            pass

    with pytest.raises(TypeError, match="its __init__ must call that of PointerHolderBase"):
        cuda.memcpy_htod(Holder(), np.zeros(3))


def test_a_pointer_holder_that_is_its_own_pointer_says_so():
    output, _ = run_program(
        """
        import pycuda.driver as cuda

        class Holder(cuda.PointerHolderBase):
            def get_pointer(self):
                return self.other

        first, second = Holder(), Holder()
        first.other, second.other = second, first
        for _ in range(2):
            try:
                int(first)
            except RecursionError as error:
                print(error)
        second.other = 16
        print(int(first))
        """
    )
    assert output.count("recursion depth exceeded") == 2 and output.endswith("16\n")


def test_memory_of_a_read_only_array_stays_read_only():
    held = cuda.register_host_memory(np.frombuffer(bytes(4096), np.int8))
    assert not held.flags.writeable
    with pytest.raises(ValueError, match="cannot set WRITEABLE"):
        held.flags.writeable = True
    assert memoryview(held.base).readonly
    held.base.unregister()
    writeable = np.zeros(1024, np.int32)
    held = cuda.register_host_memory(writeable)
    held[3] = 7
    assert writeable[3] == 7
    held.base.unregister()


def test_memory_is_not_freed_under_a_view_that_the_host_uses(context):
    managed = cuda.managed_empty(10, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL).base
    kinds = [managed]
    if "CPU" in context.get_device().name():
        kinds.append(cuda.mem_alloc(1 << 20))
    for memory in kinds:
        view = memory.as_buffer(10)
        part = np.frombuffer(view, np.uint8)[2:]
        with pytest.raises(BufferError, match="while views of it exist"):
            memory.free()
        part[0] = 1
        del view
        with pytest.raises(BufferError):
            memory.free()
        del part
        with memory.as_buffer(10):
            pass
        memory.free()
