# SPDX-License-Identifier: MIT
"""Values of the CPU driver's variables that the driver would not use: it tells in a line of its log, programs here."""

from __future__ import annotations

import re

from pycuda._check_names import ALLOWED, unknown_checks

_SWITCH = ("0", "1")


def _among(*allowed):
    return lambda text: text in allowed, " or ".join([", ".join(allowed[:-1]), allowed[-1]])


def _whole(least, most):
    return lambda text: text.isdecimal() and least <= int(text) <= most, f"a whole number from {least} to {most}"


def _is_decimal(text, least, most):
    try:
        return re.fullmatch(r"[-+0-9.eE]+", text) is not None and least <= float(text) <= most
    except ValueError:
        return False


def _is_size(text, least, most):
    found = re.fullmatch(r"([0-9]+)([KMGTkmgt]?)", text)
    return found is not None and least <= int(found[1]) << 10 * " KMGT".index(found[2].upper() or " ") <= most


_ARCHITECTURES = ("75", "80", "86", "89", "90", "90a", "100")

# By variable: whether a value is allowed, and what is.
_RULES = {
    "PYCUDA_LOG": _among("quiet", "warning", "info", "debug"),
    "PYCUDA_CPU_ARCH": (
        lambda text: text.removeprefix("sm_") in _ARCHITECTURES,
        " or ".join([", ".join(_ARCHITECTURES[:-1]), _ARCHITECTURES[-1]]),
    ),
    "PYCUDA_CPU_CHECK": (lambda text: unknown_checks(text) is None, f"names of checks ({ALLOWED}), 1 or 0"),
    "PYCUDA_CPU_TIMEOUT": (lambda text: _is_decimal(text, 0, 1e9), "a number of seconds from 0 (no limit) to 1e9"),
    "PYCUDA_CPU_PATIENCE": (lambda text: _is_decimal(text, -1e9, 1e9), "a number"),
    "PYCUDA_CPU_THREADS": _whole(1, 1024),
    "PYCUDA_CPU_DEVICES": _whole(1, 64),
    "PYCUDA_CPU_MEMORY": (lambda text: _is_size(text, 1, 1 << 47), "a number of bytes, such as 512M or 4G"),
    "PYCUDA_CPU_MARGIN": (lambda text: _is_size(text, 0, 1 << 30), "a number of bytes up to 1G, such as 64K"),
    "PYCUDA_CPU_ISA": _among("sse2", "avx2", "avx512"),
    "PYCUDA_CPU_GANG": _among("0", "16", "32", "64"),
    "PYCUDA_CPU_STREAM": _among(*_SWITCH),
    "PYCUDA_CPU_VECTOR": _among(*_SWITCH),
    "PYCUDA_CPU_VERIFY": _among(*_SWITCH),
    "PYCUDA_CPU_SYMBOLS": _among(*_SWITCH),
}


def problems(environment):
    """What is wrong with the variables; an empty value is that of an unset one.

    Parameters
    ----------
    environment : mapping

    Returns
    -------
    list of str
        A sentence for each variable.
    """
    return [
        f"{name}={value}: it may be {allowed}"
        for name, (is_allowed, allowed) in _RULES.items()
        if (value := environment.get(name)) and not is_allowed(value)
    ]
