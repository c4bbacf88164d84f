# SPDX-License-Identifier: MIT
"""The functions of `pycuda.gpuarray`: which it has, and where each of them is.

NumPy's functions that it offers besides, with NumPy's arguments, are in `numpy.families.BORROWED`.
"""

from pycuda import _splay
from pycuda._arrays.core.gpuarray import GPUArray
from pycuda._arrays.ops import (
    creation,
    host_copies,
    interchange,
    joining,
    products,
    reductions,
    scans,
    searching,
    selection,
    sorting,
    where,
)
from pycuda._arrays.pycuda import functions

_NAMES = {
    creation: "arange array asarray empty_like full full_like ones ones_like to_gpu to_gpu_async zeros zeros_like",
    functions: (
        "all any if_positive max maximum min minimum multi_put multi_take multi_take_put prod reshape subset_dot "
        "subset_max subset_min subset_sum sum take transpose"
    ),
    host_copies: "allow_host_copies",
    interchange: "from_cuda_array_interface from_dlpack",
    joining: "broadcast_to concatenate stack",
    products: "matmul outer tensordot vecdot",
    reductions: "dot vdot",
    scans: "cumprod cumsum",
    searching: "searchsorted unique",
    selection: "nonzero put",
    _splay: "splay",
    sorting: "argsort sort",
    where: "clip logical_and logical_not logical_or round_ where",
}
FUNCTIONS = {name: getattr(module, name) for module, names in _NAMES.items() for name in names.split()}
for _name, _function in FUNCTIONS.items():
    # What pickles name, wherever the function is; a method keeps the name that it has in the class.
    if _function.__module__ != GPUArray.__module__:
        _function.__module__, _function.__qualname__ = GPUArray.__module__, _name
