// SPDX-License-Identifier: MIT
#include "cuda/checks.h"

#include <cstddef>
#include <stdexcept>

#include "driver/process_driver.h"

namespace pycuda::cuda {
namespace {

/// A function beyond the driver API, by its name.
template <class Function>
Function find(const char* name) {
  const driver::DriverTable& driver = driver::process_driver();
  void* address = nullptr;
  constexpr int newest = 13000;
  CUdriverProcAddressQueryResult answer{};
  const CUresult status = driver.cuGetProcAddress.status(name, &address, newest, 0, &answer);
  if (status != CUDA_SUCCESS || address == nullptr || driver.last_fault == nullptr)
    throw driver::DriverError(
        driver, name, CUDA_ERROR_NOT_SUPPORTED,
        "only the CPU driver checks kernels (PYCUDA_DRIVER=cpu); on a GPU run "
        "the program under NVIDIA's compute-sanitizer");
  return reinterpret_cast<Function>(address);
}

}  // namespace

void set_checks(const std::string& names) {
  using SetChecks = CUresult(const char*);
  static SetChecks* const set = find<SetChecks*>("cuCpuSetChecks");
  const CUresult status = set(names.empty() ? nullptr : names.c_str());
  if (status != CUDA_SUCCESS)
    throw std::invalid_argument("unknown check in '" + names +
                                "': the checks are memory, init, race, sync and all");
}

std::string take_findings() {
  using TakeFindings = CUresult(char*, std::size_t*);
  static TakeFindings* const take = find<TakeFindings*>("cuCpuTakeFindings");
  std::string text;
  std::size_t bytes = 0;
  // Another thread's findings may make it longer.
  while (take(text.data(), &bytes) == CUDA_SUCCESS && bytes > text.size()) text.resize(bytes);
  text.resize(bytes == 0 ? 0 : bytes - 1);
  return text;
}

}  // namespace pycuda::cuda
