// SPDX-License-Identifier: MIT
// OpenGL's resources in a thread without an OpenGL context. What needs one is tested from Python
// (tests/python/test_gl.py).
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include "driver/driver.h"

using namespace driver_test;

// cudaGL.h needs OpenGL's headers.
extern "C" {
CUresult cuGraphicsGLRegisterBuffer(CUgraphicsResource*, unsigned buffer, unsigned flags);
CUresult cuGraphicsGLRegisterImage(CUgraphicsResource*, unsigned image, unsigned target,
                                   unsigned flags);
CUresult cuGLGetDevices_v2(unsigned* count, CUdevice* devices, unsigned most, unsigned list);
CUresult cuGLCtxCreate_v2(CUcontext*, unsigned flags, CUdevice);
CUresult cuGLInit();
CUresult cuGLRegisterBufferObject(unsigned buffer);
CUresult cuGLMapBufferObject_v2(CUdeviceptr*, std::size_t* bytes, unsigned buffer);
CUresult cuGLUnmapBufferObject(unsigned buffer);
CUresult cuGLUnregisterBufferObject(unsigned buffer);
CUresult cuGLSetBufferObjectMapFlags(unsigned buffer, unsigned flags);
CUresult cuGLMapBufferObjectAsync_v2(CUdeviceptr*, std::size_t* bytes, unsigned buffer, CUstream);
CUresult cuGLUnmapBufferObjectAsync(unsigned buffer, CUstream);
}

namespace {

// Of the CPU driver alone: NVIDIA's answers OPERATING_SYSTEM on a machine without OpenGL.
void check_refused(CUresult result) {
  if (is_cpu_driver()) {
    CHECK(result == CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  } else {
    CHECK(result != CUDA_SUCCESS);
  }
}

}  // namespace

TEST_CASE("OpenGL's objects are not registered without an OpenGL context") {
  initialise();
  CHECK(CU(cuGLInit)() == CUDA_ERROR_INVALID_CONTEXT);
  const CurrentContext context;
  CUgraphicsResource resource = nullptr;
  check_refused(CU(cuGraphicsGLRegisterBuffer)(&resource, 1, 0));
  constexpr unsigned texture_2d = 0x0DE1;
  check_refused(CU(cuGraphicsGLRegisterImage)(&resource, 1, texture_2d, 0));
  check_refused(CU(cuGLRegisterBufferObject)(1));
  unsigned count = 0;
  CUdevice device = 0;
  check_refused(CU(cuGLGetDevices_v2)(&count, &device, 1, 1));
  CUcontext made = nullptr;
  check_refused(CU(cuGLCtxCreate_v2)(&made, 0, 0));
  CHECK(resource == nullptr);
  CHECK(made == nullptr);
}

TEST_CASE("graphics resources that do not exist") {
  initialise();
  const CurrentContext context;
  CHECK(CU(cuGraphicsMapResources)(0, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphicsUnmapResources)(0, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  CHECK(CU(cuGLMapBufferObject_v2)(&address, &bytes, 7) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGLUnmapBufferObject)(7) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGLUnregisterBufferObject)(7) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGLSetBufferObjectMapFlags)(7, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGLMapBufferObjectAsync_v2)(&address, &bytes, 7, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGLUnmapBufferObjectAsync)(7, nullptr) == CUDA_ERROR_INVALID_VALUE);
  if (!is_cpu_driver()) return;  // NVIDIA's reads what the handle points to
  CUgraphicsResource unknown = reinterpret_cast<CUgraphicsResource>(std::uintptr_t{0x1000});
  CHECK(CU(cuGraphicsMapResources)(1, &unknown, nullptr) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuGraphicsResourceGetMappedPointer_v2)(&address, &bytes, unknown) ==
        CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuGraphicsResourceSetMapFlags_v2)(unknown, 0) == CUDA_ERROR_INVALID_HANDLE);
  CUarray array = nullptr;
  CHECK(CU(cuGraphicsSubResourceGetMappedArray)(&array, unknown, 0, 0) ==
        CUDA_ERROR_INVALID_HANDLE);
  CUmipmappedArray levels = nullptr;
  CHECK(CU(cuGraphicsResourceGetMappedMipmappedArray)(&levels, unknown) ==
        CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuGraphicsUnregisterResource)(unknown) == CUDA_ERROR_INVALID_HANDLE);
}
