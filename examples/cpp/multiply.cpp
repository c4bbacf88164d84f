// SPDX-License-Identifier: MIT
// Multiplies two vectors: the first program of the PyCUDA manual, in C++.
#include <cstdio>
#include <random>
#include <vector>

#include "cuda/context_stack.h"
#include "cuda/device_memory.h"
#include "cuda/launch.h"
#include "cuda/memcpy.h"
#include "source_module.h"

namespace cuda = pycuda::cuda;

int main() try {
  cuda::initialize();
  const cuda::ContextPtr context = cuda::make_context(cuda::Device(0));

  const cuda::ModulePtr module = source_module(R"(
    __global__ void multiply_them(float *dest, float *a, float *b)
    {
      const int i = threadIdx.x;
      dest[i] = a[i] * b[i];
    })");
  const auto multiply_them = module->kernel("multiply_them");

  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> a(400), b(400), product(400);
  for (float& value : a) value = normal(random);
  for (float& value : b) value = normal(random);
  const std::size_t bytes = a.size() * sizeof(float);

  const cuda::DeviceMemory on_device_a(bytes), on_device_b(bytes), on_device_product(bytes);
  cuda::copy_to_device(on_device_a.address(), a.data(), bytes);
  cuda::copy_to_device(on_device_b.address(), b.data(), bytes);
  cuda::launch_typed(*multiply_them, {.grid = {}, .block = {400}}, on_device_product.address(),
                     on_device_a.address(), on_device_b.address());
  cuda::copy_to_host(product.data(), on_device_product.address(), bytes);

  int wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) wrong += product[i] != a[i] * b[i];
  std::printf("multiplied %zu pairs on %s, %d wrong\n", a.size(), context->device().name().c_str(),
              wrong);
  return wrong != 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
