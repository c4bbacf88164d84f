# SPDX-License-Identifier: MIT
"""The driver's log of calls that failed, and functions that get its messages."""

import threading

import pycuda.driver as cuda
import pytest
from programs import is_cpu, run_program

pytestmark = pytest.mark.usefixtures("context")


def fail():
    with pytest.raises(cuda.LogicError):
        cuda.Device(99)


def test_messages_are_read_once():
    log = cuda.DriverLog()
    assert repr(log) == "<pycuda.DriverLog of the calls that failed since it was made or read>"
    assert log.read() == ""
    fail()
    assert "cuDeviceGet" in log.read()
    assert log.read() == ""


def test_a_log_from_the_start_has_what_came_before():
    fail()
    log = cuda.DriverLog(from_start=True)
    assert "cuDeviceGet" in log.read()
    assert log.read() == ""


def test_messages_are_saved(tmp_path):
    log = cuda.DriverLog()
    fail()
    log.save(tmp_path / "log")
    assert "cuDeviceGet" in (tmp_path / "log").read_text()
    assert log.read() == ""
    with pytest.raises(cuda.LogicError, match="cuLogsDumpToFile failed: invalid argument"):
        log.save(tmp_path / "no folder" / "log")


def test_a_function_gets_each_message():
    messages = []
    with cuda.LogCallback(lambda level, message: messages.append((level, message))):
        fail()
    fail()
    assert {level for level, _ in messages} == {cuda.log_level.ERROR}
    assert sum("cuDeviceGet" in message for _, message in messages) == 1


def test_a_callback_ends_with_its_object():
    messages = []
    callback = cuda.LogCallback(lambda level, message: messages.append(message))
    fail()
    heard = len(messages)
    assert heard > 0
    del callback
    fail()
    assert len(messages) == heard


def test_unregistering_twice_is_harmless():
    callback = cuda.LogCallback(print)
    callback.unregister()
    callback.unregister()


def test_only_functions_are_called():
    with pytest.raises(TypeError, match="must be callable"):
        cuda.LogCallback(3)


def test_what_a_callback_raises_is_shown(monkeypatch):
    shown = []
    monkeypatch.setattr("sys.unraisablehook", lambda raised: shown.append(raised.exc_value))
    with cuda.LogCallback(lambda level, message: 1 / 0):
        fail()
    assert isinstance(shown[0], ZeroDivisionError)


def test_callbacks_of_several_threads():
    messages = []

    def work():
        for _ in range(50):
            fail()

    with cuda.LogCallback(lambda level, message: messages.append(message)):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sum("cuDeviceGet" in message for message in messages) == 200


def test_a_fault_is_told_with_its_story():
    if not is_cpu():
        pytest.skip("needs the CPU driver: the words are its own")
    program = """
import pycuda.driver as cuda
import pycuda.autoinit
from pycuda.compiler import SourceModule
log = cuda.DriverLog()
kernel = SourceModule("__global__ void stray(int* p) { p[1 << 20] = 1; }").get_function("stray")
try:
    kernel(cuda.mem_alloc(4), block=(1, 1, 1))
    cuda.Context.synchronize()
except cuda.Error:
    pass
print(log.read())
"""
    text = run_program(program)[0]
    assert "stray" in text
    assert "Returning 700 (CUDA_ERROR_ILLEGAL_ADDRESS) from cu" in text


def test_the_log_goes_to_a_file_as_well(tmp_path):
    if not is_cpu():
        pytest.skip("needs the CPU driver: the format is its own")
    program = """
import pycuda.driver as cuda
cuda.init()
try:
    cuda.Device(99)
except cuda.Error:
    pass
"""
    run_program(program, CUDA_LOG_FILE=str(tmp_path / "log"))
    line = (tmp_path / "log").read_text()
    assert line.endswith("[CUDA][E] Returning 101 (CUDA_ERROR_INVALID_DEVICE) from cuDeviceGet\n")
