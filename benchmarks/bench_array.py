# SPDX-License-Identifier: MIT
"""Operations on arrays: host time of small ones, bandwidth of large ones, beside NumPy, CuPy and PyTorch in one run.

Small: 1024 floats, microseconds an operation, batches of 200 with a synchronisation after each, the rivals in turn, the
median of the rounds. Large: 2**N floats, GB/s of the bytes that must move, the best of the rounds.
"""

import argparse
import statistics
import time

import numpy as np
import pycuda.autoprimaryctx  # noqa: F401  (the context that CuPy and PyTorch use too)
import pycuda.driver as cuda
from pycuda import _driver, gpuarray

BATCH = 200


def rivals(size):
    """Name -> (the library's operations on two arrays of `size` floats, its synchronisation)."""
    host = np.random.default_rng(1).random(size, dtype=np.float32)
    a = gpuarray.to_gpu(host)
    b = gpuarray.to_gpu(host)
    found = {
        "pycuda": (
            {
                "a + b": lambda: a + b,
                "a * 2": lambda: a * 2,
                "exp": lambda: np.exp(a),
                "sum": lambda: gpuarray.sum(a),
                "max": lambda: a.max(),
                "dot": lambda: gpuarray.dot(a, b),
                "copy": lambda: a.copy(),
                "cast": lambda: a.astype(np.float64),
                "to device": lambda: gpuarray.to_gpu(host),
                "to host": lambda: a.get(),
                "a[1:-1]": lambda: a[1:-1],
            },
            cuda.Context.synchronize,
        )
    }
    on_cpu = _driver._array.device_facts()[0]
    if on_cpu:
        c = host.copy()
        found["numpy"] = (
            {
                "a + b": lambda: host + c,
                "a * 2": lambda: host * 2,
                "exp": lambda: np.exp(host),
                "sum": lambda: host.sum(),
                "max": lambda: host.max(),
                "dot": lambda: host.dot(c),
                "copy": lambda: host.copy(),
                "cast": lambda: host.astype(np.float64),
                "a[1:-1]": lambda: host[1:-1],
            },
            lambda: None,
        )
        return found
    try:
        import cupy

        d, e = cupy.asarray(host), cupy.asarray(host)
        found["cupy"] = (
            {
                "a + b": lambda: d + e,
                "a * 2": lambda: d * 2,
                "exp": lambda: cupy.exp(d),
                "sum": lambda: d.sum(),
                "max": lambda: d.max(),
                "dot": lambda: d.dot(e),
                "copy": lambda: d.copy(),
                "cast": lambda: d.astype(cupy.float64),
                "to device": lambda: cupy.asarray(host),
                "to host": lambda: d.get(),
                "a[1:-1]": lambda: d[1:-1],
            },
            cupy.cuda.Device().synchronize,
        )
    except ImportError:
        pass
    try:
        import torch

        t, u = torch.from_numpy(host).cuda(), torch.from_numpy(host).cuda()
        th = torch.from_numpy(host)
        found["torch"] = (
            {
                "a + b": lambda: t + u,
                "a * 2": lambda: t * 2,
                "exp": lambda: torch.exp(t),
                "sum": lambda: t.sum(),
                "max": lambda: t.max(),
                "dot": lambda: torch.dot(t, u),
                "copy": lambda: t.clone(),
                "cast": lambda: t.double(),
                "to device": lambda: th.cuda(),
                "to host": lambda: t.cpu(),
                "a[1:-1]": lambda: t[1:-1],
            },
            torch.cuda.synchronize,
        )
    except ImportError:
        pass
    return found


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


def small(rounds):
    libraries = rivals(1024)
    with_sync = _driver._array.device_facts()[0]
    print(f"1024 floats, us an operation{' with the work itself' if with_sync else ', host time'}:")
    for name in libraries["pycuda"][0]:
        times = {library: [] for library in libraries}
        for round_number in range(rounds + 2):
            for library, (operations, synchronize) in libraries.items():
                if name in operations:
                    taken = host_time(operations[name], synchronize, with_sync)
                    if round_number >= 2:
                        times[library].append(taken)
        medians = {library: statistics.median(one) for library, one in times.items() if one}
        ours = medians["pycuda"]
        text = "  ".join(
            f"{library} {value:7.2f}" + ("" if library == "pycuda" else f" ({ours / value:.2f}x)")
            for library, value in medians.items()
        )
        print(f"  {name:10s} {text}")


MOVED = {"a + b": 12, "a * 2": 8, "exp": 8, "sum": 4, "max": 4, "dot": 8, "copy": 8, "cast": 12}


def large(exponent, rounds):
    size = 1 << exponent
    libraries = rivals(size)
    print(f"2**{exponent} floats, GB/s:")
    for name, moved in MOVED.items():
        rates = {}
        for library, (operations, synchronize) in libraries.items():
            if name not in operations:
                continue
            best = float("inf")
            for _ in range(rounds):
                synchronize()
                start = time.perf_counter()
                for _ in range(5):
                    operations[name]()
                synchronize()
                best = min(best, (time.perf_counter() - start) / 5)
            rates[library] = moved * size / best / 1e9
        text = "  ".join(f"{library} {rate:7.0f}" for library, rate in rates.items())
        print(f"  {name:10s} {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--exponent", type=int, default=None, help="of the large arrays' size")
    arguments = parser.parse_args()
    exponent = arguments.exponent or (24 if _driver._array.device_facts()[0] else 28)
    small(arguments.rounds)
    large(exponent, 5)


if __name__ == "__main__":
    main()
