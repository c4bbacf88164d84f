# SPDX-License-Identifier: MIT
"""Checks, counters and profiles of graphs that were made before they began, or that outlive them."""

import numpy as np
import pycuda
import pytest
from programs import run_program
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void racy(int *a) { a[threadIdx.x / 2] = threadIdx.x; }
__global__ void clean(int *a) { a[threadIdx.x] = threadIdx.x; }
"""


@pytest.fixture
def made(cpu_context, driver):
    """A function that captures launches of the kernels of these names: a stream and an executable graph."""
    module = SourceModule(SOURCE)
    memory = driver.mem_alloc(4096)

    def capture(*names):
        stream = driver.Stream()
        with stream.capture() as graph:
            for name in names:
                module.get_function(name)(memory, block=(64, 1, 1), stream=stream)
        return stream, graph.instantiate()

    return capture


def test_checks_are_those_of_the_launch(made):
    stream, graph = made("clean", "racy")
    graph.launch(stream)
    with pycuda.checks("race") as found:
        graph.launch(stream)
    with pycuda.checks("sync") as others:
        graph.launch(stream)
    with pycuda.checks("race") as again:
        graph.launch(stream)
    assert [(one.check, one.kernel) for one in found] == [("race", "racy")]
    assert others == [] and len(again) == 1


def test_a_graph_that_was_made_within_checks_does_without_them_later(made):
    with pycuda.checks("race") as found:
        stream, graph = made("racy")
    graph.launch(stream)
    with pycuda.checks("sync") as others:
        graph.launch(stream)
    assert found == [] and others == []


def test_child_graphs_are_checked_too(made, driver):
    stream, _ = made("racy")
    with stream.capture() as inner:
        pass
    module = SourceModule(SOURCE)
    memory = driver.mem_alloc(4096)
    inner, outer = driver.Graph(), driver.Graph()
    inner.add_kernel_node(memory, func=module.get_function("racy"), block=(64, 1, 1))
    outer.add_child_graph_node(inner)
    graph = outer.instantiate()
    graph.launch(stream)
    with pycuda.checks("race") as found:
        graph.launch(stream)
    assert [one.kernel for one in found] == ["racy"]


def test_a_graph_whose_module_has_been_unloaded_still_runs(made, driver):
    module = SourceModule(SOURCE.replace("threadIdx.x / 2", "threadIdx.x"))
    memory, stream = driver.mem_alloc(4096), driver.Stream()
    with stream.capture() as captured:
        module.get_function("racy")(memory, block=(64, 1, 1), stream=stream)
    graph = captured.instantiate()
    del module
    with pycuda.checks("race") as found:
        graph.launch(stream)
    assert found == []
    values = np.empty(64, np.int32)
    driver.memcpy_dtoh(values, memory)
    assert (values == np.arange(64)).all()


def test_counters_count_its_kernels(made):
    stream, graph = made("clean", "racy", "clean")
    with pycuda.counters() as counted:
        graph.launch(stream)
        graph.launch(stream)
    assert {kernel.kernel: kernel.launches for kernel in counted.kernels} == {"clean": 4, "racy": 2}
    assert counted["clean"].global_sectors == 4 * 8


def test_a_profile_has_a_row_of_its_launches(made):
    stream, graph = made("clean", "racy")
    with pycuda.profile() as profile:
        graph.launch(stream)
        graph.launch(stream)
    (row,) = profile.summary()
    assert (row.kind, row.calls, row.total > 0) == ("graph", 2, True)
    assert "[graph launch]" in str(profile)


@pytest.mark.usefixtures("programs_on_cpu")
def test_a_signal_handler_may_launch_a_graph_whose_code_is_being_compiled():
    # The launch that compiled held the graph's lock.
    run_program(
        """
        import signal
        import numpy as np, pycuda, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule

        steps = "".join(f"x = sinf(x) * {i} + cosf(x + {i}); a[threadIdx.x + {i}] = x; " for i in range(60))
        kernel = SourceModule("__global__ void k(float *a) { float x = a[0]; " + steps + "}").get_function("k")
        memory, stream, launches = cuda.mem_alloc(4096), cuda.Stream(), []
        cuda.memset_d32(memory, 0, 1024)
        with stream.capture() as graph:
            kernel(memory, block=(32, 1, 1), stream=stream)
        graph = graph.instantiate()

        def handle(*_):
            if len(launches) < 3:
                launches.append(graph.launch(stream))

        signal.signal(signal.SIGALRM, handle)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        with pycuda.checks("race", "memory"):
            graph.launch(stream)
            stream.synchronize()
        signal.setitimer(signal.ITIMER_REAL, 0)
    """,
        PYCUDA_DISABLE_CACHE=1,
    )
