# SPDX-License-Identifier: MIT
"""For programs that run on the fake driver: a context, a module of kernels and what the last launch was."""

import ctypes
import os

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda

library = ctypes.CDLL(os.environ["PYCUDA_DRIVER"])
context = pycuda.autoinit.context


def kernel(*sizes, name="kernel"):
    """A kernel with parameters of these sizes in bytes."""
    return cuda.module_from_buffer(" ".join([name, *map(str, sizes)])).get_function(name)


def number(name, kind=ctypes.c_long):
    """A counter or switch of the fake driver."""
    return kind.in_dll(library, name)


def last_arguments():
    """The bytes of the last launch's parameter buffer."""
    count = number("fake_argument_bytes", ctypes.c_size_t).value
    return bytes((ctypes.c_ubyte * 4096).in_dll(library, "fake_arguments"))[:count]


def last_shape():
    """Grid, block and dynamic shared memory of the last launch."""
    numbers = list((ctypes.c_uint * 7).in_dll(library, "fake_shape"))
    return tuple(numbers[:3]), tuple(numbers[3:6]), numbers[6]


def arguments_as(*dtypes_and_offsets):
    """Values of the last launch: (dtype, offset) pairs."""
    data = last_arguments()
    return [np.frombuffer(data, dtype, 1, offset)[0] for dtype, offset in dtypes_and_offsets]


def raises(kind, text, action):
    """Check that `action` raises exactly `kind` with `text` in its message."""
    try:
        action()
    except Exception as error:
        assert type(error) is kind, f"{type(error)} instead of {kind}: {error}"
        assert text in str(error), f"{text!r} is not in {str(error)!r}"
        return error
    raise AssertionError(f"nothing was raised instead of {kind}")
