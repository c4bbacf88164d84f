# SPDX-License-Identifier: MIT
"""The class of arrays and what every operation needs: shapes, dtypes, kernels, the device."""
