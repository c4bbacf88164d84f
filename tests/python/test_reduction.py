# SPDX-License-Identifier: MIT
"""pycuda.reduction against NumPy."""

import weakref

import numpy as np
import pycuda.reduction as reduction
import pytest
from pycuda import gpuarray
from pycuda.gpuarray import to_gpu
from pycuda.reduction import ReductionKernel
from pycuda.tools import clear_context_caches, get_or_register_dtype

pytestmark = pytest.mark.usefixtures("context")

f4, i4 = np.dtype(np.float32), np.dtype(np.int32)


def dot():
    return ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "const float *x, const float *y")


@pytest.mark.parametrize("n", [1, 33, 512, 2048, 2049, 100_000, 3_000_001])
def test_every_element_counts_once(n):
    h = np.random.default_rng(n).integers(-1000, 1000, n)
    total = ReductionKernel(np.int64, "0", "a+b", arguments="long *in")
    result = total(to_gpu(h))
    assert result.shape == () and result.dtype == np.int64
    assert result.get() == h.sum()


def test_an_empty_vector_gives_the_neutral_element():
    kernel = ReductionKernel(np.int32, "1", "a*b", "in[i]", "int *in")
    assert kernel(gpuarray.empty(0, np.int32)).get() == 1


def test_complex_numbers():
    h = np.random.default_rng(1).normal(size=(5000, 2)).view(np.complex128)[:, 0]
    arguments = "double s, pycuda::complex<double> *x"
    kernel = ReductionKernel(np.complex128, "0", "a+b", "s*x[i]*conj(x[i])*x[i]", arguments)
    np.testing.assert_allclose(kernel(2, to_gpu(h)).get(), 2 * (h * h.conj() * h).sum(), rtol=1e-12)


def test_structured_results():
    extent = np.dtype([("low", np.int32), ("high", np.int32)])
    get_or_register_dtype("test_extent", extent)
    kernel = ReductionKernel(
        extent,
        "make_extent(2147483647, -2147483647)",
        "join(a, b)",
        "make_extent(x[i], x[i])",
        "int *x",
        preamble="""struct test_extent { int low, high; };
        __device__ test_extent make_extent(int low, int high) { test_extent e = {low, high}; return e; }
        __device__ test_extent join(test_extent a, test_extent b) {
          return make_extent(min(a.low, b.low), max(a.high, b.high)); }""",
    )
    h = np.random.default_rng(2).integers(-(10**6), 10**6, 40000).astype(np.int32)
    result = kernel(to_gpu(h)).get()
    assert (result["low"], result["high"]) == (h.min(), h.max())


def test_operands_need_not_be_contiguous():
    h = np.arange(600, dtype=np.float32).reshape(20, 30)
    x, y = to_gpu(h), to_gpu(np.asfortranarray(h))
    assert dot()(x[:, ::2], y[:, 1::2]).get() == (h[:, ::2] * h[:, 1::2]).sum()
    assert dot()(x, y).get() == (h * h).sum()


def test_gaps_between_small_floats():
    kernel = ReductionKernel(np.float32, "0", "a + b", "(float)x[i]", "half *x")
    values = np.arange(100, dtype=np.float16)
    assert kernel(to_gpu(np.repeat(values, 2))[::2]).get() == values.sum(dtype=np.float32)


def test_an_output_that_cannot_be_one_is_refused(driver):
    kernel = ReductionKernel(np.float32, "0", "a + b")
    data, out = gpuarray.zeros(5, np.float32), gpuarray.zeros((), np.float32)
    with pytest.raises(TypeError, match="out must be an array on the device, not ndarray"):
        kernel(data, out=np.zeros((), np.float32))
    other = driver.Device(0).make_context()
    try:
        with pytest.raises(ValueError, match="belongs to another context"):
            ReductionKernel(np.float32, "0", "a + b")(gpuarray.zeros(5, np.float32), out=out)
    finally:
        other.pop()
        other.detach()


def test_a_reduction_is_made_again_in_another_context(driver):
    kernel = ReductionKernel(np.float32, "0", "a + b", "x[i] * s", "float *x, float s")
    other = driver.Device(0).make_context()
    try:
        for n in (10, 3_000_000):
            data = to_gpu(np.ones((2, n), np.float32))
            assert kernel(data[0], 2).get() == 2 * n and kernel(data[:, ::2], 2).get() == 2 * n
            assert kernel(data[0], 1, out=gpuarray.zeros(1, np.float32)).get()[0] == n
    finally:
        other.pop()
        other.detach()
    assert kernel(gpuarray.zeros(5, np.float32) + 1, 3).get() == 15


def test_what_reductions_were_made_again_for_is_forgotten_with_them_or_when_asked(driver):
    total = ReductionKernel(np.float32, "0", "a + b", arguments="float *in")
    other = driver.Device(0).make_context()
    try:
        total(to_gpu(np.ones(5, np.float32))).get()
        made = weakref.ref(next(iter(total._elsewhere.values())))
        clear_context_caches()
        assert made() is None and not total._elsewhere
        assert total(to_gpu(np.ones(5, np.float32))).get() == 5
    finally:
        other.pop()
        other.detach()
    kernel = weakref.ref(total)
    del total  # nothing else knows it: no cycle is left to the garbage collector
    assert kernel() is None


def test_an_argument_with_the_name_of_the_index_is_refused():
    with pytest.raises(ValueError, match="named 'i', as the index"):
        ReductionKernel(np.float32, "0", "a + b", "x[i] + i", "float *x, float i")


def test_out_and_the_allocator_are_used():
    x = to_gpu(np.ones(100_000, np.float32))
    out = gpuarray.zeros(3, np.float32)
    assert dot()(x, x, out=out[1:2]) is not None
    assert list(out.get()) == [0, 100_000, 0]
    sizes = []

    def allocate(size):
        from pycuda.driver import mem_alloc

        sizes.append(size)
        return mem_alloc(size)

    assert dot()(x, x, allocator=allocate).get() == 100_000
    assert sizes[-1] == 4 and len(sizes) == 2
    with pytest.raises(ValueError, match="same dtype"):
        dot()(x, x, out=gpuarray.empty((), np.float64))
    with pytest.raises(ValueError, match="empty"):
        dot()(x, x, out=gpuarray.empty(0, np.float32))


def test_launches_can_be_wrapped():
    grids = []

    def wrap(launch):
        def launch_noted(grid, *arguments):
            grids.append(grid)
            return launch(grid, *arguments)

        return launch_noted

    x = to_gpu(np.ones(10_000, np.float32))
    assert dot()(x, x, kernel_wrapper=wrap).get() == 10_000
    assert len(grids) == 2 and grids[-1] == (1, 1)


def test_wrong_calls_are_refused():
    x = to_gpu(np.ones(5, np.float32))
    with pytest.raises(ValueError, match=r"'y' has shape \(4,\)"):
        dot()(x, x[:4])
    with pytest.raises(TypeError, match="takes 2 arguments"):
        dot()(x)
    with pytest.raises(TypeError, match="strem"):
        dot()(x, x, strem=None)
    with pytest.raises(AssertionError, match="at least one vector"):
        ReductionKernel(np.float32, "0", "a+b", "s", "float s")


def test_attributes():
    kernel = dot()
    assert kernel.dtype_out == np.float32 and kernel.block_size == 512
    assert [argument.name for argument in kernel.stage1_arg_types] == ["x", "y"]
    assert [argument.name for argument in kernel.stage2_arg_types] == ["pycuda_reduction_inp", "x", "y"]
    assert callable(kernel.stage1_func) and callable(kernel.stage2_func)


def test_ready_made_reductions():
    h = np.random.default_rng(3).integers(-100, 100, 5000).astype(np.int32)
    x, subset = to_gpu(h), to_gpu(np.array([5, 2, 900], np.int32))
    chosen = h[subset.get()]
    f8 = np.dtype(np.float64)
    for kernel, arguments, expected in [
        (reduction.get_sum_kernel(f8, i4), (x,), h.sum()),
        (reduction.get_any_kernel(None, i4), (x,), True),
        (reduction.get_all_kernel(None, i4), (x,), h.all()),
        (reduction.get_subset_sum_kernel(None, i4, i4), (subset, x), chosen.sum()),
        (reduction.get_dot_kernel(f8, i4, i4), (x, x), (h.astype(float) ** 2).sum()),
        (reduction.get_subset_dot_kernel(i4, i4), (subset, x, x), (chosen**2).sum()),
        (reduction.get_minmax_kernel("max", i4), (x,), h.max()),
        (reduction.get_minmax_kernel("min", i4), (x,), h.min()),
        (reduction.get_subset_minmax_kernel("min", i4, i4), (subset, x), chosen.min()),
    ]:
        assert kernel(*arguments).get() == expected


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_extremes_of_dtypes(dtype):
    dtype = np.dtype(dtype)
    h = np.arange(1000).astype(dtype)
    for what in ("min", "max"):
        assert reduction.get_minmax_kernel(what, dtype)(to_gpu(h)).get() == getattr(h, what)()
        limits = np.iinfo(dtype) if dtype.kind in "iu" else None
        neutral = reduction.get_minmax_kernel(what, dtype)(gpuarray.empty(0, dtype)).get()
        if limits is None:
            assert np.isinf(neutral)
        else:
            assert neutral == (limits.max if what == "min" else limits.min)


def test_extremes_of_other_dtypes_are_refused():
    with pytest.raises(TypeError, match="unsupported dtype"):
        reduction.get_minmax_kernel("max", np.dtype(np.complex64))


@pytest.mark.parametrize("n", [100, 3_000_001])
def test_the_default_argument_serves_arrays_of_any_length(n):
    total = ReductionKernel(np.float64, "0", "a + b")
    assert total(gpuarray.to_gpu(np.ones(n))).get() == n
    largest = ReductionKernel(np.float32, "0", "fmaxf(a, b)", map_expr="2 * in[i]")
    assert largest(gpuarray.to_gpu(np.arange(n, dtype=np.float32))).get() == 2 * np.float32(n - 1)


def test_a_sum_of_products_warns_of_the_elements_that_it_leaves_out():
    products = ReductionKernel(np.float32, "0", "a+b", "x[i] * y[i]", "float *x, float *y", "dot")
    with pytest.warns(UserWarning) as seen:
        assert products(to_gpu(np.arange(4, dtype=f4)), to_gpu(np.arange(6, dtype=f4))).get() == 14
    assert [str(one.message) for one in seen] == [
        "dot computes 4 elements, as many as 'x' has, and leaves out the other 2 of 'y': pass its first 4 alone, "
        "y[:4], if this is intended"
    ]
    assert seen[0].filename == __file__
