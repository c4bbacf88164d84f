# SPDX-License-Identifier: MIT
"""The operations on arrays, by their own names and arguments: what the class, PyCUDA's and NumPy's functions use."""
