# SPDX-License-Identifier: MIT
"""`pycuda.debug.step`: a kernel compiled for debugging, launched once, and the walk of one of its threads."""

import contextlib
import functools
import linecache
import operator
import os
import textwrap
import warnings

import numpy as np

from pycuda import _checks, _driver
from pycuda._compiling import COMPILER_OUTPUT, _compile_as_set, default_options
from pycuda._generated_kernels import OTHER_TOOLS, GeneratesKernels
from pycuda._stepping.frames import StepMaker
from pycuda._stepping.instrument import instrument
from pycuda._stepping.recording import Recording
from pycuda._stepping.regions import Regions
from pycuda._stepping.walk import Walk, make_steps

_BYTES_OF_STEP, _LEAST_BYTES, _MOST_BYTES = 1024, 1 << 20, 1 << 28


def _triple(value, name):
    try:
        numbers = tuple(map(operator.index, value if np.iterable(value) else (value,)))
    except TypeError:
        raise TypeError(f"{name} is {value!r}: it has one to three whole numbers") from None
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"{name} is {value!r}: it has one to three numbers")
    return numbers


def _index(value, name, extent, extent_name):
    """A thread or a block that is asked for, as three numbers."""
    numbers = _triple(value, name) + (0, 0)
    for number, size in zip(numbers[:3], extent, strict=True):
        if not 0 <= number < size:
            raise ValueError(f"{name}={value} is not in the launch, whose {extent_name} is {extent}")
    return numbers[:3]


def _refuse_others(function):
    """An error for what is passed in place of a kernel, as `pycuda.benchmark` has it."""
    if function is None:
        raise TypeError("step() got None: pass a kernel and its arguments, step(kernel, *args, block=...), not a call")
    if isinstance(function, GeneratesKernels):
        raise TypeError(f"step() walks a kernel of a SourceModule, and {function!r} generates its own. {OTHER_TOOLS}")
    if hasattr(function, "get_function"):
        kernels = getattr(getattr(function, "module", function), "_kernel_names", list)()
        name = next(iter(kernels), "name")
        raise TypeError(f"step() walks a kernel, not a module: pass module.get_function({name!r})")


def walk_of_launch(function, args, *, block, grid, thread, in_block, shared, limit):
    """As `pycuda.debug.step`."""
    from pycuda import driver  # start-up time: loads the driver

    _refuse_others(function)
    block = (*_triple(block, "block"), 1, 1)[:3]
    grid = (*_triple(grid, "grid"), 1, 1)[:3]
    thread = _index(thread, "thread", block, "block")
    in_block = _index(in_block, "in_block", grid, "grid")
    if limit < 1:
        raise ValueError(f"limit is {limit}: at least one step is recorded")
    if not _driver._device_traits().is_cpu:
        raise driver.LogicError(
            "pycuda.debug.step needs the CPU driver: set PYCUDA_DRIVER=cpu before the program starts,"
            " or use cuda-gdb on a GPU"
        )
    made = getattr(function, "_source_module", None)
    if made is None:
        raise TypeError(
            f"{function!r} has no source that could be compiled for debugging:"
            " take the kernel from a pycuda.compiler.SourceModule"
        )
    source = made._compile.args[0]
    program = _program_of(made, source, shared)
    module = driver.module_from_buffer(program.text.encode())
    if made._place is not None:
        module._set_source("kernel.cu", made._place.line_name, made._place.first_line, source)
    stepped = module.get_function(function.name)
    if shared > 48 << 10:
        stepped.set_attribute(driver.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)
    regions = _regions_of(program, function.name, args)
    recording = Recording(module, min(max(limit * _BYTES_OF_STEP, _LEAST_BYTES), _MOST_BYTES), thread, in_block)
    error = None
    _copy_variables(program, made.module, module)
    driver.Context.synchronize()  # what fails from here on is this launch
    try:
        with _checks_without_shared_reads():
            stepped(*args, block=block, grid=grid, shared=shared)
            driver.Context.synchronize()
    except (driver.LogicError, driver.LaunchError) as failure:
        error = failure
    else:
        _copy_variables(program, module, made.module)
    records, is_complete = recording.records(program.sites)
    if error is not None and not records and not _is_context_lost():
        raise error  # there was no launch
    names = {symbol: scope.name for symbol, scope in program.information.functions.items()}
    maker = StepMaker(regions, limit, names)
    for record in records:
        maker.add(record)
        if maker.is_cut:
            break
    source_of, place_of = _places(made, program, source)
    steps = make_steps(maker.steps, source_of, place_of)
    names = _variables_of(program, function.name)
    lines = {place_of(site.file, site.line) for site in program.sites[1:] if site.kind == "line"}
    return Walk(function.name, thread, in_block, steps, is_complete and not maker.is_cut, error, names, lines)


def _is_context_lost():
    from pycuda import driver  # start-up time: loads the driver

    try:
        driver.Context.synchronize()
    except (driver.LogicError, driver.LaunchError):
        return True
    return False


def _variables_of(program, kernel):
    """The source's variables that the kernel and the functions that it may call have, in the order of the source."""
    found = {}
    for site in program.sites[1:]:
        if site.kind == "line" and (site.function == kernel or site.function not in program.kernels):
            for slot in site.slots:
                if slot.file in program.shown or not slot.file:
                    found.setdefault(slot.name, (slot.file, slot.line))
    return sorted(found, key=found.get)


@contextlib.contextmanager
def _checks_without_shared_reads():
    """No checks that the recording would fail: it reads what other threads write, and unwritten memory."""
    names = set().union(*(names for names, _ in _checks._open))
    if not names:
        names = set(os.environ.get("PYCUDA_CPU_CHECK", "").replace(" ", "").split(","))
    if not names & {"all", "init", "race"}:
        yield
        return
    kept = {"memory", "sync"} if "all" in names else names & {"memory", "sync"}
    _driver._set_checks(",".join(sorted(kept)) or "0")
    try:
        yield
    finally:
        _driver._set_checks(_checks._together())


def _program_of(made, source, shared):
    """A module's code that records, which is made once."""
    kept = made.__dict__.setdefault("_walked_programs", {})
    key = tuple(made._names), shared
    if key not in kept:
        with warnings.catch_warnings():
            # The module has said what its compiler said.
            warnings.filterwarnings("ignore", COMPILER_OUTPUT)
            compiled = _compiled(made)
        kept[key] = instrument(compiled, source, _shown_files(made), shared)
    return kept[key]


def _compiled(made):
    """PTX with debug information of a module's source."""
    source, nvcc, options, *others = made._compile.args
    options = list(default_options() if options is None else options)
    compiled = _compile_as_set(source, nvcc, [*options, "-G"], *others, names=tuple(made._names), target="ptx")
    return compiled.image.rstrip(b"\0").decode()


def _shown_files(made):
    """Which files' lines are steps: the source and the headers beside the program, not those of CUDA."""
    folders = made._compile.args[8] if len(made._compile.args) > 8 else None
    options = made._compile.args[2] or default_options()
    own = [os.path.abspath(folder) for folder in folders or []]
    own += [os.path.abspath(option[2:]) for option in options if option.startswith("-I") and len(option) > 2]

    def is_shown(name):
        if os.path.basename(name) == "kernel.cu":
            return True
        path = os.path.abspath(name)
        return any(path.startswith(folder + os.sep) for folder in own)

    return is_shown


def _copy_variables(program, source, target):
    """Bring the module's variables up to date: both modules have variables of their own."""
    from pycuda import driver  # start-up time: loads the driver

    for memory in program.variables:
        if memory.space in ("global", "const"):
            try:
                start, size = source.get_global(memory.symbol)
                to, room = target.get_global(memory.symbol)
            except driver.LogicError:
                continue  # the compiler left it out of one of them
            driver.memcpy_dtod(to, start, min(size, room))


def _regions_of(program, kernel, args):
    """The memory that arguments stand for, by the names of the kernel's parameters."""
    from pycuda import driver  # start-up time: loads the driver

    regions = Regions()
    for symbol, parts in program.names.items():
        regions.describe(symbol, parts)
    scope = program.information.functions.get(kernel)
    parameters = [one for one in scope.variables if one.is_parameter] if scope is not None else []
    for parameter, argument in zip(parameters, args, strict=False):
        if not parameter.type.is_pointer:
            continue
        of = parameter.type.target
        if isinstance(argument, driver.ArgumentHandler):
            allocation = argument.get_device_alloc()
            if allocation is not None:
                regions.add_array(int(allocation), argument.array.nbytes, parameter.name, of)
            continue
        address = getattr(argument, "gpudata", argument)
        try:
            address = int(address)
            base, size = driver.mem_get_address_range(address)
        except (TypeError, ValueError, driver.Error):
            continue
        size = int(base) + size - address
        if hasattr(argument, "gpudata"):
            size = min(size, argument.mem_size * argument.dtype.itemsize) if hasattr(argument, "mem_size") else size
        regions.add_array(address, size, parameter.name, of)
    return regions


def _places(made, program, source):
    """How lines are found and named, by the number of their file."""
    place = made._place
    own = textwrap.dedent(source.decode(errors="replace")).split("\n")

    @functools.cache
    def is_own(file):
        return os.path.basename(program.files.get(file, "kernel.cu")) == "kernel.cu"

    @functools.cache
    def source_of(file, line):
        if is_own(file):
            return own[line - 1].rstrip() if 0 < line <= len(own) else ""
        return linecache.getline(program.files[file], line).rstrip()

    @functools.cache
    def place_of(file, line):
        if not is_own(file):
            return os.path.basename(program.files[file]), line
        if place is None or not (place.is_literal or place.cell):
            return "kernel.cu", line
        name = place.line_name.replace("{}", "")
        return name.rstrip(":") if name.endswith(":") else "kernel.cu", place.first_line + line - 1

    return source_of, place_of
