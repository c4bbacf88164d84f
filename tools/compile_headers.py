#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which of NVIDIA's public headers compile with NVRTC in the default wrapper, and without it.

For maintainers: takes minutes. Needs the wheels of the CUDA headers; no GPU. With --nvcc, what NVRTC refuses is given
to `nvcc -ptx`, and only headers that nvcc compiles count as failures. The exit status is 1 if there are any.

    PYTHONPATH=build/release/python tools/compile_headers.py --jobs 4 --nvcc --match thrust/
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

KERNEL = "__global__ void k(int *a) { *a = 1; }\n"
SUFFIXES = ("", ".h", ".cuh")
MODES = ("wrapped", "no_extern_c")
INTERNAL = {"agent", "cccl", "crt", "detail", "details", "dispatch", "tuning"}


def include_folders():
    """The folders of NVIDIA's headers that the package compiles with."""
    from pycuda._compilers import the_compiler

    for _, _, folders in the_compiler().installations():
        if folders:
            return [pathlib.Path(folder) for folder in folders]
    sys.exit("no CUDA headers found: pip install nvidia-cuda-runtime nvidia-cuda-cccl nvidia-curand")


def public_headers(folders):
    """Names as programs include them, without what its path marks as internal."""
    names = set()
    for folder in folders:
        for file in folder.rglob("*"):
            name = file.relative_to(folder)
            internal = any(part.startswith("__") or part in INTERNAL for part in name.parts)
            if file.is_file() and file.suffix in SUFFIXES and not internal:
                names.add(name.as_posix())
    return sorted(names)


def first_error(text):
    return next((line for line in text.splitlines() if "error" in line), text.strip()[:200])


def compile_with_nvrtc(job):
    """(name, mode, "" or why it was refused)"""
    from pycuda.compiler import compile
    from pycuda.driver import CompileError

    name, mode = job
    try:
        compile(
            f"#include <{name}>\n{KERNEL}",
            target="ptx",
            arch="compute_80",
            options=[],
            cache_dir=False,
            no_extern_c=mode == "no_extern_c",
        )
    except CompileError as error:
        return name, mode, first_error(error.stderr)
    return name, mode, ""


def compiles_with_nvcc(name):
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "k.cu")
        with open(source, "w") as file:
            file.write(f"#include <{name}>\n{KERNEL}")
        command = ["nvcc", "-ptx", "-arch=compute_80", "-o", os.devnull, source]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--match", default="", help="only headers whose name holds this")
    parser.add_argument("--mode", choices=("wrapped", "no_extern_c"), help="only this one")
    parser.add_argument("--nvcc", action="store_true", help="compare with the nvcc in PATH")
    parser.add_argument("--list", action="store_true", help="print the headers and compile nothing")
    arguments = parser.parse_args()
    os.environ["PYCUDA_COMPILER"] = "nvrtc"

    headers = [name for name in public_headers(include_folders()) if arguments.match in name]
    if arguments.list:
        print("\n".join(headers))
        return 0
    jobs = [(name, mode) for name in headers for mode in MODES if arguments.mode in (None, mode)]
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        refused = []
        for result in pool.map(compile_with_nvrtc, jobs):
            if not result[2]:
                continue
            refused.append(result)
            print(f"NVRTC refuses {result[0]} ({result[1]}): {result[2]}", file=sys.stderr, flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        names = sorted({name for name, _, _ in refused})
        accepted = set(names)
        if arguments.nvcc:
            accepted = {name for name, good in zip(names, pool.map(compiles_with_nvcc, names), strict=True) if good}
    failed = [result for result in refused if result[0] in accepted]
    for name, mode, why in failed:
        print(f"{name} ({mode}): {why}")
    print(f"{len(headers)} headers, {len(refused)} of {len(jobs)} compilations refused, {len(failed)} of these wrongly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
