# SPDX-License-Identifier: MIT
"""The ready-made kernels whose sources are bound to texture references, called as published programs call them."""

import numpy as np
import pycuda.elementwise as elementwise
import pycuda.gpuarray as gpuarray
import pytest

pytestmark = pytest.mark.usefixtures("context")

to_gpu = gpuarray.to_gpu
f4, i4 = np.dtype(np.float32), np.dtype(np.int32)


def bind(arrays, references):
    assert len(arrays) == len(references)
    for ary, reference in zip(arrays, references):
        ary.bind_to_texref_ext(reference, allow_double_hack=True, allow_complex_hack=True)


def call(function, n, *arguments):
    grid, block = gpuarray.splay(n)
    values = [a.gpudata if isinstance(a, gpuarray.GPUArray) else a for a in arguments]
    function.prepared_async_call(grid, block, None, *values, n)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4", "u2", "i1"])
def test_take_reads_each_source_from_its_reference(dtype):
    sources = [to_gpu(np.arange(50).astype(dtype) * factor) for factor in (1, 2)]
    index = to_gpu(np.array([4, 9, 2], np.int32))
    results = [gpuarray.zeros(3, dtype) for _ in sources]
    function, references = elementwise.get_take_kernel(np.dtype(dtype), i4, 2)
    bind(sources, references)
    call(function, 3, index, *results)
    assert results[0].get().tolist() == [4, 9, 2]
    assert results[1].get().tolist() == [8, 18, 4]


def test_a_reference_may_be_bound_anew():
    index, z = to_gpu(np.array([1, 0], np.uint32)), gpuarray.empty(2, f4)
    function, references = elementwise.get_take_kernel(f4, index.dtype)
    for source in ([1, 2], [3, 4]):
        x = to_gpu(np.array(source, np.float32))
        x.bind_to_texref(references[0])
        call(function, 2, index, z)
        assert z.get().tolist() == source[::-1]


@pytest.mark.parametrize("with_offsets", [False, True])
def test_take_put_with_and_without_offsets(with_offsets):
    x, z = to_gpu(np.arange(50, dtype=np.float32)), gpuarray.zeros(50, f4)
    to, index = to_gpu(np.array([20, 21, 22], np.int32)), to_gpu(np.array([4, 9, 2], np.int32))
    function, references = elementwise.get_take_put_kernel(f4, i4, with_offsets)
    bind([x], references)
    call(function, 3, to, index, z, *([10] if with_offsets else []))
    assert z.get()[20:23].tolist() == ([14, 19, 12] if with_offsets else [4, 9, 2])
    assert z.get().sum() == z.get()[20:23].sum()


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_factors_of_a_linear_combination_come_by_value_and_from_references(dtype):
    dtype = np.dtype(dtype)
    hx, hy = np.arange(30).astype(dtype), (np.arange(30) * 3 + 1).astype(dtype)
    x, y, z = to_gpu(hx), to_gpu(hy), gpuarray.empty(30, dtype)
    factors = [to_gpu(np.array([value], dtype)) for value in (2, 5)]
    function, references = elementwise.get_linear_combination_kernel(((True, dtype, dtype),) * 2, dtype)
    bind(factors, references)
    call(function, 30, x, y, z)
    assert (z.get() == 2 * hx + 5 * hy).all()
    function, references = elementwise.get_linear_combination_kernel(
        ((False, dtype, dtype), (True, dtype, dtype)), dtype
    )
    bind(factors[1:], references)
    call(function, 30, dtype.type(3), x, y, z)
    assert (z.get() == 3 * hx + 5 * hy).all()


def test_what_no_texture_holds_is_refused():
    with pytest.raises(TypeError, match="no texture holds elements of dtype int64"):
        elementwise.get_take_kernel(np.dtype(np.int64), i4)
