# SPDX-License-Identifier: MIT
"""Names of kernels as C++ writes them: in all texts, tables and pages for people."""


def readable_name(name):
    """`k<float, 3>(float*)` for the mangled name of a kernel; other names as they are.

    Parameters
    ----------
    name : str
        As the driver knows the kernel.

    Returns
    -------
    str
    """
    if not name.startswith("_Z"):
        return name
    from pycuda import _driver  # start-up time: the package imports modules that need this for their names

    return _driver._readable_name(name)
