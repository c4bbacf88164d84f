# SPDX-License-Identifier: MIT
"""Enumerations are subclasses of int with PyCUDA's names, texts and look-ups."""

import copy
import pickle

import pycuda._driver as extension
import pycuda.driver as cuda
import pytest


def test_members_are_ints_with_names():
    member = cuda.limit.STACK_SIZE
    assert isinstance(member, int) and isinstance(member, cuda.limit)
    assert member == 0
    assert member.name == "STACK_SIZE"
    assert str(member) == "STACK_SIZE"
    assert repr(member) == "pycuda.driver.limit.STACK_SIZE"


def test_unknown_numbers_make_nameless_members():
    member = cuda.limit(77)
    assert member == 77
    assert member.name is None
    assert repr(member) == "pycuda.driver.limit(77)"
    assert str(member) == "77"


def test_known_numbers_give_the_member_that_is_there():
    assert cuda.func_cache(1) is cuda.func_cache.PREFER_SHARED


def test_aliases_keep_their_own_names():
    assert cuda.ctx_flags.BLOCKING_SYNC == cuda.ctx_flags.SCHED_BLOCKING_SYNC
    assert cuda.ctx_flags.BLOCKING_SYNC.name == "BLOCKING_SYNC"
    assert cuda.ctx_flags.values[4].name == "SCHED_BLOCKING_SYNC"


def test_names_and_values_look_members_up():
    names = cuda.array_format.names
    assert names["FLOAT"] is cuda.array_format.FLOAT
    assert cuda.array_format.values[0x20] is cuda.array_format.FLOAT


def test_combining_members_gives_a_plain_int():
    both = cuda.ctx_flags.SCHED_YIELD | cuda.ctx_flags.MAP_HOST
    assert type(both) is int and both == 10


def test_flag_classes_hold_plain_ints():
    assert type(cuda.host_alloc_flags.DEVICEMAP) is int
    assert cuda.host_alloc_flags.DEVICEMAP == 2
    assert getattr(cuda.array3d_flags, "2DARRAY") == 1  # noqa: B009
    assert cuda.array3d_flags.LAYERED == 1


def test_members_survive_pickling():
    member = cuda.device_attribute.WARP_SIZE
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(member, protocol)) is member
    assert pickle.loads(pickle.dumps(cuda.limit(77))) == 77
    # As this package wrote them before, and the original does.
    assert pickle.loads(b"cpycuda._driver\ndevice_attribute\n(I10\ntR.") is member


def test_aliases_survive_pickling_and_copying():
    alias, first = cuda.ctx_flags.BLOCKING_SYNC, cuda.ctx_flags.SCHED_BLOCKING_SYNC
    for again in (pickle.loads(pickle.dumps(alias)), copy.copy(alias), copy.deepcopy(alias)):
        assert again is alias
    assert (alias.name, first.name) == ("BLOCKING_SYNC", "SCHED_BLOCKING_SYNC")


def test_members_work_as_keys():
    assert {cuda.event_flags.DISABLE_TIMING: 1}[2] == 1


@pytest.mark.parametrize("name", ["limit", "device_attribute", "jit_target", "memory_type"])
def test_classes_name_the_extension_as_their_module(name):
    assert getattr(cuda, name) is getattr(extension, name)
    assert getattr(cuda, name).__module__ == "pycuda.driver"


def test_later_jit_targets_are_there():
    assert cuda.jit_target.COMPUTE_90A == 65626
    assert cuda.jit_target.COMPUTE_100 == 100
