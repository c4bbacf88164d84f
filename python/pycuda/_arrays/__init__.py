# SPDX-License-Identifier: MIT
"""What pycuda.gpuarray is made of: one idea in each module."""
