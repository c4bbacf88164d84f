# SPDX-License-Identifier: MIT
"""Loaded by pytest as `pycuda`: it names the plug-in, because pytest refuses one module under two names."""

pytest_plugins = ["pycuda.pytest_plugin"]
