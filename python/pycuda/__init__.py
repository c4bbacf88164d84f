# SPDX-License-Identifier: MIT
"""CUDA from Python, on any machine: the driver API, run-time compilation and arrays.

Notes
-----
`VERSION` is the version of the original PyCUDA that this package stands in for, because programs compare it;
`ANYWHERE_VERSION` is this package's own.
"""

VERSION = (2026, 1)
VERSION_STATUS = ""
VERSION_TEXT = ".".join(str(part) for part in VERSION) + VERSION_STATUS
ANYWHERE_VERSION = "0.2.0"


def _warn_of_original():
    from pycuda import _original  # start-up time: the package's names come first

    if problem := _original.problem():
        import warnings  # start-up time: rarely needed

        warnings.warn(problem, RuntimeWarning, stacklevel=3)


_warn_of_original()


def checks(*names):
    """Check the kernels that a `with` statement launches, on the CPU driver.

    Parameters
    ----------
    *names : str
        What to look for: "memory", "init", "race", "sync" or "all".

    Returns
    -------
    context manager
        Of a list that holds a `Finding` for each place in the program once the statement has ended. Statements within
        each other check for all that they name together, and each list has what its own statement names.

    Notes
    -----
    No failed launch passes unseen. An access out of bounds that "memory" finds ends its launch: the list has it
    (`Finding.ended_launch`), the context is lost, and calls after the statement say so. Any other failure, such as a
    trap, a failed assertion or a time limit, is raised when the statement ends, unless the statement has raised an
    error itself. The list is complete before that. A decorated function has no list: it raises either.

    Examples
    --------
    >>> import numpy as np, pycuda, pycuda.autoinit
    >>> from pycuda import gpuarray
    >>> from pycuda.compiler import SourceModule
    >>> last = SourceModule('''
    ... __global__ void last(int *a) { a[0] = threadIdx.x; }
    ... ''').get_function("last")
    >>> a = gpuarray.zeros(1, np.int32)
    >>> with pycuda.checks("race") as found:
    ...     last(a, block=(64, 1, 1))
    >>> [finding.check for finding in found]
    ['race']
    """
    from pycuda import _checks  # start-up time: rarely needed

    return _checks.checking(*names)


def load_ipython_extension(shell):
    """`%load_ext pycuda` in IPython and Jupyter: the cell magic `%%cuda`."""
    from pycuda import ipython_magic  # start-up time: for IPython only

    ipython_magic.load(shell)


# What is loaded when it is first used, by the module that has it.
_LATE = {
    **dict.fromkeys(("benchmark", "Comparison", "Timing"), "_benchmark"),
    **dict.fromkeys(("counters", "Counters"), "_counters"),
    **dict.fromkeys(("profile", "range", "Profile", "Summary", "Work"), "_profile"),
    "Finding": "_checks",
    "Report": "_report",
    "fuse": "_fuse",
    "provide_libcuda": "_programs",
}


def __dir__():
    return sorted({*globals(), *_LATE})


def __getattr__(name):
    # Private names: of modules that `from pycuda import _module` has not loaded yet.
    if name.startswith("_"):
        raise AttributeError(f"module 'pycuda' has no attribute {name!r}")
    import importlib  # start-up time: only for these names, and for mistakes

    if name in _LATE:
        return getattr(importlib.import_module(f"pycuda.{_LATE[name]}"), name)
    remedy = importlib.import_module("pycuda._other_names").remedy("pycuda", name)
    raise AttributeError(f"module 'pycuda' has no attribute {name!r}{remedy}")
