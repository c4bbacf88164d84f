# SPDX-License-Identifier: MIT
"""NumPy's functions that write arrays: as text or into files, from a copy on the host."""

import numpy as np

from pycuda._arrays.ops.operands import host


def array2string(a, *args, **kwargs):
    """The elements as text."""
    return np.array2string(host(a), *args, **kwargs)


def array_repr(arr, *args, **kwargs):
    """What `repr` shows."""
    return np.array_repr(host(arr), *args, **kwargs)


def array_str(a, *args, **kwargs):
    """What `str` shows."""
    return np.array_str(host(a), *args, **kwargs)


def save(file, arr, *args, **kwargs):
    """Write an array into a file of NumPy's."""
    np.save(file, host(arr), *args, **kwargs)


def savez(file, *args, **kwds):
    """Write arrays into one file of NumPy's."""
    np.savez(file, *map(host, args), **{name: host(one) for name, one in kwds.items()})


def savez_compressed(file, *args, **kwds):
    """Write arrays into one compressed file of NumPy's."""
    np.savez_compressed(file, *map(host, args), **{name: host(one) for name, one in kwds.items()})


def savetxt(fname, X, *args, **kwargs):  # noqa: N803
    """Write an array into a file of text."""
    np.savetxt(fname, host(X), *args, **kwargs)
