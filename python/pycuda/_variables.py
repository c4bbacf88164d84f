# SPDX-License-Identifier: MIT
"""The environment variables that matter here, by name: one that is misspelt has no effect."""

# The rows of docs/cpu-driver/environment.md, in their order.
VARIABLES = (
    "PYCUDA_DRIVER",
    "PYCUDA_LOG",
    "CUDA_LOG_FILE",
    "PYCUDA_CACHE_DIR",
    "PYCUDA_DISABLE_CACHE",
    "XDG_CACHE_HOME",
    "PYCUDA_DEFAULT_NVCC_FLAGS",
    "PYCUDA_COMPILER",
    "PYCUDA_CHECK_ARGUMENTS",
    "PYCUDA_NVRTC",
    "CUDA_PATH",
    "CUDA_HOME",
    "CUDA_ROOT",
    "CONDA_PREFIX",
    "LD_LIBRARY_PATH",
    "PYCUDA_NVIDIA_PACKAGES",
    "PYCUDA_OPENBLAS",
    "PYCUDA_CUBLAS",
    "PYCUDA_CUPTI",
    "CUDA_DEVICE",
    "PYCUDA_CPU_THREADS",
    "PYCUDA_CPU_DEVICES",
    "PYCUDA_CPU_MEMORY",
    "PYCUDA_CPU_CHECK",
    "PYCUDA_CPU_COUNTERS",
    "PYCUDA_CPU_CHECK_REPORT",
    "PYCUDA_CPU_MARGIN",
    "PYCUDA_CPU_TIMEOUT",
    "PYCUDA_CPU_VECTOR",
    "PYCUDA_CPU_GANG",
    "PYCUDA_CPU_PATIENCE",
    "PYCUDA_CPU_STREAM",
    "CUDA_MODULE_LOADING",
    "PYCUDA_CPU_ARCH",
    "PYCUDA_CPU_ISA",
    "PYCUDA_CPU_VERIFY",
    "PYCUDA_CPU_SYMBOLS",
    "PYCUDA_CPU_DUMP",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_CACHE_DISABLE",
    "CUDA_CACHE_PATH",
)
_OF_BUILDS_AND_TESTS = ("PYCUDA_CPU_DRIVER", "PYCUDA_TEST_DRIVER")
_told = set()


def variable_like(name):
    """The variable that is meant by a name beginning with PYCUDA_ that nothing reads; "" where none is close."""
    import difflib  # start-up time: only for mistakes

    own = [known.removeprefix("PYCUDA_") for known in VARIABLES if known.startswith("PYCUDA_")]
    close = difflib.get_close_matches(name.removeprefix("PYCUDA_"), own, 1, 0.75)
    return f"PYCUDA_{close[0]}" if close else ""


def misspelt(environment):
    """The variables that nothing reads and whose names are close to one of this package's, each of them once.

    Parameters
    ----------
    environment : mapping

    Returns
    -------
    list of str
        A sentence for each variable.
    """
    known = {*VARIABLES, *_OF_BUILDS_AND_TESTS, *_told}
    unknown = sorted(name for name in environment if name.startswith("PYCUDA_") and name not in known)
    _told.update(unknown)
    meant = ((name, variable_like(name)) for name in unknown)
    return [f"nothing reads {name}; do you mean {close}?" for name, close in meant if close]
