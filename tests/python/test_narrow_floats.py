# SPDX-License-Identifier: MIT
"""The conversions of cuda_fp4.h, cuda_fp6.h and cuda_fp8.h: with the instructions of sm_100a they give what the headers
compute for targets without them."""

import pathlib

import pytest
from programs import has_cpu_driver, run_program
from pycuda._compilers import the_compiler

CODE = r'''
import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import compile

SOURCE = """
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
extern "C" __global__ void k(const float2 *values, unsigned *r) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 x = values[i];
  r += 32 * i;
  __half2_raw h; h.x = __half_raw(__float2half_rn(x.x)).x; h.y = __half_raw(__float2half_rn(x.y)).x;
  __nv_bfloat162_raw b;
  b.x = __nv_bfloat16_raw(__float2bfloat16_rn(x.x)).x; b.y = __nv_bfloat16_raw(__float2bfloat16_rn(x.y)).x;
  *r++ = __nv_cvt_float2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest);
  *r++ = __nv_cvt_halfraw2_to_fp4x2(h, __NV_E2M1, cudaRoundNearest);
  *r++ = __nv_cvt_bfloat16raw2_to_fp4x2(b, __NV_E2M1, cudaRoundNearest);
  for (__nv_fp6_interpretation_t kind : {__NV_E2M3, __NV_E3M2}) {
    *r++ = __nv_cvt_float2_to_fp6x2(x, kind, cudaRoundNearest);
    *r++ = __nv_cvt_halfraw2_to_fp6x2(h, kind, cudaRoundNearest);
    *r++ = __nv_cvt_bfloat16raw2_to_fp6x2(b, kind, cudaRoundNearest);
    const __half2_raw back = __nv_cvt_fp6x2_to_halfraw2(i & 0x3f3f, kind);
    *r++ = back.x | back.y << 16;
  }
  for (__nv_saturation_t saturation : {__NV_NOSAT, __NV_SATFINITE})
    for (cudaRoundMode rounding : {cudaRoundZero, cudaRoundPosInf}) {
      *r++ = __nv_cvt_float2_to_e8m0x2(x, saturation, rounding);
      *r++ = __nv_cvt_bfloat162raw_to_e8m0x2(b, saturation, rounding);
    }
  for (__nv_fp8_interpretation_t kind : {__NV_E4M3, __NV_E5M2}) {
    *r++ = __nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind);
    *r++ = __nv_cvt_bfloat16raw2_to_fp8x2(b, __NV_SATFINITE, kind);
  }
  const __half2_raw four = __nv_cvt_fp4x2_to_halfraw2(i & 0xff, __NV_E2M1);
  *r++ = four.x | four.y << 16;
  const __nv_bfloat162_raw power = __nv_cvt_e8m0x2_to_bf162raw(i * 259 & 0xffff);
  *r++ = power.x | power.y << 16;
}
"""

random = np.random.default_rng(0)
values = np.concatenate([
    [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, 3e-39, 5.9e-39, -6e-39, 1e-45, 3.4e38, -3.4e38],
    [448, 464, 6, 7, 28, 30],
    np.arange(-256, 256) / 32,
    random.normal(size=494) * 10,
    random.integers(0, 2**32, 1024, np.uint32).view(np.float32),
]).astype(np.float32)
pairs = np.ascontiguousarray(np.stack([values, np.roll(values, 7)], 1))
results = {}
for arch in ("sm_100", "sm_100a"):
    text = compile(SOURCE, arch=arch, no_extern_c=True)
    uses = [word in text for word in (b"e2m1x2.f32", b"e3m2x2.f32", b"ue8m0x2.f32", b"f16x2.e2m3x2", b"bf16x2.ue8m0x2")]
    print(arch, uses)
    results[arch] = np.zeros((len(values), 32), np.uint32)
    kernel = cuda.module_from_buffer(text).get_function("k")
    kernel(cuda.In(pairs), cuda.Out(results[arch]), block=(64, 1, 1), grid=(len(values) // 64, 1))
print(len(values) % 64, np.argwhere(results["sm_100"] != results["sm_100a"])[:5].tolist())
'''


def test_the_headers_agree_with_the_instructions():
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver")
    folders = [folder for _, _, folders in the_compiler().installations() for folder in folders]
    if not any((pathlib.Path(folder) / "cuda_fp4.h").exists() for folder in folders):
        pytest.skip("needs the headers of CUDA 12.8 or newer: pip install nvidia-cuda-runtime")
    output = run_program(CODE, PYCUDA_DRIVER="cpu", PYCUDA_CPU_ARCH="100")[0]
    assert output.splitlines() == [
        f"sm_100 {[False] * 5}",
        f"sm_100a {[True] * 5}",
        "0 []",
    ]
