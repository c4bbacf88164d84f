// SPDX-License-Identifier: MIT
// Adds two vectors with the driver API. Knows nothing of whose driver it is.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static const char *ptx =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{\n"
    "  .reg .u64 %rd<8>;\n  .reg .u32 %r<6>;\n  .reg .f32 %f<4>;\n  .reg .pred %p;\n"
    "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %ntid.x;\n  mov.u32 %r3, %tid.x;\n  mad.lo.u32 %r4, %r1, %r2, %r3;\n"
    "  ld.param.u32 %r5, [n];\n  setp.ge.u32 %p, %r4, %r5;\n  @%p bra done;\n"
    "  ld.param.u64 %rd1, [a];\n  ld.param.u64 %rd2, [b];\n  ld.param.u64 %rd3, [c];\n  mul.wide.u32 %rd4, %r4, 4;\n"
    "  add.u64 %rd5, %rd1, %rd4;\n  add.u64 %rd6, %rd2, %rd4;\n  add.u64 %rd7, %rd3, %rd4;\n"
    "  ld.global.f32 %f1, [%rd5];\n  ld.global.f32 %f2, [%rd6];\n  add.f32 %f3, %f1, %f2;\n"
    "  st.global.f32 [%rd7], %f3;\ndone:\n  ret;\n}\n";

static void check(CUresult status, const char *what) {
  const char *text = NULL;
  if (status == CUDA_SUCCESS) return;
  cuGetErrorString(status, &text);
  fprintf(stderr, "%s: %s\n", what, text ? text : "?");
  exit(1);
}

int main(void) {
  enum { count = 5000 };
  static float a[count], b[count], c[count];
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction add;
  CUdeviceptr da, db, dc;
  unsigned n = count;
  void *parameters[] = {&da, &db, &dc, &n};
  int i;

  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  check(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
  check(cuModuleGetFunction(&add, module, "add"), "cuModuleGetFunction");
  check(cuMemAlloc(&da, sizeof a), "cuMemAlloc");
  check(cuMemAlloc(&db, sizeof b), "cuMemAlloc");
  check(cuMemAlloc(&dc, sizeof c), "cuMemAlloc");
  for (i = 0; i < count; ++i) {
    a[i] = (float)i;
    b[i] = 0.5f * (float)i;
  }
  check(cuMemcpyHtoD(da, a, sizeof a), "cuMemcpyHtoD");
  check(cuMemcpyHtoD(db, b, sizeof b), "cuMemcpyHtoD");
  check(cuLaunchKernel(add, (count + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, parameters, NULL), "cuLaunchKernel");
  check(cuMemcpyDtoH(c, dc, sizeof c), "cuMemcpyDtoH");
  for (i = 0; i < count; ++i) {
    if (c[i] != 1.5f * (float)i) {
      fprintf(stderr, "c[%d] = %g\n", i, c[i]);
      return 1;
    }
  }
  check(cuMemFree(da), "cuMemFree");
  check(cuMemFree(db), "cuMemFree");
  check(cuMemFree(dc), "cuMemFree");
  check(cuModuleUnload(module), "cuModuleUnload");
  check(cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease");
  puts("vectors added");
  return 0;
}
