# SPDX-License-Identifier: MIT
"""Implicit conversion of device arrays to NumPy arrays: off by default, allowed by `allow_host_copies`."""

import numpy as np

from pycuda import _driver
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.ops.host_fallback import host_array

_allowed = False
# Of Python's C interface: PyBUF_WRITABLE, and the requests for bytes alone, PyBUF_SIMPLE and PyBUF_CONTIG_RO.
_WRITABLE = 1
_BYTES = (0, 8)


class _Permission:
    """What `allow_host_copies` returns: as a context manager it restores the previous setting."""

    def __init__(self, before):
        self._before = before

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        global _allowed
        _allowed = self._before


def allow_host_copies(allowed=True):
    """Let NumPy, and packages built on it, convert arrays on the device to host arrays implicitly.

    Without it `np.asarray(a)` raises TypeError, so that no transfer goes unnoticed. With it matplotlib,
    pandas, h5py and SciPy take device arrays, and so does what wants bytes, such as `hashlib` and files.
    NumPy functions without an implementation on the device compute on host copies and return NumPy arrays.

    Parameters
    ----------
    allowed : bool
        False forbids implicit conversion again.

    Returns
    -------
    context manager
        ``with allow_host_copies():`` restores the previous setting at its end. The setting holds for
        all threads of the process.

    Notes
    -----
    A conversion waits for the array's work and copies, on both drivers. ``np.asarray(a, copy=False)``
    returns a read-only view of the memory on the CPU driver and raises ValueError on a GPU. `memoryview`
    and Pillow's `Image.fromarray` do not ask for a conversion: pass them ``a.get()``.

    Examples
    --------
    >>> import numpy as np, pycuda.autoinit
    >>> from pycuda import gpuarray
    >>> a = gpuarray.arange(4, dtype=np.float32)
    >>> with gpuarray.allow_host_copies():
    ...     np.asarray(a)
    array([0., 1., 2., 3.], dtype=float32)
    """
    global _allowed
    permission = _Permission(_allowed)
    _allowed = bool(allowed)
    return permission


def are_allowed():
    """Whether arrays are converted implicitly."""
    return _allowed


def convert(ary, dtype=None, copy=None):
    """`GPUArray.__array__`: see `allow_host_copies`.

    Raises
    ------
    TypeError
        Unless implicit conversion is allowed.
    ValueError
        When `copy` is False but the memory is a GPU's, or another dtype is asked for.
    """
    if not _allowed:
        raise TypeError(
            "a GPUArray is not converted to a NumPy array implicitly: call its get() method, or allow it with "
            "pycuda.gpuarray.allow_host_copies()"
        )
    if copy is False:
        if not _driver._device_traits().is_cpu or (dtype is not None and np.dtype(dtype) != ary.dtype):
            raise ValueError("this GPUArray cannot be converted to a NumPy array without a copy (copy=False)")
        view = host_array(ary)
        view.flags.writeable = False
        return view
    copied = ary.get()
    return copied if dtype is None else copied.astype(dtype, copy=False)


def buffer(ary, flags):
    """What a request for a buffer of the array is answered with: a copy of its bytes, where copies are allowed.

    Only requests for bytes to read are answered, such as those of `hashlib`, `zlib` and files. `memoryview` is refused:
    NumPy makes the same request before it calls `__array__`, whose result it would not ask for then.

    Parameters
    ----------
    ary : GPUArray
    flags : int
        As in Python's C interface.

    Returns
    -------
    bytes

    Raises
    ------
    TypeError
        As for objects without a buffer: programs go by it.
    """
    if flags & _WRITABLE:
        raise TypeError(
            "a GPUArray has no buffer in host memory to write to: write to a NumPy array, and pass that to set()"
        )
    if flags not in _BYTES:
        raise TypeError("a GPUArray has no buffer in host memory: pass what its get() method returns")
    if not _allowed:
        raise TypeError(
            "a GPUArray's bytes are not copied to the host implicitly: call its tobytes() method, or allow it with "
            "pycuda.gpuarray.allow_host_copies()"
        )
    return ary.tobytes()


def on_host(function, *args, **kwargs):
    """The function called with host copies in place of device arrays, also within lists, tuples and dictionaries.

    The copies are read-only: a function that writes to its argument raises instead of changing a copy.
    """
    return function(*_copied(args), **_copied(kwargs))


def _copied(value):
    if isinstance(value, GPUArray):
        copied = value.get()
        copied.flags.writeable = False
        return copied
    if type(value) in (list, tuple):
        return type(value)(_copied(one) for one in value)
    if type(value) is dict:
        return {key: _copied(one) for key, one in value.items()}
    return value
