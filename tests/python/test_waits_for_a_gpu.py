# SPDX-License-Identifier: MIT
"""Waits for a driver that cannot stop kernels, as a GPU's: Ctrl-C ends the wait, the work goes on."""

import pathlib

import pytest
from programs import run_program

SETUP = f"""
import signal, sys, threading
sys.path.insert(0, {str(pathlib.Path(__file__).parent / "fake")!r})
from session import cuda, number

stream, event = cuda.Stream(), cuda.Event()
event.record(stream)
busy = number("fake_busy", __import__("ctypes").c_int)
busy.value = 1
"""

WAITS = ["cuda.Context.synchronize()", "stream.synchronize()", "event.synchronize()"]


@pytest.mark.parametrize("wait", WAITS)
def test_an_interrupt_ends_the_wait(fake_driver, wait):
    output, _ = run_program(
        SETUP
        + f"""
waited = number("fake_synchronizations").value
threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
try:
    {wait}
except KeyboardInterrupt:
    print("interrupted", number("fake_synchronizations").value - waited)
busy.value = 0
{wait}
print(number("fake_synchronizations").value - waited)
""",
        PYCUDA_DRIVER=fake_driver,
    )
    assert output == "interrupted 0\n1\n"


@pytest.mark.parametrize("wait", WAITS)
def test_handlers_run_and_the_wait_goes_on(fake_driver, wait):
    output, _ = run_program(
        SETUP
        + f"""
def end(signal_number, frame):
    busy.value = 0
signal.signal(signal.SIGALRM, end)
signal.setitimer(signal.ITIMER_REAL, 0.2)
{wait}
print("done", busy.value)
""",
        PYCUDA_DRIVER=fake_driver,
    )
    assert output == "done 0\n"
