# SPDX-License-Identifier: MIT
"""Kernels that launch kernels. Expectations are CUDA's own, on any driver, unless a test says otherwise."""

import pathlib

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu
from pycuda.compiler import DynamicModule, DynamicSourceModule, compile

pytestmark = pytest.mark.usefixtures("context")

INVALID_VALUE = 1
INVALID_RESOURCE_HANDLE = 400
PENDING_COUNT_EXCEEDED = 69


def run(source, shape, *, block=(1, 1, 1), grid=(1, 1), arguments=(), kernel="parent"):
    """Run `parent(int *x, ...)` on zeros; return them."""
    values = np.zeros(shape, np.int32)
    module = DynamicSourceModule(source)
    module.get_function(kernel)(cuda.InOut(values), *map(np.int32, arguments), block=block, grid=grid)
    return values


def test_hello_from_an_outer_and_an_inner_kernel(capfd):
    module = DynamicModule()
    module.add_source(
        """
        #include <cstdio>
        extern "C" __global__ void inner(int outer)
        {
          printf("hello from inner thread %d of outer thread %d\\n", threadIdx.x, outer);
        }
        __global__ void outer()
        {
          printf("hello from outer thread %d\\n", threadIdx.x);
          inner<<<1, 2>>>(threadIdx.x);
        }
        """,
        nvcc_options=["-rdc=true", "-lcudadevrt"],
    )
    module.add_stdlib("cudadevrt")
    module.link()
    module.get_function("outer")(block=(2, 1, 1))
    cuda.Context.synchronize()
    lines = capfd.readouterr().out.splitlines()
    inner = [f"hello from inner thread {i} of outer thread {o}" for o in range(2) for i in range(2)]
    assert sorted(lines) == sorted(inner + [f"hello from outer thread {o}" for o in range(2)])


def test_a_child_sees_what_was_written_before_its_launch_and_the_host_sees_what_it_writes():
    source = """
        __global__ void child(int *x, int n) { x[n + threadIdx.x] = 2 * x[threadIdx.x]; }
        __global__ void parent(int *x, int n)
        {
          x[threadIdx.x] = threadIdx.x + 1;
          __syncthreads();
          if (threadIdx.x == 0) child<<<1, n>>>(x, n);
        }
    """
    values = run(source, 256, block=(128, 1, 1), arguments=[128])
    assert values[:128].tolist() == list(range(1, 129))
    assert values[128:].tolist() == list(range(2, 258, 2))


def test_sources_launch_each_other_s_kernels_and_share_variables():
    options = ["-rdc=true"]
    module = DynamicModule()
    module.add_source(
        """
        extern "C" __global__ void fill(int *x, short first, double step);
        extern __device__ int extra;
        static __global__ void own(int *x) { x[threadIdx.x] += 100; }
        extern "C" __global__ void parent(int *x)
        {
          extra = 7;
          fill<<<dim3(2, 1), dim3(4, 2)>>>(x, 3, 0.5);
          own<<<1, 2>>>(x);
        }
        """,
        nvcc_options=options,
        name="parent.ptx",
    )
    module.add_source(
        """
        __device__ int extra;
        static __global__ void own(int *x) { x[threadIdx.x] += 1000; }
        extern "C" __global__ void fill(int *x, short first, double step)
        {
          int i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * blockIdx.x);
          x[i] = first + int(i * step) + extra;
          if (i == 15) own<<<1, 1>>>(x + 15);
        }
        """,
        nvcc_options=options,
        name="fill.ptx",
    )
    module.add_stdlib("cudadevrt").link()
    values = np.zeros(16, np.int32)
    module.get_function("parent")(cuda.InOut(values), block=(1, 1, 1))
    expected = 10 + np.arange(16) // 2
    expected[:2] += 100
    expected[15] += 1000
    assert values.tolist() == expected.tolist()


def test_kernels_are_found_through_tables_and_templates():
    source = """
        template <int step> __global__ void add(int *x) { x[threadIdx.x] += step; }
        typedef void (*kernel)(int *);
        __device__ kernel table[3] = {add<1>, add<10>, add<100>};
        __global__ void parent(int *x, int n)
        {
          for (int i = 0; i < n; ++i) table[i % 3]<<<1, 4>>>(x);
          kernel chosen = threadIdx.x < 5 ? add<1000> : add<1>;
          chosen<<<1, 1>>>(x);
        }
    """
    module = DynamicSourceModule(source, no_extern_c=True)
    values = np.zeros(4, np.int32)
    module.get_function("_Z6parentPii")(cuda.InOut(values), np.int32(4), block=(1, 1, 1))
    assert values.tolist() == [1112, 112, 112, 112]


def test_launches_of_one_block_into_one_stream_run_in_order():
    source = """
        __global__ void step(int *x, int factor, int summand) { *x = *x * factor + summand; }
        __global__ void parent(int *x, int n)
        {
          int *own = x + blockIdx.x;
          for (int i = 0; i < n; ++i) step<<<1, 1>>>(own, i % 2 ? 3 : 1, i);
          cudaStream_t stream;
          cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
          own += gridDim.x;
          for (int i = 0; i < n; ++i) step<<<1, 1, 0, stream>>>(own, i % 2 ? 3 : 1, i);
          cudaStreamDestroy(stream);
        }
    """
    expected = 0
    for i in range(20):
        expected = expected * (3 if i % 2 else 1) + i
    values = run(source, 32, grid=(16, 1), arguments=[20])
    assert values.tolist() == [expected] * 32


def test_events_order_streams():
    source = """
        __global__ void work(int *x, int turns, int value)
        {
          for (int i = 0; i < turns; ++i) atomicAdd(x + 1, i % 2 ? 1 : -1);
          atomicExch(x, value);
        }
        __global__ void add(int *x) { x[2] = x[0] + 1; }
        __global__ void parent(int *x, int turns)
        {
          cudaStream_t first, second;
          cudaEvent_t event;
          cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
          cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
          cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
          work<<<1, 1, 0, first>>>(x, turns, 41);
          cudaEventRecord(event, first);
          cudaStreamWaitEvent(second, event, 0);
          add<<<1, 1, 0, second>>>(x);
          x[3] = cudaGetLastError();
        }
    """
    assert run(source, 4, arguments=[10000]).tolist() == [41, 0, 42, 0]


def test_a_tail_launch_comes_after_all_other_children_and_before_the_host_s_next_launch():
    source = """
        __global__ void grandchild(int *x) { atomicAdd(x, 1); }
        __global__ void child(int *x) { if (threadIdx.x % 8 == 0) grandchild<<<2, 16>>>(x); }
        __global__ void tail(int *x, int n) { x[n] = x[0]; x[0] = 1000 * n; }
        __global__ void parent(int *x)
        {
          tail<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 1);
          tail<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 2);
          child<<<2, 32>>>(x);
          child<<<2, 32, 0, cudaStreamFireAndForget>>>(x);
        }
        __global__ void next(int *x) { x[3] = x[2]; }
    """
    module = DynamicSourceModule(source)
    values = cuda.to_device(np.zeros(4, np.int32))
    module.get_function("parent")(values, block=(1, 1, 1))
    module.get_function("next")(values, block=(1, 1, 1))
    assert cuda.from_device(values, 4, np.int32).tolist() == [2000, 512, 1000, 1000]


def test_a_grid_may_go_on_by_launching_its_own_tail():
    source = """
        __global__ void parent(int *x, int left)
        {
          x[threadIdx.x] += left;
          if (threadIdx.x == 0 && left > 1) parent<<<1, blockDim.x, 0, cudaStreamTailLaunch>>>(x, left - 1);
        }
    """
    assert run(source, 8, block=(8, 1, 1), arguments=[100]).tolist() == [5050] * 8


def test_quicksort_recurses():
    source = """
        __device__ void sort_few(int *x, int n)
        {
          for (int i = 1; i < n; ++i) {
            int value = x[i], at = i;
            for (; at > 0 && x[at - 1] > value; --at) x[at] = x[at - 1];
            x[at] = value;
          }
        }
        __global__ void quicksort(int *x, int n, int depth)
        {
          if (n <= 32 || depth >= 12) { sort_few(x, n); return; }
          int pivot = x[n / 2], left = 0, right = n - 1;
          while (left <= right) {
            while (x[left] < pivot) ++left;
            while (x[right] > pivot) --right;
            if (left <= right) { int value = x[left]; x[left++] = x[right]; x[right--] = value; }
          }
          if (right > 0) quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(x, right + 1, depth + 1);
          if (left < n - 1) quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(x + left, n - left, depth + 1);
        }
    """
    values = np.random.default_rng(7).integers(-1000000, 1000000, 5000).astype(np.int32)
    expected = np.sort(values)
    module = DynamicSourceModule(source)
    module.get_function("quicksort")(
        cuda.InOut(values), np.int32(len(values)), np.int32(0), block=(1, 1, 1), grid=(1, 1)
    )
    assert (values == expected).all()


def test_every_thread_launches_a_grid_of_its_own_size():
    source = """
        __global__ void child(int *x, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(x + i, 1); }
        __global__ void parent(int *x, int n)
        {
          int thread = blockIdx.x * blockDim.x + threadIdx.x;
          if (thread % 3 == 0) child<<<1, thread % 7 + 1>>>(x, thread % n);
        }
    """
    values = run(source, 50, block=(96, 1, 1), grid=(3, 1), arguments=[50])
    expected = np.zeros(50, np.int32)
    for thread in range(0, 288, 3):
        expected[: thread % 50] += 1
    assert values.tolist() == expected.tolist()


def test_dynamic_shared_memory_and_barriers_work_in_children():
    source = """
        __global__ void reverse(int *x)
        {
          extern __shared__ int tile[];
          tile[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
          __syncthreads();
          x[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
        }
        __global__ void parent(int *x, int n)
        {
          for (int i = threadIdx.x; i < 4 * n; i += blockDim.x) x[i] = i;
          __syncthreads();
          if (threadIdx.x == 0) reverse<<<4, n, n * sizeof(int)>>>(x);
        }
    """
    values = run(source, 4 * 96, block=(32, 1, 1), arguments=[96])
    assert (values.reshape(4, 96) == np.arange(4 * 96).reshape(4, 96)[:, ::-1]).all()


def test_copies_and_fills_are_in_order_with_launches():
    if not is_cpu():
        pytest.skip("needs the CPU driver: an H200 fills memory before launches that come first in the same stream")
    source = """
        __global__ void add(int *x, int n) { x[threadIdx.x] += n; }
        __global__ void parent(int *x)
        {
          add<<<1, 8>>>(x, 1);
          cudaMemcpyAsync(x + 8, x, 32, cudaMemcpyDeviceToDevice, 0);
          add<<<1, 8>>>(x + 8, 10);
          cudaMemsetAsync(x, 0xff, 16, 0);
          cudaMemset2DAsync(x + 16, 16, 1, 4, 4, 0);
          cudaMemcpy2DAsync(x + 32, 4, x + 16, 16, 4, 4, cudaMemcpyDeviceToDevice, 0);
          x[40] = cudaGetLastError();
        }
    """
    values = run(source, 41)
    assert values[:16].tolist() == [-1] * 4 + [1] * 4 + [11] * 8
    assert values[16:32].tolist() == [0x01010101, 0, 0, 0] * 4
    assert values[32:].tolist() == [0x01010101] * 4 + [0] * 5


def test_device_code_allocates_asks_and_is_told():
    source = """
        __global__ void child(int *x, int *y)
        {
          x[threadIdx.x] = y[threadIdx.x];
          __syncthreads();
          if (threadIdx.x == 0) cudaFree(y);
        }
        __global__ void __launch_bounds__(64) bounded(int *x) { *x = 1; }
        __global__ void parent(int *x)
        {
          int device = -1, count = 0, warp = 0, blocks = 0, version = 0;
          int *memory = 0;
          cudaGetDevice(&device);
          cudaGetDeviceCount(&count);
          cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
          cudaRuntimeGetVersion(&version);
          x[4] = device >= 0 && count > device && warp == 32 && version > 0;
          cudaFuncAttributes attributes;
          cudaFuncGetAttributes(&attributes, (const void *)bounded);
          x[5] = attributes.maxThreadsPerBlock;
          cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)bounded, 64, 0);
          x[6] = blocks > 0;
          x[7] = cudaMalloc((void **)&memory, 16);
          for (int i = 0; i < 4; ++i) memory[i] = 5 + i;
          child<<<1, 4>>>(x, memory);
        }
    """
    assert run(source, 8).tolist() == [5, 6, 7, 8, 1, 64, 1, 0]


@pytest.mark.parametrize(
    "configuration", ["1, 2000", "1, dim3(32, 64)", "1, 0", "0, 1", "dim3(1, 70000), 1", "1, 1, 1 << 20", "1, 96"]
)
def test_a_wrong_configuration_is_the_launch_s_error_and_nothing_runs(configuration):
    if not is_cpu() and configuration not in ("1, 2000", "1, dim3(32, 64)"):
        pytest.skip("needs the CPU driver: a GPU may find out later")
    source = f"""
        __global__ void __launch_bounds__(64) child(int *x) {{ x[1] = 1; }}
        __global__ void parent(int *x)
        {{
          child<<<{configuration}>>>(x);
          x[0] = cudaPeekAtLastError() != cudaSuccess;
          x[2] = cudaGetLastError() != cudaSuccess;
          x[3] = cudaGetLastError();
        }}
    """
    assert run(source, 4).tolist() == [1, 0, 1, 0]


def test_errors_are_those_of_each_thread():
    source = """
        __global__ void child(int *x) { atomicAdd(x, 1); }
        __global__ void parent(int *x)
        {
          child<<<1, threadIdx.x % 2 ? 1 : 4096>>>(x);
          __syncthreads();
          x[1 + blockIdx.x * blockDim.x + threadIdx.x] = cudaGetLastError() != cudaSuccess;
        }
    """
    values = run(source, 1 + 128, block=(64, 1, 1), grid=(2, 1))
    assert values.tolist() == [64] + [1, 0] * 64


def test_more_pending_launches_than_the_limit_are_refused():
    limit = cuda.limit.DEV_RUNTIME_PENDING_LAUNCH_COUNT
    assert cuda.Context.get_limit(limit) == 2048
    source = """
        __global__ void child(int *x) { atomicAdd(x, 1); }
        __global__ void parent(int *x, int n)
        {
          for (int i = 0; i < n; ++i) {
            child<<<1, 1>>>(x);
            cudaError_t error = cudaGetLastError();
            if (error != cudaSuccess) { ++x[1]; x[2] = error; }
          }
        }
    """
    assert run(source, 3, arguments=[1000]).tolist() == [1000, 0, 0]
    if not is_cpu():
        return  # how many have ended meanwhile is the GPU's secret
    assert run(source, 3, arguments=[3000]).tolist() == [2048, 952, PENDING_COUNT_EXCEEDED]
    cuda.Context.set_limit(limit, 10)
    assert run(source, 3, arguments=[12]).tolist() == [10, 2, PENDING_COUNT_EXCEEDED]
    assert run(source, 3, arguments=[10]).tolist() == [10, 0, 0]
    assert cuda.Context.get_limit(limit) == 10


def test_a_recursion_without_end_ends_at_the_deepest_level():
    if not is_cpu():
        pytest.skip("needs the CPU driver: a GPU does not tell how deep it goes")
    source = """
        __global__ void parent(int *x)
        {
          x[0] += 1;
          parent<<<1, 1>>>(x);
          x[1] = cudaGetLastError();
        }
    """
    assert run(source, 2).tolist() == [24, 65]


def test_what_kernels_must_not_copy_is_refused():
    source = """
        __global__ void parent(int *x)
        {
          __shared__ int shared[4];
          int local[4];
          shared[0] = local[0] = 1;
          x[0] = cudaMemcpyAsync(x + 8, shared, 4, cudaMemcpyDeviceToDevice, 0);
          x[1] = cudaMemcpyAsync(x + 8, local, 4, cudaMemcpyDeviceToDevice, 0);
          x[2] = cudaMemsetAsync(shared, 0, 4, 0);
          cudaEvent_t event;
          cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
          x[3] = cudaEventRecord(event, cudaStreamTailLaunch);
          x[4] = cudaEventRecord(event, cudaStreamFireAndForget);
          cudaStream_t stream;
          x[5] = cudaStreamCreateWithFlags(&stream, cudaStreamDefault);
          x[6] = cudaFree(x);
        }
    """
    if not is_cpu():
        pytest.skip("needs the CPU driver: a GPU may leave wrong arguments undefined")
    assert run(source, 9).tolist() == [INVALID_VALUE] * 7 + [0, 0]


def test_a_stream_of_another_grid_is_none():
    source = """
        __global__ void child(int *x, cudaStream_t stream)
        {
          child<<<1, 1, 0, stream>>>(x, stream);
          x[0] = cudaGetLastError();
        }
        __global__ void parent(int *x)
        {
          cudaStream_t stream;
          cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
          child<<<1, 1>>>(x, stream);
        }
    """
    if not is_cpu():
        pytest.skip("needs the CPU driver: CUDA leaves it undefined")
    assert run(source, 1).tolist() == [INVALID_RESOURCE_HANDLE]


def test_without_the_library_the_link_fails_and_names_it():
    source = """
        __global__ void child(int *x) { *x = 1; }
        __global__ void parent(int *x) { child<<<1, 1>>>(x); }
    """
    module = DynamicModule()
    module.add_source(source, nvcc_options=["-rdc=true"])
    with pytest.raises(cuda.Error, match="__cudaCDP2") as caught:
        module.link()
    if is_cpu():
        assert "cudadevrt" in str(caught.value)
    ptx = compile(source, options=["-rdc=true"], target="ptx")
    with pytest.raises(cuda.Error):
        cuda.module_from_buffer(ptx)


def test_the_library_s_own_file_is_linked():
    folders = DynamicModule()._library_folders()
    files = [file for file in (pathlib.Path(folder, "libcudadevrt.a") for folder in folders) if file.exists()]
    if not files:
        pytest.skip("needs libcudadevrt.a (pip install nvidia-cuda-runtime)")
    source = """
        __global__ void child(int *x) { *x = 5; }
        __global__ void parent(int *x) { child<<<1, 1>>>(x); }
    """
    linker = cuda.Linker()
    linker.add_data(compile(source, options=["-rdc=true"], target="ptx"), cuda.jit_input_type.PTX, "parent.ptx")
    linker.add_file(str(files[0]), cuda.jit_input_type.LIBRARY)
    values = np.zeros(1, np.int32)
    linker.link_module().get_function("parent")(cuda.InOut(values), block=(1, 1, 1))
    assert values[0] == 5


def test_default_streams_of_each_thread_s_own():
    source = """
        __global__ void step(int *x, int factor, int summand) { *x = *x * factor + summand; }
        __global__ void parent(int *x)
        {
          step<<<1, 1>>>(x + threadIdx.x, 1, 3);
          step<<<1, 1, 0, cudaStreamPerThread>>>(x + threadIdx.x, threadIdx.x, 2);
          step<<<1, 1>>>(x + threadIdx.x, 10, 1);
        }
    """
    options = ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"]
    module = DynamicSourceModule(source, options=options)
    values = np.zeros(4, np.int32)
    module.get_function("parent")(cuda.InOut(values), block=(4, 1, 1))
    assert values.tolist() == [21, 51, 81, 111]
