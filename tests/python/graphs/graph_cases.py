# SPDX-License-Identifier: MIT
"""What the tests of graphs work with."""

import numpy as np
import pycuda.driver as cuda

BLOCK = (32, 1, 1)


def numbers(n=32):
    return np.arange(n, dtype=np.float32)


def run(graph, stream=None):
    graph.instantiate().launch(stream)
    cuda.Context.synchronize()
