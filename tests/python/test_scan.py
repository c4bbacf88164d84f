# SPDX-License-Identifier: MIT
"""pycuda.scan against NumPy."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.gpuarray import to_gpu
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel
from pycuda.tools import get_or_register_dtype

pytestmark = pytest.mark.usefixtures("context")

SIZES = [1, 2, 5, 767, 768, 1535, 1536, 1537, 30_000, 1_000_003]


def exclusive(values, neutral=0):
    return np.concatenate([[neutral], values[:-1]])


def test_sums_of_every_size():
    inclusive_sum, exclusive_sum = InclusiveScanKernel(np.int64, "a+b"), ExclusiveScanKernel(np.int64, "a+b", "0")
    for n in SIZES:
        h = np.random.default_rng(n).integers(-100, 100, n)
        assert (inclusive_sum(to_gpu(h)).get() == np.cumsum(h)).all()
        assert (exclusive_sum(to_gpu(h)).get() == exclusive(np.cumsum(h))).all()


def test_operations_that_do_not_commute_keep_their_order():
    # Affine maps x -> m x + c, joined left to right, modulo 2**32.
    affine = np.dtype([("m", np.uint32), ("c", np.uint32)])
    get_or_register_dtype("test_affine", affine)
    preamble = """struct test_affine { unsigned m, c; };
    __device__ test_affine then(test_affine a, test_affine b) {
      test_affine r = {a.m * b.m, a.c * b.m + b.c}; return r; }
    __device__ test_affine same() { test_affine r = {1, 0}; return r; }"""
    h = np.random.default_rng(1).integers(1, 1000, (40_000, 2)).astype(np.uint32).view(affine)[:, 0]
    expected = np.empty_like(h)
    m, c = 1, 0
    for k, (next_m, next_c) in enumerate(h.tolist()):
        m, c = m * next_m % 2**32, (c * next_m + next_c) % 2**32
        expected[k] = (m, c)
    assert (InclusiveScanKernel(affine, "then(a, b)", preamble=preamble)(to_gpu(h)).get() == expected).all()
    result = ExclusiveScanKernel(affine, "then(a, b)", "same()", preamble=preamble)(to_gpu(h)).get()
    assert result[0].tolist() == (1, 0)
    assert (result[1:] == expected[:-1]).all()


def test_maxima_and_complex_sums():
    h = np.random.default_rng(2).normal(size=5000).astype(np.float32)
    result = InclusiveScanKernel(np.float32, "a > b ? a : b")(to_gpu(h)).get()
    assert (result == np.maximum.accumulate(h)).all()
    z = (h[::2] + 1j * h[1::2]).astype(np.complex128)
    np.testing.assert_allclose(InclusiveScanKernel(np.complex128, "a+b")(to_gpu(z)).get(), np.cumsum(z), rtol=1e-9)


def test_elements_of_the_same_size_are_read_as_the_scans_type():
    h = np.arange(1, 2001, dtype=np.uint32)
    new = ExclusiveScanKernel(np.int32, "a+b", "0")(to_gpu(h), "new")
    assert new.dtype == np.uint32 and (new.get() == exclusive(np.cumsum(h))).all()
    with pytest.raises(TypeError, match="the scan is for dtype int32, the input has dtype uint64"):
        InclusiveScanKernel(np.int32, "a+b")(to_gpu(h.astype(np.uint64)))


def test_outputs():
    h = np.arange(100, dtype=np.int32)
    x, scan = to_gpu(h), InclusiveScanKernel(np.int32, "a+b")
    out = gpuarray.empty_like(x)
    assert scan(x, out) is out and (out.get() == np.cumsum(h)).all()
    assert (scan(x, "new", queue=None).get() == np.cumsum(h)).all()
    assert (x.get() == h).all()
    assert scan(x) is x and (x.get() == np.cumsum(h)).all()
    empty = gpuarray.empty(0, np.int32)
    assert scan(empty) is empty


def test_inputs_need_not_be_contiguous():
    h = np.arange(100, dtype=np.int32)
    assert (InclusiveScanKernel(np.int32, "a+b")(to_gpu(h)[::-3], "new").get() == np.cumsum(h[::-3])).all()


@pytest.mark.parametrize("n", [10, 3_000_000])
def test_input_and_output_may_overlap(n):
    scan = InclusiveScanKernel(np.int32, "a + b")
    for source, target in ((slice(None, -1), slice(1, None)), (slice(1, None), slice(None, -1))):
        data = to_gpu(np.ones(n + 1, np.int32))
        scan(data[source], data[target])
        assert (data[target].get() == np.arange(1, n + 1)).all()


@pytest.mark.parametrize("wrong", [[1, 2], 5, 1.5])
def test_an_output_that_is_no_array_is_refused(wrong):
    with pytest.raises(TypeError, match=f"output is an array on the device, not {type(wrong).__name__}"):
        InclusiveScanKernel(np.float32, "a + b")(gpuarray.zeros(2, np.float32), wrong)


def test_a_scan_is_made_again_in_another_context(driver):
    scans = InclusiveScanKernel(np.int32, "a + b"), ExclusiveScanKernel(np.int32, "a + b", "0")
    other = driver.Device(0).make_context()
    try:
        for _ in range(2):
            for scan, first in zip(scans, (1, 0)):
                result = scan(to_gpu(np.ones(10_000, np.int32)))
                assert (result.get() == np.arange(first, 10_000 + first)).all()
    finally:
        other.pop()
        other.detach()
    assert scans[0](to_gpu(np.ones(3, np.int32))).get().tolist() == [1, 2, 3]


def test_wrong_calls_are_refused():
    scan, x = InclusiveScanKernel(np.int32, "a+b"), to_gpu(np.zeros((4, 6), np.int32))
    with pytest.raises(ValueError, match="neutral element is required for exclusive scan"):
        ExclusiveScanKernel(np.int32, "a+b")
    with pytest.raises(ValueError, match=r"one axis, the input has shape \(4, 6\)"):
        scan(x)
    with pytest.raises(ValueError, match="input and output must have the same shape"):
        scan(x[0], x[0, :3])
    with pytest.raises(RuntimeError, match="non-contiguous"):
        scan(x[:, 0])
    with pytest.raises(TypeError, match="dtype int32, the input has dtype float32"):
        scan(to_gpu(np.zeros(3, np.float32)))


def test_attributes():
    scan = ExclusiveScanKernel(np.int32, "a+b", "0")
    assert (scan.scan_wg_size, scan.update_wg_size, scan.scan_wg_seq_batches) == (128, 256, 6)
    assert (scan.dtype, scan.neutral) == (np.int32, "0")
    assert scan.scan_intervals_knl.prepared_async_call and scan.final_update_knl.prepared_async_call
    assert "scan_type" in scan.final_update_tp


@pytest.mark.parametrize("wrong", [None, [1, 2], 5])
def test_what_is_no_array_is_refused(wrong):
    with pytest.raises(TypeError, match=f"arrays on the device, not {type(wrong).__name__}"):
        InclusiveScanKernel(np.int32, "a+b")(wrong)
