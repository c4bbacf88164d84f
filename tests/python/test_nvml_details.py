# SPDX-License-Identifier: MIT
"""The stand-in for NVML: events, places, identifiers, upkeep of devices."""

import pytest
from nvml_programs import monitor
from programs import has_cpu_driver

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

EVENTS = """
class Event(ctypes.Structure):
    _fields_ = [("device", c_void_p), ("type", c_ulonglong), ("data", c_ulonglong), ("gpu", c_uint), ("ci", c_uint)]

XID, TIMEOUT = 8, 10
assert nvml.nvmlInit_v2() == 0
events, event = c_void_p(), Event()
assert nvml.nvmlEventSetCreate(byref(events)) == 0
types = c_ulonglong()
assert nvml.nvmlDeviceGetSupportedEventTypes(device(), byref(types)) == 0
"""


def test_a_wait_for_events_ends_without_one():
    assert monitor(
        EVENTS
        + """
print(types.value == XID)
print(nvml.nvmlDeviceRegisterEvents(device(), c_ulonglong(XID), events))
print(nvml.nvmlEventSetWait_v2(events, byref(event), 20))
print(nvml.nvmlDeviceRegisterEvents(device(), c_ulonglong(XID | 1), events))
print(nvml.nvmlDeviceRegisterEvents(device(), c_ulonglong(XID), None))
print(nvml.nvmlEventSetWait_v2(events, None, 0), nvml.nvmlEventSetWait_v2(None, byref(event), 0))
print(nvml.nvmlEventSetFree(events), nvml.nvmlEventSetFree(events), nvml.nvmlEventSetWait(events, byref(event), 0))
"""
    ) == ["True", "0", "10", "3", "2", "2 2", "0 2 2"]


def test_a_fault_of_a_kernel_is_an_event_of_its_device():
    assert monitor(
        EVENTS
        + '''
PTX = b"""
.version 6.0
.target sm_50
.address_size 64
.visible .entry stray()
{
  .reg .b64 %a;
  mov.b64 %a, 16;
  st.global.u32 [%a], 1;
  ret;
}
.visible .entry stop()
{
  trap;
}
"""
cuda = ctypes.CDLL("libcuda.so.1")

def run(name, ordinal):
    context, module, function = c_void_p(), c_void_p(), c_void_p()
    assert cuda.cuCtxCreate_v2(byref(context), 0, ordinal) == 0
    assert cuda.cuModuleLoadData(byref(module), PTX) == 0
    assert cuda.cuModuleGetFunction(byref(function), module, name) == 0
    assert cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, None, None) in (0, 700, 719)
    assert cuda.cuCtxSynchronize() in (700, 719)

assert cuda.cuInit(0) == 0
run(b"stop", 1)
assert nvml.nvmlDeviceRegisterEvents(device(0), c_ulonglong(0), events) == 0
assert nvml.nvmlDeviceRegisterEvents(device(1), c_ulonglong(XID), events) == 0
print("older", nvml.nvmlEventSetWait_v2(events, byref(event), 0) == TIMEOUT)
run(b"stray", 1)
run(b"stray", 0)
run(b"stop", 1)
for _ in range(2):
    assert nvml.nvmlEventSetWait_v2(events, byref(event), 1000) == 0
    print(event.device == device(1).value, event.type, event.data, event.gpu == 0xffffffff)
print("no more", nvml.nvmlEventSetWait_v2(events, byref(event), 0) == TIMEOUT)
''',
        "--devices",
        "2",
    ) == ["older True", "True 8 31 True", "True 8 13 True", "no more True"]


def test_no_device_leaves_the_system():
    assert monitor(
        """
class Request(ctypes.Structure):
    _fields_ = [("version", c_uint), ("set", c_void_p)]

class Register(ctypes.Structure):
    _fields_ = [("version", c_uint), ("types", c_ulonglong), ("set", c_void_p)]

class Wait(ctypes.Structure):
    _fields_ = [("version", c_uint), ("timeout", c_uint), ("set", c_void_p), ("data", c_void_p), ("size", c_uint),
                ("number", c_uint)]

assert nvml.nvmlInit_v2() == 0
made, data = Request(16 | 1 << 24), (c_ulonglong * 2)()
print(nvml.nvmlSystemEventSetCreate(byref(made)), nvml.nvmlSystemEventSetCreate(byref(Request(5))))
print([nvml.nvmlSystemRegisterEvents(byref(Register(24 | 1 << 24, types, made.set))) for types in (1, 2, 4)])
wait = Wait(32 | 1 << 24, 10, made.set, ctypes.addressof(data), 1, 7)
print(nvml.nvmlSystemEventSetWait(byref(wait)), wait.number)
print(nvml.nvmlSystemEventSetFree(byref(made)), nvml.nvmlSystemEventSetFree(byref(made)))
print(nvml.nvmlSystemEventSetWait(byref(wait)), nvml.nvmlSystemEventSetWait(None))
"""
    ) == ["0 25", "[0, 0, 2]", "10 0", "0 2", "2 2"]


def test_a_device_has_a_place_on_the_bus_and_no_link():
    assert monitor(
        """
class PciExt(ctypes.Structure):
    _fields_ = [*((name, c_uint) for name in ("version", "domain", "bus", "device", "id", "sub", "kind", "kind2")),
                ("text", ctypes.c_char * 32)]

cuda = ctypes.CDLL("libcuda.so.1")
assert nvml.nvmlInit_v2() == 0
place, text32 = PciExt(version=64 | 1 << 24), ctypes.create_string_buffer(32)
assert cuda.cuDeviceGetPCIBusId(text32, 32, 0) == 0
print(nvml.nvmlDeviceGetPciInfoExt(device(), byref(place)), place.text.decode()[4:] == text32.value.decode())
print(int(place.text[:8], 16) == place.domain, place.version == 64 | 1 << 24, hex(place.kind))
place.version = 7
print(nvml.nvmlDeviceGetPciInfoExt(device(), byref(place)), nvml.nvmlDeviceGetPciInfoExt(device(), None))
number = c_uint(5)
for name in ("CurrPcieLinkGeneration", "MaxPcieLinkGeneration", "GpuMaxPcieLinkGeneration", "CurrPcieLinkWidth",
             "MaxPcieLinkWidth", "PcieReplayCounter"):
    assert nvml["nvmlDeviceGet" + name](device(), byref(number)) == 0 and number.value == 0
"""
    ) == ["0 True", "True True 0xb", "25 2"]


def test_a_device_is_found_by_both_forms_of_its_identifier():
    assert monitor(
        """
class Uuid(ctypes.Structure):
    _fields_ = [("version", c_uint), ("type", c_uint), ("value", ctypes.c_char * 41)]

class Pdi(ctypes.Structure):
    _fields_ = [("version", c_uint), ("value", c_ulonglong)]

assert nvml.nvmlInit_v2() == 0
second, found = device(1), c_void_p()
name = text(nvml.nvmlDeviceGetUUID, second)
version = ctypes.sizeof(Uuid) | 1 << 24
wanted = Uuid(version, 1, name.encode())
print(nvml.nvmlDeviceGetHandleByUUIDV(byref(wanted), byref(found)), found.value == second.value)
wanted = Uuid(version, 2)
ctypes.memmove(ctypes.addressof(wanted) + 8, bytes.fromhex(name[4:].replace("-", "")), 16)
print(nvml.nvmlDeviceGetHandleByUUIDV(byref(wanted), byref(found)), found.value == second.value)
found.value = 0
wanted = Uuid(version, 1, name[4:].encode())
print(nvml.nvmlDeviceGetHandleByUUIDV(byref(wanted), byref(found)), found.value == second.value)
found.value = 0
print(nvml.nvmlDeviceGetHandleByUUID(name[4:].encode(), byref(found)), found.value == second.value)
print(nvml.nvmlDeviceGetHandleByUUIDV(byref(Uuid(version, 1, name[5:].encode())), byref(found)))
print(nvml.nvmlDeviceGetHandleByUUIDV(byref(Uuid(version, 0)), byref(found)))
print(nvml.nvmlDeviceGetHandleByUUIDV(byref(Uuid(3, 1)), byref(found)))
numbers = []
for index in (0, 1):
    number = Pdi(version=16 | 1 << 24)
    assert nvml.nvmlDeviceGetPdi(device(index), byref(number)) == 0
    numbers.append(number.value)
number = c_uint(7)
for what in ("ModuleId", "VirtualizationMode"):
    print(nvml["nvmlDeviceGet" + what](second, byref(number)), number.value)
    number.value = 7
print(numbers[0] != numbers[1], numbers[1] == int(name[4:].replace("-", "")[:16], 16))
""",
        "--devices",
        "2",
    ) == ["0 True", "0 True", "0 True", "0 True", "6", "2", "25", "0 0", "0 0", "True True"]


def test_devices_are_near_each_other():
    assert monitor(
        """
assert nvml.nvmlInit_v2() == 0
first, second = device(0), device(1)
level, count, near, status = c_uint(9), c_uint(0), (c_void_p * 4)(), c_int(9)
print(nvml.nvmlDeviceGetTopologyCommonAncestor(first, second, byref(level)), level.value)
print(nvml.nvmlDeviceGetTopologyNearestGpus(first, 10, byref(count), None), count.value)
print(nvml.nvmlDeviceGetTopologyNearestGpus(first, 10, byref(count), near), near[0] == second.value)
print(nvml.nvmlDeviceGetTopologyNearestGpus(first, 11, byref(count), near))
print([(nvml.nvmlDeviceGetP2PStatus(first, second, index, byref(status)), status.value) for index in range(5)])
print(nvml.nvmlDeviceGetP2PStatus(first, first, 0, byref(status)),
      nvml.nvmlDeviceGetP2PStatus(first, second, 9, byref(status)))
""",
        "--devices",
        "2",
    ) == ["0 0", "0 1", "0 True", "2", "[(0, 0), (0, 0), (0, 5), (0, 0), (0, 5)]", "2 2"]


def test_upkeep_of_a_device():
    assert monitor(
        """
class Field(ctypes.Structure):
    _fields_ = [("id", c_uint), ("scope", c_uint), ("time", ctypes.c_longlong), ("took", ctypes.c_longlong),
                ("type", c_int), ("result", c_int), ("value", c_ulonglong)]

class Temperature(ctypes.Structure):
    _fields_ = [("version", c_uint), ("sensor", c_int), ("degrees", c_int)]

assert nvml.nvmlInit_v2() == 0
class Text(ctypes.Structure):
    _fields_ = [("version", c_uint), ("text", ctypes.c_char * 2048)]

modes = Text(version=2052 | 1 << 24)
print(nvml.nvmlDeviceGetPerformanceModes(device(), byref(modes)), modes.text.startswith(b"perf=0, nvclock="))
count, mode = c_uint(7), c_int(7)
print(nvml.nvmlDeviceGetNumFans(device(), byref(count)), count.value)
print(nvml.nvmlDeviceGetPersistenceMode(device(), byref(mode)), mode.value)
print([nvml.nvmlDeviceSetPersistenceMode(device(), mode) for mode in (0, 1, 2)])
fields = (Field * 2)(Field(94), Field(83))
print(nvml.nvmlDeviceGetFieldValues(device(), 2, fields), [(f.result, f.value) for f in fields], fields[0].time > 0)
print(nvml.nvmlDeviceGetFieldValues(device(), 0, fields), nvml.nvmlDeviceGetFieldValues(device(), 1, None))
print(nvml.nvmlDeviceClearFieldValues(device(), 1, fields), fields[0].result)
degrees = c_uint(999)
result = nvml.nvmlDeviceGetTemperature(device(), 0, byref(degrees))
print(result == 3 or (result == 0 and degrees.value < 150))
print(nvml.nvmlDeviceGetTemperature(device(), 5, byref(degrees)), nvml.nvmlDeviceGetTemperatureV(device(), None))
print(nvml.nvmlDeviceGetTemperatureV(device(), byref(Temperature(12 | 1 << 24))) == result)
"""
    ) == ["0 True", "0 0", "0 0", "[0, 3, 2]", "0 [(0, 0), (3, 0)] True", "2 2", "0 0", "True", "2 2", "True"]
