# SPDX-License-Identifier: MIT
"""The pytest plug-in with contexts that tests make: their faults fail the tests that launched the kernels."""

import functools

import pytest
from plugin_projects import run_project
from programs import has_cpu_driver

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver")

OWN = """
import threading
cuda.init()

def overrun(): fill(cuda.mem_alloc(40), 11)

@pytest.fixture
def own():
    context = cuda.Device(0).make_context()
    context.pop()
    yield context
    context.detach()
"""


@pytest.fixture
def project(tmp_path, driver):
    """Runs pytest on tests behind `OWN`, and returns the exit status and what it printed."""
    return lambda code: functools.partial(run_project, tmp_path)(OWN + code, "--cuda-device=cpu")


@pytest.mark.parametrize(
    ("how", "lines"),
    [
        ("popped", "context = cuda.Device(0).make_context(); overrun(); context.pop()"),
        ("detached", "context = cuda.Device(0).make_context(); overrun(); context.detach()"),
        ("popped", "context = cuda.Device(0).retain_primary_context(); context.push(); overrun(); context.pop()"),
        ("detached", "context = cuda.Device(0).make_context(); overrun(); cuda.Device(0).make_context().detach()"),
    ],
    ids=["popped", "detached", "primary", "below another"],
)
def test_a_fault_in_a_context_that_the_test_gives_up_fails_it(project, how, lines):
    lines += "; context.detach()" if "make_context().detach" in lines else ""
    status, output = project(f"def test_1(): {lines}\ndef test_2(cuda_context): fill(cuda.mem_alloc(40), 10)\n")
    assert status == 1 and "1 failed, 1 passed" in output, output
    assert f"a kernel failed before its context was {how}: " in output
    assert "0 bytes past the end of the 40-byte block" in output


def test_a_fault_in_a_context_of_a_block_or_of_a_thread_fails_the_test(project):
    status, output = project("""
def test_block(own):
    with own: overrun()

def test_thread(own):
    def work():
        own.push()
        overrun()
        own.pop()
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
""")
    assert status == 1 and "2 failed" in output, output
    assert output.count("FAILED test_it.py::") == 2 and "ERROR" not in output


def test_faults_that_the_test_expects_and_contexts_that_are_gone_are_no_findings(project):
    status, output = project("""
def test_expected():
    context = cuda.Device(0).make_context()
    overrun()
    with pytest.raises(cuda.LogicError, match="past the end"): context.synchronize()
    context.pop()
    context.detach()

def test_twice():
    context = cuda.Device(0).make_context()
    context.detach()
    with pytest.raises(cuda.LogicError): context.detach()
    with pytest.raises(cuda.LogicError): cuda.Context.pop()

def test_block(own):
    with pytest.raises(ZeroDivisionError), own: 1 / 0
    assert cuda.Context.get_current() is None
""")
    assert status == 0 and "3 passed" in output, output
