# SPDX-License-Identifier: MIT
"""Memory shared with other packages: DLPack and the CUDA array interface, both ways."""

import gc
import weakref

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu, run_program
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

CPU, CUDA = 1, 2


@pytest.fixture
def on_a_processor(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver, where device memory is the host's")


def test_arrays_say_where_they_are():
    device = gpuarray.zeros(3, np.float32)
    assert device.__dlpack_device__() == ((CPU, 0) if is_cpu() else (CUDA, 0))


def test_numpy_uses_the_elements_in_place(on_a_processor):
    device = gpuarray.to_gpu(np.arange(12, dtype=np.float32).reshape(3, 4))
    host = np.from_dlpack(device[::2, 1:])
    np.testing.assert_array_equal(host, device.get()[::2, 1:])
    host[0, 0] = 50
    assert device[0, 1].item() == 50
    assert host.flags.writeable


def test_numpys_elements_are_used_in_place(on_a_processor):
    host = np.arange(24, dtype=np.int32).reshape(4, 6)
    device = gpuarray.from_dlpack(host)
    device *= 2
    cuda.Context.synchronize()
    assert host[1, 2] == 16
    part = gpuarray.from_dlpack(host[:, ::2], copy=False)  # also while all of it is in use
    part.fill(3)
    cuda.Context.synchronize()
    assert host[1, 2] == 3 and host[1, 1] == 14
    np.testing.assert_array_equal(device.get(), host)


def test_memory_that_is_partly_in_use_is_copied(on_a_processor):
    host = np.arange(24, dtype=np.int32).reshape(4, 6)
    part = gpuarray.from_dlpack(host[:2])
    np.testing.assert_array_equal(gpuarray.from_dlpack(host).get(), host)
    with pytest.raises(BufferError, match="without a copy"):
        gpuarray.from_dlpack(host, copy=False)
    np.testing.assert_array_equal(part.get(), host[:2])


def test_the_memory_lives_as_long_as_it_is_used(on_a_processor):
    host = np.ones(1000)
    alive = weakref.ref(host)
    device = gpuarray.from_dlpack(host)
    part = device[10:20]
    del host, device
    gc.collect()
    assert alive() is not None
    np.testing.assert_array_equal((part + 1).get(), np.full(10, 2.0))
    del part
    gc.collect()
    assert alive() is None
    mine = gpuarray.to_gpu(np.arange(5))
    theirs = np.from_dlpack(mine)
    del mine
    gc.collect()
    np.testing.assert_array_equal(theirs, np.arange(5))


@pytest.mark.parametrize(
    "end",
    ["", "del array", "pycuda.autoinit.context.pop(); del array", "pycuda.autoinit.context.detach(); del array"],
    ids=["program", "array", "popped", "detached"],
)
def test_foreign_memory_goes_in_silence(end, on_a_processor):
    _, errors = run_program(
        f"""
        import numpy as np
        import pycuda.autoinit
        from pycuda import gpuarray

        array = gpuarray.from_dlpack(np.ones(6, np.float32))
        array += 1
        {end}
        """
    )
    assert errors == ""


def test_foreign_memory_waits_for_its_own_context(on_a_processor):
    run_program(
        """
        import numpy as np
        import pycuda.autoinit
        import pycuda.driver as cuda
        from pycuda import gpuarray
        from pycuda.compiler import SourceModule

        slow = SourceModule(
            "__global__ void slow(float *a) { for (int i = 0; i < 300; ++i) __nanosleep(1000000); *a = 2; }"
        ).get_function("slow")
        host = np.ones(6, np.float32)
        array = gpuarray.from_dlpack(host)
        slow(array, block=(1, 1, 1))
        other = cuda.Device(0).make_context()
        del array
        assert host[0] == 2
        other.pop()
        """
    )


def test_capsules_have_the_version_asked_for():
    device = gpuarray.zeros(3, np.float32)
    assert '"dltensor"' in repr(device.__dlpack__())
    assert '"dltensor_versioned"' in repr(device.__dlpack__(max_version=(1, 0)))
    assert '"dltensor"' in repr(device.__dlpack__(max_version=(0, 8)))


def test_a_capsule_is_used_once():
    class Once:
        def __init__(self, ary):
            self.capsule = ary.__dlpack__()
            self.device = ary.__dlpack_device__()

        def __dlpack__(self, stream=None):
            return self.capsule

        def __dlpack_device__(self):
            return self.device

    once = Once(gpuarray.to_gpu(np.arange(3)))
    np.testing.assert_array_equal(gpuarray.from_dlpack(once).get(), np.arange(3))
    with pytest.raises(BufferError, match="has not been used"):
        gpuarray.from_dlpack(once)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float64", "complex64"])
def test_every_dtype_goes_both_ways(dtype):
    host = np.arange(6).reshape(2, 3).astype(dtype)
    device = gpuarray.from_dlpack(host)
    assert device.dtype == host.dtype
    back = np.from_dlpack(device, device="cpu") if not is_cpu() else np.from_dlpack(device)
    assert back.dtype == host.dtype
    np.testing.assert_array_equal(back, host)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
def test_shapes_without_axes_or_elements(shape):
    host = np.zeros(shape, np.int16)
    device = gpuarray.from_dlpack(host)
    assert device.shape == shape
    assert np.from_dlpack(device, device="cpu").shape == shape


def test_copies_are_made_when_asked_for_and_only_then():
    host = np.arange(4.0)
    device = gpuarray.from_dlpack(host, copy=True)
    device.fill(0)
    assert host[3] == 3
    taken = gpuarray.from_dlpack(gpuarray.from_dlpack(device, copy=True), copy=False)
    taken.fill(9)
    assert not device.get().any()
    host.flags.writeable = False
    np.testing.assert_array_equal(gpuarray.from_dlpack(host).get(), host)
    with pytest.raises(BufferError, match=r"shape \(4,\) and dtype float64"):
        gpuarray.from_dlpack(host, copy=False)


def test_what_cannot_be_exchanged_says_why():
    struct = gpuarray.GPUArray(3, np.dtype([("a", "i4")]))
    with pytest.raises(BufferError, match="no type for elements"):
        struct.__dlpack__()
    device = gpuarray.zeros(3, np.float32)
    with pytest.raises(BufferError, match="device"):
        device.__dlpack__(dl_device=(10, 0))
    with pytest.raises(BufferError):
        device.__dlpack__(stream=0)
    with pytest.raises((AttributeError, TypeError)):
        gpuarray.from_dlpack([1, 2])


def test_pytorch_exchanges_memory():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    device = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    if not is_cpu() and not torch.cuda.is_available():
        pytest.skip("needs a PyTorch that knows the device")
    tensor = torch.from_dlpack(device)
    tensor += 1
    np.testing.assert_array_equal(device.get(), np.arange(6) + 1)
    other = torch.arange(5, dtype=torch.int64, device="cpu" if is_cpu() else "cuda")
    np.testing.assert_array_equal((gpuarray.from_dlpack(other) * 2).get(), np.arange(5) * 2)


def test_the_cuda_array_interface_goes_both_ways():
    device = gpuarray.to_gpu(np.arange(12, dtype=np.float32).reshape(3, 4))

    class Other:
        __cuda_array_interface__ = device[:, ::2].__cuda_array_interface__

    taken = gpuarray.asarray(Other())
    np.testing.assert_array_equal(taken.get(), device.get()[:, ::2])
    assert gpuarray.zeros(0).__cuda_array_interface__["data"][0] == 0
    assert Other.__cuda_array_interface__["version"] == 3

    class Ambiguous:
        __cuda_array_interface__ = {**Other.__cuda_array_interface__, "stream": 0}

    with pytest.raises(ValueError, match="stream 0 is ambiguous"):
        gpuarray.asarray(Ambiguous())


class Exported:
    """Another package's array, which says how its memory may be used."""

    def __init__(self, array, **changes):
        self._array = array
        self.__cuda_array_interface__ = dict(array.__cuda_array_interface__, **changes)


def test_a_null_pointer_is_refused_unless_there_are_no_elements():
    owner = gpuarray.zeros((2, 3), np.float32)
    for take in (gpuarray.asarray, gpuarray.from_cuda_array_interface):
        with pytest.raises(ValueError, match=r"Exported has shape \(2, 3\) and a null pointer"):
            take(Exported(owner, data=(0, False)))
        assert take(Exported(owner, data=(0, False), shape=(2, 0), strides=None)).shape == (2, 0)


def test_read_only_memory_is_not_written_to():
    owner = gpuarray.to_gpu(np.arange(6, dtype=np.float32).reshape(2, 3))
    view = gpuarray.asarray(Exported(owner, data=(owner.ptr, True)))
    np.testing.assert_array_equal((view + 1).get(), owner.get() + 1)
    assert view.ptr == owner.ptr and view.__cuda_array_interface__["data"] == (owner.ptr, True)
    writers = [
        lambda: view.fill(0),
        lambda: view.set(np.zeros((2, 3), np.float32)),
        lambda: view.__setitem__(0, 1),
        lambda: view.T.__setitem__((0, 0), 1),
        lambda: view[1:].__iadd__(1),
        lambda: view.__setitem__([0, 1], 1),
        lambda: np.add(owner, 1, out=view),
        lambda: view.sum(axis=0, out=view[0]),
        lambda: view.sort(),
    ]
    for write in writers:
        with pytest.raises(ValueError, match=r"shape .* and dtype float32 is read-only"):
            write()
    np.testing.assert_array_equal(owner.get(), np.arange(6).reshape(2, 3))
    copy = view.copy()
    copy.fill(1)
    assert not copy.__cuda_array_interface__["data"][1]


def test_dlpack_tells_of_read_only_memory(on_a_processor):
    owner = gpuarray.to_gpu(np.arange(4.0))
    view = gpuarray.asarray(Exported(owner, data=(owner.ptr, True)))
    host = np.from_dlpack(view)
    assert not host.flags.writeable
    np.testing.assert_array_equal(host, np.arange(4.0))
    with pytest.raises(BufferError, match="read-only"):
        view.__dlpack__()
