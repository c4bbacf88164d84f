#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/ptx/run/<group>/*.ptx for what touches memory and other threads: every family in every type.

    tests/ptx/generate_threads.py [folder]

What must come out stands in the files: it follows from the PTX manual and is computed by the modules beside this one.
generate.py does the same for arithmetic, whose results are recorded on a GPU.
"""

import sys
from pathlib import Path

from atomic_tests import atomics
from barrier_tests import barriers
from blackwell_tests import blackwell
from bulk_tests import bulk
from cluster_tests import clusters
from control_tests import control
from file_tests import Suite
from half_rounding_tests import half_rounding
from matrix_tests import matrices
from memory_tests import memory
from narrow_tests import narrow_numbers
from scaled_tests import scaled_matrices
from sparse_group_tests import sparse_warp_groups
from sparse_tests import sparse_matrices
from syntax_tests import syntax
from warp_tests import warps
from wgmma_tests import warp_groups


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "run"
    suite = Suite()
    for group in (
        memory,
        atomics,
        warps,
        matrices,
        sparse_matrices,
        barriers,
        clusters,
        bulk,
        warp_groups,
        sparse_warp_groups,
        blackwell,
        narrow_numbers,
        half_rounding,
        scaled_matrices,
        control,
        syntax,
    ):
        group(suite)
    suite.write(folder)


if __name__ == "__main__":
    main()
