# SPDX-License-Identifier: MIT
"""What goes wrong in programs ends in an exception that says what, never in a crash or a hang."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, run_program
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SCALE = """
__global__ void scale(float *values, float factor, int count)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}
"""


@pytest.fixture
def scale(context):
    return SourceModule(SCALE).get_function("scale")


def test_a_wrong_kernel_name_is_not_found(context):
    with pytest.raises(cuda.LogicError, match="cuModuleGetFunction failed: named symbol not found") as caught:
        SourceModule(SCALE).get_function("scael")
    assert caught.value.name == "CUDA_ERROR_NOT_FOUND"
    assert str(caught.value).endswith(" - no kernel 'scael': the module has 'scale'; did you mean 'scale'?")
    mangled = SourceModule("__global__ void f(int *a) {}", no_extern_c=True)
    with pytest.raises(cuda.LogicError, match=r"no kernel 'other': the module has 'f\(int\*\)'"):
        mangled.get_function("other")
    with pytest.raises(cuda.LogicError, match="no kernel 'f': the module has no kernels"):
        SourceModule("__device__ int a;").get_function("f")
    with pytest.raises(cuda.LogicError, match="cuModuleGetGlobal failed: named symbol not found"):
        SourceModule(SCALE).get_global("nothing")


def test_a_copy_that_is_too_large_says_how_much_there_is(context):
    memory = cuda.mem_alloc(40)
    for host in (np.zeros(11, np.float32), cuda.pagelocked_empty(11, np.float32)):
        too_large = " - 44 bytes, but from there the device memory has only 40$"
        with pytest.raises(cuda.LogicError, match="cuMemcpyHtoD failed: invalid argument" + too_large):
            cuda.memcpy_htod(memory, host)
        with pytest.raises(cuda.LogicError, match="cuMemcpyDtoH failed: invalid argument" + too_large):
            cuda.memcpy_dtoh(host, memory)
    with pytest.raises(cuda.LogicError, match="there is no device memory at that address$"):
        cuda.memcpy_htod(0, np.zeros(1))


def test_what_was_used_of_a_block_is_forgotten_with_its_context():
    run_program("""
import numpy as np
import pycuda.driver as cuda
from pycuda import gpuarray

cuda.init()
first = cuda.Device(0).make_context()
arrays = [gpuarray.zeros(24, np.float32) for _ in range(50)]  # they outlive their context
first.detach()
second = cuda.Device(0).make_context()
blocks = [cuda.mem_alloc(40) for _ in range(500)]
for _ in range(2):  # before and after the arrays end
    for block in blocks:
        try:
            cuda.memcpy_htod(block, np.zeros(11, np.float32))
        except cuda.LogicError as error:
            assert str(error).endswith("44 bytes, but from there the device memory has only 40"), error
        else:
            raise AssertionError("no error")
    del arrays[:]
second.pop()
""")


def test_a_launch_beyond_the_device_s_limits_names_the_limit(scale):
    memory = cuda.mem_alloc(4)
    with pytest.raises(cuda.LogicError, match="70000 blocks along y, the device takes at most 65535"):
        scale(memory, 1.0, 1, block=(1, 1, 1), grid=(1, 70000))
    with pytest.raises(cuda.LogicError, match="65 threads along z, the device takes at most 64"):
        scale(memory, 1.0, 1, block=(1, 1, 65))


@pytest.mark.parametrize("wrap", [cuda.In, cuda.Out, cuda.InOut])
def test_what_is_no_host_array_is_not_wrapped(scale, wrap):
    with pytest.raises(TypeError, match=f"on the device already: give it .* as it is, without {wrap.__name__}$"):
        scale(wrap(gpuarray.zeros(4, np.float32)), 1.0, 4, block=(4, 1, 1))
    with pytest.raises(TypeError, match="not an array; numpy.asarray makes one"):
        scale(wrap([1.0, 2.0]), 1.0, 2, block=(2, 1, 1))


def test_a_source_that_is_no_text_is_refused(context):
    with pytest.raises(TypeError, match="the source must be a str, not NoneType"):
        SourceModule(None)


def test_arrays_hold_no_python_objects(context):
    with pytest.raises(TypeError, match="elements of dtype object are Python objects"):
        gpuarray.to_gpu(np.array([object()]))
    with pytest.raises(TypeError, match="Python objects"):
        gpuarray.empty(3, [("a", np.int32), ("b", object)])
    with pytest.raises(AttributeError, match="to_gpu takes a NumPy array, not list: numpy.array makes one"):
        gpuarray.to_gpu([1, 2])


def test_a_wrong_count_of_arguments_names_the_kernel_and_its_parameters(scale):
    with pytest.raises(
        TypeError, match="kernel 'scale' takes 3 parameters of 8, 4 and 4 bytes, but 2 arguments were given"
    ):
        scale(cuda.mem_alloc(4), 1.0, block=(1, 1, 1))


def test_a_wrong_type_of_argument_names_kernel_position_and_type(scale):
    with pytest.raises(TypeError, match=r"invalid type on parameter #1 \(0-based\) of kernel 'scale': str"):
        scale(cuda.mem_alloc(4), "2", 1, block=(1, 1, 1))
    with pytest.raises(TypeError, match=r"argument #0 .*ndarray of 12 bytes.*has 8 bytes.*InOut"):
        scale(np.zeros(3, np.float32), 2.0, 3, block=(1, 1, 1))


def test_numbers_are_converted_for_the_kernel_and_the_kernel_runs(scale):
    values = np.arange(100, dtype=np.float32)
    scale(cuda.InOut(values), 2.5, np.int64(50), block=[64], grid=(np.int32(2),))
    assert (values[:50] == 2.5 * np.arange(50)).all() and (values[50:] == np.arange(50, 100)).all()


def test_a_block_of_33_by_33_is_too_large(scale):
    with pytest.raises(
        cuda.LogicError,
        match="cuLaunchKernel failed: invalid argument - kernel scale, grid 1x1x1, block 33x33x1: "
        "1089 threads per block, the kernel takes at most 1024",
    ):
        scale(cuda.mem_alloc(4), 1.0, 1, block=(33, 33, 1))
    scale.prepare("Pfi")
    with pytest.raises(cuda.LogicError, match="1089 threads"):
        scale.prepared_call((1, 1), (33, 33, 1), cuda.mem_alloc(4), 1.0, 1)


def test_freed_memory_is_refused_as_an_argument(scale):
    memory = cuda.mem_alloc(4)
    memory.free()
    with pytest.raises(cuda.LogicError, match="the memory has been freed"):
        scale(memory, 1.0, 1, block=(1, 1, 1))


@pytest.mark.parametrize("make", ["mem_alloc", "managed", "pool", "stream-ordered"])
def test_freed_memory_of_every_kind_is_refused_by_prepared_calls_too(scale, make):
    memory = {
        "mem_alloc": lambda: cuda.mem_alloc(4),
        "managed": lambda: cuda.managed_empty(1, np.float32).base,
        "pool": lambda: cuda.DeviceMemoryPool().allocate(4),
        "stream-ordered": lambda: cuda.StreamOrderedMemoryPool().allocate(4),
    }[make]()
    memory.free()
    scale.prepare("Pfi")
    for launch in (
        lambda: scale(memory, 1.0, 1, block=(1, 1, 1)),
        lambda: scale.prepared_call((1, 1), (1, 1, 1), memory, 1.0, 1),
    ):
        with pytest.raises(cuda.LogicError, match="failed: invalid resource handle - the memory has been freed"):
            launch()


def test_a_bad_address_is_an_error_and_the_process_lives_on(driver):
    output, _ = run_program(
        """
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        module = SourceModule("__global__ void write(int *where) { *where = 1; }")
        try:
            module.get_function("write")(np.uint64(64), block=(1, 1, 1))
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(type(error).__name__, error)
        try:
            cuda.mem_alloc(4)
        except cuda.Error as error:
            print("still:", error)
        try:
            SourceModule("__global__ void other() {}")
        except cuda.Error as error:
            print(error.name, error)
        pycuda.autoinit.context.detach()
        # After an illegal access NVIDIA's driver refuses this process any further context.
        if "CPU" in cuda.Device(0).name():
            fresh = cuda.Device(0).make_context()
            cuda.mem_alloc(4).free()
        print("alive")
        """
    )
    lines = [line for line in output.splitlines() if not line.startswith(("The context is lost", "    "))]
    assert lines[0].startswith("LogicError cuCtxSynchronize failed: an illegal memory access was encountered")
    lost = "still: the context was lost earlier: cuMemAlloc failed: an illegal memory access was encountered"
    assert lines[1].startswith(lost)
    assert lines[2].startswith("CUDA_ERROR_ILLEGAL_ADDRESS the context was lost earlier: cuModuleLoadDataEx failed: ")
    assert lines[-1] == "alive"


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")
def test_a_kernel_that_leaves_page_locked_memory_breaks_nothing_of_the_host():
    output, _ = run_program(
        """
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        module = SourceModule("__global__ void fill(float *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }")
        memory = cuda.pagelocked_empty(1000, np.float32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
        try:
            module.get_function("fill")(
                np.intp(memory.base.get_device_pointer()), block=(256, 1, 1), grid=(256, 1)
            )
            cuda.Context.synchronize()
        except cuda.Error as error:
            print(error)
        del memory
        print("alive")
        """,
        PYCUDA_DRIVER="cpu",
    )
    lines = output.splitlines()
    assert "past the end of the 4000-byte block of page-locked host memory" in lines[0]
    assert lines[-1] == "alive"


def test_a_popped_context_is_no_longer_there(driver):
    output, _ = run_program(
        """
        import pycuda.driver as cuda
        cuda.init()
        def attempt(action):
            try:
                action()
            except cuda.LogicError as error:
                print(error)
        attempt(lambda: cuda.mem_alloc(4))
        context = cuda.Device(0).make_context()
        context.pop()
        attempt(context.pop)
        attempt(lambda: cuda.mem_alloc(4))
        context.push()
        cuda.mem_alloc(4)
        context.detach()
        from pycuda import autoinit, gpuarray, tools
        autoinit.context.pop()
        autoinit.context.detach()
        attempt(lambda: gpuarray.zeros(3, "f4"))
        context = tools.make_default_context()
        gpuarray.zeros(3, "f4")
        context.pop()
        """
    )
    unmade, popped, gone, detached = output.splitlines()
    assert unmade.endswith("no currently active context? `import pycuda.autoinit` makes one")
    assert popped.startswith("context::pop failed") and popped.endswith("cannot pop non-current context")
    for text in (gone, detached):
        assert text.endswith(
            "no currently active context? The one before has been popped or detached: its push() makes a popped one "
            "current, pycuda.tools.make_default_context() makes a new one"
        )


def test_a_compile_error_has_the_compiler_s_words_and_the_user_s_lines(context):
    with pytest.raises(cuda.CompileError) as caught:
        SourceModule("__global__ void f()\n{\n  int x = nothing_of_this_name;\n}")
    error = caught.value
    text = str(error)
    assert "nothing_of_this_name" in text
    assert "kernel.cu(3)" in text
    assert isinstance(error.stderr, str) and isinstance(error.command_line, list)
    assert isinstance(error, cuda.Error)


def test_a_compiler_that_is_not_there_is_named(driver):
    output, _ = run_program(
        """
        import pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        try:
            SourceModule("__global__ void f() {}", cache_dir=False)
        except Exception as error:
            print(isinstance(error, cuda.CompileError), error)
        """,
        PYCUDA_NVRTC="/nonexistent/libnvrtc.so",
        PATH="/nonexistent",
    )
    assert output.startswith("True ") and "/nonexistent/libnvrtc.so" in output


def test_a_missing_nvcc_is_an_os_error(context):
    with pytest.raises(OSError, match="/nonexistent/nvcc"):
        SourceModule(SCALE, nvcc="/nonexistent/nvcc", cache_dir=False)


def test_a_cache_folder_that_cannot_be_written_changes_nothing(driver, tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    _, errors = run_program(
        """
        import sys, numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        for folder in (sys.argv[1], "/proc/no/such/folder"):
            one = np.zeros(1, np.int32)
            module = SourceModule("__global__ void f(int *x) { *x = 5; }", cache_dir=folder)
            module.get_function("f")(cuda.Out(one), block=(1, 1, 1))
            assert one[0] == 5
        """,
        arguments=[str(in_the_way)],
        PYCUDA_CACHE_DIR=str(in_the_way),
    )
    assert errors == ""


def test_processes_that_compile_one_source_do_not_disturb_each_other(driver, tmp_path):
    code = textwrap.dedent(
        """
        import numpy as np, pycuda.autoinit, pycuda.driver as cuda
        from pycuda.compiler import SourceModule
        for number in range(5):
            one = np.zeros(1, np.int32)
            module = SourceModule("__global__ void f(int *x) { *x = %d; }" % number)
            module.get_function("f")(cuda.Out(one), block=(1, 1, 1))
            assert one[0] == number
        """
    )
    settings = {**os.environ, "PYCUDA_CACHE_DIR": str(tmp_path / "cache")}
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, env=settings)
        for _ in range(4)
    ]
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0 and errors == "", errors


def test_an_image_that_is_none_is_refused(context):
    said = []
    with pytest.raises(cuda.LogicError, match="cuModuleLoadDataEx failed") as caught:
        cuda.module_from_buffer(
            b".version 7.0\n.target sm_80\n.address_size 64\nthis is no PTX\n",
            message_handler=lambda *words: said.append(words),
        )
    assert "this" in str(caught.value)
    assert len(said) == 1 and said[0][0] is False
    with pytest.raises(cuda.Error):
        cuda.module_from_file("/nonexistent/file.cubin")


def test_a_device_that_is_not_there(driver):
    with pytest.raises(cuda.LogicError, match="cuDeviceGet failed: invalid device ordinal"):
        cuda.Device(1000)
    with pytest.raises(TypeError):
        cuda.Device(1.5)


def test_errors_have_one_tree_of_classes():
    for name in ("MemoryError", "LogicError", "LaunchError", "RuntimeError", "CompileError"):
        kind = getattr(cuda, name)
        assert issubclass(kind, cuda.Error) and kind.__base__ is cuda.Error
        if name != "CompileError":
            assert kind.__module__ == "pycuda.driver"
    assert cuda.Error.__base__ is Exception
    assert cuda.Error("text").code is None
    text = str(cuda.CompileError("nvcc compilation of k.cu failed", ["nvcc", "k.cu"], "", "k.cu(1): error"))
    assert text == "k.cu(1): error\nnvcc compilation of k.cu failed\n[command: nvcc k.cu]"


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver")
def test_machine_code_is_refused_with_the_reason():
    """Other clients of the driver show neither its log nor why they got code 209: they get a line."""
    why = "machine code for a GPU only; the CPU driver compiles PTX"
    image = 'b"\\x7fELF\\x02\\x01\\x01" + bytes(249)'
    source = f"""
    import pycuda.autoinit
    from pycuda import driver

    try:
        driver.module_from_buffer({image})
    except driver.Error as error:
        print(error)
    """
    out, err = run_program(source, PYCUDA_DRIVER="cpu", PYCUDA_LOG=None)
    assert "no kernel image" in out and why in out and err == ""
    client = f"""
    import ctypes, pycuda

    driver = ctypes.CDLL(pycuda.provide_libcuda() + "/libcuda.so.1")
    context, module = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuInit(0) == 0
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
    assert driver.cuCtxSetCurrent(context) == 0
    print(driver.cuModuleLoadData(ctypes.byref(module), {image}))
    """
    out, err = run_program(client, PYCUDA_LOG=None)
    assert out.split() == ["209"] and why in err
