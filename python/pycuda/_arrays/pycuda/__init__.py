# SPDX-License-Identifier: MIT
"""Functions with PyCUDA's names and arguments."""
