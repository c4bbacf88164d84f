// SPDX-License-Identifier: MIT
// Launches of before CUDA 4, and references to textures that no module has.
#include <doctest/doctest.h>

#include <array>

#include "driver/driver.h"

using namespace driver_test;

namespace {

/// *to = value + the first word of dynamic shared memory's size, in a float.
const char* const text = R"(
.version 7.0
.target sm_52
.address_size 64
.global .texref picture;
.visible .entry add(.param .u64 to, .param .f32 value)
{
  .reg .u64 %d<3>; .reg .u32 %r<3>; .reg .f32 %f<4>;
  ld.param.u64 %d1, [to];
  ld.param.f32 %f1, [value];
  mov.u32 %r1, %dynamic_smem_size;
  cvt.rn.f32.u32 %f2, %r1;
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%d1], %f3;
  ret;
}
)";

}  // namespace

TEST_CASE("a launch is built up in steps") {
  const CurrentContext context;
  const LoadedModule module(text);
  const CUfunction function = module.function("add");
  const DeviceBlock block(4);
  CUdeviceptr to = block.address();
  CUstream stream = nullptr;
  REQUIRE(CU(cuStreamCreate)(&stream, 0) == CUDA_SUCCESS);
  CHECK(CU(cuFuncSetBlockShape)(function, 1, 1, 1) == CUDA_SUCCESS);
  CHECK(CU(cuFuncSetSharedSize)(function, 1024) == CUDA_SUCCESS);
  CHECK(CU(cuParamSetSize)(function, 12) == CUDA_SUCCESS);
  CHECK(CU(cuParamSetv)(function, 0, &to, 8) == CUDA_SUCCESS);
  CHECK(CU(cuParamSetf)(function, 8, 0.5f) == CUDA_SUCCESS);
  CHECK(CU(cuLaunchGridAsync)(function, 1, 1, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  float found = 0;
  CHECK(CU(cuMemcpyDtoH_v2)(&found, to, 4) == CUDA_SUCCESS);
  CHECK(found == 1024.5f);
  CHECK(CU(cuFuncSetSharedSize)(function, 1u << 30) == CUDA_ERROR_INVALID_VALUE);
  if (is_cpu_driver())  // NVIDIA's driver crashes
    CHECK(CU(cuParamSetf)(function, -1, 0.5f) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLaunchGridAsync)(function, 0, 1, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuFuncSetSharedMemConfig)(function, CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE) ==
        CUDA_SUCCESS);
  CHECK(CU(cuFuncSetSharedMemConfig)(function, outside<CUsharedconfig>(9)) ==
        CUDA_ERROR_INVALID_VALUE);
  CUtexref reference = nullptr;
  REQUIRE(CU(cuModuleGetTexRef)(&reference, module.handle(), "picture") == CUDA_SUCCESS);
  if (is_cpu_driver())  // an H200's refuses it
    CHECK(CU(cuParamSetTexRef)(function, CU_PARAM_TR_DEFAULT, reference) == CUDA_SUCCESS);
  CHECK(CU(cuParamSetTexRef)(function, 0, reference) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
}

TEST_CASE("a reference of one's own keeps its settings") {
  const CurrentContext context;
  CUtexref reference = nullptr;
  REQUIRE(CU(cuTexRefCreate)(&reference) == CUDA_SUCCESS);
  std::array<float, 4> color{0.25f, 0.5f, 0.75f, 1}, found{};
  CHECK(CU(cuTexRefSetBorderColor)(reference, color.data()) == CUDA_SUCCESS);
  CHECK(CU(cuTexRefGetBorderColor)(found.data(), reference) == CUDA_SUCCESS);
  CHECK(found == color);
  CHECK(CU(cuTexRefSetBorderColor)(reference, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuTexRefSetMaxAnisotropy)(reference, 4) == CUDA_SUCCESS);
  int most = 0;
  CHECK(CU(cuTexRefGetMaxAnisotropy)(&most, reference) == CUDA_SUCCESS);
  CHECK(most == 4);
  CHECK(CU(cuTexRefGetMaxAnisotropy)(nullptr, reference) == CUDA_ERROR_INVALID_VALUE);
  const DeviceBlock block(std::size_t{64} * 512);
  CUDA_ARRAY_DESCRIPTOR shape{};
  shape.Width = shape.Height = 64;
  shape.Format = CU_AD_FORMAT_FLOAT;
  shape.NumChannels = 1;
  CHECK(CU(cuTexRefSetAddress2D_v3)(reference, &shape, block.address(), 512) == CUDA_SUCCESS);
  CUdeviceptr address = 0;
  CHECK(CU(cuTexRefGetAddress_v2)(&address, reference) == CUDA_SUCCESS);
  CHECK(address == block.address());
  CHECK(CU(cuTexRefSetAddress2D_v3)(reference, nullptr, block.address(), 512) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuTexRefDestroy)(reference) == CUDA_SUCCESS);
  CHECK(CU(cuTexRefCreate)(nullptr) == CUDA_ERROR_INVALID_VALUE);
  if (is_cpu_driver()) CHECK(CU(cuTexRefDestroy)(reference) == CUDA_ERROR_INVALID_HANDLE);
}
