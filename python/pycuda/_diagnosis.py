# SPDX-License-Identifier: MIT
"""What `python -m pycuda` prints: what this machine has, what is missing, and how to fix it."""

import errno
import os
import platform
import sys
import tempfile

from pycuda._variables import VARIABLES, variable_like


def _version(number):
    return f"{number // 1000}.{number % 1000 // 10}" if number else "unknown"


def _mixture():
    from pycuda import _original  # may fail: each part of the report stands alone

    if problem := _original.problem():
        yield "problem", problem


def _versions():
    import pycuda  # may fail: as above

    yield (
        "pycuda-anywhere",
        f"{getattr(pycuda, 'ANYWHERE_VERSION', 'overwritten')} (stands in for PyCUDA {pycuda.VERSION_TEXT})",
    )
    yield "package", os.path.dirname(os.path.abspath(pycuda.__file__))
    yield "Python", f"{platform.python_version()}, {sys.executable}"
    try:
        import numpy

        yield "NumPy", numpy.__version__
    except ImportError:
        yield "NumPy", "missing: `pip install numpy`"
    yield "system", platform.platform()


def _driver():
    from pycuda._driver import _rtc  # may fail: as above

    try:
        facts = _rtc.driver_origin()
    except Exception as error:
        yield "driver", f"none: {error}"
        return
    yield "driver", f"{facts['kind']}, CUDA {_version(facts['version'])}, {facts['library']}"
    yield "taken because", facts["reason"]
    if facts["passed_over"]:
        yield "passed over", facts["passed_over"]
    yield "functions", f"{facts['functions']} of the driver API"
    from pycuda import _cupti  # may fail: as above

    libraries, why = _cupti.libraries()
    if why is not None:
        yield "CUPTI", libraries[0] if libraries else f"none: {why}"


def _devices():
    import pycuda.driver as driver  # may fail: as above

    try:
        driver.init()
        count = driver.Device.count()
    except Exception as error:
        yield "devices", f"none: {error}"
        return
    yield "devices", str(count)
    for number in range(count):
        try:
            device = driver.Device(number)
            major, minor = device.compute_capability()
            gibibytes = device.total_memory() / 2**30
            yield (
                f"  {number}",
                f"{device.name()}, compute capability {major}.{minor}, {gibibytes:.1f} GiB",
            )
        except Exception as error:
            yield f"  {number}", f"cannot be asked: {error}"


def _libraries():
    from pycuda import _programs  # may fail: as above

    try:
        _programs.cpu_driver()
    except FileNotFoundError:
        return
    found = _programs.run_time_libraries()
    yield "libraries", ", ".join(found) or "none"
    if "libcublas.so.13" not in found:
        yield "  more", "libcudart, cuBLAS and others for other programs: `pip install 'pycuda-anywhere[libraries]'`"


def _compilers():
    from pycuda._compilers import the_compiler  # may fail: as above
    from pycuda._driver import _rtc  # may fail: as above

    found = the_compiler()
    taken = False
    for index, (library, origin, includes) in enumerate(found.installations()):
        try:
            major, minor, architectures = found.version(index)
        except ValueError as error:
            if origin != "loader":
                yield "NVRTC", f"{library} ({origin}) cannot be used: {error}"
            continue
        known = f"sm_{architectures[0]} to sm_{architectures[-1]}" if architectures else "unknown targets"
        yield "NVRTC", f"{major}.{minor} for {known}, {library} ({origin})"
        if not taken:
            headers = [folder for folder in includes if os.path.isdir(folder)]
            carried = found.carries_headers(index)
            none = "none: `pip install nvidia-cuda-runtime nvidia-cuda-crt`"
            places = [*headers, *(["within NVRTC"] if carried else [])]
            yield "CUDA headers", os.pathsep.join(places) or none
            for header, wheel in (
                ("cuda_fp16.h", "nvidia-cuda-runtime"),
                ("crt/host_defines.h", "nvidia-cuda-crt"),
                ("cub/cub.cuh", "nvidia-cuda-cccl"),
                ("curand_kernel.h", "nvidia-curand"),
            ):
                if carried and wheel != "nvidia-curand":
                    continue
                if not any(os.path.exists(os.path.join(folder, header)) for folder in headers):
                    yield f"  {header}", f"missing: `pip install {wheel}`"
        taken = True
    if not taken:
        yield "NVRTC", _rtc.missing_message()
    yield "nvcc", _rtc.find_nvcc("nvcc") or "none (not needed)"


def _why_nothing_is_kept(folder):
    """Why the folder takes nothing new, or None.

    Only the system knows: root may write where permissions forbid it, and a full disk still has room for names.
    """
    try:
        with tempfile.TemporaryFile(dir=folder or os.curdir, buffering=0) as file:
            if file.write(bytes(1 << 16)) < 1 << 16:
                return os.strerror(errno.ENOSPC)
    except OSError as error:
        return error.strerror
    return None


def _cache():
    from pycuda._driver import _rtc  # may fail: as above

    folder = _rtc.default_cache_folder()
    if not folder:
        yield "cache", "off"
        return
    if not os.path.isdir(folder):
        there = folder
        while not os.path.lexists(there) and os.path.dirname(there) != there:
            there = os.path.dirname(there)
        why = _why_nothing_is_kept(there)
        state = f"cannot be made, nothing is kept: {why}" if why else "is made when first needed"
    else:
        state = f"{_rtc.cache_bytes(folder) / 2**20:.1f} MiB"
        why = _why_nothing_is_kept(folder)
        if why:
            state += f", cannot be written to, nothing is kept: {why}"
    yield "cache", f"{folder}, {state}"


def _environment():
    found = False
    for name in VARIABLES:
        if name in os.environ:
            found = True
            yield name, repr(os.environ[name])
    for name in sorted(os.environ):
        if name.startswith("PYCUDA_") and name not in VARIABLES:
            found = True
            meant = variable_like(name)
            yield name, f"nothing reads it; do you mean {meant}?" if meant else "nothing reads it"
    if not found:
        yield "environment", "none of the variables that matter here is set"


def main():
    """Print the diagnosis. Each part stands alone: one that fails says so and the next goes on."""
    for part in (_mixture, _versions, _driver, _devices, _libraries, _compilers, _cache, _environment):
        try:
            for name, text in part():
                print(f"{name:16} {text}", flush=True)
        except BrokenPipeError:
            raise
        except Exception as error:
            print(
                f"{part.__name__.strip('_'):16} cannot be told: {type(error).__name__}: {error}",
                flush=True,
            )
    return 0
