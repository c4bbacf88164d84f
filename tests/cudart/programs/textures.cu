// SPDX-License-Identifier: MIT
// Textures of arrays and pitched memory, and a surface.
#include <vector>

#include "check.h"

__global__ void sample(cudaTextureObject_t texture, float* out, int width) {
  const int x = threadIdx.x, y = threadIdx.y;
  out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

__global__ void write(cudaSurfaceObject_t surface) {
  surf2Dwrite(100.0f * threadIdx.y + threadIdx.x, surface, threadIdx.x * 4, threadIdx.y);
}

cudaTextureObject_t texture_of(const cudaResourceDesc& resource) {
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModePoint;
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  CALL(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  cudaTextureDesc same;
  CALL(cudaGetTextureObjectTextureDesc(&same, texture));
  CHECK(same.addressMode[0] == cudaAddressModeClamp && same.readMode == cudaReadModeElementType);
  return texture;
}

int main() {
  const int width = 8, height = 4;
  std::vector<float> host(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = i * 0.5f;
  float* out;
  CALL(cudaMallocManaged(&out, host.size() * sizeof(float)));

  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CALL(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
  CALL(cudaMemcpy2DToArray(array, 0, 0, host.data(), width * 4, width * 4, height,
                           cudaMemcpyHostToDevice));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureObject_t of_array = texture_of(resource);
  sample<<<1, dim3(width, height)>>>(of_array, out, width);
  CALL(cudaDeviceSynchronize());
  for (size_t i = 0; i < host.size(); ++i) CHECK(out[i] == host[i]);

  cudaSurfaceObject_t surface;
  CALL(cudaCreateSurfaceObject(&surface, &resource));
  write<<<1, dim3(width, height)>>>(surface);
  CALL(cudaDeviceSynchronize());
  CALL(cudaMemcpy2DFromArray(host.data(), width * 4, array, 0, 0, width * 4, height,
                             cudaMemcpyDeviceToHost));
  CHECK(host[width + 3] == 103.0f && host[3 * width] == 300.0f);

  void* pitched;
  size_t pitch = 0;
  CALL(cudaMallocPitch(&pitched, &pitch, width * 4, height));
  CHECK(pitch >= width * 4);
  CALL(cudaMemcpy2D(pitched, pitch, host.data(), width * 4, width * 4, height,
                    cudaMemcpyHostToDevice));
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = pitched;
  resource.res.pitch2D.desc = format;
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  resource.res.pitch2D.pitchInBytes = pitch;
  const cudaTextureObject_t of_rows = texture_of(resource);
  sample<<<1, dim3(width, height)>>>(of_rows, out, width);
  CALL(cudaDeviceSynchronize());
  for (size_t i = 0; i < host.size(); ++i) CHECK(out[i] == host[i]);

  CALL(cudaDestroyTextureObject(of_array));
  CALL(cudaDestroyTextureObject(of_rows));
  CALL(cudaDestroySurfaceObject(surface));
  CALL(cudaFreeArray(array));
  std::puts("PASSED");
}
