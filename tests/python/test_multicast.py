# SPDX-License-Identifier: MIT
"""Multicast objects of virtual devices: the example shows them at work, these tests what is refused."""

import pathlib

import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, run_file, run_program

ROOT = pathlib.Path(__file__).parents[2]

needs_cpu = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")


def test_devices_without_multicast_refuse_it(context):
    if context.get_device().get_attribute(cuda.device_attribute.MULTICAST_SUPPORTED):
        assert cuda.MulticastObject.granularity(1) > 0
        return
    with pytest.raises(cuda.LogicError, match="cuMulticastCreate failed: operation not supported"):
        cuda.MulticastObject(2, 2 << 20)
    with pytest.raises(TypeError, match="size must be an integer, not str"):
        cuda.MulticastObject(2, "all")


@needs_cpu
def test_devices_are_summed_up_by_one_instruction():
    output, _ = run_file(ROOT / "examples" / "gallery_multicast.py", PYCUDA_DRIVER="cpu", PYCUDA_CPU_DEVICES="3")
    assert output.startswith("65536 floats of 3 devices were summed up on all of them: correct\n")


@needs_cpu
def test_what_does_not_fit_is_refused_with_a_sentence():
    program = """
    import pycuda.autoinit
    import pycuda.driver as cuda
    unit = cuda.MulticastObject.granularity(2)
    team = cuda.MulticastObject(2, 2 * unit)
    def refused(function, *arguments, **keywords):
        try:
            function(*arguments, **keywords)
        except cuda.Error as error:
            print(error)
        else:
            print("not refused")
    team.add_device()
    refused(team.add_device)
    team.add_device(cuda.Device(1))
    memory = cuda.PhysicalMemory(unit, id=1)
    refused(team.bind, memory, offset=2 * unit)
    refused(team.bind, memory, offset=1)
    team.bind(memory, offset=unit)
    refused(team.bind, memory, offset=unit)
    refused(team.bind_address, 4096, unit)
    refused(team.unbind, cuda.Device(0))
    team.unbind(cuda.Device(1), unit, unit)
    refused(cuda.MulticastObject, 2, unit // 2)
    refused(cuda.MulticastObject, 3, unit)
    refused(cuda.MulticastObject, 2, unit, cuda.mem_handle_type.POSIX_FILE_DESCRIPTOR)
    """
    output, errors = run_program(program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_ARCH="90", PYCUDA_CPU_DEVICES="2")
    assert "not refused" not in output
    sentences = [
        "the device was added before",
        "the part is not in the object",
        "offsets and size are multiples of",
        "memory of the device is bound there already",
        "is no address of memory of cuMemCreate or cuMemAllocAsync",
        "no memory of the device was bound so",
        "the size is a multiple of",
        "there are 2 devices, and not 3",
        "other processes have no part in them",
    ]
    assert errors == ""
    for line, sentence in zip(output.splitlines(), sentences, strict=True):
        assert sentence in line
