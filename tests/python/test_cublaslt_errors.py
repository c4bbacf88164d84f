# SPDX-License-Identifier: MIT
"""cuBLASLt of the CPU driver: descriptors, heuristics, and calls that are refused."""

import ctypes

import cublas_calls
import cublaslt_calls as calls
import numpy as np
import pytest
from cublaslt_calls import COMPUTE_32, INVALID_VALUE, NOT_INITIALIZED, NOT_SUPPORTED, Matrices
from programs import is_cpu


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def lt():
    one = calls.Lt(calls.library())
    yield one
    one.close()


def zeros(lt, rows, columns, dtype="f4", **how):
    return Matrices(lt, np.zeros((rows, columns), dtype), **how)


@pytest.fixture
def places(lt):
    return zeros(lt, 4, 6), zeros(lt, 6, 5), zeros(lt, 4, 5)


def size_t(value):
    return ctypes.c_size_t(value)


def test_attributes_are_read_as_they_were_written(lt):
    how, written = lt.descriptor(COMPUTE_32, "f4"), ctypes.c_size_t()
    by = ctypes.byref
    value = ctypes.c_int32(calls.TRANSPOSED)
    assert lt.status("MatmulDescSetAttribute", how, 3, by(value), size_t(4)) == 0
    got = ctypes.c_int32(-1)
    assert lt.status("MatmulDescGetAttribute", how, 3, by(got), size_t(4), by(written)) == 0
    assert (got.value, written.value) == (calls.TRANSPOSED, 4)
    assert lt.status("MatmulDescGetAttribute", how, 8, None, size_t(0), by(written)) == 0 and written.value == 8
    assert lt.status("MatmulDescGetAttribute", how, 7, by(got), size_t(4), None) == 0 and got.value == 1
    for wrong in [(how, 3, by(value), size_t(8)), (how, 3, None, size_t(4)), (how, 99, by(value), size_t(4)),
                  (None, 3, by(value), size_t(4))]:  # fmt: skip
        assert lt.status("MatmulDescSetAttribute", *wrong) == INVALID_VALUE
    assert lt.status("MatmulDescGetAttribute", how, 3, None, size_t(0), None) == INVALID_VALUE
    assert lt.status("MatmulDescDestroy", how) == 0


def test_descriptors_in_memory_of_the_program(lt, places):
    for name, size, arguments in [
        ("MatrixLayout", 64, (0, ctypes.c_uint64(4), ctypes.c_uint64(5), ctypes.c_int64(4))),
        ("MatmulDesc", 256, (COMPUTE_32, 0)),
        ("MatrixTransformDesc", 64, (0,)),
        ("MatmulPreference", 64, ()),
    ]:
        room = (ctypes.c_uint64 * 32)()
        assert lt.status(name + "Init_internal", room, size_t(size), *arguments) == 0
        assert lt.status(name + "Init_internal", room, size_t(8), *arguments) == 3
        assert bytes(room)[size:] == bytes(256 - size)


def test_heuristics_find_the_algorithm(lt, places):
    a, b, c = places
    how = lt.descriptor(COMPUTE_32, "f4")
    status, count, room = lt.heuristics(how, a, b, c, c)
    assert status == 0 and count >= 1
    state = ctypes.cast(room, ctypes.POINTER(ctypes.c_int))[18]
    assert state == 0
    assert lt.heuristics(how, a, b, c, c, 0)[0] == INVALID_VALUE
    assert lt.heuristics(how, a, c, b, b)[0] == INVALID_VALUE
    mixed = zeros(lt, 6, 5, "f8")
    assert lt.heuristics(how, a, mixed, c, c)[:2] == (NOT_SUPPORTED, 0)
    one, two, alpha, beta = ctypes.c_float(1), ctypes.c_float(0), *[ctypes.byref(ctypes.c_float(x)) for x in (1, 0)]
    places = [calls.address(x.memory) for x in (a, b, c)]
    assert lt.status("Matmul", lt.handle, how, alpha, places[0], a.layout, places[1], b.layout, beta, places[2],
                     c.layout, places[2], c.layout, room, None, size_t(0), None) == 0  # fmt: skip
    assert (one.value, two.value) == (1, 0)


def test_the_algorithm_by_its_number(lt, places):
    a, b, c = places
    numbers, count = (ctypes.c_int * 8)(), ctypes.c_int()
    types = COMPUTE_32, 0, 0, 0, 0, 0
    lt.check("MatmulAlgoGetIds", lt.handle, *types, 8, numbers, ctypes.byref(count))
    assert count.value >= 1
    algorithm, result, how = (ctypes.c_uint64 * 8)(), (ctypes.c_uint64 * 12)(), lt.descriptor(COMPUTE_32, "f4")
    lt.check("MatmulAlgoInit", lt.handle, *types, numbers[0], algorithm)
    lt.check("MatmulAlgoCheck", lt.handle, how, a.layout, b.layout, c.layout, c.layout, algorithm, result)
    assert lt.status("MatmulAlgoInit", lt.handle, *types, 12345, algorithm) == INVALID_VALUE
    value, written = ctypes.c_int32(-1), ctypes.c_size_t()
    by = ctypes.byref
    assert lt.status("MatmulAlgoConfigGetAttribute", algorithm, 0, by(value), size_t(4), by(written)) == 0
    assert value.value == numbers[0]
    assert lt.status("MatmulAlgoCapGetAttribute", algorithm, 3, by(value), size_t(4), by(written)) == 0
    assert value.value == 1
    tile = ctypes.c_uint32(0)
    assert lt.status("MatmulAlgoConfigSetAttribute", algorithm, 1, by(tile), size_t(4)) == 0
    assert lt.status("MatmulAlgoConfigSetAttribute", algorithm, 1, by(tile), size_t(2)) == INVALID_VALUE


def test_sizes_that_do_not_fit(lt, places):
    a, b, c = places
    assert lt.multiply(COMPUTE_32, b, a, c) == INVALID_VALUE
    assert lt.multiply(COMPUTE_32, a, b, c, operation_a=calls.TRANSPOSED) == INVALID_VALUE
    batch = Matrices(lt, np.zeros((2, 6, 5), "f4"))
    assert lt.multiply(COMPUTE_32, a, batch, c) == INVALID_VALUE
    b.set(4, ctypes.c_int64(5))
    assert lt.multiply(COMPUTE_32, a, b, c) == INVALID_VALUE


def test_what_is_not_supported(lt, places):
    a, b, c = places
    assert lt.multiply(COMPUTE_32, a, zeros(lt, 6, 5, "f8"), c) == NOT_SUPPORTED
    assert lt.multiply(calls.COMPUTE_64, a, b, c) == NOT_SUPPORTED
    assert lt.multiply(COMPUTE_32, a, b, c, zeros(lt, 4, 5, "f2"), scale="f4") == NOT_SUPPORTED
    complexes = zeros(lt, 4, 4, "c8")
    assert lt.multiply(COMPUTE_32, complexes, complexes, zeros(lt, 4, 4, "c8"), epilogue=calls.RELU) == NOT_SUPPORTED
    assert lt.library.cublasLtEmulationDescCreate() == NOT_SUPPORTED


def test_epilogues_need_their_vectors(lt, places):
    a, b, c = places
    assert lt.multiply(COMPUTE_32, a, b, c, epilogue=calls.BIAS) == INVALID_VALUE
    assert lt.multiply(COMPUTE_32, a, b, c, epilogue=calls.RELU | calls.GELU) == INVALID_VALUE
    mask = calls.on_device(np.zeros(128, np.uint8))
    assert lt.multiply(COMPUTE_32, a, b, c, epilogue=calls.RELU | calls.AUX, aux=mask, aux_ld=8) == INVALID_VALUE
    assert lt.multiply(COMPUTE_32, a, b, c, scale_a=mask) == INVALID_VALUE


def test_memory_of_the_host_is_refused(lt, places):
    a, b, c = places
    host = np.zeros(4096, "f4")
    a.base = host.ctypes.data
    assert lt.multiply(COMPUTE_32, a, b, c) == calls.EXECUTION_FAILED
    a, b, c = zeros(lt, 4, 6), zeros(lt, 6, 5), zeros(lt, 4, 5)
    assert lt.multiply(COMPUTE_32, a, b, c, epilogue=calls.BIAS, bias=host.ctypes.data) == calls.EXECUTION_FAILED


def test_handles(lt, places):
    own, lt.handle = lt.handle, ctypes.c_void_p(0x1234)
    assert lt.multiply(COMPUTE_32, *places) == NOT_INITIALIZED
    assert lt.status("Destroy", lt.handle) == NOT_INITIALIZED
    with cublas_calls.handle() as blas:  # of cuBLAS
        lt.handle = blas.handle
        assert lt.multiply(COMPUTE_32, *places) == 0
        lt.handle = own


def test_settings_without_an_effect(lt):
    capacity = ctypes.c_size_t()
    lt.check("HeuristicsCacheSetCapacity", size_t(16))
    lt.check("HeuristicsCacheGetCapacity", ctypes.byref(capacity))
    assert capacity.value == 16
    assert lt.status("LoggerSetLevel", 6) == INVALID_VALUE
    lt.check("LoggerSetLevel", 0)
    lt.check("LoggerSetMask", 0)
    lt.library.cublasLtGetStatusName.restype = ctypes.c_char_p
    assert lt.library.cublasLtGetStatusName(NOT_SUPPORTED) == b"CUBLAS_STATUS_NOT_SUPPORTED"
