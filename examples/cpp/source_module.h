// SPDX-License-Identifier: MIT
// CUDA C++ in a string to a loaded module, as pycuda.compiler.SourceModule does it.
#pragma once

#include <string>

#include "cuda/module.h"
#include "driver/process_driver.h"
#include "rtc/compiler.h"

inline pycuda::cuda::ModulePtr source_module(const std::string& source) {
  using pycuda::driver::DriverKind;

  // NVRTC is looked for in the wheels, then where toolkits are.
  static pycuda::rtc::Compiler compiler({.packages = {CUDA_WHEELS}, .headers = {}});

  const auto& driver = pycuda::driver::process_driver_origin();
  const auto device = pycuda::cuda::require_context()->device();
  const auto [major, minor] = device.compute_capability();

  pycuda::rtc::CompileRequest request;
  request.source = source;
  request.device.capability = major * 10 + minor;
  request.device.is_cpu = driver.kind == DriverKind::Cpu;
  request.device.driver_version = driver.version;
  return pycuda::cuda::Module::from_image(*compiler.compile(request).image);
}
