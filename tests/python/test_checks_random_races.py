# SPDX-License-Identifier: MIT
"""Random kernels in which threads access shared or global memory between barriers: the check for races finds
something exactly where two accesses of a byte are not ordered, in vector code and thread by thread.
"""

import itertools
import json
import random

import pytest
from programs import has_cpu_driver, run_program

pytestmark = pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, which was not built")

KERNELS = 40
TYPES = {"unsigned char": 1, "unsigned short": 2, "int": 4, "long long": 8, "int4": 16}
PLACES = {
    "t": lambda t: t,
    "t ^ 1": lambda t: t ^ 1,
    "t / 2": lambda t: t // 2,
    "t % 16": lambda t: t % 16,
    "63 - t": lambda t: 63 - t,
    "t * 5 % 64": lambda t: t * 5 % 64,
    "t + 1": lambda t: t + 1,
    "3": lambda t: 3,
    "t / 32": lambda t: t // 32,
}
WHO = {
    "true": lambda t: True,
    "t < 16": lambda t: t < 16,
    "t % 2 == 0": lambda t: t % 2 == 0,
    "t == 5": lambda t: t == 5,
    "t >= 32": lambda t: t >= 32,
}
ORDERS = {
    "__syncthreads();": lambda t: 0,
    "__syncwarp();": lambda t: t // 32,
    "__syncwarp(t % 32 < 16 ? 0xffff : 0xffff0000);": lambda t: t // 16,
    "__shfl_sync(~0u, t, 0);": lambda t: t // 32,
}


def _step(chance, number, wide):
    """One line of a kernel, and what each thread does there: (first byte, bytes, kind, value)."""
    kind = chance.choice(["read", "read", "write", "atomic"])
    name = "int" if kind == "atomic" or chance.random() < 0.6 else chance.choice(sorted(TYPES))
    size = TYPES[name]
    place = chance.choice([p for p in PLACES if size <= 4 or p in ("t", "t ^ 1", "t / 2", "t % 16", "3", "t / 32")])
    if size == 16 and place in ("t", "t ^ 1"):
        place = "t / 2"
    # The compiler may let all threads read what some need.
    who = chance.choice(sorted(WHO)) if kind != "read" and chance.random() < 0.5 else "true"
    at = f"(({name} *)m)[{place}]"
    # Of one step all threads write different bytes, or in some steps all the same.
    same = kind == "write" and wide and chance.random() < 0.3
    value = "7" if same else f"(t * 7 + {number * 13}) % 251"
    whole = {"int4": "v.x + v.y + v.z + v.w", "long long": "(int)(v ^ v >> 32)"}.get(name, "v")
    text = {
        "read": f"{{ {name} v = {at}; use += {whole}; }}",
        "write": f"{at} = {f'make_int4({value}, {value}, {value}, {value})' if name == 'int4' else value};",
        "atomic": f"atomicAdd(&{at}, 1);",
    }[kind]
    values = (lambda t: 7) if same else (lambda t: (t * 7 + number * 13) % 251)

    def accesses(t):
        if not WHO[who](t):
            return None
        unit = [values(t), 0, 0, 0] if size in (4, 16) else [values(t)] + [0] * (size - 1)
        return PLACES[place](t) * size, size, kind, (unit * 4)[:size]

    return f"if ({who}) {text}", accesses


def _races(steps, threads):
    """Whether two accesses conflict; None where equal values make it a matter of luck."""
    clocks = [[0] * threads for _ in range(threads)]
    for t in range(threads):
        clocks[t][t] = 1
    done = {}  # by byte
    lucky = False
    for step in steps:
        if isinstance(step, str):
            groups = {}
            for t in range(threads):
                groups.setdefault(ORDERS[step](t), []).append(t)
            for members in groups.values():
                joined = [max(column) for column in zip(*(clocks[t] for t in members), strict=True)]
                for t in members:
                    clocks[t] = list(joined)
                    clocks[t][t] += 1
            continue
        for t in range(threads):
            access = step[1](t)
            if access is None:
                continue
            first, size, kind, value = access
            for i in range(size):
                for other, clock, past, byte in done.get(first + i, ()):
                    if other == t or clocks[t][other] >= clock or (kind == past and kind != "write"):
                        continue
                    if kind == past and byte == value[i]:
                        lucky = True
                        continue
                    return True
                done.setdefault(first + i, []).append((t, clocks[t][t], kind, value[i]))
    return None if lucky else False


def _kernel(seed):
    """The source of a kernel, its block, and whether it has a race."""
    chance = random.Random(seed)
    block = chance.choice([(64, 1, 1), (16, 4, 1), (32, 2, 1), (48, 1, 1), (24, 2, 1), (32, 1, 1)])
    threads = block[0] * block[1]
    wide = chance.random() < 0.5
    steps = []
    for number in range(chance.randint(2, 6)):
        steps.append(_step(chance, number, wide))
        if chance.random() < 0.75:
            orders = [o for o in sorted(ORDERS) if threads % 32 == 0 or o == "__syncthreads();"]
            steps.append(chance.choice(["__syncthreads();", chance.choice(orders)]))
    memory = "__shared__ __align__(16) int m[160];" if chance.random() < 0.7 else "int *m = global;"
    lines = "\n  ".join(step if isinstance(step, str) else step[0] for step in steps)
    source = f"""
__global__ void kernel{seed}(int *global, int *out)
{{
  {memory}
  int t = threadIdx.x + blockDim.x * threadIdx.y, use = 0;
  {lines}
  __syncthreads();
  out[t] = use + m[t] + m[t + 64];
}}
"""
    return source, block, _races(steps, threads)


PROGRAM = """
import json
import pycuda
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule("".join(source for source, _ in CASES), options=["-lineinfo"])
found = []
memory, out = cuda.mem_alloc(4096), cuda.mem_alloc(4096)
for number, (_, block) in enumerate(CASES):
    function = module.get_function("kernel%d" % number)
    with pycuda.checks("race") as list_:
        function(memory, out, block=tuple(block), grid=(1, 1))
    found.append([str(one) for one in list_])
print(json.dumps(found))
"""


@pytest.mark.parametrize("vector", ["1", "0"])
def test_races_are_found_exactly_where_there_are_some(vector):
    kernels = [_kernel(seed) for seed in range(KERNELS)]
    cases = [(source, block) for source, block, _ in kernels]
    output, _ = run_program(f"CASES = {cases!r}\n" + PROGRAM, PYCUDA_DRIVER="cpu", PYCUDA_CPU_VECTOR=vector)
    wrong = [
        (source, block, truth, found)
        for (source, block, truth), found in zip(kernels, json.loads(output), strict=True)
        if truth is not None and truth != bool(found)
    ]
    assert not wrong, "\n".join(itertools.chain.from_iterable(map(str, one) for one in wrong[:3]))
    truths = [truth for _, _, truth in kernels]
    assert truths.count(True) > KERNELS // 4 < truths.count(False)
