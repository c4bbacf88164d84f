# SPDX-License-Identifier: MIT
"""Names that programs look for because another package, or another module of this one, has them."""

import numpy as np

_TO_HOST = "a.get() copies an array to the host"
_TO_DEVICE = "pycuda.gpuarray.to_gpu(a) copies an array to the device"
_OF_SCIPY = {
    name: f"scipy.special.{function}(a) computes it on the device"
    for name, function in zip("erf erfc erfinv gamma lgamma".split(), "erf erfc erfinv gamma gammaln".split())
}
_OF_CUPY = dict.fromkeys(
    ("RawKernel", "RawModule"), "pycuda.compiler.SourceModule(source) compiles kernels, its get_function(name) has one"
)
_NAMES = {
    "GPUArray": dict.fromkeys(("numpy", "cpu", "asnumpy", "to_host", "copy_to_host", "to_numpy", "as_numpy"), _TO_HOST)
    | {
        "__array_interface__": "pass what its get() method returns",
        "to": _TO_HOST + ", a.astype(dtype) converts it",
        "cuda": "the array is on the device already",
        "data_ptr": "a.ptr is the address of its memory",
        "block_until_ready": "pycuda.driver.Context.synchronize() waits for all work",
    },
    "Event": {
        **dict.fromkeys(
            ("elapsed_time", "elapsed", "time"), "end.time_since(start) returns the milliseconds between two events"
        ),
        **dict.fromkeys(("wait", "sync"), "its synchronize() waits for it, stream.wait_for_event(event) in a stream"),
        **dict.fromkeys(("done", "is_done"), "its query() tells whether it has happened"),
        "ptr": "its handle is the driver's",
    },
    "Stream": {
        **dict.fromkeys(("ptr", "cuda_stream", "stream"), "its handle is the driver's"),
        **dict.fromkeys(("wait", "sync"), "its synchronize() waits for all of its work"),
        **dict.fromkeys(("query", "done"), "its is_done() tells whether all of its work is done"),
        **dict.fromkeys(("wait_event", "wait_stream"), "its wait_for_event(event) lets it wait"),
        **dict.fromkeys(("record", "record_event"), "event.record(stream) marks a place in it"),
        "use": "calls take a stream: stream=...",
        "add_callback": "its launch_host_function(function) calls a function in its order",
    },
    "DeviceAllocation": {
        **dict.fromkeys(("nbytes", "size", "bytes"), "mem_get_address_range(memory) returns its address and its bytes"),
        **dict.fromkeys(
            ("shape", "dtype", "strides", "ndim"),
            "it is bytes alone: GPUArray(shape, dtype, gpudata=memory) is an array in it",
        ),
        **dict.fromkeys(
            ("get", "copy_to_host", "tobytes"), "memcpy_dtoh(array, memory) copies it to an array of the host"
        ),
        **dict.fromkeys(("set", "copy_from_host"), "memcpy_htod(memory, array) copies an array of the host to it"),
        "fill": "memset_d8, memset_d16 and memset_d32 fill it",
        **dict.fromkeys(("ptr", "address", "value", "data"), "int(memory) is its address"),
    },
    "pycuda.gpuarray": dict.fromkeys(("asnumpy", "to_cpu", "from_gpu", "to_host"), _TO_HOST)
    | dict.fromkeys(("to_device", "cuda_array", "togpu"), _TO_DEVICE)
    | dict.fromkeys(("rand", "randn", "random"), "pycuda.curandom has rand(shape) and generators")
    | _OF_SCIPY
    | _OF_CUPY,
    "pycuda.cumath": _OF_SCIPY
    | {
        "pow": "a ** b computes it on the device",
        "abs": "abs(a) and pycuda.cumath.fabs(a) compute it on the device",
        "atan2": "np.arctan2(a, b) computes it on the device",
        **dict.fromkeys(("asinh", "acosh", "atanh"), "np.arcsinh(a), np.arccosh(a) and np.arctanh(a) compute these"),
        "sigmoid": "1 / (1 + np.exp(-a)) computes it on the device",
    }
    | {name: f"it is pycuda.gpuarray.{name}" for name in "max min sum dot where arange zeros empty".split()},
    "pycuda.curandom": dict.fromkeys(
        ("randn", "normal", "standard_normal"),
        "generators, as MRG32k3aRandomNumberGenerator, have gen_normal(shape, dtype)",
    )
    | dict.fromkeys(("random", "uniform"), "rand(shape, dtype) makes an array of them")
    | dict.fromkeys(
        ("MT19937", "MTGP32", "MTGP32RandomNumberGenerator", "PCG64", "Generator", "default_rng", "RandomState"),
        "XORWOWRandomNumberGenerator, MRG32k3aRandomNumberGenerator and PhiloxRandomNumberGenerator make them",
    )
    | {"seed": "numpy.random.seed(n) makes rand() repeatable, generators take a seed_getter"},
    "pycuda": {
        **_OF_CUPY,
        "GPUArray": "it is pycuda.gpuarray.GPUArray",
        "SourceModule": "it is pycuda.compiler.SourceModule",
        "ElementwiseKernel": "it is pycuda.elementwise.ElementwiseKernel",
        "ReductionKernel": "it is pycuda.reduction.ReductionKernel",
        "to_gpu": "it is pycuda.gpuarray.to_gpu",
        "array": "pycuda.gpuarray.to_gpu(numpy.array(...)) makes one",
        "init": "it is pycuda.driver.init; import pycuda.autoinit makes a context, too",
        "mem_alloc": "it is pycuda.driver.mem_alloc",
    },
    "pycuda.driver": {
        "gpuarray": "import pycuda.gpuarray",
        "SourceModule": "it is pycuda.compiler.SourceModule",
        "synchronize": "pycuda.driver.Context.synchronize() waits for all work",
        "current_context": "pycuda.driver.Context.get_current() returns the context",
        "get_current_device": "pycuda.driver.Context.get_device() returns the device",
        "to_gpu": _TO_DEVICE,
        "device_array": "pycuda.gpuarray.empty(shape, dtype) makes an array on the device",
        "current_stream": "None is the default stream; pycuda.driver.Stream() makes another one",
        "default_stream": "None is the default stream; pycuda.driver.Stream() makes another one",
        "stream": "pycuda.driver.Stream() makes one",
        "event": "pycuda.driver.Event() makes one",
        "device_count": "pycuda.driver.Device.count() returns the number of devices",
        "is_available": "pycuda.driver.Device.count() returns the number of devices",
        "select_device": "pycuda.driver.Device(number).make_context() makes one current",
        "empty_cache": "pycuda.driver.mem_get_info() returns what is free; pools have free_held()",
        "memory_allocated": "pycuda.driver.mem_get_info() returns what is free and the total",
        "pinned_array": "pycuda.driver.pagelocked_empty(shape, dtype) makes one",
        "mapped_array": "pycuda.driver.pagelocked_empty(shape, dtype, mem_flags=host_alloc_flags.DEVICEMAP) makes one",
        "as_cuda_array": "pycuda.gpuarray.from_cuda_array_interface(a) shares its memory",
        "jit": "kernels are CUDA C++: pycuda.compiler.SourceModule(source) compiles them",
        "grid": "kernels are CUDA C++, where blockIdx.x * blockDim.x + threadIdx.x is the index",
        "compile": "pycuda.compiler.SourceModule(source) compiles kernels",
        "malloc": "pycuda.driver.mem_alloc(bytes) allocates memory",
        "cudaMalloc": "pycuda.driver.mem_alloc(bytes) allocates memory",
        "cudaFree": "memory is freed with the object that holds it, or by its free()",
        "cudaDeviceSynchronize": "pycuda.driver.Context.synchronize() waits for all work",
        **dict.fromkeys(
            ("memcpy", "cudaMemcpy", "memcpy_h2d", "memcpy_d2h"),
            "memcpy_htod(dest, src) copies to the device, memcpy_dtoh(dest, src) from it",
        ),
    },
}


def remedy(where, name):
    """What has the name, or does what the other package's does: with a colon before it; "" if that is not known.

    Parameters
    ----------
    where : str
        "pycuda", the full name of one of its modules, or "GPUArray".
    """
    text = _NAMES.get(where, {}).get(name, "")
    if not text and where == "GPUArray" and name[0] != "_" and hasattr(np.ndarray, name):
        text = f"{_TO_HOST}, which has it"
    if where == "pycuda":
        import importlib.util  # start-up time: only for mistakes

        spec = importlib.util.find_spec(f"pycuda.{name}")
        if spec and spec.origin is None:  # a folder without Python
            text = f"pycuda/{name} holds files for compilers; CUDA's functions are those of pycuda.driver"
        elif spec:
            text = f"import pycuda.{name} first"
    return text and f": {text}"
