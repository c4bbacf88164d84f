# SPDX-License-Identifier: MIT
"""pycuda.tools, pycuda.characterize, pycuda.compyte and pycuda.debug."""

import threading

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import run_program
from pycuda import characterize, gpuarray, tools
from pycuda.compyte import array as strides
from pycuda.compyte import dtypes
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel


@pytest.mark.parametrize(
    ("declaration", "kind", "dtype", "name"),
    [
        ("float *x", tools.VectorArg, np.float32, "x"),
        ("const float *my_const", tools.VectorArg, np.float32, "my_const"),
        ("volatile double* __restrict__ constants", tools.VectorArg, np.float64, "constants"),
        ("int n", tools.ScalarArg, np.int32, "n"),
        ("unsigned long long count", tools.ScalarArg, np.uint64, "count"),
        ("size_t n", tools.ScalarArg, np.uintp, "n"),
        ("uint8_t flag", tools.ScalarArg, np.uint8, "flag"),
        ("half h", tools.ScalarArg, np.float16, "h"),
        ("unsigned x[10]", tools.VectorArg, np.uint32, "x"),
        ("pycuda::complex<float> z", tools.ScalarArg, np.complex64, "z"),
        ("char c", tools.ScalarArg, np.int8, "c"),
    ],
)
def test_c_declarations_are_understood(declaration, kind, dtype, name):
    argument = tools.parse_c_arg(declaration)
    assert type(argument) is kind and argument.dtype == dtype and argument.name == name


def test_unknown_types_are_named():
    with pytest.raises(ValueError, match="unknown type 'quaternion'"):
        tools.parse_c_arg("quaternion q")
    with pytest.raises(ValueError):
        tools.parse_c_arg("float")


def test_arguments_write_themselves_in_c():
    assert tools.VectorArg(np.float32, "x").declarator() == "float *x"
    assert tools.ScalarArg(np.int64, "n").declarator() == "long n"
    assert tools.ScalarArg(np.float64, "a").struct_char == "d"
    assert tools.VectorArg(np.float64, "a").struct_char == "P"
    assert repr(tools.VectorArg(np.float32, "x")) == "VectorArg('x', float32)"
    assert tools.get_arg_type("float *x") == "P"
    struct = np.dtype([("a", np.int32), ("b", np.float32)])
    assert tools.ScalarArg(struct, "s").struct_char == "8s"


def test_dtypes_have_c_names():
    names = {
        np.int8: "signed char", np.uint8: "unsigned char", np.int16: "short", np.uint32: "unsigned",
        np.int64: "long", np.float32: "float", np.complex128: "pycuda::complex<double>", np.bool_: "bool",
    }  # fmt: skip
    for dtype, name in names.items():
        assert tools.dtype_to_ctype(dtype) == name
    assert tools.dtype_to_ctype(np.float64, with_fp_tex_hack=True) == "fp_tex_double"
    with pytest.raises(ValueError, match="dtype may not be None"):
        tools.dtype_to_ctype(None)
    with pytest.raises(ValueError, match="unable to map dtype '>f4'"):
        tools.dtype_to_ctype(np.dtype(">f4"))


def test_structs_can_be_registered_once():
    struct = np.dtype([("left", np.int32), ("right", np.int16)])
    assert tools.get_or_register_dtype("left_right", struct) == struct
    assert tools.get_or_register_dtype("left_right") == struct
    assert tools.dtype_to_ctype(struct) == "left_right"
    with pytest.raises(RuntimeError, match="already registered to different dtype .*: choose another name for"):
        tools.get_or_register_dtype("left_right", np.dtype([("x", np.int8)]))
    with pytest.raises(KeyError):
        tools.get_or_register_dtype("nobody_s_name")
    assert dtypes.TYPE_REGISTRY.name_to_dtype["left_right"] == struct


def test_strides_tell_the_order():
    assert strides.c_contiguous_strides(4, (2, 3)) == (12, 4)
    assert strides.f_contiguous_strides(4, (2, 3)) == (4, 8)
    flags = strides.ArrayFlags(np.zeros((1, 5)))
    assert flags.c_contiguous and flags.f_contiguous and flags.forc
    assert not strides.ArrayFlags(np.zeros((4, 4))[:, ::2]).forc
    assert strides.get_common_dtype(np.zeros(1, np.float32), np.zeros(1, np.int32), True) == np.float64
    assert strides.get_common_dtype(np.zeros(1, np.float32), np.zeros(1, np.int32), False) == np.float32
    assert strides.get_common_dtype(np.zeros(1, np.float32), 1.5, True) == np.float32


def test_results_are_remembered_for_one_context(context):
    calls = []

    @tools.context_dependent_memoize
    def square(x):
        calls.append(x)
        return x * x

    assert (square(3), square(3)) == (9, 9) and calls == [3]
    second = cuda.Device(0).make_context()
    assert square(3) == 9 and calls == [3, 3]
    second.pop()
    assert square(3) == 9 and calls == [3, 3]
    tools.clear_context_caches()
    assert square(3) == 9 and calls == [3, 3, 3]
    second.detach()


def test_a_thread_without_a_context_finds_what_the_processs_remembers(context):
    calls = []

    @tools.context_dependent_memoize
    def square(x):
        calls.append(x)
        return x * x

    assert square(3) == 9
    in_thread(lambda: square(3))
    assert calls == [3]
    in_thread(lambda: square(4))
    assert square(4) == 16 and calls == [3, 4]


def test_constants_of_a_generated_kernel_hold_in_threads_too(context):
    kernel = ElementwiseKernel("int *x", "x[i] += step[0]", preamble="__constant__ int step[1];")
    cuda.memcpy_htod(kernel.get_global("step")[0], np.array([7], np.int32))
    x = gpuarray.zeros(4, np.int32)
    in_thread(lambda: kernel(x))
    in_thread(lambda: kernel(x[::2]))
    assert x.get().tolist() == [14, 7, 14, 7]
    made = []
    in_thread(lambda: made.append(ReductionKernel(np.int32, "0", "a + b", "x[i] * f[0]", "int *x", preamble=FACTOR)))
    cuda.memcpy_htod(made[0].get_global("f")[0], np.array([3], np.int32))
    in_thread(lambda: made.append(made[0](x).get()))
    assert made[1] == made[0](x).get() == 3 * 42


FACTOR = "__constant__ int f[1];"


def in_thread(action):
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def test_the_decorator_for_tests_gives_a_context_and_takes_it_back(driver):
    @tools.mark_cuda_test
    def inside(x):
        cuda.mem_alloc(4)
        return x + 1

    assert cuda.Context.get_current() is None
    assert inside(1) == 2
    assert cuda.Context.get_current() is None

    @tools.mark_cuda_test
    def failing():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        failing()
    assert cuda.Context.get_current() is None


def test_the_fixture_for_tests_gives_a_context(driver):
    fixture = tools.init_cuda_context_fixture()
    next(fixture)
    assert cuda.Context.get_current() is not None
    with pytest.raises(StopIteration):
        next(fixture)
    assert cuda.Context.get_current() is None


def test_the_device_can_be_chosen(driver):
    run_program(
        """
        import pycuda.autoinit, pycuda.driver as cuda
        assert pycuda.autoinit.device == cuda.Device(0)
        """,
        CUDA_DEVICE="0",
    )
    output, _ = run_program(
        """
        import pycuda.driver as cuda
        try:
            import pycuda.autoinit
        except cuda.LogicError as error:
            print(error)
        """,
        CUDA_DEVICE="99",
    )
    assert "invalid device ordinal" in output


def test_occupancy_comes_from_the_device(context):
    data = tools.DeviceData()
    assert data.warp_size == 32 and data.max_threads == 1024
    record = tools.OccupancyRecord(data, 256)
    assert 0 < record.occupancy <= 1
    assert record.warps_per_mp == record.tb_per_mp * 8
    with pytest.raises(ValueError, match="too many threads"):
        tools.OccupancyRecord(data, 2000)
    with pytest.raises(ValueError, match="too much smem"):
        tools.OccupancyRecord(data, 32, shared_mem=1 << 30)
    with pytest.raises(ValueError, match="too many registers"):
        tools.OccupancyRecord(data, 1024, registers=300)
    assert tools.OccupancyRecord(data, 32, shared_mem=data.shared_memory).limited_by in ("smem", "device")


def test_blocks_share_the_registers_warp_by_warp(context):
    data = tools.DeviceData()
    data.registers = data.registers_per_block = 65536
    data.warps_per_mp, data.thread_blocks_per_mp = 64, 32
    for threads, registers, blocks in ((32, 255, 8), (32, 20, 32), (96, 40, 16), (160, 63, 6), (1024, 64, 1)):
        assert tools.OccupancyRecord(data, threads, 0, registers).tb_per_mp == blocks
    with pytest.raises(ValueError, match="too many registers"):
        tools.OccupancyRecord(data, 1024, 0, 65)
    for wrong in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="a block cannot have"):
            tools.OccupancyRecord(data, 32, *wrong)
    with pytest.raises(TypeError):
        tools.OccupancyRecord(data, 32.5)


def test_alignment_of_device_data(context):
    data = tools.DeviceData()
    assert data.align_bytes() == 64 and data.align_bytes(8) == 128
    assert data.align(100) == 128 and data.align_words(4) == 16 and data.align_dtype(17, 4) == 32
    assert data.coalesce(17) == 32
    assert tools.DeviceData.make_valid_tex_channel_count(3) == 4
    with pytest.raises(ValueError):
        tools.DeviceData.make_valid_tex_channel_count(5)


def test_characteristics_of_the_device(context):
    assert characterize.platform_bits() == 64
    assert characterize.has_stack() and characterize.has_double_support()
    assert characterize.sizeof("double") == 8
    assert characterize.sizeof("pair", "struct pair { char a; double b; };") == 16


def test_bitlog2_is_the_floor():
    assert [tools.bitlog2(n) for n in (0, 1, 2, 3, 1023, np.int64(1024))] == [0, 0, 1, 1, 9, 10]


def test_the_debugger_runs_a_script_as_main(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys, pycuda.driver as cuda\nprint(__name__, sys.argv[1:], cuda.CUDA_DEBUGGING)\n")
    code = "import runpy; runpy.run_module('pycuda.debug', run_name='__main__', alter_sys=True)"
    output, _ = run_program(code, arguments=[str(script), "a", "b"])
    assert output.strip() == "__main__ ['a', 'b'] True"
    run_program(code, expect=2)
    _, errors = run_program(code, expect=1, arguments=["/nonexistent.py"])
    assert "/nonexistent.py" in errors


def test_threads_that_remember_at_the_same_time_get_one_result():
    together = threading.Barrier(4)

    @tools.context_dependent_memoize
    def made():
        together.wait()
        return object()

    results = []
    threads = [threading.Thread(target=lambda: results.append(made())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and len(set(map(id, results))) == 1
