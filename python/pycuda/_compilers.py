# SPDX-License-Identifier: MIT
"""Which compilers there are: the process's NVRTC with its headers, or an nvcc that is asked for."""

import os
import sys
import warnings

_package_folder = os.path.dirname(os.path.abspath(__file__))
_compiler = None
_nvcc_versions = {}


def rtc():
    """What the extension has of compiling; loaded when it is first needed."""
    from pycuda._driver import _rtc  # may fail: `python -m pycuda` reports that

    return _rtc


def the_compiler():
    """The process's compiler, which knows where NVRTC and the headers are."""
    global _compiler
    if _compiler is None:
        packages = []
        for folder in sys.path:
            nvidia = os.path.join(folder or os.curdir, "nvidia")
            if os.path.isdir(nvidia) and nvidia not in packages:
                packages.append(nvidia)
        headers = os.path.join(_package_folder, "cuda")
        _compiler = rtc().Compiler(packages, [headers, os.path.join(headers, "stdlib")])
    return _compiler


def nvcc_program(nvcc):
    """The nvcc to run, or "" for NVRTC."""
    choice = os.environ.get("PYCUDA_COMPILER", "")
    if choice not in ("", "nvrtc", "nvcc"):
        raise ValueError(f"PYCUDA_COMPILER is {choice!r}: it may be 'nvrtc' or 'nvcc'")
    if nvcc != "nvcc" or choice == "nvcc":
        return os.fspath(nvcc)
    return ""


def as_texts(values, name):
    """A list of texts from what a user may give: a sequence, or None."""
    if values is None:
        return []
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a list of strings, not one string: {os.fsdecode(values).split()}")
    values = list(values)
    if None in values:
        raise TypeError(f"{name} must be a list of strings, not {values}")
    return [os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value) for value in values]


def run_program(command, **keywords):
    """A finished process; OSError in the original's words when there is no such program."""
    import subprocess  # start-up time: it is needed seldom

    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", **keywords)
    except OSError as error:
        raise type(error)(f"error invoking '{' '.join(command)}': {error}") from None


def get_nvcc_version(nvcc):
    """The compiler's text about its version: NVRTC's in nvcc's form, or that of the nvcc asked for.

    Returns
    -------
    str
    """
    program = nvcc_program(nvcc)
    if program in _nvcc_versions:
        return _nvcc_versions[program]
    if program:
        result = run_program([program, "--version"])
        text = result.stdout + result.stderr
        if result.returncode != 0 or not text:
            warnings.warn("NVCC version could not be determined.", stacklevel=2)
            text = "nvcc unknown version"
    else:
        compiler = the_compiler()
        text = ""
        for index, (library, _, _) in enumerate(compiler.installations()):
            try:
                major, minor, _ = compiler.version(index)
            except ValueError:
                continue
            text = (
                f"NVRTC: NVIDIA (R) run-time compiler, {library}\n"
                f"Cuda compilation tools, release {major}.{minor}, V{major}.{minor}\n"
            )
            break
        if not text:
            raise FileNotFoundError(rtc().missing_message())
    _nvcc_versions[program] = text
    return text
