# SPDX-License-Identifier: MIT
"""Programs that ask NVML about the CPU driver's devices, for tests."""

import subprocess
import sys

MONITOR = """
import ctypes, os
from ctypes import byref, c_char_p, c_int, c_uint, c_ulonglong, c_void_p
nvml = ctypes.CDLL("libnvidia-ml.so.1")

class Memory(ctypes.Structure):
    _fields_ = [(name, c_ulonglong) for name in ("total", "free", "used")]

class MemoryV2(ctypes.Structure):
    _fields_ = [("version", c_uint), *((name, c_ulonglong) for name in ("total", "reserved", "free", "used"))]

class Use(ctypes.Structure):
    _fields_ = [("gpu", c_uint), ("memory", c_uint)]

class Process(ctypes.Structure):
    _fields_ = [("pid", c_uint), ("memory", c_ulonglong), ("gpu", c_uint), ("compute", c_uint)]

class Pci(ctypes.Structure):
    _fields_ = [("legacy", ctypes.c_char * 16), *((name, c_uint) for name in "abcde"), ("bus", ctypes.c_char * 32)]

def text(function, *arguments):
    buffer = ctypes.create_string_buffer(96)
    assert function(*arguments, buffer, 96) == 0
    return buffer.value.decode()

def device(index=0):
    handle = c_void_p()
    assert nvml.nvmlDeviceGetHandleByIndex_v2(index, byref(handle)) == 0
    return handle
"""


def monitor(program, *options):
    ended = subprocess.run(
        [sys.executable, "-m", "pycuda", "run", *options, "-c", MONITOR + program], capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.splitlines()
