# SPDX-License-Identifier: MIT
"""The mako template engine, for programs that take it from here; importing this needs it installed."""

try:
    import mako.template  # noqa: F401
except ImportError as error:
    raise ImportError("pycuda._mymako needs the mako template engine: `pip install mako`") from error

from mako import *  # noqa: F403
