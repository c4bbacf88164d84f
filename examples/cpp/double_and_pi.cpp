// SPDX-License-Identifier: MIT
// Doubles a 4x4 array, then integrates 4/(1+x*x) to pi: map on the device, and a sum in 20 steps
// there.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "cuda/context_stack.h"
#include "cuda/device_memory.h"
#include "cuda/launch.h"
#include "cuda/memcpy.h"
#include "source_module.h"

namespace cuda = pycuda::cuda;

namespace {

bool doubles_an_array() {
  const cuda::ModulePtr module = source_module(R"(
    __global__ void doublify(float *a)
    {
      int idx = threadIdx.x + threadIdx.y*4;
      a[idx] *= 2;
    })");
  const auto doublify = module->kernel("doublify");

  std::vector<float> a(16), doubled(16);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = 0.5f * static_cast<float>(i) - 3;
  const std::size_t bytes = a.size() * sizeof(float);
  const cuda::DeviceMemory on_device(bytes);
  cuda::copy_to_device(on_device.address(), a.data(), bytes);
  cuda::launch_typed(*doublify, {.grid = {}, .block = {4, 4}}, on_device.address());
  cuda::copy_to_host(doubled.data(), on_device.address(), bytes);

  bool right = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::printf("%6.2f%s", doubled[i], i % 4 == 3 ? "\n" : "");
    right = right && doubled[i] == 2 * a[i];
  }
  return right;
}

bool computes_pi() {
  constexpr int kProblemSize = 1'000'000;
  const std::string size = std::to_string(kProblemSize);
  const cuda::ModulePtr module = source_module(R"(
    #define PROBLEM_SIZE )" + size + R"(
    __global__ void mapper(float *dest)
    {
      const int id = threadIdx.x + blockDim.x*blockIdx.x;
      const double x = 1.0 * id / PROBLEM_SIZE;     // x goes from 0.0 to 1.0 in PROBLEM_SIZE steps
      if (id < PROBLEM_SIZE)
        dest[id] = 4.0 / (1.0 + x*x);
    }

    __global__ void reducer(float *dest, int i)
    {
      const int id = threadIdx.x + blockDim.x*blockIdx.x;
      if (id % (2*i) == 0  &&  id + i < PROBLEM_SIZE) {
        dest[id] += dest[id + i];
      }
    })");
  const auto mapper = module->kernel("mapper");
  const auto reducer = module->kernel("reducer");

  const cuda::LaunchShape shape{.grid = {(kProblemSize + 511) / 512}, .block = {512}};
  const cuda::DeviceMemory dest(kProblemSize * sizeof(float));
  cuda::launch_typed(*mapper, shape, dest.address());
  for (int i = 1; i < kProblemSize; i *= 2) {
    cuda::launch_typed(*reducer, shape, dest.address(), i);
  }

  // The sum has ended up in the first element: no more is copied back.
  float sum = 0;
  cuda::copy_to_host(&sum, dest.address(), sizeof(sum));
  const double pi = sum / static_cast<double>(kProblemSize);
  std::printf("pi is about %.7f\n", pi);
  return std::abs(pi - 3.1415936) < 5e-6;
}

}  // namespace

int main() try {
  cuda::initialize();
  const cuda::ContextPtr context = cuda::make_context(cuda::Device(0));
  const bool doubled = doubles_an_array();
  const bool integrated = computes_pi();
  return doubled && integrated ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
