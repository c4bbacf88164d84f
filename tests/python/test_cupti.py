# SPDX-License-Identifier: MIT
"""Profiles by CUPTI: with a stand-in for the library on the CPU driver, and with NVIDIA's own on a GPU."""

import ctypes
import logging
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from programs import is_cpu, run_program
from pycuda import _cupti, _diagnosis, gpuarray
from pycuda._driver import _rtc
from pycuda.compiler import SourceModule

HERE = pathlib.Path(__file__).parent
KERNEL, SERIAL_KERNEL, COPY, SET, PEER_COPY = 10, 3, 1, 2, 22


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The path of the stand-in. A process stays with the first one that it has opened."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs a C compiler")
    library = tmp_path_factory.mktemp("cupti") / "libfake_cupti.so"
    source = HERE / "fake" / "fake_cupti.c"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-pthread", "-o", library, source], check=True)
    return str(library)


class FakeCupti:
    """The stand-in's variables as attributes: `failing` is fake_failing."""

    def __init__(self, path):
        self.__dict__["_library"] = ctypes.CDLL(path)

    def _variable(self, name):
        kinds = {
            "failing": ctypes.c_char * 64,
            "kinds": ctypes.c_int * 8,
            "calls": ctypes.c_long,
            "length": ctypes.c_long,
        }
        return kinds.get(name, ctypes.c_int).in_dll(self._library, f"fake_{name}")

    def __getattr__(self, name):
        return self._variable(name).value

    def __setattr__(self, name, value):
        variable = self._variable(name)
        if name == "kinds":
            variable[:] = [*value, *[0] * (8 - len(value))]
        else:
            variable.value = value


@pytest.fixture
def cupti(context, library, monkeypatch):
    if not is_cpu():
        pytest.skip("needs the CPU driver: the stand-in for CUPTI knows of no GPU")
    fake = FakeCupti(library)
    monkeypatch.setattr(_cupti, "libraries", lambda: ([library], ""))
    yield fake
    fake.failing, fake.status, fake.kinds, fake.silent = b"", 35, [KERNEL], 0
    assert (fake.subscribers, fake.enabled, fake.depth) == (0, 0, 0), "something is left behind"


@pytest.fixture
def memory(context):
    return cuda.mem_alloc(256)


def fill(memory, times=1):
    for _ in range(times):
        cuda.memset_d8(memory, 0, 256)


def within_calls(profile):
    return all(
        one.called - 1e-5 <= one.start <= one.start + one.duration <= one.returned + 1e-5 for one in profile.work
    )


def test_every_kind_of_record_gives_times_on_the_hosts_clock(cupti, memory):
    cupti.kinds = [KERNEL, SERIAL_KERNEL, COPY, SET, PEER_COPY]
    with pycuda.profile() as p:
        fill(memory, 12)
    assert p.timing == "CUPTI" and "kernel times from CUPTI" in str(p)
    assert len(p.work) == 12 and within_calls(p)
    starts = [one.start for one in p.work]
    assert starts == sorted(starts) and all(one.duration > 0 for one in p.work)


def test_kernels_copies_and_graphs_have_what_the_launch_tells(cupti):
    a = gpuarray.zeros(64, np.float32)
    k = SourceModule("__global__ void k(float *a) { a[threadIdx.x] = 1; }").get_function("k")
    stream = cuda.Stream()
    with stream.capture() as graph:
        k(a, block=(64, 1, 1), stream=stream)
    ready = graph.instantiate()
    with pycuda.profile() as p:
        k(a, block=(64, 1, 1), stream=stream)
        ready.launch(stream)
        a.get()
    kernel, launch, copy = (one for one in p.work if one.kind != "wait")
    assert (kernel.name, kernel.block, kernel.stream) == ("k", (64, 1, 1), 1) and kernel.registers > 0
    assert (launch.kind, copy.name, copy.nbytes) == ("graph", "device to host", 256)
    assert all(one.duration > 0 for one in (kernel, launch, copy))


def test_the_parts_of_one_call_count_as_one_piece_of_work(cupti, memory):
    cupti.parts = 3
    with pycuda.profile() as p:
        fill(memory, 2)
    cupti.parts = 1
    assert len(p.work) == 2 and within_calls(p)
    assert p.work[-1].duration == pytest.approx(cupti.length * 1e-9, abs=2e-9)


def test_many_records_take_several_buffers(cupti, memory):
    with pycuda.profile() as p:
        fill(memory, 20000)
    assert len(p.work) == 20000 and within_calls(p)


def test_profiles_one_after_another_do_not_mix(cupti, memory):
    profiles = []
    for count in (1, 2, 3):
        with pycuda.profile() as p:
            fill(memory, count)
        fill(memory)
        profiles.append(p)
    assert [len(p.work) for p in profiles] == [1, 2, 3]
    assert all(within_calls(p) for p in profiles)
    assert cupti.calls >= 6


def test_records_that_come_after_the_end_belong_to_no_other_profile(cupti, memory, library):
    with pycuda.profile():
        fill(memory, 3)
    ctypes.CDLL(library).fake_deliver_late()
    with pycuda.profile() as p:
        fill(memory, 3)
    assert len(p.work) == 3 and within_calls(p)


def test_threads(cupti, context, memory):
    def work():
        context.push()
        fill(memory, 100)
        cuda.Context.pop()

    with pycuda.profile() as p:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(p.work) == 400 and within_calls(p)


def test_a_failed_call_leaves_no_number_behind(cupti, memory):
    with pycuda.profile() as p, pytest.raises(cuda.Error):
        cuda.memset_d8(int(memory) + (1 << 40), 0, 256)
    assert p.work == [] and cupti.depth == 0


def test_the_end_of_a_context_does_not_lose_times(cupti):
    own = cuda.Device(0).make_context()
    memory = cuda.mem_alloc(256)
    with pycuda.profile() as p:
        fill(memory)
        memory.free()
        own.pop()
        own.detach()
    assert [one.kind for one in p.work] == ["set", "wait"][: len(p.work)] and within_calls(p)


def test_dropped_records_and_missing_times_are_said(cupti, memory):
    cupti.drops, cupti.untimed = 2, 1
    with pycuda.profile() as p:
        fill(memory, 5)
    assert p.dropped == 2 and sum(row.calls for row in p.summary()) == 2
    assert "3 pieces of work without times: CUPTI gave no record of them" in str(p)
    assert "CUPTI dropped 2 records" in str(p)
    with pycuda.profile() as p:
        fill(memory)
    assert p.dropped == 0 and "dropped" not in str(p)


@pytest.mark.parametrize(
    "function", ["cuptiSubscribe", "cuptiActivityRegisterCallbacks", "cuptiActivityEnable", "cuptiGetTimestamp"]
)
def test_events_take_the_place_of_a_cupti_that_refuses(cupti, memory, function, monkeypatch, caplog):
    monkeypatch.setattr(_cupti, "_said", False)
    cupti.failing = function.encode()
    with caplog.at_level(logging.INFO, "pycuda"):
        for _ in range(2):
            calls = cupti.calls
            with pycuda.profile() as p:
                fill(memory, 2)
            assert [one.kind for one in p.work] == ["set"] * 2 and all(one.duration >= 0 for one in p.work)
            assert cupti.calls == calls
    assert p.timing == "events because CUPTI refuses: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
    assert f"kernel times from {p.timing}" in str(p)
    assert [record.message for record in caplog.records if "kernel times" in record.message] == [
        f"kernel times from {p.timing}"
    ]
    cupti.failing = b""
    with pycuda.profile() as p:
        fill(memory)
    assert p.timing == "CUPTI"


def test_an_error_without_a_name_has_its_number(cupti, memory):
    cupti.failing, cupti.status = b"cuptiSubscribe", 1234
    with pycuda.profile() as p:
        fill(memory)
    assert p.timing == "events because CUPTI refuses: error 1234"


def test_another_subscriber_is_left_alone(cupti, memory):
    cupti.subscribers = 1
    with pycuda.profile() as p:
        fill(memory)
    assert p.timing == "events because CUPTI refuses: CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
    assert (cupti.subscribers, cupti.enabled) == (1, 0)
    cupti.subscribers = 0


def test_a_cupti_without_any_record_is_not_used_again(library):
    run_program(
        f"""
        import ctypes
        import pycuda.autoinit
        import pycuda.driver as cuda
        from pycuda import _cupti

        _cupti.libraries = lambda: ([{library!r}], "")
        ctypes.c_int.in_dll(ctypes.CDLL({library!r}), "fake_silent").value = 1
        memory = cuda.mem_alloc(64)
        profiles = []
        for _ in range(2):
            with pycuda.profile() as p:
                cuda.memset_d8(memory, 0, 64)
            profiles.append(p)
        first, second = profiles
        assert first.timing == "CUPTI" and "without times" in str(first), first
        assert second.timing == "events because CUPTI recorded nothing before", second.timing
        assert second.work[0].duration >= 0
        """,
        PYCUDA_DRIVER="cpu",
    )


def test_libraries_that_are_no_cupti(library):
    run_program(
        f"""
        import ctypes
        import pycuda.autoinit
        import pycuda.driver as cuda
        from pycuda import _cupti

        version = ctypes.c_int.in_dll(ctypes.CDLL({library!r}), "fake_version")
        for paths, age, why in (
            (["/no/such/libcupti.so.13"], 130001, "/no/such/libcupti.so.13: cannot open"),
            (["libc.so.6"], 130001, "libc.so.6 has no cupti"),
            ([{library!r}], 23, "libfake_cupti.so is older than CUDA 12.6"),
            (["libc.so.6", {library!r}], 130001, None),
        ):
            version.value = age
            _cupti.libraries = lambda: (paths, "")
            with pycuda.profile() as p:
                cuda.memset_d8(cuda.mem_alloc(64), 0, 64)
            assert p.timing == "CUPTI" if why is None else why in p.timing, p.timing
            assert p.work[0].duration >= 0
        """,
        PYCUDA_DRIVER="cpu",
    )


def test_a_program_may_end_within_a_profile(library):
    run_program(
        f"""
        import pycuda.autoinit
        import pycuda.driver as cuda
        from pycuda import _cupti

        _cupti.libraries = lambda: ([{library!r}], "")
        p = pycuda.profile()
        p.__enter__()
        cuda.memset_d8(cuda.mem_alloc(64), 0, 64)
        """,
        PYCUDA_DRIVER="cpu",
    )


def test_nothing_is_loaded_before_the_first_profile_or_on_the_cpu_driver(library):
    run_program(
        """
        import pycuda.autoinit
        import pycuda.driver as cuda

        with pycuda.profile() as p:
            cuda.memset_d8(cuda.mem_alloc(64), 0, 64)
        assert p.timing == "events" and "kernel times" not in str(p)
        assert "libfake_cupti" not in open("/proc/self/maps").read()
        """,
        PYCUDA_DRIVER="cpu",
        PYCUDA_CUPTI=library,
    )


def nvidia_driver(version):
    facts = {"library": "libcuda.so.1", "reason": "it sees a device", "passed_over": "", "functions": 464}
    return {"kind": "NVIDIA", "version": version, **facts}


@pytest.fixture
def no_cupti(monkeypatch, tmp_path):
    """NVIDIA's driver as far as the search for CUPTI can tell, in a Python without packages."""
    monkeypatch.setattr(_rtc, "driver_origin", lambda: nvidia_driver(13000))
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(_cupti, "_opens", lambda name, mode=0: False)
    for name in ("PYCUDA_CUPTI", "CUDA_HOME", "CUDA_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CUDA_PATH", str(tmp_path / "toolkit"))
    return tmp_path


def place(folder, name):
    folder.mkdir(parents=True)
    (folder / name).touch()
    return str(folder / name)


def test_wheels_come_before_toolkits_and_newer_ones_first(no_cupti, monkeypatch):
    toolkit = place(no_cupti / "toolkit/extras/CUPTI/lib64", "libcupti.so.13")
    older = place(no_cupti / "nvidia/cuda_cupti/lib", "libcupti.so.12")
    wheel = place(no_cupti / "nvidia/cu13/lib", "libcupti.so.13")
    found, why = _cupti.libraries()
    assert [path for path in found if path.startswith(str(no_cupti))] == [wheel, toolkit, older] and why == ""
    monkeypatch.setattr(_rtc, "driver_origin", lambda: nvidia_driver(12080))
    assert [path for path in _cupti.libraries()[0] if path.startswith(str(no_cupti))] == [older]
    monkeypatch.setattr(_rtc, "driver_origin", lambda: nvidia_driver(12040))
    assert _cupti.libraries() == ([], "the driver is older than CUDA 12.6")


def test_a_loaded_cupti_comes_first(no_cupti, monkeypatch):
    place(no_cupti / "nvidia/cu13/lib", "libcupti.so.13")
    monkeypatch.setattr(_cupti, "_opens", lambda name, mode=0: name == "libcupti.so.12" and mode != 0)
    assert _cupti.libraries() == (["libcupti.so.12"], "")


def test_settings_and_a_missing_library(no_cupti, monkeypatch, library):
    found, why = _cupti.libraries()
    if not found:  # this machine has no toolkit
        assert "pip install 'pycuda-anywhere[profile]'" in why
    monkeypatch.setenv("PYCUDA_CUPTI", "0")
    assert _cupti.libraries() == ([], "PYCUDA_CUPTI=0")
    monkeypatch.setenv("PYCUDA_CUPTI", library)
    assert _cupti.libraries() == ([library], "")
    monkeypatch.setenv("PYCUDA_CUPTI", "/no/such.so")
    with pytest.raises(OSError, match=r"PYCUDA_CUPTI=/no/such.so cannot be used: .*cannot open"):
        _cupti.libraries()


def test_the_diagnosis_names_cupti_or_what_is_missing(no_cupti, monkeypatch):
    monkeypatch.setenv("PYCUDA_CUPTI", "0")
    assert dict(_diagnosis._driver())["CUPTI"] == "none: PYCUDA_CUPTI=0"
    monkeypatch.delenv("PYCUDA_CUPTI")
    wheel = place(no_cupti / "nvidia/cu13/lib", "libcupti.so.13")
    assert dict(_diagnosis._driver())["CUPTI"] == wheel
    monkeypatch.undo()
    if _rtc.driver_origin()["kind"] != "NVIDIA":
        assert "CUPTI" not in dict(_diagnosis._driver())


@pytest.fixture
def real_cupti(context):
    """NVIDIA's CUPTI for a GPU; its path."""
    if is_cpu():
        pytest.skip("needs a GPU")
    found, why = _cupti.libraries()
    if not found:
        pytest.skip(f"needs CUPTI: {why}")
    return found[0]


SPIN = """
__global__ void spin(long long cycles)
{
  long long start = clock64();
  while (clock64() - start < cycles);
}
"""


def test_on_a_gpu_times_are_those_of_events(real_cupti, monkeypatch):
    spin = SourceModule(SPIN).get_function("spin")
    profiles = []
    for setting in ("", "0"):
        monkeypatch.setenv("PYCUDA_CUPTI", setting)
        with pycuda.profile() as p:
            for _ in range(3):
                spin(np.int64(5_000_000), block=(32, 1, 1))
        profiles.append(p)
    by_cupti, by_events = profiles
    assert (by_cupti.timing, by_events.timing) == ("CUPTI", "events because PYCUDA_CUPTI=0")
    for one, other in zip(by_cupti.work, by_events.work):
        assert one.duration == pytest.approx(other.duration, rel=0.1)


def test_on_a_gpu_work_lies_between_its_call_and_the_end_of_the_wait(real_cupti):
    spin = SourceModule(SPIN).get_function("spin")
    stream = cuda.Stream()
    host = cuda.pagelocked_empty(1 << 20, np.uint8)
    memory = cuda.mem_alloc(host.nbytes)
    with pycuda.profile() as p:
        for _ in range(50):
            spin(np.int64(50_000), block=(32, 1, 1), stream=stream)
            cuda.memcpy_htod_async(memory, host, stream)
            cuda.memset_d8_async(memory, 0, host.nbytes, stream)
            stream.synchronize()
    assert p.timing == "CUPTI" and p.dropped == 0
    work = [one for one in p.work if one.kind != "wait"]
    ends = [one.start + one.duration for one in p.work if one.kind == "wait"]
    assert [one.kind for one in work] == ["kernel", "copy", "set"] * 50
    assert all(one.called - 1e-5 < one.start for one in work)
    assert all(one.start + one.duration < ends[index // 3] + 1e-5 for index, one in enumerate(work))
    assert all(one.start + one.duration <= other.start + 1e-6 for one, other in zip(work, work[1:]))


def test_on_a_gpu_another_subscriber_is_left_alone(real_cupti):
    library = ctypes.CDLL(real_cupti)
    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_void_p)(lambda *_: None)
    subscriber = ctypes.c_void_p()
    assert library.cuptiSubscribe(ctypes.byref(subscriber), callback, None) == 0
    memory = cuda.mem_alloc(256)
    with pycuda.profile() as p:
        fill(memory)
    assert library.cuptiUnsubscribe(subscriber) == 0
    assert "MULTIPLE_SUBSCRIBERS" in p.timing and p.work[0].duration >= 0
    with pycuda.profile() as p:
        fill(memory)
    assert p.timing == "CUPTI" and p.work[0].duration > 0


def test_on_a_gpu_graphs_that_were_made_before_the_profile_are_timed(real_cupti):
    spin = SourceModule(SPIN).get_function("spin")
    stream = cuda.Stream()
    with stream.capture() as graph:
        for _ in range(4):
            spin(np.int64(500_000), block=(32, 1, 1), stream=stream)
    ready = graph.instantiate()
    with pycuda.profile() as p:
        spin(np.int64(500_000), block=(32, 1, 1), stream=stream)
        ready.launch(stream)
        ready.launch(stream)
        stream.synchronize()
    kernel, *launches = (one for one in p.work if one.kind != "wait")
    assert [one.kind for one in launches] == ["graph"] * 2
    assert all(one.duration > 3 * kernel.duration for one in launches)
