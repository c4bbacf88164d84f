# SPDX-License-Identifier: MIT
"""What those get to read who begin: mistakes with devices, sizes, types, settings and files."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pycuda
import pycuda.driver as drv
import pytest
from programs import has_cpu_driver, run_program
from pycuda import cumath, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

EMPTY = "__global__ void k(int *a) {}"


def test_a_device_that_is_not_there_is_told_with_their_number(context):
    count = drv.Device.count()
    with pytest.raises(drv.LogicError, match="invalid device ordinal - there is no device 77: the driver has"):
        drv.Device(77)
    assert count >= 1


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver")
def test_the_cpu_driver_says_how_to_have_more_devices():
    _, errors = run_program("import pycuda.autoinit", expect=1, PYCUDA_DRIVER="cpu", CUDA_DEVICE="3")
    assert errors.rstrip().endswith("the driver has one, number 0; PYCUDA_CPU_DEVICES=4 makes that many"), errors
    run_program("import pycuda.autoinit", PYCUDA_DRIVER="cpu", CUDA_DEVICE="3", PYCUDA_CPU_DEVICES="4")


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver")
def test_settings_that_are_not_understood_are_told():
    code = "import pycuda.autoinit, pycuda.gpuarray as g, numpy; (g.zeros(2, numpy.float32) + 1).get(); print('done')"
    for name, value, allowed, instead in [
        ("PYCUDA_CPU_CHECK", "yes", "names of checks with commas between them (memory, init, race, sync), all", "0"),
        ("PYCUDA_CPU_VECTOR", "2", "0 or 1", "1"),
        ("PYCUDA_CPU_STREAM", "always", "0 or 1", "in large launches"),
        ("PYCUDA_CPU_THREADS", "many", "a whole number from 1 to 1024", ""),
        ("PYCUDA_CPU_THREADS", "-1", "a whole number from 1 to 1024", ""),
        ("PYCUDA_CPU_DEVICES", "99", "a whole number from 1 to 64", "1"),
        ("PYCUDA_CPU_MEMORY", "1e9", "a whole number of bytes from 1 to 128T", ""),
        ("PYCUDA_CPU_MEMORY", "0", "a whole number of bytes from 1 to 128T", ""),
        ("PYCUDA_CPU_MARGIN", "-1", "a whole number of bytes from 0 to 1G", "0"),
        ("PYCUDA_CPU_PATIENCE", "abc", "a number from -1e+09 to 1e+09", "1"),
        ("PYCUDA_CPU_PATIENCE", "nan", "a number from -1e+09 to 1e+09", "1"),
        ("PYCUDA_CPU_TIMEOUT", "soon", "a number from 0 to 1e+09", "0 (no limit)"),
        ("PYCUDA_CPU_TIMEOUT", "-5", "a number from 0 to 1e+09", "0 (no limit)"),
        ("PYCUDA_CPU_GANG", "17", "0, 16, 32 or 64", "0"),
        ("PYCUDA_CPU_ISA", "foo", "sse2, avx2 or avx512", "avx512"),
        ("PYCUDA_CPU_DUMP", "/dev/null/here", "a folder that can be written to", "none"),
        ("CUDA_MODULE_LOADING", "SOON", "LAZY, EAGER or DEFAULT", "LAZY"),
        ("PYCUDA_LOG", "loud", "quiet, warning, info or debug", "warning"),
    ]:
        output, errors = run_program(code, PYCUDA_DRIVER="cpu", PYCUDA_DISABLE_CACHE="1", **{name: value})
        assert output == "done\n"
        line = f"pycuda: {name}={value} is not understood: it may be {allowed}"
        assert line in errors, errors
        assert f"; used instead: {instead}" in errors, errors
        # A line for each library that reads the variable.
        assert errors.count("is not understood") <= (2 if name == "PYCUDA_LOG" else 1), errors
    _, errors = run_program("import pycuda.autoinit", expect=1, CUDA_DEVICE="first")
    assert errors.rstrip().endswith("CUDA_DEVICE=first is not understood: set it to the number of a device")
    run_program("import pycuda.autoinit", CUDA_DEVICE="")


def test_a_child_that_was_forked_is_told_why_nothing_works():
    output, _ = run_program("""
        import os
        import pycuda.autoinit
        import pycuda.driver as drv
        if os.fork() == 0:
            try:
                drv.mem_alloc(4)
            except drv.LogicError as error:
                print(error, flush=True)
            os._exit(0)
        os.wait()
    """)
    assert 'start it by the method "spawn"' in output


def test_who_forgets_init_is_told(driver):
    # A driver that is asked for by name is not initialised while it is looked for.
    name = {"CPU": "cpu"}.get(pycuda._driver._rtc.driver_origin()["kind"], "nvidia")
    output, _ = run_program(f"""
        import os
        os.environ["PYCUDA_DRIVER"] = {name!r}
        import pycuda.driver as drv
        try:
            drv.Device(0)
        except drv.LogicError as error:
            print(error)
    """)
    assert output.endswith("initialization error - pycuda.driver.init() comes before everything else\n")


@pytest.mark.parametrize("how", ["autoinit", "autoprimaryctx"])
def test_children_that_were_forked_end_in_silence(how):
    output, errors = run_program(f"""
        import multiprocessing
        import pycuda.{how}
        import numpy as np
        from pycuda import driver, gpuarray
        array, stream = gpuarray.to_gpu(np.arange(4)), driver.Stream()
        child = multiprocessing.get_context("fork").Process(target=print, args=("child",))
        child.start()
        child.join()
        import os, sys
        if os.fork() == 0:
            sys.exit()
        os.wait()
        print((array + 1).get())
    """)
    assert output == "child\n[1 2 3 4]\n"
    assert "PyCUDA" not in errors, errors
    assert "Exception" not in errors, errors


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver")
def test_shared_memory_that_the_launch_does_not_give():
    _, errors = run_program(
        '''
        import pycuda.autoinit, numpy as np
        from pycuda import gpuarray
        from pycuda.compiler import SourceModule
        module = SourceModule("""
            __global__ void turn(float *x) {
              extern __shared__ float row[];
              row[threadIdx.x] = x[threadIdx.x];
              __syncthreads();
              x[threadIdx.x] = row[63 - threadIdx.x];
            }
        """)
        x = gpuarray.zeros(64, np.float32)
        module.get_function("turn")(x, block=(64, 1, 1))
        x.get()
    ''',
        expect=1,
        PYCUDA_DRIVER="cpu",
    )
    assert (
        "0 bytes past the end of the block's 0 bytes of shared memory (its size is an argument of the launch: shared="
        in errors
    )


def test_arrays_in_the_place_of_memory(context):
    array = gpuarray.zeros(4, np.float32)
    with pytest.raises(TypeError, match="dest must be device memory or an integer, not GPUArray: give its gpudata"):
        drv.memcpy_htod(array, np.zeros(4, np.float32))
    with pytest.raises(TypeError, match=r"an integer, not numpy.ndarray: dest and src are swapped$"):
        drv.memcpy_htod(np.zeros(4, np.float32), array.gpudata)
    number = gpuarray.to_gpu(np.array([1 << 20]))
    with pytest.raises(TypeError, match="give its gpudata"):
        drv.memcpy_dtoh(np.zeros(1, np.int64), number)


def test_arrays_of_the_host_in_the_place_of_arrays_of_the_device(context):
    array = gpuarray.zeros(3, np.float32)
    with pytest.raises(TypeError, match=r"not an array on the device: memcpy_htod\(dest, src\) copies to the device"):
        drv.memcpy_dtoh(array, np.ones(3, np.float32))
    with pytest.raises(TypeError, match=r"set\(\) takes a NumPy array, not list: numpy.array makes one"):
        array.set([1, 2, 3])
    with pytest.raises(TypeError, match="sin takes an array on the device, not ndarray: copy it with to_gpu"):
        cumath.sin(np.ones(3, np.float32))


def test_an_array_of_a_context_that_is_gone_can_be_shown():
    run_program("""
import numpy as np
import pycuda.driver as cuda
from pycuda import gpuarray, tools
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

cuda.init()
cuda.Device(0).make_context()
array = gpuarray.zeros(3, np.float32)
kernel = SourceModule("__global__ void k(float *a) {}").get_function("k")
tools.reset_context()
assert repr(array).startswith("<GPUArray of shape (3,), float32: "), repr(array)
for work in (lambda: array + 1, lambda: array.get(), lambda: kernel(array, block=(1, 1, 1))):
    try:
        work()
    except (cuda.Error, ValueError) as error:
        assert "again" in str(error), error
    else:
        raise AssertionError("no error")
""")


def test_the_result_of_a_call_is_no_function(context):
    with pytest.raises(TypeError, match="pass a function and its arguments, or a lambda"):
        pycuda.benchmark(None)


def test_a_grid_from_a_true_division(context):
    kernel = SourceModule(EMPTY).get_function("k")
    with pytest.raises(TypeError, match="grid must be an integer, not float 2.0: // divides integers"):
        kernel(np.intp(0), block=(4, 1, 1), grid=(8 / 4, 1))
    with pytest.raises(TypeError, match="grid must be an integer, not numpy.float64"):
        kernel(np.intp(0), block=(4, 1, 1), grid=(np.ceil(2.5), 1))


def test_the_name_of_a_file_is_no_source(context, tmp_path):
    file = tmp_path / "kernel.cu"
    file.write_text(EMPTY)
    with pytest.raises(drv.CompileError, match="the source is the name of a file: pass its text"):
        SourceModule(str(file))


def test_an_old_architecture_is_taken_as_one_that_is_known(context):
    if not drv.Context.get_device().name().startswith("CPU"):
        pytest.skip("needs the CPU driver: a GPU runs machine code, and an old architecture's would not load")
    with pytest.warns(UserWarning, match=r"sm_20 is older than what NVRTC .* compiles for: taken as compute_\d+"):
        SourceModule(EMPTY + "  // as of 2011", arch="sm_20", cache_dir=False).get_function("k")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SourceModule(EMPTY, arch="compute_80", options=["-O3"])


def test_the_diagnosis_may_be_cut_short():
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run([sys.executable, "-m", "pycuda"], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert run.returncode == 1
    assert run.stderr == ""


def test_kernels_and_modules_say_what_they_are(context):
    module = SourceModule("__global__ void first() {} __global__ void second() {}")
    assert repr(module) == "<pycuda.compiler.SourceModule with first, second>"
    double = ElementwiseKernel("float *x", "x[i] *= 2", "double_it")
    assert repr(double) == "<pycuda.elementwise.ElementwiseKernel double_it: x[i] *= 2>"
    total = ReductionKernel(np.float32, "0", "a + b", arguments="const float *in", name="total")
    assert repr(total) == "<pycuda.reduction.ReductionKernel total of float32>"
    assert repr(InclusiveScanKernel(np.int32, "a + b")) == "<pycuda.scan.InclusiveScanKernel of int32: a + b>"
    with pytest.raises(TypeError, match=r"double_it takes 1 argument \(x\), 2 were given"):
        double(gpuarray.zeros(3, np.float32), 2)


def test_what_is_loaded_late_is_listed():
    assert {"benchmark", "profile", "counters", "Finding", "Report", "checks"} <= set(dir(pycuda))
    assert pycuda.Finding.__name__ == "Finding"
    assert pycuda.Report.__name__ == "Report"
