# SPDX-License-Identifier: MIT
"""The kernels of `./run bench sample` compute what their C++ texts compute."""

import ctypes
import pathlib
import shutil
import sys

import numpy as np
import pytest

SAMPLE = pathlib.Path(__file__).parents[2] / "benchmarks" / "sample"
sys.path.insert(0, str(SAMPLE))

import kernel_file  # noqa: E402
import native  # noqa: E402

KERNELS = kernel_file.read_all()

needs_gpp = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return ctypes.CDLL(str(native.compile_library(KERNELS, tmp_path_factory.mktemp("sample"), ["-O1"])))


def run_native(library, kernel, arguments):
    values = [np.array(np.uint64(a.ctypes.data) if a.ndim else a) for a in arguments.values()]
    getattr(library, kernel.name)((ctypes.c_void_p * len(values))(*(v.ctypes.data for v in values)))


@needs_gpp
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_a_kernel_gives_the_results_of_its_cpp_text(context, library, kernel):
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    ours, wanted = kernel.prepare(small=True), kernel.prepare(small=True)
    given = kernel.prepare(small=True).arguments
    run_native(library, kernel, wanted.arguments)
    arguments = [drv.InOut(a) if a.ndim else a for a in ours.arguments.values()]
    function = SourceModule(kernel.cuda).get_function(kernel.function)
    function(*arguments, grid=ours.grid, block=ours.block, shared=ours.shared)
    for argument in kernel.arguments:
        if not argument.size:
            continue
        found, right, start = (arrays[argument.name] for arrays in (ours.arguments, wanted.arguments, given))
        if argument.tolerance is None:
            np.testing.assert_array_equal(found, start, f"{argument.name} is no result")
        else:
            assert kernel_file.differs(argument, found, right) == ""
            assert not np.array_equal(right, start), f"{argument.name} does not change"


#: Threads that have left a loop (bh, npb_lu) or have returned (morphology) miss barriers that others of the block wait
#: at, as in the programs that these are of. Devices since compute capability 7.0 do not wait for them.
MISSED_BARRIERS = ("bh", "morphology", "npb_lu")


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_barriers_and_masks_of_a_kernel_follow_the_rules(cpu_context, kernel):
    import pycuda
    import pycuda.driver as drv
    from pycuda.compiler import SourceModule

    function = SourceModule(kernel.cuda).get_function(kernel.function)
    with pycuda.checks("sync") as found:
        ours = kernel.prepare(small=True)
        arguments = [drv.InOut(a) if a.ndim else a for a in ours.arguments.values()]
        function(*arguments, grid=ours.grid, block=ours.block, shared=ours.shared)
    assert all("exited without reaching a barrier" in one.message for one in found), found
    assert bool(found) == (kernel.name in MISSED_BARRIERS)


def test_the_list_of_the_selection_names_every_kernel_once():
    rows = [line.split("\t") for line in (SAMPLE / "selection.tsv").read_text().splitlines()[1:]]
    titles = [(suite, program) for suite, program, *_ in rows]
    assert len(titles) == len(set(titles))
    assert {(suite, program): half for suite, program, _, half, _ in rows} == {
        t: kernel_file.half_of(*t) for t in titles
    }
    files = {file: (suite, program) for suite, program, _, _, file in rows if file.endswith(".cu")}
    assert files == {f"{kernel.name}.cu": (kernel.suite, kernel.program) for kernel in KERNELS}


def test_a_result_that_is_not_a_number_differs():
    argument = kernel_file.Argument("a", "float", "2", "", 1e-3, 0.0)
    wanted = np.array([1, 2], np.float32)
    assert kernel_file.differs(argument, wanted * np.float32(1.0001), wanted) == ""
    assert "1 of 2" in kernel_file.differs(argument, np.array([1, np.nan], np.float32), wanted)
    assert "not finite" in kernel_file.differs(argument, wanted, np.array([1, np.inf], np.float32))


def test_the_same_inputs_come_each_time():
    kernel = next(k for k in KERNELS if k.name == "amgmk")
    first, second = (kernel.prepare(small=True).arguments for _ in range(2))
    assert all(np.array_equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("line", ["a: quad[4]", "n: 4", "= 4"])
def test_a_header_line_that_means_nothing_is_an_error(tmp_path, line):
    file = tmp_path / "bad.cu"
    file.write_text(f"// SPDX-License-Identifier: MIT\n// S, p: x\n/*\nlaunch: 1 x 1\n{line}\n*/\n//---- C++\n")
    with pytest.raises(kernel_file.KernelFileError, match="bad.cu"):
        kernel_file.read(file)
