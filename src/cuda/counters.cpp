// SPDX-License-Identifier: MIT
#include "cuda/counters.h"

#include "cuda/cpu_driver_function.h"

namespace pycuda::cuda {
namespace {

constexpr const char* without =
    "only the CPU driver counts what kernels do (PYCUDA_DRIVER=cpu); on a GPU run the program "
    "under "
    "NVIDIA's Nsight Compute (ncu)";

}  // namespace

void set_counters(bool count) {
  static auto* const set = cpu_driver_function<CUresult(int)>("cuCpuSetCounters", without);
  set(count ? 1 : 0);
}

std::string take_counters() {
  static auto* const take =
      cpu_driver_function<CUresult(char*, std::size_t*)>("cuCpuTakeCounters", without);
  return text_of(take);
}

}  // namespace pycuda::cuda
