# SPDX-License-Identifier: MIT
"""Sources to device code: what `pycuda.compiler.compile`, and all modules made from sources, call."""

import os
import re
import sys
import warnings
from typing import NamedTuple

from pycuda import _compile_times, _driver
from pycuda._compilers import as_texts, nvcc_program, rtc, the_compiler
from pycuda._errors import CompileError
from pycuda._source_places import place_of_source, user_frame
from pycuda._source_text import source_bytes

DEFAULT_NVCC_FLAGS = os.environ.get("PYCUDA_DEFAULT_NVCC_FLAGS", "").split()


def default_options():
    """The options when none are given: programs assign `pycuda.compiler.DEFAULT_NVCC_FLAGS`."""
    return getattr(sys.modules.get("pycuda.compiler"), "DEFAULT_NVCC_FLAGS", DEFAULT_NVCC_FLAGS)


def _find_cache_folder(cache_dir):
    """The folder as text, or None when nothing is to be cached."""
    if cache_dir is False:
        return None
    if cache_dir is None or cache_dir is True:
        return rtc().default_cache_folder() or None
    if "PYCUDA_DISABLE_CACHE" in os.environ:
        return None
    return os.fspath(cache_dir)


def _keeps(folder):
    """Whether a cache in the folder, which need not exist yet, takes anything."""
    if folder is None:
        return False
    there = os.path.abspath(folder)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    return os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)


COMPILER_OUTPUT = "The CUDA compiler succeeded, but said the following:"


def _warn_of_output(log):
    _, level = user_frame()
    if "demoted" in log.lower() or "demoting" in log.lower():
        warnings.warn(
            "nvcc said it demoted types in source code it compiled--this is likely not what you want.",
            stacklevel=level,
        )
    from pycuda._source_mistakes import mistake_in_warnings  # start-up time: most compilers say nothing

    mistake = mistake_in_warnings(log)
    what_to_do = f"\nwhat to do: {mistake}" if mistake else ""
    warnings.warn(f"{COMPILER_OUTPUT}\n" + log.rstrip("\n") + what_to_do, stacklevel=level)


class Compiled(NamedTuple):
    """What the extension's compiler gives."""

    image: bytes
    log: str
    from_cache: bool
    kept_folder: str
    names: dict  # of the name expressions
    kernel_types: dict  # mangled, by the names of kernels in C linkage
    is_cpu: bool = False  # for the CPU driver


def _compile(source, nvcc, options, keep, extern_c, arch, code, cache_folder, include_dirs, target, names=()):
    extension = rtc()
    device = _driver._device_traits()
    source = source_bytes(source)
    timed = _compile_times.Compilation("compiling", "compiled to device code", source, _keeps(cache_folder))
    try:
        with timed:
            compiled = Compiled(
                *the_compiler().compile(
                    source=source,
                    options=options,
                    include_folders=include_dirs,
                    arch="" if arch is None else str(arch),
                    code="" if code is None else str(code),
                    target=target,
                    device=device,
                    extern_c=extern_c,
                    keep=bool(keep),
                    cache_folder=cache_folder,
                    nvcc=nvcc_program(nvcc),
                    name_expressions=list(names),
                ),
                is_cpu=device.is_cpu,
            )
            timed.from_cache = compiled.from_cache
    except extension.CompileFailure as failure:
        message, command, stdout, stderr = failure.args
        if message.startswith("error invoking"):
            raise FileNotFoundError(message) from None
        named = os.environ.get("PYCUDA_NVRTC")
        if named and stderr.startswith(named):
            message += f" - PYCUDA_NVRTC={named} cannot be used: set it to the path of an NVRTC library, or unset it"
        from pycuda import _compile_advice  # start-up time: most sources compile

        text = source.decode(errors="replace")
        is_dynamic = any(re.fullmatch(r"-(?:-?rdc|-relocatable-device-code)=true", option) for option in options)
        if hint := _compile_advice.advice(text, is_dynamic) or _compile_advice.advice_on_errors(stderr, text):
            message += f": {hint}"
        if _compile_advice.is_file_name(text):
            stderr = ""  # the compiler's words are about the name
        is_of_option = ": the option " in message  # in no line of the source
        if not is_of_option:
            line = _compile_advice.line_of_first_error(stderr)
            message += f" ({place_of_source(source).in_compile_error(line)})"
        raise CompileError(message, command, stdout, stderr) from None
    if compiled.kept_folder:
        print(f"*** compiler output in {compiled.kept_folder}")
    if compiled.log:
        _warn_of_output(compiled.log)
    return compiled


def compile(
    source,
    nvcc="nvcc",
    options=None,
    keep=False,
    no_extern_c=False,
    arch=None,
    code=None,
    cache_dir=None,
    include_dirs=None,
    target="cubin",
):
    """Compile CUDA C++ for the current context's device.

    Parameters
    ----------
    source : str
        Put into an implicit ``extern "C" { }`` unless `no_extern_c`.
    nvcc : str
        A path or name other than "nvcc" runs that program instead of NVRTC.
    options : list of str, optional
        nvcc's options; `DEFAULT_NVCC_FLAGS` when None.
    keep : bool
        Leave source and output in a folder, and print its name.
    arch, code : str, optional
        "sm_80", "compute_80"; the device's own when None.
    cache_dir : str or False, optional
        False: no cache. None: `PYCUDA_CACHE_DIR`, or the user's cache folder. The folder is made
        when it is missing.
    include_dirs : list of str, optional
    target : {"cubin", "ptx", "fatbin"}

    Returns
    -------
    bytes

    Raises
    ------
    pycuda.driver.CompileError
        The source was refused, or no compiler was found.

    Examples
    --------
    >>> ptx = compiler.compile("__global__ void k(int *a) { a[0] = 1; }", target="ptx")
    >>> b".entry k" in ptx
    True
    """
    assert target in ("cubin", "ptx", "fatbin"), "target must be 'cubin', 'ptx' or 'fatbin'"
    return _compile_as_set(
        source, nvcc, options, keep, no_extern_c, arch, code, cache_dir, include_dirs, target=target
    ).image


def _compile_as_set(
    source, nvcc, options, keep, no_extern_c, arch, code, cache_dir, include_dirs, *, names=(), target="cubin"
):
    """The same with all that the compiler gives; `names` are expressions that must be in the image."""
    if options is None:
        options = default_options()
    options = as_texts(options, "options")
    driver = sys.modules.get("pycuda.driver")
    if driver is not None and getattr(driver, "CUDA_DEBUGGING", False):
        cache_dir = False
        keep = True
        options += ["-g", "-G"]
    return _compile(
        source,
        nvcc,
        options,
        keep,
        not no_extern_c,
        arch,
        code,
        _find_cache_folder(cache_dir),
        as_texts(include_dirs, "include_dirs"),
        target,
        names,
    )


def compile_plain(source, options, keep, nvcc, cache_dir, target="cubin"):
    """Compile a source as it is: no wrapping, and only the options given.

    Returns
    -------
    bytes
    """
    assert target in ("cubin", "ptx", "fatbin"), "target must be 'cubin', 'ptx' or 'fatbin'"
    folder = os.fspath(cache_dir) if cache_dir else None
    texts = as_texts(options, "options")
    return _compile(source, nvcc, texts, keep, False, None, None, folder, [], target).image


# Where users find them, and pickles look for them.
compile.__module__ = compile_plain.__module__ = "pycuda.compiler"
