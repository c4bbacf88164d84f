# SPDX-License-Identifier: MIT
"""Stand-ins for tools that make a GPU's machine code: where they are, and how programs get them.

`ptxas`, `nvcc`, NVRTC and nvJitLink stop at PTX, which the CPU driver compiles. The two programs come first on the
path. The two libraries are loaded into a program before it starts, because programs find NVIDIA's own by their files.
"""

import importlib.util
import os
import shlex
import sys

_PRELOADED = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvJitLink.so.13", "libnvJitLink.so.12")


def distributed_driver_folder():
    """The folder of the distribution `pycuda-anywhere-cpu`, to which `pycuda-anywhere-libraries` adds, or None."""
    found = importlib.util.find_spec("pycuda_anywhere_cpu")
    if found is None or found.origin is None:  # nothing, or what an uninstalled distribution has left
        return None
    import pycuda_anywhere_cpu  # optional package

    return pycuda_anywhere_cpu.driver_folder()


def folders():
    """Where this installation may keep them: in the package, and beside the driver of the distributions."""
    yield os.path.join(os.path.dirname(os.path.abspath(__file__)), "_standins")
    if folder := distributed_driver_folder():
        yield os.path.join(folder, "standins")


def find(name):
    """The path of a stand-in, or None."""
    return next((path for folder in folders() if os.path.exists(path := os.path.join(folder, name))), None)


def libraries():
    """Paths of the libraries that take NVIDIA's place when they are loaded first."""
    return [path for name in _PRELOADED if (path := find(name))]


def nvidia_packages():
    """Folders of NVIDIA's wheels of this Python."""
    found = importlib.util.find_spec("nvidia")
    return list(found.submodule_search_locations or []) if found else []


def make_tools(folder, driver_folder):
    """Put `ptxas` and `nvcc` into a folder of programs, in the way of one that other processes use.

    Parameters
    ----------
    folder : str
        It exists.
    driver_folder : str
        What `nvcc` links programs with.
    """
    ptxas = os.path.realpath(find("ptxas"))
    _place(os.path.join(folder, "ptxas"), lambda made: os.symlink(ptxas, made))
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_nvcc_stand_in.py")
    command = shlex.join([sys.executable, "-I", script])
    nvcc = os.path.join(folder, "nvcc")
    text = f'#!/bin/sh\nexec {command} {shlex.quote(nvcc)} {shlex.quote(driver_folder)} "$@"\n'
    _place(nvcc, lambda made: _write_program(made, text))


def _write_program(path, text):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700), "w") as file:
        file.write(text)


def _place(path, make):
    """A file made beside its place and moved there: never missing or half written."""
    made = f"{path}.{os.getpid()}"
    make(made)
    os.replace(made, path)


def variables(tools, current):
    """What a program's environment needs, as a dict.

    Parameters
    ----------
    tools : str or None
        The folder of `ptxas` and `nvcc`.
    current : mapping
        The environment that paths are put in front of.
    """
    found = {}
    if tools:
        ptxas = os.path.join(tools, "ptxas")
        found["PATH"] = os.pathsep.join(filter(None, [tools, current.get("PATH")]))
        # Triton has its own ptxas for each family of GPUs.
        found["TRITON_PTXAS_PATH"] = found["TRITON_PTXAS_BLACKWELL_PATH"] = ptxas
    # The loader takes spaces and colons for ends of paths.
    preloaded = [path for path in libraries() if not set(path) & set(" :")]
    if preloaded:
        earlier = [path for path in current.get("LD_PRELOAD", "").replace(":", " ").split() if path not in preloaded]
        found["LD_PRELOAD"] = ":".join([*preloaded, *earlier])
        # The run-time library of cuda.bindings.
        start = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_python_start")
        earlier = [path for path in current.get("PYTHONPATH", "").split(os.pathsep) if path and path != start]
        found["PYTHONPATH"] = os.pathsep.join([start, *earlier])
    if packages := nvidia_packages():
        found["PYCUDA_NVIDIA_PACKAGES"] = os.pathsep.join(packages)
    return found
