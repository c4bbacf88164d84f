# SPDX-License-Identifier: MIT
"""Flags that mean nothing: the driver's error says what may be passed."""

import numpy as np
import pycuda.driver as cuda
import pytest

pytestmark = pytest.mark.usefixtures("context")


def page():
    return np.zeros(4096, np.uint8)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: cuda.Stream(flags=99), r"flags=99: they are 0 or 1, which is stream_flags\.NON_BLOCKING"),
        (lambda: cuda.Stream(flags=99, priority=-1), "flags=99: they are 0 or 1"),
        (lambda: cuda.Event(flags=99), "flags=99: they are combined from those of event_flags"),
        (lambda: cuda.Event(cuda.event_flags.INTERPROCESS), "needs event_flags.DISABLE_TIMING beside it"),
        (lambda: cuda.Context.get_device().make_context(99999), "flags=99999: .* ctx_flags"),
        (lambda: cuda.Context.get_device().make_context(3), "flags=3: .* one of SCHED_"),
        (lambda: cuda.pagelocked_empty(4, np.int32, mem_flags=999), "flags=999: .* host_alloc_flags"),
        (lambda: cuda.register_host_memory(page(), flags=99), "flags=99: .* mem_host_register_flags"),
        (lambda: cuda.managed_empty(4, np.int32, mem_flags=99), "mem_flags=99: pass mem_attach_flags.GLOBAL or"),
        (lambda: cuda.init(5), "flags=5: they must be 0"),
    ],
)
def test_the_error_says_what_may_be_passed(make, words):
    before = cuda.Context.get_current()
    with pytest.raises(cuda.LogicError, match=f"invalid argument - .*{words}"):
        make()
    # Nothing is lost.
    assert cuda.Context.get_current() == before
    cuda.Context.synchronize()
