# SPDX-License-Identifier: MIT
"""The mako template engine, for programs that take it from here; it is needed only when it is used."""


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        import mako
        import mako.template
    except ImportError as error:
        raise ImportError("pycuda._mymako needs the mako template engine: `pip install mako`") from error
    return getattr(mako, name)
