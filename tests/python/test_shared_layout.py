# SPDX-License-Identifier: MIT
"""Shared memory as on a device of compute capability 8.0: whose bytes lie where, in every form that kernels run in."""

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

FORMS = [{}, {"PYCUDA_CPU_VECTOR": 0}, {"PYCUDA_CPU_CHECK": 1}]


def form_name(form):
    return "-".join(f"{name}={value}" for name, value in form.items()) or "default"


PTX = r"""
import os
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv

def run(declarations, body, shared=0, words=8, version="8.1", target="sm_80", block=1):
    text = f'''.version {version}
.target {target}
.address_size 64
{declarations}
.visible .entry k(.param .u64 out)
{{
  .reg .b32 %r<16>;
  .reg .b64 %p;
  ld.param.u64 %p, [out];
  {body}
  ret;
}}
'''
    out = np.zeros(words, np.uint32)
    drv.module_from_buffer(text.encode()).get_function("k")(drv.Out(out), block=(block, 1, 1), shared=shared)
    return out.tolist()

def stores(*values):
    return "".join(f"mov.u32 %r0, {value}; st.global.u32 [%p+{4 * i}], %r0;" for i, value in enumerate(values))
"""


@pytest.mark.parametrize("form", FORMS, ids=form_name)
def test_only_extern_arrays_without_a_size_are_dynamic(form):
    program = r"""
use = '''mov.u32 %r1, first; mov.u32 %r2, second; mov.u32 %r3, 11; st.shared.u32 [%r1], %r3; mov.u32 %r3, 22;
st.shared.u32 [%r2], %r3; ld.shared.u32 %r3, [%r1]; st.global.u32 [%p], %r3; sub.u32 %r3, %r2, %r1;
st.global.u32 [%p+4], %r3;'''
two = ".extern .shared .align 8 .b8 first[512];\n.extern .shared .align 8 .b8 second[256];"
first, distance = run(two, use)[:2]
assert first == 11 and distance >= 512, (first, distance)
# Scalars, and behind a plain array.
first, distance = run(".extern .shared .b32 first;\n.extern .shared .b32 second;", use)[:2]
assert first == 11 and distance >= 4, (first, distance)
# Without a size, arrays begin at the same place, behind those that have one.
first, distance = run(".shared .b32 first;\n.extern .shared .align 8 .b8 second[];", use, shared=16)[:2]
assert first == 11 and distance >= 4, (first, distance)
unsized = ".extern .shared .align 8 .b8 first[];\n.extern .shared .align 8 .b8 second[];"
first, distance = run(unsized, use, shared=16)[:2]
assert (first, distance) == (22, 0)
print("right")
"""
    assert run_program(PTX + program, PYCUDA_DRIVER="cpu", **form)[0] == "right\n"


@pytest.mark.parametrize("form", FORMS, ids=form_name)
def test_the_system_reserves_shared_memory_in_front_of_the_blocks_own(form):
    program = r"""
checked = "PYCUDA_CPU_CHECK" in os.environ
names = ["begin", "end", "cap", "0", "1"]
for declared, dynamic in ((0, 0), (512, 0), (100, 0), (0, 1000), (130, 40), (0, 49152)):
    arrays = f".shared .align 8 .b8 own[{declared}];" if declared else ""
    arrays += ".extern .shared .align 16 .b8 more[];" if dynamic else ""
    use = "mov.u32 %r5, own; st.shared.u32 [%r5], %r5;" if declared else ""
    use += "mov.u32 %r6, more; st.shared.u32 [%r6], %r6;" if dynamic else ""
    reserved = [f"%reserved_smem_offset_{name}" for name in names]
    places = "st.global.u32 [%p+28], %r5; st.global.u32 [%p+32], %r6;"
    answers = run(arrays, use + stores(*reserved, "%total_smem_size", "%dynamic_smem_size") + places,
                  shared=dynamic, words=9)
    begin, end, cap, zero, one, total, asked, own, more = answers
    assert (begin, end, cap, zero, one) == (0, 288, 1024, 0, 0), answers  # as an H100 answers
    assert total % 128 == 0 and total >= declared + dynamic, answers
    assert asked == dynamic, answers
    assert not declared or own == 1024, answers
    apart = 32 if checked and declared else 0
    assert not dynamic or more == 1024 + (declared + apart + 15) // 16 * 16, answers
sizes = stores("%total_smem_size", "%aggr_smem_size")
for declared, dynamic in ((200, 0), (512, 0), (8, 1000), (130, 40)):
    arrays = f".shared .b8 own[{declared}];"
    total, all_of_it = run(arrays, "st.shared.u8 [own], %r1;" + sizes, shared=dynamic, target="sm_90")[:2]
    assert all_of_it == 1024 + declared + dynamic, all_of_it
    assert total == (declared + dynamic + 127) // 128 * 128, total
# Its bytes are there, zeros at first, and nobody else's.
answers = run(".shared .align 8 .b8 own[512];", '''
mov.u32 %r1, own; mov.u32 %r2, %reserved_smem_offset_1; mov.u32 %r3, 7; st.shared.u32 [%r1], %r3;
ld.shared.u32 %r4, [%r2]; st.global.u32 [%p], %r4; st.shared.u32 [%r2], %r3; mov.u32 %r4, %reserved_smem_offset_cap;
st.shared.u32 [%r4+-4], %r4; ld.shared.u32 %r4, [%r1]; st.global.u32 [%p+4], %r4;''')
assert answers[:2] == [0, 7], answers
print("right")
"""
    assert run_program(PTX + program, PYCUDA_DRIVER="cpu", **form)[0] == "right\n"


ADDRESSES = r"""
# The checked mode keeps variables apart.
LINES, MORE = (1152, 1536) if "PYCUDA_CPU_CHECK" in os.environ else (1088, 1408)
declarations = '''.shared .align 4 .b8 room[64];
.shared .align 64 .b8 lines[256];
.extern .shared .align 128 .b8 more[];'''

def addresses(body, block=1):
    registers = ".reg .b64 %d<8>; .reg .b16 %h<4>; .reg .pred %c;"
    use = "st.shared.u8 [room], %r1; st.shared.u8 [lines], %r1; st.shared.u8 [more], %r1;"
    return run(declarations, registers + use + body, shared=256, block=block, target="sm_90")
"""


@pytest.mark.parametrize("form", FORMS, ids=form_name)
@pytest.mark.parametrize("block", [1, 64])
def test_addresses_of_shared_memory_begin_behind_the_systems(form, block):
    program = r"""
# 64, 32 and 16 bits; by number and by register; of an array at its end and one that the launch makes.
assert addresses("mov.u64 %d1, room[4]; st.global.u64 [%p], %d1;", BLOCK)[:2] == [1028, 0]
assert addresses("mov.u32 %r1, room; st.global.u32 [%p], %r1;", BLOCK)[0] == 1024
assert addresses("mov.b16 %h1, room; cvt.u32.u16 %r1, %h1; st.global.u32 [%p], %r1;", BLOCK)[0] == 1024
assert addresses("mov.u32 %r2, 12; mov.u64 %d1, room[%r2]; st.global.u64 [%p], %d1;", BLOCK)[0] == 1036
assert addresses("mov.u32 %r1, lines+255; st.global.u32 [%p], %r1;", BLOCK)[0] == LINES + 255
assert addresses("mov.u32 %r1, more; st.global.u32 [%p], %r1;", BLOCK)[0] == MORE
# A generic address and back; address 0 of the window lies in front of them all.
there_and_back = "cvta.shared.u64 %d1, room; cvta.to.shared.u64 %d2, %d1; st.global.u64 [%p], %d2;"
assert addresses(there_and_back, BLOCK)[:2] == [1024, 0]
window = "mov.u64 %d3, 0; cvta.shared.u64 %d1, %d3; cvta.shared.u64 %d2, lines; sub.u64 %d2, %d2, %d1;"
assert addresses(window + "st.global.u64 [%p], %d2;", BLOCK)[:2] == [LINES, 0]
spaces = "cvta.shared.u64 %d1, lines; isspacep.shared %c, %d1; selp.u32 %r1, 1, 0, %c; st.global.u32 [%p], %r1;"
assert addresses(spaces, BLOCK)[0] == 1
# In a cluster of one block, the same.
cluster = "mov.u32 %r1, room; mapa.shared::cluster.u32 %r2, %r1, 0; st.shared::cluster.u32 [%r2+4], 77;"
assert addresses(cluster + "ld.shared.u32 %r3, [room+4]; st.global.u32 [%p], %r3;", BLOCK)[0] == 77
print("right")
"""
    program = PTX + ADDRESSES + program.replace("BLOCK", str(block))
    assert run_program(program, PYCUDA_DRIVER="cpu", **form)[0] == "right\n"


@pytest.mark.parametrize("form", FORMS, ids=form_name)
def test_shared_addresses_in_cuda(form):
    program = r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

source = '''
__global__ void k(unsigned *out)
{
  __shared__ unsigned own[64];
  extern __shared__ unsigned more[];
  unsigned t = threadIdx.x;
  own[t] = t;
  more[t] = 100 + t;
  __syncthreads();
  out[3 * t] = __cvta_generic_to_shared(&own[t]);
  out[3 * t + 1] = __cvta_generic_to_shared(&more[t]);
  unsigned value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"((unsigned)__cvta_generic_to_shared(&own[63 - t])));
  out[3 * t + 2] = value + *(unsigned *)__cvta_shared_to_generic(__cvta_generic_to_shared(&more[63 - t]));
}
'''
out = np.zeros((64, 3), np.uint32)
SourceModule(source).get_function("k")(drv.Out(out), block=(64, 1, 1), shared=256)
t = np.arange(64)
assert (out[:, 0] == 1024 + 4 * t).all() and (out[:, 2] == 100 + 2 * (63 - t)).all(), out
assert (out[:, 1] - out[0, 1] == 4 * t).all() and out[0, 1] >= 1280 and out[0, 1] % 16 == 0, out
print("right")
"""
    assert run_program(program, PYCUDA_DRIVER="cpu", **form)[0] == "right\n"


@pytest.mark.parametrize("block", [1, 64])
@pytest.mark.parametrize(
    ("access", "distance"),
    [
        ("ld.shared.u32 %r1, [%r2+-4]", 4),
        ("ld.u32 %r1, [%d1+-4]", 4),
        ("st.shared.u32 [%r2+-1024], 0", 1024),
        ("ld.shared.u32 %r1, [%r2+-2000]", 2000),
        ("ld.u32 %r1, [%d1+-2000]", 2000),
    ],
)
def test_the_systems_bytes_are_not_the_programs(block, access, distance):
    """Within the kilobyte, an H100 reads zeros and says nothing; the checked mode tells of them, too."""
    program = r"""
try:
    body = "mov.u32 %r2, room; cvta.shared.u64 %d1, room; mov.u32 %r1, 0; ACCESS; st.global.u32 [%p], %r1;"
    print(addresses(body, BLOCK)[0])
except drv.Error as error:
    print(error)
"""
    program = PTX + ADDRESSES + program.replace("ACCESS", access).replace("BLOCK", str(block))
    for form in FORMS:
        printed = run_program(program, PYCUDA_DRIVER="cpu", **form)[0]
        if distance <= 1024 and "PYCUDA_CPU_CHECK" not in form:
            assert printed == "0\n"
        else:
            assert f"{distance} bytes before the start of the " in printed and "shared" in printed, printed


def test_reserved_shared_memory_counts_in_attributes_and_occupancy():
    program = r"""
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceData, OccupancyRecord

device = pycuda.autoinit.device
attribute = drv.device_attribute
per_block = device.get_attribute(attribute.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
reserved = device.get_attribute(attribute.RESERVED_SHARED_MEMORY_PER_BLOCK)
assert reserved == 1024
assert per_block + reserved == device.get_attribute(attribute.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
data = DeviceData(device)
assert OccupancyRecord(data, 128, shared_mem=16 * 1024).tb_per_mp == 9  # 164 KiB / 17 KiB
assert OccupancyRecord(data, 128, shared_mem=1024).tb_per_mp == 16
print("right")
"""
    assert run_program(program, PYCUDA_DRIVER="cpu")[0] == "right\n"


TILES = r"""
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

# One source: the headers take longer to compile than the kernels.
HEADERS = '''
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
'''
KERNEL = '''
#define N %d
#define THREADS %d
__global__ void all%d(const int *in, int *o, int *kept)
{
    __shared__ int mine[THREADS];
    %s
    auto t = cg::tiled_partition<N>(b);
    int r = b.thread_rank(), x = in[blockIdx.x * THREADS + r];
    mine[r] = x;
    b.sync();
    int *out = o + 5 * (blockIdx.x * THREADS + r);
    out[0] = cg::reduce(t, x, cg::plus<int>());
    out[1] = t.shfl(x, 3);
    out[2] = t.any(x == 255);
    out[3] = t.all(x >= 0);
    mine[r] = x + 1;
    t.sync();
    out[4] = mine[r / N * N + (t.thread_rank() + 1) %% N];
    b.sync();
    kept[blockIdx.x * THREADS + r] = mine[THREADS - 1 - r];
}
#undef N
#undef THREADS
'''
PLAIN = "auto b = cg::this_thread_block();"
GIVEN = "__shared__ cg::block_tile_memory<THREADS> scratch; auto b = cg::this_thread_block(scratch);"
threads_of = [shape[0] * shape[1] * shape[2] for _, shape, _ in CASES]
kernels = [
    KERNEL % (size, threads, number, GIVEN if scratch else PLAIN)
    for number, ((size, _, scratch), threads) in enumerate(zip(CASES, threads_of))
]
module = SourceModule(HEADERS + "".join(kernels))
for number, ((size, shape, scratch), threads) in enumerate(zip(CASES, threads_of)):
    k = module.get_function("all%d" % number)
    blocks = 2
    a = np.random.default_rng(size).integers(0, 1000, (blocks, threads)).astype(np.int32)
    a[0, 5] = 255
    o, kept = np.zeros((blocks, threads, 5), np.int32), np.zeros((blocks, threads), np.int32)
    k(drv.In(a), drv.Out(o), drv.Out(kept), block=shape, grid=(blocks, 1))
    r = a.reshape(-1, size)
    want = [np.repeat(r.sum(1), size), np.repeat(r[:, 3], size), np.repeat((r == 255).any(1), size),
            np.ones(a.size, int), np.roll(r, -1, 1).ravel() + 1]
    for i in range(5):
        assert (o[..., i].ravel() == want[i]).all(), (size, shape, scratch, i, o[..., i].ravel()[:8], want[i][:8])
    assert (kept == a[:, ::-1] + 1).all(), (size, shape, scratch)
print("right")
"""


@pytest.mark.parametrize("form", FORMS, ids=form_name)
def test_tiles_of_more_than_a_warp_work_together(form):
    small = "[(64, (256, 1, 1), False), (64, (256, 1, 1), True), (128, (16, 16, 1), True), (256, (8, 8, 8), False)]"
    large = "[(512, (512, 1, 1), False), (512, (1024, 1, 1), False), (1024, (1024, 1, 1), True)]"
    cases = f"CASES = {small} + {large}\n"
    assert run_program(cases + TILES, PYCUDA_DRIVER="cpu", **form)[0] == "right\n"
