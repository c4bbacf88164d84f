# SPDX-License-Identifier: MIT
"""OpenGL interoperation: not part of this package, as in a PyCUDA that was built without it."""

raise ImportError("PyCUDA was compiled without GL extension support")
