# SPDX-License-Identifier: MIT
"""CUDA C++ to code that the driver loads: in process with NVRTC, or with an nvcc that is asked for.

Notes
-----
Differences from the original: NVRTC compiles, no nvcc and no host compiler are needed;
`nvcc=<path>` or `PYCUDA_COMPILER=nvcc` run that program instead. Line numbers in errors are the
user's. Headers of CUDA that stand at the top of a source do not get C linkage, so `cuda_fp16.h`,
`curand_kernel.h`, `cooperative_groups.h` and CUB work without `no_extern_c`. So do templates and
overloads in a source or its headers: then only the kernels get C linkage. Sources may have a
byte-order mark, comments in any encoding, and names beyond ASCII, as with nvcc. Arrays are checked
against the pointers that kernels declare, and kernels are found by their C++ names (see
`SourceModule`). For a CPU device every target is PTX, which is what its driver loads. The cache is
silent, bounded in size and safe for processes that share it.
"""

import functools
import os
import sys
import warnings
from typing import NamedTuple

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
from pycuda._images import has_variables
from pycuda._preprocessing import preprocess_source
from pycuda._source_places import place_of_source
from pycuda._source_text import first_error, is_template, name_expression, source_bytes

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


def checks_arguments():
    """Whether kernels check the types of arrays, unless a `SourceModule` says otherwise."""
    choice = os.environ.get("PYCUDA_CHECK_ARGUMENTS", "")
    if choice not in ("", "0", "1"):
        raise ValueError(f"PYCUDA_CHECK_ARGUMENTS is {choice!r}: it may be '0' or '1'")
    return choice != "0"


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
    capability, is_cpu, driver_version = extension.device_facts()
    source = source_bytes(source)
    timed = _compile_times.Compilation("compiling", "compiled to device code", source)
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
                    capability=capability,
                    is_cpu=is_cpu,
                    driver_version=driver_version,
                    extern_c=extern_c,
                    keep=bool(keep),
                    cache_folder=cache_folder,
                    nvcc=nvcc_program(nvcc),
                    name_expressions=list(names),
                ),
                is_cpu=is_cpu,
            )
            timed.from_cache = compiled.from_cache
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
        if _compile_advice.is_file_name(text):
            stderr = ""  # the compiler's words are about the name
        message += f" ({place_of_source(source).in_compile_error()})"
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


class SourceModule(CudaModule):
    """A module compiled from a source and loaded into the current context (see `compile`).

    Parameters
    ----------
    check_arguments : bool, optional
        Whether arrays (GPUArray, In, Out, InOut, and what has `__cuda_array_interface__`) must fit the pointers that
        kernels declare. Plain numbers of another size are a TypeError; numbers of another kind, and views with gaps
        between their elements, are a UserWarning, once for each parameter. `void`, types of one byte, structs, vectors
        and complex numbers fit everything; so do explicit pointers. True unless PYCUDA_CHECK_ARGUMENTS is 0.
    name_expressions : list of str
        Instances of templates that must be in the module, as "k<float, 3>"; see `get_function`.

    The other parameters are those of `compile`.

    Examples
    --------
    >>> module = compiler.SourceModule('''
    ... __global__ void twice(float *a) { a[threadIdx.x] *= 2; }
    ... ''')
    >>> twice = module.get_function("twice")
    >>> a = gpuarray.arange(4, dtype=np.float32)
    >>> twice(a, block=(4, 1, 1))
    >>> a
    array([0., 2., 4., 6.], dtype=float32)
    """

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
        *,
        check_arguments=None,
        name_expressions=(),
    ):
        self._check_arch(arch)
        options = None if options is None else as_texts(options, "options")
        self._compile = functools.partial(
            _compile_as_set,
            source_bytes(source),
            nvcc,
            options,
            keep,
            no_extern_c,
            arch,
            code,
            cache_dir,
            include_dirs,
        )
        self._checks_arguments = checks_arguments() if check_arguments is None else bool(check_arguments)
        names = as_texts(name_expressions, "name_expressions")
        self._expressions = [name_expression(name) or name for name in names]
        compiled = self._compile(names=self._expressions)
        self._place = place_of_source(self._compile.args[0]) if compiled.is_cpu else None
        self._load(compiled)

    def _load(self, compiled):
        """Take kernels and variables from this image from now on."""
        from pycuda.driver import module_from_buffer

        with _compile_times.Compilation("loading", "loaded", self._compile.args[0]):
            self.module = module_from_buffer(compiled.image)
        if self._place is not None:
            self.module._set_source("kernel.cu", *self._place[:2], self._compile.args[0])
        if self._checks_arguments:
            self.module._check_arguments(compiled.kernel_types)
        self._names = compiled.names
        self._is_used = False

    def get_global(self, name):
        """Address and size in bytes of a variable, as (int, int).

        Examples
        --------
        >>> module = compiler.SourceModule("__constant__ float factors[4];")
        >>> address, size = module.get_global("factors")
        >>> size
        16
        >>> driver.memcpy_htod(address, np.ones(4, np.float32))
        """
        self._is_used = True
        return self.module.get_global(name)

    def get_texref(self, name):
        """The `pycuda.driver.TextureReference` of this name."""
        self._is_used = True
        return self.module.get_texref(name)

    def get_surfref(self, name):
        """The `pycuda.driver.SurfaceReference` of this name."""
        self._is_used = True
        return self.module.get_surfref(name)

    def get_function(self, name):
        """The kernel of this name, which may be a C++ expression.

        Parameters
        ----------
        name : str
            `k`, `space::k`, `k<float, 3>`, `k(float *)` or a mangled name. An instance of a template that the module
            lacks is compiled, once, together with everything else in the source. Instances that share variables of the
            module with other kernels are named beforehand, in `name_expressions`.

        Returns
        -------
        pycuda.driver.Function

        Examples
        --------
        >>> module = compiler.SourceModule("template <class T> __global__ void one(T *a) { a[0] = 1; }")
        >>> a = gpuarray.zeros(1, np.float64)
        >>> module.get_function("one<double>")(a, block=(1, 1, 1))
        >>> a
        array([1.])
        """
        from pycuda.driver import LogicError

        try:
            function = self.module.get_function(name)
        except LogicError as error:
            expression = name_expression(name)
            if error.name != "CUDA_ERROR_NOT_FOUND":
                raise
            if expression is None:
                if is_template(self._compile.args[0], name):
                    raise _because(
                        error, f'it is a template: ask for an instance, such as get_function("{name}<float>")'
                    ) from None
                raise
            if expression not in self._names:
                self._add_expression(expression, name, error)
            function = self.module.get_function(self._names[expression])
        self._is_used = True
        return function

    def _add_expression(self, expression, name, error):
        """Compile once more, with what the expression names; `error` is what the module said."""
        from pycuda.driver import CompileError

        expressions = [*self._expressions, expression]
        try:
            compiled = self._compile(names=expressions)
        except CompileError as failure:
            raise _because(error, f"as a C++ expression: {first_error(failure.stderr)}") from None
        if expression not in compiled.names:
            raise error
        if self._is_used and has_variables(compiled.image):
            raise _because(
                error,
                "the module is in use, and an instance compiled now would have variables of its own: name it"
                f' beforehand, SourceModule(..., name_expressions=["{name}"])',
            )
        self._expressions = expressions
        self._load(compiled)


def _because(error, reason):
    """The same error with a reason."""
    extended = type(error)(f"{error}; {reason}")
    extended.code, extended.name, extended.routine = error.code, error.name, error.routine
    return extended


# The name that it had before.
JitLinkModule = DynamicModule
