# SPDX-License-Identifier: MIT
"""CUDA C++ after the preprocessor: the system's, or that of an nvcc."""

import os

from pycuda._compilers import as_texts, nvcc_program, rtc, run_program, the_compiler
from pycuda._errors import CompileError
from pycuda._source_text import source_bytes


def _preprocessor_options(options):
    """What of nvcc's options a C++ preprocessor understands."""
    taken = []
    rest = iter(options)
    for option in rest:
        if option in ("-D", "-U", "-I", "-isystem", "-include"):
            taken += [option, next(rest, "")]
        elif option.startswith(("-D", "-U", "-I", "-std=")):
            taken.append(option)
        elif option.startswith("--std="):
            taken.append(option[1:])
    return taken


def _host_preprocessor(path, options):
    """The command that runs a source through the system's C++ preprocessor; None without one."""
    import shutil  # start-up time: preprocessing is rare

    program = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if program is None:
        return None
    command = [program, "-E", "-P", "-x", "c++", "-D__CUDACC__"]
    for index, (_, _, includes) in enumerate(the_compiler().installations()):
        try:
            major, minor, _ = the_compiler().version(index)
        except ValueError:
            continue
        command += [f"-D__CUDACC_VER_MAJOR__={major}", f"-D__CUDACC_VER_MINOR__={minor}"]
        for folder in includes:
            command += ["-isystem", folder]
        break
    return [*command, *_preprocessor_options(options), path]


def preprocess_source(source, options, nvcc):
    """A source after the preprocessor, without line markers.

    Parameters
    ----------
    source : str
    options : list of str
        nvcc's options.
    nvcc : str
        "nvcc" runs the system's C++ preprocessor, or nvcc where there is none; a path or another
        name runs that program.

    Returns
    -------
    str

    Raises
    ------
    pycuda.driver.CompileError
        The source was refused.
    OSError
        There is no preprocessor.

    Notes
    -----
    NVRTC does not hand this text out. Unlike nvcc the system's preprocessor puts no
    `cuda_runtime.h` before the source.
    """
    import tempfile  # start-up time: preprocessing is rare

    options = as_texts(options, "options")
    named = nvcc_program(nvcc)
    text = source_bytes(source)
    with tempfile.TemporaryDirectory(prefix="pycuda-") as folder:
        path = os.path.join(folder, "source.cu")
        with open(path, "wb") as file:
            file.write(text)
        command = None if named else _host_preprocessor(path, options)
        if command is None:
            program = rtc().find_nvcc(named or "nvcc")
            if not program and not named:
                raise FileNotFoundError("preprocessing needs a C++ compiler or nvcc: `apt-get install g++`")
            command = [program or named, "--preprocess", *options, path]
            command += ["--compiler-options", "-P"]
        result = run_program(command)  # in the program's folder, which relative paths in options start from
    if result.returncode != 0:
        raise CompileError(f"nvcc preprocessing of {path} failed", command, result.stdout, result.stderr)
    if named and len(result.stdout) < 0.5 * len(text):
        raise CompileError(
            f"nvcc preprocessing of {path} failed with ridiculously small code output - likely unsupported compiler.",
            command,
            result.stdout,
            result.stderr,
        )
    return result.stdout
