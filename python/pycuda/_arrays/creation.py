# SPDX-License-Identifier: MIT
"""The name that arrays pickled before version 0.2 look for; newer pickles name `pycuda.gpuarray`."""

from pycuda._arrays.ops.creation import _restore  # noqa: F401
