# SPDX-License-Identifier: MIT
"""The kernels of tests/counters: the CPU driver counts what the definitions give, and what a GPU counts.

Nsight Compute's numbers from an H100 are in ncu.json; where ours differ, differences.toml says why.
"""

import json
import pathlib

import numpy as np
import pycuda
import pytest
import tomllib
from counter_models import CORPUS, LAUNCHES, MODELS, launched
from pycuda.compiler import SourceModule
from pycuda.tools import make_default_context
from warp_model import WarpModel

BYTES = 1 << 20
#: What is compared in each kernel: all that its memory instructions and branches count.
COMPARED = ("l1tex__", "memory_", "smsp__sass_inst_executed", "ptx_branches")

pytestmark = pytest.mark.skipif(
    not (pathlib.Path(pycuda.__file__).parent / "libcuda_cpu.so").exists(),
    reason="needs the CPU driver, which was not built",
)


@pytest.fixture(scope="module")
def counted(driver):
    """What each kernel of the corpus counts in one launch, by its name."""
    context = make_default_context()
    try:
        yield _count_all(driver)
    finally:
        context.pop()
        context.detach()


def _count_all(cuda):
    if pycuda._driver._rtc.driver_origin()["kind"] != "CPU":
        pytest.skip("needs the CPU driver")
    source, target = cuda.mem_alloc(BYTES), cuda.mem_alloc(BYTES)
    modules = {
        stem: SourceModule((CORPUS / f"{stem}.cu").read_text(), options=["-lineinfo"], no_extern_c=True)
        for stem in dict.fromkeys(stem for stem, _ in LAUNCHES)
    }
    with pycuda.counters() as found:
        for stem, kernel in LAUNCHES:
            grid, block, n, shared = launched(kernel)
            cuda.memcpy_htod(source, (np.arange(BYTES // 4) * 7919 % 1024).astype(np.int32))
            cuda.memset_d8(target, 0, BYTES)
            modules[stem].get_function(kernel)(target, source, np.int32(n), block=block, grid=grid, shared=shared)
    return found


def test_every_kernel_has_a_model_and_a_launch():
    assert sorted(MODELS) == sorted(kernel for _, kernel in LAUNCHES)
    assert len(MODELS) >= 40


@pytest.mark.parametrize("kernel", MODELS)
def test_counts_are_those_of_the_definitions(counted, kernel):
    grid, block, n, _ = launched(kernel)
    model = WarpModel(grid, block)
    MODELS[kernel](model, n)
    expected = {name: value for name, value in model.metrics.items() if value and not name.startswith("ptx_")}
    found = {
        name: value
        for name, value in counted[kernel].metrics.items()
        if name.startswith(COMPARED) and not name.startswith("ptx_")
    }
    assert found == expected


GOLDEN = {
    name.split(":")[1]: metrics for name, metrics in json.loads((CORPUS / "ncu.json").read_text())["kernels"].items()
}
DIFFERENCES = [
    (one["metric"], kernel)
    for one in tomllib.loads((CORPUS / "differences.toml").read_text())["difference"]
    for kernel in one["kernels"]
]


@pytest.mark.parametrize("kernel", MODELS)
def test_counts_are_those_of_a_gpu(counted, kernel):
    metrics = set(GOLDEN[kernel]) | set(counted[kernel].metrics)
    comparable = {name for name in metrics if name.startswith(("l1tex__", "memory_")) or "_op_shared_" in name}
    comparable |= set(counted[kernel].metrics) & {name for name in metrics if name.startswith("smsp__sass_thread")}
    comparable |= {name for name, _ in DIFFERENCES if name in metrics}
    different = {
        name: (counted[kernel].metrics.get(name, 0), GOLDEN[kernel].get(name, 0))
        for name in comparable
        if counted[kernel].metrics.get(name, 0) != GOLDEN[kernel].get(name, 0)
    }
    explained = {metric for metric, name in DIFFERENCES if name == kernel}
    assert set(different) == explained, different


def test_differences_are_of_kernels_that_there_are():
    assert {kernel for _, kernel in DIFFERENCES} <= set(MODELS)
    assert len(DIFFERENCES) == len(set(DIFFERENCES))
