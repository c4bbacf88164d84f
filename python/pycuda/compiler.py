# SPDX-License-Identifier: MIT
"""CUDA C++ to code that the driver loads: in process with NVRTC, or with an nvcc that is asked for.

Notes
-----
Differences from the original: NVRTC compiles, no nvcc and no host compiler are needed;
`nvcc=<path>` or `PYCUDA_COMPILER=nvcc` run that program instead. Line numbers in errors are the
user's. Headers of CUDA that stand at the top of a source do not get C linkage, so `cuda_fp16.h`,
`curand_kernel.h`, `cooperative_groups.h` and CUB work without `no_extern_c`. For a CPU device every
target is PTX, which is what its driver loads. The cache is silent, bounded in size and safe for
processes that share it.
"""

import os
import sys
import time
import warnings

from pycuda import _compile_times
from pycuda._compilers import (
    as_texts,
    get_nvcc_version,
    nvcc_program,
    rtc,
    the_compiler,
)
from pycuda._cuda_modules import (
    CudaModule,
    DynamicModule,
    DynamicSourceModule,
    user_stack_level,
)
from pycuda._preprocessing import preprocess_source

__all__ = [
    "DEFAULT_NVCC_FLAGS",
    "CudaModule",
    "DynamicModule",
    "DynamicSourceModule",
    "JitLinkModule",
    "SourceModule",
    "compile",
    "compile_plain",
    "get_nvcc_version",
    "preprocess_source",
]

DEFAULT_NVCC_FLAGS = os.environ.get("PYCUDA_DEFAULT_NVCC_FLAGS", "").split()


def _find_cache_folder(cache_dir):
    """The folder as text, or None when nothing is to be cached."""
    if cache_dir is False:
        return None
    if cache_dir is None or cache_dir is True:
        return rtc().default_cache_folder() or None
    if "PYCUDA_DISABLE_CACHE" in os.environ:
        return None
    return os.fspath(cache_dir)


def _warn_of_output(log):
    level = user_stack_level()
    if "demoted" in log.lower() or "demoting" in log.lower():
        warnings.warn(
            "nvcc said it demoted types in source code it compiled--this is likely not what you want.",
            stacklevel=level,
        )
    warnings.warn(
        "The CUDA compiler succeeded, but said the following:\n" + log.rstrip("\n") + "\n",
        stacklevel=level,
    )


def _compile(source, nvcc, options, keep, extern_c, arch, code, cache_folder, include_dirs, target):
    extension = rtc()
    capability, is_cpu, driver_version = extension.device_facts()
    if isinstance(source, (bytes, bytearray)):
        source = source.decode()
    if not isinstance(source, str):
        # Program generators hand over trees that turn into text; paths do too, but are none.
        if type(source).__str__ is object.__str__ or isinstance(source, os.PathLike):
            raise TypeError(f"the source must be a str, not {type(source).__name__}")
        source = str(source)
    started = time.perf_counter()
    try:
        image, log, from_cache, kept_folder = the_compiler().compile(
            source=source,
            options=options,
            include_folders=include_dirs,
            arch="" if arch is None else str(arch),
            code="" if code is None else str(code),
            target=target,
            capability=capability,
            is_cpu=is_cpu,
            driver_version=driver_version,
            extern_c=extern_c,
            keep=bool(keep),
            cache_folder=cache_folder,
            nvcc=nvcc_program(nvcc),
        )
    except extension.CompileFailure as failure:
        message, command, stdout, stderr = failure.args
        if message.startswith("error invoking"):
            raise FileNotFoundError(message) from None
        named = os.environ.get("PYCUDA_NVRTC")
        if named and stderr.startswith(named):
            message += f" - PYCUDA_NVRTC={named} cannot be used: set it to the path of an NVRTC library, or unset it"
        from pycuda import _compile_advice
        from pycuda.driver import CompileError

        text = source if isinstance(source, str) else source.decode(errors="replace")
        if hint := _compile_advice.advice(text):
            message += f": {hint}"
        if place := _compile_advice.place_of_call():
            message += f" (the source was passed at {place})"
        raise CompileError(message, command, stdout, stderr) from None
    _compile_times.report("compiled to device code", source, time.perf_counter() - started, from_cache)
    if kept_folder:
        print(f"*** compiler output in {kept_folder}")
    if log:
        _warn_of_output(log)
    return image


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
    """
    assert target in ("cubin", "ptx", "fatbin"), "target must be 'cubin', 'ptx' or 'fatbin'"
    if options is None:
        options = DEFAULT_NVCC_FLAGS
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
    )


def compile_plain(source, options, keep, nvcc, cache_dir, target="cubin"):
    """Compile a source as it is: no wrapping, and only the options given.

    Returns
    -------
    bytes
    """
    assert target in ("cubin", "ptx", "fatbin"), "target must be 'cubin', 'ptx' or 'fatbin'"
    folder = os.fspath(cache_dir) if cache_dir else None
    return _compile(source, nvcc, as_texts(options, "options"), keep, False, None, None, folder, [], target)


class SourceModule(CudaModule):
    """A module compiled from a source and loaded into the current context (see `compile`)."""

    def __init__(
        self,
        source,
        nvcc="nvcc",
        options=None,
        keep=False,
        no_extern_c=False,
        arch=None,
        code=None,
        cache_dir=None,
        include_dirs=None,
    ):
        self._check_arch(arch)
        image = compile(source, nvcc, options, keep, no_extern_c, arch, code, cache_dir, include_dirs)
        from pycuda.driver import module_from_buffer

        started = time.perf_counter()
        self.module = module_from_buffer(image)
        _compile_times.report("loaded", source, time.perf_counter() - started)
        self._bind_module()


# The name that it had before.
JitLinkModule = DynamicModule
