# SPDX-License-Identifier: MIT
"""What is captured into graphs: kernels of every kind, arrays, copies, fills."""

import gc

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from graph_cases import BLOCK, numbers, run
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel


def test_prepared_calls_are_captured(stream, scale):
    scale.prepare("Pf")
    a = gpuarray.to_gpu(numbers())
    with stream.capture() as graph:
        scale.prepared_call((1, 1), BLOCK, a.gpudata, 2.0)
        scale.prepared_async_call((1, 1), BLOCK, stream, a.gpudata, 5.0)
    run(graph)
    np.testing.assert_array_equal(a.get(), numbers() * 10)


def test_kernels_from_expressions_are_captured(stream):
    double = ElementwiseKernel("float *x, float *y", "y[i] = 2 * x[i]")
    a = gpuarray.to_gpu(numbers())
    b = gpuarray.empty_like(a)
    with stream.capture() as graph:
        double(a, b)  # compiled here, too
    run(graph)
    np.testing.assert_array_equal(b.get(), numbers() * 2)


def test_reductions_are_captured(stream):
    sum_of_squares = ReductionKernel(np.float32, "0", "a+b", "x[i]*x[i]", "float *x")
    a = gpuarray.to_gpu(numbers(5000) / 5000)
    with stream.capture() as graph:
        total, largest, squares = gpuarray.sum(a), gpuarray.max(a), sum_of_squares(a)
    executable = graph.instantiate()
    for data in (numbers(5000) / 5000, np.ones(5000, np.float32)):
        a.set(data)
        executable.launch()
        cuda.Context.synchronize()
        np.testing.assert_allclose(total.get(), data.sum(), rtol=1e-5)
        assert largest.get() == data.max()
        np.testing.assert_allclose(squares.get(), (data**2).sum(), rtol=1e-5)


def test_scans_sorts_of_views_and_indexing_are_captured(stream):
    a = gpuarray.to_gpu(numbers(1000))
    places = gpuarray.to_gpu(np.array([5, 3, 900]))
    with stream.capture() as graph:
        running = a.cumsum()
        reversed_ = a[::-1].copy()
        taken = a[places]
        a[2:10] = 0
    run(graph)
    np.testing.assert_allclose(running.get(), numbers(1000).cumsum())
    np.testing.assert_array_equal(reversed_.get(), numbers(1000)[::-1])
    np.testing.assert_array_equal(taken.get(), [5, 3, 900])
    assert not a.get()[2:10].any()


def test_products_are_captured_without_a_library_of_others(stream, monkeypatch):
    from pycuda._arrays.ops import cublas

    monkeypatch.setattr(cublas, "library", lambda: pytest.fail("it knows nothing of the captured stream"))
    a = gpuarray.to_gpu(numbers(36).reshape(6, 6))
    with stream.capture() as graph:
        b = a @ a
    run(graph)
    np.testing.assert_allclose(b.get(), a.get() @ a.get())


def test_random_numbers_differ_from_launch_to_launch(stream):
    from pycuda.curandom import XORWOWRandomNumberGenerator

    generator = XORWOWRandomNumberGenerator()
    with stream.capture() as graph:
        a = generator.gen_uniform(100, np.float32)
    run(graph)
    first = a.get()
    run(graph)
    assert (first != a.get()).any()
    assert ((first > 0) & (first <= 1)).all()


def test_items_of_structs_are_captured_with_their_value(stream):
    pairs = gpuarray.empty(4, np.dtype([("x", "f4"), ("n", "i4")]))
    value = np.array((1.5, 7), pairs.dtype)
    with stream.capture() as graph:
        pairs.fill(value)
    value["n"] = 8
    del value
    gc.collect()
    run(graph)
    assert pairs.get()[3] == np.array((1.5, 7), pairs.dtype)


def test_array_operations_in_a_stream_of_their_own_are_captured(context):
    for flags in (0, 1):
        stream = cuda.Stream(flags)
        a = gpuarray.to_gpu(numbers(5000))
        cuda.Context.synchronize()  # streams with flag 1 do not wait for copies that are still on their way
        with stream.capture() as graph:
            total = gpuarray.sum(a, stream=stream)
            gpuarray.maximum(a, 7, out=a, stream=stream)
        run(graph, stream)
        assert total.get() == numbers(5000).sum()
        np.testing.assert_array_equal(a.get(), np.maximum(numbers(5000), 7))


def test_copies_are_captured_and_read_the_host_anew(stream):
    host, back = cuda.pagelocked_empty(32, np.float32), cuda.pagelocked_zeros(32, np.float32)
    memory, second = cuda.mem_alloc(host.nbytes), cuda.mem_alloc(host.nbytes)
    with stream.capture() as graph:
        cuda.memcpy_htod_async(memory, host)
        cuda.memcpy_dtod_async(second, memory, host.nbytes, stream)
        cuda.memcpy_dtod(memory, second, host.nbytes)
        cuda.memcpy_dtoh_async(back, memory)
    assert {node.type for node in graph.nodes} == {cuda.graph_node_type.MEMCPY}
    executable = graph.instantiate()
    for data in (numbers(), -numbers()):
        host[:] = data
        executable.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(back, data)


def test_fills_are_captured(stream):
    memory = cuda.mem_alloc(64)
    with stream.capture() as graph:
        cuda.memset_d32(memory, 7, 16)
        cuda.memset_d8_async(memory, 1, 4, stream)
    run(graph)
    np.testing.assert_array_equal(cuda.from_device(memory, 16, np.uint32), [0x01010101] + 15 * [7])


def test_asynchronous_copies_of_arrays_are_captured(stream):
    host, back = cuda.pagelocked_empty(32, np.float32), cuda.pagelocked_zeros(32, np.float32)
    a = gpuarray.zeros(32, np.float32)
    with stream.capture() as graph:
        a.set_async(host)
        a += 1
        a.get_async(ary=back)
    host[:] = numbers()
    run(graph)
    np.testing.assert_array_equal(back, numbers() + 1)


def test_a_plane_is_copied_by_a_graph(stream):
    source = np.arange(64, dtype=np.float32).reshape(8, 8)
    memory = cuda.mem_alloc(4 * 4 * 4)
    copy = cuda.Memcpy2D()
    copy.set_src_host(source)
    copy.set_dst_device(memory)
    copy.src_pitch, copy.dst_pitch, copy.width_in_bytes, copy.height = 32, 16, 16, 4
    with stream.capture() as graph:
        copy(stream)
    run(graph)
    np.testing.assert_array_equal(cuda.from_device(memory, (4, 4), np.float32), source[:4, :4])
