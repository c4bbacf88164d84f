# SPDX-License-Identifier: MIT
"""Tensor maps of arrays: as arguments of kernels that copy boxes of them, and what cannot be mapped."""

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import is_cpu, run_program
from pycuda import gpuarray

START = '''
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

if not pycuda.autoinit.device.get_attribute(cuda.device_attribute.TENSOR_MAP_ACCESS_SUPPORTED):
    raise SystemExit(77)

module = SourceModule(r"""
struct alignas(64) Map { unsigned long long words[16]; };

__device__ void load(const Map *map, void *to, unsigned bytes, int x, int y, int z, int rank, int w, int offsets)
{
  __shared__ alignas(8) unsigned long long bar;
  const unsigned barrier = __cvta_generic_to_shared(&bar), place = __cvta_generic_to_shared(to);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(barrier));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(bytes) : "memory");
    if (rank == 2)
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%2, %3}], [%4];"
                   :: "r"(place), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
    if (rank == 3)
      asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%2, %3, %4}], [%5];"
                   :: "r"(place), "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier) : "memory");
    if (rank == 4)
      asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};"
                   :: "r"(place), "l"(map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(barrier),
                      "h"((short)(offsets & 255)), "h"((short)(offsets >> 8)) : "memory");
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }"
                 :: "r"(barrier) : "memory");
  }
  __syncthreads();
}

extern "C" __global__ void copy_box(int *out, const __grid_constant__ Map map, int words, int x, int y, int z, int rank,
                                    int w, int offsets)
{
  extern __shared__ __align__(1024) int box[];
  load(&map, box, words * 4, x, y, z, rank, w, offsets);
  for (int i = threadIdx.x; i < words; i += blockDim.x) out[i] = box[i];
}
""", no_extern_c=True)


def box_of(tensor_map, shape, x, y, z=0, rank=2, w=0, offsets=0):
    """The elements of the box that begins at column `x`, row `y`, plane `z`."""
    out = gpuarray.empty(shape, np.int32)
    module.get_function("copy_box")(out, tensor_map, np.int32(out.size), np.int32(x), np.int32(y), np.int32(z),
                                    np.int32(rank), np.int32(w), np.int32(offsets), block=(32, 1, 1),
                                    shared=out.nbytes)
    return out.get()
'''


def run(code):
    try:
        return run_program(START + code, PYCUDA_CPU_ARCH="90")[0]
    except AssertionError as error:
        if str(error).startswith("exit status 77"):
            pytest.skip("needs a device with tensor maps: compute capability 9.0")
        raise


def test_boxes_are_copied_where_the_map_says():
    run("""
picture = np.arange(20 * 24, dtype=np.int32).reshape(20, 24)
array = gpuarray.to_gpu(picture)
tile = cuda.TensorMap.tiled(array, box=(4, 8))
assert (box_of(tile, (4, 8), 8, 3) == picture[3:7, 8:16]).all()
beside = box_of(tile, (4, 8), 20, 18)  # beyond the last column and row there are zeros
assert (beside[:2, :4] == picture[18:, 20:]).all() and (beside[2:] == 0).all() and (beside[:, 4:] == 0).all()
assert (box_of(tile, (4, 8), -4, -1)[1:, 4:] == picture[:3, :4]).all()

# Views: every other row, a part, a volume.
rows = cuda.TensorMap.tiled(array[::2], box=(4, 8))
assert (box_of(rows, (4, 8), 8, 2) == picture[::2][2:6, 8:16]).all()
part = cuda.TensorMap.tiled(array[4:, 8:], box=(4, 8))
assert (box_of(part, (4, 8), 4, 1) == picture[4:, 8:][1:5, 4:12]).all()
steps = cuda.TensorMap.tiled(array, box=(4, 8), element_strides=(2, 1))
assert (box_of(steps, (2, 8), 0, 1) == picture[1:5:2, :8]).all()
volume = picture.reshape(5, 4, 24)
cube = cuda.TensorMap.tiled(gpuarray.to_gpu(volume), box=(2, 3, 4))
assert (box_of(cube, (2, 3, 4), 4, 1, 2, rank=3) == volume[2:4, 1:4, 4:8]).all()

# Rows of 32 bytes whose halves of 16 are exchanged in every other group of four rows.
swizzled = cuda.TensorMap.tiled(array, box=(8, 8), swizzle=cuda.tensor_map_swizzle.SWIZZLE_32B)
found, plain = box_of(swizzled, (8, 8), 0, 0), picture[:8, :8]
assert (found[:4] == plain[:4]).all() and (found[4:] == plain[4:][:, [4, 5, 6, 7, 0, 1, 2, 3]]).all()
""")


def test_pixels_are_copied_as_columns():
    run("""
images = np.arange(2 * 6 * 5 * 4, dtype=np.int32).reshape(2, 6, 5, 4)
# A filter of 3 x 3: its first pixel moves over all but the last two columns and rows.
columns = cuda.TensorMap.im2col(gpuarray.to_gpu(images), (0, 0), (-2, -2), channels_per_pixel=4, pixels_per_column=8)
for dy in range(3):
    for dx in range(3):
        found = box_of(columns, (8, 4), 0, 0, 0, rank=4, w=1, offsets=dx | dy << 8)
        wanted = images[1, dy:dy + 4, dx:dx + 3].reshape(-1, 4)[:8]
        assert (found == wanted).all(), (dx, dy)
""")


WIDE = r'''
kernels = SourceModule("""
struct alignas(64) Map { unsigned long long words[16]; };
template <bool fixed>
__device__ void load(int *out, const Map *map, int words, int w, int h, int n, int halo, int offset)
{
  extern __shared__ __align__(1024) int box[];
  __shared__ alignas(8) unsigned long long bar;
  const unsigned barrier = __cvta_generic_to_shared(&bar), place = __cvta_generic_to_shared(box);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(barrier));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(words * 4) : "memory");
    if (fixed)
      asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {0, %2, %3, %4}], [%5], {%6, %7};"
                   :: "r"(place), "l"(map), "r"(w), "r"(h), "r"(n), "r"(barrier), "h"((short)halo),
                      "h"((short)offset) : "memory");
    else
      asm volatile("cp.async.bulk.tensor.4d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes"
                   " [%0], [%1, {0, %2, %3, %4}], [%5], {%6, %7};"
                   :: "r"(place), "l"(map), "r"(w), "r"(h), "r"(n), "r"(barrier), "h"((short)halo),
                      "h"((short)offset) : "memory");
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }"
                 :: "r"(barrier) : "memory");
  }
  __syncthreads();
  for (int i = threadIdx.x; i < words; i += blockDim.x) out[i] = box[i];
}
extern "C" __global__ void w(int *o, const __grid_constant__ Map m, int s, int w, int h, int n, int halo, int offset)
{ load<false>(o, &m, s, w, h, n, halo, offset); }
extern "C" __global__ void w128(int *o, const __grid_constant__ Map m, int s, int w, int h, int n, int halo, int offset)
{ load<true>(o, &m, s, w, h, n, halo, offset); }
""", arch="sm_100a", no_extern_c=True)


def columns(kernel, tensor_map, pixels, w, h, n, halo=0, offset=0):
    out = gpuarray.empty((pixels, 4), np.int32)
    kernels.get_function(kernel)(out, tensor_map, *map(np.int32, (out.size, w, h, n, halo, offset)), block=(32, 1, 1),
                                 shared=out.nbytes)
    return out.get()


images = np.arange(5 * 3 * 7 * 4, dtype=np.int32).reshape(5, 3, 7, 4) + 1
array = gpuarray.to_gpu(images)
encode = cuda.TensorMap.im2col_wide
'''


def run_wide(code, kernels=WIDE):
    """On a device of compute capability 10.0, of which the CPU driver can be one."""
    if not is_cpu():
        pytest.skip("needs a device with such copies: compute capability 10.0")
    head = "import numpy as np\nimport pycuda.autoinit\nimport pycuda.driver as cuda\nfrom pycuda import gpuarray\n"
    return run_program(head + "from pycuda.compiler import SourceModule\n" + kernels + code, PYCUDA_CPU_ARCH="100")[0]


def test_pixels_of_a_row_are_copied_from_image_to_image(context):
    run_wide("""
def expected(lower, upper, step, pixels, w, h, n, offset):
    found = []
    while len(found) < pixels:
        for place in range(w + offset, 7 + upper + offset, step):
            is_inside = 0 <= place < 7 and n < 5
            found.append(images[n, h, place] if is_inside else np.zeros(4, np.int32))
        w, n = lower, n + 1
    return np.array(found[:pixels])

for lower, upper, step, w in ((0, 0, 1, 0), (0, -2, 1, 3), (-1, 1, 1, -1), (-1, 0, 2, 1), (1, 0, 3, -2)):
    for offset in (0, 1, 2):
        for n in (0, 3):
            steps = (1, 1, step, 1)
            case = (lower, upper, step, w, offset, n)
            wide = encode(array, lower, upper, 4, 17, element_strides=steps)
            found = columns("w", wide, 17, w, 1, n, offset=offset)
            assert (found == expected(lower, upper, step, 17, w, 1, n, offset)).all(), case
            wide = encode(array, lower, upper, 4, 9999, mode=1, element_strides=steps)
            found = columns("w128", wide, 128, w, 2, n, offset=offset)
            assert (found == expected(lower, upper, step, 128, w, 2, n, offset)).all(), case
""")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ('columns("w", encode(array, 0, 0, 4, 8), 8, 0, 0, 0, halo=2)', "pixels of a halo"),
        (
            'columns("w128", encode(array, 0, 0, 4, 8), 8, 0, 0, 0)',
            "a copy with .im2col::w::128 by a tensor map of cuTensorMapEncodeIm2colWide, mode W",
        ),
        (
            'columns("w", cuda.TensorMap.im2col(array, (0, 0), (0, 0), 4, 8), 8, 0, 0, 0)',
            "a copy with .im2col::w by a tensor map of cuTensorMapEncodeIm2col",
        ),
    ],
)
def test_copies_along_rows_need_their_maps_and_no_halo(context, call, said):
    code = f"try:\n    {call}\nexcept cuda.Error as error:\n    print(error)\n"
    assert said in run_wide(code)


ROWS = r'''
kernels = SourceModule("""
struct alignas(64) Map { unsigned long long words[16]; };
extern "C" __global__ void gather(int *out, const __grid_constant__ Map map, int words, int x, int a, int b, int c,
                                  int d)
{
  extern __shared__ __align__(1024) int box[];
  __shared__ alignas(8) unsigned long long bar;
  const unsigned barrier = __cvta_generic_to_shared(&bar), place = __cvta_generic_to_shared(box);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(barrier));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(barrier), "r"(words * 4) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3, %4, %5, %6}], [%7];"
                 :: "r"(place), "l"(&map), "r"(x), "r"(a), "r"(b), "r"(c), "r"(d), "r"(barrier) : "memory");
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again; }"
                 :: "r"(barrier) : "memory");
  }
  __syncthreads();
  for (int i = threadIdx.x; i < words; i += blockDim.x) out[i] = box[i];
}
extern "C" __global__ void scatter(const int *in, const __grid_constant__ Map map, int words, int x, int a, int b,
                                   int c, int d, int adds)
{
  extern __shared__ __align__(1024) int box[];
  const unsigned place = __cvta_generic_to_shared(box);
  for (int i = threadIdx.x; i < words; i += blockDim.x) box[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    if (adds)
      asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4.bulk_group"
                   " [%0, {%1, %2, %3, %4, %5}], [%6];"
                   :: "l"(&map), "r"(x), "r"(a), "r"(b), "r"(c), "r"(d), "r"(place) : "memory");
    else
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group"
                   " [%0, {%1, %2, %3, %4, %5}], [%6];"
                   :: "l"(&map), "r"(x), "r"(a), "r"(b), "r"(c), "r"(d), "r"(place) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
""", arch="sm_100a", no_extern_c=True)


def gather(tensor_map, x, *rows, width=8):
    out = gpuarray.empty((4, width), np.int32)
    kernels.get_function("gather")(out, tensor_map, *map(np.int32, (out.size, x, *rows)), block=(32, 1, 1),
                                   shared=out.nbytes)
    return out.get()


def scatter(values, tensor_map, x, *rows, adds=0):
    values = gpuarray.to_gpu(values)
    kernels.get_function("scatter")(values, tensor_map, *map(np.int32, (values.size, x, *rows, adds)), block=(32, 1, 1),
                                    shared=values.nbytes)


host = np.arange(20 * 24, dtype=np.int32).reshape(20, 24)
array = gpuarray.to_gpu(host)
tile = cuda.TensorMap.tiled(array, box=(1, 8))
'''


def test_four_rows_are_copied_at_once(context):
    run_wide(
        """
assert (gather(tile, 4, 7, 0, 19, 7) == host[[7, 0, 19, 7], 4:12]).all()
beside = gather(tile, 20, 3, -1, 20, 5)  # what is outside is 0
assert (beside[[0, 3], :4] == host[[3, 5], 20:]).all() and not beside[:, 4:].any() and not beside[1:3].any()
swizzled = cuda.TensorMap.tiled(array, box=(1, 8), swizzle=cuda.tensor_map_swizzle.SWIZZLE_32B)
assert (gather(swizzled, 8, 1, 3, 5, 9) == host[[1, 3, 5, 9], 8:16]).all()

values = np.arange(32, dtype=np.int32).reshape(4, 8) + 1000
scatter(values, tile, 8, 2, 11, 4, 19)
host[[2, 11, 4, 19], 8:16] = values
scatter(values, tile, 16, 0, 1, 30, 3, adds=1)  # row 30 is outside
host[[0, 1, 3], 16:] += values[[0, 1, 3]]
assert (array.get() == host).all()
""",
        ROWS,
    )


def test_copies_of_four_rows_need_a_box_of_one(context):
    output = run_wide(
        "try:\n    gather(cuda.TensorMap.tiled(array, box=(2, 8)), 0, 0, 1, 2, 3)\n"
        "except cuda.Error as error:\n    print(error)\n",
        ROWS,
    )
    assert "a copy of rows one by one by a tensor map whose box has more than one" in output


def test_a_map_is_moved_to_another_array_and_keeps_it():
    run("""
import gc, weakref
first = gpuarray.to_gpu(np.arange(64, dtype=np.int32).reshape(8, 8))
second = first + 100
tile = cuda.TensorMap.tiled(first, box=(2, 4))
assert tile.array is first
before = bytes(tile)
tile.replace_array(second)
assert tile.array is second and bytes(tile) != before and len(before) == 128
second, kept = None, weakref.ref(second)
gc.collect()
assert kept() is not None
assert box_of(tile, (2, 4), 4, 1).tolist() == [[112, 113, 114, 115], [120, 121, 122, 123]]
for other, name in ((gpuarray.zeros((8, 4), np.int32), "shape"), (gpuarray.zeros((8, 8), np.float32), "dtype")):
    try:
        tile.replace_array(other)
    except ValueError as error:
        assert str(error) == f"the new array differs in its {name}; make a new tensor map", error
    else:
        raise AssertionError(name)
""")


def test_what_cannot_be_mapped_says_which_rule_it_breaks():
    run("""
array = gpuarray.zeros((8, 16), np.float32)
tiled, im2col = cuda.TensorMap.tiled, cuda.TensorMap.im2col
narrow = cuda.tensor_map_swizzle.SWIZZLE_32B
for error, words, call in (
    (TypeError, "made of a GPUArray", lambda: tiled(np.zeros((8, 16)), (1, 4))),
    (TypeError, "no elements of dtype complex64", lambda: tiled(gpuarray.zeros((8, 16), np.complex64), (1, 4))),
    (TypeError, "elements of 4 bytes in an array that is mapped as elements of 2 bytes",
     lambda: tiled(array, (1, 8), data_type=cuda.tensor_map_data_type.FLOAT16)),
    (ValueError, "without elements", lambda: tiled(gpuarray.zeros((0, 16), np.float32), (1, 4))),
    (ValueError, "1 to 5 dimensions, not 6",
     lambda: tiled(gpuarray.zeros((1,) * 5 + (16,), np.float32), (1,) * 5 + (4,))),
    (ValueError, "is not a multiple of 16", lambda: tiled(array[:, 1:], (1, 4))),
    (ValueError, "not neighbours: they are 64 bytes apart and have 4", lambda: tiled(array.T, (1, 4))),
    (ValueError, "a stride of 20 bytes", lambda: tiled(gpuarray.zeros((4, 5), np.float32), (1, 4))),
    (ValueError, "the box has 1 dimensions, the tensor 2", lambda: tiled(array, 4)),
    (ValueError, "1 to 256 elements, not 0", lambda: tiled(array, (0, 4))),
    (ValueError, "1 to 256 elements, not 300", lambda: tiled(array, (300, 4))),
    (ValueError, "a row of the box has 12 bytes", lambda: tiled(array, (1, 3))),
    (ValueError, "a row of the box has 64 bytes; with this swizzle at most 32",
     lambda: tiled(array, (1, 16), swizzle=narrow)),
    (ValueError, "an element stride is 1 to 8, not 9", lambda: tiled(array, (1, 4), element_strides=(9, 1))),
    (ValueError, "element_strides has 1 numbers", lambda: tiled(array, (1, 4), element_strides=(1,))),
    (ValueError, "3 to 5 dimensions, not 2", lambda: im2col(array, (), (), 4, 8)),
    (ValueError, "each of the 2 dimensions of space",
     lambda: im2col(gpuarray.zeros((1, 4, 4, 4), np.float32), (0,), (0,), 4, 8)),
    (ValueError, "a corner at 200", lambda: im2col(gpuarray.zeros((1, 4, 4, 4), np.float32), (0, 0), (200, 0), 4, 8)),
    (ValueError, "1 to 1024 pixels, not 2000",
     lambda: im2col(gpuarray.zeros((1, 4, 4, 4), np.float32), (0, 0), (0, 0), 4, 2000)),
    (cuda.LogicError, "cuTensorMapEncodeTiled failed", lambda: tiled(array, (1, 4), oob_fill=7)),
    (TypeError, "is a tensor map of 128 bytes, but the parameter has 8 bytes",
     lambda: SourceModule("__global__ void f(float *x) {}").get_function("f")(tiled(array, (1, 4)), block=(1, 1, 1))),
):
    try:
        call()
    except error as caught:
        assert words in str(caught), (words, str(caught))
    else:
        raise AssertionError(words)
""")


def test_copies_from_shared_memory_may_end_beyond_the_array_but_not_begin_before_it():
    run("""
module = SourceModule(r'''
struct alignas(64) Map { unsigned long long words[16]; };
extern "C" __global__ void store_box(const __grid_constant__ Map map, int x, int y)
{
  __shared__ __align__(1024) int box[32];
  for (int i = 0; i < 32; ++i) box[i] = i + 1;
  asm volatile("fence.proxy.async;" ::: "memory");
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
               :: "l"(&map), "r"(x), "r"(y), "r"((unsigned)__cvta_generic_to_shared(box)) : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}
''', no_extern_c=True)
array = gpuarray.zeros((8, 16), np.int32)
tile = cuda.TensorMap.tiled(array, box=(4, 8))
store = module.get_function("store_box")
store(tile, np.int32(12), np.int32(6), block=(1, 1, 1))
wanted = np.zeros((8, 16), np.int32)
wanted[6:, 12:] = np.arange(1, 33).reshape(4, 8)[:2, :4]
assert (array.get() == wanted).all()
try:
    store(tile, np.int32(0), np.int32(-1), block=(1, 1, 1))
    cuda.Context.synchronize()
except cuda.Error as error:
    assert "illegal instruction" in str(error), error
    on_cpu = "negative coordinate" in str(error)
    assert on_cpu or "CPU" not in pycuda.autoinit.device.name(), error
else:
    raise AssertionError("a copy to row -1 was accepted")
""")


def test_devices_without_tensor_maps_refuse_them():
    run_program(
        """
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
try:
    cuda.TensorMap.tiled(gpuarray.zeros((8, 16), np.float32), (1, 4))
except cuda.Error as error:
    assert "cuTensorMapEncodeTiled failed" in str(error), error
else:
    assert pycuda.autoinit.device.get_attribute(cuda.device_attribute.TENSOR_MAP_ACCESS_SUPPORTED)
""",
        PYCUDA_CPU_ARCH="80",
    )


def test_columns_along_a_row_need_a_device_with_such_copies(context):
    def encode(**changed):
        wanted = {"lower_corner": -1, "upper_corner": 1, "channels_per_pixel": 64, "pixels_per_column": 32} | changed
        return cuda.TensorMap.im2col_wide(gpuarray.zeros((1, 8, 64, 64), np.float32), **wanted)

    on_gpu = not is_cpu() and context.get_device().compute_capability() >= (9, 0)
    if on_gpu and cuda.get_driver_version() >= 12080:
        assert isinstance(encode(), cuda.TensorMap)
    else:
        with pytest.raises(cuda.Error, match="cuTensorMapEncodeIm2colWide"):
            encode()
    with pytest.raises(TypeError, match="lower_corner"):
        encode(lower_corner=(0, 0))
    with pytest.raises((ValueError, TypeError), match="mode"):
        encode(mode="w")
