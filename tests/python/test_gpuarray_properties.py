# SPDX-License-Identifier: MIT
"""GPUArray against NumPy over shapes, strides, orders, dtypes and operations.

``PYCUDA_TEST_EXAMPLES=20`` draws twenty times as many examples, other ones in every run.
"""

import operator
import os
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

MORE = int(os.environ.get("PYCUDA_TEST_EXAMPLES", "1"))
common = settings(
    derandomize=MORE == 1,
    database=None,
    max_examples=60 * MORE,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

DTYPES = [
    np.dtype(name)
    for name in (
        "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128"
    ).split()
]
SHAPES = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)


def numbers(shape, dtype, seed):
    random = np.random.default_rng(seed)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind == "u":
        return random.integers(0, 30, shape).astype(dtype)
    if dtype.kind == "i":
        return random.integers(-20, 20, shape).astype(dtype)
    if dtype.kind == "c":
        return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)
    return np.asarray(random.normal(size=shape) * 4).astype(dtype)


@st.composite
def pairs(draw, shape=None, dtypes=DTYPES):
    """An array of some order and strides, on the host and on the device."""
    shape = draw(SHAPES) if shape is None else shape
    dtype = draw(st.sampled_from(dtypes))
    host = np.asarray(numbers(shape, dtype, draw(st.integers(0, 2**16))))
    axes = draw(st.permutations(range(len(shape))))
    host = host.transpose(axes).copy(order="C").transpose(np.argsort(axes).astype(int))
    device = gpuarray.to_gpu(host)
    slices = tuple(
        slice(*draw(st.sampled_from([(None, None, 1), (1, None, 1), (None, None, 2), (None, None, -1)]))) for _ in shape
    )
    return np.asarray(host[slices]), device[slices]


def check(result, expected, dtype=None):
    expected = np.asarray(expected)
    got = result.get()
    assert got.shape == expected.shape
    assert got.dtype == (expected.dtype if dtype is None else dtype)
    exact = expected.dtype.kind in "biu"
    tolerance = {2: 1e-2, 4: 1e-5, 8: 1e-5 if expected.dtype.kind == "c" else 1e-12}.get(expected.dtype.itemsize, 1e-12)
    if exact:
        np.testing.assert_array_equal(got, expected)
    else:
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@common
@given(pairs())
def test_arrays_come_back_as_they_went(pair):
    host, device = pair
    np.testing.assert_array_equal(device.get(), host)
    target = np.zeros(host.shape, host.dtype, order="F")
    np.testing.assert_array_equal(device.get(target), host)
    other = np.asfortranarray(host) if host.ndim else host.copy()
    fresh = gpuarray.empty(host.shape, host.dtype)
    fresh.set(other)
    np.testing.assert_array_equal(fresh.get(), host)
    device.set(np.zeros_like(host))
    np.testing.assert_array_equal(device.get(), np.zeros_like(host))
    device.set(host)
    np.testing.assert_array_equal(device.copy().get(), host)


BINARY = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
]


def numpy_result(operation, *operands):
    """NumPy's result, or the TypeError that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return operation(*operands), None
        except (TypeError, OverflowError, ValueError) as error:
            return None, error


@settings(common, max_examples=300 * MORE)
@given(st.data(), st.sampled_from(BINARY))
def test_operators_agree_with_numpy(data, operation):
    shapes = data.draw(npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4))
    a, a_gpu = data.draw(pairs(shapes.input_shapes[0]))
    b, b_gpu = data.draw(pairs(shapes.input_shapes[1]))
    try:
        np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            operation(a_gpu, b_gpu)
        return
    if operation in (operator.floordiv, operator.mod) and b.dtype.kind in "fc":
        assume(np.all(np.abs(b) > 1e-2))
        assume(np.result_type(a, b) != np.float16)
    if operation is operator.pow:
        a, b = np.asarray(np.abs(a)), np.asarray(np.abs(b) % 4 if b.dtype.kind in "iuf" else b)
        a_gpu, b_gpu = gpuarray.to_gpu(np.asarray(a)), gpuarray.to_gpu(np.asarray(b))
        assume(np.result_type(a, b).kind not in "c" and a.dtype != np.float16 != b.dtype)
    if operation in (operator.lshift, operator.rshift) and b.dtype.kind == "i":
        assume(np.all(b >= 0))
    if operation is operator.truediv:
        assume(np.all(b != 0))
    expected, error = numpy_result(operation, a, b)
    if error is not None:
        with pytest.raises(TypeError):
            operation(a_gpu, b_gpu)
        return
    check(operation(a_gpu, b_gpu), expected)


SCALARS = [2, -3, 1.5, 2 + 1j, True, np.float64(2), np.int16(3), np.uint8(7), np.complex64(1j)]


@settings(common, max_examples=200 * MORE)
@given(
    pairs(),
    st.sampled_from([operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq]),
    st.sampled_from(SCALARS),
    st.booleans(),
)
def test_operators_with_numbers_agree_with_numpy(pair, operation, number, reflected):
    host, device = pair
    operands = (number, host) if reflected else (host, number)
    if reflected and operation is operator.truediv:
        assume(np.all(host != 0))
    expected, error = numpy_result(operation, *operands)
    on_device = (number, device) if reflected else (device, number)
    if error is not None:
        with pytest.raises(type(error)):
            operation(*on_device)
        return
    check(operation(*on_device), expected)


IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv]


@settings(common, max_examples=150 * MORE)
@given(st.data(), st.sampled_from(IN_PLACE))
def test_in_place_operators_agree_with_numpy(data, operation):
    a, a_gpu = data.draw(pairs())
    b, b_gpu = data.draw(pairs(a.shape))
    assume(a.shape == b.shape)
    assume(np.all(b != 0))
    assume(not (operation is operator.ifloordiv and "f" in a.dtype.kind + b.dtype.kind))
    before = a.copy()
    expected, error = numpy_result(operation, a.copy(), b)
    if error is not None:
        with pytest.raises(TypeError):
            operation(a_gpu, b_gpu)
        np.testing.assert_array_equal(a_gpu.get(), before)
        return
    same = operation(a_gpu, b_gpu)
    assert same is a_gpu
    check(a_gpu, expected)


UNARY = [np.negative, np.absolute, np.square, np.sqrt, np.exp, np.sin, np.cos, np.tanh, np.floor]
UNARY += [np.ceil, np.rint, np.sign, np.isnan, np.isfinite, np.logical_not, np.invert, np.conjugate]
UNARY += [np.log1p, np.expm1, np.arctan, np.cbrt, np.exp2, np.deg2rad]


@settings(common, max_examples=150 * MORE)
@given(pairs(), st.sampled_from(UNARY))
def test_numpy_functions_of_one_array_stay_on_the_device(pair, function):
    host, device = pair
    if function in (np.sqrt, np.log1p):
        host, device = np.asarray(np.abs(host)), np.absolute(device)
    expected, error = numpy_result(function, host)
    if error is not None:
        with pytest.raises(TypeError):
            function(device)
        return
    assume(np.all(np.isfinite(expected)))
    result = function(device)
    assert isinstance(result, gpuarray.GPUArray)
    check(result, expected)


@settings(common, max_examples=100 * MORE)
@given(pairs(), st.sampled_from(DTYPES))
def test_casts_agree_with_numpy(pair, dtype):
    host, device = pair
    assume(not (host.dtype.kind in "fc" and dtype.kind == "u" and np.any(host.real < 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(device.astype(dtype), host.astype(dtype))


REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "mean", "var"]


@settings(common, max_examples=200 * MORE)
@given(st.data(), st.sampled_from(REDUCTIONS), st.booleans())
def test_reductions_agree_with_numpy(data, name, keepdims):
    host, device = data.draw(pairs())
    axis = data.draw(
        st.one_of(
            st.none(),
            st.lists(st.integers(0, max(host.ndim - 1, 0)), max_size=host.ndim, unique=True).map(tuple),
        )
    )
    if host.ndim == 0:
        axis = None
    assume(not (name == "prod" and host.dtype == np.float16))
    if name in ("mean", "var"):
        assume(host.size > 0)
    expected, error = numpy_result(lambda: getattr(host, name)(axis=axis, keepdims=keepdims))
    if error is not None:
        with pytest.raises(ValueError, match="identity"):
            getattr(device, name)(axis=axis, keepdims=keepdims)
        return
    if np.asarray(expected).dtype.kind in "fc":
        assume(np.all(np.isfinite(expected)))
        result = getattr(device, name)(axis=axis, keepdims=keepdims).get()
        tolerance = 5e-2 if expected.dtype == np.float16 else 1e-4
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
    else:
        check(getattr(device, name)(axis=axis, keepdims=keepdims), expected)


@settings(common, max_examples=100 * MORE)
@given(st.data(), st.sampled_from(["argmax", "argmin"]))
def test_positions_agree_with_numpy(data, name):
    host, device = data.draw(pairs())
    assume(host.size > 0)
    axis = data.draw(st.one_of(st.none(), st.integers(0, max(0, host.ndim - 1))))
    if host.ndim == 0:
        axis = None
    check(getattr(device, name)(axis), getattr(host, name)(axis))


@settings(common, max_examples=150 * MORE)
@given(st.data())
def test_basic_indexing_agrees_with_numpy(data):
    host, device = data.draw(pairs())
    index = data.draw(npst.basic_indices(host.shape, allow_newaxis=True, max_dims=6))
    expected = np.asarray(host[index])
    view = device[index]
    np.testing.assert_array_equal(view.get(), expected)
    assert view.shape == expected.shape
    value = 1 if host.dtype.kind == "b" else 7
    host = host.copy()
    host[index] = value
    device[index] = value
    np.testing.assert_array_equal(device.get(), host)


@settings(common, max_examples=100 * MORE)
@given(st.data())
def test_indexing_with_arrays_agrees_with_numpy(data):
    host, device = data.draw(pairs(data.draw(npst.array_shapes(min_dims=1, max_dims=3, max_side=5))))
    assume(host.size > 0)
    index = data.draw(
        npst.integer_array_indices(host.shape, result_shape=npst.array_shapes(max_dims=2, max_side=4), dtype=np.int64)
    )
    check(device[index], host[index])
    mask = numbers(host.shape, np.dtype(bool), data.draw(st.integers(0, 99)))
    check(device[mask], host[mask])
    check(device[gpuarray.to_gpu(mask)], host[mask])
    first = index[0]
    check(device[first], host[first])
    check(device[..., gpuarray.to_gpu(np.asarray(index[-1]))], host[..., index[-1]])
    host = host.copy()
    host[mask] = 0
    device[mask] = 0
    np.testing.assert_array_equal(device.get(), host)


def axis_of(data, host):
    return data.draw(st.one_of(st.none(), st.integers(-host.ndim, host.ndim - 1)) if host.ndim else st.none())


@settings(common, max_examples=40 * MORE)
@given(st.data())
def test_order_agrees_with_numpy(data):
    host, device = data.draw(pairs(data.draw(npst.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))))
    axis = axis_of(data, host)
    check(gpuarray.sort(device, axis), np.sort(host, axis))
    check(gpuarray.argsort(device, axis), np.argsort(host, axis, kind="stable"))
    ours = np.unique(device, return_index=True, return_inverse=True, return_counts=True)
    for one, expected in zip(ours, np.unique(host, return_index=True, return_inverse=True, return_counts=True)):
        check(one, expected)
    ordered = gpuarray.sort(device, None)
    check(gpuarray.searchsorted(ordered, device, "right"), np.searchsorted(np.sort(host, None), host, "right"))


@settings(common, max_examples=40 * MORE)
@given(st.data(), st.sampled_from(["cumsum", "cumprod"]))
def test_running_combinations_agree_with_numpy(data, name):
    host, device = data.draw(pairs(data.draw(npst.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))))
    axis = axis_of(data, host)
    assume(host.dtype != np.float16)
    expected = getattr(np, name)(host, axis)
    result = getattr(device, name)(axis)
    assert result.dtype == expected.dtype
    tolerance = 1e-3 if expected.dtype.kind in "fc" else 0
    np.testing.assert_allclose(result.get(), expected, tolerance, tolerance)


@settings(common, max_examples=60 * MORE)
@given(st.data())
def test_truth_arrays_agree_with_numpy(data):
    host, device = data.draw(pairs(data.draw(npst.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4))))
    axes = data.draw(st.integers(1, host.ndim))
    mask = numbers(host.shape[:axes], np.dtype(bool), data.draw(st.integers(0, 99)))
    on_device = gpuarray.to_gpu(mask)
    chosen = host[mask]
    check(device[on_device], chosen)
    for ours, expected in zip(gpuarray.nonzero(on_device), np.nonzero(mask)):
        check(ours, expected)
    host = host.copy()
    host[mask] = chosen[::-1]
    device[on_device] = gpuarray.to_gpu(np.ascontiguousarray(chosen[::-1]))
    np.testing.assert_array_equal(device.get(), host)
    host[mask] = host.dtype.type(1)
    device[on_device] = host.dtype.type(1)
    np.testing.assert_array_equal(device.get(), host)


@settings(common, max_examples=30 * MORE)
@given(st.data(), st.sampled_from([np.dtype(name) for name in "int16 float32 complex128".split()]))
def test_products_of_matrices_agree_with_numpy(data, dtype):
    stacks = data.draw(npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, min_side=0, max_side=3))
    rows, inner, columns = (data.draw(st.integers(0, 20)) for _ in range(3))
    a, a_gpu = data.draw(pairs((*stacks.input_shapes[0], rows, inner), [dtype]))
    b, b_gpu = data.draw(pairs((*stacks.input_shapes[1], inner, columns), [dtype]))
    assume(a.shape[-1] == b.shape[-2])
    try:
        expected = a @ b
    except ValueError:
        assume(False)
    result = (a_gpu @ b_gpu).get()
    assert result.shape == expected.shape and result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, 1e-3, 1e-3)


@settings(common, max_examples=100 * MORE)
@given(st.data())
def test_reshape_agrees_with_numpy(data):
    host, device = data.draw(pairs())
    order = data.draw(st.sampled_from("CF"))
    shape = data.draw(st.permutations(host.shape))
    check(device.reshape(tuple(shape), order=order), host.reshape(tuple(shape), order=order))
    check(device.ravel(order), host.ravel(order))
    check(device.T, host.T)
    check(device.squeeze(), host.squeeze() if host.size else device.squeeze().get())


@settings(common, max_examples=60 * MORE)
@given(st.data())
def test_assigned_arrays_broadcast_and_overlap_safely(data):
    host, device = data.draw(pairs(data.draw(npst.array_shapes(min_dims=1, max_dims=3, max_side=6))))
    host = host.copy()
    n = len(host)
    assume(n > 1)
    host[1:] = host[:-1].copy()
    device[1:] = device[:-1]
    np.testing.assert_array_equal(device.get(), host)
    host[...] = host[::-1].copy()
    device[...] = device[::-1]
    np.testing.assert_array_equal(device.get(), host)
    if host.dtype != bool:
        host[:-1] += host[1:].copy()
        device[:-1] += device[1:]
        check(device, host)
