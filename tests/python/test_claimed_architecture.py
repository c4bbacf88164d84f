# SPDX-License-Identifier: MIT
"""PYCUDA_CPU_ARCH: what the CPU driver's device claims to be."""

import pathlib

import pycuda
import pytest
from programs import run_program

pytestmark = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)

FACTS = """
import pycuda.autoinit
import pycuda.driver as cuda
device = pycuda.autoinit.device
attribute = cuda.device_attribute
print(device.compute_capability())
for name in ("MAX_THREADS_PER_MULTIPROCESSOR", "MAX_BLOCKS_PER_MULTIPROCESSOR",
             "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN", "MAX_SHARED_MEMORY_PER_BLOCK",
             "RESERVED_SHARED_MEMORY_PER_BLOCK", "CLUSTER_LAUNCH", "TENSOR_MAP_ACCESS_SUPPORTED"):
    print(device.get_attribute(getattr(attribute, name)))
"""

# Compute capability; threads and blocks of a multiprocessor; its shared memory and a block's, in KiB; what of it is the
# system's; clusters and tensor maps.
ARCHITECTURES = {
    None: ((8, 0), 2048, 32, 164, 163, 48, 1024, 0),
    "75": ((7, 5), 1024, 16, 64, 64, 48, 0, 0),
    "80": ((8, 0), 2048, 32, 164, 163, 48, 1024, 0),
    "86": ((8, 6), 1536, 16, 100, 99, 48, 1024, 0),
    "89": ((8, 9), 1536, 24, 100, 99, 48, 1024, 0),
    "90": ((9, 0), 2048, 32, 228, 227, 48, 1024, 1),
    "90a": ((9, 0), 2048, 32, 228, 227, 48, 1024, 1),
    "100": ((10, 0), 2048, 32, 228, 227, 48, 1024, 1),
}


def environment(architecture):
    return {"PYCUDA_DRIVER": "cpu", "PYCUDA_CPU_ARCH": architecture}


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=str)
def test_the_device_has_the_architectures_limits(architecture):
    capability, threads, blocks, shared, block_shared, usual, reserved, hopper = ARCHITECTURES[architecture]
    output, _ = run_program(FACTS, **environment(architecture))
    numbers = [threads, blocks, shared * 1024, block_shared * 1024, usual * 1024, reserved, hopper, hopper]
    assert output.splitlines() == [str(capability), *map(str, numbers)]


def test_the_name_may_have_its_prefix():
    output, _ = run_program(FACTS, **environment("sm_86"))
    assert output.startswith("(8, 6)\n")


@pytest.mark.parametrize("value", ["70", "90b", "sm_", "hopper", "compute_90"])
def test_another_value_is_told_of_and_not_used(value):
    output, errors = run_program(FACTS, **environment(value))
    assert output.startswith("(8, 0)\n")
    assert (
        f"PYCUDA_CPU_ARCH={value} is not understood: it may be 75, 80, 86, 89, 90, 90a or 100; used instead: 80"
        in errors
    )


COMPILED = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('''
__global__ void ask(int *out)
{
  out[0] = __CUDA_ARCH__;
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  out[1] = 1;
#else
  out[1] = 0;
#endif
}
''')
out = np.zeros(2, np.int32)
module.get_function("ask")(cuda.Out(out), block=(1, 1, 1))
print(*out)
"""


@pytest.mark.parametrize(
    ("architecture", "macros"), [(None, "800 0"), ("75", "750 0"), ("90", "900 0"), ("90a", "900 1"), ("100", "1000 0")]
)
def test_code_is_compiled_for_it(architecture, macros):
    output, _ = run_program(COMPILED, **environment(architecture))
    assert output == macros + "\n"


WARPS = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('__global__ void warps(int *out) { asm("mov.u32 %0, %%nwarpid;" : "=r"(out[threadIdx.x])); }')
out = np.zeros(96, np.int32)
module.get_function("warps")(cuda.Out(out), block=(96, 1, 1))
print(*set(out))
"""


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=str)
def test_a_thread_is_told_how_many_warps_a_multiprocessor_holds(architecture):
    output, _ = run_program(WARPS, **environment(architecture))
    assert output == f"{ARCHITECTURES[architecture][1] // 32}\n"


LOADED = """
import pycuda.autoinit
import pycuda.driver as cuda
for target in TARGETS:
    text = f".version 9.0\\n.target {target}\\n.address_size 64\\n.visible .entry k() {{ ret; }}\\n"
    try:
        module = cuda.module_from_buffer(text.encode())
        cuda_kernel = module.get_function("k")
        cuda_kernel(block=(1, 1, 1))
        print(target, "loads")
    except cuda.Error as error:
        print(target, error)
"""


@pytest.mark.parametrize(
    ("architecture", "loads", "newer", "others"),
    [
        ("80", ["sm_50", "sm_75", "sm_80"], ["sm_86", "sm_90", "sm_90a", "sm_100"], []),
        ("90", ["sm_75", "sm_80", "sm_90", "sm_90a"], ["sm_100", "sm_100a"], []),
        ("90a", ["sm_80", "sm_90", "sm_90a"], ["sm_100"], []),
        ("100", ["sm_80", "sm_90", "sm_100", "sm_100a", "sm_100f"], ["sm_103"], ["sm_90a"]),
    ],
)
def test_code_for_what_it_is_not_is_refused(architecture, loads, newer, others):
    program = f"TARGETS = {loads + newer + others!r}\n" + LOADED
    output, _ = run_program(program, **environment(architecture))
    lines = dict(line.split(" ", 1) for line in output.splitlines() if line.startswith("sm_"))
    assert [target for target, what in lines.items() if what == "loads"] == loads
    for target in newer + others:
        is_newer = target in newer
        reason = "code for a newer architecture cannot be loaded" if is_newer else "on its own architecture alone"
        assert f"the PTX is for {target}, and the device has the architecture sm_{architecture}" in output
        assert reason in output


def test_without_the_variable_all_code_is_loaded():
    targets = ["sm_75", "sm_80", "sm_90", "sm_90a", "sm_100"]
    output, _ = run_program(f"TARGETS = {targets!r}\n" + LOADED, **environment(None))
    assert output.splitlines() == [f"{target} loads" for target in targets]
