#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/ptx/run/<group>/*.ptx: every arithmetic instruction in every form, on special values.

    tests/ptx/generate.py [folder]

One file holds the forms of one opcode and type, a kernel each. The values come from the runner's tables and what must
come out was recorded on a GPU (tests/ptx/golden), so a change here that renames or adds a kernel needs a new recording.
"""

import sys
from pathlib import Path

from compare_tests import comparisons
from convert_tests import conversions
from float_tests import floats, halves, math
from integer_tests import bits, integers
from value_tests import Suite
from video_tests import video


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "run"
    suite = Suite()
    for family in (integers, bits, comparisons, conversions, floats, halves, math, video):
        family(suite)
    suite.write(root)
    print(f"{len(suite.files)} files, {sum(len(k) for _, _, k in suite.files.values())} kernels")


if __name__ == "__main__":
    main()
