# SPDX-License-Identifier: MIT
"""`python -m pycuda run` and `env`: any CUDA program on the CPU driver, unchanged.

Programs look for a library named libcuda.so.1. A folder that holds the CPU driver under that name, first on the
library path, is what most of them need; numba-cuda and Triton get variables of their own as well. The folder
also holds CUDA's run-time library for programs that nvcc compiled, and cuBLAS, cuFFT, cuSOLVER and NVML. Compilers that
would make a GPU's machine code have stand-ins (`_stand_ins.py`).
"""

import argparse
import contextlib
import ctypes
import hashlib
import os
import re
import shlex
import shutil
import sys
import tempfile

from pycuda import _bindings_runtime, _check_names, _checked_programs, _nvcc_stand_in, _stand_ins

_LINKS = ("libcuda.so", "libcuda.so.1")
# What lists of devices and monitors load.
_NVML = "libnvidia-ml.so.1"
# CUDA's run-time library over this driver, for programs linked with it and for nvcc to link with; CUDA's libraries.
_RUN_TIME = (
    "libcudart.so.13",
    "libcudart.so.12",
    "libcudart_static.a",
    "libcublas.so.13",
    "libcublas.so.12",
    "libcublasLt.so.13",
    "libcublasLt.so.12",
    "libcufft.so.12",
    "libcufft.so.11",
    "libcusolver.so.12",
    "libcusolver.so.11",
    "libcurand.so.10",
    "libcusparse.so.12",
    _NVML,
)
# Programs that load a library by ctypes often ask for it without a version.
_NEWEST = {
    "libcudart.so": "libcudart.so.13",
    "libcublas.so": "libcublas.so.13",
    "libcublasLt.so": "libcublasLt.so.13",
    "libcufft.so": "libcufft.so.12",
    "libcusolver.so": "libcusolver.so.12",
    "libcurand.so": "libcurand.so.10",
    "libcusparse.so": "libcusparse.so.12",
}
# What a toolkit has beside the folder of its programs.
_TOOLKIT_FOLDERS = ("include", "lib", "lib64", "nvvm", "targets")
_PROGRAM_OPTIONS = ("-m", "-c")
# The options of `run` that name a file to write, and how such files end.
_WRITTEN_FILES = {"check_report": (".json",), "counters": (".csv", ".json"), "report": (".html", ".htm")}


def cpu_driver():
    """The path of the CPU driver's library.

    Raises
    ------
    FileNotFoundError
        When this installation has none.
    """
    for folder in _library_folders():
        # In the distribution's folder the second is a name alone, which needs the first beside it.
        for name in ("libcuda.so.1", "libcuda_cpu.so"):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                return os.path.realpath(path)
    raise FileNotFoundError(
        "the CPU driver is not installed: pip install pycuda-anywhere-cpu, or build with LLVM (see Installing)"
    )


def _library_folders():
    """Where this installation keeps its libraries: in the package, and in the folder of the distributions."""
    yield os.path.dirname(os.path.abspath(__file__))
    if folder := _stand_ins.distributed_driver_folder():
        yield folder


def run_time_libraries():
    """The libraries of programs that are installed beside the driver, as a dict: name to path."""
    found = {}
    for folder in (*_library_folders(), *_stand_ins.folders()):
        for name in _RUN_TIME:
            path = os.path.join(folder, name)
            if os.path.exists(path):
                found.setdefault(name, os.path.realpath(path))
    return found


def driver_folder():
    """A folder that holds the CPU driver as `libcuda.so` and `libcuda.so.1`, and the libraries by all their names.

    It is made of links, in the cache folder. A wheel cannot hold links, so that its own folder has fewer names; it is
    the answer where nothing can be written.
    """
    library = cpu_driver()
    beside = os.path.dirname(library)
    try:
        folder = _cached_folder("driver", library)
    except OSError:
        if all(os.path.exists(os.path.join(beside, name)) for name in _LINKS):
            return beside
        raise
    installed = run_time_libraries()
    newest = {name: installed[version] for name, version in _NEWEST.items() if version in installed}
    # A program that is linked with the library of a build tree asks for it by the library's own name.
    links = {**dict.fromkeys((*_LINKS, os.path.basename(library)), library), **installed, **newest}
    for name, target in links.items():
        _link(target, os.path.join(folder, name))
    for name in {*_RUN_TIME, *_NEWEST} - set(links):  # of a distribution that has been uninstalled
        with contextlib.suppress(FileNotFoundError):
            os.remove(os.path.join(folder, name))
    return folder


def _tools(driver_folder):
    """The folder of `ptxas` and `nvcc`, made if need be; None where the stand-ins are not installed.

    Programs look for headers and libraries beside the folder of nvcc: links lead to those of the toolkit.
    """
    if _stand_ins.find("ptxas") is None:
        return None
    folder = _cached_folder("tools", cpu_driver())
    programs = os.path.join(folder, "bin")
    try:
        os.makedirs(programs, mode=0o700, exist_ok=True)
        _stand_ins.make_tools(programs, driver_folder)
        nvcc = _nvcc_stand_in.find_nvcc(programs)
        for name in _TOOLKIT_FOLDERS:
            beside = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(nvcc))), name) if nvcc else ""
            if os.path.isdir(beside):
                _link(beside, os.path.join(folder, name))
            else:  # of a toolkit that has been uninstalled
                with contextlib.suppress(FileNotFoundError):
                    os.remove(os.path.join(folder, name))
    except OSError as error:  # of a full disk it names no file
        raise OSError(error.errno, error.strerror, folder) from None
    return programs


def _cached_folder(name, library):
    """A folder of this user that can be written, made if need be: in the cache folder, else a temporary one.

    Each installation has its own, named after its driver's library: programs of another one may be running.
    """
    name = f"{name}-{hashlib.sha256(os.fsencode(library)).hexdigest()[:16]}"
    cache = os.environ.get("PYCUDA_CACHE_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "pycuda"
    )
    if cache.startswith("~/"):  # and no other user's, as the extension takes it
        cache = os.path.expanduser(cache)
    temporary = os.path.join(tempfile.gettempdir(), f"pycuda-{os.getuid()}")
    for root in (cache, temporary):
        folder = os.path.join(root, name)
        with contextlib.suppress(OSError):
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if root == temporary and os.stat(root).st_uid != os.getuid():
                continue  # another user has made it, and may replace what lies in it
            # Whether there is room, too, only the system knows.
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    raise OSError(
        f"no folder for links to the CPU driver can be made in {cache} or the temporary folder: "
        "set PYCUDA_CACHE_DIR to one that can be written"
    )


def _link(target, link):
    """A symbolic link that never is missing or broken for a program that starts meanwhile."""
    if os.path.islink(link) and os.readlink(link) == target:
        return
    made = f"{link}.{os.getpid()}"
    os.symlink(target, made)
    os.replace(made, link)


def environment(options, current=os.environ):
    """The variables to set for a program, as a dict.

    Parameters
    ----------
    options : argparse.Namespace
        Of `python -m pycuda run`.
    current : mapping
        The environment that paths are put in front of.
    """
    folder = driver_folder()
    variables = {
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, [folder, current.get("LD_LIBRARY_PATH")])),
        "PYCUDA_DRIVER": "cpu",
        "NUMBA_CUDA_DRIVER": os.path.join(folder, "libcuda.so.1"),
        "TRITON_LIBCUDA_PATH": folder,
    }
    if options.stand_ins:
        variables.update(_stand_ins.variables(_tools(folder), current))
    for option, variable in (
        ("devices", "PYCUDA_CPU_DEVICES"),
        ("threads", "PYCUDA_CPU_THREADS"),
        ("memory", "PYCUDA_CPU_MEMORY"),
        ("timeout", "PYCUDA_CPU_TIMEOUT"),
        ("log", "PYCUDA_LOG"),
    ):
        value = getattr(options, option)
        if value is not None:
            variables[variable] = str(value)
    if options.check:
        variables["PYCUDA_CPU_CHECK"] = options.check
    if options.counters:
        variables["PYCUDA_CPU_COUNTERS"] = os.path.abspath(options.counters)
    return variables


def _number(least, most):
    """A parser of whole numbers that the driver takes as a setting."""

    def parse(text):
        if not re.fullmatch(r"[0-9]+", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
        return int(text)

    return parse


def _size(text):
    """A size of memory as the driver takes it."""
    if not re.fullmatch(r"0*[1-9][0-9]*[KMGTkmgt]?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of bytes, such as 512M or 4G")
    return text


def _file(text):
    """The name of a file; an empty one would leave the option out."""
    if not text:
        raise argparse.ArgumentTypeError("the file's name is empty: a variable of the shell may not be set")
    return text


def _add_options(parser):
    parser.add_argument(
        "--check",
        nargs="?",
        const="1",
        metavar="CHECKS",
        help="check kernels, as in --check=race,sync: memory (without a value), init, race, sync or all",
    )
    parser.add_argument(
        "--counters",
        type=_file,
        metavar="FILE",
        help="count what the warps of each kernel do, and write a table (.csv, .json)",
    )
    parser.add_argument("--devices", type=_number(1, 64), metavar="N", help="how many devices the driver offers (1)")
    parser.add_argument("--threads", type=_number(1, 1024), metavar="N", help="how many cores run kernels (all)")
    parser.add_argument("--memory", type=_size, metavar="SIZE", help="memory of a device: 4G (half of the machine's)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="end kernels that run longer (never)")
    parser.add_argument(
        "--no-stand-ins",
        dest="stand_ins",
        action="store_false",
        help="leave NVIDIA's ptxas, nvcc, NVRTC and nvJitLink in place, whose machine code the driver refuses",
    )
    parser.add_argument("--log", choices=("quiet", "warning", "info", "debug"), help="what the driver prints")


def run(arguments):
    """`python -m pycuda run`: the program in this process's place, or below it where findings and faults count."""
    parser = argparse.ArgumentParser(
        prog="python -m pycuda run",
        usage="python -m pycuda run [OPTIONS] PROGRAM [ARGS]",
        description="Run a CUDA program, in Python or not, on the CPU driver. PROGRAM is a Python file, `-m MODULE`, "
        "`-c TEXT`, or an executable.",
    )
    _add_options(parser)
    parser.add_argument(
        "--check-report", type=_file, metavar="FILE", help="write what the checks find to this file, as JSON"
    )
    parser.add_argument(
        "--report", type=_file, metavar="FILE", help="write a page that says what makes kernels slow, as HTML"
    )
    own, program = _split(parser, arguments)
    options, others = parser.parse_known_args(own)
    if others:
        from pycuda._misspelt import closest  # start-up time: only for mistakes

        meant = closest(others[0].partition("=")[0], parser._option_string_actions)
        parser.error(f"there is no option {others[0]}" + (f"; did you mean {meant}?" if meant else ""))
    if options.check is not None and (unknown := _check_names.unknown_checks(options.check)) is not None:
        parser.error(f"--check={options.check}: there is no check {unknown!r}; {_check_names.ALLOWED}")
    if options.check_report and not options.check:
        parser.error("--check-report needs --check")
    if options.report and options.counters:
        parser.error("--report counts by itself: leave out --counters")
    if not program:
        taken = f": {own[-2]} takes {own[-1]} as its value" if len(own) > 1 and own[-1].endswith(".py") else ""
        parser.error(f"no program is given{taken}")
    try:
        variables = environment(options)
    except OSError as error:
        parser.error(str(error))
    for one in program[1:] if options.check is None else ():
        if one == "--check" or one.startswith("--check=") and _check_names.unknown_checks(one[8:]) is None:
            print(f"pycuda: {one} behind {program[0]} is the program's: options of run come before it", file=sys.stderr)
    command = program
    if program[0] in _PROGRAM_OPTIONS or program[0].endswith(".py"):
        if program[0].endswith(".py") and not os.path.isfile(program[0]):
            parser.error(f"there is no program {program[0]!r}")
        command = [sys.executable, *program]
    elif shutil.which(program[0], path=variables.get("PATH")) is None:
        is_list = options.check is not None and _check_names.unknown_checks(program[0]) is None
        meant = f"; did you mean --check={program[0]}?" if is_list else ""
        parser.error(f"there is no program {program[0]!r}{meant}")
    for option, endings in _WRITTEN_FILES.items():
        if path := getattr(options, option):
            try:
                _make_empty(path, endings)
            except OSError as error:
                parser.error(f"--{option.replace('_', '-')}: {error}")
    sys.stdout.flush()
    if options.report:
        from pycuda import _reported_programs  # start-up time: rarely needed

        return _reported_programs.run(command, {**os.environ, **variables}, options.report, options.check_report)
    if options.check or options.counters:
        return _checked_programs.run(command, {**os.environ, **variables}, options.check_report)
    os.execvpe(command[0], command, {**os.environ, **variables})


def _make_empty(path, endings):
    """Empty the file of an older run.

    Raises OSError if `path` cannot be written, or is a file that was not made for this: where the value of an option
    is forgotten, the program's name is taken for it.
    """
    if os.path.isfile(path) and os.path.getsize(path) and not path.endswith(endings):
        raise FileExistsError(f"{path} exists and does not end in {' or '.join(endings)}: it is not overwritten")
    open(path, "w").close()


def _split(parser, arguments):
    """The options of `run`, and the program with its arguments, which may look like options."""
    takes_value = {option for action in parser._actions if action.nargs is None for option in action.option_strings}
    position = 0
    while position < len(arguments):
        one = arguments[position]
        if one == "--":
            return arguments[:position], arguments[position + 1 :]
        if not one.startswith("-") or one in _PROGRAM_OPTIONS:
            break
        position += 2 if one in takes_value else 1
    return arguments[:position], arguments[position:]


def env(arguments):
    """`python -m pycuda env`: print the same environment as commands of a shell."""
    parser = argparse.ArgumentParser(
        prog="python -m pycuda env",
        description='Print the environment of `run` for a shell: eval "$(python -m pycuda env)"',
    )
    _add_options(parser)
    options = parser.parse_args(arguments)
    if options.check is not None and (unknown := _check_names.unknown_checks(options.check)) is not None:
        parser.error(f"--check={options.check}: there is no check {unknown!r}; {_check_names.ALLOWED}")
    try:
        variables = environment(options)
    except OSError as error:
        parser.error(str(error))
    for name, value in variables.items():
        print(f"export {name}={shlex.quote(value)}")
    return 0


def provide_libcuda():
    """Make the CPU driver this process's CUDA driver, for libraries that are imported afterwards.

    Does what `python -m pycuda run` does as far as a process that runs already can: libraries that load
    ``libcuda.so.1``, CUDA's run-time library, NVML, NVRTC or nvJitLink get this project's, and numba-cuda, Triton and
    child processes inherit the environment. Call it before anything else loads CUDA.

    Returns
    -------
    str
        The folder that holds the driver as ``libcuda.so.1``.

    Raises
    ------
    FileNotFoundError
        When this installation has no CPU driver.
    RuntimeError
        When the process has another driver loaded already.

    Examples
    --------
    >>> import pycuda
    >>> folder = pycuda.provide_libcuda()  # doctest: +SKIP
    >>> from numba import cuda  # doctest: +SKIP
    """
    parser = argparse.ArgumentParser()
    _add_options(parser)
    variables = environment(parser.parse_args([]))
    variables.pop("LD_PRELOAD", None)  # loaded here; child processes get what they load themselves
    _bindings_runtime.install()
    folder = driver_folder()
    driver = ctypes.CDLL(cpu_driver(), mode=ctypes.RTLD_GLOBAL)
    names = [_stand_ins.find("libcuda.so.1"), *_library_paths(folder), *_stand_ins.libraries()]
    for path in filter(None, names):
        ctypes.CDLL(path)
    loaded = ctypes.CDLL("libcuda.so.1")
    if _address(loaded) != _address(driver):
        raise RuntimeError("another CUDA driver is loaded already: call pycuda.provide_libcuda() before other imports")
    os.environ.update(variables)
    return folder


def _library_paths(folder):
    """The run-time library and the others in the driver folder."""
    names = (name for name in _RUN_TIME if ".so." in name)
    return [path for name in names if os.path.exists(path := os.path.join(folder, name))]


def _address(driver):
    return ctypes.cast(driver.cuInit, ctypes.c_void_p).value
