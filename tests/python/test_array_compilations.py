# SPDX-License-Identifier: MIT
"""How the kernels of array operations are compiled."""

import pathlib
import shutil
import subprocess

import pytest
from programs import run_program
from pycuda._compilers import the_compiler


@pytest.fixture
def watched_nvrtc(tmp_path):
    """The path of an NVRTC that prints what options it is given."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs a C compiler")
    real = pathlib.Path(the_compiler().installations()[0][0])
    library = tmp_path / "libwatched_nvrtc.so"
    source = pathlib.Path(__file__).parent / "fake" / "watched_nvrtc.c"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-Wl,--no-as-needed", "-o", library, source, real, f"-Wl,-rpath,{real.parent}"],
        check=True,
    )
    return str(library)


def test_kernels_of_arrays_are_compiled_without_declarations_that_they_do_not_use(driver, watched_nvrtc):
    program = """
    import numpy
    import pycuda.autoinit
    from pycuda import gpuarray

    array = gpuarray.to_gpu(numpy.arange(4, dtype=numpy.float32))
    assert ((array + array).get() == [0, 2, 4, 6]).all()
    """
    _, errors = run_program(program, PYCUDA_NVRTC=watched_nvrtc, PYCUDA_DISABLE_CACHE="1")
    assert "option --minimal\n" in errors


@pytest.mark.parametrize(
    "array, axis, loads",
    [
        # Twice four elements in a turn, once for each trip that is left of two, and one by one; the other kernel adds
        # what the blocks have left.
        ("numpy.ones(140_000, numpy.float32))[::-2]", None, 2 * 4 + 4 + 2),
        # Eight rows in a turn, one row, and one by one the columns that are left of whole sets of threads.
        ("numpy.ones((60, 100), numpy.int64))[:, ::2]", 0, 8 + 1 + 4 + 3),
    ],
    ids=["to one number", "to a row"],
)
def test_strided_reductions_are_no_longer_than_they_need_to_be(programs_on_cpu, tmp_path, array, axis, loads):
    """NVRTC unrolls loops by four, in which several elements are read already."""
    program = f"""
    import numpy
    import pycuda.autoinit
    from pycuda import gpuarray

    array = gpuarray.to_gpu({array}
    total = gpuarray.sum(array, axis={axis}).get()
    assert (total == array.size // total.size).all()
    """
    run_program(program, PYCUDA_CACHE_DIR=str(tmp_path))
    texts = [file.read_bytes() for file in tmp_path.glob("*.cubin")]
    assert 0 < min(text.count(b"ld.global.") for text in texts if b".entry array_sum_" in text) <= loads
