# SPDX-License-Identifier: MIT
"""`%load_ext pycuda`: the magics `%%cuda`, `%cuda_time`, `%cuda_check` ...; tables of devices, kernels, arrays."""

from __future__ import annotations

import ast
import builtins
import contextlib
import html
import re
import sys
import types
import warnings

from pycuda import driver
from pycuda._compiling import COMPILER_OUTPUT
from pycuda._notebook_errors import Faults, is_lost, shown_array
from pycuda._notebook_kernels import (  # noqa: F401 - two for those who compile a cell again
    Cell,
    cell_of,
    compile_again,
    compile_for_context,
    forget,
    left_by,
)
from pycuda._source_places import running_cell
from pycuda._source_text import code_of

_TEMPLATE = re.compile(r"\btemplate\s*<[^{;]*\b__global__\b[^{;]*?(\w+)\s*\(")
_UNMARKED = re.compile(r"^(?:extern \"C\" )?void (\w+)\s*\(", re.MULTILINE)
_KERNEL_LINE = re.compile(r'__(?:global|device|constant)__\s+\w|template\s*<|extern\s+"C"')


def _occupancy_of(function):
    """How much of a multiprocessor the kernel's blocks of 256 threads, or of as many as it takes, can fill."""
    from pycuda.tools import DeviceData, OccupancyRecord  # start-up time: only for one option

    threads = min(256, function.max_threads_per_block)
    record = OccupancyRecord(DeviceData(), threads, function.shared_size_bytes, function.num_regs)
    return f"{record.occupancy:.0%} with {threads} threads per block"


def _facts_of_function(function):
    return {
        "registers": function.num_regs,
        "shared memory": f"{function.shared_size_bytes} bytes",
        "local memory": f"{function.local_size_bytes} bytes",
        "threads per block": f"at most {function.max_threads_per_block}",
        "occupancy": _occupancy_of(function),
    }


def _facts_of_device(device):
    major, minor = device.compute_capability()
    return {
        "name": device.name(),
        "compute capability": f"{major}.{minor}",
        "memory": f"{device.total_memory() / 2**30:.1f} GiB",
        "multiprocessors": device.multiprocessor_count,
        "threads per block": f"at most {device.max_threads_per_block}",
    }


def _array_as_html(array):
    facts = {
        "shape": " x ".join(map(str, array.shape)) or "no axes",
        "dtype": array.dtype,
        "bytes": array.nbytes,
        "device": driver.Context.get_device().name(),
    }
    return f"<pre>{html.escape(str(array))}</pre>" + _as_html("array", facts)


def _as_html(title, facts):
    rows = "".join(
        f"<tr><td>{html.escape(name)}</td><td>{html.escape(str(value))}</td></tr>" for name, value in facts.items()
    )
    return f"<table><tr><th colspan=2>{html.escape(title)}</th></tr>{rows}</table>"


def compile_cell(line, cell, namespace, number="", place=None):
    """Compile the source `cell` with the compiler's options in `line`, and put its kernels into `namespace`.

    A fault on the CPU driver names the line of the cell. Makes the default context current when there is none. Kernels
    of templates get no name: they have no instance. `number` is the cell's, such as "In[5]", `place` the notebook's own
    name for it.

    Returns
    -------
    list of Function

    Raises
    ------
    ValueError
        When the cell defines no kernel.
    pycuda.driver.CompileError
        When the compiler refuses it.
    """
    driver.init()
    if driver.Context.get_current() is None:
        import pycuda.autoinit  # start-up time, and it makes a context  # noqa: F401
    made = Cell(number, line, cell, place)
    functions = compile_for_context(made)
    if not functions:
        if found := _TEMPLATE.search(code_of(cell)):
            instance = f'SourceModule(source).get_function("{found[1]}<float>")'
            raise ValueError(f"%%cuda: {found[1]} is a template without an instance: {instance} makes one")
        found = _UNMARKED.search(code_of(cell))
        remedy = f": write __global__ before void {found[1]}" if found else ""
        raise ValueError(f"%%cuda: the cell defines no __global__ function that the host can call{remedy}")
    hidden = list(_hidden_by(functions, namespace))
    namespace.update(functions)
    for text in hidden:
        print(text)
    for name, earlier in left_by(made, namespace):
        print(f"{name}: no longer in this cell, still the kernel of {earlier.number}; `del {name}` ends that")
    return list(functions.values())


def _hidden_by(functions, namespace):
    """What is said of kernels with names of Python's own, or of a module that the notebook has imported."""
    for name in functions:
        earlier = namespace.get(name)
        if name not in namespace and hasattr(builtins, name):
            yield (
                f"{name}: the kernel hides Python's own {name}; give the kernel another name, and `del {name}` for "
                "Python's"
            )
        elif isinstance(earlier, types.ModuleType):
            module = earlier.__name__
            yield (
                f"{name}: the kernel hides the module {module}; give the kernel another name, and import {module} again"
            )


@contextlib.contextmanager
def _compiler_output():
    """Show what the compiler says of a cell, and neither the package's lines that asked it nor IPython's."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            yield
        except driver.CompileError as error:
            # IPython asks an exception for its own text in place of a traceback.
            error._render_traceback_ = lambda text=f"CompileError: {error}": text.splitlines()
            raise
    for warning in said:
        lines = str(warning.message).removeprefix(f"{COMPILER_OUTPUT}\n").splitlines()
        print("\n".join(line for line in lines if line and not line.startswith("Remark: ")), file=sys.stderr)


def _or_nothing(formatter):
    """The formatter, without a result where a fault has ended the context: its text is shown then, not a traceback."""

    def format_or_not(thing):
        try:
            return formatter(thing)
        except driver.Error:
            return None

    return format_or_not


def _explain_cell(lines):
    """A cell of CUDA C++ that IPython takes for Python, for want of its first line, says so, not "invalid syntax"."""
    text = ""
    for place, line in enumerate(lines):
        if place and line.startswith("%%cuda"):
            text = "%%cuda must be the first line of its cell: move the comments below it"
        elif re.match(r"%cuda\s", line) and any(map(str.strip, lines[place + 1 :])):
            text = "%%cuda, the magic of a cell, begins with two percent signs"
        elif _KERNEL_LINE.match(line):
            text = "the cell is CUDA C++: write %%cuda in its first line"
        if text or (line.strip() and not line.startswith(("#", "//"))):
            break
    return [f"from IPython.core.error import UsageError; raise UsageError({text!r})\n"] if text else lines


def _usage_error(text):
    from IPython.core.error import UsageError  # start-up time: only for mistakes

    return UsageError(text)


def _code_of_magic(shell, name, line, cell, words=()):
    """The code that a magic for lines and cells runs; above a cell the line may hold `words`.

    Raises
    ------
    UsageError
        When there is no code, it is not Python, or the line above the cell would be ignored.
    """
    code = line if cell is None else cell
    if not code.strip():
        raise _usage_error(f"%{name} takes the statement behind it, %%{name} the lines below it")
    if cell is not None and not re.fullmatch(r"[\w\s,-]*", line):
        raise _usage_error(
            f"%%{name} takes the lines below it: {_label_of(line)!r} belongs there, or behind %{name}, with one "
            "percent sign"
        )
    if cell is not None and line.strip() and not words:
        raise _usage_error(f"%%{name} takes the lines below it, and no options: {_label_of(line)!r}")
    named = re.split(r"[\s,]+", code.strip())
    if cell is None and set(named) <= set(words) and not set(named) & shell.user_ns.keys():
        raise _usage_error(
            f"%{name} takes the statement behind it: {_label_of(code)!r} belongs to %%{name}, a cell's first line, "
            "with the statements below"
        )
    try:
        compile(shell.transform_cell(code), f"<{name}>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as error:
        remedy = f"; {code.split()[0]!r} belongs to %%{name}, a cell's first line" if code.split()[0] in words else ""
        raise _usage_error(f"%{name}: {_label_of(code)!r} is not Python: {error.msg}{remedy}") from None
    return code


def _label_of(statement):
    """A statement's own text, shortened."""
    text = " ".join(statement.split())
    return text if len(text) <= 40 else text[:37] + "..."


def load(shell):
    """Register the magic and the formatters with IPython's `shell`."""
    faults = Faults(shell)

    def cuda(line, cell):
        """Compile the cell as CUDA C++; its kernels become names. The line holds options for the compiler.

        On the CPU driver a context that a fault has ended is replaced first.
        """
        number = running_cell()
        with _compiler_output():
            try:
                functions = compile_cell(line, cell, shell.user_ns, number, faults.cell_id)
            except ValueError as error:
                raise _usage_error(str(error)) from None
            except driver.CompileError:
                forget(cell, number, shell.user_ns)
                raise
            except driver.Error:
                if not is_lost():
                    raise
                faults.replace_context()
                functions = compile_cell(line, cell, shell.user_ns, number, faults.cell_id)
        for function in functions:
            facts = ", ".join(f"{name} {value}" for name, value in _facts_of_function(function).items())
            print(f"{function.name}: {facts}")

    def cuda_reset(line):
        """Replace the current context, for instance after a kernel's fault, and compile the cells' kernels again."""
        faults.replace_context()

    def cuda_time(line, cell=None):
        """Measure a statement or a cell with `pycuda.benchmark`; what it assigns to names is forgotten."""
        from pycuda import benchmark  # start-up time: only for one magic

        code = _code_of_magic(shell, "cuda_time", line, cell)
        text = shell.transform_cell(code)
        # Tracebacks quote its lines.
        place = shell.compile.cache(text, shell.execution_count, raw_code=code)
        statement = compile(text, place, "exec")

        def cell_or_line():
            exec(statement, shell.user_ns, {})

        cell_or_line.__name__ = _label_of(line) if cell is None else "cell"
        print(benchmark(cell_or_line))

    def cuda_profile(line, cell=None):
        """Run a statement or a cell, and show its kernels, copies and waits: `pycuda.profile`."""
        from pycuda import profile  # start-up time: only for one magic

        code = _code_of_magic(shell, "cuda_profile", line, cell)
        with profile() as recorded:
            run_within(code)
        return recorded

    def cuda_check(line, cell=None):
        """Run a statement or a cell under `pycuda.checks`, and print what they find; `%%cuda_check` may name checks."""
        from pycuda import _check_names, checks  # start-up time: only for one magic

        code = _code_of_magic(shell, "cuda_check", line, cell, ("memory", "init", "race", "sync", "all"))
        names = line.split() if cell is not None else []
        if names and (unknown := _check_names.unknown_checks(",".join(names))) is not None:
            raise _usage_error(f"%%cuda_check: there is no check {unknown!r}; {_check_names.ALLOWED}")
        found, has_run, failed = [], False, False
        try:
            with checks(*(names or ["memory", "race", "sync"])) as found:
                run_within(code)
                has_run = True
        except driver.Error:  # of a launch: the end of the cell says so
            failed = has_run
            if not has_run:
                raise
        finally:
            said = [finding for finding in found if has_run or not finding.ended_launch]
            if said or (has_run and not failed):
                print("\n".join(map(str, said)) or "The checks found nothing.")
        faults.is_shown = any(finding.ended_launch for finding in found)

    def run_within(text):
        faults.is_within = True  # the error is shown once, by the cell around
        try:
            shell.run_cell(text).raise_error()
        finally:
            faults.is_within = False

    shell.register_magic_function(cuda, magic_kind="cell", magic_name="cuda")
    shell.input_transformers_cleanup.append(_explain_cell)
    shell.register_magic_function(cuda_check, magic_kind="line_cell", magic_name="cuda_check")
    shell.register_magic_function(cuda_profile, magic_kind="line_cell", magic_name="cuda_profile")
    shell.register_magic_function(cuda_time, magic_kind="line_cell", magic_name="cuda_time")
    shell.register_magic_function(cuda_reset, magic_kind="line", magic_name="cuda_reset")
    formatters = shell.display_formatter.formatters
    formatters["text/plain"].for_type_by_name(
        "pycuda.gpuarray", "GPUArray", lambda array, printer, cycle: printer.text(shown_array(array))
    )
    as_html = formatters["text/html"]
    # By name: an array's module is not loaded before it is used.
    as_html.for_type_by_name("pycuda.gpuarray", "GPUArray", _or_nothing(_array_as_html))
    as_html.for_type(driver.Device, _or_nothing(lambda device: _as_html("device", _facts_of_device(device))))
    as_html.for_type(driver.Function, _or_nothing(lambda kernel: _as_html(kernel.name, _facts_of_function(kernel))))
