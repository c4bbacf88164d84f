# SPDX-License-Identifier: MIT
"""Libraries: code that is loaded once for all contexts, and its kernels."""

from __future__ import annotations

import ctypes
import os
import warnings

import numpy as np

from pycuda import _driver
from pycuda._driver import Context, jit_option
from pycuda._driver_calls import call, device_number, number, with_detail

__all__ = ["Kernel", "Library"]

_LOG_BYTES = 16384


def _load(name, source, options, message_handler):
    """The handle that a loading function gives; the message handler gets the logs of the driver's compiler."""
    logs = [np.zeros(_LOG_BYTES, np.uint8) for _ in range(2)]
    values = [(number(key, "the option"), number(value, "the option's value")) for key, value in options or ()]
    for log, buffer, size in zip(
        logs,
        (jit_option.INFO_LOG_BUFFER, jit_option.ERROR_LOG_BUFFER),
        (jit_option.INFO_LOG_BUFFER_SIZE_BYTES, jit_option.ERROR_LOG_BUFFER_SIZE_BYTES),
        strict=True,
    ):
        values += [(int(buffer), log.ctypes.data), (int(size), _LOG_BYTES)]
    keys = np.array([key for key, _ in values], np.int32)
    words = np.array([value for _, value in values], np.uint64)
    error = None
    try:
        handle = call(name, "P", source, keys, words, len(values), None, None, 0)
    except _driver.Error as raised:
        error = raised
    information, errors = (log.tobytes().partition(b"\0")[0].decode(errors="replace").rstrip("\n") for log in logs)
    if message_handler is not None:
        message_handler(error is None, information, errors)
    if error is not None:
        raise with_detail(error, errors) if errors and errors not in str(error) else error
    return handle


class Library:
    """Code that is loaded once for all contexts, including those of other devices and those made later.

    Its kernels keep it loaded. Loading needs no context. Requires CUDA 12.0.

    Parameters
    ----------
    data : bytes-like or str
        A cubin, PTX or fat binary.
    options : iterable of (jit_option, int), optional
    message_handler : callable, optional
        Called as (succeeded, info, errors) with what the driver's compiler wrote.

    Raises
    ------
    LogicError, RuntimeError
        If the driver refuses the code; the message contains its log.

    Examples
    --------
    >>> source = '''
    ... __device__ float weights[8];
    ... __global__ void first(float *x) { *x = weights[0]; }
    ... '''
    >>> library = driver.Library(compiler.compile(source))
    >>> [kernel.name for kernel in library.kernels]
    ['first']
    >>> address, size = library.get_global('weights')
    >>> size
    32
    """

    _image = None

    def __init__(self, data, options=None, message_handler=None):
        image = data.encode() if isinstance(data, str) else bytes(memoryview(data))
        self._handle = _load("cuLibraryLoadData", image + b"\0", options, message_handler)
        self._image = image

    @classmethod
    def from_file(cls, filename, options=None, message_handler=None):
        """Load the code in a file."""
        library = cls.__new__(cls)
        library._handle = _load("cuLibraryLoadFromFile", os.fsencode(filename) + b"\0", options, message_handler)
        return library

    def __del__(self):
        handle = self.__dict__.pop("_handle", None)
        if handle is None or call is None:  # the interpreter ends
            return
        try:
            call("cuLibraryUnload", handle)
        except _driver.Error as error:
            warnings.warn(f"a library was not unloaded: {error}", RuntimeWarning, stacklevel=2)

    @property
    def handle(self):
        """The driver's handle, a number."""
        return self._handle

    @property
    def kernels(self):
        """All its kernels, as a list. Requires CUDA 12.4."""
        handles = np.zeros(call("cuLibraryGetKernelCount", "I", self._handle), np.uintp)
        if handles.size:
            call("cuLibraryEnumerateKernels", handles, handles.size, self._handle)
        return [Kernel(self, int(handle)) for handle in handles]

    def _look_up(self, function, results, kind, name):
        try:
            return call(function, *results, self._handle, _text(name, "name"))
        except _driver.Error as error:
            raise with_detail(error, f"{kind} '{name}'") from None

    def get_kernel(self, name):
        """The `Kernel` of this name; LogicError if there is none."""
        return Kernel(self, self._look_up("cuLibraryGetKernel", ("P",), "kernel", name))

    def get_module(self):
        """The library's code in the current context, as a `Module`."""
        return _driver._borrow_module(call("cuLibraryGetModule", "P", self._handle), self._image, self)

    def get_global(self, name):
        """Address and size in bytes of a variable in the current context, as (int, int)."""
        return self._look_up("cuLibraryGetGlobal", ("P", "N"), "variable", name)

    def get_managed(self, name):
        """Address and size in bytes of a `__managed__` variable, which host and contexts share, as (int, int)."""
        return self._look_up("cuLibraryGetManaged", ("P", "N"), "variable", name)

    def get_unified_function(self, name):
        """The address at which host and devices call a function; LogicError if the device does not support that."""
        return self._look_up("cuLibraryGetUnifiedFunction", ("P",), "function", name)


def _text(value, what):
    if not isinstance(value, str):
        raise TypeError(f"{what} must be a string, not {type(value).__name__}")
    return value.encode() + b"\0"


class Kernel:
    """A kernel of a `Library`, for all contexts: ``library.get_kernel(name)``.

    Call it to launch it in the current context, with the arguments of a `Function`'s call.

    Examples
    --------
    >>> source = '__global__ void twice(float *x) { *x *= 2; }'
    >>> twice = driver.Library(compiler.compile(source)).get_kernel('twice')
    >>> x = gpuarray.to_gpu(np.float32([3]))
    >>> twice(x, block=(1, 1, 1))
    >>> x.get()
    array([6.], dtype=float32)
    """

    def __init__(self, library, handle):
        if not isinstance(library, Library):
            raise TypeError("a Kernel is not made by its class: it is made by Library.get_kernel()")
        self._library = library
        self._handle = handle
        self._function = None, None

    def __repr__(self):
        return f"<pycuda.driver.Kernel '{self.name}'>"

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    @property
    def handle(self):
        """The driver's handle, a number."""
        return self._handle

    @property
    def library(self):
        """The `Library` that it is in."""
        return self._library

    @property
    def name(self):
        """Its name in the library. Requires CUDA 12.3."""
        return ctypes.string_at(call("cuKernelGetName", "P", self._handle)).decode()

    @property
    def function(self):
        """The kernel in the current context as a `Function`, for `prepare`, graphs and occupancy."""
        # As a number: a context's handle may be used again.
        current = Context.get_current() or _driver._process_context()
        number_of_context = None if current is None else current.id
        if self._function[0] != number_of_context or number_of_context is None:
            call("cuKernelGetFunction", "P", self._handle)
            self._function = number_of_context, self._library.get_module().get_function(self.name)
        return self._function[1]

    @property
    def parameters(self):
        """The (offset, bytes) of each parameter, as a list. Requires CUDA 12.4."""
        found = []
        while True:
            try:
                found.append(call("cuKernelGetParamInfo", self._handle, len(found), "N", "N"))
            except _driver.LogicError as error:
                if error.name != "CUDA_ERROR_INVALID_VALUE":  # else past the last one
                    raise
                return found

    def get_attribute(self, attribute, device=None):
        """The value of a `function_attribute` on a `Device`, by default the current context's."""
        return call("cuKernelGetAttribute", "i", number(attribute, "attribute"), self._handle, device_number(device))

    def set_attribute(self, attribute, value, device=None):
        """Set a `function_attribute` for all contexts of a `Device`."""
        code, setting = number(attribute, "attribute"), number(value, "value")
        call("cuKernelSetAttribute", code, setting, self._handle, device_number(device))

    def set_cache_config(self, config, device=None):
        """Set by a `func_cache` whether it prefers shared memory or L1 cache, for all contexts of a `Device`."""
        call("cuKernelSetCacheConfig", self._handle, number(config, "config"), device_number(device))
