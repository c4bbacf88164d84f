# SPDX-License-Identifier: MIT
"""cuFFT of the CPU driver: transforms of every length and layout, compared with NumPy."""

import ctypes
import pathlib

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from programs import is_cpu

R2C, C2R, C2C, D2Z, Z2D, Z2Z = 0x2A, 0x2C, 0x29, 0x6A, 0x6C, 0x69
FORWARD, INVERSE = -1, 1
INVALID_PLAN, INVALID_TYPE, INVALID_VALUE, EXEC_FAILED, INVALID_SIZE, NOT_SUPPORTED = 1, 3, 4, 6, 8, 16


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def fft():
    return ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / "libcufft.so.12"))


def plan(fft, lengths, kind, batch=1):
    handle = ctypes.c_int()
    n = (ctypes.c_int * len(lengths))(*lengths)
    assert fft.cufftPlanMany(ctypes.byref(handle), len(lengths), n, None, 1, 0, None, 1, 0, kind, batch) == 0
    return handle


def on_device(array):
    memory = cuda.mem_alloc(array.nbytes)
    cuda.memcpy_htod(memory, np.ascontiguousarray(array))
    return memory


def from_device(memory, shape, dtype):
    result = np.empty(shape, dtype)
    cuda.memcpy_dtoh(result, memory)
    return result


def place(memory):
    return ctypes.c_void_p(int(memory))


def numbers(shape, dtype):
    generator = np.random.default_rng(1)
    values = generator.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * generator.uniform(-1, 1, shape)
    return values.astype(dtype)


def close(result, expected):
    single = result.dtype in (np.complex64, np.float32)
    scale = np.max(np.abs(expected)) or 1
    assert np.max(np.abs(result - expected)) / scale < (2e-6 if single else 4e-15)


# Powers of two, each radix, mixed ones, primes by convolution.
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17, 30, 64, 97, 100, 210, 1001, 1024, 1009, 2310]


@pytest.mark.parametrize("length", LENGTHS)
def test_complex_lines_of_every_length(fft, length):
    for kind, run, dtype in ((C2C, fft.cufftExecC2C, np.complex64), (Z2Z, fft.cufftExecZ2Z, np.complex128)):
        x = numbers((2, length), dtype)
        handle, source = plan(fft, [length], kind, batch=2), on_device(x)
        result = cuda.mem_alloc(x.nbytes)
        assert run(handle, place(source), place(result), FORWARD) == 0
        close(from_device(result, x.shape, dtype), np.fft.fft(x.astype(np.complex128)))
        assert run(handle, place(source), place(source), INVERSE) == 0
        close(from_device(source, x.shape, dtype), np.fft.ifft(x.astype(np.complex128)) * length)


@pytest.mark.parametrize("shape", [(9,), (8,), (4, 6), (3, 5), (2, 3, 4), (3, 4, 5)])
def test_real_numbers_there_and_back(fft, shape):
    for there, back, run, run_back, real, dtype in (
        (R2C, C2R, fft.cufftExecR2C, fft.cufftExecC2R, np.float32, np.complex64),
        (D2Z, Z2D, fft.cufftExecD2Z, fft.cufftExecZ2D, np.float64, np.complex128),
    ):
        x = numbers(shape, real)
        half = (*shape[:-1], shape[-1] // 2 + 1)
        spectrum = cuda.mem_alloc(int(np.prod(half)) * np.dtype(dtype).itemsize)
        result = cuda.mem_alloc(x.nbytes)
        assert run(plan(fft, shape, there), place(on_device(x)), place(spectrum)) == 0
        close(from_device(spectrum, half, dtype), np.fft.rfftn(x.astype(np.float64)))
        assert run_back(plan(fft, shape, back), place(spectrum), place(result)) == 0
        close(from_device(result, shape, real), x * x.size)


def test_in_place_real_lines_have_room_for_their_spectra(fft):
    x = numbers((3, 4, 6), np.float32)
    padded = np.zeros((3, 4, 8), np.float32)
    padded[..., :6] = x
    memory = on_device(padded)
    assert fft.cufftExecR2C(plan(fft, (4, 6), R2C, batch=3), place(memory), place(memory)) == 0
    close(from_device(memory, (3, 4, 4), np.complex64), np.fft.rfftn(x.astype(np.float64), axes=(1, 2)))
    assert fft.cufftExecC2R(plan(fft, (4, 6), C2R, batch=3), place(memory), place(memory)) == 0
    close(from_device(memory, (3, 4, 8), np.float32)[..., :6], x * 24)


def test_layouts_with_strides_and_distances(fft):
    x = numbers((5, 8), np.complex64)  # the columns are the lines
    source, result = on_device(x), cuda.mem_alloc(x.nbytes)
    handle, n = ctypes.c_int(), (ctypes.c_int * 1)(5)
    assert fft.cufftPlanMany(ctypes.byref(handle), 1, n, n, 8, 1, n, 1, 5, C2C, 8) == 0
    assert fft.cufftExecC2C(handle, place(source), place(result), FORWARD) == 0
    close(from_device(result, (8, 5), np.complex64), np.fft.fft(x.astype(np.complex128), axis=0).T)


def test_two_and_three_dimensions(fft):
    x = numbers((3, 4, 5), np.complex128)
    handle, source = ctypes.c_int(), on_device(x)
    assert fft.cufftPlan3d(ctypes.byref(handle), 3, 4, 5, Z2Z) == 0
    assert fft.cufftExecZ2Z(handle, place(source), place(source), FORWARD) == 0
    close(from_device(source, x.shape, x.dtype), np.fft.fftn(x))
    assert fft.cufftPlan2d(ctypes.byref(handle), 12, 5, Z2Z) == 0
    source = on_device(x)
    assert fft.cufftExecZ2Z(handle, place(source), place(source), FORWARD) == 0
    close(from_device(source, (12, 5), x.dtype), np.fft.fft2(x.reshape(12, 5)))


def test_work_runs_in_the_order_of_its_stream_and_in_graphs(fft):
    x = numbers(16, np.complex64)
    source, stream, handle = on_device(x), cuda.Stream(), plan(fft, [16], C2C)
    assert fft.cufftSetStream(handle, ctypes.c_void_p(stream.handle)) == 0
    stream.begin_capture()
    assert fft.cufftExecC2C(handle, place(source), place(source), FORWARD) == 0
    graph = stream.end_capture().instantiate()
    graph.launch(stream)
    stream.synchronize()
    close(from_device(source, 16, np.complex64), np.fft.fft(x.astype(np.complex128)))


def test_mistakes_have_their_results(fft):
    handle, source = plan(fft, [8], C2C), on_device(numbers(8, np.complex64))
    bad, n = ctypes.c_int(-7), (ctypes.c_int * 1)(0)
    by = ctypes.byref
    assert fft.cufftPlan1d(by(bad), 0, C2C, 1) == INVALID_SIZE and bad.value == -7
    assert fft.cufftPlan1d(by(bad), 8, C2C, 0) == INVALID_SIZE
    assert fft.cufftPlan1d(by(bad), 8, 5, 1) == INVALID_TYPE
    assert fft.cufftPlan1d(None, 8, C2C, 1) == INVALID_VALUE
    assert fft.cufftPlanMany(by(bad), 4, n, None, 1, 0, None, 1, 0, C2C, 1) == INVALID_VALUE
    assert fft.cufftExecC2C(12345, place(source), place(source), FORWARD) == INVALID_PLAN
    assert fft.cufftExecZ2Z(handle, place(source), place(source), FORWARD) == INVALID_TYPE
    assert fft.cufftExecC2C(handle, place(source), place(source), 0) == INVALID_VALUE
    assert fft.cufftExecC2C(handle, None, place(source), FORWARD) == INVALID_VALUE
    host = numbers(8, np.complex64)
    assert fft.cufftExecC2C(handle, ctypes.c_void_p(host.ctypes.data), place(source), FORWARD) == EXEC_FAILED
    long = plan(fft, [9], C2C)
    assert fft.cufftExecC2C(long, place(source), place(source), FORWARD) == EXEC_FAILED
    assert fft.cufftDestroy(handle) == 0 and fft.cufftDestroy(handle) == INVALID_PLAN


@pytest.mark.parametrize("major", [11, 12])
def test_versions(major):
    library = ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / f"libcufft.so.{major}"))
    version, size = ctypes.c_int(), ctypes.c_size_t(1)
    assert library.cufftGetVersion(ctypes.byref(version)) == 0 and version.value // 1000 == major
    handle = ctypes.c_int()
    assert library.cufftCreate(ctypes.byref(handle)) == 0
    assert library.cufftMakePlan1d(handle, 8, C2C, 1, ctypes.byref(size)) == 0 and size.value == 0


def test_sizes_of_plans_that_are_asked_about_first(fft):
    handle, n = ctypes.c_int(), (ctypes.c_int * 2)(4, 8)
    assert fft.cufftCreate(ctypes.byref(handle)) == 0
    calls = {
        "1d": (8, C2C, 3),
        "2d": (4, 8, C2C),
        "3d": (2, 4, 8, C2C),
        "Many": (2, n, None, 1, 0, None, 1, 0, C2C, 3),
        "Many64": (1, (ctypes.c_longlong * 1)(8), None, *map(ctypes.c_longlong, (1, 0)), None,
                   *map(ctypes.c_longlong, (1, 0)), C2C, ctypes.c_longlong(3)),
    }  # fmt: skip
    for name, arguments in calls.items():
        ask, size = getattr(fft, "cufftGetSize" + name), ctypes.c_size_t(1)
        assert ask(handle, *arguments, ctypes.byref(size)) == 0 and size.value == 0
        assert ask(12345, *arguments, ctypes.byref(size)) == INVALID_PLAN
        assert ask(handle, *arguments, None) == INVALID_VALUE
    size = ctypes.c_size_t()
    assert fft.cufftGetSize1d(handle, 0, C2C, 1, ctypes.byref(size)) == INVALID_SIZE
    assert fft.cufftGetSize2d(handle, 4, 8, 5, ctypes.byref(size)) == INVALID_TYPE


def test_properties_of_plans_are_refused(fft):
    handle, value = plan(fft, [8], C2C), ctypes.c_longlong()
    assert fft.cufftSetPlanPropertyInt64(handle, 1, value) == NOT_SUPPORTED
    assert fft.cufftGetPlanPropertyInt64(handle, 1, ctypes.byref(value)) == NOT_SUPPORTED
    assert fft.cufftResetPlanProperty(handle, 1) == NOT_SUPPORTED


XT = {"f4": 0, "f8": 1, "c8": 4, "c16": 5}


@pytest.mark.parametrize(
    "kinds", [("c8", "c8"), ("f4", "c8"), ("c8", "f4"), ("c16", "c16"), ("f8", "c16"), ("c16", "f8")], ids="-".join
)
def test_plans_by_the_types_of_values(fft, kinds):
    values = numbers((3, 12), kinds[0] if kinds[1][0] == "c" else kinds[1])
    data = np.fft.rfft(values).astype(kinds[0]) if kinds[1][0] == "f" else values
    transform = np.fft.rfft if kinds[0][0] == "f" else np.fft.fft
    expected = values * 12 if kinds[1][0] == "f" else transform(values)
    handle, size, n = ctypes.c_int(), ctypes.c_size_t(), (ctypes.c_longlong * 1)(12)
    assert fft.cufftCreate(ctypes.byref(handle)) == 0
    i64, computed = ctypes.c_longlong, "c16" if "c16" in kinds else "c8"
    arguments = (handle, 1, n, None, i64(1), i64(12), XT[kinds[0]], None, i64(1), i64(12), XT[kinds[1]], i64(3),
                 ctypes.byref(size))  # fmt: skip
    assert fft.cufftXtGetSizeMany(*arguments, XT[computed]) == 0
    assert fft.cufftXtMakePlanMany(*arguments, XT["f4"]) == NOT_SUPPORTED
    assert fft.cufftXtMakePlanMany(*arguments, XT[computed]) == 0
    result = cuda.mem_alloc(expected.astype(kinds[1]).nbytes)
    assert fft.cufftXtExec(handle, place(on_device(data)), place(result), FORWARD) == 0
    close(from_device(result, expected.shape, kinds[1]), expected)
    assert fft.cufftDestroy(handle) == 0
    assert fft.cufftXtExec(handle, place(result), place(result), FORWARD) == INVALID_PLAN


@pytest.mark.parametrize("name", ["XtSetGPUs", "XtMalloc", "XtExecDescriptorC2C", "XtSetCallback", "XtQueryPlan"])
def test_what_is_not_here_answers_that_it_is_not(fft, name):
    assert getattr(fft, "cufft" + name)(1, 2, 3) == NOT_SUPPORTED
