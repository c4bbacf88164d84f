// SPDX-License-Identifier: MIT
// nvcc: -rdc=true -gencode arch=compute_80,code=compute_80
// A grid that waits for itself, by cudaLaunchCooperativeKernel and by cudaLaunchKernelEx.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void sum(const int* in, int* partial, int* out) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
  int value = in[grid.thread_rank()];
  for (int i = warp.size() / 2; i > 0; i /= 2) value += warp.shfl_down(value, i);
  if (warp.thread_rank() == 0) atomicAdd(&partial[blockIdx.x], value);
  grid.sync();
  if (grid.thread_rank() == 0) {
    int all = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) all += partial[i];
    *out = all;
  }
}

int main() {
  const int blocks = 4, threads = 64, n = blocks * threads;
  int *in, *partial, *out;
  CALL(cudaMallocManaged(&in, n * sizeof(int)));
  CALL(cudaMallocManaged(&partial, blocks * sizeof(int)));
  CALL(cudaMallocManaged(&out, sizeof(int)));
  for (int i = 0; i < n; ++i) in[i] = i;
  CALL(cudaMemset(partial, 0, blocks * sizeof(int)));
  void* arguments[] = {&in, &partial, &out};
  CALL(cudaLaunchCooperativeKernel(sum, dim3(blocks), dim3(threads), arguments, 0, nullptr));
  CALL(cudaDeviceSynchronize());
  CHECK(*out == n * (n - 1) / 2);

  CALL(cudaMemset(partial, 0, blocks * sizeof(int)));
  *out = 0;
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attribute;
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CALL(cudaLaunchKernelEx(&config, sum, static_cast<const int*>(in), partial, out));
  CALL(cudaDeviceSynchronize());
  CHECK(*out == n * (n - 1) / 2);
  CHECK(cudaLaunchCooperativeKernel(sum, dim3(1 << 20), dim3(threads), arguments, 0, nullptr) ==
        cudaErrorCooperativeLaunchTooLarge);
  std::puts("PASSED");
}
