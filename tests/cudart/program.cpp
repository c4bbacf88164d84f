// SPDX-License-Identifier: MIT
// The registration that nvcc generates, written by hand.
#include "cudart/program.h"

#include <cstdio>
#include <cstdlib>

extern "C" {
void** __cudaRegisterFatBinary(void* fatCubin);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
char __cudaInitModule(void** handle);
void __cudaRegisterFunction(void** handle, const char* hostFun, char* deviceFun,
                            const char* deviceName, int thread_limit, uint3* tid, uint3* bid,
                            dim3* bDim, dim3* gDim, int* wSize);
void __cudaRegisterVar(void** handle, char* hostVar, char* deviceAddress, const char* deviceName,
                       int ext, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void** handle, void** hostVarPtrAddress, char* deviceAddress,
                              const char* deviceName, int ext, size_t size, int constant,
                              int global);
unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     struct CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                       void* stream);
}

namespace program {

char factors[16];
int counter;
int* both;

void add(int*, int, int) {}
void store(int*) { counter = 0; }  // Not the same code as `add`: one address each.

namespace {

const char text[] = R"(
.version 7.0
.target sm_70
.address_size 64
.const .align 4 .b8 factors[16];
.global .align 4 .u32 counter = 5;
.global .attribute(.managed) .align 4 .u32 both = 7;
.visible .entry add(.param .u64 values, .param .u32 amount, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [count];
  setp.ge.s32 %p, %r1, %r4;
  @%p bra done;
  ld.param.u64 %rd1, [values];
  ld.param.u32 %r5, [amount];
  mul.wide.s32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.u32 %r6, [%rd1];
  add.s32 %r6, %r6, %r5;
  st.global.u32 [%rd1], %r6;
  atom.global.add.u32 %r7, [counter], 1;
  atom.global.add.u32 %r7, [both], 2;
done:
  ret;
}
.visible .entry store(.param .u64 where)
{
  .reg .b64 %rd1;
  ld.param.u64 %rd1, [where];
  st.global.u32 [%rd1], 1;
  ret;
}
)";

struct {
  int magic;
  int version;
  const void* data;
  void* parts;
} wrapper = {0x466243B1, 1, text, nullptr};

void** handle;

struct Registration {
  Registration() {
    handle = __cudaRegisterFatBinary(&wrapper);
    const auto function = [&](const void* host, const char* name) {
      __cudaRegisterFunction(handle, static_cast<const char*>(host), nullptr, name, -1, nullptr,
                             nullptr, nullptr, nullptr, nullptr);
    };
    function(reinterpret_cast<const void*>(&add), "add");
    function(reinterpret_cast<const void*>(&store), "store");
    __cudaRegisterVar(handle, factors, nullptr, "factors", 0, sizeof factors, 1, 0);
    __cudaRegisterVar(handle, reinterpret_cast<char*>(&counter), nullptr, "counter", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, reinterpret_cast<void**>(&both), nullptr, "both", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
  }
  ~Registration() { __cudaUnregisterFatBinary(handle); }
} registration;

}  // namespace

const char* const library_text = R"(
.version 7.0
.target sm_70
.address_size 64
.global .align 4 .u32 base = 40;
.visible .entry triple(.param .u64 value)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd1;
  ld.param.u64 %rd1, [value];
  ld.global.u32 %r1, [%rd1];
  mul.lo.s32 %r1, %r1, 3;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

void initialise_managed() { __cudaInitModule(handle); }

cudaError_t configured_launch(const void* kernel, dim3 grid, dim3 block, size_t shared,
                              cudaStream_t stream, void** arguments) {
  if (__cudaPushCallConfiguration(grid, block, shared, stream) != 0) {
    return cudaErrorLaunchFailure;
  }
  dim3 same_grid;
  dim3 same_block;
  size_t same_shared = 0;
  cudaStream_t same_stream = nullptr;
  const cudaError_t status =
      __cudaPopCallConfiguration(&same_grid, &same_block, &same_shared, &same_stream);
  if (status != cudaSuccess) return status;
  return cudaLaunchKernel(kernel, same_grid, same_block, arguments, same_shared, same_stream);
}

bool on_cpu_driver() { return std::getenv("PYCUDA_CPU_DEVICES") != nullptr; }

bool has_devices(int count) {
  int present = 0;
  (void)cudaGetDeviceCount(&present);
  if (present >= count || on_cpu_driver()) return true;
  std::printf("not tested: needs %d devices, there are %d\n", count, present);
  return false;
}

bool outlives_faults() {
  if (on_cpu_driver()) return true;
  std::puts("not tested: on a GPU a fault ends CUDA for the process");
  return false;
}

}  // namespace program
