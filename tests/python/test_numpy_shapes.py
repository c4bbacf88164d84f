# SPDX-License-Identifier: MIT
"""NumPy's functions that join, split, turn and widen arrays of the device, against NumPy itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy_cases import agree, fails_alike, forms, numbers, same
from pycuda import gpuarray
from pycuda.gpuarray import to_gpu
from test_gpuarray_properties import check, common, pairs

pytestmark = pytest.mark.usefixtures("context")

DTYPES = ["bool", "int8", "float16", "float64", "complex64"]
SHAPES = [(), (5,), (0,), (3, 4), (1, 1), (0, 3), (2, 3, 4), (2, 1, 3, 2)]

ANY_SHAPE = {
    "atleast_1d": np.atleast_1d,
    "atleast_2d": np.atleast_2d,
    "atleast_3d": np.atleast_3d,
    "several at least": lambda a: np.atleast_2d(a, a),
    "roll": lambda a: np.roll(a, 2),
    "roll pair": lambda a: np.roll(a, (1, 2)),
    "roll back": lambda a: np.roll(a, -7),
    "repeat": lambda a: np.repeat(a, 3),
    "tile": lambda a: np.tile(a, 2),
    "tile axes": lambda a: np.tile(a, (2, 1, 3)),
    "tile nothing": lambda a: np.tile(a, 0),
    "hstack": lambda a: np.hstack([a, a]),
    "vstack": lambda a: np.vstack([a, a]),
    "dstack": lambda a: np.dstack((a, a)),
    "column_stack": lambda a: np.column_stack([a, a]),
    "concatenate flat": lambda a: np.concatenate([a, a], None),
    "append": lambda a: np.append(a, a),
    "stack": lambda a: np.stack([a, a], -1),
    "flip": np.flip,
    "squeeze": np.squeeze,
    "resize": lambda a: np.resize(a, (3, 7)),
    "expand_dims": lambda a: np.expand_dims(a, (0, -1)),
    "delete": lambda a: np.delete(a, []),
    "pad": lambda a: np.pad(a, 1),
    "diagflat": lambda a: np.diagflat(a, 1),
    "broadcast_arrays": lambda a: np.broadcast_arrays(a, a),
    "count_nonzero": np.count_nonzero,
    "copy": np.copy,
}
AXES = {
    "roll": lambda a, axis: np.roll(a, 2, axis),
    "repeat": lambda a, axis: np.repeat(a, 2, axis),
    "repeat each": lambda a, axis: np.repeat(a, list(range(a.shape[axis])), axis),
    "flip": np.flip,
    "concatenate": lambda a, axis: np.concatenate((a, a, a), axis),
    "append": lambda a, axis: np.append(a, a, axis),
    "array_split": lambda a, axis: np.array_split(a, 3, axis),
    "array_split at": lambda a, axis: np.array_split(a, [1, 3, 8], axis),
    "split": lambda a, axis: np.split(a, [1], axis),
    "moveaxis": lambda a, axis: np.moveaxis(a, axis, 0),
    "rollaxis": lambda a, axis: np.rollaxis(a, axis),
    "rollaxis to the end": lambda a, axis: np.rollaxis(a, axis, a.ndim),
    "expand_dims": np.expand_dims,
    "unstack": lambda a, axis: np.unstack(a, axis=axis),
    "insert": lambda a, axis: np.insert(a, 0, 1, axis),
    "insert some": lambda a, axis: np.insert(a, [0, 0, -1 if a.shape[axis] else 0], [[1], [0], [1]][0], axis),
    "insert at a list of one": lambda a, axis: np.insert(a, [0], 1, axis),
    "delete none": lambda a, axis: np.delete(a, [], axis),
    "delete slice": lambda a, axis: np.delete(a, slice(None, None, 2), axis),
    "count_nonzero": lambda a, axis: np.count_nonzero(a, axis=axis, keepdims=True),
}


@pytest.mark.parametrize("name", ANY_SHAPE)
def test_any_shape(name):
    for shape in SHAPES:
        for dtype in DTYPES:
            if name == "count_nonzero":
                for host, device in forms(numbers(shape, dtype)):
                    assert np.count_nonzero(device).get() == np.count_nonzero(host)
                continue
            agree(ANY_SHAPE[name], numbers(shape, dtype), exact=True)


@pytest.mark.parametrize("name", AXES)
def test_every_axis(name):
    for shape in SHAPES[1:]:
        for axis in range(-len(shape), len(shape)):
            agree(lambda a: AXES[name](a, axis), numbers(shape, "int16"), exact=True)
        for axis in (len(shape), -len(shape) - 1):
            if name not in ("expand_dims", "repeat each", "insert some"):
                fails_alike(lambda a: AXES[name](a, axis), numbers(shape, "int16"))


MATRICES = {
    "tril": np.tril,
    "triu": np.triu,
    "tril above": lambda a: np.tril(a, 1),
    "triu below": lambda a: np.triu(a, -2),
    "diagonal": np.diagonal,
    "diagonal above": lambda a: np.diagonal(a, 2),
    "diagonal below": lambda a: np.diagonal(a, -1, -1, -2),
    "diagonal far": lambda a: np.diagonal(a, 9),
    "trace": np.trace,
    "trace in dtype": lambda a: np.trace(a, 1, dtype=np.float64),
    "rot90": np.rot90,
    "rot90 back": lambda a: np.rot90(a, -1),
    "rot90 twice": lambda a: np.rot90(a, 2, (-1, 0)),
    "rot90 no times": lambda a: np.rot90(a, 4),
    "fliplr": np.fliplr,
    "flipud": np.flipud,
    "vsplit": lambda a: np.vsplit(a, [1]),
    "hsplit": lambda a: np.hsplit(a, [2]),
    "matrix_transpose": np.matrix_transpose,
    "linalg.diagonal": lambda a: np.linalg.diagonal(a, offset=1),
    "linalg.matrix_transpose": np.linalg.matrix_transpose,
}


@pytest.mark.parametrize("name", MATRICES)
def test_matrices(name):
    for shape in [(3, 4), (4, 3), (1, 1), (0, 3), (3, 3, 2), (2, 4, 3, 5)]:
        for dtype in ("bool", "int8", "float32", "complex128"):
            if "trace" in name and dtype == "complex128" and "dtype" in name:
                continue
            agree(MATRICES[name], numbers(shape, dtype))


def test_vectors_and_diagonals():
    for dtype in ("bool", "uint8", "float64"):
        for k in (-2, 0, 1):
            agree(lambda a: np.diag(a, k), numbers((4,), dtype))
            agree(lambda a: np.diag(a, k), numbers((4, 3), dtype))
            agree(lambda a: np.tril(a, k), numbers((4,), dtype))
        for wrap in (False, True):
            for shape in [(3, 5), (9, 3), (3, 3), (4, 4, 4)]:
                for value in (1, [1, 0]):
                    for host, device in forms(numbers(shape, dtype)):
                        host = host.copy()
                        np.fill_diagonal(host, value, wrap)
                        np.fill_diagonal(device, value, wrap)
                        np.testing.assert_array_equal(device.get(), host)
    agree(lambda a: np.tril_indices_from(a, 1), numbers((3, 4), "f4"))
    agree(lambda a: np.triu_indices_from(a), numbers((3, 4), "f4"))
    agree(np.diag_indices_from, numbers((3, 3, 3), "f4"))
    for call in (np.trace, np.diagonal, np.fliplr, np.vsplit, np.diag_indices_from):
        fails_alike(lambda a: call(a), numbers((3,), "f4"))
    fails_alike(np.diag, numbers((2, 2, 2), "f4"))
    fails_alike(np.flipud, numbers((), "f4"))
    fails_alike(lambda a: np.diagonal(a, 0, 1, 1), numbers((2, 2), "f4"))
    fails_alike(lambda a: np.rot90(a, 1, (0, 0)), numbers((2, 2), "f4"))
    fails_alike(lambda a: np.fill_diagonal(a, 1), numbers((2, 2, 3), "f4"))


def test_joining_mixes_dtypes_as_numpy_does():
    a, b = numbers((2, 3), "int32"), numbers((2, 3), "float32")
    for call in (np.hstack, np.vstack, np.dstack, np.column_stack, np.stack, np.concatenate):
        agree(lambda x, y: call([x, y]), a, b)
    agree(lambda x, y: np.hstack((x, y), dtype=np.complex64), a, b)
    agree(lambda x, y: np.vstack((x, y), dtype="f4", casting="unsafe"), a, b)
    agree(lambda x: np.append(x, 2.5), b)
    agree(lambda x: np.append(x, [[1, 2, 3]], 0), a)
    agree(lambda x: np.hstack([x, [[1], [2]]]), a)
    fails_alike(lambda x: np.hstack([x], dtype="i4"), b)
    fails_alike(lambda x, y: np.vstack((x, y)), a, numbers((2, 2), "f4"))
    fails_alike(lambda x, y: np.append(x, y, 0), a, numbers((3,), "f4"))
    fails_alike(lambda x, y: np.stack([x, y]), a, numbers((3,), "f4"))
    out = gpuarray.empty((4, 3), np.float64)
    assert np.concatenate([to_gpu(a), to_gpu(b)], out=out) is out
    same(out, np.concatenate([a, b]), dtype=False)
    same(np.vstack(to_gpu(a)), np.vstack(a))
    with pytest.raises(TypeError, match="copy it with to_gpu first"):
        np.hstack([to_gpu(a), b])


def test_splitting():
    a = numbers((4, 6, 2), "f4")
    for call in (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit):
        agree(lambda x: call(x, 2), a)
        agree(lambda x: call(x, (1, -1, 9)), a)
    agree(lambda x: np.hsplit(x, 2), numbers((6,), "f4"))
    agree(lambda x: np.array_split(x, 5), numbers((3,), "f4"))
    fails_alike(lambda x: np.split(x, 3), a)
    fails_alike(lambda x: np.array_split(x, 0), a)
    fails_alike(lambda x: np.dsplit(x, 2), a[0])
    fails_alike(lambda x: np.hsplit(x, 2), numbers((), "f4"))
    part = np.split(device := to_gpu(a), 2)[1]
    part[...] = 7
    assert (device[2:].get() == 7).all()


def test_insert_and_delete():
    a = numbers((4, 5), "int32")
    for axis in (0, 1, -1, None):
        length = a.size if axis is None else a.shape[axis]
        for obj in (1, -2, length, [1, 1, 3], [2], slice(1, 4, 2), [], np.array([0, -1])):
            agree(lambda x: np.insert(x, obj, 9, axis), a)
        for obj in (1, -2, [1, 1, 3], [2], slice(1, 4, 2), [], slice(None, None, -1), np.arange(length) % 2 == 0):
            agree(lambda x: np.delete(x, obj, axis), a)
        fails_alike(lambda x: np.insert(x, length + 1, 9, axis), a)
        fails_alike(lambda x: np.delete(x, length, axis), a)
    agree(lambda x, v: np.insert(x, 1, v, 0), a, numbers((5,), "int32"))
    agree(lambda x, v: np.insert(x, 1, v, 1), a, numbers((4,), "int32"))
    agree(lambda x, v: np.insert(x, 1, v, 0), a, numbers((2, 5), "int32")[None, 0])
    agree(lambda x, v: np.insert(x, [1, 3], v, 1), a, numbers((4, 2), "int32"))
    agree(lambda x, v: np.insert(x, [1], v, 1), a, numbers((4, 3), "int32"))
    agree(lambda x, v: np.insert(x, [0, 2], v), a, numbers((2,), "int32"))
    agree(lambda x: np.insert(x, 2, 2.75), a)


def test_padding():
    for shape in [(5,), (3, 4), (2, 3, 4)]:
        for width in (0, 2, (1, 3), ((1, 2),) * len(shape)):
            for mode in ("constant", "edge", "reflect", "symmetric", "wrap"):
                agree(lambda a: np.pad(a, width, mode), numbers(shape, "float32"))
            agree(lambda a: np.pad(a, width, constant_values=(2, 7)), numbers(shape, "int16"))
            agree(lambda a: np.pad(a, width, constant_values=((1, 2),) * len(shape)), numbers(shape, "float32"))
    agree(lambda a: np.pad(a, 9, "reflect"), numbers((3,), "f4"))
    agree(lambda a: np.pad(a, ((0, 0), (2, 0)), "wrap"), numbers((3, 3), "complex64"))
    fails_alike(lambda a: np.pad(a, -1), numbers((3,), "f4"))
    fails_alike(lambda a: np.pad(a, 1.5), numbers((3,), "f4"))
    fails_alike(lambda a: np.pad(a, ((1, 1),) * 3), numbers((3, 3), "f4"))
    fails_alike(lambda a: np.pad(a, 1, "edge"), numbers((0,), "f4"))
    fails_alike(lambda a: np.pad(a, 1, "edge", constant_values=1), numbers((3,), "f4"))
    with pytest.raises(NotImplementedError, match="linear_ramp"):
        np.pad(to_gpu(numbers((3,), "f4")), 1, "linear_ramp")


def test_grids():
    x, y, z = numbers((3,), "f4"), numbers((4,), "i4"), numbers((2,), "f8")
    for indexing in ("xy", "ij"):
        for sparse in (False, True):
            agree(lambda *each: np.meshgrid(*each, indexing=indexing, sparse=sparse), x, y, z)
            agree(lambda *each: np.meshgrid(*each, indexing=indexing, sparse=sparse), x)
    fails_alike(lambda a: np.meshgrid(a, indexing="no"), x)
    agree(np.broadcast_arrays, numbers((3, 1), "f4"), numbers((4,), "i4"))
    agree(lambda a: np.broadcast_to(a, (2, 3)), numbers((3,), "f4"))
    fails_alike(lambda a: np.broadcast_to(a, (2, 4)), numbers((3,), "f4"))


def test_axes_are_transposed_one_by_one_too():
    host = numbers((2, 3, 4), "f4")
    for axes in ((1, 0, 2), (-1, 0, 1), ((2, 0, 1),), (None,), ()):
        agree(lambda x, axes=axes: x.transpose(*axes), host)
    agree(lambda x: x.transpose(0), host[0, 0])
    for axes in ((1, 0), (0, 0, 1), (1,), (0, 1, None)):
        fails_alike(lambda x, axes=axes: x.transpose(*axes), host)


def test_repeats():
    a = numbers((3, 4), "i4")
    agree(lambda x, n: np.repeat(x, n, 1), a, np.array([1, 0, 2, 3]))
    agree(lambda x, n: np.repeat(x, n, 0), a, np.array([2]))
    agree(lambda x: np.repeat(x, [2], 0), a)
    fails_alike(lambda x: np.repeat(x, [1, 2], 1), a)
    fails_alike(lambda x: np.repeat(x, -1), a)
    fails_alike(lambda x: np.roll(x, (1, 2), (0, 1, 0)), a)
    agree(lambda x: np.roll(x, (1, 2), (0, 0)), a)
    agree(lambda x: np.roll(x, 1, (0, 1)), a)


@common
@given(pairs(), st.data())
def test_rolls_and_flips_of_any_layout(pair, data):
    host, device = pair
    shift = data.draw(st.integers(-7, 7))
    check(np.roll(device, shift), np.roll(host, shift))
    for axis in range(host.ndim):
        check(np.roll(device, shift, axis), np.roll(host, shift, axis))
        check(np.flip(device, axis), np.flip(host, axis))
        times = data.draw(st.integers(0, 3))
        check(np.repeat(device, times, axis), np.repeat(host, times, axis))
    reps = tuple(data.draw(st.lists(st.integers(0, 3), max_size=3)))
    check(np.tile(device, reps), np.tile(host, reps))


@common
@given(pairs(), st.data())
def test_what_is_split_and_joined_again_is_the_same(pair, data):
    host, device = pair
    for axis in range(host.ndim):
        points = sorted(data.draw(st.lists(st.integers(0, 5), max_size=3)))
        check(np.concatenate(np.split(device, points, axis), axis), host)


METHODS = {
    "round": lambda a: (a.round(), a.round(1), a.round(decimals=-1)),
    "repeat": lambda a: (a.repeat(2), a.repeat([0, 2, 3], axis=0), a.repeat(2, -1)),
    "diagonal": lambda a: (a.diagonal(), a.diagonal(1), a.diagonal(-1, 1, 0), a.diagonal(axis1=-1, axis2=0)),
    "trace": lambda a: (a.trace(), a.trace(1), a.trace(dtype="f4")),
}


@pytest.mark.parametrize("shape", [(3, 4), (3, 4, 5)])
@pytest.mark.parametrize("dtype", ["i4", "f2", "f8"])
@pytest.mark.parametrize("name", METHODS)
def test_methods(name, dtype, shape):
    for host in (numbers(shape, dtype), numbers(shape, dtype)[:, ::-1], numbers(shape[::-1], dtype).T):
        for of_host, of_device in zip(METHODS[name](host), METHODS[name](to_gpu(host))):
            same(of_device, of_host)


def test_methods_with_out_and_wrong_arguments():
    host = numbers((3, 4), "f8")
    array, out = to_gpu(host), gpuarray.empty((3, 4), np.float64)
    assert array.round(1, out) is out and (out.get() == host.round(1)).all()
    total = gpuarray.empty((), np.float64)
    assert array.trace(out=total) is total and total.get() == host.trace()
    array.diagonal()[...] = 0
    assert (array.get() == host * (1 - np.eye(3, 4))).all()
    for call in (lambda x: x.repeat([1, 2]), lambda x: x.diagonal(0, 1, 1), lambda x: x[0].trace()):
        fails_alike(call, host)
