# SPDX-License-Identifier: MIT
"""Functions with NumPy's names and arguments, loaded when one of them is first called."""
