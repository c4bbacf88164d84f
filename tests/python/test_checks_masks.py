# SPDX-License-Identifier: MIT
"""Masks of warp operations may name lanes that have exited or do not exist; a shuffle must not read from them.

Kernels run as vectors and thread by thread.
"""

import json

import pytest
from programs import run_program

pytestmark = pytest.mark.usefixtures("programs_on_cpu")

FORMS = pytest.mark.parametrize("vector", ["1", "0"], ids=["vectors", "threads"])

#: Each kernel gets the array and the number of threads that stay; `t` is the thread, `a[t]` its result.
HEAD = """
import json

import numpy as np
import pycuda
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

def run(body, threads, stay):
    source = "#include <cooperative_groups.h>\\nextern \\"C\\" __global__ void k(int *a, int n, int d) {"
    source += f"int t = threadIdx.x; if (t >= n) return; {body} }}"
    kernel = SourceModule(source, options=["-lineinfo"], no_extern_c=True).get_function("k")
    results = []
    for checks in ((), ("sync",)):
        a = np.full(threads, -1, np.int32)
        arguments = cuda.InOut(a), np.int32(stay), np.int32(4)
        if checks:
            with pycuda.checks(*checks) as found:
                kernel(*arguments, block=(threads, 1, 1))
                is_vector = kernel.plan(block=(threads, 1, 1)).is_vector
        else:
            kernel(*arguments, block=(threads, 1, 1))
        results.append(a.tolist())
    assert results[0] == results[1], results
    return found, results[0], is_vector
"""


def _run(cases, vector):
    """What `run` gives for each: the findings' threads, messages and remedies, the results, and whether in vectors."""
    program = f"""{HEAD}
for case in {cases!r}:
    found, results, is_vector = run(*case)
    print(json.dumps([[(one.thread, one.message, one.remedy) for one in found], results, is_vector]))
"""
    output, _ = run_program(program, PYCUDA_CPU_CHECK=None, PYCUDA_CPU_VECTOR=vector, PYCUDA_CPU_PATIENCE="-1")
    return [json.loads(line) for line in output.splitlines()]


def _lanes(threads, value):
    return [value(t) for t in range(threads)]


#: Of 32 threads of which 20 stay, and of blocks of 20: what the lanes that stay compute.
LEGAL = {
    "a[t] = t; __syncwarp(); a[t] += 1;": lambda t: t + 1,
    "a[t] = __any_sync(0xffffffff, t == 19);": lambda t: 1,
    "a[t] = __all_sync(0xffffffff, t < 20);": lambda t: 1,
    "a[t] = __ballot_sync(0xffffffff, t > 3);": lambda t: 0xFFFF0,
    "a[t] = __match_any_sync(0xffffffff, t / 8);": lambda t: (0xFF, 0xFF00, 0xF0000)[t // 8],
    "int p; a[t] = __match_all_sync(0xffffffff, 7, &p) + p;": lambda t: 0x100000,
    "a[t] = __reduce_add_sync(0xffffffff, t);": lambda t: 190,
    "a[t] = __reduce_max_sync(0xffffffff, t);": lambda t: 19,
    "a[t] = __shfl_sync(0xffffffff, t + 5, 0);": lambda t: 5,
    "a[t] = __shfl_up_sync(0xffffffff, t, d);": lambda t: max(t - 4, t % 4),
    "a[t] = __shfl_xor_sync(0xffffffff, t, 3);": lambda t: t ^ 3,
    "a[t] = __shfl_down_sync(0xffffffff, t, 2, 4);": lambda t: t + 2 if t % 4 < 2 else t,
    "a[t] = cooperative_groups::tiled_partition<4>(cooperative_groups::this_thread_block()).shfl(t, 1);": (
        lambda t: t // 4 * 4 + 1
    ),
    "a[t] = cooperative_groups::coalesced_threads().size();": lambda t: 20,
}


@FORMS
def test_masks_name_lanes_that_have_exited_or_do_not_exist(vector):
    cases = [(body, threads, 20) for body in LEGAL for threads in (32, 20)]
    # In the second warp of a block, too.
    cases.append(("a[t] = __ballot_sync(0xffffffff, 1);", 64, 40))
    outcomes = _run(cases, vector)
    for (body, threads, stay), (found, results, is_vector) in zip(cases, outcomes, strict=True):
        assert found == [], (body, threads)
        # A tile's mask is another one in each of them.
        assert is_vector == (vector == "1" and "tiled_partition" not in body), body
        if threads != 64:
            assert results == _lanes(stay, LEGAL[body]) + [-1] * (threads - stay), body
    assert outcomes[-1][1] == [-1] * 32 + [0xFF] * 8 + [-1] * 24


ELECT = r"""asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; }" : "=r"(a[t]));"""


@FORMS
def test_elect_chooses_among_the_lanes_that_have_not_exited(vector, monkeypatch):
    monkeypatch.setenv("PYCUDA_CPU_ARCH", "90a")
    for threads in (32, 20):
        ((found, results, _),) = _run([(ELECT, threads, 20)], vector)
        assert found == []
        assert results == [0] * 20 + [-1] * (threads - 20)


EXITED = "which has exited: the value that it gets is undefined"
#: (body, threads, threads that stay, the first lane that reads, the lane it reads from, other lanes, why)
READS = [
    ("a[t] = __shfl_down_sync(0xffffffff, t, 4);", 32, 20, 16, 20, 3, EXITED),
    ("a[t] = __shfl_down_sync(0xffffffff, t, d);", 32, 20, 16, 20, 3, EXITED),
    ("a[t] = __shfl_down_sync(0xffffffff, t, 3);", 32, 31, 28, 31, 0, EXITED),
    ("a[t] = __shfl_xor_sync(0xffffffff, t, 16);", 32, 20, 4, 20, 11, EXITED),
    ("a[t] = __shfl_sync(0xffffffff, t, 31);", 32, 20, 0, 31, 19, EXITED),
    ("a[t] = __shfl_sync(0xffffffff, t, t + d);", 64, 40, 4, 8, 3, EXITED),
    ("if (t >= 4) a[t] = __shfl_up_sync(0xffffffff, t, 4);", 32, 32, 4, 0, 3, EXITED),
    (
        "a[t] = __shfl_down_sync(0xffffffff, t, 4);",
        *(20, 20, 16, 20, 3),
        "which the block of 20 threads does not have: the value that it gets is undefined",
    ),
    (
        "unsigned m = __ballot_sync(0xffffffff, t % 2); if (t % 2) a[t] = __shfl_sync(m, t, t - 1);",
        *(32, 32, 1, 0, 15),
        "which the mask 0xaaaaaaaa does not name: the value that it gets is undefined",
    ),
    (
        "a[t] = t < 16 ? __shfl_xor_sync(0xffff, t, 16) : __shfl_xor_sync(0xffff0000, t, 8);",
        *(32, 32, 0, 16, 15),
        "which the mask 0x0000ffff does not name: the value that it gets is undefined",
    ),
]
REMEDIES = {
    "exited": "let all lanes of the warp reach the shuffle, those beyond the end with a neutral value",
    "name": "name the lane in the mask",
    "have": "start blocks of a multiple of 32 threads",
}


@FORMS
def test_a_shuffle_reads_from_a_lane_that_does_not_take_part(vector):
    outcomes = _run([case[:3] for case in READS], vector)
    for (body, threads, _, lane, source, others, why), (found, results, is_vector) in zip(READS, outcomes, strict=True):
        ((thread, message, remedy),) = found
        # Of 64 threads, those of the second warp do.
        first = lane + (32 if threads == 64 else 0)
        assert thread == [first, 0, 0], body
        operations = {"_down_": "down", "_up_": "up", "_xor_": "bfly", "_sync": "idx"}
        name = next(operation for part, operation in operations.items() if f"shfl{part}" in body)
        words = f"lane {lane} reads from lane {source} by shfl.{name}, {why}"
        if others:
            words += f", as in {others} other lane" + ("s" if others > 1 else "")
        assert message == words, body
        assert remedy.startswith(REMEDIES[why.split(":")[0].split()[-1]]), body
        assert results[first] == first, f"{body}: the lane's own value in both forms"
        # Two constant masks in a divergent branch wait for each other.
        assert is_vector == (vector == "1" and "?" not in body), body


BARRIERS = [
    "__syncthreads();",
    "a[t] = __syncthreads_count(1);",
    "a[t] = __syncthreads_and(1);",
    "a[t] = __syncthreads_or(1);",
    "cooperative_groups::this_thread_block().sync();",
]


@FORMS
def test_threads_that_have_returned_miss_each_kind_of_barrier(vector):
    outcomes = _run([(body, 64, 40) for body in BARRIERS], vector)
    for body, (found, results, is_vector) in zip(BARRIERS, outcomes, strict=True):
        ((thread, message, remedy),) = found
        assert message == (
            "24 threads exited without reaching a barrier that the others of the block wait at, the first is thread "
            "(40, 0, 0): it opens without them, and anything that they should have stored before is missing"
        )
        assert thread == [0, 0, 0] and remedy.startswith("replace if (i >= n) return;"), body
        assert is_vector == (vector == "1"), body
        if "_count" in body:
            assert results[:40] == [40] * 40
