# SPDX-License-Identifier: MIT
"""cuRAND's host interface as C programs see it: generators on the device and on the host."""

import ctypes
import glob
import os
import pathlib
import sys

import numpy as np
import pycuda
import pycuda.driver as cuda

XORWOW, MRG32K3A, MTGP32, MT19937, PHILOX = 101, 121, 141, 142, 161
SOBOL32, SCRAMBLED_SOBOL32, SOBOL64, SCRAMBLED_SOBOL64 = 201, 202, 203, 204
BEST, DEFAULT, SEEDED, LEGACY, DYNAMIC, QUASI = 100, 101, 102, 103, 104, 201
NOT_INITIALIZED, TYPE_ERROR, OUT_OF_RANGE, NOT_MULTIPLE, LAUNCH_FAILURE = 101, 103, 104, 105, 201

# The functions of each type: name after curandGenerate, type, further arguments.
FUNCTIONS = {
    "words": ("", np.uint32, ()),
    "long words": ("LongLong", np.uint64, ()),
    "uniform": ("Uniform", np.float32, ()),
    "uniform double": ("UniformDouble", np.float64, ()),
    "normal": ("Normal", np.float32, (ctypes.c_float(1), ctypes.c_float(2))),
    "normal double": ("NormalDouble", np.float64, (ctypes.c_double(1), ctypes.c_double(2))),
    "log-normal": ("LogNormal", np.float32, (ctypes.c_float(0.5), ctypes.c_float(0.25))),
    "log-normal double": ("LogNormalDouble", np.float64, (ctypes.c_double(0.5), ctypes.c_double(0.25))),
}


def library():
    return ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / "libcurand.so.10"))


def nvidia_library():
    """NVIDIA's, whose generators on the host need no GPU; None without its wheel."""
    for folder in sys.path:
        for path in glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libcurand.so.10")):
            return ctypes.CDLL(path)
    return None


class Generator:
    def __init__(self, lib, kind, host=False, order=None, seed=None, offset=None, dimensions=None):
        self.library, self.host = lib, host
        self.handle = ctypes.c_void_p()
        self.check("CreateGenerator" + ("Host" if host else ""), ctypes.byref(self.handle), kind)
        if order is not None:
            self.set("SetGeneratorOrdering", order)
        if seed is not None:
            self.set("SetPseudoRandomGeneratorSeed", ctypes.c_ulonglong(seed))
        if offset is not None:
            self.set("SetGeneratorOffset", ctypes.c_ulonglong(offset))
        if dimensions is not None:
            self.set("SetQuasiRandomGeneratorDimensions", dimensions)

    def check(self, name, *arguments):
        status = getattr(self.library, "curand" + name)(*arguments)
        assert status == 0, f"curand{name}: status {status}"

    def set(self, name, *arguments):
        self.check(name, self.handle, *arguments)

    def status(self, name, *arguments):
        return getattr(self.library, "curand" + name)(self.handle, *arguments)

    def draw(self, what, n, arguments=None):
        """The numbers; the status if that is not 0."""
        name, dtype, more = FUNCTIONS.get(what, ("Poisson", np.uint32, arguments))
        result = np.zeros(n, dtype)
        memory = None if self.host else cuda.mem_alloc(max(result.nbytes, 8))
        place = ctypes.c_void_p(result.ctypes.data if self.host else int(memory))
        status = self.status("Generate" + name, place, ctypes.c_size_t(n), *more)
        if status != 0:
            return status
        if not self.host and n:
            cuda.memcpy_dtoh(result, memory)
        return result

    def close(self):
        self.set("DestroyGenerator")
