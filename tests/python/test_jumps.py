# SPDX-License-Identifier: MIT
"""Control flow that is no nest of loops and conditions: `goto` and `switch` into loops."""

import random

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, run_program
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")


def test_a_switch_into_a_loop():
    kernel = SourceModule("""
    __global__ void hash(const unsigned char *in, unsigned *out) {
      int i = threadIdx.x + blockIdx.x * blockDim.x, c = i % 23 + 1, k = (c + 3) / 4;
      const unsigned char *p = in + i;
      unsigned h = 0;
      switch (c % 4) {
      case 0: do { h = h * 31 + *p++;
      case 3:      h = h * 31 + *p++;
      case 2:      h = h * 31 + *p++;
      case 1:      h = h * 31 + *p++; } while (--k > 0);
      }
      out[i] = h;
    }""").get_function("hash")
    data = np.arange(200 + 24, dtype=np.uint32).astype(np.uint8) * 7
    out = np.zeros(200, np.uint32)
    kernel(cuda.In(data), cuda.Out(out), block=(100, 1, 1), grid=(2, 1))
    for i in range(200):
        expected = 0
        for byte in data[i : i + i % 23 + 1]:
            expected = (expected * 31 + int(byte)) & 0xFFFFFFFF
        assert out[i] == expected


STEPS = 40


class Machine:
    """States with jumps among them, chosen by what the thread has computed, written as labels in CUDA and run here."""

    def __init__(self, seed):
        choose = random.Random(seed)
        states = choose.randint(3, 6)
        self.entries = [choose.randrange(states) for _ in range(choose.choice([1, 2]))]
        self.states = [
            {
                "factor": choose.choice([1, 3, 5]),
                "term": choose.randint(1, 50),
                "shift": choose.randint(1, 6),
                "targets": [choose.choice([*range(states), None]) for _ in range(choose.choice([2, 3, 4, 5]))],
                "as_switch": choose.random() < 0.5,
            }
            for _ in range(states)
        ]

    @staticmethod
    def label(target):
        return "end" if target is None else f"state{target}"

    def source(self, name):
        lines = [f"__global__ void {name}(unsigned *numbers) {{", "unsigned i = threadIdx.x + blockIdx.x * blockDim.x;"]
        lines.append("unsigned x = numbers[i], way; int steps = 0;")
        lines.append(f"if (x & 1) goto {self.label(self.entries[-1])}; goto {self.label(self.entries[0])};")
        for number, state in enumerate(self.states):
            lines.append(f"state{number}: x = x * {state['factor']} + {state['term']}; x ^= x >> {state['shift']};")
            lines.append(f"if (++steps > {STEPS}) goto end; way = x % {len(state['targets'])}u;")
            *most, last = state["targets"]
            if state["as_switch"]:
                cases = " ".join(f"case {way}: goto {self.label(target)};" for way, target in enumerate(most))
                lines.append(f"switch (way) {{ {cases} default: goto {self.label(last)}; }}")
            else:
                lines += [f"if (way == {way}) goto {self.label(target)};" for way, target in enumerate(most)]
                lines.append(f"goto {self.label(last)};")
        return "\n".join([*lines, "end: numbers[i] = x; }"])

    def run(self, x):
        at, steps = self.entries[-1 if x & 1 else 0], 0
        while at is not None:
            state = self.states[at]
            x = (x * state["factor"] + state["term"]) & 0xFFFFFFFF
            x ^= x >> state["shift"]
            steps += 1
            if steps > STEPS:
                break
            at = state["targets"][x % len(state["targets"])]
        return x


def test_jumps_among_states():
    machines = {f"machine{seed}": Machine(seed) for seed in range(12)}
    source = "\n".join(machine.source(name) for name, machine in machines.items())
    module = SourceModule(source)
    numbers = np.random.default_rng(5).integers(0, 2**32, 2 * 33).astype(np.uint32)
    for name, machine in machines.items():
        found = numbers.copy()
        module.get_function(name)(cuda.InOut(found), block=(33, 1, 1), grid=(2, 1))
        assert found.tolist() == [machine.run(int(x)) for x in numbers], name


@pytest.mark.skipif(not has_cpu_driver(), reason="needs the CPU driver, whose compiler is asked")
def test_a_thousand_shuffles_in_a_line_compile_in_little_memory():
    """Thread by thread each of them suspends the thread: what is kept there must not grow with their square."""
    program = """
        import numpy as np
        import pycuda.autoinit
        import pycuda.driver as cuda
        shuffles = "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; add.u32 %r1, %r1, %r2;" * 1000
        ptx = (
            ".version 8.0\\n.target sm_80\\n.address_size 64\\n.visible .entry k(.param .u64 p) {"
            ".reg .b64 %a; .reg .b32 %r<3>; ld.param.u64 %a, [p]; mov.u32 %r1, %tid.x;"
            + shuffles
            + "add.u32 %r1, %r1, 7; st.global.u32 [%a], %r1; ret; }"
        )
        kernel = cuda.module_from_buffer(ptx.encode()).get_function("k")
        out = np.zeros(1, np.uint32)
        kernel(cuda.Out(out), block=(32, 1, 1))
        # Not ru_maxrss, which begins with what the tests' own process had.
        peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
        print(out[0], int(peak.split()[1]) < 1 << 20)
    """
    out, _ = run_program(program, PYCUDA_DRIVER="cpu", PYCUDA_CPU_VECTOR="0", PYCUDA_DISABLE_CACHE="1")
    assert out.split() == ["7", "True"]
