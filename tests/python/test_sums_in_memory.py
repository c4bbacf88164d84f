# SPDX-License-Identifier: MIT
"""Loops that store a sum in each trip: a register may stand for it only where the loop reads it in no other way."""

import numpy as np
import pycuda.driver as cuda
import pytest

PTX = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 sum, .param .u64 n)
{{
  .reg .b64 %a, %sum, %n, %i, %row; .reg .b32 %v, %s; .reg .pred %q;
  ld.param.u64 %a, [a]; ld.param.u64 %sum, [sum]; ld.param.u64 %n, [n];
  mov.u32 %v, %tid.x; mul.wide.u32 %row, %v, 256; add.u64 %a, %a, %row; add.u64 %sum, %sum, %row;
  {first}
LOOP:
  ld.global.u32 %s, [%sum]; ld.global.u32 %v, [%a]; add.u64 %a, %a, 4;
  setp.eq.s32 %q, %v, -1; @%q bra END;
  add.u32 %s, %s, %v; st.global.u32 [%sum], %s;
  {count}; @%q bra LOOP;
END:
  ret;
}}
"""
COUNTERS = {
    "below": ("mov.u64 %i, 0;", "add.u64 %i, %i, 1; setp.lt.u64 %q, %i, %n"),
    "at-most": ("mov.u64 %i, 1;", "add.u64 %i, %i, 1; setp.le.u64 %q, %i, %n"),
    "down": ("mov.u64 %i, %n;", "add.u64 %i, %i, -1; setp.gt.u64 %q, %i, 0"),
    "signed": ("mov.u64 %i, 0;", "add.u64 %i, %i, 1; setp.lt.s64 %q, %i, %n"),
    "other": ("mov.u64 %i, 0;", "add.u64 %i, %i, 1; setp.ne.u64 %q, %i, %n"),
}
ROW = np.r_[np.arange(1, 20), -1, np.zeros(44)].astype(np.int32)


def _row_after(place, trips):
    row = ROW.copy()
    for i in range(trips):
        value = row[i]
        if value == -1:
            break
        row[place] += value
    return row


@pytest.mark.parametrize("n", [1, 4, 7, 1000, 2**63 - 1, 2**63, 2**64 - 1000, 2**64 - 1])
@pytest.mark.parametrize("counter", COUNTERS)
def test_loops_that_end_at_a_value_whatever_their_bound(context, counter, n):
    first, count = COUNTERS[counter]
    kernel = cuda.module_from_buffer(PTX.format(first=first, count=count).encode()).get_function("k")
    trips = 1 if counter == "signed" and n >= 2**63 else n
    for place in [5, 40]:
        rows = np.tile(ROW, (64, 1))
        memory = cuda.to_device(rows)
        kernel(memory, np.uint64(int(memory) + 4 * place), np.uint64(n), block=(64, 1, 1))
        cuda.memcpy_dtoh(rows, memory)
        assert (rows == _row_after(place, min(trips, 20))).all()
