# SPDX-License-Identifier: MIT
"""Captures beside other threads."""

import threading

import numpy as np
import pycuda.driver as cuda
import pycuda.gpuarray as gpuarray
import pytest
from graph_cases import numbers, run
from programs import run_program
from pycuda import _driver


def test_other_threads_cannot_spoil_a_capture_by_waiting(stream):
    a, errors = gpuarray.to_gpu(numbers()), []

    def wait():
        try:
            cuda.Context.synchronize()
        except cuda.LogicError as error:
            errors.append(str(error))

    with stream.capture() as graph:
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()
        b = a + 1
    assert "another thread captures" in errors[0]
    run(graph)
    np.testing.assert_array_equal(b.get(), numbers() + 1)


def test_a_thread_that_waits_for_its_own_capture_is_told_so(context):
    stream = cuda.Stream(1)
    stream.begin_capture()
    with pytest.raises(cuda.LogicError, match="this thread captures a stream of the context.* end the capture first"):
        cuda.Context.synchronize()
    stream.end_capture()
    cuda.Context.synchronize()


def test_another_thread_goes_on_while_one_captures(context):
    stream = cuda.Stream(1)  # of the others the default stream is kept while they are captured
    a = gpuarray.to_gpu(numbers())
    results, errors = [], []
    begun, done = threading.Event(), threading.Event()

    def work():
        begun.wait()
        try:
            own = cuda.Stream(1)
            other = gpuarray.zeros(32, np.float32)
            other._set(numbers(), True, own)
            own.synchronize()
            results.append(other)
            del other
            memory = cuda.mem_alloc(64)
            memory.free()
            gpuarray.empty(8, np.float32).gpudata.free()
        except Exception as error:  # noqa: BLE001
            errors.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=work)
    thread.start()
    with stream.capture() as graph:
        b = a + 1
        begun.set()
        done.wait()
        b += 1
    thread.join()
    assert not errors
    run(graph)
    np.testing.assert_array_equal(b.get(), numbers() + 2)
    np.testing.assert_array_equal(results[0].get(), numbers())


def test_threads_capture_and_launch_side_by_side(context):
    errors = []

    def work(number):
        try:
            stream = cuda.Stream(1)
            a = gpuarray.empty(256, np.float32)
            a.set_async(np.full(256, number, np.float32), stream)
            stream.synchronize()
            for _ in range(10):
                with stream.capture() as graph:
                    b = a * 2 + number
                executable = graph.instantiate()
                executable.launch(stream)
                stream.synchronize()
                host = np.empty(256, np.float32)
                cuda.memcpy_dtoh_async(host, b.gpudata, stream)
                stream.synchronize()
                assert (host == 3 * number).all()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    def free():
        try:
            stream = cuda.Stream(1)
            for _ in range(300):
                array = gpuarray.empty(64, np.float32)
                array.set_async(np.ones(64, np.float32), stream)
                stream.synchronize()
                del array  # other streams may use it: the context is waited for, unless something is captured in it
                gpuarray.empty(64, np.float32).gpudata.free()
                cuda.mem_alloc(64)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 4)] + [
        threading.Thread(target=free)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_captures_one_after_the_other_beside_threads_that_wait_and_free(context):
    # A wait between the driver's end of a capture and this library's used to spoil it; and what was
    # freed meanwhile went from graph to graph, more and more of it.
    errors, ended = [], threading.Event()

    def capture():
        try:
            stream = cuda.Stream(1)
            a = gpuarray.zeros(256, np.float32)
            for _ in range(500):
                with stream.capture() as graph:  # the graph before goes in the midst of this one
                    b = a * 2
            run(graph)
            assert (b.get() == 0).all()
        except Exception as error:  # noqa: BLE001
            errors.append(error)
        finally:
            ended.set()

    def free():
        try:
            stream = cuda.Stream(1)
            while not ended.is_set():
                array = gpuarray.empty(64, np.float32)
                array.set_async(np.ones(64, np.float32), stream)
                stream.synchronize()
                del array
                gpuarray.empty(64, np.float32).gpudata.free()
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=work) for work in (capture, free, free)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    active, held = _driver._array.pool_statistics()
    assert active + held < 64 << 20


def test_a_program_ends_while_the_driver_calls_functions_of_graphs(driver):
    # About every third run of it used to be aborted.
    for _ in range(8):
        _, errors = run_program(
            """
            import pycuda.autoinit
            import pycuda.driver as cuda

            graphs = []
            for _ in range(4):
                graph = cuda.Graph()
                graph.add_host_node(lambda: sum(range(2000)))
                graphs.append((graph.instantiate(), cuda.Stream()))
            for _ in range(1000):
                for executable, stream in graphs:
                    executable.launch(stream)
            """
        )
        assert "terminate" not in errors


def test_a_program_ends_beside_a_function_of_a_graph_that_does_not(driver):
    output, _ = run_program(
        """
        import time
        import pycuda.autoinit
        import pycuda.driver as cuda

        graph = cuda.Graph()
        graph.add_host_node(lambda: time.sleep(1000))
        executable = graph.instantiate()
        executable.launch(cuda.Stream())
        print("end")
        """
    )
    assert output.strip() == "end"
