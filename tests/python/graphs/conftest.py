# SPDX-License-Identifier: MIT
"""Fixtures: a stream, and kernels to put into graphs."""

import pycuda.driver as cuda
import pytest
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void scale(float *x, float factor) { x[threadIdx.x] *= factor; }
__global__ void add(float *x, const float *y) { x[threadIdx.x] += y[threadIdx.x]; }
"""


@pytest.fixture
def stream(context):
    return cuda.Stream()


@pytest.fixture
def module(context):
    return SourceModule(SOURCE)


@pytest.fixture
def scale(module):
    return module.get_function("scale")


@pytest.fixture
def add(module):
    return module.get_function("add")
