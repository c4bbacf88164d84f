// SPDX-License-Identifier: MIT
#include "cuda/checks.h"

#include <stdexcept>

#include "cuda/cpu_driver_function.h"

namespace pycuda::cuda {
namespace {

constexpr const char* without =
    "only the CPU driver checks kernels (PYCUDA_DRIVER=cpu); on a GPU run the program under "
    "NVIDIA's compute-sanitizer";

}  // namespace

void set_checks(const std::string& names) {
  static auto* const set = cpu_driver_function<CUresult(const char*)>("cuCpuSetChecks", without);
  const CUresult status = set(names.empty() ? nullptr : names.c_str());
  if (status != CUDA_SUCCESS)
    throw std::invalid_argument("unknown check in '" + names +
                                "': the checks are memory, init, race, sync and all");
}

std::string take_findings() {
  static auto* const take =
      cpu_driver_function<CUresult(char*, std::size_t*)>("cuCpuTakeFindings", without);
  return text_of(take);
}

}  // namespace pycuda::cuda
