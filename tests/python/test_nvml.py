# SPDX-License-Identifier: MIT
"""The stand-in for NVML: device lists and monitors see the CPU driver's devices."""

import subprocess
import sys

import pytest
from nvml_programs import monitor
from programs import has_cpu_driver

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")


def test_devices_have_the_drivers_names_and_places():
    assert monitor(
        """
cuda = ctypes.CDLL("libcuda.so.1")
name, bus = ctypes.create_string_buffer(96), ctypes.create_string_buffer(32)
assert nvml.nvmlInit_v2() == 0
count, index, found, pci = c_uint(), c_uint(), c_void_p(), Pci()
assert nvml.nvmlDeviceGetCount_v2(byref(count)) == 0
second = device(1)
assert cuda.cuDeviceGetName(name, 96, 1) == 0 and cuda.cuDeviceGetPCIBusId(bus, 32, 1) == 0
print(count.value, text(nvml.nvmlDeviceGetName, second) == name.value.decode())
uuid = text(nvml.nvmlDeviceGetUUID, second)
assert nvml.nvmlDeviceGetHandleByUUID(uuid.encode(), byref(found)) == 0
print(found.value == second.value, uuid != text(nvml.nvmlDeviceGetUUID, device(0)))
assert nvml.nvmlDeviceGetHandleByPciBusId_v2(bus.value, byref(found)) == 0
assert nvml.nvmlDeviceGetPciInfo_v3(second, byref(pci)) == 0
print(found.value == second.value, pci.bus.decode().endswith(bus.value.decode()[4:]))
assert nvml.nvmlDeviceGetIndex(second, byref(index)) == 0
major, minor, version = c_int(), c_int(), c_int()
assert nvml.nvmlDeviceGetCudaComputeCapability(second, byref(major), byref(minor)) == 0
assert nvml.nvmlSystemGetCudaDriverVersion_v2(byref(version)) == 0
print(index.value, major.value, minor.value, version.value // 1000)
""",
        "--devices",
        "2",
    ) == ["2 True", "True True", "True True", "1 8 0 13"]


def test_memory_is_what_programs_can_take():
    assert monitor(
        """
nvml.nvmlInit_v2()
now, newer = Memory(), MemoryV2()
assert nvml.nvmlDeviceGetMemoryInfo(device(), byref(now)) == 0
print(now.total == 256 << 20, now.used + now.free == now.total)
newer.version = ctypes.sizeof(MemoryV2) | 2 << 24
print(nvml.nvmlDeviceGetMemoryInfo_v2(device(), byref(newer)), newer.total == now.total)
newer.version = 1
print(nvml.nvmlDeviceGetMemoryInfo_v2(device(), byref(newer)))
use = Use()
assert nvml.nvmlDeviceGetUtilizationRates(device(), byref(use)) == 0
print(0 <= use.gpu <= 100)
""",
        "--memory",
        "256M",
    ) == ["True True", "0 True", "25", "True"]


def test_processes_are_those_that_use_the_driver():
    assert monitor(
        """
nvml.nvmlInit_v2()
count = c_uint(0)
print(nvml.nvmlDeviceGetComputeRunningProcesses_v3(device(), byref(count), None))
room = count.value + 64
processes, count = (Process * room)(), c_uint(room)
assert nvml.nvmlDeviceGetComputeRunningProcesses_v3(device(), byref(count), processes) == 0
print(os.getpid() in [processes[i].pid for i in range(count.value)])
name = ctypes.create_string_buffer(256)
assert nvml.nvmlSystemGetProcessName(os.getpid(), name, 256) == 0
print(name.value.decode() == os.readlink("/proc/self/exe"))
"""
    ) == ["7", "True", "True"]


def test_the_driver_has_a_branch_and_a_device_is_near_all_processors():
    assert monitor(
        """
class Branch(ctypes.Structure):
    _fields_ = [("version", c_uint), ("name", ctypes.c_char * 80)]

branch = Branch(version=ctypes.sizeof(Branch) | 1 << 24)
print(nvml.nvmlSystemGetDriverBranch(byref(branch), 80))
nvml.nvmlInit_v2()
print(nvml.nvmlSystemGetDriverBranch(byref(branch), 80), branch.name != b"")
print(nvml.nvmlSystemGetDriverBranch(byref(branch), 3), nvml.nvmlSystemGetDriverBranch(None, 80))
branch.version = 5
print(nvml.nvmlSystemGetDriverBranch(byref(branch), 80))

near = (ctypes.c_ulong * 16)()
handle, online = device(), os.sysconf("SC_NPROCESSORS_ONLN")
for read in (lambda: nvml.nvmlDeviceGetCpuAffinity(handle, 16, near),
             lambda: nvml.nvmlDeviceGetCpuAffinityWithinScope(handle, 16, near, 1)):
    assert read() == 0
    print(sum(bin(word).count("1") for word in near) == min(online, 1024))
assert nvml.nvmlDeviceGetMemoryAffinity(handle, 16, near, 0) == 0
print(list(near) == [1] + [0] * 15, nvml.nvmlDeviceGetMemoryAffinity(handle, 16, near, 2))
count, handles = c_uint(0), (c_void_p * 2)()
assert nvml.nvmlSystemGetTopologyGpuSet(0, byref(count), None) == 0
print(count.value, nvml.nvmlSystemGetTopologyGpuSet(0, byref(count), handles), handles[1] == device(1).value)
print(nvml.nvmlSystemGetTopologyGpuSet(online, byref(count), handles))
print(nvml.nvmlUnitGetCount(byref(count)), count.value)
""",
        "--devices",
        "2",
    ) == ["1", "0 True", "7 2", "25", "True", "True", "True 2", "2 0 True", "2", "0 0"]


def test_mistakes_and_what_a_cpu_lacks_have_their_errors():
    assert monitor(
        """
count, value = c_uint(), c_uint()
nvml.nvmlErrorString.restype = c_char_p
print(nvml.nvmlDeviceGetCount_v2(byref(count)), nvml.nvmlShutdown(), nvml.nvmlErrorString(3).decode())
nvml.nvmlInit_v2()
nvml.nvmlInit_v2()
handle, found = device(), c_void_p()
print(nvml.nvmlDeviceGetFanSpeed(handle, byref(value)), nvml.nvmlDeviceGetPowerUsage(handle, byref(value)))
print(nvml.nvmlDeviceGetHandleByIndex_v2(5, byref(found)), nvml.nvmlDeviceGetHandleByUUID(b"GPU-0", byref(found)))
print(nvml.nvmlDeviceGetName(c_void_p(99), None, 0), nvml.nvmlDeviceGetName(handle, None, 96))
print(nvml.nvmlDeviceGetName(handle, ctypes.create_string_buffer(96), 2))
print(nvml.nvmlShutdown(), nvml.nvmlDeviceGetCount_v2(byref(count)))
print(nvml.nvmlShutdown(), nvml.nvmlDeviceGetCount_v2(byref(count)))
"""
    ) == ["1 1 Not Supported", "3 3", "2 6", "2 2", "7", "0 0", "0 1"]


PROGRAM = """
#include <stdio.h>
int nvmlInit_v2(void);
int nvmlDeviceGetHandleByIndex_v2(unsigned, void **);
int nvmlDeviceGetName(void *, char *, unsigned);
int main(void) {
  void *device;
  char name[96];
  if (nvmlInit_v2() || nvmlDeviceGetHandleByIndex_v2(0, &device)) return 1;
  if (nvmlDeviceGetName(device, name, sizeof name)) return 1;
  puts(name);
  return 0;
}
"""


def test_a_linked_program_finds_it(tmp_path):
    source, program = tmp_path / "list.c", tmp_path / "list"
    source.write_text(PROGRAM)
    build = f'cc {source} -o {program} -L"${{LD_LIBRARY_PATH%%:*}}" -l:libnvidia-ml.so.1'
    command = [sys.executable, "-m", "pycuda", "run"]
    subprocess.run([*command, "sh", "-c", build], check=True)
    ended = subprocess.run([*command, program], capture_output=True, text=True, check=False)
    assert ended.returncode == 0 and ended.stdout.startswith("CPU"), ended.stderr
