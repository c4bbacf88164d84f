# SPDX-License-Identifier: MIT
"""What a failed test can do about errors whose own messages advise programs."""

from __future__ import annotations

import pytest

_NO_CONTEXT = "no currently active context?"
# Said of what belonged to a context that is gone.
_OUTLIVED = (
    "the context has been detached",
    "belongs to a context that is gone",
    "belongs to another context",
)

_ARGUMENT = "the test has no context: take the fixture cuda_context as an argument"
# Where a fixture cannot be an argument, by unittest or by Hypothesis.
_MARK = 'the test has no context: mark it with `@pytest.mark.usefixtures("cuda_context")`'
_SETUP_CLASS = (
    "setUpClass runs before the fixtures of a test: make what needs a context in setUp, and mark the class with "
    '`@pytest.mark.usefixtures("cuda_context")`'
)
_DOCTEST = 'the example has no context: begin with `>>> context = getfixture("cuda_context")`'
_SETUP_METHOD = (
    "setup_method and setup_function run before the fixtures of usefixtures: make it a fixture that takes the context, "
    "as in `@pytest.fixture(autouse=True)` and `def setup(self, cuda_context): ...`"
)
_EARLY_FIXTURE = (
    "a fixture ran before cuda_context: let it take cuda_context as an argument; one of a larger scope cannot, so it "
    "makes NumPy arrays, and the test copies them"
)
_OWN_CONTEXT = (
    "each test has a context of its own: keep kernels, arrays and streams between tests by "
    "pycuda.tools.context_dependent_memoize, not in variables of modules or classes"
)
_HYPOTHESIS = (
    "all examples that Hypothesis tries have one context, and after a fault they all fail: let the test make a context "
    "for each example by pycuda.tools.make_default_context(), wait in it and detach it, without cuda_context"
)
_GIVEN_ARGUMENT = (
    "Hypothesis runs all examples in the one context of cuda_context: where that is fine, name the fixture by "
    '`@pytest.mark.usefixtures("cuda_context")`, not as an argument'
)


def on(item, call):
    """The advice on what a part of a test, a `pytest.CallInfo`, has raised: a list of sentences."""
    error = call.excinfo.value
    examples = (getattr(failure, "exc_info", None) for failure in getattr(error, "failures", [error]))
    said = "".join(map(str, (error, *(raised[1] for raised in examples if raised))))
    advice = []
    if _NO_CONTEXT in said:
        advice.append(_on_no_context(item, call))
    has_own = "cuda_context" in getattr(item, "fixturenames", ())
    if any(words in said for words in _OUTLIVED):
        advice.append(_OWN_CONTEXT)
    if _is_given(item) and has_own:
        # Hypothesis puts failures that contradict each other into a group.
        if "context was lost earlier" in "".join(map(str, (error, *getattr(error, "exceptions", ())))):
            advice.append(_HYPOTHESIS)
        if type(error).__name__ == "FailedHealthCheck" and "'cuda_context'" in said:
            advice.append(_GIVEN_ARGUMENT)
    return advice


def _is_given(item):
    return hasattr(getattr(item, "obj", None), "hypothesis")


def _on_no_context(item, call):
    called = {entry.name for entry in call.excinfo.traceback}
    if "setUpClass" in called:
        return _SETUP_CLASS
    if call.when == "setup" and "cuda_context" in getattr(item, "fixturenames", ()):
        return _SETUP_METHOD if called & {"setup_method", "setup_function", "setUp"} else _EARLY_FIXTURE
    if isinstance(item, pytest.DoctestItem):
        return _DOCTEST
    in_unittest = hasattr(getattr(item, "cls", None), "assertEqual")
    return _MARK if in_unittest or _is_given(item) else _ARGUMENT
