# SPDX-License-Identifier: MIT
"""CUPTI, NVIDIA's profiling interface: where it is, and what a profile says when it is not used."""

import ctypes
import os
import sys

from pycuda import _driver
from pycuda._compile_times import configured_logger

_said = False


def _opens(name, mode=os.RTLD_LAZY):
    try:
        ctypes.CDLL(name, mode=mode)
    except OSError:
        return False
    return True


def libraries():
    """The files and names that may be CUPTI, best first, and why there are none: (list of str, str or None).

    None is the reason on other drivers than NVIDIA's, which have no CUPTI. ``PYCUDA_CUPTI`` names the file, or switches
    CUPTI off with "0". One that the process has loaded already, perhaps for another package, is taken before others:
    two of them hinder each other.
    """
    driver = _driver._rtc.driver_origin()
    if driver["kind"] != "NVIDIA":
        return [], None
    named = os.environ.get("PYCUDA_CUPTI")
    if named == "0":
        return [], "PYCUDA_CUPTI=0"
    if named:
        try:
            ctypes.CDLL(named)
        except OSError as error:
            raise OSError(f"PYCUDA_CUPTI={named} cannot be used: {error}") from None
        return [named], ""
    if driver["version"] < 12060:
        return [], "the driver is older than CUDA 12.6"
    names = {f"libcupti.so.{major}": f"cu{major}" for major in (13, 12) if major <= driver["version"] // 1000}
    for name in names:
        if _opens(name, os.RTLD_LAZY | os.RTLD_NOLOAD):
            return [name], ""
    roots = [
        *filter(None, map(os.environ.get, ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT"))),
        "/usr/local/cuda",
        "/opt/cuda",
    ]
    found = []
    for name, wheel in names.items():
        files = [os.path.join(path or os.curdir, "nvidia", wheel, "lib", name) for path in sys.path]
        files += [os.path.join(path or os.curdir, "nvidia/cuda_cupti/lib", name) for path in sys.path]
        files += [os.path.join(root, folder, name) for root in roots for folder in ("extras/CUPTI/lib64", "lib64")]
        found += filter(os.path.exists, files)
    found = found or [*filter(_opens, names)]
    return found, "" if found else "CUPTI is not installed: `pip install 'pycuda-anywhere[profile]'`"


def timing(why):
    """`Profile.timing`, from why CUPTI is not used: "" if it is, None on the CPU driver. Says it once in the log."""
    global _said
    if why is None:
        return "events"
    if not why:
        return "CUPTI"
    text = f"events because {why}"
    if not _said and (logger := configured_logger()) is not None:
        _said = True
        logger.info("kernel times from %s", text)
    return text
