# SPDX-License-Identifier: MIT
"""`pycuda.profile`: what it records of kernels, copies and waits, on either driver."""

import json
import math
import threading

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda._compile_times import Compilation
from pycuda._profile import Work
from pycuda.compiler import SourceModule

SOURCE = """
template <class T> __global__ void fill(T *a, int n)
{
  __shared__ T one[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 64) one[threadIdx.x] = 1;
  __syncthreads();
  if (i < n) a[i] = one[threadIdx.x % 64];
}
"""


@pytest.fixture
def fill(context):
    return SourceModule(SOURCE, no_extern_c=True).get_function("fill<float>")


def kinds(profile):
    return [(one.kind, one.name) for one in profile.work if one.kind != "wait"]


def test_kernels_copies_and_memsets_are_recorded_in_order(fill):
    a = cuda.mem_alloc(4096)
    host = np.ones(1024, np.float32)
    with pycuda.profile() as p:
        cuda.memcpy_htod(a, host)
        fill(a, np.int32(1024), block=(256, 1, 1), grid=(4, 1), shared=128)
        cuda.memset_d32(a, 0, 512)
        cuda.memcpy_dtoh(host, a)
    assert kinds(p) == [
        ("copy", "host to device"),
        ("kernel", "fill<float>(float*, int)"),
        ("set", "memset"),
        ("copy", "device to host"),
    ]
    up, kernel, memset, down = (one for one in p.work if one.kind != "wait")
    assert (up.nbytes, memset.nbytes, down.nbytes, kernel.nbytes) == (4096, 2048, 4096, 0)
    assert (kernel.grid, kernel.block, kernel.shared) == ((4, 1, 1), (256, 1, 1), 256 + 128)
    assert kernel.registers > 0 and kernel.blocks_per_multiprocessor > 0
    assert all(one.duration >= 0 and one.called <= one.returned for one in (up, kernel, memset, down))
    starts = [one.start for one in (up, kernel, memset, down)]
    assert starts == sorted(starts)
    assert (host[:512] == 0).all() and (host[512:] == 1).all()


def test_compilations_are_in_the_trace(context, tmp_path):
    with pycuda.profile() as p:
        SourceModule("__global__ void compiled_meanwhile(int *a) { a[0] = 7; }").get_function("compiled_meanwhile")
        with pytest.raises(cuda.CompileError):
            SourceModule("__global__ void mistaken(int *a) { a[0] = nothing; }")
    SourceModule("__global__ void compiled_later(int *a) { a[0] = 8; }")
    names = [name for name, *_ in p.compilations]
    assert names[0] == "compiling kernel compiled_meanwhile" and "compiling kernel mistaken" in names
    assert not any("later" in name for name in names)
    p.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    compiles = [event for event in events if event.get("cat") == "compile"]
    assert [event["name"] for event in compiles] == names and all(event["dur"] > 0 for event in compiles)


def test_a_compilation_that_began_before_the_profile_is_traced_from_its_beginning(context, tmp_path):
    begun, recorded = threading.Event(), threading.Event()

    def compile_slowly():
        with Compilation("compiling", "compiled", "__global__ void slow() {}"):
            begun.set()
            recorded.wait()

    thread = threading.Thread(target=compile_slowly)
    thread.start()
    begun.wait()
    with pycuda.profile() as p:
        recorded.set()
        thread.join()
    p.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    (compiled,) = [event for event in events if event.get("cat") == "compile"]
    assert compiled["ts"] == 0 and 0 < compiled["dur"] <= p.elapsed * 1e6


def test_counters_give_the_bytes_and_operations_of_kernels(context):
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver, whose kernels count")
    source = """
template <class T> __global__ void axpy(T *y, const T *x, T a)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = y[i] + a * x[i] * x[i];
}
extern "C" __global__ void plain(int *a) { a[threadIdx.x] = 1; }
"""
    module = SourceModule(source, no_extern_c=True)
    axpy, plain = module.get_function("axpy<float>"), module.get_function("plain")
    x, y = gpuarray.zeros(1024, np.float32), gpuarray.zeros(1024, np.float32)

    def work(times):
        for _ in range(times):
            axpy(y, x, np.float32(2), block=(128, 1, 1), grid=(8, 1))
        plain(x.gpudata, block=(32, 1, 1))

    with pycuda.counters() as c:
        work(2)
    with pycuda.profile(c) as p:
        work(3)
        x.get()
    rows = {row.name.partition("<")[0]: row for row in p.summary()}
    assert rows["axpy"].nbytes == 3 * 3 * 4096 and rows["axpy"].flops == 3 * 1024 * 3
    assert rows["axpy"].bandwidth == pytest.approx(rows["axpy"].nbytes / rows["axpy"].total)
    assert rows["axpy"].flop_rate == pytest.approx(rows["axpy"].flops / rows["axpy"].total)
    assert rows["plain"].nbytes == 128 and rows["plain"].flop_rate is None
    assert rows["device to host"].nbytes == 4096
    assert "GFLOP/s" in str(p) and "GFLOP/s" in p._repr_html_()
    with pycuda.profile(kernel for kernel in c if kernel.kernel != "plain") as some:
        work(1)
    for _ in range(2):
        assert [row.nbytes for row in sorted(some.summary(), key=lambda row: row.name)] == [3 * 4096, 0]
    with pycuda.counters() as later, pycuda.profile(later) as meanwhile:
        work(1)
    assert {row.nbytes for row in meanwhile.summary()} == {3 * 4096, 128}
    with pycuda.profile() as without:
        work(1)
    assert "GFLOP/s" not in str(without) and all(row.nbytes == 0 for row in without.summary())


def test_prepared_cooperative_and_extended_launches(fill):
    a = gpuarray.zeros(64, np.float32)
    fill.prepare("Pi")
    with pycuda.profile() as p:
        fill.prepared_call((1, 1), (64, 1, 1), a.gpudata, 64)
        fill(a, np.int32(64), block=(64, 1, 1), cooperative=True)
        fill(a, np.int32(64), block=(64, 1, 1), priority=0)
    assert [one.kind for one in p.work if one.kind != "wait"] == ["kernel"] * 3
    assert {one.block for one in p.work if one.kind == "kernel"} == {(64, 1, 1)}


def test_summaries_add_up(fill):
    a = gpuarray.zeros(1 << 12, np.float32)
    with pycuda.profile() as p:
        for _ in range(3):
            fill(a, np.int32(a.size), block=(128, 1, 1), grid=(32, 1))
        b = (a + 1).get()
    assert (b == 2).all()
    rows = p.summary()
    (kernel,) = (row for row in rows if row.name.startswith("fill"))
    assert kernel.calls == 3 and 0 < kernel.occupancy <= 1
    assert kernel.least <= kernel.mean <= kernel.most and kernel.total == pytest.approx(3 * kernel.mean)
    assert sum(row.share for row in rows) == pytest.approx(1)
    assert [row.total for row in rows] == sorted((row.total for row in rows), reverse=True)
    (copy,) = (row for row in rows if row.kind == "copy")
    assert copy.nbytes == a.nbytes and copy.bandwidth == pytest.approx(copy.nbytes / copy.total)
    text, html = str(p), p._repr_html_()
    assert "fill<float>(float*, int)" in text and "[copy device to host]" in text and "on the host" in text
    assert "fill&lt;float&gt;" in html and html.count("<tr>") == len(rows) + 1


def test_streams_and_waits(fill):
    a = gpuarray.zeros(64, np.float32)
    first, second = cuda.Stream(), cuda.Stream()
    with pycuda.profile() as p:
        fill(a, np.int32(64), block=(64, 1, 1), stream=first)
        fill(a, np.int32(64), block=(64, 1, 1), stream=second)
        fill(a, np.int32(64), block=(64, 1, 1))
        first.synchronize()
        cuda.Context.synchronize()
        event = cuda.Event().record()
        event.synchronize()
    assert [one.stream for one in p.work if one.kind == "kernel"] == [1, 2, 0]
    waits = [one.name for one in p.work if one.kind == "wait"]
    assert waits == ["Stream.synchronize", "Context.synchronize", "Event.synchronize"]


def test_copies_that_wait_for_a_kernel_count_as_waiting(fill):
    a, host = gpuarray.zeros(1 << 20, np.float32), np.empty(1 << 20, np.float32)
    with pycuda.profile() as p:
        fill(a, np.int32(a.size), block=(256, 1, 1), grid=(4096, 1))
        a.get()
        fill(a, np.int32(a.size), block=(256, 1, 1), grid=(4096, 1))
        cuda.memcpy_dtoh(host, a.gpudata)
    copies = [one for one in p.work if one.kind == "copy"]
    waits = sum(one.duration for one in p.work if one.kind == "wait")
    assert len(copies) == 2 and p.waiting == waits + sum(one.returned - one.called for one in copies)
    assert waits < p.waiting < p.elapsed and "of them waiting or copying" in str(p)


def test_graphs_count_when_they_are_launched(fill):
    a = gpuarray.zeros(64, np.float32)
    stream = cuda.Stream()
    with pycuda.profile() as p:
        with stream.capture() as graph:
            fill(a, np.int32(64), block=(64, 1, 1), stream=stream)
        ready = graph.instantiate()
        ready.launch(stream)
        ready.launch(stream)
        stream.synchronize()
    assert kinds(p) == [("graph", "graph")] * 2
    assert (a.get() == 1).all()


def test_nothing_is_recorded_outside(fill):
    a = gpuarray.zeros(64, np.float32)
    with pycuda.profile() as p:
        pass
    fill(a, np.int32(64), block=(64, 1, 1))
    assert kinds(p) == [] and p.summary() == []
    with pycuda.profile() as q:
        fill(a, np.int32(64), block=(64, 1, 1))
    assert len(kinds(q)) == 1 and kinds(p) == []


def test_threads_and_their_work(fill, context):
    a = gpuarray.zeros(64, np.float32)

    def work():
        context.push()
        for _ in range(20):
            fill(a, np.int32(64), block=(64, 1, 1))
        cuda.Context.pop()

    with pycuda.profile() as p:
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(kinds(p)) == 60


def test_an_error_ends_the_profile_and_stays_an_error(fill):
    with pytest.raises(ZeroDivisionError), pycuda.profile() as p:
        fill(gpuarray.zeros(64, np.float32), np.int32(64), block=(64, 1, 1))
        1 / 0  # noqa: B018
    assert any(one.name.startswith("fill") for one in p.work)
    with pycuda.profile():
        pass


def test_refused_launches_are_not_recorded(fill):
    a = gpuarray.zeros(64, np.float32)
    with pycuda.profile() as p, pytest.raises(cuda.Error):
        fill(a, np.int32(64), block=(4096, 1, 1))
    assert kinds(p) == []


def test_wrong_use():
    p = pycuda.profile()
    assert "not begun" in str(p)
    with p:
        with pytest.raises(RuntimeError, match="already"), pycuda.profile():
            pass
        assert "0 pieces" in repr(p)
    with pytest.raises(RuntimeError, match="records once"), p:
        pass


def test_the_trace(fill, tmp_path):
    a = gpuarray.zeros(64, np.float32)
    with pycuda.profile() as p:
        with pycuda.range("all of it"):
            fill(a, np.int32(64), block=(64, 1, 1))
            cuda.Context.synchronize()
    p.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    named = {event["name"]: event for event in events if event["ph"] == "X"}
    kernel, whole = named["fill<float>(float*, int)"], named["all of it"]
    assert kernel["args"]["block"] == [64, 1, 1] and kernel["cat"] == "kernel"
    assert whole["ts"] <= named["call: fill<float>(float*, int)"]["ts"] <= whole["ts"] + whole["dur"]
    assert named["Context.synchronize"]["cat"] == "wait"
    assert {event["args"]["name"] for event in events if event["ph"] == "M"} >= {"host", "default stream"}


def test_ranges_decorate_functions_and_mean_nothing_without_a_profile():
    @pycuda.range("work")
    def work(value):
        return value + 1

    assert work(1) == 2
    with pycuda.profile() as p:
        assert work(2) == 3
    ((name, start, end, _),) = p.ranges
    assert name == "work" and start <= end


def test_a_context_that_ends_takes_its_times_along(fill):
    own = cuda.Device(0).make_context()
    try:
        memory = cuda.mem_alloc(64)
        with pycuda.profile() as p:
            cuda.memset_d8(memory, 0, 64)
            memory.free()
            own.pop()
            own.detach()
            own = None
    finally:
        if own is not None:
            own.pop()
    assert kinds(p) == [("set", "memset")]
    assert p.work[-1].duration >= 0
    assert str(p)


def test_one_piece_without_a_time_is_told_as_one():
    lost = Work("kernel", "k", math.nan, math.nan, 0.0, 0.0, 0, 0, 0, 0, (1, 1, 1), (1, 1, 1), 0, 0, 0)
    profile = pycuda.profile()
    profile._began, profile.dropped = 0.0, 1
    for work, note in (
        ([lost], "1 piece of work without times: its"),
        ([lost] * 2, "2 pieces of work without times: their"),
    ):
        profile.work = work
        assert f"{note} context was lost or detached\n" in str(profile)
    assert str(profile).endswith("CUPTI dropped 1 record")
