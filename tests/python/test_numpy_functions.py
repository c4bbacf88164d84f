# SPDX-License-Identifier: MIT
"""NumPy's functions of arrays of the device: which there are; products, sets, choices, comparisons against NumPy."""

import functools
import inspect
import math
import pathlib
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy_cases import agree, fails_alike, numbers, same
from pycuda import gpuarray
from pycuda._arrays.numpy import families, protocols
from pycuda.gpuarray import GPUArray, to_gpu
from test_gpuarray_properties import common

pytestmark = pytest.mark.usefixtures("context")

GUIDE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "arrays.md"
OFFERED = {name for names in families.FAMILIES.values() for name in names.split()}
DEFINED = set(protocols.FUNCTIONS)  # before any test: calls add what they look up, supported or not


def in_numpy(name):
    found = np
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def test_every_function_is_numpys_and_has_its_parameters():
    for module, names in families.FAMILIES.items():
        for name in names.split():
            ours, theirs = families.load(module, name), in_numpy(name)
            assert ours.__doc__
            if theirs is None:  # this NumPy is older
                continue
            assert f"{theirs.__module__}.{theirs.__name__}" == f"numpy.{name}"
            if module == "text":
                continue
            known, asked = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
            if tuple(map(int, np.__version__.split(".")[:2])) >= (2, 4):
                # NumPy names what must be positional in some functions of the standard otherwise.
                assert list(known)[2:] == list(asked)[2:], name


def test_the_guide_lists_what_there_is():
    section = GUIDE.read_text().split("## NumPy functions")[1].split("\n### ")[0]
    lists = "".join(re.findall(r"^- .*(?:\n  .*)*", section, re.MULTILINE))
    others = {function.__name__ for function in DEFINED - set(map(in_numpy, OFFERED))}
    assert set(re.findall(r"`([a-z][\w.]*)`", lists)) == OFFERED | others


def test_gpuarray_has_numpys_names():
    for name, module in families.BORROWED.items():
        assert getattr(gpuarray, name) is families.load(module, name)
        assert name in gpuarray.__all__ and name in dir(gpuarray)
    a = gpuarray.linspace(0, 1, 5)
    np.testing.assert_array_equal(a.get(), np.linspace(0, 1, 5))
    assert gpuarray.linspace(0, 1, 5, retstep=True)[1] == 0.25
    np.testing.assert_array_equal(gpuarray.eye(2, 3, 1).get(), np.eye(2, 3, 1))
    assert gpuarray.identity(3, np.int8).dtype == np.int8 and gpuarray.roll(a, 1).get()[0] == 1
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gpuarray.nothing  # noqa: B018


def test_functions_that_are_not_there_say_what_to_do():
    a = gpuarray.zeros((3,), np.float64)
    along_axis = (lambda x: np.apply_along_axis(sum, 0, x), r"np.apply_along_axis\(func1d, axis, a.get\(\)")
    for call, remedy in ((np.i0, r"np.i0\(a.get\(\)"), along_axis):
        with pytest.raises(TypeError, match=rf"no implementation found.*{remedy}"):
            call(a)
    with pytest.raises(TypeError):
        np.hstack([a, Stranger()])


def test_former_names_are_known():
    def trapz():
        pass

    trapz.__module__ = "numpy"
    assert families.find(trapz) is families.load("calculus", "trapezoid")


class Stranger:
    def __array_function__(self, function, types, args, kwargs):
        return NotImplemented


def test_arguments_that_are_not_known_are_refused():
    a = gpuarray.zeros((3,), np.float64)
    with pytest.raises(TypeError, match="does not know the argument 'where'"):
        np.nansum(a, where=np.array([True, False, True]))
    with pytest.raises(TypeError, match="'fweights'"):
        np.cov(a, fweights=[1, 2, 3])
    with pytest.raises(TypeError, match="'out'"):
        np.fft.fft(a, out=a)
    with pytest.raises(NotImplementedError):
        np.einsum("...i->...", a)


PRODUCTS = ["bool", "int32", "uint8", "float32", "float64", "complex128"]


def test_products():
    for dtype in PRODUCTS:
        a, b = numbers((3, 4), dtype), numbers((5, 4), dtype, 2)
        agree(np.inner, a, b)
        agree(np.inner, a[0], b[0])
        agree(np.outer, a, b)
        agree(np.kron, a, b)
        agree(np.kron, a[0], b)
        agree(lambda x, y: np.tensordot(x, y, (1, 1)), a, b)
        agree(lambda x, y: np.tensordot(x, y, ([0, 1], [1, 0])), a, a.T.copy())
        agree(lambda x, y: np.tensordot(x, y, 0), a, b)
        if dtype != "bool":
            u, v = numbers((4, 3), dtype), numbers((4, 3), dtype, 3)
            agree(np.cross, u, v)
            agree(np.cross, u, v[0])
            agree(lambda x, y: np.cross(x, y, axis=0), u.T.copy(), v.T.copy())
            agree(lambda x, y: np.cross(x, y, 0, -1, 0), u.T.copy(), v)
    fails_alike(np.inner, numbers((3, 4), "f4"), numbers((3, 5), "f4"))
    fails_alike(lambda x, y: np.tensordot(x, y, 1), numbers((3, 4), "f4"), numbers((3, 5), "f4"))
    fails_alike(np.cross, numbers((3, 4), "f4"), numbers((3, 4), "f4"))
    out = gpuarray.empty((2, 2), np.float64)
    assert np.outer(to_gpu(np.ones(2)), to_gpu(np.ones(2)), out) is out and (out.get() == 1).all()


@pytest.mark.parametrize(
    "subscripts, shapes",
    [
        ("ij,jk->ik", [(3, 4), (4, 5)]),
        ("ij,jk", [(3, 4), (4, 5)]),
        ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
        ("ij->ji", [(3, 4)]),
        ("ij->", [(3, 4)]),
        ("ij->j", [(3, 4)]),
        ("ba", [(3, 4)]),
        ("ii->i", [(4, 4)]),
        ("ii", [(4, 4)]),
        ("iij->ji", [(4, 4, 2)]),
        ("i,i->", [(6,), (6,)]),
        ("i,j->ij", [(3,), (4,)]),
        ("i,i->i", [(3,), (3,)]),
        ("ij,ij->i", [(3, 4), (3, 4)]),
        ("ijk,jl->ikl", [(2, 3, 4), (3, 5)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
        ("i,ij,j", [(3,), (3, 4), (4,)]),
        ("ij,kl->k", [(2, 3), (4, 5)]),
        (" i j , j -> i ", [(2, 3), (3,)]),
        (",i->i", [(), (3,)]),
    ],
)
def test_einsum(subscripts, shapes):
    for dtype in ("int32", "float32", "complex128"):
        agree(lambda *each: np.einsum(subscripts, *each), *(numbers(shape, dtype, k) for k, shape in enumerate(shapes)))


def test_einsum_refuses_what_numpy_does():
    a = numbers((3, 4), "f4")
    for subscripts in ("ij,jk", "ijk", "ij->ii", "ij->k", "ii", "i1"):
        fails_alike(lambda x: np.einsum(subscripts, x), a)
    fails_alike(lambda x: np.einsum("ij,ij->i", x, x[:, 1:]), a)


def test_convolutions():
    for dtype in ("int32", "float32", "complex64"):
        for mode in ("full", "same", "valid"):
            for m, n in ((7, 3), (3, 7), (6, 2), (2, 5), (5, 4), (4, 4), (1, 1), (9, 1)):
                a, v = numbers((m,), dtype), numbers((n,), dtype, 2)
                agree(lambda x, y: np.convolve(x, y, mode), a, v)
                agree(lambda x, y: np.correlate(x, y, mode), a, v)
    agree(lambda x: np.convolve(x, [1, 0, -1]), numbers((5,), "f8"))
    for call in (np.convolve, np.correlate):
        fails_alike(call, numbers((0,), "f4"), numbers((2,), "f4"))
        fails_alike(call, numbers((2, 2), "f4"), numbers((2,), "f4"))
        fails_alike(lambda x: call(x, x, "other"), numbers((2,), "f4"))


def test_differences():
    for dtype in ("bool", "int16", "uint8", "float32", "complex64"):
        a = numbers((4, 5), dtype)
        for n in (0, 1, 2, 6):
            for axis in (0, 1, -1):
                agree(lambda x: np.diff(x, n, axis), a)
        agree(lambda x: np.diff(x, prepend=x[:, :1], append=x), a)
        if dtype != "bool":
            agree(np.ediff1d, a)
            if dtype != "uint8":
                agree(lambda x: np.ediff1d(x, [1, 2], 3), a)
    agree(lambda x: np.diff(x, prepend=0, append=9), numbers((4, 5), "i8"))
    fails_alike(np.diff, numbers((), "f4"))
    fails_alike(lambda x: np.diff(x, -1), numbers((3,), "f4"))
    fails_alike(lambda x: np.diff(x, axis=2), numbers((3, 3), "f4"))
    fails_alike(lambda x: np.ediff1d(x, 1.5), numbers((3,), "i4"))


def test_gradients_and_integrals():
    for dtype in ("int32", "float32", "float64", "complex128"):
        a = numbers((5, 6), dtype)
        agree(np.gradient, a)
        agree(lambda x: np.gradient(x, 0.5, edge_order=2), a)
        agree(lambda x: np.gradient(x, 2, axis=-1), a)
        agree(lambda x, y, z: np.gradient(x, y, z, edge_order=2), a, np.arange(5.0) ** 2, np.arange(6.0))
        agree(lambda x, y: np.gradient(x, y, axis=0), a, np.arange(5.0) ** 2)
        agree(lambda x: np.gradient(x[0]), a)
        for axis in (0, 1, -1):
            agree(lambda x: np.trapezoid(x, dx=0.5, axis=axis), a)
        agree(lambda x, y: np.trapezoid(x, y), a, np.arange(6.0) ** 2)
        agree(lambda x, y: np.trapezoid(x, y, axis=0), a, np.arange(5.0) ** 2)
        agree(lambda x, y: np.trapezoid(x, y, axis=0), a, numbers((5, 6), "f8"))
    fails_alike(np.gradient, numbers((1,), "f4"))
    fails_alike(lambda x: np.gradient(x, 1, 2, 3), a)
    fails_alike(lambda x: np.gradient(x, edge_order=3), a)
    fails_alike(lambda x, y: np.gradient(x, y, axis=0), a, np.arange(4.0))


def test_interpolation():
    xp, fp = np.array([-2.0, 0, 0.5, 3]), np.array([1.0, -1, 4, 2])
    x = np.array([[-3, -2, -1.5], [0.25, 3, 9], [0.5, math.nan, 0]])
    for dtype in ("float64", "float32"):
        agree(np.interp, x.astype(dtype), xp, fp.astype(dtype))
    agree(lambda x, xp, fp: np.interp(x, xp, fp, -7, 7), x, xp, fp)
    agree(lambda x, xp, fp: np.interp(x, xp, fp, period=2.5), x, xp, fp)
    agree(np.interp, x, xp, fp + 1j)
    agree(np.interp, x, xp[:1], fp[:1])
    agree(lambda x, xp, fp: np.interp(x, xp, fp, 5, 6), x, xp[:1], fp[:1])
    agree(np.interp, np.arange(3), xp, np.arange(4))
    beside = np.array([-5, -4, -3, -1, -0.5, 0, 1, 2, 3, math.nan])
    inf, xp_whole = math.inf, np.array([-4, -1, 0, 2])
    for values in ([-0.5, inf, 1, -1.5], [inf, inf, math.nan, 1], [inf, -inf, inf, inf], [1, 2, inf, -inf]):
        agree(np.interp, beside, xp_whole, np.array(values))
    agree(np.interp, beside, xp_whole, np.array([1, complex(inf, 1), complex(inf, 1), complex(1, inf)]))
    fails_alike(np.interp, x, xp, fp[:2])
    fails_alike(np.interp, x, xp[:0], fp[:0])
    fails_alike(lambda x, xp, fp: np.interp(x, xp, fp, period=0), x, xp, fp)


def test_sets():
    for dtype in ("bool", "int8", "uint16", "float32", "complex64"):
        for m, n in ((9, 6), (0, 4), (4, 0), (0, 0), (1, 1)):
            a, b = numbers((m,), dtype), numbers((n,), dtype, 5)
            if dtype != "complex64":
                a, b = a // 3 if a.dtype.kind != "b" else a, b // 3 if b.dtype.kind != "b" else b
            for call in (np.isin, np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d):
                agree(call, a, b)
            agree(lambda x, y: np.isin(x, y, invert=True), a, b)
            agree(lambda x, y: np.intersect1d(x, y, return_indices=True), a, b)
            agree(lambda x, y: np.setdiff1d(x, y, True), a, b)
    agree(lambda x: np.isin(x, [1, 2]), numbers((3, 4), "i4"))
    agree(np.isin, numbers((3, 4), "i4"), np.array([1.5, 2, 3]))
    agree(np.union1d, numbers((3, 4), "i4"), numbers((5,), "f4"))
    fails_alike(lambda x: np.isin(x, [1], kind="no"), numbers((3,), "i4"))
    for call in (np.unique_all, np.unique_counts, np.unique_inverse):
        agree(call, numbers((3, 4), "i4"))


def test_order():
    keys = [numbers((3, 8), "i4", k) // 5 for k in range(3)]
    for axis in (-1, 0):
        agree(lambda x, y, z: np.lexsort((x, y, z), axis), *keys)
    agree(np.sort_complex, numbers((3, 4), "f8"))
    agree(np.sort_complex, numbers((6,), "i2"))
    a = numbers((4, 9), "f4")
    for axis in (0, -1, None):
        got, places = np.partition(to_gpu(a), 2, axis), np.argpartition(to_gpu(a), [1, 2], axis)
        same(got, np.sort(a, axis))
        same(places, np.argsort(a, axis, kind="stable"))
    fails_alike(lambda x: np.partition(x, 9), a)
    fails_alike(lambda x: np.argpartition(x, -5, 0), a)


def test_choices():
    a, b = numbers((3, 4), "i4"), numbers((3, 4), "f4")
    agree(lambda x, y: np.select([x > 3, x < 0], [x, y], 7), a, b)
    agree(lambda x, y: np.select([x > 3, x < 0], [x, 2], -1), a, b)
    agree(lambda x, y: np.select([x > 3, y[0] < 0], [x[:1], y * 2]), a, b)
    agree(lambda x, y: np.select([x > 3], [y], np.float64(2)), a, b)
    fails_alike(lambda x: np.select([x > 1], [x, x]), a)
    fails_alike(lambda x: np.select([x], [x]), a)
    which = np.array([[0, 2, 1, 0], [1, 1, 2, 0], [2, 0, 1, 2]])
    agree(lambda w, x, y: np.choose(w, [x, y, 5]), which, a, b)
    agree(lambda w, x: np.choose(w - 1, [x, 1], mode="clip"), which, a)
    agree(lambda w, x: np.choose(w - 1, [x, 1, 2], mode="wrap"), which, a)
    fails_alike(lambda w: np.choose(w, [1, 2]), which)
    fails_alike(lambda w: np.choose(w * 1.5, [1, 2, 3]), which)
    for axis in (0, 1, None):
        agree(lambda x: np.compress([True, False, True], x, axis), a)
    agree(lambda x, c: np.compress(c, x, 1), a, np.array([0, 1, 1, 0]))
    fails_alike(lambda x: np.compress([[True]], x, 0), a)
    fails_alike(lambda x: np.compress([False] * 9 + [True], x, 0), a)
    agree(lambda x: np.extract(x > 0, x), a)


def changed(call, a, *others):
    """What a function does in place, on host and device."""
    host, device = a.copy(), to_gpu(a)
    call(host, *others)
    call(device, *map(to_gpu, others))
    same(device, host)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_copies_have_the_order_that_is_asked_for(order):
    host = numbers((2, 3, 4), "f4")
    for view in (lambda a: a, lambda a: a.T, lambda a: a.transpose(1, 0, 2), lambda a: a[:, ::2]):
        copied, expected = np.copy(view(to_gpu(host)), order=order), np.copy(view(host), order=order)
        same(copied, expected)
        assert copied.strides == expected.strides


def test_places():
    a, b = numbers((3, 4), "i4"), numbers((3, 4), "f4")
    for values in ([1], [1, 2], [4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8]):
        changed(lambda x: np.place(x, x > 0, values), a)
        changed(lambda x: np.putmask(x, x > 0, values), a)
    changed(lambda x, y: np.putmask(x, y > 0, y.astype("i4")), a, b)
    fails_alike(lambda x: np.place(x, x == x, []), a)
    changed(lambda x: np.put(x, [0, 99], []), a)
    changed(np.copyto, b, a)
    changed(lambda x, y: np.copyto(x, y, where=x > 1), b, numbers((4,), "f4"))
    changed(lambda x: np.copyto(x, 2), b)
    changed(lambda x, y: np.copyto(x, y, "unsafe"), a, b)
    fails_alike(np.copyto, a, b)
    fails_alike(lambda x: np.copyto(x, 2.5), a)
    fails_alike(np.copyto, b, a[:, :2].copy())
    with pytest.raises(TypeError, match="get()"):
        np.copyto(np.empty((3, 4), "f4"), to_gpu(b))
    for axis in (0, 1, -1):
        order = np.argsort(a, axis)
        agree(lambda x, o: np.take_along_axis(x, o, axis), a, order)
        changed(lambda x, o: np.put_along_axis(x, o, 9, axis), a, order.take([0], axis))
        changed(lambda x, o, v: np.put_along_axis(x, o, v, axis), a, order, a)
        # No element is named twice: which of the values stays would be up to the device.
        places = order[None] % 2 if axis == 0 else np.argsort(a, min(axis, 0))[None]
        changed(lambda x, o, v: np.put_along_axis(x, o, v, axis), numbers((2, 3, 4), "f4"), places, b)
    agree(lambda x, o: np.take_along_axis(x, o, None), a, np.array([1, -1, 7]))
    changed(lambda x, o: np.put_along_axis(x, o, 9, None), a, np.array([1, -1, 7]))
    fails_alike(lambda x, o: np.take_along_axis(x, o, 0), a, b)
    fails_alike(lambda x, o: np.take_along_axis(x, o, 0), a, np.array([1]))
    fails_alike(lambda x, o: np.put_along_axis(x, o, 1, 0), a, np.full((1, 4), 7))


def test_positions_and_indices():
    at = np.array([[0, 5, 23], [7, 1, 22]])
    for order in "CF":
        agree(lambda x: np.unravel_index(x, (2, 3, 4), order), at)
        indices = np.unravel_index(at, (2, 3, 4), order)
        agree(lambda *each: np.ravel_multi_index(each, (2, 3, 4), order=order), *indices)
    for mode in ("wrap", "clip", ("wrap", "clip")):
        agree(lambda x, y: np.ravel_multi_index((x, y), (3, 5), mode), at, -at)
    fails_alike(lambda x: np.unravel_index(x, (2, 3)), at)
    fails_alike(lambda x: np.unravel_index(x, (99,)), at * 1.0)
    fails_alike(lambda x: np.ravel_multi_index((x, x), (3, 3)), at)


def test_comparisons():
    a = numbers((3, 4), "f4")
    near = a + np.float32(1e-6)
    near[0, 0] = math.nan
    other = near.copy()
    other[1, 1] = math.inf
    for equal_nan in (False, True):
        agree(lambda x, y: np.isclose(x, y, equal_nan=equal_nan), near, other)
        agree(lambda x, y: np.allclose(x, y, equal_nan=equal_nan), near, near.copy())
        agree(lambda x, y: np.array_equal(x, y, equal_nan=equal_nan), near, near.copy())
    agree(np.allclose, a, a + 1)
    agree(np.isclose, numbers((4,), "i4"), numbers((3, 4), "u1"))
    agree(lambda x: np.isclose(x, 1, 0.5, 0.25), a)
    agree(np.array_equiv, a, a[:1].copy())
    agree(np.array_equiv, np.ones((2, 3)), np.ones(3))
    agree(np.array_equiv, np.ones((2, 3)), np.ones(4))
    assert np.allclose(to_gpu(a), a) and np.allclose(a, to_gpu(a))


def test_questions_about_dtypes_and_memory():
    for dtype in ("bool", "int16", "float32", "complex64"):
        a = numbers((3, 4), dtype)
        for call in (
            np.iscomplexobj,
            np.isrealobj,
            np.iscomplex,
            np.isreal,
            np.result_type,
            np.min_scalar_type,
            np.fix,
        ):
            if not (call is np.fix and dtype == "complex64"):
                agree(call, a)
        agree(lambda x: np.can_cast(x.dtype, "f4"), a)
        agree(lambda x: np.result_type(x, 1.0, np.float64), a)
        agree(lambda x: np.astype(x, np.complex128), a)
        agree(np.real_if_close, a)
        if dtype != "complex64":
            agree(np.isposinf, a)
            if dtype != "bool":
                agree(np.common_type, a)
    agree(lambda x: np.real_if_close(x.real + 0j), a)
    agree(np.isneginf, np.array([math.inf, -math.inf, math.nan, 1]))
    fails_alike(np.isneginf, a)
    device = to_gpu(a)
    assert np.shares_memory(device, device[1:]) and np.may_share_memory(device[:, ::2], device[:, 1::2])
    assert not np.shares_memory(device[:, ::2], device[:, 1::2])
    assert not np.shares_memory(device, device.copy()) and not np.may_share_memory(device, a)
    assert not np.shares_memory(device[:0], device)


def test_functions_of_elements():
    for dtype in ("int16", "float32", "float64"):
        agree(np.sinc, numbers((3, 4), dtype))
        agree(lambda x: np.vander(x, 3), numbers((4,), dtype) % 4)
        agree(lambda x: np.vander(x, increasing=True), numbers((4,), dtype) % 4)
        agree(lambda x: np.polyval([1, 2, 3], x), numbers((3, 4), dtype))
        agree(lambda x, p: np.polyval(p, x), numbers((3, 4), dtype), np.array([0.5, -1]))
    agree(np.sinc, np.array([0.0, 0.5, 1]))
    fails_alike(np.vander, numbers((2, 2), "f4"))


def test_text_and_files(tmp_path):
    a = numbers((3, 4), "f4")
    device = to_gpu(a)
    assert np.array_str(device) == np.array_str(a) and np.array_repr(device, precision=2) == np.array_repr(
        a, precision=2
    )
    assert np.array2string(device, separator=";") == np.array2string(a, separator=";")
    np.save(tmp_path / "one.npy", device)
    np.testing.assert_array_equal(np.load(tmp_path / "one.npy"), a)
    for write in (np.savez, np.savez_compressed):
        write(tmp_path / "all.npz", device, named=device)
        with np.load(tmp_path / "all.npz") as read:
            assert sorted(read) == ["arr_0", "named"] and (read["named"] == a).all()
    np.savetxt(tmp_path / "one.txt", device)
    np.testing.assert_allclose(np.loadtxt(tmp_path / "one.txt"), a, rtol=1e-6)


@common
@given(st.lists(st.integers(-5, 5), max_size=30), st.lists(st.integers(-5, 5), max_size=30))
def test_sets_obey_the_laws_of_sets(first, second):
    a, b = (to_gpu(np.array(one, np.int32)) for one in (first, second))
    assert np.union1d(a, b).get().tolist() == sorted(set(first) | set(second))
    assert np.intersect1d(a, b).get().tolist() == sorted(set(first) & set(second))
    assert np.setdiff1d(a, b).get().tolist() == sorted(set(first) - set(second))
    assert np.setxor1d(a, b).get().tolist() == sorted(set(first) ^ set(second))


@common
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_positions_come_back(shape, data):
    size = math.prod(shape)
    at = np.array(data.draw(st.lists(st.integers(0, size - 1), max_size=9)), np.int64)
    indices = np.unravel_index(to_gpu(at), tuple(shape))
    assert all(isinstance(one, GPUArray) for one in indices)
    same(np.ravel_multi_index(indices, tuple(shape)), at)


@pytest.mark.parametrize("axis", [0, -1])
def test_arrays_without_axes_along_an_axis(axis):
    host = np.array(3.0)
    functions = [np.sum, np.prod, np.max, np.any, np.argmin, np.nansum, np.nanmax, np.nanmean, np.ptp, np.squeeze]
    functions += [np.argsort, np.cumsum, np.cumprod, np.cumulative_sum, np.nancumsum]
    for function in functions:
        agree(functools.partial(function, axis=axis), host)
    agree(lambda x: np.sum(x, axis=axis, keepdims=True), host)
    agree(lambda x: np.take(x, [[0, 0]], axis=axis), host)
    agree(lambda x: np.repeat(x, 2, axis=axis), host)
    agree(lambda x: np.compress([True], x, axis=axis), host)
    agree(lambda x: np.argpartition(x, 0, axis), host)
    agree(lambda x: np.cumulative_prod(x, include_initial=True), host)
    agree(lambda x: np.diff(x, n=0), host)
    agree(np.argwhere, host)
    agree(np.argwhere, np.array(0))
    fails_alike(lambda x: np.sort(x, axis=axis), host)
    fails_alike(lambda x: np.partition(x, 0, axis), host)
    fails_alike(lambda x: np.mean(x, axis=axis), host)
    fails_alike(lambda x: np.sum(x, axis=1), host)
    fails_alike(lambda x: np.argmax(x, axis=()), host)
    fails_alike(lambda x: np.cumsum(x, axis=1), host)
    fails_alike(lambda x: np.take(x, [1], axis=axis), host)
