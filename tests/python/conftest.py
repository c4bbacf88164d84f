# SPDX-License-Identifier: MIT
"""Fixtures: a context on whatever driver there is, and a fake driver that runs nothing."""

import gc
import os
import pathlib
import shutil
import signal
import subprocess

# Explicit, so that a compilation which takes long because the machine is busy adds no line to a test's output.
os.environ.setdefault("PYCUDA_LOG", "warning")
# An internal error of the CPU driver's vector path fails the test instead of leaving it to the scalar path.
os.environ.setdefault("PYCUDA_CPU_VERIFY", "1")

# OpenBLAS's idle threads wait for work in a loop, for a tenth of a second from the import of NumPy on: more processor
# time than a small program's own. With the least number they sleep at once; results and threads are the same.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

# A shell starts what runs in the background with interrupts ignored. The programs of tests would inherit that, and
# those that are interrupted would not end.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import pycuda.driver as cuda
import pytest
from opengl_contexts import both, gl  # noqa: F401 - fixtures
from programs import has_cpu_driver, is_cpu
from pycuda import _driver
from pycuda._compile_times import configured_logger
from pycuda.tools import clear_context_caches, make_default_context

# The logger's first user sets its level, which would undo what a test has set.
configured_logger()

# What makes programs print more or less, or in colour: set for the suite itself, by a CI system or a person.
OUTPUT_SETTINGS = (
    "BUILD_NUMBER",
    "CI",
    "COLUMNS",
    "FORCE_COLOR",
    "NO_COLOR",
    "PY_COLORS",
    "PYTEST_ADDOPTS",
    "PYTHONUNBUFFERED",
)


@pytest.fixture(scope="session", autouse=True)
def _plain_output():
    """The programs of tests print the same everywhere: pytest, for one, shortens its summary unless `CI` is set."""
    with pytest.MonkeyPatch.context() as patch:
        for name in OUTPUT_SETTINGS:
            patch.delenv(name, raising=False)
        yield


def _driver_missing():
    try:
        cuda.init()
        return None if cuda.Device.count() > 0 else "the driver has no device"
    except cuda.Error as error:
        return str(error)


def pytest_collection_modifyitems(items):
    """Tests of compiling without a driver come first: once one is loaded it stays for the process."""
    if _driver._device_traits().driver_version != 0:
        raise pytest.UsageError(
            "a test's file loads a driver when it is imported: take the fixture `context` instead of pycuda.autoinit"
        )
    items.sort(key=lambda item: not item.path.name.startswith("test_compiler"))


def pytest_collection_finish(session):
    """Thousands of tests run the garbage collector: it need not look at thousands of collected tests each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def driver():
    """Some CUDA driver, initialised; tests that need one are skipped where there is none."""
    missing = _driver_missing()
    if missing is not None:
        assert "PYCUDA_DRIVER" in os.environ or not has_cpu_driver(), missing
        pytest.skip(f"needs a CUDA driver: {missing}")
    return cuda


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """A skipped test names what the machine lacks: a skip for any other reason is a failure."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not reason.startswith("needs "):
            report.outcome = "failed"
            report.longrepr = f"skipped without a need: {reason}"
    return report


@pytest.fixture
def context(driver, _kept_contexts):
    """A fresh context, current during the test; on a GPU one of earlier tests, if they left it as new."""
    if _kept_contexts:
        made = _kept_contexts.pop()
        made.push()
    else:
        made = make_default_context()
    on_gpu = not is_cpu()
    settings = _settings(driver) if on_gpu else None
    yield made
    clear_context_caches()
    while driver.Context.get_current() is not None:
        driver.Context.pop()
    if on_gpu and _is_as_new(driver, made, settings):
        _kept_contexts.append(made)
        return
    try:
        made.detach()
    except driver.LogicError:
        pass  # the test has detached it


@pytest.fixture
def cpu_context(context):
    """The same, of the CPU driver: tests of what it alone does are skipped on a GPU."""
    if not is_cpu():
        pytest.skip("needs the CPU driver")
    return context


@pytest.fixture
def needs_cpu_driver(context):
    if "CPU" not in context.get_device().name():
        pytest.skip("needs the CPU driver: a wait for a GPU cannot be left, nor its kernel stopped")


@pytest.fixture
def programs_on_cpu(monkeypatch):
    """The test's programs run on the CPU driver, also where there is a GPU."""
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver, which was not built")
    monkeypatch.setenv("PYCUDA_DRIVER", "cpu")


@pytest.fixture(scope="session")
def _kept_contexts():
    """Contexts for the next tests: a GPU's takes a third of a second to make, of which there are thousands."""
    kept = []
    yield kept
    for each in kept:
        each.detach()


def _is_as_new(driver, context, settings):
    """Whether later tests can have the context, which is not current."""
    try:
        context.push()
    except driver.Error:
        return False  # the test has detached it
    try:
        driver.Context.synchronize()
        return _settings(driver) == settings
    except driver.Error:
        return False
    finally:
        driver.Context.pop()


def _settings(driver):
    """What tests may set of the current context, but for the limits that its device does not have."""
    settings = [driver.Context.get_cache_config(), driver.Context.get_shared_config()]
    for which in (driver.limit.STACK_SIZE, driver.limit.MALLOC_HEAP_SIZE, driver.limit.PRINTF_FIFO_SIZE):
        settings.append(driver.Context.get_limit(which))
    return settings


@pytest.fixture(scope="session")
def fake_driver(tmp_path_factory):
    """The path of a CUDA driver that runs nothing and remembers the last launch."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs a C compiler")
    source = pathlib.Path(__file__).parent / "fake" / "fake_cuda.c"
    library = tmp_path_factory.mktemp("fake") / "libfake_cuda.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    return str(library)


@pytest.fixture
def no_compiler_settings(monkeypatch):
    """Tests that say themselves which cache and which compiler are to be used."""
    for name in ("PYCUDA_CACHE_DIR", "PYCUDA_DISABLE_CACHE", "PYCUDA_COMPILER", "PYCUDA_NVRTC"):
        monkeypatch.delenv(name, raising=False)
