# SPDX-License-Identifier: MIT
"""Numbers that no member of an enumeration has, members of other enumerations, and captures out of order."""

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def kernel():
    return SourceModule("__global__ void k(int *a) {}").get_function("k")


def managed():
    return cuda.managed_zeros(4, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)


UNKNOWN = {
    "device_attribute": lambda: cuda.Device(0).get_attribute(99999),
    "limit": lambda: cuda.Context.set_limit(77, 1),
    "limit to read": lambda: cuda.Context.get_limit(77),
    "func_cache": lambda: kernel().set_cache_config(55),
    "func_cache of the context": lambda: cuda.Context.set_cache_config(55),
    "shared_config": lambda: kernel().set_shared_config(55),
    "function_attribute": lambda: kernel().get_attribute(500),
    "function_attribute to set": lambda: kernel().set_attribute(500, 1),
    "capture_mode": lambda: cuda.Stream().begin_capture(77),
    "array_format": lambda: cuda.TextureReference().set_format(77, 1),
    "filter_mode": lambda: cuda.TextureReference().set_filter_mode(77),
    "address_mode": lambda: cuda.TextureReference().set_address_mode(0, 77),
    "jit_input_type": lambda: cuda.Linker().add_data(b"abc", 77, "x"),
    "mem_pool_attribute": lambda: cuda.StreamOrderedMemoryPool.current().get_attribute(77),
    "mem_access_flags": lambda: cuda.StreamOrderedMemoryPool.current().set_access(77),
    "mem_advice": lambda: cuda.mem_advise(managed(), 77),
    "mem_range_attribute": lambda: cuda.mem_range_get_attribute(managed(), 77),
    "launch_attribute": lambda: cuda.Stream().get_attribute(77),
    "graph_mem_attribute": lambda: cuda.Device(0).get_graph_mem_attribute(77),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_number_is_told_with_where_the_members_are(name):
    if not cuda.Context.get_device().name().startswith("CPU"):
        pytest.skip("needs the CPU driver: NVIDIA's may accept what it does not know")
    with pytest.raises(cuda.LogicError) as refused:
        UNKNOWN[name]()
    text = str(refused.value)
    assert f"pycuda.driver.{name.split()[0]} has no member of value " in text, text
    assert ": it has " in text or "lists them" in text, text
    assert "\n" not in text


OTHERS = {
    "a device's attribute for a limit": (
        lambda: cuda.Context.set_limit(cuda.device_attribute.MAX_BLOCK_DIM_X, 1024),
        r"the limit must be a member of pycuda\.driver\.limit, not pycuda\.driver\.device_attribute\.MAX_BLOCK_DIM_X",
    ),
    "a device's attribute for a function's": (
        lambda: kernel().get_attribute(cuda.device_attribute.WARP_SIZE),
        r"a member of pycuda\.driver\.function_attribute, not pycuda\.driver\.device_attribute\.WARP_SIZE",
    ),
    "a function's attribute for a device's": (
        lambda: cuda.Device(0).get_attribute(cuda.function_attribute.NUM_REGS),
        r"a member of pycuda\.driver\.device_attribute, not pycuda\.driver\.function_attribute\.NUM_REGS",
    ),
    "an address mode as a filter": (
        lambda: cuda.TextureReference().set_filter_mode(cuda.address_mode.CLAMP),
        r"fm must be a member of pycuda\.driver\.filter_mode, not pycuda\.driver\.address_mode\.CLAMP",
    ),
    "a text": (
        lambda: cuda.Device(0).get_attribute("WARP_SIZE"),
        r"the attribute must be a member of pycuda\.driver\.device_attribute, not str",
    ),
}


@pytest.mark.parametrize("mistake", OTHERS)
def test_a_member_of_another_enumeration_is_refused(mistake):
    call, words = OTHERS[mistake]
    with pytest.raises(TypeError, match=words):
        call()


def test_integers_of_numpy_and_plain_ones_stand_for_members():
    device = cuda.Device(0)
    warp = device.get_attribute(cuda.device_attribute.WARP_SIZE)
    for number in (10, np.int32(10), np.uint8(10)):
        assert device.get_attribute(number) == warp


def test_a_limit_that_is_too_large_says_what_there_may_be():
    if not cuda.Context.get_device().name().startswith("CPU"):
        pytest.skip("needs the CPU driver")
    with pytest.raises(cuda.LogicError, match="a thread's stack has at most 524288 bytes"):
        cuda.Context.set_limit(cuda.limit.STACK_SIZE, 1 << 40)


def test_captures_out_of_order():
    stream = cuda.Stream()
    with pytest.raises(cuda.LogicError, match=r"not being captured: begin_capture\(\) comes first"):
        stream.end_capture()
    stream.begin_capture()
    with pytest.raises(cuda.LogicError, match="the stream is captured already"):
        stream.begin_capture()
    stream.end_capture()
    with pytest.raises(cuda.LogicError, match=r"one end_capture\(\) ends it"):
        stream.end_capture()
