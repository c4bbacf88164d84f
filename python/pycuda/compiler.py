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
import warnings

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

_package_folder = os.path.dirname(os.path.abspath(__file__))
_compiler = None
_nvcc_versions = {}


def _rtc():
    from pycuda._driver import _rtc as rtc

    return rtc


def _the_compiler():
    """The process's compiler, which knows where NVRTC and the headers are."""
    global _compiler
    if _compiler is None:
        packages = []
        for folder in sys.path:
            nvidia = os.path.join(folder or os.curdir, "nvidia")
            if os.path.isdir(nvidia) and nvidia not in packages:
                packages.append(nvidia)
        headers = os.path.join(_package_folder, "cuda")
        _compiler = _rtc().Compiler(packages, [headers, os.path.join(headers, "stdlib")])
    return _compiler


def _program_of(nvcc):
    """The nvcc to run, or "" for NVRTC."""
    choice = os.environ.get("PYCUDA_COMPILER", "")
    if choice not in ("", "nvrtc", "nvcc"):
        raise ValueError(f"PYCUDA_COMPILER is {choice!r}: it may be 'nvrtc' or 'nvcc'")
    if nvcc != "nvcc" or choice == "nvcc":
        return os.fspath(nvcc)
    return ""


def _find_cache_folder(cache_dir):
    """The folder as text, or None when nothing is to be cached."""
    if cache_dir is False:
        return None
    if cache_dir is None or cache_dir is True:
        return _rtc().default_cache_folder() or None
    if "PYCUDA_DISABLE_CACHE" in os.environ:
        return None
    return os.fspath(cache_dir)


def _texts(values, name):
    """A list of texts from what a user may give: a sequence, or None."""
    if values is None:
        return []
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a list of texts, not one text")
    return [os.fspath(value) if hasattr(value, "__fspath__") else str(value) for value in values]


def _user_stack_level():
    """How far up, counted from the caller, the first frame outside of this package is."""
    level = 1
    frame = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "pycuda":
        if frame.f_globals.get("__name__") == "pycuda.__main__":
            break
        frame = frame.f_back
        level += 1
    return level


def _warn_of_output(log):
    level = _user_stack_level()
    if "demoted" in log.lower() or "demoting" in log.lower():
        warnings.warn(
            "nvcc said it demoted types in source code it compiled--this is likely not what "
            "you want.",
            stacklevel=level,
        )
    warnings.warn(
        "The CUDA compiler succeeded, but said the following:\n" + log.rstrip("\n") + "\n",
        stacklevel=level,
    )


def _compile(source, nvcc, options, keep, extern_c, arch, code, cache_folder, include_dirs, target):
    rtc = _rtc()
    capability, is_cpu, driver_version = rtc.device_facts()
    if isinstance(source, (bytes, bytearray)):
        source = source.decode()
    if not isinstance(source, str):
        # Program generators hand over trees that turn into text; paths do too, but are none.
        if type(source).__str__ is object.__str__ or isinstance(source, os.PathLike):
            raise TypeError(f"the source must be a str, not {type(source).__name__}")
        source = str(source)
    try:
        image, log, _, kept_folder = _the_compiler().compile(
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
            nvcc=_program_of(nvcc),
        )
    except rtc.CompileFailure as failure:
        message, command, stdout, stderr = failure.args
        if message.startswith("error invoking"):
            raise FileNotFoundError(message) from None
        from pycuda.driver import CompileError

        raise CompileError(message, command, stdout, stderr) from None
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
    options = _texts(options, "options")
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
        _texts(include_dirs, "include_dirs"),
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
    return _compile(
        source, nvcc, _texts(options, "options"), keep, False, None, None, folder, [], target
    )


def _run(command, **keywords):
    """A finished process; OSError in the original's words when there is no such program."""
    import subprocess

    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", **keywords)
    except OSError as error:
        raise type(error)(f"error invoking '{' '.join(command)}': {error}") from None


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
    import shutil

    program = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if program is None:
        return None
    command = [program, "-E", "-P", "-x", "c++", "-D__CUDACC__"]
    for index, (_, _, includes) in enumerate(_the_compiler().installations()):
        try:
            major, minor, _ = _the_compiler().version(index)
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
    import tempfile

    from pycuda.driver import CompileError

    options = _texts(options, "options")
    named = _program_of(nvcc)
    with tempfile.TemporaryDirectory(prefix="pycuda-") as folder:
        path = os.path.join(folder, "source.cu")
        with open(path, "w") as file:
            file.write(source)
        command = None if named else _host_preprocessor(path, options)
        if command is None:
            program = _rtc().find_nvcc(named or "nvcc")
            if not program and not named:
                raise FileNotFoundError(
                    "preprocessing needs a C++ compiler or nvcc: `apt-get install g++`"
                )
            command = [program or named, "--preprocess", *options, path]
            command += ["--compiler-options", "-P"]
        result = _run(command, cwd=folder)
    if result.returncode != 0:
        raise CompileError(
            f"nvcc preprocessing of {path} failed", command, result.stdout, result.stderr
        )
    if named and len(result.stdout) < 0.5 * len(source):
        raise CompileError(
            f"nvcc preprocessing of {path} failed with ridiculously small code output - "
            "likely unsupported compiler.",
            command,
            result.stdout,
            result.stderr,
        )
    return result.stdout


def get_nvcc_version(nvcc):
    """The compiler's text about its version: NVRTC's in nvcc's form, or that of the nvcc asked for.

    Returns
    -------
    str
    """
    program = _program_of(nvcc)
    if program in _nvcc_versions:
        return _nvcc_versions[program]
    if program:
        result = _run([program, "--version"])
        text = result.stdout + result.stderr
        if result.returncode != 0 or not text:
            warnings.warn("NVCC version could not be determined.", stacklevel=2)
            text = "nvcc unknown version"
    else:
        compiler = _the_compiler()
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
            raise FileNotFoundError(_rtc().missing_message())
    _nvcc_versions[program] = text
    return text


class CudaModule:
    """What the module classes share.

    Attributes
    ----------
    module : pycuda.driver.Module
        The loaded code.
    """

    def _check_arch(self, arch):
        """Warn about an `arch` that the current device does not run."""
        if arch is None:
            return
        capability, _, _ = _rtc().device_facts()
        digits = str(arch).rpartition("_")[2].rstrip("af")
        if not digits.isdigit() or "_" not in str(arch) or capability == 0:
            why = (
                "there is no device to compare it with" if capability == 0 else f"arch is {arch!r}"
            )
            warnings.warn(
                f"failed to check compute capability for module: {why}",
                stacklevel=_user_stack_level(),
            )
        elif int(digits) > capability:
            warnings.warn(
                "trying to compile for a compute capability higher than selected GPU",
                stacklevel=_user_stack_level(),
            )

    def _bind_module(self):
        self.get_global = self.module.get_global
        self.get_texref = getattr(self.module, "get_texref", None)
        self.get_surfref = getattr(self.module, "get_surfref", None)

    def get_function(self, name):
        """The kernel of this name (as it is mangled, unless it is ``extern "C"``).

        Returns
        -------
        pycuda.driver.Function
        """
        return self.module.get_function(name)


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
        image = compile(
            source, nvcc, options, keep, no_extern_c, arch, code, cache_dir, include_dirs
        )
        from pycuda.driver import module_from_buffer

        self.module = module_from_buffer(image)
        self._bind_module()


class DynamicModule(CudaModule):
    """A module linked from several parts: sources, PTX, machine code, libraries.

    Methods return self.
    """

    def __init__(
        self,
        nvcc="nvcc",
        link_options=None,
        keep=False,
        no_extern_c=False,
        arch=None,
        code=None,
        cache_dir=None,
        include_dirs=None,
        message_handler=None,
        log_verbose=False,
        cuda_libdir=None,
    ):
        from pycuda.driver import Linker

        capability, _, _ = _rtc().device_facts()
        if 0 < capability < 35:
            raise RuntimeError(
                "Minimum compute capability for dynamic parallelism is 3.5 "
                f"(found: {capability // 10}.{capability % 10})!"
            )
        self._check_arch(arch)
        self.nvcc = nvcc
        self.keep = keep
        self.no_extern_c = no_extern_c
        self.arch = arch
        self.code = code
        self.cache_dir = cache_dir
        self.include_dirs = list(include_dirs or [])
        self.cuda_libdir = cuda_libdir
        self.module = None
        self.linker = Linker(message_handler, link_options, log_verbose)

    def _open_linker(self):
        if self.linker is None:
            raise RuntimeError("the module is linked already: nothing can be added to it")
        return self.linker

    def _library_folders(self):
        if self.cuda_libdir is not None:
            yield os.fspath(self.cuda_libdir)
        for _, _, includes in _the_compiler().installations():
            for include in includes[:1]:
                root = os.path.dirname(include)
                yield os.path.join(root, "lib64")
                yield os.path.join(root, "lib")
        if "CUDA_ROOT" in os.environ:
            yield os.path.join(os.environ["CUDA_ROOT"], "lib64")
        yield from filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))
        yield "/usr/lib/x86_64-linux-gnu"
        yield "/usr/lib64"
        nvcc = _rtc().find_nvcc("nvcc")
        if nvcc:
            yield os.path.join(os.path.dirname(os.path.dirname(nvcc)), "lib64")

    def add_source(self, source, nvcc_options=None, name="kernel.ptx"):
        """Compile a source to PTX and add it."""
        from pycuda.driver import jit_input_type

        linker = self._open_linker()
        ptx = compile(
            source,
            self.nvcc,
            nvcc_options,
            self.keep,
            self.no_extern_c,
            self.arch,
            self.code,
            self.cache_dir,
            self.include_dirs,
            target="ptx",
        )
        linker.add_data(ptx, jit_input_type.PTX, name)
        return self

    def add_data(self, data, input_type, name="unknown"):
        """Add a part that is in memory."""
        self._open_linker().add_data(data, input_type, name)
        return self

    def add_file(self, filename, input_type):
        """Add a part that is in a file."""
        self._open_linker().add_file(os.fspath(filename), input_type)
        return self

    def add_stdlib(self, libname):
        """Add one of CUDA's device libraries, such as "cudadevrt"."""
        from pycuda.driver import jit_input_type

        linker = self._open_linker()
        _, is_cpu, _ = _rtc().device_facts()
        if is_cpu and libname == "cudadevrt":
            # Machine code for GPUs. What needs it fails to link, by the name of what is missing.
            return self
        for folder in self._library_folders():
            path = os.path.join(folder, f"lib{libname}.a")
            if os.path.isfile(path):
                linker.add_file(path, jit_input_type.LIBRARY)
                return self
        raise OSError(
            f'CUDA SDK library file "lib{libname}.a" not found: '
            "`pip install nvidia-cuda-runtime` brings cudadevrt"
        )

    def link(self):
        """Link the parts and load the result into the current context."""
        from pycuda.driver import LogicError

        try:
            self.module = self._open_linker().link_module()
        except LogicError as error:
            _, is_cpu, _ = _rtc().device_facts()
            if not is_cpu or "__cudaCDP" not in str(error):
                raise
            explained = LogicError(
                f"{error}\nkernels that launch kernels need a GPU: the CPU driver has no device "
                "run-time library"
            )
            explained.code, explained.name, explained.routine = (
                error.code,
                error.name,
                error.routine,
            )
            raise explained from None
        self.linker = None
        self._bind_module()
        return self


class DynamicSourceModule(DynamicModule):
    """A module from one source that launches kernels from kernels (see `compile`)."""

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
        cuda_libdir=None,
    ):
        super().__init__(
            nvcc=nvcc,
            keep=keep,
            no_extern_c=no_extern_c,
            arch=arch,
            code=code,
            cache_dir=cache_dir,
            include_dirs=include_dirs,
            cuda_libdir=cuda_libdir,
        )
        options = list(DEFAULT_NVCC_FLAGS if options is None else options)
        for option in ("-rdc=true", "-lcudadevrt"):
            if option not in options:
                options.append(option)
        self.add_source(source, nvcc_options=options)
        self.add_stdlib("cudadevrt")
        self.link()


# The name that it had before.
JitLinkModule = DynamicModule
