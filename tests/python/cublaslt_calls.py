# SPDX-License-Identifier: MIT
"""cuBLASLt of the CPU driver as C programs see it: descriptors, matrices of every order and type, products."""

import ctypes
import pathlib

import ml_dtypes
import numpy as np
import pycuda
import pycuda.driver as cuda

SUCCESS, NOT_INITIALIZED, INVALID_VALUE, EXECUTION_FAILED, NOT_SUPPORTED = 0, 1, 7, 13, 15
NONE, TRANSPOSED, CONJUGATED = 0, 1, 2
COLUMNS, ROWS, TILES_32, TILES_32_BY_8, TILES_32_BY_32 = range(5)
BY_STRIDES, BY_POINTERS = 0, 1
HOST, DEVICE, DEVICE_VECTORS, DEVICE_VECTOR_AND_ZERO, DEVICE_VECTOR_AND_HOST = range(5)
RELU, BIAS, GRADIENT_OF_RELU, GRADIENT_OF_BIAS, GELU, GRADIENT_OF_GELU, AUX = 2, 4, 8, 16, 32, 64, 128
GRADIENT_OF_BIAS_A, GRADIENT_OF_BIAS_B = 256, 512
COMPUTE_16, COMPUTE_32, COMPUTE_64, COMPUTE_INT, COMPUTE_TF32 = 64, 68, 70, 72, 77

TYPES = {
    np.dtype("f4"): 0,
    np.dtype("f8"): 1,
    np.dtype("f2"): 2,
    np.dtype("i1"): 3,
    np.dtype("c8"): 4,
    np.dtype("c16"): 5,
    np.dtype("i4"): 10,
    np.dtype(ml_dtypes.bfloat16): 14,
}
# The attributes of a product's descriptor: number and C type.
ATTRIBUTES = {
    "pointer_mode": (2, ctypes.c_int32),
    "operation_a": (3, ctypes.c_int32),
    "operation_b": (4, ctypes.c_int32),
    "operation_c": (5, ctypes.c_int32),
    "fill": (6, ctypes.c_int32),
    "epilogue": (7, ctypes.c_uint32),
    "bias": (8, ctypes.c_void_p),
    "bias_stride": (10, ctypes.c_int64),
    "aux": (11, ctypes.c_void_p),
    "aux_ld": (12, ctypes.c_int64),
    "aux_stride": (13, ctypes.c_int64),
    "alpha_stride": (14, ctypes.c_int64),
    "scale_a": (17, ctypes.c_void_p),
    "bias_type": (26, ctypes.c_int32),
}


def library(major=13):
    return ctypes.CDLL(str(pathlib.Path(pycuda.__file__).parent / f"libcublasLt.so.{major}"))


def on_device(array):
    memory = cuda.mem_alloc(max(array.nbytes, 256))
    cuda.memcpy_htod(memory, np.ascontiguousarray(array).view(np.uint8))
    return memory


def from_device(memory, count, dtype):
    result = np.empty(count * np.dtype(dtype).itemsize, np.uint8)
    cuda.memcpy_dtoh(result, memory)
    return result.view(dtype)


def address(memory):
    return ctypes.c_void_p(None if memory is None else int(memory))


def index(order, ld, row, column):
    """Where an element lies, by the words of cuBLASLt's header."""
    if order == COLUMNS:
        return row + column * ld
    if order == ROWS:
        return row * ld + column
    if order == TILES_32:
        return column // 32 * ld + row * 32 + column % 32
    within = row % 32
    line = ((within % 8) // 2 * 4 + within // 8) * 2 + within % 2
    return column // 32 * ld + row // 32 * 1024 + line * 32 + column % 32


class Matrices:
    """Matrices of one layout on the device, with numbers between them that no function may touch."""

    def __init__(self, lt, values, order=COLUMNS, pad=2, mode=BY_STRIDES):
        values = np.asarray(values)
        if values.ndim == 2:
            values = values[None]
        self.count, self.rows, self.columns = values.shape
        self.dtype, self.order, self.lt, self.mode = values.dtype, order, lt, mode
        if order in (COLUMNS, ROWS):
            self.ld = (self.rows if order == COLUMNS else self.columns) + pad
        else:
            self.ld = 32 * self.rows if order == TILES_32 else 1024 * ((self.rows + 31) // 32)
        rows, columns = np.meshgrid(range(self.rows), range(self.columns), indexing="ij")
        self.places = index(order, self.ld, rows, columns)
        self.stride = max(self.ld * (self.columns + self.rows), 1) + 6 + self.ld % 2
        self.memory_size = self.stride * self.count
        around = np.full(self.memory_size, 77, self.dtype)
        for i in range(self.count):
            around[i * self.stride + self.places] = values[i]
        self.memory = on_device(around)
        self.base = self.memory
        if mode == BY_POINTERS:
            starts = int(self.memory) + np.arange(self.count) * self.stride * self.dtype.itemsize
            self.base = on_device(starts.astype(np.uint64))
        self.layout = ctypes.c_void_p()
        lt.check("MatrixLayoutCreate", ctypes.byref(self.layout), TYPES[self.dtype],
                 ctypes.c_uint64(self.rows), ctypes.c_uint64(self.columns), ctypes.c_int64(self.ld))  # fmt: skip
        self.set(1, ctypes.c_int32(order))
        self.set(5, ctypes.c_int32(self.count))
        self.set(6, ctypes.c_int64(self.stride))
        if mode != BY_STRIDES:
            self.set(8, ctypes.c_uint32(mode))

    def set(self, number, value):
        self.lt.check("MatrixLayoutSetAttribute", self.layout, number, ctypes.byref(value),
                      ctypes.c_size_t(ctypes.sizeof(value)))  # fmt: skip

    def get(self):
        around = from_device(self.memory, self.memory_size, self.dtype)
        values = np.stack([around[i * self.stride + self.places] for i in range(self.count)])
        for i in range(self.count):
            around[i * self.stride + self.places] = 77
        assert (around == np.array(77, self.dtype)).all(), "elements between the matrices were written"
        return values


class Lt:
    """A handle, and products by it."""

    def __init__(self, lib):
        self.library = lib
        self.handle = ctypes.c_void_p()
        self.check("Create", ctypes.byref(self.handle))

    def close(self):
        self.check("Destroy", self.handle)

    def status(self, name, *arguments):
        return getattr(self.library, "cublasLt" + name)(*arguments)

    def check(self, name, *arguments):
        status = self.status(name, *arguments)
        assert status == SUCCESS, f"cublasLt{name}: status {status}"

    def descriptor(self, compute, scale, **attributes):
        made = ctypes.c_void_p()
        self.check("MatmulDescCreate", ctypes.byref(made), compute, TYPES[np.dtype(scale)])
        for name, value in attributes.items():
            self.set(made, name, value)
        return made

    def set(self, descriptor, name, value):
        number, kind = ATTRIBUTES[name]
        if kind is ctypes.c_void_p and value is not None:
            value = int(value)
        held = kind(value)
        self.check("MatmulDescSetAttribute", descriptor, number, ctypes.byref(held),
                   ctypes.c_size_t(ctypes.sizeof(held)))  # fmt: skip

    def multiply(self, compute, a, b, c, d=None, alpha=1, beta=0, scale=None, stream=None, **attributes):
        """The status of D = alpha op(A) op(B) + beta C; numbers go to the host's scalars, memory to the device's."""
        d = c if d is None else d
        scale = np.dtype(scale or c.dtype)
        how = self.descriptor(compute, scale, **attributes)
        scalars = [one if hasattr(one, "__int__") and isinstance(one, cuda.DeviceAllocation) else np.array(one, scale)
                   for one in (alpha, beta)]  # fmt: skip
        places = [ctypes.c_void_p(one.ctypes.data) if isinstance(one, np.ndarray) else address(one) for one in scalars]
        status = self.status(
            "Matmul", self.handle, how, places[0], address(a.base), a.layout, address(b.base), b.layout, places[1],
            address(c.base), c.layout, address(d.base), d.layout, None, None, ctypes.c_size_t(0), stream)  # fmt: skip
        self.check("MatmulDescDestroy", how)
        return status

    def heuristics(self, how, a, b, c, d, wanted=4):
        """The status and the number of algorithms."""
        preference, count = ctypes.c_void_p(), ctypes.c_int(-1)
        self.check("MatmulPreferenceCreate", ctypes.byref(preference))
        room = (ctypes.c_uint64 * (wanted * 12))()
        status = self.status("MatmulAlgoGetHeuristic", self.handle, how, a.layout, b.layout, c.layout, d.layout,
                             preference, wanted, room, ctypes.byref(count))  # fmt: skip
        return status, count.value, room
