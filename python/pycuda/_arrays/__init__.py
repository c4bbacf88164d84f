# SPDX-License-Identifier: MIT
"""Arrays on the device, in four layers: each imports only from those below it.

`core`, the class and its shapes, dtypes and kernels; `ops`, the operations; `pycuda` and `numpy`, functions with
PyCUDA's and NumPy's names and arguments. `methods` binds operations to the class.
"""

from pycuda._arrays import methods  # noqa: F401
