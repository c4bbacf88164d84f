// SPDX-License-Identifier: MIT
// Functions that the CPU driver has beyond the driver API.
#pragma once

#include <cstddef>
#include <string>

#include "driver/process_driver.h"

namespace pycuda::cuda {

/// The function of this name. Throws DriverError with the words of `without` where the driver has
/// none.
template <class Function>
Function* cpu_driver_function(const char* name, const char* without) {
  const driver::DriverTable& driver = driver::process_driver();
  void* address = nullptr;
  constexpr int newest = 13000;
  CUdriverProcAddressQueryResult answer{};
  const CUresult status = driver.cuGetProcAddress.status(name, &address, newest, 0, &answer);
  if (status != CUDA_SUCCESS || address == nullptr || driver.last_fault == nullptr)
    throw driver::DriverError(driver, name, CUDA_ERROR_NOT_SUPPORTED, without);
  return reinterpret_cast<Function*>(address);
}

/// The text that a function gives whose caller learns the length first.
inline std::string text_of(CUresult (*take)(char*, std::size_t*)) {
  std::string text;
  std::size_t bytes = 0;
  // Another thread may make it longer meanwhile.
  while (take(text.data(), &bytes) == CUDA_SUCCESS && bytes > text.size()) text.resize(bytes);
  text.resize(bytes == 0 ? 0 : bytes - 1);
  return text;
}

}  // namespace pycuda::cuda
