# SPDX-License-Identifier: MIT
"""Operations on arrays: host time of small ones, bandwidth of large ones, beside NumPy, CuPy and PyTorch in one run.

Small: 1024 floats, microseconds an operation, batches of 200 with a synchronisation after each, the rivals in turn, the
median of the rounds. Large: 2**N floats, GB/s of the bytes that must move, the best of the rounds; on the CPU driver
with a loop in C on as many cores, where there is a compiler: what the memory gives whoever reads it.
"""

import argparse
import ctypes
import os
import statistics
import tempfile
import time

# PyTorch's threads would go on spinning after its turn, on cores that the next library needs. Read when it is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("GOMP_SPINCOUNT", "0")
os.environ.setdefault("KMP_BLOCKTIME", "0")

import numpy as np
import pycuda
import pycuda.autoprimaryctx  # noqa: F401  (the context that CuPy and PyTorch use too)
import pycuda.driver as cuda
from c_yardsticks import build, c_compiler
from pycuda import _driver, gpuarray

BATCH = 200


def cumsum(a):
    """The running sum; by the array module's own function once it has one."""
    if hasattr(gpuarray, "cumsum"):
        return gpuarray.cumsum(a)
    result = gpuarray.empty_like(a)
    _driver._array.scan("sum", a, 0, a.dtype, result, None)
    return result


def blended(a, b):
    return a * 0.75 + b * b


def operations(a, b, places, module, **own):
    """Name -> operation, for a library with NumPy's names; `places` are indices in any order, `own` replaces some."""
    size = a.shape[0]
    side = 1 << (size.bit_length() // 2)
    square = a.reshape(size // side, side)
    half = own.pop("half")
    halves = half(a), half(b)
    rows = places % square.shape[0]
    rows = rows[: square.shape[0]]
    found = {
        "a + b": lambda: a + b,
        "a * 2": lambda: a * 2,
        "exp": lambda: module.exp(a),
        "sin": lambda: module.sin(a),
        "unfused": lambda: blended(a, b),
        "sum": lambda: a.sum(),
        "max": lambda: a.max(),
        "dot": lambda: module.dot(a, b),
        "copy": lambda: a.copy(),
        "cast": lambda: a.astype(np.float64),
        "argmax": lambda: a.argmax(),
        "cumsum": lambda: module.cumsum(a),
        "sum axis 0": lambda: square.sum(axis=0),
        "sum axis 1": lambda: square.sum(axis=1),
        "strided +": lambda: a[::2] + b[::2],
        "row +": lambda: square + square[0],
        "column +": lambda: square + square[:, :1],
        "f16 +": lambda: halves[0] + halves[1],
        "f16 sum": lambda: halves[0].sum(),
        "f16 exp": lambda: module.exp(halves[0]),
        "f16 axis 0": lambda: halves[0].reshape(square.shape).sum(axis=0),
        "a[1:-1]": lambda: a[1:-1],
        "a[places]": lambda: a[places],
        "matrix @ row": lambda: square @ square[0],
        "matrix[rows]": lambda: square[rows],
    }
    return {**found, **own}


def ours(host, places):
    a, b = gpuarray.to_gpu(host), gpuarray.to_gpu(host)
    fused = pycuda.fuse(blended)
    return operations(
        a,
        b,
        gpuarray.to_gpu(places),
        np,
        half=lambda x: x.astype(np.float16),
        sum=lambda: gpuarray.sum(a),
        dot=lambda: gpuarray.dot(a, b),
        cumsum=lambda: cumsum(a),
        fused=lambda: fused(a, b),
        **{"to device": lambda: gpuarray.to_gpu(host), "to host": lambda: a.get()},
    )


def of_torch(host, places, torch, on_cpu):
    place = (lambda x: x.clone()) if on_cpu else (lambda x: x.cuda())
    on_host = torch.from_numpy(host)
    a, b = place(on_host), place(on_host)
    copies = {} if on_cpu else {"to device": lambda: on_host.cuda(), "to host": lambda: a.cpu()}
    return operations(
        a,
        b,
        place(torch.from_numpy(places)),
        torch,
        half=lambda x: x.half(),
        copy=lambda: a.clone(),
        cast=lambda: a.double(),
        cumsum=lambda: torch.cumsum(a, 0),
        **copies,
    )


def rivals(size):
    """Name -> (the library's operations on two arrays of `size` floats, its synchronisation)."""
    random = np.random.default_rng(1)
    host, places = random.random(size, dtype=np.float32), random.integers(0, size, size)
    found = {"pycuda": (ours(host, places), cuda.Context.synchronize)}
    on_cpu = _driver._device_traits().is_cpu
    if on_cpu:
        found["numpy"] = (operations(host, host.copy(), places, np, half=lambda x: x.astype(np.float16)), lambda: None)
    else:
        try:
            import cupy

            d = cupy.asarray(host)
            e, fused = d.copy(), cupy.fuse(blended)
            more = {"to device": lambda: cupy.asarray(host), "to host": lambda: d.get(), "fused": lambda: fused(d, e)}
            found["cupy"] = (
                operations(d, e, cupy.asarray(places), cupy, half=lambda x: x.astype(cupy.float16), **more),
                cupy.cuda.Device().synchronize,
            )
        except ImportError:
            pass
    try:
        import torch

        synchronize = (lambda: None) if on_cpu else torch.cuda.synchronize
        found["torch"] = (of_torch(host, places, torch, on_cpu), synchronize)
    except ImportError:
        pass
    return found


def loops_in_c(size):
    """The reductions of two arrays of `size` floats by c_read_loop.c on all cores; nothing without a C compiler."""
    if c_compiler() is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        options = ["-O3", "-march=native", "-ffast-math", "-shared", "-fPIC", "-pthread"]
        read = ctypes.CDLL(build("c_read_loop.c", folder, *options)).read_arrays
    read.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int]
    read.restype = ctypes.c_float
    a = np.random.default_rng(1).random(size, dtype=np.float32)
    b, threads = a.copy(), min(len(os.sched_getaffinity(0)), 64)
    return {
        name: lambda what=what: read(a.ctypes.data, b.ctypes.data, size, what, threads)
        for what, name in enumerate(["sum", "max", "dot"])
    }


def host_time(operation, synchronize, with_sync):
    """Microseconds of one operation."""
    start = time.perf_counter()
    for _ in range(BATCH):
        operation()
    if with_sync:
        synchronize()
    seconds = time.perf_counter() - start
    synchronize()
    return seconds / BATCH * 1e6


SMALL = [
    "a + b",
    "a * 2",
    "exp",
    "unfused",
    "fused",
    "sum",
    "max",
    "dot",
    "copy",
    "cast",
    "cumsum",
    "to device",
    "to host",
    "a[1:-1]",
]


def small(rounds):
    libraries = rivals(1024)
    with_sync = _driver._device_traits().is_cpu
    print(f"1024 floats, us an operation{' with the work itself' if with_sync else ', host time'}:")
    for name in SMALL:
        times = {library: [] for library in libraries}
        for round_number in range(rounds + 2):
            for library, (known, synchronize) in libraries.items():
                if name in known:
                    taken = host_time(known[name], synchronize, with_sync)
                    if round_number >= 2:
                        times[library].append(taken)
        medians = {library: statistics.median(one) for library, one in times.items() if one}
        ours = medians["pycuda"]
        text = "  ".join(
            f"{library} {value:7.2f}" + ("" if library == "pycuda" else f" ({ours / value:.2f}x)")
            for library, value in medians.items()
        )
        print(f"  {name:10s} {text}", flush=True)


# Bytes that must move for each element of the large arrays; of `unfused`, if it were one kernel.
MOVED = {
    "a + b": 12,
    "a * 2": 8,
    "exp": 8,
    "sin": 8,
    "unfused": 12,
    "fused": 12,
    "sum": 4,
    "max": 4,
    "dot": 8,
    "copy": 8,
    "cast": 12,
    "argmax": 4,
    "cumsum": 8,
    "sum axis 0": 4,
    "sum axis 1": 4,
    "strided +": 6,
    "row +": 8,
    "column +": 8,
    "f16 +": 6,
    "f16 sum": 2,
    "f16 exp": 4,
    "f16 axis 0": 2,
    "a[places]": 16,
    "matrix @ row": 4,
    "matrix[rows]": 8,
}


#: Seconds that an operation runs before it is timed: what drivers and libraries only do for work that lasts, they do.
WARM_UP = 0.5


def warm_up(operation, synchronize):
    start = time.perf_counter()
    while time.perf_counter() - start < WARM_UP:
        operation()
        synchronize()


def large(exponent, rounds):
    """The libraries in turn, so that what disturbs the machine disturbs all of them."""
    size = 1 << exponent
    all_libraries = rivals(size)
    if _driver._device_traits().is_cpu:
        all_libraries["C"] = (loops_in_c(size), lambda: None)
    print(f"2**{exponent} floats, GB/s:")
    for name, moved in MOVED.items():
        libraries = {library: one for library, one in all_libraries.items() if name in one[0]}
        best = dict.fromkeys(libraries, float("inf"))
        for known, synchronize in libraries.values():
            warm_up(known[name], synchronize)
        for _ in range(rounds):
            for library, (known, synchronize) in libraries.items():
                known[name]()  # compiles, and takes memory from the library's pool
                synchronize()
                start = time.perf_counter()
                for _ in range(3):
                    known[name]()
                synchronize()
                best[library] = min(best[library], (time.perf_counter() - start) / 3)
        rates = {library: moved * size / seconds / 1e9 for library, seconds in best.items()}
        form = "7.1f" if _driver._device_traits().is_cpu else "7.0f"
        text = "  ".join(f"{library} {rate:{form}}" for library, rate in rates.items())
        print(f"  {name:10s} {text}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--exponent", type=int, default=None, help="of the large arrays' size")
    arguments = parser.parse_args()
    exponent = arguments.exponent or (24 if _driver._device_traits().is_cpu else 28)
    small(arguments.rounds)
    large(exponent, 5)


if __name__ == "__main__":
    main()
