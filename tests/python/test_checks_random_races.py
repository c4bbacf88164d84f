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


def _step(chance, number, wide, blocks=1):
    """One line of a kernel, and what each thread does there: (first byte, bytes, kind, value). Of several blocks, which
    access memory at a distance from each other, often all threads access words side by side.
    """
    kind = chance.choice(["read", "read", "write", "atomic"])
    name = "int" if kind == "atomic" or chance.random() < 0.6 else chance.choice(sorted(TYPES))
    size = TYPES[name]
    place = chance.choice([p for p in PLACES if size <= 4 or p in ("t", "t ^ 1", "t / 2", "t % 16", "3", "t / 32")])
    if size == 16 and place in ("t", "t ^ 1"):
        place = "t / 2"
    # The compiler may let all threads read what some need.
    who = chance.choice(sorted(WHO)) if kind != "read" and chance.random() < 0.5 else "true"
    far = 0
    if blocks > 1:
        far = chance.choice([0, 16, 64, 256, 256, 256, 256])
        if chance.random() < 0.5:
            place = "t" if size <= 4 else place
    at = f"(({name} *)(m + b * {far}))[{place}]"
    # Of one step all threads write different bytes, or in some steps all the same.
    same = kind == "write" and wide and chance.random() < 0.3
    value = "7" if same else f"(t * 7 + b * 5 + {number * 13}) % 251"
    whole = {"int4": "v.x + v.y + v.z + v.w", "long long": "(int)(v ^ v >> 32)"}.get(name, "v")
    text = {
        "read": f"{{ {name} v = {at}; use += {whole}; }}",
        "write": f"{at} = {f'make_int4({value}, {value}, {value}, {value})' if name == 'int4' else value};",
        "atomic": f"atomicAdd(&{at}, 1);",
    }[kind]
    values = (lambda t, b: 7) if same else (lambda t, b: (t * 7 + b * 5 + number * 13) % 251)

    def accesses(t, b=0):
        if not WHO[who](t):
            return None
        unit = [values(t, b), 0, 0, 0] if size in (4, 16) else [values(t, b)] + [0] * (size - 1)
        return PLACES[place](t) * size + b * far * 4, size, kind, (unit * 4)[:size]

    return f"if ({who}) {text}", accesses


def _races(steps, threads, blocks=1):
    """Whether two accesses conflict; None where equal values make it a matter of luck."""
    everybody = [(t, b) for b in range(blocks) for t in range(threads)]
    clocks = {one: dict.fromkeys(everybody, 0) for one in everybody}
    for one in everybody:
        clocks[one][one] = 1
    done = {}  # by byte
    lucky = False
    for step in steps:
        if isinstance(step, str):
            groups = {}
            for t, b in everybody:
                groups.setdefault((ORDERS[step](t), b), []).append((t, b))
            for members in groups.values():
                joined = {one: max(clocks[member][one] for member in members) for one in everybody}
                for one in members:
                    clocks[one] = dict(joined)
                    clocks[one][one] += 1
            continue
        for one in everybody:
            access = step[1](*one)
            if access is None:
                continue
            first, size, kind, value = access
            for i in range(size):
                for other, clock, past, byte in done.get(first + i, ()):
                    if other == one or clocks[one][other] >= clock or (kind == past and kind != "write"):
                        continue
                    if kind == past and byte == value[i]:
                        lucky = True
                        continue
                    return True
                done.setdefault(first + i, []).append((one, clocks[one][one], kind, value[i]))
    return None if lucky else False


def _kernel(seed, blocks=1):
    """The source of a kernel, its block, and whether it has a race."""
    chance = random.Random(seed)
    block = chance.choice([(64, 1, 1), (16, 4, 1), (32, 2, 1), (48, 1, 1), (24, 2, 1), (32, 1, 1)])
    threads = block[0] * block[1]
    wide = chance.random() < 0.5
    steps = []
    for number in range(chance.randint(2, 6)):
        steps.append(_step(chance, number, wide, blocks))
        if chance.random() < 0.75:
            orders = [o for o in sorted(ORDERS) if threads % 32 == 0 or o == "__syncthreads();"]
            steps.append(chance.choice(["__syncthreads();", chance.choice(orders)]))
    is_shared = blocks == 1 and chance.random() < 0.7
    memory = "__shared__ __align__(16) int m[160];" if is_shared else "int *m = global;"
    lines = "\n  ".join(step if isinstance(step, str) else step[0] for step in steps)
    last = "" if blocks > 1 else " + m[t] + m[t + 64]"
    source = f"""
__global__ void kernel{seed}(int *global, int *out)
{{
  {memory}
  int t = threadIdx.x + blockDim.x * threadIdx.y, b = blockIdx.x, use = 0;
  {lines}
  __syncthreads();
  out[t + b * 64] = use{last};
}}
"""
    return source, block, _races(steps, threads, blocks)


PROGRAM = """
import json
import pycuda
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule("".join(source for source, _ in CASES), options=["-lineinfo"])
found = []
memory, out = cuda.mem_alloc(16384), cuda.mem_alloc(4096)
for number, (_, block) in enumerate(CASES, FIRST):
    function = module.get_function("kernel%d" % number)
    with pycuda.checks("race") as list_:
        function(memory, out, block=tuple(block), grid=(BLOCKS, 1))
    found.append([str(one) for one in list_])
print(json.dumps(found))
"""


@pytest.mark.parametrize("vector", ["1", "0"])
@pytest.mark.parametrize(("first", "blocks"), [(0, 1), (1000, 3)])
def test_races_are_found_exactly_where_there_are_some(vector, first, blocks):
    kernels = [_kernel(seed, blocks) for seed in range(first, first + KERNELS)]
    cases = [(source, block) for source, block, _ in kernels]
    constants = f"CASES = {cases!r}\nFIRST, BLOCKS = {first}, {blocks}\n"
    output, _ = run_program(constants + PROGRAM, PYCUDA_DRIVER="cpu", PYCUDA_CPU_VECTOR=vector)
    wrong = [
        (source, block, truth, found)
        for (source, block, truth), found in zip(kernels, json.loads(output), strict=True)
        if truth is not None and truth != bool(found)
    ]
    assert not wrong, "\n".join(itertools.chain.from_iterable(map(str, one) for one in wrong[:3]))
    truths = [truth for _, _, truth in kernels]
    assert truths.count(True) > KERNELS // 4
    assert truths.count(False) > KERNELS // (4 if blocks == 1 else 8)
