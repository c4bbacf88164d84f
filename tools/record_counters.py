# SPDX-License-Identifier: MIT
"""What Nsight Compute counts of the kernels of tests/counters. Run on a machine with a GPU, it writes ncu.json.

    record_counters.py [--ncu PROGRAM] [--corpus FOLDER] [--limit SECONDS] [--sets NAMES] OUTPUT
    record_counters.py --run FOLDER LIST    (what ncu watches: each kernel once; their names go to LIST)

The output holds, by kernel, each metric as a number; which metrics this version of ncu refused; and the machine code's
memory instructions, so that a difference from the PTX can be explained.
"""

import argparse
import collections
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import tomllib

CORPUS = pathlib.Path(__file__).resolve().parents[1] / "tests" / "counters"
BYTES = 1 << 20

CLASSES = (
    "fadd fmul ffma dadd dmul dfma hadd hmul hfma fp16 fp32 fp64 integer conversion control bit memory "
    "inter_thread_communication misc uniform"
).split()
#: Sets of metrics that ncu collects in one run each. A metric that this version does not know is left out.
SETS = {
    "hardware": [
        *(
            f"l1tex__t_{what}_pipe_lsu_mem_{space}_op_{op}.sum"
            for what in ("requests", "sectors")
            for space, ops in (("global", ("ld", "st", "atom", "red")), ("local", ("ld", "st")))
            for op in ops
        ),
        *(f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom")),
        *(f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in ("ld", "st", "atom")),
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    ],
    "source": [
        *(
            f"smsp__sass_inst_executed_op_{one}.sum"
            for space, ops in (("global", "ld st red atom"), ("shared", "ld st atom"), ("local", "ld st"))
            for one in (f"{space}_{op}" for op in ops.split())
        ),
        "memory_l2_theoretical_sectors_global",
        "memory_l2_theoretical_sectors_global_ideal",
        "memory_l2_theoretical_sectors_local",
        "memory_l1_tag_requests_global",
        "memory_l1_wavefronts_shared",
        "memory_l1_wavefronts_shared_ideal",
        "inst_executed",
        "thread_inst_executed",
        "thread_inst_executed_true",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_ideal.sum",
        "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "smsp__sass_l1tex_tags_mem_global.sum",
        "smsp__sass_sectors_mem_global.sum",
        "smsp__sass_sectors_mem_global_op_ld.sum",
        "smsp__sass_sectors_mem_global_op_st.sum",
        "smsp__sass_sectors_mem_global_ideal.sum",
        "smsp__sass_sectors_mem_global_op_ld_ideal.sum",
        "smsp__sass_sectors_mem_global_op_st_ideal.sum",
        "smsp__sass_sectors_mem_local.sum",
    ],
    "instructions": [
        "smsp__inst_executed.sum",
        "smsp__thread_inst_executed.sum",
        "smsp__thread_inst_executed_pred_on.sum",
        *(f"smsp__sass_thread_inst_executed_op_{one}_pred_on.sum" for one in CLASSES),
        "smsp__sass_branch_targets.sum",
        "smsp__sass_branch_targets_threads_divergent.sum",
        "smsp__sass_branch_targets_threads_uniform.sum",
        "smsp__branch_targets_threads_divergent.sum",
        "smsp__branch_targets_threads_uniform.sum",
        "launch__registers_per_thread",
    ],
}
SECTIONS = {"counters of lines": ["--section", "SourceCounters"], "occupancy": ["--section", "Occupancy"]}


def launches(folder):
    """(file's stem, kernel, grid, block, n, bytes of dynamic shared memory) of every kernel, in order."""
    for stem, kernels in tomllib.loads((folder / "launches.toml").read_text()).items():
        for kernel, launch in kernels.items():
            grid, block = (tuple((launch[name] + [1, 1])[:3]) for name in ("grid", "block"))
            yield stem, kernel, grid, block, launch["n"], launch.get("shared", 0)


def run(folder, names):
    """Launch every kernel once, as tests/python/test_counters_corpus.py does."""
    import numpy as np
    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as cuda
    from pycuda.compiler import SourceModule

    numbers = (np.arange(BYTES // 4, dtype=np.int64) * 7919 % 1024).astype(np.int32)
    source, target = cuda.mem_alloc(BYTES), cuda.mem_alloc(BYTES)
    cuda.memcpy_htod(source, numbers)
    modules, done = {}, []
    for stem, kernel, grid, block, n, shared in launches(folder):
        if stem not in modules:
            modules[stem] = SourceModule((folder / f"{stem}.cu").read_text(), options=["-lineinfo"], no_extern_c=True)
        function = modules[stem].get_function(kernel)
        function(target, source, np.int32(n), block=block, grid=grid, shared=shared)
        cuda.Context.synchronize()
        done.append(f"{stem}.cu:{kernel}")
    pathlib.Path(names).write_text("\n".join(done))


def number(text):
    """A cell of ncu's as a number; None if it is none."""
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return int(value) if value == int(value) else value


def watch(ncu, folder, options, scratch, seconds):
    """ncu's rows of one run, by the number of the launch: {metric: value}; and what it said if that failed."""
    names = scratch / "names"
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none"]
    command += ["--cache-control", "none", *options]
    command += [sys.executable, os.path.abspath(__file__), "--run", str(folder), str(names)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return {}, f"no end within {seconds:.0f} s"
    lines = done.stdout.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    said = "\n".join(line for line in lines[: start or len(lines)] if line.startswith("=="))
    if start is None:
        return {}, (said + done.stderr)[-3000:]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines[start:]))))
    kernels = names.read_text().split("\n") if names.exists() else []
    found = {}
    for row in rows:
        if row["ID"].isdigit() and int(row["ID"]) < len(kernels):
            values = {name: number(text) for name, text in row.items() if name and text}
            found[kernels[int(row["ID"])]] = {name: value for name, value in values.items() if value is not None}
    return found, said if len(found) != len(kernels) else ""


def machine_code(folder, scratch):
    """By kernel, how often each instruction occurs in its machine code; and the text of all of it."""
    from pycuda.compiler import compile as compile_source  # the GPU machine has it

    counts, whole = {}, []
    if shutil.which("cuobjdump") is None:
        return counts, "no cuobjdump"
    for stem in dict.fromkeys(stem for stem, *_ in launches(folder)):
        image = scratch / f"{stem}.cubin"
        image.write_bytes(compile_source((folder / f"{stem}.cu").read_text(), options=["-lineinfo"], no_extern_c=True))
        done = subprocess.run(["cuobjdump", "-sass", str(image)], capture_output=True, text=True)
        whole.append(done.stdout + done.stderr)
        kernel = None
        for line in done.stdout.splitlines():
            if title := re.search(r"Function : (\w+)", line):
                kernel = f"{stem}.cu:{title[1]}"
                counts[kernel] = collections.Counter()
            elif kernel and (one := re.search(r"\*/\s+(?:@!?U?P\w+ )?([A-Z][A-Z0-9_.]*)", line)):
                counts[kernel][one[1]] += 1
    return counts, "\n".join(whole)


def record(options):
    scratch = pathlib.Path(options.output).resolve().parent
    until = time.monotonic() + options.limit
    known = set(re.findall(r"\w+", "".join(path.read_text(errors="replace") for path in options.known)))
    result = {"kernels": {}, "refused": {}, "said": {}}

    def save():
        pathlib.Path(options.output).write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")

    def add(title, wanted):
        began = time.monotonic()
        found, said = watch(options.ncu, options.corpus, wanted, scratch, max(1, until - began))
        for kernel, values in found.items():
            result["kernels"].setdefault(kernel, {}).update(values)
        result["said"][title] = {"seconds": round(time.monotonic() - began, 1), "text": said, "kernels": len(found)}
        print(title, result["said"][title], flush=True)
        save()
        return said

    for title in options.sets.split(","):
        left = [name for name in SETS.get(title, ()) if not known or name.split(".")[0] in known]
        if unlisted := [name for name in SETS.get(title, ()) if name not in left]:
            result["refused"][title] = unlisted
        while left and time.monotonic() < until:
            said = add(title, ["--metrics", ",".join(left)])
            unknown = [name for name in left if re.search(rf"\b{re.escape(name.split('.')[0])}\b", said)]
            if not unknown or "ERR_NVGPUCTRPERM" in said:
                break
            result["refused"].setdefault(title, []).extend(unknown)
            left = [name for name in left if name not in unknown]
    for title, wanted in SECTIONS.items():
        if title in options.sets.split(",") and time.monotonic() < until:
            add(title, wanted)
    counts, text = machine_code(options.corpus, scratch)
    result["machine code"] = counts
    (scratch / "sass.txt").write_text(text)
    save()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", nargs="?")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--corpus", type=pathlib.Path, default=CORPUS)
    parser.add_argument("--limit", type=float, default=600, help="seconds for all of it (%(default)s)")
    parser.add_argument("--sets", default=",".join([*SETS, *SECTIONS]), help="which metrics (%(default)s)")
    parser.add_argument("--known", type=pathlib.Path, nargs="*", default=[], help="what ncu --query-metrics printed")
    parser.add_argument("--run", nargs=2)
    options = parser.parse_args()
    if options.run:
        run(pathlib.Path(options.run[0]), options.run[1])
    else:
        record(options)


if __name__ == "__main__":
    main()
