# SPDX-License-Identifier: MIT
"""CUDA C++ features, each in a small program whose result NumPy knows. They run on whatever driver there is."""

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def kernel(source, name="k", **keywords):
    return SourceModule(source, **keywords).get_function(name)


def test_tree_reduction_in_shared_memory():
    k = kernel("""
    __global__ void k(const float *x, float *sums, int n) {
      __shared__ float s[256];
      int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
      s[t] = i < n ? x[i] : 0;
      __syncthreads();
      for (int half = 128; half > 0; half /= 2) {
        if (t < half) s[t] += s[t + half];
        __syncthreads();
      }
      if (t == 0) sums[blockIdx.x] = s[0];
    }""")
    x = np.arange(1000, dtype=np.float32)
    sums = np.zeros(4, np.float32)
    k(drv.In(x), drv.Out(sums), np.int32(1000), block=(256, 1, 1), grid=(4, 1))
    assert (sums == [x[i : i + 256].sum() for i in range(0, 1000, 256)]).all()


@pytest.mark.parametrize("threads", [1, 31, 32, 33, 72, 96, 250, 1000, 1024])
def test_warp_shuffle_scan_with_ragged_blocks(threads):
    k = kernel("""
    __global__ void k(int *x) {
      int lane = threadIdx.x % 32, v = x[threadIdx.x];
      unsigned members = __activemask();
      for (int d = 1; d < 32; d *= 2) {
        int up = __shfl_up_sync(members, v, d);
        if (lane >= d) v += up;
      }
      x[threadIdx.x] = v;
    }""")
    x = np.random.default_rng(threads).integers(-100, 100, threads).astype(np.int32)
    expected = np.concatenate([np.cumsum(x[i : i + 32]) for i in range(0, threads, 32)])
    k(drv.InOut(x), block=(threads, 1, 1))
    assert (x == expected).all()


def test_votes_ballots_and_matches():
    k = kernel("""
    __global__ void k(const int *x, unsigned *out) {
      int t = threadIdx.x, v = x[t];
      out[t * 5 + 0] = __ballot_sync(~0u, v & 1);
      out[t * 5 + 1] = __all_sync(~0u, v < 8);
      out[t * 5 + 2] = __any_sync(~0u, v == 7);
      out[t * 5 + 3] = __match_any_sync(~0u, v);
      out[t * 5 + 4] = __reduce_add_sync(~0u, (unsigned)v);
    }""")
    x = np.random.default_rng(1).integers(0, 8, 64).astype(np.int32)
    out = np.zeros((64, 5), np.uint32)
    k(drv.In(x), drv.Out(out), block=(64, 1, 1))
    for warp in range(2):
        lanes = x[warp * 32 : warp * 32 + 32]
        bits = np.uint64(1) << np.arange(32, dtype=np.uint64)
        for lane in range(32):
            row = out[warp * 32 + lane]
            assert row[0] == bits[lanes % 2 == 1].sum()
            assert row[1] == 1
            assert row[2] == (lanes == 7).any()
            assert row[3] == bits[lanes == lanes[lane]].sum()
            assert row[4] == lanes.sum()


def test_divergent_warp_operations_of_parts_of_a_warp():
    k = kernel("""
    __global__ void k(int *out) {
      int lane = threadIdx.x;
      int v;
      if (lane < 12) v = __shfl_sync(0xfffu, lane * 10, 11 - lane);
      else           v = __shfl_xor_sync(0xfffff000u, lane, 3);
      out[lane] = v;
    }""")
    out = np.zeros(32, np.int32)
    k(drv.Out(out), block=(32, 1, 1))
    lane = np.arange(32)
    assert (out[:12] == (11 - lane[:12]) * 10).all()
    assert (out[12:] == lane[12:] ^ 3).all()


def test_barrier_in_a_called_function_and_in_a_loop():
    k = kernel("""
    __device__ __noinline__ int rotate(int *s, int v) {
      s[threadIdx.x] = v;
      __syncthreads();
      int next = s[(threadIdx.x + 1) % blockDim.x];
      __syncthreads();
      return next;
    }
    __global__ void k(int *x) {
      extern __shared__ int s[];
      int v = x[threadIdx.x];
      for (int i = 0; i < 5; ++i) v = rotate(s, v);
      x[threadIdx.x] = v;
    }""")
    x = np.arange(100, dtype=np.int32)
    k(drv.InOut(x), block=(100, 1, 1), shared=400)
    assert (x == np.roll(np.arange(100), -5)).all()


def test_named_barriers_of_producers_and_consumers():
    k = kernel("""
    __global__ void k(int *out) {
      __shared__ int box;
      int t = threadIdx.x;
      if (t < 32) {
        if (t == 0) box = 42;
        asm volatile("bar.sync 1, 64;" ::: "memory");
      } else {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t - 32] = box;
      }
    }""")
    out = np.zeros(32, np.int32)
    k(drv.Out(out), block=(64, 1, 1))
    assert (out == 42).all()


@pytest.mark.parametrize(
    ("function", "dtype", "expected"),
    [
        ("atomicAdd", np.int32, 64 * 8 * 3),
        ("atomicAdd", np.float32, 64 * 8 * 3),
        ("atomicAdd", np.float64, 64 * 8 * 3),
        ("atomicMax", np.int32, 3),
        ("atomicSub", np.int32, -64 * 8 * 3),
        ("atomicOr", np.uint32, 3),
        ("atomicXor", np.uint64, 0),
    ],
)
def test_atomics_of_all_blocks_on_one_word(function, dtype, expected):
    name = {
        "int32": "int",
        "uint32": "unsigned",
        "uint64": "unsigned long long",
        "float32": "float",
        "float64": "double",
    }
    k = kernel(f"__global__ void k({name[np.dtype(dtype).name]} *x) {{ {function}(x, 3); }}")
    x = np.zeros(1, dtype)
    k(drv.InOut(x), block=(64, 1, 1), grid=(8, 1))
    assert x[0] == expected


def test_histogram_with_shared_atomics():
    k = kernel("""
    __global__ void k(const unsigned char *data, int n, unsigned *bins) {
      __shared__ unsigned local[256];
      for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
      __syncthreads();
      for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
      __syncthreads();
      for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
    }""")
    data = np.random.default_rng(2).integers(0, 256, 100_003).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    k(drv.In(data), np.int32(data.size), drv.InOut(bins), block=(96, 1, 1), grid=(7, 1))
    assert (bins == np.bincount(data, minlength=256)).all()


def test_spin_lock_between_blocks_and_lanes():
    k = kernel("""
    __device__ int lock = 0;
    __device__ int counter = 0;
    __global__ void k(int *out) {
      bool done = false;
      while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
          __threadfence();
          *(volatile int *)&counter = *(volatile int *)&counter + 1;
          __threadfence();
          atomicExch(&lock, 0);
          done = true;
        }
      }
      __syncthreads();
      if (threadIdx.x == 0) atomicMax(out, *(volatile int *)&counter);
    }""")
    out = np.zeros(1, np.int32)
    k(drv.InOut(out), block=(33, 1, 1), grid=(6, 1))
    assert out[0] == 33 * 6


def test_integers_of_128_bits():
    k = kernel("""
    __global__ void k(unsigned long long *a) {
      unsigned __int128 square = (unsigned __int128)a[0] * a[0];
      a[1] = (unsigned long long)(square >> 64);
    }""")
    numbers = np.array([2**63 + 12345, 0], np.uint64)
    k(drv.InOut(numbers), block=(1, 1, 1))
    assert int(numbers[1]) == (2**63 + 12345) ** 2 >> 64


@pytest.mark.parametrize("block", [1, 72, 256])
def test_division_of_integers_of_128_bits(block):
    k = kernel("""
    __global__ void k(ulonglong2 *x, ulonglong2 *y) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      unsigned __int128 a = (unsigned __int128)x[i].y << 64 | x[i].x, b = (unsigned __int128)y[i].y << 64 | y[i].x;
      unsigned __int128 quotient = a / b, rest = a % b;
      x[i] = make_ulonglong2(quotient, quotient >> 64);
      y[i] = make_ulonglong2(rest, rest >> 64);
    }""")
    words = np.random.default_rng(128).integers(0, 2**64, (2, 2 * block, 2), np.uint64)
    words[:, :, 1] >>= np.arange(4 * block, dtype=np.uint64).reshape(2, -1) * 7 % 64
    numbers = [[int(low) | int(high) << 64 for low, high in side] for side in words]
    k(drv.InOut(words[0]), drv.InOut(words[1]), block=(block, 1, 1), grid=(2, 1))
    results = [[int(low) | int(high) << 64 for low, high in side] for side in words]
    assert list(zip(*results)) == [divmod(a, b) for a, b in zip(*numbers)]


@pytest.mark.parametrize(
    "turn",
    [
        "while (!done) { if (atomicCAS(lock, 0, 1) == 0) { enter(counter); atomicExch(lock, 0); done = true; } }",
        "while (atomicCAS(lock, 0, 1) != 0) {} enter(counter); atomicExch(lock, 0);",
        "if (atomicCAS(lock, 0, 1) != 0) { --i; continue; } enter(counter); atomicExch(lock, 0);",
    ],
)
def test_a_spin_lock_taken_several_times(turn):
    """Both loops begin at one place: to the compiler they are one loop with two ways back."""
    if turn.startswith("while (atomicCAS") and "CPU" not in drv.Context.get_device().name():
        pytest.skip("needs the CPU driver, where threads of a warp that spin do not keep the others from going on")
    k = kernel(f"""
    __device__ void enter(volatile int *counter) {{ *counter = *counter + 1; __threadfence(); }}
    __global__ void k(int *lock, int *counter, int n) {{
      for (int i = 0; i < n; ++i) {{ bool done = false; {turn} }}
    }}""")
    lock, counter = drv.mem_alloc(4), drv.mem_alloc(4)
    for memory in lock, counter:
        drv.memset_d32(memory, 0, 1)
    k(lock, counter, np.int32(3), block=(33, 1, 1), grid=(6, 1))
    found = np.zeros(1, np.int32)
    drv.memcpy_dtoh(found, counter)
    assert found[0] == 33 * 6 * 3


def test_blocks_that_wait_for_later_blocks():
    k = kernel("""
    __device__ volatile int flag = 0;
    __global__ void k(int *out) {
      if (blockIdx.x == 0) { while (flag == 0) {} out[0] = flag; }
      else if (blockIdx.x == gridDim.x - 1) { __threadfence(); flag = 7; }
    }""")
    out = np.zeros(1, np.int32)
    k(drv.Out(out), block=(1, 1, 1), grid=(6, 1))
    assert out[0] == 7


def test_recursion_function_pointers_and_virtual_functions():
    k = kernel(
        """
    __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
    __device__ int twice(int x) { return 2 * x; }
    __device__ int square(int x) { return x * x; }
    typedef int (*function)(int);
    __device__ function table[2] = {twice, square};
    struct Shape { __device__ virtual int area() const = 0; };
    struct Square : Shape {
      int a;
      __device__ Square(int a) : a(a) {}
      __device__ int area() const override { return a * a; }
    };
    struct Strip : Shape {
      int a;
      __device__ Strip(int a) : a(a) {}
      __device__ int area() const override { return a; }
    };
    extern "C" __global__ void k(int *out) {
      int t = threadIdx.x;
      Square square_(t); Strip strip(t);
      const Shape *shape = t % 3 ? (const Shape *)&square_ : (const Shape *)&strip;
      out[3 * t] = fibonacci(t % 12);
      out[3 * t + 1] = table[t & 1](t);
      out[3 * t + 2] = shape->area();
    }""",
        no_extern_c=True,
    )
    out = np.zeros((40, 3), np.int32)
    k(drv.Out(out), block=(40, 1, 1))
    fibonacci = [0, 1]
    while len(fibonacci) < 12:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    for t in range(40):
        assert out[t].tolist() == [
            fibonacci[t % 12],
            t * t if t & 1 else 2 * t,
            t * t if t % 3 else t,
        ]


def test_structs_by_value_with_mixed_alignment():
    k = kernel("""
    struct Job { char tag; double scale; float4 v; short n; };
    __global__ void k(char first, Job job, float *out) {
      out[0] = job.tag; out[1] = job.scale; out[2] = job.v.x; out[3] = job.v.w; out[4] = job.n; out[5] = first;
    }""")
    job = np.zeros(
        1,
        np.dtype(
            {
                "names": ["tag", "scale", "v", "n"],
                "formats": ["i1", "f8", "4f4", "i2"],
                "offsets": [0, 8, 16, 32],
                "itemsize": 48,
            }
        ),
    )
    job["tag"], job["scale"], job["v"], job["n"] = 5, 2.5, [1, 2, 3, 4], -7
    out = np.zeros(6, np.float32)
    k(np.int8(9), job[0], drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [5, 2.5, 1, 4, -7, 9]


def test_constant_memory_and_module_globals():
    module = SourceModule("""
    __constant__ float table[16];
    __device__ int calls;
    __global__ void k(float *out) { out[threadIdx.x] = table[15 - threadIdx.x]; atomicAdd(&calls, 1); }""")
    table, size = module.get_global("table")
    assert size == 64
    values = np.arange(16, dtype=np.float32)
    drv.memcpy_htod(table, values)
    out = np.zeros(16, np.float32)
    module.get_function("k")(drv.Out(out), block=(16, 1, 1))
    assert (out == values[::-1]).all()
    calls = np.zeros(1, np.int32)
    drv.memcpy_dtoh(calls, module.get_global("calls")[0])
    assert calls[0] == 16


def test_half_precision_arithmetic():
    k = kernel("""
    #include <cuda_fp16.h>
    __global__ void k(__half *x, const __half *y) {
      int t = threadIdx.x;
      x[t] = __hfma(x[t], y[t], __hadd(x[t], y[t]));
    }""")
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal((2, 128)).astype(np.float16)
    exact = x.astype(np.float64) * y.astype(np.float64) + (x + y).astype(np.float64)
    k(drv.InOut(x), drv.In(y), block=(128, 1, 1))
    assert (x == exact.astype(np.float16)).all()


@pytest.mark.parametrize(
    "function",
    ["sin", "cos", "tan", "exp", "log", "sqrt", "cbrt", "erf", "tanh", "atan", "rsqrt", "tgamma"],
)
def test_double_precision_math_is_accurate(function):
    import math

    k = kernel(f"__global__ void k(double *x) {{ x[threadIdx.x] = {function}(x[threadIdx.x]); }}")
    x = np.random.default_rng(4).uniform(0.1, 10, 512)
    reference = {"rsqrt": lambda v: 1 / math.sqrt(v), "tgamma": math.gamma, "cbrt": np.cbrt}.get(function) or getattr(
        math, function
    )
    expected = np.array([reference(v) for v in x])
    k(drv.InOut(x), block=(512, 1, 1))
    assert np.allclose(x, expected, rtol=2e-14 if function == "tgamma" else 2e-15, atol=1e-15)


@pytest.mark.parametrize(
    "function",
    ["sinf", "cosf", "expf", "logf", "powf", "tanhf", "atan2f", "__expf", "__sinf", "__logf"],
)
def test_single_precision_math_is_accurate(function):
    two = function in ("powf", "atan2f")
    k = kernel(
        f"__global__ void k(float *x) {{ x[threadIdx.x] = {function}(x[threadIdx.x]{', 1.7f' if two else ''}); }}"
    )
    x = np.random.default_rng(5).uniform(0.1, 3, 512).astype(np.float32)
    name = function.strip("_").rstrip("f")
    wide = x.astype(np.float64)
    expected = {
        "pow": lambda: wide ** np.float64(np.float32(1.7)),
        "atan2": lambda: np.arctan2(wide, np.float64(np.float32(1.7))),
    }.get(name, lambda: getattr(np, name)(wide))()
    k(drv.InOut(x), block=(512, 1, 1))
    assert np.allclose(
        x,
        expected,
        rtol=2e-6 if function.startswith("__") else 5e-7,
        atol=1e-6 if function.startswith("__") else 1e-7,
    )


def test_integer_division_as_hardware_does_it():
    k = kernel("""
    __global__ void k(const int *a, const int *b, int *quotient, long long *wide) {
      int t = threadIdx.x;
      quotient[t] = b[t] ? a[t] / b[t] : 0;
      wide[t] = b[t] ? (long long)a[t] * 1000003 % b[t] : 0;
    }""")
    rng = np.random.default_rng(6)
    a = rng.integers(-(2**31), 2**31, 256).astype(np.int32)
    b = rng.integers(-1000, 1000, 256).astype(np.int32)
    quotient, wide = np.zeros(256, np.int32), np.zeros(256, np.int64)
    k(drv.In(a), drv.In(b), drv.Out(quotient), drv.Out(wide), block=(256, 1, 1))
    for i in range(256):
        if b[i]:
            assert quotient[i] == int(a[i] / int(b[i])) if abs(int(b[i])) > 1 else True
            assert wide[i] == int(np.fmod(int(a[i]) * 1000003, int(b[i])))


def test_curand_states_give_uniform_and_normal_numbers():
    k = kernel("""
    #include <curand_kernel.h>
    __global__ void k(float *uniform, float *normal) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      curandStatePhilox4_32_10_t s;
      curand_init(1234, i, 0, &s);
      uniform[i] = curand_uniform(&s);
      normal[i] = curand_normal(&s);
    }""")
    uniform, normal = np.zeros((2, 8192), np.float32)
    k(drv.Out(uniform), drv.Out(normal), block=(256, 1, 1), grid=(32, 1))
    assert 0 < uniform.min() and uniform.max() <= 1 and abs(uniform.mean() - 0.5) < 0.02
    assert abs(normal.mean()) < 0.05 and abs(normal.std() - 1) < 0.05


def test_cooperative_groups_of_a_block():
    k = kernel("""
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    namespace cg = cooperative_groups;
    __global__ void k(const int *x, int *out) {
      auto block = cg::this_thread_block();
      auto tile = cg::tiled_partition<16>(block);
      int sum = cg::reduce(tile, x[block.thread_rank()], cg::plus<int>());
      if (tile.thread_rank() == 0) out[tile.meta_group_rank()] = sum;
      block.sync();
    }""")
    x = np.arange(128, dtype=np.int32)
    out = np.zeros(8, np.int32)
    k(drv.In(x), drv.Out(out), block=(128, 1, 1))
    assert (out == x.reshape(8, 16).sum(1)).all()


def test_printf_writes_whole_lines(capfd):
    k = kernel(r"""
    #include <stdio.h>
    __global__ void k() {
      printf("thread %d of %s: %5.2f %c %llx\n", threadIdx.x, "k", 1.5 * threadIdx.x, 'x', 255ll);
    }""")
    k(block=(3, 1, 1))
    drv.Context.synchronize()
    lines = sorted(capfd.readouterr().out.splitlines())
    assert lines == [f"thread {t} of k: {1.5 * t:5.2f} x ff" for t in range(3)]


def test_three_dimensional_grids_and_blocks():
    k = kernel("""
    __global__ void k(int *out) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
          z = blockIdx.z * blockDim.z + threadIdx.z;
      out[(z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x] = x + 100 * y + 10000 * z;
    }""")
    out = np.zeros((6, 10, 9), np.int32)
    k(drv.Out(out), block=(3, 5, 2), grid=(3, 2, 3))
    z, y, x = np.indices(out.shape)
    assert (out == x + 100 * y + 10000 * z).all()


def test_questions_where_an_address_lies():
    module = SourceModule("""
    struct Big { int words[8]; };
    __constant__ int fixed[4];
    __device__ int seen[4];
    __device__ int spaces(const void *p)
    {
        return __isGlobal(p) | __isShared(p) << 1 | __isLocal(p) << 2 | __isConstant(p) << 3 | __isGridConstant(p) << 4;
    }
    extern "C" __global__ void ask(int *out, const __grid_constant__ Big big)
    {
        __shared__ int ours[32];
        volatile int mine[4] = {1};
        const void *places[] = {seen, ours + threadIdx.x, (int *)mine, fixed + 1, &big.words[threadIdx.x % 8], 0};
        for (int i = 0; i < 6; ++i) out[6 * threadIdx.x + i] = spaces(places[i]);
    }
    """)
    out = np.zeros((40, 6), np.int32)
    module.get_function("ask")(drv.Out(out), np.arange(8, dtype=np.int32).tobytes(), block=(40, 1, 1))
    assert (out == [1, 2, 4, 8, 1 + 16, 1]).all()
