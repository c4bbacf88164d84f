# SPDX-License-Identifier: MIT
"""Arguments are converted by the kernel's own parameter list, and the launch is what was asked for."""

import pathlib

import pytest
from programs import run_program

PRELUDE = f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent / "fake")!r})
from session import *
import struct
block = (32, 1, 1)
"""


@pytest.fixture
def on_fake(fake_driver):
    """Runs a program on the fake driver."""

    def run(code, **settings):
        import textwrap

        return run_program(PRELUDE + textwrap.dedent(code), PYCUDA_DRIVER=fake_driver, **settings)

    return run


def test_pointers_come_from_everything_that_holds_one(on_fake):
    on_fake(
        """
        f = kernel(8)
        memory = cuda.mem_alloc(64)
        pool = cuda.DeviceMemoryPool()
        pooled = pool.allocate(100)
        managed = cuda.managed_zeros((8,), np.float32)

        class Holder(cuda.PointerHolderBase):
            def get_pointer(self):
                return int(memory)

        class Tensor(cuda.PointerHolderBase):
            def __init__(self):
                super().__init__()
                self.gpudata = int(memory) + 8
            def get_pointer():
                raise AssertionError("never called")

        class Array:
            gpudata = memory

        class Foreign:
            __cuda_array_interface__ = {"data": (int(memory) + 16, False), "shape": (3,),
                                        "typestr": "<f4", "version": 3}

        start = int(memory)
        for argument, address in [
            (memory, start), (start, start), (np.intp(start), start), (np.uint64(start), start),
            (pooled, int(pooled)), (managed, managed.ctypes.data), (managed[2:], managed.ctypes.data + 8),
            (managed.base, managed.ctypes.data), (Holder(), start), (Tensor(), start + 8),
            (Array(), start), (Foreign(), start + 16),
        ]:
            f(argument, block=block)
            assert arguments_as(("u8", 0)) == [address], argument
        """
    )


def test_python_numbers_take_the_size_of_the_parameter(on_fake):
    on_fake(
        """
        f = kernel(1, 2, 4, 8)
        f(-1, 65535, -(2**31), 2**64 - 1, block=block)
        assert arguments_as(("i1", 0), ("u2", 2), ("i4", 4), ("u8", 8)) == [-1, 65535, -(2**31), 2**64 - 1]
        f(True, False, True, 7, block=block)
        assert arguments_as(("u1", 0), ("u2", 2), ("u4", 4), ("u8", 8)) == [1, 0, 1, 7]
        g = kernel(2, 4, 8, 8, 16)
        g(0.5, 1.25, 2.5, 1 + 2j, 3 - 4j, block=block)
        assert arguments_as(("f2", 0), ("f4", 4), ("f8", 8), ("c8", 16), ("c16", 32)) == [
            0.5, 1.25, 2.5, 1 + 2j, 3 - 4j]
        """
    )


def test_numpy_scalars_of_the_right_size_are_passed_as_they_are(on_fake):
    on_fake(
        """
        for dtype in "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16 ?".split():
            value = np.dtype(dtype).type(3)
            kernel(value.itemsize)(value, block=block)
            assert last_arguments() == value.tobytes(), dtype
        """
    )


def test_numpy_scalars_of_another_size_are_converted(on_fake):
    on_fake(
        """
        f = kernel(4, 8)
        f(np.float64(1.5), np.float32(2.5), block=block)
        assert arguments_as(("f4", 0), ("f8", 8)) == [1.5, 2.5]
        f(np.int64(-5), np.int8(-6), block=block)
        assert arguments_as(("i4", 0), ("i8", 8)) == [-5, -6]
        raises(OverflowError, "argument #0 (0-based) of kernel 'kernel' is out of range",
               lambda: f(np.int64(2**40), 1, block=block))
        raises(OverflowError, "does not fit in the 4 bytes", lambda: f(1e300, 1, block=block))
        """
    )


def test_structs_and_vectors_land_where_the_kernel_wants_them(on_fake):
    on_fake(
        """
        f = kernel(4, 16, 8)
        float4 = np.dtype([(name, np.float32) for name in "xyzw"])
        f(np.int32(7), np.array((1, 2, 3, 4), float4), np.float64(9), block=block)
        assert arguments_as(("i4", 0), (float4, 16), ("f8", 32)) == [7, np.array((1, 2, 3, 4), float4), 9]
        pair = np.dtype([("a", np.int32), ("b", np.float64)], align=True)
        f(1, np.array((5, 6.5), pair)[()], 0, block=block)
        assert arguments_as((pair, 16))[0] == np.array((5, 6.5), pair)
        f(1, np.arange(4, dtype=np.int32), 0, block=block)
        assert last_arguments()[16:32] == np.arange(4, dtype=np.int32).tobytes()
        """
    )


def test_wrong_counts_and_types_name_kernel_position_and_size(on_fake):
    on_fake(
        """
        f = kernel(8, 4, name="scale")
        memory = cuda.mem_alloc(4)
        raises(TypeError, "kernel 'scale' takes 2 parameters of 8 and 4 bytes, but 1 argument was given",
               lambda: f(memory, block=block))
        raises(TypeError, "but 3 arguments were given", lambda: f(memory, 1, 2, block=block))
        for bad in (None, "text", b"bytes", (1, 2), [1], object()):
            raises(TypeError, "invalid type on parameter #1 (0-based)", lambda: f(memory, bad, block=block))
        raises(TypeError, "a pointer of 8 bytes, but the parameter has 4 bytes",
               lambda: f(memory, memory, block=block))
        raises(TypeError, "wrap it in pycuda.driver.In, Out or InOut",
               lambda: f(np.zeros(5), 1, block=block))
        raises(ValueError, "contiguous", lambda: f(memory, np.zeros((4, 4), np.uint8)[:, 0], block=block))
        raises(TypeError, "an integer, but the parameter has 16 bytes", lambda: kernel(16)(1, block=block))
        raises(TypeError, "a floating-point number, but the parameter has 1 bytes",
               lambda: kernel(1)(1.0, block=block))
        """
    )


def test_keywords_are_checked_as_the_original_does(on_fake):
    on_fake(
        """
        f = kernel()
        unknown = "extra keyword arguments: blok,gird; a call takes block, grid, stream, "
        raises(ValueError, unknown, lambda: f(blok=1, gird=2))
        raises(ValueError, "must specify block size", lambda: f())
        raises(ValueError, "must specify block size", lambda: f(block=None))
        up_to_three = "up to three numbers, (x, y, z), not 4"
        too_many = f"invalid argument - too many block dimensions in kernel launch: block takes {up_to_three}"
        raises(cuda.LogicError, too_many, lambda: f(block=(1, 1, 1, 1)))
        raises(cuda.LogicError, f"grid takes {up_to_three}", lambda: f(block=block, grid=(1, 1, 1, 1)))
        raises(TypeError, "block must be a tuple", lambda: f(block=5))
        raises(TypeError, "must be an integer, not float", lambda: f(block=(1.5, 1, 1)))
        raises(OverflowError, "grid is out of range: -1", lambda: f(block=block, grid=(-1, 1)))
        raises(TypeError, "a stream must be a Stream or None, not int", lambda: f(block=block, stream=5))
        raises(AssertionError, "Can't time the kernel on an asynchronous invocation",
               lambda: f(block=block, stream=cuda.Stream(), time_kernel=True))
        raises(TypeError, "texture references", lambda: f(block=block, texrefs=[object()]))
        f(block=block, texrefs=[], stream=None)
        """
    )


def test_shapes_may_be_lists_short_and_of_numpy_integers(on_fake):
    on_fake(
        """
        f = kernel()
        stream = cuda.Stream()
        f(block=[np.int32(8), 4], grid=[np.int64(3)], shared=np.int16(256), stream=stream)
        assert last_shape() == ((3, 1, 1), (8, 4, 1), 256)
        assert number("fake_stream", ctypes.c_void_p).value == stream.handle
        seconds = f(block=block, time_kernel=True)
        assert isinstance(seconds, float) and seconds >= 0
        class Foreign:
            def __cuda_stream__(self):
                return (0, 1234)
        f(block=block, stream=Foreign())
        assert number("fake_stream", ctypes.c_void_p).value == 1234
        """
    )


def test_a_block_that_is_too_large_says_which_limit_it_passed(on_fake):
    on_fake(
        """
        f = kernel(name="blur")
        error = raises(cuda.LogicError, "cuLaunchKernel failed: invalid argument - kernel blur, grid 1x1x1, "
                       "block 33x33x1: 1089 threads per block, the kernel takes at most 1024",
                       lambda: f(block=(33, 33, 1)))
        assert error.code == 1 and error.routine == "cuLaunchKernel"
        raises(cuda.LogicError, "a block needs at least one thread", lambda: f(block=(0, 1, 1)))
        """
    )


def test_handlers_copy_in_before_and_out_after(on_fake):
    on_fake(
        """
        f = kernel(8, 8, 8)
        a, b, c = (np.full(4, value, np.float32) for value in (1, 2, 3))
        number("fake_synchronizations").value = 0
        into = cuda.In(a)
        f(into, cuda.Out(b), cuda.InOut(c), block=block)
        assert number("fake_synchronizations").value == 1
        assert (c == 3).all() and (a == 1).all()
        assert (cuda.from_device(into.get_device_alloc(), 4, np.float32) == 1).all()
        number("fake_synchronizations").value = 0
        f(cuda.In(a), cuda.In(b), cuda.In(c), block=block)
        assert number("fake_synchronizations").value == 0
        raises(TypeError, "could not determine array length", lambda: f(cuda.In([1]), 0, 0, block=block))
        """
    )


def test_a_handler_class_of_the_user_is_called(on_fake):
    on_fake(
        """
        calls = []
        class Logged(cuda.ArgumentHandler):
            def pre_call(self, stream):
                calls.append(("pre", stream))
            def post_call(self, stream):
                calls.append(("post", stream))
        kernel(8)(Logged(np.zeros(2)), block=block)
        assert calls == [("pre", None), ("post", None)]
        """
    )


def test_prepared_calls_pack_by_their_codes(on_fake):
    on_fake(
        """
        f = kernel(8, 4, 4, 8)
        memory = cuda.mem_alloc(8)
        assert f.prepare("PifF") is f
        raises(AttributeError, "has not been prepared", lambda: kernel().arg_format)
        assert f.arg_format == "PifF" and f.texrefs == []
        f.prepared_call((2, 3), (4, 5, 6), memory, 7, 1.5, 1 + 2j)
        assert arguments_as(("u8", 0), ("i4", 8), ("f4", 12), ("c8", 16)) == [int(memory), 7, 1.5, 1 + 2j]
        assert last_shape() == ((2, 3, 1), (4, 5, 6), 0)
        stream = cuda.Stream()
        f.prepared_async_call((1,), (1,), stream, int(memory), np.int32(1), np.float32(2), 0, shared_size=64)
        assert last_shape() == ((1, 1, 1), (1, 1, 1), 64)
        assert number("fake_stream", ctypes.c_void_p).value == stream.handle
        wait = f.prepared_timed_call((1,), (1,), memory, 1, 2, 3)
        assert isinstance(wait(), float)
        f.prepare([np.intp, np.int32, "f", np.dtype(np.complex64)])
        assert f.arg_format == "lifF"
        f.prepared_call((1,), (1,), memory, 1, 2, 3)
        assert arguments_as(("u8", 0)) == [int(memory)]
        """
    )


def test_prepared_calls_refuse_what_does_not_fit(on_fake):
    on_fake(
        """
        f = kernel(8, 4, name="scale")
        memory = cuda.mem_alloc(8)
        raises(TypeError, "prepare() must be called before prepared_call()",
               lambda: f.prepared_call((1,), (1,), memory, 1))
        raises(TypeError, "kernel 'scale' takes 2 parameters of 8 and 4 bytes, but the codes 'Pd' stand for "
               "2 values of 8 and 8 bytes", lambda: f.prepare("Pd"))
        raises(struct.error, "bad char in struct format", lambda: f.prepare("Pg"))
        f.prepare("Pi")
        raises(struct.error, "kernel 'scale' was prepared for 2 arguments, but 1 were given",
               lambda: f.prepared_call((1,), (1,), memory))
        raises(struct.error, "argument #1 (0-based) of kernel 'scale': code 'i' needs an integer, not float",
               lambda: f.prepared_call((1,), (1,), memory, 1.5))
        raises(struct.error, "does not fit in the 4 bytes of code 'i'",
               lambda: f.prepared_call((1,), (1,), memory, 2**31))
        raises(TypeError, "unknown keyword arguments: shared",
               lambda: f.prepared_call((1,), (1,), memory, 1, shared=1))
        """
    )


def test_the_old_way_to_prepare_a_block_still_works(on_fake):
    on_fake(
        """
        import warnings
        f = kernel(4)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            f.prepare("i", block=(8, 1, 1))
            f.prepared_call((2, 1), 5)
        assert last_shape() == ((2, 1, 1), (8, 1, 1), 0)
        assert [warning.category for warning in caught] == [DeprecationWarning] * 2
        """
    )


def test_codes_may_cut_a_struct_into_pieces(on_fake):
    on_fake(
        """
        f = kernel(8, 8)
        f.prepare("Pff")
        f.prepared_call((1,), (1,), 1, 2.5, 3.5)
        assert arguments_as(("f4", 8), ("f4", 12)) == [2.5, 3.5]
        f.prepare("8sq")
        f.prepared_call((1,), (1,), b"abcdefgh", 1)
        raises(struct.error, "9 bytes were given for the 8 bytes of code 's'",
               lambda: f.prepared_call((1,), (1,), b"abcdefghi", 1))
        """
    )


def test_old_drivers_get_arguments_laid_out_by_their_types(on_fake):
    on_fake(
        """
        number("fake_knows_parameters", ctypes.c_int).value = 0
        f = kernel(8, 4, 16, 8)
        float4 = np.dtype([(name, np.float32) for name in "xyzw"])
        f(cuda.mem_alloc(8), np.int32(3), np.array((1, 2, 3, 4), float4), np.float64(5), block=block)
        assert arguments_as(("i4", 8), (float4, 16), ("f8", 32)) == [3, np.array((1, 2, 3, 4), float4), 5]
        raises(TypeError, "give a NumPy scalar of the parameter's type", lambda: f(1, block=block))
        """
    )


def test_attributes_of_functions_are_read_in_small_letters(on_fake):
    on_fake(
        """
        f = kernel()
        assert f.num_regs == 4 and f.get_attribute(cuda.function_attribute.NUM_REGS) == 4
        f.anything = "kept"
        assert f.anything == "kept"
        raises(AttributeError, "nothing", lambda: f.nothing)
        raises(AttributeError, "NUM_REGS", lambda: f.NUM_REGS)
        raises(TypeError, "cannot create", lambda: cuda.Function())
        assert "kernel" in repr(f)
        import weakref
        assert weakref.ref(f)() is f
        """
    )


def test_a_failed_clean_up_is_reported_and_no_more(on_fake):
    _, errors = on_fake(
        """
        number("fake_free_result", ctypes.c_int).value = 1
        memory = cuda.mem_alloc(8)
        del memory
        number("fake_free_result", ctypes.c_int).value = 0
        """
    )
    assert "PyCUDA WARNING" in errors
    assert "a clean-up operation failed (dead context maybe?)" in errors
    assert "cuMemFree failed: invalid argument" in errors


def test_out_of_memory_is_tried_again_after_collecting_garbage(on_fake):
    on_fake(
        """
        import gc
        gc.disable()
        class Cycle:
            pass
        cycle = Cycle()
        cycle.itself = cycle
        collected = []
        import weakref
        weakref.finalize(cycle, collected.append, True)
        del cycle
        error = raises(cuda.MemoryError, "cuMemAlloc failed: out of memory", lambda: cuda.mem_alloc(2**40))
        assert error.code == 2 and error.name == "CUDA_ERROR_OUT_OF_MEMORY" and error.routine == "cuMemAlloc"
        assert collected == [True]
        """
    )


def test_launches_errors_are_of_the_class_for_launches(on_fake):
    on_fake(
        """
        number("fake_launch_result", ctypes.c_int).value = 719
        error = raises(cuda.LaunchError, "cuLaunchKernel failed: unspecified launch failure",
                       lambda: kernel()(block=block))
        assert isinstance(error, cuda.Error)
        """
    )
