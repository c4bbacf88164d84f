# SPDX-License-Identifier: MIT
"""Device arrays become host arrays implicitly only after `allow_host_copies`."""

import hashlib
import io
import os
import pickle
import sys
import types
import zlib

import numpy as np
import pycuda.driver as cuda
import pytest
import scipy.linalg
import scipy.sparse
import scipy.special
from programs import is_cpu
from pycuda import gpuarray
from pycuda.tools import mark_cuda_test

_HOST = np.arange(12, dtype=np.float32).reshape(3, 4)


@mark_cuda_test
def test_without_permission_the_error_names_both_remedies():
    a = gpuarray.to_gpu(_HOST)
    with pytest.raises(TypeError, match=r"get\(\).*allow_host_copies"):
        np.asarray(a)
    with pytest.raises(TypeError, match=r"np.unwrap.*allow_host_copies"):
        np.unwrap(a)
    with pytest.raises(TypeError, match="np.spacing.*allow_host_copies"):
        np.spacing(a)


@mark_cuda_test
def test_with_permission_numpy_reads_the_elements():
    a = gpuarray.to_gpu(_HOST)
    with gpuarray.allow_host_copies():
        np.testing.assert_array_equal(np.asarray(a), _HOST)
        assert np.asarray(a[:, ::2], dtype=np.float64).dtype == np.float64
        np.testing.assert_allclose(scipy.linalg.svdvals(a), scipy.linalg.svdvals(_HOST), 1e-5, 1e-5)
        np.testing.assert_allclose(a, _HOST)
        target = np.zeros((3, 4), np.float32)
        target[:] = a
        np.testing.assert_array_equal(target, _HOST)
    with pytest.raises(TypeError, match="allow_host_copies"):
        np.asarray(a)


@mark_cuda_test
def test_a_copy_stays_as_it_was_when_the_array_changes():
    a = gpuarray.to_gpu(_HOST)
    with gpuarray.allow_host_copies():
        before = np.asarray(a)
    a.fill(7)
    np.testing.assert_array_equal(before, _HOST)
    before[0, 0] = 5
    assert a[0, 0].get() == 7


@mark_cuda_test
def test_functions_without_an_implementation_compute_on_host_copies():
    a = gpuarray.to_gpu(_HOST)
    with gpuarray.allow_host_copies():
        np.testing.assert_array_equal(np.unwrap(a), np.unwrap(_HOST))
        np.testing.assert_array_equal(np.block([[a, a]]), np.block([[_HOST, _HOST]]))
        np.testing.assert_array_equal(np.spacing(a), np.spacing(_HOST))
        np.testing.assert_array_equal(np.subtract.reduce(a), np.subtract.reduce(_HOST))
        np.testing.assert_allclose(scipy.special.zeta(a + 2, 1.0), scipy.special.zeta(_HOST + 2, 1.0), 1e-6)


@mark_cuda_test
@pytest.mark.parametrize(
    "write",
    [
        lambda a: np.add.at(a, (np.zeros(1, int), np.zeros(1, int)), 5),
        lambda a: np.put_along_axis(a, np.zeros((1, 4), int), 5, 0),
        lambda a: np.place(a, _HOST > 2, [5]),
        lambda a: np.putmask(a, _HOST > 2, 5),
        lambda a: np.copyto(a, _HOST + 1),
    ],
)
def test_functions_that_write_to_their_argument_write_to_it_or_raise(write):
    a = gpuarray.to_gpu(_HOST)
    wanted = _HOST.copy()
    write(wanted)
    with gpuarray.allow_host_copies():
        try:
            write(a)
        except (ValueError, TypeError):
            np.testing.assert_array_equal(a.get(), _HOST)
        else:
            np.testing.assert_array_equal(a.get(), wanted)


@mark_cuda_test
def test_functions_of_the_device_stay_on_the_device():
    a = gpuarray.to_gpu(_HOST)
    with gpuarray.allow_host_copies():
        assert isinstance(np.sin(a), gpuarray.GPUArray)
        assert isinstance(np.sum(a), gpuarray.GPUArray)


@mark_cuda_test
def test_no_copy_is_a_read_only_view_on_the_cpu_driver_and_refused_on_a_gpu():
    a = gpuarray.to_gpu(_HOST)
    with gpuarray.allow_host_copies():
        if is_cpu():
            view = np.asarray(a, copy=False)
            a.fill(3)
            assert view[0, 0] == 3 and not view.flags.writeable
        else:
            with pytest.raises(ValueError, match="copy=False"):
                np.asarray(a, copy=False)
        with pytest.raises(ValueError, match="copy=False"):
            np.asarray(a, dtype=np.float64, copy=False)


@mark_cuda_test
def test_bytes_are_those_of_the_elements_whatever_the_strides():
    a = gpuarray.to_gpu(_HOST)
    assert a.tobytes() == bytes(a) == _HOST.tobytes()
    assert a.T.tobytes() == _HOST.T.tobytes() and a.tobytes("F") == _HOST.tobytes("F")
    assert a[:, ::2].tobytes() == _HOST[:, ::2].tobytes()
    assert gpuarray.zeros((0, 3), np.int8).tobytes() == b""


@mark_cuda_test
def test_buffers_are_refused_with_what_to_do_instead():
    a = gpuarray.to_gpu(_HOST)
    for wants_bytes in (hashlib.sha256, zlib.compress, io.BytesIO().write):
        with pytest.raises(TypeError, match=r"tobytes\(\).*allow_host_copies"):
            wants_bytes(a)
    with gpuarray.allow_host_copies():
        for wants_memory in (memoryview, bytearray, pickle.PickleBuffer, np.frombuffer):
            with pytest.raises(TypeError, match=r"get\(\)"):
                wants_memory(a)
        with pytest.raises(TypeError, match=r"set\(\)"):
            os.readv(0, [a])
    # For the driver's functions an array is memory of the device.
    with pytest.raises(TypeError, match="memcpy_htod"):
        cuda.memcpy_htod(a.gpudata, a)
    with pytest.raises(TypeError, match="give its gpudata"):
        cuda.memcpy_batch_async([np.zeros_like(_HOST)], [a], cuda.Stream())


@mark_cuda_test
def test_with_permission_bytes_are_read_from_arrays_of_any_layout():
    for a, host in ((gpuarray.to_gpu(_HOST), _HOST), (gpuarray.to_gpu(_HOST)[:, ::2], _HOST[:, ::2])):
        file = io.BytesIO()
        with gpuarray.allow_host_copies():
            file.write(a)
            assert zlib.decompress(zlib.compress(a)) == host.tobytes()
            assert hashlib.sha256(a).digest() == hashlib.sha256(host.tobytes()).digest()
        assert file.getvalue() == host.tobytes()


@mark_cuda_test
def test_sparse_matrices_are_made_of_arrays_or_say_why_not():
    a = gpuarray.to_gpu(_HOST)
    for name in ("csr_matrix", "csc_matrix", "coo_matrix", "csr_array", "coo_array", "lil_array", "dok_array"):
        make = getattr(scipy.sparse, name)
        with pytest.raises((TypeError, ValueError)) as refused:
            make(a)
        # SciPy replaces the error and shows it as the cause.
        assert "allow_host_copies" in str(refused.value.__cause__ or refused.value.__context__ or refused.value)
        with gpuarray.allow_host_copies():
            made = make(a)
        assert made.dtype == np.float32
        np.testing.assert_array_equal(made.toarray(), _HOST)


@mark_cuda_test
def test_raw_bytes_are_compared():
    a = gpuarray.to_gpu(_HOST)
    raw = np.dtype((np.void, 4))
    assert np.array_equal(a.view(raw), a.copy().view(raw))
    assert not np.array_equal(a.view(raw), (a + 1).view(raw))


@mark_cuda_test
def test_jax_takes_arrays_by_dlpack(monkeypatch):
    """JAX's CPU build refuses the CUDA array interface, for which it looks before DLPack."""
    jax = types.ModuleType("jax")
    jax.dlpack = types.SimpleNamespace(from_dlpack=lambda array: ("by DLPack", array))
    monkeypatch.setitem(sys.modules, "jax", jax)
    a = gpuarray.to_gpu(_HOST)
    how, array = a.__jax_array__()
    assert how == "by DLPack" and array is a


@mark_cuda_test
def test_permissions_nest():
    a = gpuarray.to_gpu(_HOST)
    with gpuarray.allow_host_copies():
        with gpuarray.allow_host_copies(False):
            with pytest.raises(TypeError, match="allow_host_copies"):
                np.asarray(a)
        np.asarray(a)


@mark_cuda_test
def test_iteration_is_over_the_first_axis():
    array = gpuarray.to_gpu(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert [row.tolist() for row in array] == [[0, 1, 2], [3, 4, 5]]
    assert hasattr(array, "__iter__") and not hasattr(array.sum(), "__iter__")  # what pandas asks


@mark_cuda_test
def test_pandas_takes_the_elements_or_refuses():
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    array = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    for make in (pandas.Series, pandas.DataFrame):
        with pytest.raises(TypeError, match="get.. method"):
            make(array)
    with gpuarray.allow_host_copies():
        assert pandas.Series(array).dtype == np.float32
        assert pandas.DataFrame({"a": array, "b": array[::-1]})["b"].tolist() == [3, 2, 1, 0]


@mark_cuda_test
def test_readers_of_the_array_interface_are_told_of_get():
    array = gpuarray.to_gpu(np.zeros(4, np.uint8))
    assert not hasattr(array, "__array_interface__")
    with pytest.raises(AttributeError, match="pass what its get.. method returns"):
        print(array.__array_interface__)
