# SPDX-License-Identifier: MIT
"""What tells devices, contexts and streams apart."""

import re

import pycuda.driver as drv
import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.usefixtures("context")


def test_a_device_has_one_uuid():
    device = drv.Device(0)
    assert re.fullmatch(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", device.uuid())
    assert device.uuid() == drv.Device(0).uuid()
    others = {drv.Device(i).uuid() for i in range(drv.Device.count())}
    assert len(others) == drv.Device.count()


def test_contexts_and_streams_have_numbers_of_their_own():
    first, second = drv.Stream(), drv.Stream()
    assert first.id != second.id == second.id
    here = drv.Context.get_current()
    other = drv.Device(0).make_context()
    try:
        assert other.id != here.id
    finally:
        other.pop()
        other.detach()


def test_a_device_is_no_peer_of_itself():
    device = drv.Device(0)
    with pytest.raises(drv.Error):
        device.get_p2p_attribute(drv.device_p2p_attribute.ACCESS_SUPPORTED, device)


PEERS = """
import pycuda.driver as drv
drv.init()
one, two = drv.Device(0), drv.Device(1)
access = one.get_p2p_attribute(drv.device_p2p_attribute.ACCESS_SUPPORTED, two)
assert bool(access) == one.can_access_peer(two)
assert one.uuid() != two.uuid()
"""


def test_peers_agree_on_access():
    if drv.Device.count() < 2 and not has_cpu_driver():
        pytest.skip("needs two devices, or the CPU driver, which makes them")
    settings = {} if drv.Device.count() > 1 else {"PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_DEVICES": "2"}
    run_program(PEERS, **settings)


def test_persisting_lines_are_reset():
    drv.Context.reset_persisting_l2_cache()
