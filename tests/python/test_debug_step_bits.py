# SPDX-License-Identifier: MIT
"""Walks of kernels with bit fields."""

import numpy as np
import pycuda.debug
import pycuda.driver as cuda
import pytest
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("cpu_context")

SOURCE = """
struct Bits { unsigned a : 3, b : 5; int c : 4; long long d : 40; bool e : 1; };
struct Two { Bits of[2]; int plain; };
__global__ void k(int *to, Two *kept)
{
  Bits bits;
  bits.a = 5; bits.b = 17; bits.c = -3; bits.d = -5000000000LL; bits.e = true;
  Two two;
  two.of[1] = bits; two.of[0] = bits; two.plain = 8;
  two.of[0].a = 2;
  kept->of[1].b = 3;
  to[0] = bits.a + bits.b + two.of[0].a + two.of[1].c;
}
"""


def test_bit_fields_have_their_own_values(driver):
    to, kept = np.zeros(1, np.int32), driver.mem_alloc(64)
    driver.memset_d32(kept, 0, 16)
    walk = pycuda.debug.step(SourceModule(SOURCE).get_function("k"), cuda.Out(to), kept, block=(1, 1, 1))
    bits, two = walk[-1].variables["bits"], walk[-1].variables["two"]
    assert [bits[name].item() for name in "abcde"] == [5, 17, -3, -5000000000, True]
    assert two["of"]["a"].tolist() == [2, 5]
    assert two["of"]["c"].tolist() == [-3, -3]
    assert two["plain"] == 8
    (step,) = (one for one in walk if "two.of[0].a = 2" in one.source)
    assert step.effects == ["two.of[0].a = 2"]
    assert step.changed["two"]["of"][0]["b"] == 17
    assert to[0] == 5 + 17 + 2 - 3
    # Through a pointer, the number that has the bits is written: no member is named for it.
    (step,) = (one for one in walk if "kept->of[1].b" in one.source)
    assert [touch.name for touch in step.writes] == ["kept[0].of[1]+0"]
