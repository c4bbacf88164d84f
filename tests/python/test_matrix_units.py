# SPDX-License-Identifier: MIT
"""Matrices that a warp multiplies together: wmma, mma, ldmatrix and their relatives.

Factors are small whole numbers, so that every sum is exact whatever its order.
"""

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import run_program
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture(autouse=True)
def matrix_units(context):
    if context.get_device().compute_capability() < (8, 0):
        pytest.skip("needs a device with the matrix units of compute capability 8.0")


def module(source, arch=None):
    head = "#include <mma.h>\n#include <cuda_bf16.h>\nusing namespace nvcuda;\n"
    return SourceModule(head + source, no_extern_c=True, arch=arch)


def bfloat16_bits(values):
    return (np.asarray(values, np.float32).view(np.uint32) >> 16).astype(np.uint16)


def numbers(shape, low, high, seed):
    return np.random.default_rng(seed).integers(low, high, shape)


# --- wmma: element type in CUDA C++, type of the sums, dtype on the host, range of values

FACTORS = {
    "half": (np.float16, -8, 9),
    "__nv_bfloat16": (np.uint16, -8, 9),
    "wmma::precision::tf32": (np.float32, -8, 9),
    "double": (np.float64, -1000, 1001),
    "signed char": (np.int8, -128, 128),
    "unsigned char": (np.uint8, 0, 256),
}
SUMS = {"float": np.float32, "half": np.float16, "double": np.float64, "int": np.int32}
FORMS = (
    [(shape, "half", sums) for shape in ((16, 16, 16), (32, 8, 16), (8, 32, 16)) for sums in ("float", "half")]
    + [
        (shape, factor, sums)
        for shape in ((16, 16, 16), (32, 8, 16), (8, 32, 16))
        for factor, sums in (("__nv_bfloat16", "float"), ("signed char", "int"), ("unsigned char", "int"))
    ]
    + [((16, 16, 8), "wmma::precision::tf32", "float"), ((8, 8, 4), "double", "double")]
)


def stored(values, factor):
    if factor == "__nv_bfloat16":
        return bfloat16_bits(values)
    return values.astype(FACTORS[factor][0])


def kernel_of_orders(shape, factor, sums, orders):
    """multiply_<orders>: one product of fragments, then twice their sum; `r` is by rows, `c` by columns."""
    memory_type = "float" if "tf32" in factor else factor
    m, n, k = shape
    a, b, c = ({"r": "row", "c": "col"}[order] for order in orders)
    return f"""
    extern "C" __global__ void multiply_{orders}(const {memory_type}* a, int lda, const {memory_type}* b, int ldb,
                                                 const {sums}* c, {sums}* d, int ldc) {{
      using namespace wmma;
      fragment<matrix_a, {m}, {n}, {k}, {factor}, {a}_major> fa;
      fragment<matrix_b, {m}, {n}, {k}, {factor}, {b}_major> fb;
      fragment<accumulator, {m}, {n}, {k}, {sums}> fc;
      load_matrix_sync(fa, a, lda);
      load_matrix_sync(fb, b, ldb);
      load_matrix_sync(fc, c, ldc, mem_{c}_major);
      mma_sync(fc, fa, fb, fc);
      for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] + fc.x[i];
      store_matrix_sync(d, fc, ldc, mem_{c}_major);
    }}"""


MARGIN = 16


def part_of_a_larger_one(matrix, order):
    matrix = matrix if order == "r" else matrix.T
    padded = np.zeros((matrix.shape[0], matrix.shape[1] + MARGIN), matrix.dtype)
    padded[:, : matrix.shape[1]] = matrix
    return padded


@pytest.mark.parametrize("shape,factor,sums", FORMS)
def test_fragments(shape, factor, sums):
    """One product, its matrices parts of larger ones, by rows or by columns."""
    m, n, k = shape
    _, low, high = FACTORS[factor]
    if sums == "half":
        low, high = -3, 4
    a, b, c = (numbers(size, low, high, seed) for seed, size in enumerate(((m, k), (k, n), (m, n))))
    all_orders = ("rrr", "rcc", "crr", "ccc")
    kernels = module("".join(kernel_of_orders(shape, factor, sums, orders) for orders in all_orders))
    for orders in all_orders:
        host_a = part_of_a_larger_one(stored(a, factor), orders[0])
        host_b = part_of_a_larger_one(stored(b, factor), orders[1])
        host_c = part_of_a_larger_one(c.astype(SUMS[sums]), orders[2])
        host_d = np.zeros_like(host_c)
        leading = [np.int32(x.shape[1]) for x in (host_a, host_b, host_c)]
        kernels.get_function(f"multiply_{orders}")(
            *(cuda.In(host_a), leading[0], cuda.In(host_b), leading[1]),
            *(cuda.In(host_c), cuda.InOut(host_d), leading[2]),
            block=(32, 1, 1),
        )
        expected = 2 * (a @ b + c)
        if orders[2] == "c":
            expected = expected.T
        np.testing.assert_array_equal(host_d[:, :-MARGIN], expected)
        assert not host_d[:, -MARGIN:].any()


def test_bits_and_nibbles():
    """The experimental types of wmma: 4-bit integers and single bits."""
    narrow = module(
        """
    using namespace wmma;
    namespace narrow = wmma::experimental;
    extern "C" __global__ void nibbles(const int* a, const int* b, int* d) {
      fragment<matrix_a, 8, 8, 32, narrow::precision::s4, row_major> fa;
      fragment<matrix_b, 8, 8, 32, narrow::precision::s4, col_major> fb;
      fragment<accumulator, 8, 8, 32, int> fc;
      fill_fragment(fc, 1);
      load_matrix_sync(fa, a, 32);
      load_matrix_sync(fb, b, 32);
      mma_sync(fc, fa, fb, fc);
      store_matrix_sync(d, fc, 8, mem_row_major);
    }
    extern "C" __global__ void bits(const int* a, const int* b, int* d) {
      fragment<matrix_a, 8, 8, 128, narrow::precision::b1, row_major> fa;
      fragment<matrix_b, 8, 8, 128, narrow::precision::b1, col_major> fb;
      fragment<accumulator, 8, 8, 128, int> fc;
      load_matrix_sync(fa, a, 128);
      load_matrix_sync(fb, b, 128);
      for (int which = 0; which < 2; ++which) {
        fill_fragment(fc, which);
        if (which == 0) bmma_sync(fc, fa, fb, fc, narrow::bmmaBitOpXOR);
        else bmma_sync(fc, fa, fb, fc, narrow::bmmaBitOpAND);
        store_matrix_sync(d + 64 * which, fc, 8, mem_row_major);
      }
    }"""
    )
    a, b = numbers((8, 32), -8, 8, 1), numbers((32, 8), -8, 8, 2)

    def packed(rows):
        digits = (rows & 15).astype(np.uint32).reshape(8, 4, 8)
        words = (digits << np.arange(0, 32, 4, dtype=np.uint32)).sum(2, dtype=np.uint32)
        return np.ascontiguousarray(words)

    d = np.zeros((8, 8), np.int32)
    nibbles, bits = (narrow.get_function(name) for name in ("nibbles", "bits"))
    nibbles(cuda.In(packed(a)), cuda.In(packed(b.T)), cuda.Out(d), block=(32, 1, 1))
    np.testing.assert_array_equal(d, a @ b + 1)

    a, b = numbers((8, 128), 0, 2, 3), numbers((8, 128), 0, 2, 4)
    words = [np.packbits(x.astype(np.uint8), axis=1, bitorder="little").view(np.uint32) for x in (a, b)]
    d = np.zeros((2, 8, 8), np.int32)
    bits(cuda.In(words[0]), cuda.In(words[1]), cuda.Out(d), block=(32, 1, 1))
    np.testing.assert_array_equal(d[0], (a[:, None] ^ b[None]).sum(2))
    np.testing.assert_array_equal(d[1], (a[:, None] & b[None]).sum(2) + 1)


GEMM = """
#define TILE 16
extern "C" __global__ void gemm(const half* a, const half* b, float* c, int n, int skip) {
  __shared__ half part[4][TILE * TILE];
  const int row = blockIdx.y * TILE, column = (blockIdx.x * blockDim.y + threadIdx.y) * TILE;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  if (column < skip) return;  // whole warps
  for (int k = 0; k < n; k += TILE) {
    for (int i = threadIdx.x; i < TILE * TILE; i += 32)
      part[threadIdx.y][i] = a[(row + i / TILE) * n + k + i % TILE];
    __syncwarp();
    wmma::load_matrix_sync(fa, part[threadIdx.y], TILE);
    wmma::load_matrix_sync(fb, b + k * n + column, n);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncwarp();
  }
  wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}"""


@pytest.mark.parametrize("warps", [1, 2, 4])
def test_a_product_of_many_tiles(warps):
    n = 128
    a, b = numbers((n, n), -4, 5, 1).astype(np.float16), numbers((n, n), -4, 5, 2).astype(np.float16)
    c = np.full((n, n), 7, np.float32)
    kernel = module(GEMM).get_function("gemm")
    for skip in (0, 16):
        kernel(
            *(cuda.In(a), cuda.In(b), cuda.InOut(c), np.int32(n), np.int32(skip)),
            block=(32, warps, 1),
            grid=(n // 16 // warps, n // 16),
        )
        expected = a.astype(np.float32) @ b.astype(np.float32)
        np.testing.assert_array_equal(c[:, skip:], expected[:, skip:])
        c[:, skip:] = 0


# --- mma: fragments as the manual of PTX lays them out

MMA = (
    # shape, factors, sums, registers' constraints of a and b, of c and d
    [((16, 8, k), kind, sums) for k in (8, 16) for kind in ("f16", "bf16") for sums in ("f32", "f16")]
    + [((16, 8, k), "tf32", "f32") for k in (4, 8)]
    + [((8, 8, 4), "f64", "f64")]
    + [((8, 8, 16), kind, "s32") for kind in ("s8", "u8")]
    + [((16, 8, k), kind, "s32") for k in (16, 32) for kind in ("s8", "u8")]
    + [((8, 8, 32), "s4", "s32"), ((16, 8, 32), "u4", "s32"), ((16, 8, 64), "s4", "s32")]
)
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "u4": 4}
RANGES = {"s8": (-128, 128), "u8": (0, 256), "s4": (-8, 8), "u4": (0, 16)}


def element_bits(values, kind):
    """Whole numbers as the bits of a type."""
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16).astype(np.uint64)
    if kind == "bf16":
        return bfloat16_bits(values).astype(np.uint64)
    if kind in ("tf32", "f32"):
        return values.astype(np.float32).view(np.uint32).astype(np.uint64)
    if kind == "f64":
        return values.astype(np.float64).view(np.uint64)
    return values.astype(np.int64).view(np.uint64) & np.uint64((1 << BITS[kind]) - 1)


def fragment_of(matrix, kind):
    """Registers of the 32 lanes; `matrix` has the rows (or columns) of 8 first, the inner axis last."""
    bits = BITS[kind]
    packed = max(32 // bits, 1)
    outer, depth = matrix.shape
    lanes = []
    for lane in range(32):
        group, member = divmod(lane, 4)
        registers = []
        for start in range(0, depth, 4 * packed):
            for row in range(group, outer, 8):
                first = start + member * packed
                parts = element_bits(matrix[row, first : first + packed], kind)
                registers.append(sum(int(part) << (bits * i) for i, part in enumerate(parts)))
        lanes.append(registers)
    return np.array(lanes, np.uint64)


def sums_of(registers, kind, rows):
    """The matrix of 8 columns that c or d registers hold."""
    result = np.zeros((rows, 8))
    for lane in range(32):
        group, member = divmod(lane, 4)
        for half in range(rows // 8):
            for column in (0, 1):
                number = 2 * half + column
                if kind == "f16":
                    value = np.uint16(int(registers[lane, half]) >> (16 * column) & 0xFFFF).view(np.float16)
                elif kind == "f32":
                    value = np.uint32(registers[lane, number]).view(np.float32)
                elif kind == "f64":
                    value = np.uint64(registers[lane, number]).view(np.float64)
                else:
                    value = np.uint32(registers[lane, number]).view(np.int32)
                result[group + 8 * half, 2 * member + column] = value
    return result


@pytest.mark.parametrize("shape,kind,sums", [form for form in MMA if form[1:] != ("bf16", "f16")])
def test_registers(shape, kind, sums):
    m, n, k = shape
    low, high = RANGES.get(kind, (-3, 4))
    a, b = numbers((m, k), low, high, k), numbers((k, n), low, high, k + 1)
    c = 5
    fragments = [fragment_of(a, kind), fragment_of(b.T, kind)]
    count_a, count_b = (fragment.shape[1] for fragment in fragments)
    count_d = m * n // 32 // (2 if sums == "f16" else 1)
    wide = kind == "f64"
    register = "unsigned long long" if wide else "unsigned"
    letter = {"f32": "f", "f64": "d"}.get(sums, "r")
    cpp_sums = {"f32": "float", "f64": "double"}.get(sums, "unsigned")
    initial = {"f16": "0x45004500u", "f32": "5.f", "f64": "5.", "s32": "5u"}[sums]
    names = [f"%{i}" for i in range(2 * count_d + count_a + count_b)]

    def listed(begin, count):
        return "{" + ", ".join(names[begin : begin + count]) + "}"

    operands = ", ".join(
        listed(begin, count)
        for begin, count in (
            (0, count_d),
            (2 * count_d, count_a),
            (2 * count_d + count_a, count_b),
            (count_d, count_d),
        )
    )
    input_letter = "d" if wide else "r"
    as_input = "__longlong_as_double" if wide else ""
    code = f"""
    extern "C" __global__ void multiply(const {register}* a, const {register}* b, {cpp_sums}* d) {{
      {cpp_sums} out[{count_d}];
      const int lane = threadIdx.x;
      asm volatile("mma.sync.aligned.m{m}n{n}k{k}.row.col.{sums}.{kind}.{kind}.{sums} {operands};"
        : {", ".join(f'"={letter}"(out[{i}])' for i in range(count_d))}
        : {", ".join(f'"{letter}"({initial})' for i in range(count_d))},
          {", ".join(f'"{input_letter}"({as_input}(a[lane * {count_a} + {i}]))' for i in range(count_a))},
          {", ".join(f'"{input_letter}"({as_input}(b[lane * {count_b} + {i}]))' for i in range(count_b))});
      for (int i = 0; i < {count_d}; ++i) d[lane * {count_d} + i] = out[i];
    }}"""
    host = [fragment.astype(np.uint64 if wide else np.uint32) for fragment in fragments]
    d = np.zeros((32, count_d), np.uint64 if wide else np.uint32)
    function = module(code).get_function("multiply")
    function(cuda.In(host[0]), cuda.In(host[1]), cuda.Out(d), block=(32, 1, 1))
    np.testing.assert_array_equal(sums_of(d, sums, m), a @ b + c)


def test_a_matrix_that_ends_too_early():
    """An access outside every allocation is a fault; in a process of its own, which a GPU's driver gives up then."""
    output, _ = run_program(
        """
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
product = SourceModule('''
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const half* a, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.f);
  wmma::load_matrix_sync(fa, a, 1 << 26);
  wmma::load_matrix_sync(fb, a, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}''', no_extern_c=True).get_function("product")
product(cuda.mem_alloc(512), cuda.mem_alloc(1024), block=(32, 1, 1))
try:
    cuda.Context.synchronize()
except cuda.LogicError as error:
    print(error)
"""
    )
    # A GPU may find the address in the window of shared memory, which is nobody's here either.
    faults = "an illegal memory access was encountered", "operation not supported on global/shared address space"
    assert any(fault in output for fault in faults)


def test_saturation():
    """.satfinite clamps a sum of integers that would wrap."""
    code = """
    extern "C" __global__ void multiply(int* d) {
      int out[2];
      asm volatile("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %4};"
        : "=r"(out[0]), "=r"(out[1]) : "r"(0x7f7f7f7f), "r"(0x7f7f7f7f), "r"(0x7ffffff0));
      d[2 * threadIdx.x] = out[0];
      asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %4};"
        : "=r"(out[0]), "=r"(out[1]) : "r"(0x7f7f7f7f), "r"(0x7f7f7f7f), "r"(0x7ffffff0));
      d[2 * threadIdx.x + 1] = out[0];
    }"""
    d = np.zeros((32, 2), np.int32)
    module(code).get_function("multiply")(cuda.Out(d), block=(32, 1, 1))
    wrapped = np.array(0x7FFFFFF0 + 16 * 127 * 127, np.uint32).view(np.int32)
    assert (d[:, 0] == 0x7FFFFFFF).all()
    assert (d[:, 1] == wrapped).all()


# --- tiles of 8 x 8 halves between shared memory and registers


@pytest.mark.parametrize("transposed", ["", ".trans"])
@pytest.mark.parametrize("tiles", [1, 2, 4])
def test_tiles_from_shared_memory(tiles, transposed):
    outputs = ", ".join(f'"=r"(r[{i}])' for i in range(tiles))
    registers = ", ".join(f"%{i}" for i in range(tiles))
    code = f"""
    extern "C" __global__ void load(const unsigned short* in, unsigned* out) {{
      __shared__ alignas(16) unsigned short rows[32][24];  // 48 bytes from row to row
      for (int i = 0; i < 8; ++i) rows[threadIdx.x][i] = in[8 * threadIdx.x + i];
      __syncwarp();
      unsigned r[{tiles}];
      // Lane l says where row 31 - l lies.
      unsigned at = (unsigned)__cvta_generic_to_shared(&rows[31 - threadIdx.x][0]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x{tiles}{transposed}.shared.b16 {{{registers}}}, [%{tiles}];"
        : {outputs} : "r"(at) : "memory");
      for (int i = 0; i < {tiles}; ++i) out[{tiles} * threadIdx.x + i] = r[i];
    }}"""
    rows = np.arange(256, dtype=np.uint16).reshape(32, 8) * 7 + 1
    out = np.zeros((32, tiles), np.uint32)
    module(code).get_function("load")(cuda.In(rows), cuda.Out(out), block=(32, 1, 1))
    for tile in range(tiles):
        matrix = rows[::-1][8 * tile : 8 * tile + 8]
        if transposed:
            matrix = matrix.T
        pairs = np.ascontiguousarray(matrix).view(np.uint32)  # little endian: [row][pair]
        np.testing.assert_array_equal(out[:, tile], pairs.reshape(32))


def test_a_tile_transposed_in_registers():
    code = """
    extern "C" __global__ void transpose(const unsigned* in, unsigned* out) {
      unsigned r;
      asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(in[threadIdx.x]));
      out[threadIdx.x] = r;
    }"""
    matrix = np.arange(64, dtype=np.uint16).reshape(8, 8)
    out = np.zeros((8, 4), np.uint32)
    module(code).get_function("transpose")(cuda.In(matrix.view(np.uint32)), cuda.Out(out), block=(32, 1, 1))
    np.testing.assert_array_equal(out.view(np.uint16), matrix.T)


@pytest.mark.filterwarnings("ignore:trying to compile")
@pytest.mark.parametrize("transposed", ["", ".trans"])
def test_tiles_to_shared_memory(context, transposed):
    device = context.get_device()
    if device.compute_capability() < (9, 0) and "NVIDIA" in device.name():
        pytest.skip("needs a device of compute capability 9.0, which has stmatrix")
    code = f"""
    extern "C" __global__ void store(const unsigned* in, unsigned short* out) {{
      __shared__ alignas(16) unsigned short rows[16][8];
      unsigned at = (unsigned)__cvta_generic_to_shared(&rows[threadIdx.x % 16][0]);
      asm volatile("stmatrix.sync.aligned.m8n8.x2{transposed}.shared.b16 [%0], {{%1, %2}};"
        :: "r"(at), "r"(in[threadIdx.x]), "r"(in[32 + threadIdx.x]) : "memory");
      __syncwarp();
      for (int i = 0; i < 4; ++i) out[4 * threadIdx.x + i] = (&rows[0][0])[4 * threadIdx.x + i];
    }}"""
    tiles = np.arange(128, dtype=np.uint16).reshape(2, 8, 8) + 3
    out = np.zeros((2, 8, 8), np.uint16)
    store = module(code, arch="sm_90").get_function("store")
    store(cuda.In(tiles.view(np.uint32)), cuda.Out(out), block=(32, 1, 1))
    np.testing.assert_array_equal(out, tiles.transpose(0, 2, 1) if transposed else tiles)
