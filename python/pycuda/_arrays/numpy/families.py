# SPDX-License-Identifier: MIT
"""Which module answers which of NumPy's functions: it is imported when one of them is first called."""

import importlib

from pycuda._arrays.ops import host_copies

FAMILIES = {
    "joining": (
        "append array_split atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to column_stack concatenate "
        "delete dsplit dstack hsplit hstack insert pad repeat resize split stack tile unstack vsplit vstack"
    ),
    "shapes": (
        "diag diag_indices_from diagflat diagonal expand_dims fill_diagonal flip fliplr flipud matrix_transpose "
        "meshgrid moveaxis roll rollaxis rot90 squeeze trace tril tril_indices_from triu triu_indices_from"
    ),
    "creation": "empty_like full_like ones_like zeros_like",
    "products": "convolve correlate cross einsum inner kron outer tensordot",
    "statistics": ("average corrcoef count_nonzero cov cumulative_prod cumulative_sum median percentile ptp quantile"),
    "nan": (
        "nan_to_num nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod "
        "nanquantile nanstd nansum nanvar"
    ),
    "histograms": "bincount digitize histogram histogram_bin_edges",
    "calculus": "diff ediff1d gradient interp trapezoid",
    "sets": (
        "argpartition intersect1d isin lexsort partition setdiff1d setxor1d sort_complex union1d unique_all "
        "unique_counts unique_inverse unique_values"
    ),
    "indexing": (
        "choose compress copyto extract place put put_along_axis putmask ravel_multi_index select take "
        "take_along_axis unravel_index"
    ),
    "logic": (
        "allclose array_equal array_equiv astype can_cast common_type fix isclose iscomplex iscomplexobj isneginf "
        "isposinf isreal isrealobj may_share_memory min_scalar_type polyval real_if_close result_type shares_memory "
        "sinc vander"
    ),
    "text": "array2string array_repr array_str save savetxt savez savez_compressed",
    "linalg": (
        "linalg.cholesky linalg.cond linalg.cross linalg.det linalg.diagonal linalg.eig linalg.eigh linalg.eigvals "
        "linalg.eigvalsh linalg.inv linalg.lstsq linalg.matmul linalg.matrix_norm linalg.matrix_power "
        "linalg.matrix_rank linalg.matrix_transpose linalg.multi_dot linalg.norm linalg.outer linalg.pinv linalg.qr "
        "linalg.slogdet linalg.solve linalg.svd linalg.svdvals linalg.tensordot linalg.trace linalg.vecdot "
        "linalg.vector_norm"
    ),
    "fft": (
        "fft.fft fft.fft2 fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ifftshift fft.ihfft "
        "fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftn"
    ),
}
_FORMER_NAMES = {"trapz": "trapezoid"}
HOMES = {name: module for module, names in FAMILIES.items() for name in names.split()}
# What pycuda.gpuarray has by NumPy's name and with NumPy's arguments besides PyCUDA's own functions.
BORROWED = {
    name: HOMES[name]
    for name in (
        "append array_split atleast_1d atleast_2d atleast_3d bincount column_stack convolve count_nonzero cross diag "
        "diagonal diff dstack einsum expand_dims flip fliplr flipud gradient histogram hsplit hstack inner interp "
        "isclose isin kron median meshgrid moveaxis nan_to_num pad percentile quantile repeat roll rot90 split squeeze "
        "take_along_axis tile trace trapezoid tril triu vsplit vstack allclose array_equal"
    ).split()
} | {"eye": "shapes", "identity": "shapes", "linspace": "shapes"}


def load(module, name):
    """A function of a family."""
    return getattr(importlib.import_module(f"pycuda._arrays.numpy.{module}"), name.rpartition(".")[2])


def refusal(path, before=()):
    """The TypeError for a function that has no implementation on the device; it names the remedy.

    `before` has the names of its arguments before the array.
    """
    # What np.vectorize and np.frompyfunc make has a description for a name.
    shown = "function" if " " in path else path.replace("numpy.", "np.", 1)
    call = f"{shown}({''.join(f'{name}, ' for name in before)}a.get(), ...)"
    return TypeError(
        f"no implementation found for {path!r} on arrays of the device: {call} computes on a host copy, "
        "and pycuda.gpuarray.allow_host_copies() makes that implicit"
    )


def _arguments_before_the_array(function):
    """Of one of NumPy's functions that take a function first, such as `apply_along_axis`."""
    import inspect  # start-up time: only for mistakes

    try:
        names = [*inspect.signature(function).parameters]
    except ValueError:  # of compiled code
        return []
    arrays = [place for place, name in enumerate(names) if name in ("a", "arr")]
    return names[: arrays[0]] if arrays and names[0].startswith("func") else []


def find(function):
    """What implements one of NumPy's functions: without one, the function itself on host copies, where allowed."""
    path = f"{function.__module__}.{function.__name__}"
    name = path.removeprefix("numpy.")
    name = _FORMER_NAMES.get(name, name)
    if name in HOMES:
        return load(HOMES[name], name)

    def on_host(*args, **kwargs):
        if not host_copies.are_allowed():
            raise refusal(path, _arguments_before_the_array(function))
        return host_copies.on_host(function, *args, **kwargs)

    return on_host
