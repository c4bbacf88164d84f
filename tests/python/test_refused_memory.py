# SPDX-License-Identifier: MIT
"""What the CPU driver says where it refuses memory without addresses, addresses without memory, and their use."""

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

PROGRAM = """
import pycuda.autoinit
import pycuda.driver as cuda
unit = cuda.mem_get_allocation_granularity()
memory = cuda.PhysicalMemory(unit)
addresses = cuda.mem_reserve(2 * unit)
addresses.map(memory)
try:
    {statement}
except cuda.Error as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("cuda.mem_reserve(4097)", "4097 bytes are no multiple of 2097152 (cuMemGetAllocationGranularity)"),
        ("cuda.mem_reserve(unit, alignment=3)", "an alignment is a power of two"),
        ("cuda.PhysicalMemory(4097)", "4097 bytes are no multiple of 2097152"),
        ("cuda.PhysicalMemory(unit, id=7)", "there is no device 7"),
        ("cuda.PhysicalMemory(unit, cuda.mem_location_type.HOST_NUMA, 3)", "the only node of the host's memory is 0"),
        ("addresses.map(memory)", "are not reserved, or something is mapped there"),
        ("addresses.set_access(3, id=9)", "there is no such device"),
        ("cuda.PhysicalMemory.of_address(4096, unit)", "nothing is mapped there"),
        ("cuda.PhysicalMemory.from_file_descriptor(0, unit)", "is none of memory of the CPU driver's"),
        ("memory.share()", "the memory was made without this type in requestedHandleTypes"),
    ],
)
def test_a_refusal_has_a_sentence(statement, sentence):
    output, errors = run_program(PROGRAM.format(statement=statement), PYCUDA_DRIVER="cpu")
    assert " failed: " in output
    assert sentence in output and errors == ""
