# SPDX-License-Identifier: MIT
"""What pytest loads under the name `pycuda`.

It names the plug-in instead of being it, so that `-p pycuda.pytest_plugin` and a conftest.py that names the plug-in,
which a build folder needs, work where the package is installed as well: pytest refuses one module under two names.
"""

pytest_plugins = ["pycuda.pytest_plugin"]
