# SPDX-License-Identifier: MIT
"""What does not fit arrays ends in an exception that names shapes and dtypes, never in wrong data."""

import contextlib
import operator

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import clear_context_caches

pytestmark = pytest.mark.usefixtures("context")

SLOW = """
__global__ void slow(volatile int *x, int rounds) {
  int wait = 0;
  for (int i = 0; i < rounds; ++i) wait = wait * 1664525 + 1013904223 + x[1];
  x[0] = wait == 12345 ? 2 : 1;
}
"""
STRUCT = np.dtype([("a", np.int32)])


@pytest.mark.parametrize(
    "walk", [list, sum, max, lambda a: [one for one in a], lambda a: a[0]], ids=["list", "sum", "max", "loop", "index"]
)
def test_an_array_without_axes_is_not_walked(walk):
    total = gpuarray.sum(gpuarray.arange(4, dtype=np.float32))
    with pytest.raises(TypeError, match="iteration over a 0-d array"):
        walk(total)
    assert total[()].get() == total[...].get() == 6 and 6 in total


def zeros(shape=(3, 4), dtype=np.float32):
    return gpuarray.zeros(shape, dtype)


BAD = {
    "shapes of operands": (lambda a: a + zeros(5), ValueError, r"\(3, 4\) \(5,\)"),
    "shape of out": (lambda a: np.add(a, a, out=zeros((3, 3))), ValueError, r"\(3, 3\).*\(3, 4\)"),
    "dtype of out": (lambda a: np.add(a, a, out=zeros((3, 4), np.int32)), TypeError, "float32.*int32"),
    "size in set": (lambda a: a.set(np.zeros(5, np.float32)), ValueError, r"same size.*\(5,\) and \(3, 4\)"),
    "dtype in set": (lambda a: a.set(np.zeros((3, 4))), ValueError, "same dtype: float64 and float32"),
    "size in get": (lambda a: a.get(np.zeros((3, 3), np.float32)), ValueError, r"same size.*\(3, 4\) and \(3, 3\)"),
    "dtype in get": (lambda a: a.get(np.zeros((3, 4))), TypeError, "same dtype: float32 and float64"),
    "index": (lambda a: a[3], IndexError, r"axis 0 out of range: 3 in shape \(3, 4\)"),
    "negative index": (lambda a: a[0, -5], IndexError, r"axis 1 out of range: -5 in shape \(3, 4\)"),
    "too many indices": (lambda a: a[0, 0, 0], IndexError, "too many"),
    "index in a list": (lambda a: a[[0, 5]], IndexError, "axis 0 with size 3"),
    "index on the device": (lambda a: a[gpuarray.to_gpu(np.array([0, 5]))], IndexError, r"shape \(3, 4\)"),
    "stored at a bad index": (
        lambda a: operator.setitem(a, gpuarray.to_gpu(np.array([9])), 1),
        IndexError,
        r"\(3, 4\)",
    ),
    "taken index": (lambda a: a.take([12]), IndexError, r"shape \(12,\)"),
    "text as index": (lambda a: a["x"], IndexError, "invalid subindex in axis 0"),
    "size beyond 64 bits": (lambda a: gpuarray.empty((2**40, 2**40), np.float64), OverflowError, "1099511627776"),
    "negative length": (lambda a: gpuarray.empty((-1,), np.float64), OverflowError, r"\(-1,\)"),
    "host array as operand": (lambda a: a + np.zeros((3, 4)), TypeError, r"\(3, 4\): copy it with to_gpu"),
    "None as operand": (lambda a: a + None, TypeError, "NoneType"),
    "total size": (lambda a: a.reshape(5, 5), ValueError, r"\(3, 4\) and \(5, 5\)"),
    "joined shapes": (lambda a: gpuarray.concatenate([a, zeros((3, 5))]), ValueError, r"\(3, 5\) and \(3, 4\)"),
    "stacked shapes": (lambda a: gpuarray.stack([a, zeros((3, 5))]), ValueError, r"\(3, 4\), \(3, 5\)"),
    "axis": (lambda a: a.sum(axis=2), np.exceptions.AxisError, "axis 2 is out of bounds"),
    "axis twice": (lambda a: a.sum(axis=(0, 0)), ValueError, "duplicate"),
    "largest of nothing": (lambda a: zeros((0, 3)).max(), ValueError, r"\(0, 3\).*max.*no identity"),
    "other bytes": (lambda a: zeros((3, 3)).view(np.float64), ValueError, r"float64 and float32 of shape \(3, 3\)"),
    "byte order": (lambda a: gpuarray.to_gpu(np.zeros(3, ">f4")) + 1, TypeError, r"shape \(3,\) and dtype >f4"),
    "structs": (lambda a: zeros(3, STRUCT) + 1, TypeError, r"shape \(3,\) and dtype \[\('a', '<i4'\)\]"),
    "Python objects": (lambda a: gpuarray.to_gpu(np.array([None, 1], object)), TypeError, "dtype object"),
    "shapes in where": (lambda a: gpuarray.where(a > 0, zeros((2, 2)), a), ValueError, r"\(3, 4\) \(2, 2\)"),
    "assigned shape": (lambda a: operator.setitem(a, slice(0, 2), zeros(3)), ValueError, r"\(3,\) into shape \(2, 4\)"),
    "assigned complex": (lambda a: operator.setitem(a, 0, 1j), TypeError, "complex.*float32"),
    "assigned complex array": (
        lambda a: operator.setitem(a, 0, zeros(4, np.complex64)),
        TypeError,
        "complex64.*float32",
    ),
    "text as value": (lambda a: a.fill("x"), TypeError, "a number is needed, not str"),
    "number too large": (lambda a: zeros(3, np.int8) + 300, OverflowError, "300 out of bounds for int8"),
    "sizes in dot": (lambda a: gpuarray.dot(a, zeros(5)), ValueError, r"\(3, 4\) and \(5,\)"),
    "shapes in matmul": (lambda a: a @ a, ValueError, r"\(3, 4\) and \(3, 4\)"),
    "too many axes": (lambda a: gpuarray.zeros((1,) * 33), ValueError, "at most 32 axes"),
    "order": (lambda a: gpuarray.zeros(3, order="X"), ValueError, "invalid order: X"),
    "strides": (lambda a: gpuarray.GPUArray((3,), np.float32, strides=(4, 4)), ValueError, r"shape \(3,\)"),
    "stream": (lambda a: a.fill(1, stream=5), TypeError, "stream must be"),
    "list on the device": (lambda a: gpuarray.to_gpu([1, 2]), AttributeError, "not list"),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_what_does_not_fit_is_named(name):
    attempt, error, text = BAD[name]
    with pytest.raises(error, match=text):
        attempt(zeros())


def test_read_only_hosts_are_not_written_to():
    host = np.ones((3, 4), np.float32)
    host.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        zeros().get(host)
    assert host.all()


def test_hosts_of_any_strides_are_read_and_written():
    host = np.arange(48, dtype=np.float32).reshape(6, 8)
    device = zeros()
    device.set(host[::2, ::-2])
    np.testing.assert_array_equal(device.get(), host[::2, ::-2])
    target = np.zeros((6, 8), np.float32)
    device.get(target[::-2, ::2])
    np.testing.assert_array_equal(target[::-2, ::2], host[::2, ::-2])
    assert not target[:, 1::2].any()


def test_overlapping_views_are_read_before_they_are_written():
    for move in (
        lambda a: operator.setitem(a, slice(1, None), a[:-1]),
        lambda a: operator.setitem(a, slice(None), a[::-1] + a),
        lambda a: operator.iadd(a[1:], a[:-1]),
        lambda a: operator.imul(a[:-1], a[1:]),
    ):
        host = np.arange(3000, dtype=np.int64)
        device = gpuarray.to_gpu(host)
        move(device)
        move(host)
        np.testing.assert_array_equal(device.get(), host)


def test_more_than_there_is_names_the_array():
    with pytest.raises(cuda.MemoryError, match=r"out of memory - .*8796093022208 bytes.*\(1099511627776,\).*float64"):
        gpuarray.empty((2**40,), np.float64)
    device = zeros()
    with pytest.raises(cuda.MemoryError):
        gpuarray.to_gpu(np.zeros(1, np.int8)).reshape(1, 1) + gpuarray._array.view(
            device, 0, (2**21, 2**21), (0, 0), None
        )
    assert not device.get().any()


def test_memory_that_has_been_freed_is_not_used():
    device = zeros()
    device.gpudata.free()
    with pytest.raises(cuda.LogicError, match="has been freed"):
        device + 1


IN_PLACE = [
    operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod,
    operator.ipow, operator.iand, operator.ior, operator.ixor, operator.ilshift, operator.irshift,
]  # fmt: skip


@pytest.mark.parametrize("operation", [*IN_PLACE, operator.iconcat], ids=lambda one: one.__name__)
@pytest.mark.parametrize("other", [None, "x", [1, 2, 3], (1,), {}, int], ids=repr)
def test_operators_in_place_refuse_what_is_no_number(operation, other):
    array = gpuarray.zeros(3, np.int32)
    with pytest.raises(TypeError):
        operation(array, other)


def test_adding_in_place_asks_the_other_operand():
    class Other:
        def __radd__(self, left):
            return ("added to", left)

    array = gpuarray.zeros(3, np.int32)
    assert operator.iadd(array, Other()) == ("added to", array)


def test_arrays_of_another_context_are_refused(context):
    mine = gpuarray.to_gpu(np.arange(3.0))
    view = mine[1:]
    other = cuda.Device(0).make_context()
    try:
        for attempt in (lambda: mine + 1, lambda: view.sum(), lambda: view.fill(0), lambda: mine.copy()):
            with pytest.raises(ValueError, match=r"shape \(\d,\) and dtype float64 belongs to another context"):
                attempt()
        np.testing.assert_array_equal(mine.get(), [0, 1, 2])  # through the host it may go
        theirs = gpuarray.to_gpu(mine.get())
    finally:
        cuda.Context.pop()
    with pytest.raises(ValueError, match="another context"):
        mine + theirs
    np.testing.assert_array_equal((mine + 1).get(), [1, 2, 3])
    clear_context_caches()
    other.detach()
    with pytest.raises(ValueError, match="belongs to a context that is gone"):
        theirs + 1


def test_copies_to_the_host_wait_for_work_in_the_arrays_own_context(context):
    slow = SourceModule(SLOW).get_function("slow")
    mine = gpuarray.zeros(2, np.int32)
    other = cuda.Device(0).make_context()
    try:
        cuda.Context.pop()
        slow(mine, np.int32(30_000_000), block=(1, 1, 1))
        other.push()
        assert mine.get()[0] == 1
        slow(mine, np.int32(30_000_000), block=(1, 1, 1))
        mine.set(np.full(2, 5, np.int32))
    finally:
        cuda.Context.pop()
        other.detach()
    np.testing.assert_array_equal(mine.get(), [5, 5])


@pytest.mark.parametrize("how", ["raised", "never ran"])
def test_arrays_whose_constructor_did_not_end_have_no_memory(context, how):
    def no_memory(_):
        raise RuntimeError("no memory today")

    class Hasty(gpuarray.GPUArray):
        def __init__(self, *arguments, **keywords):
            if how == "raised":
                with contextlib.suppress(RuntimeError):
                    super().__init__(*arguments, **keywords)

    array = Hasty((4,), np.float32, allocator=no_memory)
    attempts = [lambda: array + 1, lambda: array.fill(3), lambda: array.ptr, lambda: array[...]]
    if how == "raised":
        attempts.append(lambda: array.get())
    for attempt in attempts:
        with pytest.raises(ValueError, match="has no memory: its constructor did not end"):
            attempt()
    assert (zeros() + 1).get().all()


def test_arrays_of_another_device_are_refused(context):
    if cuda.Device.count() < 2:
        pytest.skip("needs two devices")
    mine = zeros()
    other = cuda.Device(1).make_context()
    try:
        with pytest.raises(ValueError, match="of device 0; the current one is of device 1"):
            mine + 1
    finally:
        cuda.Context.pop()
        other.detach()


def pool():
    return gpuarray._array.pool_statistics()


def test_memory_comes_from_a_pool_and_goes_back_to_it():
    clear_context_caches()
    first = zeros((1000,))
    address = first.ptr
    active, managed = pool()
    assert active >= 4000 and managed >= active
    del first
    assert pool()[0] < active
    assert pool()[1] == managed  # held for the next one
    assert zeros((1000,)).ptr == address
    gpuarray._array.free_held_memory()
    assert pool()[1] == pool()[0]


def test_caches_are_cleared_of_held_memory():
    zeros((100000,))
    assert pool()[1] > 0
    clear_context_caches()
    assert pool() == (0, 0)
    assert not zeros().get().any()


def test_arrays_without_elements_are_neither_true_nor_false():
    with pytest.raises(ValueError, match="without elements is ambiguous"):
        bool(gpuarray.empty(0, np.float32))
    with pytest.raises(ValueError, match="more than one element"):
        bool(gpuarray.zeros(2, np.float32))
