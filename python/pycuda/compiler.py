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

import contextlib
import functools
import re

from pycuda import _compile_times
from pycuda._compilers import as_texts, get_nvcc_version
from pycuda._compiling import DEFAULT_NVCC_FLAGS, _compile_as_set, compile, compile_plain
from pycuda._cuda_modules import CudaModule, DynamicModule, DynamicSourceModule, checks_arguments
from pycuda._cxx_names import readable_name
from pycuda._driver import LogicError, _readable_name, module_from_buffer
from pycuda._errors import CompileError
from pycuda._images import has_variables, variables_in_use
from pycuda._preprocessing import preprocess_source
from pycuda._source_places import place_of_source
from pycuda._source_text import first_error, is_other_function, is_template, name_expression, source_bytes

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


class SourceModule(CudaModule):
    """A module compiled from a source and loaded into the current context.

    Parameters that are not listed here are those of `compile`.

    Parameters
    ----------
    check_arguments : bool, optional
        Whether arrays (GPUArray, In, Out, InOut, and what has `__cuda_array_interface__`) must fit the pointers that
        kernels declare. Numbers of another size, `__half`, `__nv_bfloat16` and `complex<float>` among them, are a
        TypeError; numbers of another kind, and views that do not lie in C order (with gaps, or transposed), are a
        UserWarning, once for each parameter. Enumerations count as their integers. `void`, types of one byte, structs,
        vectors, and complex for plain numbers fit everything; so do explicit pointers. An array for a number is a
        TypeError, an integer that the declared type does not hold an OverflowError. True unless PYCUDA_CHECK_ARGUMENTS
        is 0.
    name_expressions : list of str
        Instances of templates that must be in the module, as "k<float, 3>"; see `get_function`.

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
        self._checks_arguments = checks_arguments(check_arguments)
        names = as_texts(name_expressions, "name_expressions")
        self._expressions = [name_expression(name) or name for name in names]
        self._constants = frozenset()  # variables of modules from before, too
        try:
            compiled = self._compile(names=self._expressions)
        except CompileError as error:
            raise error.with_traceback(None) from None  # the program's line, not this package's
        self._place = place_of_source(self._compile.args[0]) if compiled.is_cpu else None
        self._load(compiled)

    def __repr__(self):
        try:
            kernels = f"with {', '.join(map(readable_name, self.module._kernel_names())) or 'no kernels'}"
        except Exception:  # not made, or of a context that is gone
            kernels = "without a context"
        return f"<pycuda.compiler.{type(self).__name__} {kernels}>"

    def __getattr__(self, name):
        advice = ""
        with contextlib.suppress(Exception):  # not made, or of a context that is gone
            if name in vars(self)["module"]._kernel_names():
                advice = f": get_function({name!r}) is the kernel"
        text = f"{type(self).__name__!r} object has no attribute {name!r}{advice}"
        raise AttributeError(text, name=name, obj=self)

    def __call__(self, *args, **kwargs):
        kernel = next(iter(self.module._kernel_names()), "name")
        raise TypeError(f"a module is not a kernel: call module.get_function({kernel!r})(...)")

    def _load(self, compiled):
        """Take kernels and variables from this image from now on."""
        with _compile_times.Compilation("loading", "loaded", self._compile.args[0]):
            self.module = module_from_buffer(compiled.image)
        if self._place is not None:
            self.module._set_source("kernel.cu", self._place.line_name, self._place.first_line, self._compile.args[0])
        if self._checks_arguments:
            self.module._check_arguments(compiled.kernel_types)
        self._names = compiled.names
        self._is_used = False
        self._has_given_variables = False

    def _variable(self, look_up, name):
        """What the module has under this name, where the program can change what is behind it."""
        variable = look_up(name)
        if any(self.module.get_global(constant) == variable for constant in self._constants):
            raise LogicError(
                f"the variable {name!r} counted as a constant when an instance of a template was compiled for a module"
                " in use, whose kernels have their own: name the instance beforehand, in name_expressions"
            )
        self._is_used = self._has_given_variables = True
        return variable

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
        return self._variable(self.module.get_global, name)

    def get_texref(self, name):
        """The `pycuda.driver.TextureReference` of this name."""
        return self._variable(self.module.get_texref, name)

    def get_surfref(self, name):
        """The `pycuda.driver.SurfaceReference` of this name."""
        return self._variable(self.module.get_surfref, name)

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
        >>> module = compiler.SourceModule(
        ...     "template <class T> __global__ void one(T *a) { a[0] = 1; }")
        >>> a = gpuarray.zeros(1, np.float64)
        >>> module.get_function("one<double>")(a, block=(1, 1, 1))
        >>> a
        array([1.])
        """
        try:
            function = self.module.get_function(name)
        except LogicError as error:
            # The mangled name of an instance asks for it as well as its name in C++.
            expression = name_expression(_readable_name(name))
            if error.name != "CUDA_ERROR_NOT_FOUND":
                raise
            if expression is None and self._has_in_a_namespace(name):
                expression = name  # the namespace may be inline
            if expression is None:
                if is_template(self._compile.args[0], name):
                    raise _because(
                        error, f'it is a template: ask for an instance, such as get_function("{name}<float>")'
                    ) from None
                if "several kernels" not in str(error) and is_other_function(self._compile.args[0], name):
                    raise _because(error, f"{name} is not a kernel: declare it __global__ void") from None
                raise
            if expression not in self._names:
                self._add_expression(expression, name, error)
            function = self.module.get_function(self._names[expression])
        self._is_used = True
        function._source_module = self
        return function

    def _add_expression(self, expression, name, error):
        """Compile once more, with what the expression names; `error` is what the module said."""
        expressions = [*self._expressions, expression]
        try:
            compiled = self._compile(names=expressions)
        except CompileError as failure:
            raise _because(error, f"as a C++ expression: {first_error(failure.stderr)}") from None
        if expression not in compiled.names:
            raise error
        lowered = compiled.names[expression]
        if self._has(lowered):  # another spelling of a kernel that is there
            self._names = {**self._names, expression: lowered}
            return
        if self._is_used and has_variables(compiled.image):
            ptx = compiled.image
            if ptx.startswith(b"\x7fELF"):
                ptx = self._compile(names=expressions, target="ptx").image
            changing, constants = variables_in_use(ptx)
            if changing or self._has_given_variables:
                raise _because(
                    error,
                    "the module is in use, and an instance compiled now would have variables of its own: name it"
                    f' beforehand, SourceModule(..., name_expressions=["{name}"])',
                )
            self._constants |= {constant.decode() for constant in constants}
        self._expressions = expressions
        self._load(compiled)

    def _has_in_a_namespace(self, name):
        scoped = re.compile(rf"[\w:]*::{re.escape(name)}(?![\w:])")
        return name.isidentifier() and any(
            scoped.match(_readable_name(kernel)) for kernel in self.module._kernel_names()
        )

    def _has(self, lowered):
        try:
            self.module.get_function(lowered)
        except LogicError:
            return False
        return True


def _because(error, reason):
    """The same error with a reason."""
    extended = type(error)(f"{error}; {reason}")
    extended.code, extended.name, extended.routine = error.code, error.name, error.routine
    return extended


# The name that it had before.
JitLinkModule = DynamicModule
