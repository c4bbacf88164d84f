# SPDX-License-Identifier: MIT
"""A pytest plug-in: CUDA tests on a GPU or on the CPU, in a fresh context each, with faults and leaks reported.

Installed with the package; without installing, `pytest -p pycuda.pytest_plugin`. Nothing of CUDA is loaded until a test
asks for it, so the plug-in costs other tests nothing.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import gc
import os
import sys
import warnings

import pytest

from pycuda import _test_advice
from pycuda._tested_kernels import CAPTURE_ERRORS, KernelWatch, said_by

#: Longer than any kernel of a test should run, and short enough for a job of CI.
_KERNEL_SECONDS = 600
_DRIVER_OF = {"cpu": "cpu", "gpu": "nvidia"}
_KIND_OF = {"cpu": "CPU", "gpu": "NVIDIA"}

_passed = pytest.StashKey[bool]()
_passed_on = pytest.StashKey[bool]()
_watch = pytest.StashKey["KernelWatch"]()
_devices = pytest.StashKey[dict]()
_sections = pytest.StashKey[list]()
_lost_before = pytest.StashKey[str]()
_holders = pytest.StashKey[dict]()
_fixtures = pytest.StashKey[dict]()
_ended = pytest.StashKey[set]()


class CudaSettingWarning(UserWarning):
    """A variable of the environment looks like one of this package's, misspelt."""


class CudaMemoryLeakWarning(UserWarning):
    """A test ended and device memory that it had allocated is still in use."""


def _names_of_checks(text):
    from pycuda._check_names import ALLOWED, unknown_checks  # start-up time: as below

    if (unknown := unknown_checks(text)) is not None:
        hint = "write files and folders before --cuda-check, or a name after it: " if os.path.exists(text) else ""
        raise argparse.ArgumentTypeError(f"there is no check {unknown!r}: {hint}{ALLOWED} (as in --cuda-check=memory)")
    return text


def _seconds(text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds (0: no limit)")
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
        "--cuda-timeout",
        type=_seconds,
        metavar="SECONDS",
        help="on the CPU driver, end kernels that run longer, with an error; 0: never (default: $PYCUDA_CPU_TIMEOUT, "
        f"else the timeout of pytest-timeout, else {_KERNEL_SECONDS})",
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
    _pass_on(early_config, early_config.known_args_namespace)


def _pass_on(config, options):
    """Set the driver's variables by the options."""
    config.stash[_passed_on] = True
    if options.cuda_device in _DRIVER_OF:
        os.environ["PYCUDA_DRIVER"] = _DRIVER_OF[options.cuda_device]
    if options.cuda_check is not None:
        os.environ["PYCUDA_CPU_CHECK"] = options.cuda_check
    elif not os.environ.get("PYCUDA_CPU_CHECK"):
        os.environ["PYCUDA_CPU_CHECK"] = "1"
    if options.cuda_timeout is not None:
        os.environ["PYCUDA_CPU_TIMEOUT"] = options.cuda_timeout
    elif not os.environ.get("PYCUDA_CPU_TIMEOUT"):
        os.environ["PYCUDA_CPU_TIMEOUT"] = str(_test_seconds(config, options) or _KERNEL_SECONDS)


def _test_seconds(config, options):
    """How long a test may take by pytest-timeout; None where it has no limit."""
    try:
        value = options.timeout or os.environ.get("PYTEST_TIMEOUT") or config.getini("timeout")
        seconds = float(value or 0)
    except (AttributeError, KeyError, ValueError):
        return None
    return seconds if seconds > 0 else None


def pytest_configure(config):
    """The markers; the environment as every conftest.py has left it."""
    from pycuda import _settings, _variables  # start-up time: after the options

    if _passed_on not in config.stash:  # a conftest.py has named the plug-in: the hook above had run before
        _pass_on(config, config.option)
    try:
        for sentence in _variables.misspelt(os.environ):
            config.issue_config_time_warning(CudaSettingWarning(sentence), stacklevel=2)
    except CudaSettingWarning as error:  # warnings are errors
        raise pytest.UsageError(str(error)) from None
    if wrong := _settings.problems(os.environ):
        raise pytest.UsageError("\n".join(wrong))
    config.stash[_holders], config.stash[_fixtures], config.stash[_devices] = {}, {}, {}
    config.stash[_watch] = KernelWatch(os.environ.get("PYCUDA_CPU_CHECK", "0"))
    config.addinivalue_line("markers", "gpu: needs an NVIDIA GPU; skipped where tests run on the CPU driver")
    config.addinivalue_line("markers", "cuda: runs CUDA code (pycuda.tools.mark_cuda_test)")


def pytest_report_header():
    """Say where the original PyCUDA is in the way."""
    return _installation_problem()


def _installation_problem():
    from pycuda import _original  # start-up time: as above

    return _original.problem()


def _is_controller(config):
    """Whether pytest-xdist runs the tests in other processes."""
    return not hasattr(config, "workerinput") and config.getoption("dist", "no") != "no"


def pytest_sessionstart(session):
    """Look for findings from the first launch on."""
    if _quiet_checks() and not _is_controller(session.config):
        with contextlib.suppress(Exception):  # a test that needs the driver says what is wrong with it
            session.config.stash[_watch].begin()


def _driver_kind(config):
    """'CPU', 'NVIDIA' or 'other': what the tests run on. Fails the test when it is not what was asked for."""
    from pycuda._driver import _rtc  # start-up time: pytest loads this plug-in for every project

    wanted = config.option.cuda_device
    try:
        origin = _rtc.driver_origin()
    except Exception as error:
        raise pytest.fail.Exception(f"--cuda-device={wanted}: {error}", pytrace=False) from None
    kind = origin["kind"]
    if wanted in _KIND_OF and kind != _KIND_OF[wanted]:
        how = f"the {kind} driver was loaded before pytest read its options"
        if origin["reason"] == f"PYCUDA_DRIVER={_DRIVER_OF[wanted]}":
            how = f"{origin['library']} is the {kind} driver: take it out of LD_LIBRARY_PATH"
        pytest.fail(f"--cuda-device={wanted}, but {how}", pytrace=False)
    return kind


def _quiet_checks():
    """Those of the session's checks whose findings end no launch, as PYCUDA_CPU_CHECK has them; "" for none."""
    names = os.environ.get("PYCUDA_CPU_CHECK", "").split(",")
    return ",".join(name for name in names if name.strip() in ("init", "race", "sync", "all"))


def _report_findings(item, name, after="the test"):
    """A wrapper of a part of a test: it fails if its kernels do, or have findings."""
    watch = item.config.stash[_watch]
    try:
        result = yield
    except (KeyboardInterrupt, pytest.exit.Exception):
        raise
    except BaseException as error:
        found = watch.settle(name, after)
        if found and isinstance(error, pytest.skip.Exception):
            raise pytest.fail.Exception(said_by(found), pytrace=False) from None
        item.stash.setdefault(_sections, []).extend(found)
        raise
    if found := watch.settle(name, after):
        item.stash.setdefault(_sections, []).extend(found)
        pytest.fail(said_by(found), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """Skip tests marked `gpu` where there is none; fail a test whose fixtures launch kernels with findings."""
    watch = item.config.stash[_watch]
    watch.outside += watch.settle("code outside of tests")
    _note_device(item.config)
    item.stash[_lost_before] = watch.lost_before(item.nodeid)
    if item.get_closest_marker("gpu") and _driver_kind(item.config) != "NVIDIA":
        pytest.skip("needs an NVIDIA GPU")
    return (yield from _report_findings(item, item.nodeid, "the setup"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a test whose kernels fail or have findings."""
    return (yield from _report_findings(item, item.nodeid))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    """The same for what its fixtures do at the end."""
    return (yield from _report_findings(item, item.nodeid))


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
    if fixturedef.scope == "function":
        request.node.stash.setdefault(_ended, set()).add(fixturedef.argname)


def _is_of_package(entry):
    return entry.frame.f_globals.get("__name__", "").partition(".")[0] == "pycuda"


def _is_refusal(excinfo):
    """Whether the package has refused a call; an error in a line that does not say `raise` may be a bug of its own."""
    if excinfo is None or not _is_of_package(excinfo.traceback[-1]):
        return False
    said = isinstance(excinfo.value, sys.modules["pycuda._driver"].Error)
    return said or str(excinfo.traceback[-1].statement).lstrip().startswith("raise")


def _hide_package(excinfo):
    """Let the traceback of a call that the package refuses end at the test's line; `--full-trace` shows the rest."""
    if "pycuda._driver" in sys.modules:
        for entry in filter(_is_of_package, excinfo.traceback):
            entry.frame.f_globals["__tracebackhide__"] = _is_refusal  # as pytest has it, for the module


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    """Add what is known of kernels to a failure.

    Remember whether the test itself passed, too: a failed one keeps its variables alive in its traceback.
    """
    if call.excinfo is not None:
        _hide_package(call.excinfo)
    report = yield
    found = item.stash.get(_sections, [])
    if call.excinfo is not None:
        said = str(call.excinfo.value)
        lost = item.stash.get(_lost_before, "")
        # Of the fault that is spoken of: the test's own context may be lost, too.
        if lost and report.failed and "context is lost" in said and lost.rpartition(" failed: ")[2] in said:
            report.sections.append(("CUDA", lost))
        report.sections += [("CUDA", text) for text in _test_advice.on(item, call)]
        # Of a test that is expected to fail, and of one that fails by itself: else the failure says it.
        if found and (hasattr(report, "wasxfail") or said_by(found) != said):
            report.sections.append(("CUDA", said_by(found)))
    item.stash[_sections] = []
    if call.when == "call":
        item.stash[_passed] = report.passed
    return report


def _used_bytes(cuda, kind):
    """Device memory in use, by a count that only this process changes."""
    from pycuda._driver import _array  # start-up time: as above

    gc.collect()
    # What arrays keep for later ones, freed blocks and compiled kernels, is not a leak.
    _array.free_held_memory()
    _array.forget_all()
    if kind == "CPU":
        free, total = cuda.mem_get_info()
        return total - free
    # A GPU's driver counts what other processes use as well, and what it takes for itself.
    return _live_bytes()


def _live_bytes():
    """As many bytes as this package has allocated and not freed."""
    from pycuda._driver import _live_device_bytes  # start-up time: as above

    return _live_device_bytes()


def _new_holders(request):
    """What holds memory since the last call, as a sentence."""
    from pycuda._leak_places import where  # start-up time: as above

    stash = request.config.stash
    return where(str(request.config.rootpath), stash[_fixtures].values(), stash[_holders])


def _report_leak(request, cuda, kind, used_before, live_before):
    answer = request.config.option.cuda_leaks
    if answer == "ignore":
        return
    lost = _used_bytes(cuda, kind) - used_before
    if lost > 0:
        from pycuda._leak_places import holds_memory  # start-up time: as above

        # What doctest has shown last, which Python keeps under this name.
        if holds_memory(getattr(builtins, "_", None)):
            del builtins._
        # pytest keeps their values until the test is gone.
        for name in request.node.stash.get(_ended, ()):
            getattr(request.node, "funcargs", {}).pop(name, None)
        lost = _used_bytes(cuda, kind) - used_before
    if lost <= 0:
        return
    held = _new_holders(request)
    if not held and holds_memory(request.instance):
        return  # ends with the test
    held = held or "something that outlives it refers to an allocation, an array or a module"
    # The driver counts whole pages, and what other packages allocate.
    own = _live_bytes() - live_before
    if 0 < own < lost < own + 2**16:
        lost = own
    text = f"{lost} bytes of device memory are still allocated after the test: {held}"
    if answer == "error":
        pytest.fail(text, pytrace=False)
    warnings.warn(CudaMemoryLeakWarning(f"{request.node.nodeid}: {text}"), stacklevel=1)


def _wait_for_work(cuda, made, passed):
    try:
        made.synchronize()
    except cuda.Error as error:
        is_open = error.code in CAPTURE_ERRORS
        if is_open and not passed:
            return
        what = "the test left a capture open" if is_open else "a kernel failed after the test"
        raise pytest.fail.Exception(f"{what}: {error}", pytrace=False) from None


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
    if problem := _installation_problem():
        pytest.fail(problem, pytrace=False)
    kind = _driver_kind(request.config)
    import pycuda.driver as cuda  # start-up time: as above
    from pycuda import tools

    watch = request.config.stash[_watch]
    try:
        cuda.init()
        watch.begin()
        before = cuda.Context.get_current()
        made = tools.make_default_context()
    except (cuda.Error, RuntimeError, ValueError) as error:
        raise pytest.fail.Exception(f"no CUDA context: {error}", pytrace=False) from None
    _note_device(request.config)
    used_before, live_before = _used_bytes(cuda, kind), _live_bytes()
    yield made
    tools.clear_context_caches()
    try:
        passed = request.node.stash.get(_passed, False)
        # A fault that the test caught is what it looked for; it has ended the context.
        if cuda.Context.get_current() == made and not made._fault_told:
            _wait_for_work(cuda, made, passed)
            if passed:
                _report_leak(request, cuda, kind, used_before, live_before)
        if not passed and request.config.option.cuda_leaks != "ignore":
            _new_holders(request)  # not those of the next test
    finally:
        gc.collect()
        _leave(cuda, made, before)
        watch.forget(made)


def _note_device(config):
    """Remember the device of the current context, for the line at the end."""
    context = config.stash[_watch].context()
    if context is None or config.stash[_devices]:
        return
    import pycuda.driver as cuda  # start-up time: as above

    with contextlib.suppress(cuda.Error):  # a context that is lost
        device = context.get_device()
        name = device.name()
        checks = os.environ.get("PYCUDA_CPU_CHECK", "0") if name.startswith("CPU") else "0"
        checked = "" if checks == "0" else ", memory accesses checked"
        if _quiet_checks() and checked:
            checked = f", checked for: {checks.replace(',', ', ')}"
        capability = ".".join(map(str, device.compute_capability()))
        config.stash[_devices][f"CUDA tests ran on {name}, compute capability {capability}{checked}"] = True


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    """Fail if something was found outside of tests."""
    config = session.config
    watch = config.stash[_watch]
    if session.exitstatus != pytest.ExitCode.INTERRUPTED:
        watch.outside += watch.settle("code outside of tests")
    watch.end()
    if hasattr(config, "workeroutput"):
        config.workeroutput["pycuda"] = {"outside": watch.outside, "devices": list(config.stash[_devices])}
    elif watch.outside and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Take what a worker of pytest-xdist has to say."""
    said = getattr(node, "workeroutput", {}).get("pycuda", {})
    node.config.stash[_watch].outside += said.get("outside", [])
    node.config.stash[_devices].update(dict.fromkeys(said.get("devices", [])))


def pytest_terminal_summary(terminalreporter, config):
    """Say which device the tests ran on, and what no test reports."""
    for line in config.stash[_devices]:
        terminalreporter.write_line(line)
    for report in terminalreporter.stats.get("xfailed", []):
        for title, text in report.sections:
            if title == "CUDA":
                terminalreporter.write_line(f"found in {report.nodeid}, which is marked xfail: {text}")
    if outside := config.stash[_watch].outside:
        terminalreporter.section("CUDA code outside of tests", red=True)
        terminalreporter.write_line(said_by(outside))
