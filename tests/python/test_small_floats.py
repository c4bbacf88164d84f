# SPDX-License-Identifier: MIT
"""float16 and bfloat16, and structured and vector types as storage."""

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture
def bfloat16():
    return pytest.importorskip("ml_dtypes", reason="needs ml_dtypes").bfloat16


def test_bfloat16_numbers_come_back_as_they_went(bfloat16):
    host = (np.arange(12) * 0.37).astype(bfloat16).reshape(3, 4)
    device = gpuarray.to_gpu(host)
    assert device.dtype == bfloat16
    np.testing.assert_array_equal(device.get(), host)
    np.testing.assert_array_equal(device.T[::2].get(), host.T[::2])
    np.testing.assert_array_equal(gpuarray.to_gpu(host.T).get(), host.T)
    target = np.zeros((3, 4), bfloat16)
    device.get(target)
    np.testing.assert_array_equal(target, host)
    device[1] = host[0]
    np.testing.assert_array_equal(device.get()[1], host[0])


def test_bfloat16_is_rounded_as_the_package_rounds(bfloat16):
    wide = np.concatenate(
        [np.random.default_rng(0).normal(size=500), [0.0, -0.0, np.inf, -np.inf, np.nan, 3.4e38, 1e-40, 1.00390625]]
    ).astype(np.float32)
    device = gpuarray.to_gpu(wide).astype(bfloat16)
    expected = wide.astype(bfloat16).astype(np.float32)
    np.testing.assert_array_equal(device.get().astype(np.float32), expected)
    np.testing.assert_array_equal(device.astype(np.float32).get(), expected)
    for value in (1.00390625, 1.01171875, -3.3e38, 7):
        assert gpuarray.zeros(1, bfloat16).fill(value).get()[0] == bfloat16(value)


def test_bfloat16_is_computed_with(bfloat16):
    host = np.random.default_rng(1).normal(size=(5, 8)).astype(bfloat16)
    device = gpuarray.to_gpu(host)
    for result, expected in (
        (device + device, host + host),
        (device * 2, host * 2),
        (device + bfloat16(1.5), host + bfloat16(1.5)),
        (device / device, host / host),
        (-device, -host),
        (device > 0, host > 0),
        (np.sin(device), np.sin(host)),
        (device + device.astype(np.float32), host + host.astype(np.float32)),
        (device + gpuarray.to_gpu(np.ones((5, 8), np.int8)), host + np.ones((5, 8), np.int8)),
        (device.max(), host.max()),
        (gpuarray.sort(device, 0), np.sort(host, 0)),
    ):
        assert result.dtype == expected.dtype
        expected = np.asarray(expected)
        np.testing.assert_allclose(result.get().astype(np.float64), expected.astype(np.float64), 1e-2)
    assert device.sum().dtype == bfloat16 and device.mean().dtype == bfloat16
    wide = host.astype(np.float32)
    np.testing.assert_allclose(device.sum().get().astype(float), wide.sum(), 1e-2)
    np.testing.assert_allclose((device @ device.T).get().astype(float), wide @ wide.T, 2e-2, 2e-2)
    with pytest.raises(TypeError, match="bfloat16 and int32 have no common dtype"):
        device + gpuarray.zeros((5, 8), np.int32)


def test_bfloat16_that_is_not_a_number_is_equal_or_replaced(bfloat16):
    device = gpuarray.to_gpu(np.array([1, np.nan, np.inf, -np.inf], bfloat16))
    assert np.array_equal(device, device, equal_nan=True) and not np.array_equal(device, device)
    replaced = np.nan_to_num(device, nan=7)
    assert replaced.dtype == bfloat16
    largest = np.array(0x7F7F, np.uint16).view(bfloat16)
    np.testing.assert_array_equal(replaced.get(), np.array([1, 7, largest, -largest], bfloat16))


@pytest.mark.parametrize("operation", ["add", "multiply", "true_divide", "maximum", "power"])
def test_halves_are_rounded_once(operation):
    random = np.random.default_rng(2)
    a, b = (np.abs(random.normal(size=100)).astype(np.float16) for _ in range(2))
    result = getattr(np, operation)(gpuarray.to_gpu(a), gpuarray.to_gpu(b))
    assert result.dtype == np.float16
    np.testing.assert_allclose(result.get(), getattr(np, operation)(a, b), 1e-3)
    assert (gpuarray.to_gpu(a) * 1.5).dtype == np.float16


def test_halves_are_arguments_of_kernels():
    module = SourceModule(
        """
        #include <cuda_fp16.h>
        __global__ void scale(__half *values, __half factor) {
          values[threadIdx.x] = __float2half(__half2float(values[threadIdx.x]) * __half2float(factor));
        }
        """
    )
    device = gpuarray.to_gpu(np.arange(8, dtype=np.float16))
    module.get_function("scale")(device, np.float16(2.5), block=(8, 1, 1))
    np.testing.assert_array_equal(device.get(), np.arange(8, dtype=np.float16) * np.float16(2.5))


def test_halves_are_elements_of_expressions():
    host = np.arange(5, dtype=np.float16)
    device = gpuarray.to_gpu(host)
    result = gpuarray.empty_like(device)
    double = ElementwiseKernel("half *result, half *values, half more", "result[i] = values[i] + values[i] + more")
    double(result, device, np.float16(0.5))
    np.testing.assert_array_equal(result.get(), host * 2 + np.float16(0.5))
    total = ReductionKernel(
        np.float32, "0", "a + b", map_expr="__half2float(values[i])", arguments="const half *values"
    )
    assert total(device).get() == 10
    running = InclusiveScanKernel(np.float16, "a + b")
    np.testing.assert_array_equal(running(device).get(), np.cumsum(host))


def test_structs_are_stored_moved_and_chosen():
    dtype = np.dtype([("key", np.int32), ("weight", np.float64)], align=True)
    host = np.zeros((4, 3), dtype)
    host["key"], host["weight"] = np.arange(12).reshape(4, 3), np.arange(12).reshape(4, 3) / 7
    device = gpuarray.to_gpu(host)
    for ours, expected in (
        (device, host),
        (device.T, host.T),
        (device[::-2, 1:], host[::-2, 1:]),
        (device.copy(), host),
        (device[[2, 0]], host[[2, 0]]),
        (device[gpuarray.to_gpu(host["key"]) > 4], host[host["key"] > 4]),
        (gpuarray.concatenate([device, device], 1), np.concatenate([host, host], 1)),
        (gpuarray.zeros((2,), dtype), np.zeros(2, dtype)),
    ):
        np.testing.assert_array_equal(ours.get(), expected)
    device[1] = host[3, 0]
    host[1] = host[3, 0]
    np.testing.assert_array_equal(device.get(), host)
    with pytest.raises(TypeError):
        device + device
    with pytest.raises(TypeError, match=r"'sum' does not take an operand of shape \(4, 3\) and dtype .*'key'"):
        device.sum()


def test_vector_types_are_stored_and_read_by_kernels():
    host = np.zeros(4, gpuarray.vec.float4)
    host["x"], host["w"] = np.arange(4), 10
    device = gpuarray.to_gpu(host)
    module = SourceModule(
        """
        __global__ void sum(const float4 *v, float *result) {
          result[threadIdx.x] = v[threadIdx.x].x + v[threadIdx.x].w;
        }
        """
    )
    result = gpuarray.zeros(4, np.float32)
    module.get_function("sum")(device, result, block=(4, 1, 1))
    np.testing.assert_array_equal(result.get(), np.arange(4) + 10)
    device[2] = gpuarray.vec.make_float4(7, 8, 9, 1)
    assert device.get()[2]["z"] == 9
    assert cuda.Context.get_current() is not None
