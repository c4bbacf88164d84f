# SPDX-License-Identifier: MIT
"""`nvcc` in front of the path: NVIDIA's nvcc, stopped at PTX where a program asks for a GPU's machine code.

Run as a script of its own, isolated from the program's Python path. Without NVIDIA's nvcc, NVRTC compiles files that
hold device code alone.
"""

import os
import re
import subprocess
import sys
import tempfile

_CONTAINERS = {"-cubin": ".cubin", "--cubin": ".cubin", "-fatbin": ".fatbin", "--fatbin": ".fatbin"}
_PTX = ("-ptx", "--ptx")
_ARCHITECTURE = ("-arch", "--gpu-architecture", "-gpu-architecture")
_CODE = ("-code", "--gpu-code", "-gpu-code")
_PAIRS = ("-gencode", "--generate-code", "-generate-code")
_OUTPUT = ("-o", "--output-file", "-output-file")
_OF_ALL_MACHINES = ("native", "all", "all-major")
_DEVICE = "80"  # the CPU driver's compute capability, 8.0


def main(arguments, folder):
    """The exit status.

    Parameters
    ----------
    arguments : list of str
        As given to nvcc.
    folder : str
        The driver folder, whose run-time library programs are linked with; beside this script's own `ptxas`.
    """
    own = os.path.dirname(os.path.abspath(sys.argv[0]))
    nvcc = find_nvcc(own)
    kind = next((argument for argument in arguments if argument in (*_CONTAINERS, *_PTX)), None)
    if nvcc is None:
        return _without_nvcc(arguments, kind, own)
    if kind in _CONTAINERS:
        return _stop_at_ptx(nvcc, arguments, kind, own)
    return _status([nvcc, f"-L{folder}", *with_ptx(arguments)])


def find_nvcc(own):
    """NVIDIA's nvcc: on the path, in a toolkit, in NVIDIA's wheels; or None."""
    folders = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    folders += [os.path.join(os.environ[name], "bin") for name in ("CUDA_PATH", "CUDA_HOME") if os.environ.get(name)]
    for packages in filter(None, os.environ.get("PYCUDA_NVIDIA_PACKAGES", "").split(os.pathsep)):
        folders += [os.path.join(packages, name, "bin") for name in ("cu13", "cuda_nvcc", "cu12")]
    folders.append("/usr/local/cuda/bin")
    for folder in folders:
        program = os.path.join(folder, "nvcc")
        if os.path.realpath(folder) != os.path.realpath(own) and os.access(program, os.X_OK):
            return program
    return None


def split_options(arguments):
    """The arguments as pairs of an option and its value: `-arch=sm_80` and `-arch sm_80` alike, others with None."""
    pairs = []
    position = 0
    valued = (*_ARCHITECTURE, *_CODE, *_PAIRS, *_OUTPUT)
    while position < len(arguments):
        name, equals, value = arguments[position].partition("=")
        if name in valued and equals:
            pairs.append((name, value))
        elif arguments[position] in valued and position + 1 < len(arguments):
            position += 1
            pairs.append((name, arguments[position]))
        else:
            pairs.append((arguments[position], None))
        position += 1
    return pairs


def _joined(pairs):
    """Arguments of such pairs."""
    return [name if value is None else f"{name}={value}" for name, value in pairs]


def _virtual(architecture):
    """The architecture whose PTX serves for a real one, or a set of them."""
    if architecture in _OF_ALL_MACHINES:
        return f"compute_{_DEVICE}"
    return re.sub(r"^(sm|lto)_", "compute_", architecture)


def ptx_options(pairs):
    """The options with which nvcc makes the PTX of one architecture where these asked for machine code."""
    kept = [pair for pair in pairs if pair[0] not in (*_ARCHITECTURE, *_CODE, *_PAIRS, *_OUTPUT, *_CONTAINERS)]
    chosen = [value for name, value in pairs if name in _ARCHITECTURE]
    chosen += [found[1] for name, value in pairs if name in _PAIRS if (found := re.search(r"arch=(\w+)", value))]
    if chosen:
        kept.insert(0, (_ARCHITECTURE[0], _virtual(chosen[0])))
    return _joined([("-ptx", None), *kept])


def with_ptx(arguments):
    """The arguments of a compilation whose output holds PTX, too, if it would hold machine code only."""
    pairs = split_options(arguments)
    pairs = [
        (name, f"sm_{_DEVICE}" if name in _ARCHITECTURE and value in _OF_ALL_MACHINES else value)
        for name, value in pairs
    ]
    specifications = [value for name, value in pairs if name in _PAIRS]
    codes = [value for name, value in pairs if name in _CODE] + specifications
    virtual = re.findall(r"arch=(compute_(\d+)\w*)", ",".join(specifications))
    if not codes or "compute_" in re.sub(r"arch=\w+", "", ",".join(codes)):
        return _joined(pairs)
    if specifications and virtual:
        name = min(virtual, key=lambda one: int(one[1]))[0]
        pairs.insert(0, (_PAIRS[0], f"arch={name},code={name}"))
    else:
        architecture = next((value for name, value in pairs if name in _ARCHITECTURE), None)
        if architecture is not None and architecture.startswith("compute_"):
            pairs = [(name, f"{value},{architecture}" if name in _CODE else value) for name, value in pairs]
    return _joined(pairs)


def _status(command):
    """The status of a program that runs in this one's place."""
    try:
        return subprocess.run(command).returncode
    except OSError as error:
        print(f"nvcc: {command[0]}: {error.strerror}", file=sys.stderr)
        return 1


def _output_of(pairs, kind):
    """Where the result goes: as said, or named after the input."""
    for name, value in pairs:
        if name in _OUTPUT:
            return value
    inputs = [name for name, value in pairs if value is None and name.endswith((".cu", ".ptx", ".c", ".cpp"))]
    stem = os.path.splitext(os.path.basename(inputs[0]))[0] if inputs else "a"
    return stem + _CONTAINERS.get(kind, ".ptx")


def _stop_at_ptx(nvcc, arguments, kind, own):
    pairs = split_options(arguments)
    if any(name in ("-dryrun", "--dryrun", "-h", "--help") for name, _ in pairs):
        return _status([nvcc, *arguments])
    with tempfile.TemporaryDirectory(prefix="pycuda-nvcc-") as folder:
        made = os.path.join(folder, "code.ptx")
        if status := _status([nvcc, *ptx_options(pairs), "-o", made]):
            return status
        return _wrap(own, made, _output_of(pairs, kind))


def _wrap(own, made, output):
    return _status([os.path.join(own, "ptxas"), "-arch", f"sm_{_DEVICE}", made, "-o", output])


def _without_nvcc(arguments, kind, own):
    if any(argument in ("--version", "-V") for argument in arguments):
        sys.stdout.flush()
        return _status([os.path.join(own, "ptxas"), "--version"])
    pairs = split_options(arguments)
    inputs = [name for name, value in pairs if value is None and name.endswith(".cu")]
    if kind is None or len(inputs) != 1:
        print(
            "nvcc: this stand-in of pycuda-anywhere compiles one .cu file with device code alone (-cubin, -fatbin, "
            "-ptx); host code needs NVIDIA's compiler: pip install nvidia-cuda-nvcc nvidia-cuda-crt "
            "nvidia-cuda-runtime nvidia-nvvm",
            file=sys.stderr,
        )
        return 1
    os.environ["PYCUDA_COMPILER"] = "nvrtc"  # never this program again
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    import pycuda.driver  # start-up time: NVIDIA's nvcc, where there is one, needs none of this
    from pycuda.compiler import CompileError, compile_plain  # start-up time: as above

    options = [option for option in ptx_options(pairs)[1:] if option not in inputs]
    try:
        with open(inputs[0], encoding="utf-8", errors="surrogateescape") as file:
            source = file.read()
        options.append(f"-I{os.path.dirname(os.path.abspath(inputs[0]))}")
        ptx = compile_plain(source, options, False, "nvcc", None, "ptx")
        output = _output_of(pairs, kind)
        if kind in _PTX:
            with open(output, "wb") as file:
                file.write(ptx.rstrip(b"\0"))
            return 0
    except OSError as error:
        print(f"nvcc: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except (CompileError, pycuda.driver.Error) as error:
        print(f"nvcc: {error}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory(prefix="pycuda-nvcc-") as folder:
        made = os.path.join(folder, "code.ptx")
        with open(made, "wb") as file:
            file.write(ptx.rstrip(b"\0"))
        return _wrap(own, made, output)


if __name__ == "__main__":
    # The script in the folder of tools passes the driver folder, and its own path for what lies beside it.
    sys.argv[0] = sys.argv[1]
    sys.exit(main(sys.argv[3:], sys.argv[2]))
