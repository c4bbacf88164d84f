# SPDX-License-Identifier: MIT
"""The check for races between streams: work that touches the same bytes is ordered by what the program asks for."""

import ctypes
import os
import pathlib
import threading

import numpy as np
import pycuda
import pytest
from pycuda.compiler import SourceModule

DRIVER = pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so"
pytestmark = pytest.mark.skipif(
    not DRIVER.exists(),
    reason="needs the CPU driver, which was not built",
)

SOURCE = """
__global__ void fill(int *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = n + i;
}

__global__ void add(const int *a, int *b)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i] + 1;
}

__global__ void fill_bytes(char *a, int first)
{
  a[4 * threadIdx.x + first] += 1;
}

__global__ void count(int *a)
{
  atomicAdd(a, 1);
}

__global__ void set_flag(int *a, volatile int *flag)
{
  a[0] = 7;
  __threadfence();
  *flag = 1;
}

__global__ void await_flag(int *a, volatile int *flag, int *b)
{
  while (*flag == 0) {}
  __threadfence();
  b[0] = a[0];
}
"""
BYTES = 4096


class Scene:
    """Two streams, two arrays and the kernels of SOURCE."""

    def __init__(self, cuda):
        module = SourceModule(SOURCE)
        self.cuda = cuda
        self.s, self.t = cuda.Stream(), cuda.Stream()
        self.free = cuda.Stream(1)  # CU_STREAM_NON_BLOCKING
        self.a, self.b, self.c = (cuda.mem_alloc(BYTES) for _ in range(3))
        self.flag = cuda.mem_alloc(4)
        cuda.memset_d32(self.flag, 0, 1)
        self.host = cuda.pagelocked_empty(BYTES // 4, np.int32)
        self.kernels = {name: module.get_function(name) for name in ("fill", "add", "fill_bytes", "count")}
        self.flags = module.get_function("set_flag"), module.get_function("await_flag")

    def fill(self, stream, a=None, number=1):
        self.kernels["fill"](a or self.a, np.int32(number), block=(64, 1, 1), grid=(16, 1), stream=stream)

    def add(self, stream, a=None, b=None):
        self.kernels["add"](a or self.a, b or self.b, block=(64, 1, 1), grid=(16, 1), stream=stream)

    def fill_bytes(self, stream, first):
        self.kernels["fill_bytes"](self.a, np.int32(first), block=(64, 1, 1), stream=stream)

    def count(self, stream):
        self.kernels["count"](self.a, block=(64, 1, 1), stream=stream)

    def host_function(self, stream, function):
        """As cuLaunchHostFunc. The function has to live until it has run."""
        self.called = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: function() and None)
        launch = ctypes.CDLL(str(DRIVER)).cuLaunchHostFunc
        assert launch(ctypes.c_void_p(stream.handle), self.called, None) == 0

    def event(self, stream):
        return self.cuda.Event().record(stream)


def kernel_after_kernel(scene, ordered):
    scene.fill(scene.s)
    if ordered:
        scene.t.wait_for_event(scene.event(scene.s))
    scene.add(scene.t)


def kernel_before_kernel(scene, ordered):
    scene.add(scene.s)
    if ordered:
        scene.t.wait_for_event(scene.event(scene.s))
    scene.fill(scene.t)


def event_too_early(scene, ordered):
    event = scene.cuda.Event()
    if not ordered:
        event.record(scene.s)
    scene.fill(scene.s)
    if ordered:
        event.record(scene.s)
    scene.t.wait_for_event(event)
    scene.add(scene.t)


def event_after_wait(scene, ordered):
    event = scene.cuda.Event()
    scene.fill(scene.s)
    if ordered:
        event.record(scene.s)
        scene.t.wait_for_event(event)
    else:
        scene.t.wait_for_event(event)
        event.record(scene.s)
    scene.add(scene.t)


def event_by_a_third_stream(scene, ordered):
    scene.fill(scene.s)
    scene.free.wait_for_event(scene.event(scene.s))
    if ordered:
        scene.t.wait_for_event(scene.event(scene.free))
    scene.add(scene.t)


def host_waits_for_stream(scene, ordered):
    scene.fill(scene.s)
    (scene.s if ordered else scene.t).synchronize()
    scene.add(scene.t)


def host_waits_for_event(scene, ordered):
    before = scene.event(scene.s)
    scene.fill(scene.s)
    (scene.event(scene.s) if ordered else before).synchronize()
    scene.add(scene.t)


def host_asks_stream(scene, ordered):
    scene.fill(scene.s)
    while ordered and not scene.s.is_done():
        pass
    scene.add(scene.t)


def host_asks_event(scene, ordered):
    scene.fill(scene.s)
    event = scene.event(scene.s)
    while ordered and not event.query():
        pass
    scene.add(scene.t)


def host_waits_for_context(scene, ordered):
    scene.fill(scene.s)
    if ordered:
        scene.cuda.Context.synchronize()
    scene.add(scene.t)


def default_stream_between(scene, ordered):
    scene.fill(scene.s)
    if ordered:
        scene.count(None)  # of another array's sake: any work of the default stream orders the two
    scene.add(scene.t)


def non_blocking_stream(scene, ordered):
    scene.fill(None)
    scene.add(scene.s if ordered else scene.free)


def copy_to_the_host(scene, ordered):
    scene.fill(scene.s)
    scene.cuda.memcpy_dtoh_async(scene.host, scene.a, scene.s if ordered else scene.t)


def copy_from_the_host(scene, ordered):
    scene.cuda.memcpy_htod_async(scene.a, scene.host, scene.s)
    scene.add(scene.s if ordered else scene.t)


def copy_on_the_device(scene, ordered):
    scene.add(scene.s)
    scene.cuda.memcpy_dtod_async(scene.a if not ordered else scene.b, scene.b, BYTES, scene.s)
    scene.cuda.memcpy_dtoh_async(scene.host, scene.b, scene.s)
    scene.add(scene.t if not ordered else scene.s)


def fill_by_the_host(scene, ordered):
    scene.cuda.memset_d32_async(scene.a, 5, BYTES // 4, scene.s)
    scene.cuda.memcpy_dtoh_async(scene.host, scene.a, scene.s if ordered else scene.t)


def copy_of_a_part(scene, ordered):
    scene.fill(scene.s)
    part = int(scene.b if ordered else scene.a) + 2048
    scene.cuda.memset_d8_async(part, 5, 64, scene.t)


def neighbouring_bytes(scene, ordered):
    scene.fill_bytes(scene.s, 0)
    scene.fill_bytes(scene.t, 1 if ordered else 0)
    scene.cuda.memset_d8_async(int(scene.a) + 1024, 1, 1, scene.free)


def atomic_and_plain(scene, ordered):
    scene.count(scene.s)
    if ordered:
        scene.count(scene.t)
    else:
        scene.fill(scene.t)


def second_launch_of_three(scene, ordered):
    scene.fill(scene.s)
    event = scene.event(scene.s)
    scene.fill(scene.s, number=2)
    scene.t.wait_for_event(scene.event(scene.s) if ordered else event)
    scene.add(scene.t)


def graph_and_kernel(scene, ordered):
    scene.s.begin_capture()
    scene.fill(scene.s)
    graph = scene.s.end_capture().instantiate()
    graph.launch(scene.s)
    scene.add(scene.s if ordered else scene.t)


def branches_of_a_graph(scene, ordered):
    scene.s.begin_capture()
    scene.fill(scene.s)
    scene.t.wait_for_event(scene.event(scene.s))
    scene.add(scene.s)
    if ordered:
        scene.add(scene.t, b=scene.c)
    else:
        scene.fill(scene.t, number=2)
    scene.s.wait_for_event(scene.event(scene.t))
    graph = scene.s.end_capture().instantiate()
    for _ in range(3):
        graph.launch(scene.s)


def fill_in_a_branch_of_a_graph(scene, ordered):
    scene.s.begin_capture()
    scene.fill(scene.s)
    scene.t.wait_for_event(scene.event(scene.s))
    scene.cuda.memset_d32_async(scene.c if ordered else scene.b, 0, BYTES // 4, scene.t)
    scene.add(scene.s)
    scene.s.wait_for_event(scene.event(scene.t))
    scene.add(scene.s, a=scene.c)
    scene.s.end_capture().instantiate().launch(scene.s)


def work_after_a_graph(scene, ordered):
    scene.s.begin_capture()
    scene.fill(scene.s)
    scene.t.wait_for_event(scene.event(scene.s))
    scene.add(scene.t)
    scene.s.wait_for_event(scene.event(scene.t))
    graph = scene.s.end_capture().instantiate()
    graph.launch(scene.s)
    scene.add(scene.s if ordered else scene.free, a=scene.c)


def graph_in_two_streams(scene, ordered):
    scene.s.begin_capture()
    scene.fill(scene.s)
    graph = scene.s.end_capture()
    graphs = [graph.instantiate(), graph.instantiate()]
    graphs[0].launch(scene.s)
    scene.add(scene.s)
    graphs[0 if ordered else 1].launch(scene.free if not ordered else scene.s)


def freed_and_allocated(scene, ordered):
    scene.fill(scene.s)
    if ordered:
        scene.a.free()  # waits
        scene.a = scene.cuda.mem_alloc(BYTES)
    scene.add(scene.t)


# What the host learns while a function of it runs is ordered too, so the faults have none.
def host_function_tells_the_host(scene, ordered):
    done = threading.Event()
    scene.fill(scene.s)
    if ordered:
        scene.host_function(scene.s, done.set)
        done.wait()
    scene.add(scene.t)


def host_function_waits_for_the_host(scene, ordered):
    go_on = threading.Event()
    if ordered:
        scene.host_function(scene.t, go_on.wait)
    scene.add(scene.t)
    scene.fill(scene.s)
    if ordered:
        scene.s.synchronize()
    go_on.set()


def value_in_memory(scene, ordered):
    scene.t.wait_value32(scene.flag, 1)
    scene.add(scene.t)
    scene.fill(scene.s)
    if ordered:
        scene.s.write_value32(scene.flag, 1)
    else:
        scene.free.write_value32(scene.flag, 1)


def flag_between_kernels(scene, ordered):
    set_flag, await_flag = scene.flags
    set_flag(scene.a, scene.flag, block=(1, 1, 1), stream=scene.s)
    if ordered:
        await_flag(scene.a, scene.flag, scene.b, block=(1, 1, 1), stream=scene.t)
    else:
        scene.add(scene.t)


CASES = (
    kernel_after_kernel,
    kernel_before_kernel,
    event_too_early,
    event_after_wait,
    event_by_a_third_stream,
    host_waits_for_stream,
    host_waits_for_event,
    host_asks_stream,
    host_asks_event,
    host_waits_for_context,
    default_stream_between,
    non_blocking_stream,
    copy_to_the_host,
    copy_from_the_host,
    copy_on_the_device,
    fill_by_the_host,
    copy_of_a_part,
    neighbouring_bytes,
    atomic_and_plain,
    second_launch_of_three,
    graph_and_kernel,
    branches_of_a_graph,
    fill_in_a_branch_of_a_graph,
    work_after_a_graph,
    graph_in_two_streams,
    freed_and_allocated,
    host_function_tells_the_host,
    host_function_waits_for_the_host,
    value_in_memory,
    flag_between_kernels,
)


@pytest.fixture
def scene(context, driver):
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    return Scene(driver)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_work_that_nothing_orders_is_found(scene, case):
    with pycuda.checks("race") as found:
        case(scene, ordered=False)
    assert found, case.__name__
    assert {finding.check for finding in found} == {"race"}
    assert all("that orders them" in finding.message for finding in found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_ordered_work_is_clean(scene, case):
    with pycuda.checks("race") as found:
        case(scene, ordered=True)
    assert found == []


def test_a_finding_names_both_kernels_their_lines_and_streams(scene):
    with pycuda.checks("race") as found:
        kernel_after_kernel(scene, ordered=False)
    (finding,) = found
    sides = {side.kernel: side for side in (finding, finding.other)}
    assert sides["fill"].stream == f"stream {scene.s.id}"
    assert sides["add"].stream == f"stream {scene.t.id}"
    assert sides["fill"].source == "a[i] = n + i;"
    assert sides["fill"].access == "write of 4 bytes"
    assert sides["add"].source == "b[i] = a[i] + 1;"
    assert sides["add"].access == "read of 4 bytes"
    assert "4096-byte block of device memory" in finding.message
    assert f"kernel fill in stream {scene.s.id}" in finding.message
    assert f"the other: kernel {finding.other.kernel}, " in str(finding)
    # Whichever of the two came second is named first.
    passed = {
        "fill": "'int *a', argument #0 (0-based), to fill",
        "add": "'const int *a', argument #0 (0-based), to add",
    }
    names = f"{passed[finding.kernel]}, and as {passed[finding.other.kernel]}"
    assert f", passed as {names}, with no event" in finding.message


def test_a_race_names_the_arguments_of_one_kernel_in_two_streams(scene):
    with pycuda.checks("race") as found:
        scene.fill(scene.s, scene.a)
        scene.fill(scene.t, scene.a, number=2)
        scene.cuda.Context.synchronize()
    (finding,) = found
    assert ", passed as 'int *a', argument #0 (0-based), to both, with no event" in finding.message
    both = SourceModule("__global__ void move(int *to, const int *from) { to[0] = from[0]; }").get_function("move")
    with pycuda.checks("race") as found:
        both(scene.a, scene.b, block=(1, 1, 1), stream=scene.s)
        both(scene.c, scene.a, block=(1, 1, 1), stream=scene.t)
        scene.cuda.Context.synchronize()
    (finding,) = found
    assert "'int *to', argument #0 (0-based), to the " in finding.message
    assert "'const int *from', argument #1 (0-based), to the " in finding.message


def test_the_other_side_may_be_a_copy_or_a_fill(scene):
    with pycuda.checks("race") as found:
        copy_to_the_host(scene, ordered=False)
    (finding,) = found
    assert (finding.kernel, finding.other.kernel) == ("fill", "")
    assert finding.other.access == f"read by a copy in stream {scene.t.id}"
    assert finding.other.block is None
    assert ", passed as 'int *a', argument #0 (0-based), with no event" in finding.message
    assert str(finding).endswith(f"{finding.other.access}\n  what to do: {finding.remedy}")
    assert finding.remedy.startswith("record an event after the first work")
    with pycuda.checks("race") as found:
        fill_by_the_host(scene, ordered=False)
    (finding,) = found
    assert finding.kernel == ""
    assert {finding.access, finding.other.access} == {
        f"write by a fill in stream {scene.s.id}",
        f"read by a copy in stream {scene.t.id}",
    }


def test_a_finding_in_a_graph_names_its_stream(scene):
    with pycuda.checks("race") as found:
        branches_of_a_graph(scene, ordered=False)
    assert found
    assert all(finding.stream == f"a graph in stream {scene.s.id}" for finding in found)
    assert all("with no edge of the graph that orders them" in finding.message for finding in found)


def test_the_memory_of_a_freed_array_is_forgotten(scene):
    with pycuda.checks("race") as found:
        for _ in range(20):
            array = scene.cuda.mem_alloc(BYTES)
            scene.fill(scene.s, a=array)
            scene.s.synchronize()
            array.free()
            scene.add(scene.t, a=scene.cuda.mem_alloc(BYTES))
    assert found == []


def test_records_of_finished_work_go(scene):
    def resident_bytes():
        with open("/proc/self/statm") as pages:
            return int(pages.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def fill(times):
        for number in range(times):
            scene.cuda.memset_d32_async(scene.flag, 0, 1, scene.s)
            if number % 100 == 99:
                scene.s.synchronize()

    with pycuda.checks("race") as found:
        fill(2000)
        before = resident_bytes()
        fill(40000)
        assert resident_bytes() - before < 4 << 20
    assert found == []
