# SPDX-License-Identifier: MIT
"""A pytest plug-in: CUDA tests on a GPU or on the CPU, in a fresh context each, with faults and leaks reported.

Installed with the package; without installing, `pytest -p pycuda.pytest_plugin`. Nothing of CUDA is loaded until a test
asks for it, so the plug-in costs other tests nothing.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import warnings

import pytest

_DRIVER_OF = {"cpu": "cpu", "gpu": "nvidia"}
_KIND_OF = {"cpu": "CPU", "gpu": "NVIDIA"}

_passed = pytest.StashKey[bool]()
_device_name = pytest.StashKey[str]()
_holders = pytest.StashKey[dict]()
_fixtures = pytest.StashKey[dict]()


# What to do in a test about errors whose own messages advise programs.
_ADVICE = {
    "no currently active context?": "the test has no context: take the fixture cuda_context as an argument",
    "the context has been detached": "each test has a context of its own: keep kernels and arrays between tests by "
    "pycuda.tools.context_dependent_memoize, not in variables of modules or classes",
}


class CudaMemoryLeakWarning(UserWarning):
    """A test ended and device memory that it had allocated is still in use."""


def _names_of_checks(text):
    from pycuda._checked_programs import ALLOWED, unknown_checks  # start-up time: as below

    if unknown := unknown_checks(text):
        raise argparse.ArgumentTypeError(f"there is no check {unknown!r}: {ALLOWED} (as in --cuda-check=memory)")
    return text


def pytest_addoption(parser):
    """The options."""
    group = parser.getgroup("cuda", "CUDA (pycuda)")
    group.addoption(
        "--cuda-device",
        choices=("cpu", "gpu", "auto"),
        default="auto",
        help="where CUDA code runs: on the CPU driver, on an NVIDIA GPU, or on a GPU if there is one (default: auto, "
        "which also leaves $PYCUDA_DRIVER as it is)",
    )
    group.addoption(
        "--cuda-check",
        nargs="?",
        const="1",
        type=_names_of_checks,
        metavar="CHECKS",
        help="check kernels on the CPU driver, as in --cuda-check=race,sync: memory (the default, unless "
        "$PYCUDA_CPU_CHECK is set), init, race, sync or all; findings fail the test",
    )
    group.addoption(
        "--no-cuda-check",
        action="store_const",
        const="0",
        dest="cuda_check",
        help="do not check memory accesses of kernels: faster",
    )
    group.addoption(
        "--cuda-leaks",
        choices=("warn", "error", "ignore"),
        default="warn",
        help="what to do about device memory that is still allocated after a test (default: warn)",
    )


# The variables must be set before anything loads a driver, and a conftest.py may do so.
@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Pass the options on to the driver."""
    options = early_config.known_args_namespace
    if options.cuda_device in _DRIVER_OF:
        os.environ["PYCUDA_DRIVER"] = _DRIVER_OF[options.cuda_device]
    if options.cuda_check is not None:
        os.environ["PYCUDA_CPU_CHECK"] = options.cuda_check
    else:
        os.environ.setdefault("PYCUDA_CPU_CHECK", "1")


def pytest_configure(config):
    """The markers."""
    config.stash[_holders], config.stash[_fixtures] = {}, {}
    config.addinivalue_line("markers", "gpu: needs an NVIDIA GPU; skipped where tests run on the CPU driver")
    config.addinivalue_line("markers", "cuda: runs CUDA code (pycuda.tools.mark_cuda_test)")


def _driver_kind(config):
    """'CPU', 'NVIDIA' or 'other': what the tests run on. Fails the test when it is not what was asked for."""
    from pycuda._driver import _rtc  # start-up time: pytest loads this plug-in for every project

    wanted = config.option.cuda_device
    try:
        kind = _rtc.driver_origin()["kind"]
    except Exception as error:
        pytest.fail(f"--cuda-device={wanted}: {error}", pytrace=False)
    if wanted in _KIND_OF and kind != _KIND_OF[wanted]:
        pytest.fail(
            f"--cuda-device={wanted}, but the {kind} driver was loaded before pytest read its options",
            pytrace=False,
        )
    return kind


def pytest_runtest_setup(item):
    """Skip tests marked `gpu` where there is none."""
    if item.get_closest_marker("gpu") and _driver_kind(item.config) != "NVIDIA":
        pytest.skip("needs an NVIDIA GPU")


def _quiet_checks():
    """Those of the session's checks whose findings end no launch, as PYCUDA_CPU_CHECK has them; "" for none."""
    names = os.environ.get("PYCUDA_CPU_CHECK", "").split(",")
    return ",".join(name for name in names if name.strip() in ("init", "race", "sync", "all"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a test whose kernels have findings."""
    if not _quiet_checks() or "pycuda" not in sys.modules or _driver_kind(item.config) != "CPU":
        return (yield)
    import pycuda  # start-up time: as below

    with pycuda.checks(*os.environ["PYCUDA_CPU_CHECK"].split(",")) as found:
        result = yield
        # The end of the statement waits and passes over faults: what the test has not waited for is reported here.
        _wait_for_last_kernels()
    # Other errors of memory have ended their launch, and the test knows of them.
    told = [str(finding) for finding in found if not finding.ended_launch]
    if told:
        pytest.fail("the checks of kernels found:\n" + "\n".join(told), pytrace=False)
    return result


def _wait_for_last_kernels():
    import pycuda.driver as cuda  # start-up time: as above

    current = cuda.Context.get_current()
    if current is not None and not current._fault_told:
        try:
            current.synchronize()
        except cuda.Error as error:
            if error.code not in _CAPTURE_ERRORS:
                pytest.fail(f"a kernel failed after the test: {error}", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    """Remember the fixtures that outlive a test: they may hold device memory."""
    value = yield
    if fixturedef.scope != "function":
        request.config.stash[_fixtures][fixturedef] = fixturedef.argname, value
    return value


def pytest_fixture_post_finalizer(fixturedef, request):
    """Forget a fixture that is gone."""
    request.config.stash[_fixtures].pop(fixturedef, None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Remember whether the test itself passed: a failed one keeps its variables alive in its traceback."""
    report = yield
    if call.excinfo is not None:
        said = str(call.excinfo.value)
        report.sections += [("CUDA", advice) for words, advice in _ADVICE.items() if words in said]
    if call.when == "call":
        item.stash[_passed] = report.passed
    return report


def _used_bytes(cuda, kind):
    """Device memory in use, by a count that only this process changes."""
    from pycuda._driver import _array, _live_device_bytes  # start-up time: as above

    gc.collect()
    # What arrays keep for later ones, freed blocks and compiled kernels, is not a leak.
    _array.free_held_memory()
    _array.forget_all()
    if kind == "CPU":
        free, total = cuda.mem_get_info()
        return total - free
    # A GPU's driver counts what other processes use as well, and what it takes for itself.
    return _live_device_bytes()


def _report_leak(request, cuda, kind, used_before):
    answer = request.config.option.cuda_leaks
    if answer == "ignore":
        return
    lost = _used_bytes(cuda, kind) - used_before
    if lost <= 0:
        return
    from pycuda._leak_places import where  # start-up time: as above

    fixtures = request.config.stash[_fixtures].values()
    held = where(str(request.config.rootpath), fixtures, request.config.stash[_holders])
    held = held or "something that outlives it refers to an allocation, an array or a module"
    text = f"{lost} bytes of device memory are still allocated after the test: {held}"
    if answer == "error":
        pytest.fail(text, pytrace=False)
    warnings.warn(CudaMemoryLeakWarning(f"{request.node.nodeid}: {text}"), stacklevel=1)


# The first of the codes that the driver has for captures, and the last.
_CAPTURE_ERRORS = range(900, 910)


def _wait_for_work(cuda, made):
    try:
        made.synchronize()
    except cuda.Error as error:
        what = "the test left a capture open" if error.code in _CAPTURE_ERRORS else "a kernel failed after the test"
        pytest.fail(f"{what}: {error}", pytrace=False)


def _leave(cuda, made, before):
    """Pop every context that the test has left above the one that was current before it, and give up `made`."""
    while True:
        current = cuda.Context.get_current()
        if current is None or current == before:
            break
        cuda.Context.pop()
    try:
        made.detach()
    except cuda.Error:
        pass  # the test has detached it, or a fault has ended it


@pytest.fixture
def cuda_context(request):
    """A fresh context, current during the test, on the device of `--cuda-device`.

    After the test: a kernel's fault that the test has not waited for is an error, and of device memory that is still
    allocated `--cuda-leaks` decides.
    """
    kind = _driver_kind(request.config)
    import pycuda.driver as cuda  # start-up time: as above
    from pycuda import tools

    try:
        cuda.init()
        before = cuda.Context.get_current()
        made = tools.make_default_context()
    except (cuda.Error, RuntimeError) as error:
        pytest.fail(f"no CUDA context: {error}", pytrace=False)
    request.config.stash[_device_name] = made.get_device().name()
    used_before = _used_bytes(cuda, kind)
    yield made
    tools.clear_context_caches()
    try:
        # A test that has ended its context, or failed, has said all there is to say.
        if request.node.stash.get(_passed, False) and cuda.Context.get_current() == made:
            # A fault that the test caught is what it looked for; it has ended the context.
            if not made._fault_told:
                _wait_for_work(cuda, made)
                _report_leak(request, cuda, kind, used_before)
    finally:
        gc.collect()
        _leave(cuda, made, before)


def pytest_terminal_summary(terminalreporter, config):
    """Say which device the tests ran on."""
    name = config.stash.get(_device_name, None)
    if name is not None:
        checks = os.environ.get("PYCUDA_CPU_CHECK", "0") if name.startswith("CPU") else "0"
        checked = "" if checks in ("", "0") else ", memory accesses checked"
        if _quiet_checks() and checked:
            checked = f", checked for: {checks.replace(',', ', ')}"
        terminalreporter.write_line(f"CUDA tests ran on {name}{checked}")
