# SPDX-License-Identifier: MIT
"""The methods of arrays: which operation is bound to the class by which name.

A method is the operation itself, a plain function, so that a call costs no more than one defined in the class.
"""

import types

from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.numpy import families
from pycuda._arrays.ops import (
    arithmetic,
    casting,
    creation,
    host_copies,
    interchange,
    products,
    reductions,
    scans,
    searching,
    selection,
    sorting,
    textures,
    transfers,
    views,
    where,
)

_STANDARDS = ("2021.12", "2022.12", "2023.12", "2024.12")


def _array_namespace(self, *, api_version=None):
    """The array API standard's functions for arrays on the device."""
    from pycuda import array_api  # start-up time: few programs use it

    if api_version is not None and api_version not in _STANDARDS:
        raise ValueError(f"version {api_version!r} of the array API is not supported: use 2024.12")
    return array_api


def _of_numpy(name, *args):
    # NumPy's function of the same arguments; its module is imported when one of its functions is first called.
    return families.load(families.HOMES[name], name)(*args)


def _diagonal(self, offset=0, axis1=0, axis2=1):
    """The elements on a diagonal of two axes, along a new last axis: a view."""
    return _of_numpy("diagonal", self, offset, axis1, axis2)


def _repeat(self, repeats, axis=None):
    """Each element so many times, along an axis (None: of the flattened array)."""
    return _of_numpy("repeat", self, repeats, axis)


def _trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """The sum of the elements on a diagonal of two axes."""
    return _of_numpy("trace", self, offset, axis1, axis2, dtype, out)


METHODS = {
    # copies
    "set": transfers.set,
    "set_async": transfers.set_async,
    "get": transfers.get,
    "get_async": transfers.get_async,
    "copy": transfers.copy,
    "fill": transfers.fill,
    "_set": transfers._set,
    "_get": transfers._get,
    # views
    "reshape": views.reshape,
    "ravel": views.ravel,
    "flatten": views.flatten,
    "view": views.view,
    "squeeze": views.squeeze,
    "transpose": views.transpose,
    "swapaxes": views.swapaxes,
    "reverse": views.reverse,
    "diagonal": _diagonal,
    "real": property(views.real, views.set_real),
    "imag": property(views.imag, views.set_imag),
    "conj": views.conj,
    "conjugate": views.conj,
    # conversions
    "astype": casting.astype,
    "item": casting.item,
    "tolist": casting.tolist,
    "tobytes": casting.tobytes,
    "__contains__": casting.contains,
    "__array__": host_copies.convert,
    "_host_buffer": host_copies.buffer,
    "__reduce__": creation.reduce,
    # indexing
    "__setitem__": selection.set_item,
    "_select": selection.select,
    "_put": selection.store,
    "take": selection.take,
    "repeat": _repeat,
    "put": selection.put,
    "nonzero": selection.nonzero,
    # order
    "sort": sorting.sort_in_place,
    "argsort": sorting.argsort_by_kind,
    "searchsorted": searching.searchsorted,
    "cumsum": scans.cumsum,
    "cumprod": scans.cumprod,
    # reductions
    "any": reductions.any,
    "all": reductions.all,
    "sum": reductions.sum,
    "prod": reductions.prod,
    "max": reductions.max,
    "min": reductions.min,
    "argmax": reductions.argmax,
    "argmin": reductions.argmin,
    "mean": reductions.mean,
    "var": reductions.var,
    "std": reductions.std,
    "trace": _trace,
    # arithmetic
    "clip": where.clip,
    "round": where.rounded,
    "__round__": where.round_to,
    "dot": products.product,
    "__matmul__": products.matmul_operator,
    "__imatmul__": products.matmul_in_place,
    "mul_add": arithmetic.mul_add,
    "_axpbyz": arithmetic.axpbyz,
    "_axpbz": arithmetic.axpbz,
    "_elwise_multiply": arithmetic.elwise_multiply,
    "_rdiv_scalar": arithmetic.rdiv_scalar,
    "_div": arithmetic.div,
    "_pow": arithmetic.power,
    # other packages
    "__cuda_array_interface__": property(interchange.cuda_array_interface),
    "__dlpack_device__": interchange.dlpack_device,
    "__dlpack__": interchange.to_dlpack,
    "__array_namespace__": _array_namespace,
    # textures
    "bind_to_texref": textures.bind_to_texref,
    "bind_to_texref_ext": textures.bind_to_texref_ext,
}


def _bind():
    for name, operation in METHODS.items():
        if isinstance(operation, types.FunctionType) and operation.__module__ != GPUArray.__module__:
            # What help() and errors of arguments show; a second name of the same operation does not change it.
            operation.__module__, operation.__name__ = GPUArray.__module__, name
            operation.__qualname__ = f"GPUArray.{name}"
        setattr(GPUArray, name, operation)


_bind()
