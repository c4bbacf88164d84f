# SPDX-License-Identifier: MIT
"""Modules linked from several parts, and what all modules made from sources share."""

import os
import re
import warnings

from pycuda import _driver
from pycuda._compilers import rtc, the_compiler
from pycuda._compiling import _compile_as_set, default_options
from pycuda._driver import Linker, jit_input_type
from pycuda._source_places import place_of_source, user_frame
from pycuda._source_text import source_bytes
from pycuda._wrong_keywords import TellsKeywords

_FILE = re.compile(rb'^(\s*\.file\s+\d+\s+)"kernel\.cu"', re.M)


def checks_arguments(choice):
    """Whether kernels check the types of arrays: the choice for the module, or else PYCUDA_CHECK_ARGUMENTS."""
    if choice is not None:
        return bool(choice)
    text = os.environ.get("PYCUDA_CHECK_ARGUMENTS", "")
    if text not in ("", "0", "1"):
        raise ValueError(f"PYCUDA_CHECK_ARGUMENTS is {text!r}: it may be '0' or '1'")
    return text != "0"


class CudaModule(TellsKeywords):
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
        capability = _driver._device_traits().capability
        digits = str(arch).rpartition("_")[2].rstrip("af")
        if not digits.isdigit() or "_" not in str(arch) or capability == 0:
            why = "there is no device to compare it with" if capability == 0 else f"arch is {arch!r}"
            warnings.warn(
                f"failed to check compute capability for module: {why}",
                stacklevel=user_frame()[1],
            )
        elif int(digits) > capability:
            warnings.warn(
                "trying to compile for a compute capability higher than selected GPU",
                stacklevel=user_frame()[1],
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
        if self.module is None:
            raise RuntimeError("the module is not linked: call its link() first")
        return self.module.get_function(name)


class DynamicModule(CudaModule):
    """A module linked from several parts: sources, PTX, machine code, libraries.

    Methods return self. Kernels of sources check their arguments, as those of a `SourceModule` do (`check_arguments`).
    """

    def __repr__(self):
        return f"<{type(self).__name__}, {'not linked' if self.module is None else 'linked'}>"

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
        *,
        check_arguments=None,
    ):
        capability = _driver._device_traits().capability
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
        self._checks_arguments = checks_arguments(check_arguments)
        self._kernel_types = {}
        self._sources = []  # (the compiler's name of it, its place, the source)
        self.linker = Linker(message_handler, link_options, log_verbose)

    def _open_linker(self):
        if self.linker is None:
            raise RuntimeError("the module is linked already: nothing can be added to it")
        return self.linker

    def _library_folders(self):
        if self.cuda_libdir is not None:
            yield os.fspath(self.cuda_libdir)
        for _, _, includes in the_compiler().installations():
            for include in includes[:1]:
                root = os.path.dirname(include)
                yield os.path.join(root, "lib64")
                yield os.path.join(root, "lib")
        if os.environ.get("CUDA_ROOT"):
            yield os.path.join(os.environ["CUDA_ROOT"], "lib64")
        yield from filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep))
        yield f"/usr/lib/{os.uname().machine}-linux-gnu"
        yield "/usr/lib64"
        nvcc = rtc().find_nvcc("nvcc")
        if nvcc:
            yield os.path.join(os.path.dirname(os.path.dirname(nvcc)), "lib64")

    def add_source(self, source, nvcc_options=None, name="kernel.ptx"):
        """Compile a source to PTX and add it."""
        linker = self._open_linker()
        compiled = _compile_as_set(
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
        ptx = compiled.image
        self._kernel_types |= compiled.kernel_types
        if _driver._device_traits().is_cpu:
            # Several sources in one module: each has a name of its own there.
            file = f"kernel-{len(self._sources) + 1}.cu"
            ptx = _FILE.sub(rb'\1"' + file.encode() + b'"', ptx)
            source = source_bytes(source)
            self._sources.append((file, place_of_source(source), source))
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
        linker = self._open_linker()
        if _driver._device_traits().is_cpu and libname == "cudadevrt":
            # Its code is for GPUs: the CPU driver has the functions itself, and asks for the name alone.
            linker.add_data(b"!<arch>\n", jit_input_type.LIBRARY, "libcudadevrt.a")
            return self
        for folder in self._library_folders():
            path = os.path.join(folder, f"lib{libname}.a")
            if os.path.isfile(path):
                linker.add_file(path, jit_input_type.LIBRARY)
                return self
        raise OSError(
            f'CUDA SDK library file "lib{libname}.a" not found: `pip install nvidia-cuda-runtime` brings cudadevrt'
        )

    def link(self):
        """Link the parts and load the result into the current context."""
        self.module = self._open_linker().link_module()
        for file, place, source in self._sources:
            self.module._set_source(file, place.line_name, place.first_line, source)
        if self._checks_arguments:
            self.module._check_arguments(self._kernel_types)
        self.linker = None
        self._bind_module()
        return self


class DynamicSourceModule(DynamicModule):
    """A module from one source that launches kernels from kernels (see `compile`).

    `check_arguments` is that of `SourceModule`.
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
        cuda_libdir=None,
        *,
        check_arguments=None,
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
            check_arguments=check_arguments,
        )
        options = list(default_options() if options is None else options)
        for option in ("-rdc=true", "-lcudadevrt"):
            if option not in options:
                options.append(option)
        self.add_source(source, nvcc_options=options)
        self.add_stdlib("cudadevrt")
        self.link()
