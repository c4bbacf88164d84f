# SPDX-License-Identifier: MIT
"""NumPy's functions called with arrays of the host, and with the same arrays on the device."""

import numpy as np
from pycuda.gpuarray import GPUArray, to_gpu

_TOLERANCE = {"f2": 2e-3, "f4": 2e-5, "f8": 1e-11, "c8": 2e-5, "c16": 1e-11}


def numbers(shape, dtype, seed=1):
    """Numbers of a dtype, small ones so that products of whole ones fit."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
    values = np.asarray(random.normal(size=shape) * 3)
    if dtype.kind == "c":
        values = values + 1j * np.asarray(random.normal(size=shape))
    return np.asarray(values.astype(dtype))


def forms(host):
    """The array contiguous, with its axes in the other order in memory, and as a view with gaps, backwards."""
    yield host, to_gpu(host)
    if host.ndim > 1:
        turned = np.asfortranarray(host)
        yield turned, to_gpu(turned)
    if host.ndim:
        wide = np.repeat(host, 2, axis=-1)[..., ::-1]
        yield wide[..., ::-2], to_gpu(np.ascontiguousarray(wide))[..., ::-2]


def same(got, expected, dtype=True, exact=False):
    """Whether a result is on the device and as NumPy's: structure, shape, dtype, elements."""
    if isinstance(expected, (tuple, list)):
        assert isinstance(got, type(expected)) or hasattr(got, "_fields") and got._fields == expected._fields
        assert len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other, dtype, exact)
        return
    if expected is None or isinstance(expected, (bool, str, np.dtype, type)) and not isinstance(got, GPUArray):
        assert got == expected and type(got) is type(expected)
        return
    expected = np.asarray(expected)
    assert isinstance(got, GPUArray), f"not on the device: {type(got)}"
    assert got.shape == expected.shape, f"shape {got.shape}, not {expected.shape}"
    assert not dtype or got.dtype == expected.dtype, f"dtype {got.dtype}, not {expected.dtype}"
    tolerance = _TOLERANCE.get(expected.dtype.str[1:])
    if tolerance is None or exact:
        np.testing.assert_array_equal(got.get(), expected)
    else:
        np.testing.assert_allclose(got.get(), expected, rtol=tolerance, atol=tolerance * 10)


def agree(call, *hosts, dtype=True, exact=False):
    """Whether a function of arrays is on the device what it is on the host, for layouts of the first array."""
    for host, device in forms(np.asarray(hosts[0])):
        with np.errstate(all="ignore"):
            expected = call(host, *hosts[1:])
        same(call(device, *map(to_gpu, hosts[1:])), expected, dtype, exact)


def fails_alike(call, *hosts):
    """Whether a function raises on the device what it raises on the host (or a class of it)."""
    raised = []
    for arrays in (hosts, [to_gpu(host) for host in hosts]):
        try:
            call(*arrays)
        except Exception as error:
            raised.append(error)
    assert len(raised) == 2, f"only one of both raised: {raised}"
    kinds = (TypeError, IndexError, ValueError, ZeroDivisionError, NotImplementedError)
    kind = next(one for one in kinds if isinstance(raised[0], one))
    assert isinstance(raised[1], kind), raised
