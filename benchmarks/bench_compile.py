# SPDX-License-Identifier: MIT
"""Time of import, of compiling a small kernel and of SourceModule from the caches, each in fresh processes.

--kernels: instead, what compiling each kernel of the benchmark `cpu` takes the CPU driver.
--slowest: instead, what the first launch of the kernels waits for that tools/slow_kernels.py found to take longest.
--headers: instead, the processor time of compiling one source after another that includes the same large header.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

IMPORTS = {
    "numpy": "import numpy",
    "numpy + pycuda.driver": "import numpy, pycuda.driver",
    "numpy + pycuda.driver + compiler": "import numpy, pycuda.driver, pycuda.compiler",
    "numpy + pycuda.driver + compiler + gpuarray": "import numpy, pycuda.driver, pycuda.compiler, pycuda.gpuarray",
    "numpy + a first sum of two arrays": """import numpy, pycuda.autoinit, pycuda.gpuarray
a = pycuda.gpuarray.to_gpu(numpy.ones(1000, numpy.float32))
(a + a).get()""",
}

MODULE = """
import time, pycuda.autoinit, sys
from pycuda.compiler import SourceModule
source = "__global__ void twice(float *a) {{ a[threadIdx.x] *= 2; }}  // {tag}"
warm = SourceModule("__global__ void warm() {{}}")
start = time.perf_counter(); SourceModule(source); first = time.perf_counter() - start
start = time.perf_counter(); SourceModule(source); again = time.perf_counter() - start
print(first * 1e3, again * 1e3)
"""


def run(code: str, environment: dict[str, str]) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def import_ms(statement: str, environment: dict[str, str]) -> float:
    code = f"import time; s = time.perf_counter()\n{statement}\nprint((time.perf_counter() - s) * 1e3)"
    return float(run(code, environment))


def compile_kernels(rounds: int, wanted: str) -> None:
    """Processor time of the thread that launches a kernel first, in the shape that the benchmark gives it."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent / "peers"))
    os.environ["PYCUDA_DISABLE_CACHE"] = "1"
    os.environ.setdefault("PYCUDA_DRIVER", "cpu")
    import cases
    import numpy as np
    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as driver
    import worker
    from pycuda.compiler import compile

    ptx = compile(worker.kernel_text(), no_extern_c=True, options=["-lineinfo"], target="ptx")
    print(f"{'processor ms, least of ' + str(rounds):36} {'compiled':>9}")
    seen = set()
    for case in cases.all_cases():
        if wanted not in case.label or case.kernel in seen:
            continue
        seen.add(case.kernel)
        arrays = case.arguments(np.random.default_rng(1))
        arguments = [driver.to_device(a) if a.ndim else a for a in arrays]
        least = float("inf")
        for _ in range(rounds):
            module = driver.module_from_buffer(ptx)
            before = time.thread_time()
            function = module.get_function(case.kernel)
            function(*arguments, grid=case.grid, block=(*case.block, 1))
            least = min(least, time.thread_time() - before)
            driver.Context.synchronize()
        print(f"{case.label:36} {least * 1e3:9.1f}", flush=True)


# What tools/slow_kernels.py found slowest, before or after the compiler learned to bound it: instructions of the tests,
# repeated, and shapes of tools/long_kernels.py.
SLOWEST = [
    ("stmatrix.sync.aligned.m8n8.x1.b16", 4900, "loop"),
    ("match.any.sync.b64", 500, "straight"),
    ("wmma.mma.sync.aligned.row.row.m16n16k16.s32.s8.s8.s32", 4000, "straight"),
]
SLOWEST_SHAPES = [
    ("add.sat.s32, 1 chains", 4950),
    ("20 functions called 200 times", 4950),
    ("products of 4 rows", 4950),
    ("products of bytes here and there, in a loop", 4950),
    ("products of bits here and there, in a loop", 4950),
    ("mma.s8, 8 chains", 4950),
    ("a machine of 300 states", 4950),
    ("addc.cc.u64, 1 chains", 2000),
    ("div.u64, 1 chains", 2000),
    ("mul.hi.u64, 1 chains", 2000),
]


def compile_slowest() -> None:
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
    import long_kernels
    import slow_kernels

    kernels = list(slow_kernels.named(SLOWEST))
    kernels += [long_kernels.long_kernel(name, length) for name, length in SLOWEST_SHAPES]
    print(f"{'processor s until the first result':70}")
    for name, text, block in kernels:
        seconds, said = slow_kernels.seconds_of(text, block, timeout=120)
        print(f"{name:70} {seconds:6.2f}  {said}", flush=True)


HEADERS = {
    "curand_kernel.h": "#include <curand_kernel.h>",
    "cooperative_groups": "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>",
    "cub": "#include <cub/cub.cuh>",
}


def compile_with_headers() -> None:
    """The third compilation of a prefix makes NVRTC's precompiled header, which the later ones use."""
    import resource

    from pycuda.compiler import compile

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    print(f"{'processor s of compilation':22}" + "".join(f"{number:8}" for number in range(1, 7)))
    for name, lines in HEADERS.items():
        row = []
        for number in range(6):
            before = used()
            text = f"{lines}\n__global__ void k{number}(int *a) {{ *a = {number}; }}"
            compile(text, no_extern_c=True, target="ptx", arch="sm_80", cache_dir=False)
            row.append(used() - before)
        print(f"{name:26}" + "".join(f"{seconds:8.2f}" for seconds in row), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--only", default="", help="a part of the names of the kernels wanted")
    parser.add_argument("--headers", action="store_true")
    parser.add_argument("--slowest", action="store_true")
    options = parser.parse_args()
    if options.slowest:
        compile_slowest()
        return
    if options.headers:
        compile_with_headers()
        return
    rounds = options.rounds
    if options.kernels:
        compile_kernels(rounds, options.only)
        return
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as bytecode:
        # As installed packages are: compiled to bytecode once, not in every process.
        environment = {**os.environ, "PYCUDA_CACHE_DIR": cache, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYCUDA_DISABLE_CACHE", None)
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        samples = {name: [] for name in IMPORTS}
        for statement in IMPORTS.values():
            import_ms(statement, environment)
        for _ in range(rounds):
            for name, statement in IMPORTS.items():
                samples[name].append(import_ms(statement, environment))
        base = statistics.median(samples["numpy"])
        print(f"{'import':44} {'ms':>8} {'beyond NumPy':>13}")
        for name, values in samples.items():
            print(f"{name:44} {statistics.median(values):8.2f} {statistics.median(values) - base:13.2f}")
        cold, hit, again = [], [], []
        for number in range(rounds):
            code = MODULE.format(tag=number)
            cold.append(float(run(code, environment).split()[0]))
            first, second = map(float, run(code, environment).split())
            hit.append(first)
            again.append(second)
        print(f"\n{'SourceModule of a small kernel':44} {'ms':>8}")
        print(f"{'compiled (not in any cache)':44} {statistics.median(cold):8.3f}")
        print(f"{'in the disk cache, first time in a process':44} {statistics.median(hit):8.3f}")
        print(f"{'again in the same process':44} {statistics.median(again):8.3f}")


if __name__ == "__main__":
    main()
