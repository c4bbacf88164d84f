// SPDX-License-Identifier: MIT
#include "cpu/ptx/link_inputs.h"

#include <utility>

#include "cpu/ptx/device_runtime.h"
#include "cpu/ptx/grid_barrier.h"

namespace pycuda::cpu::ptx {

base::Result<LinkInputs::Added, ImageFailure> LinkInputs::add(std::string_view image,
                                                              const char* name, bool is_library,
                                                              std::uint32_t architecture,
                                                              const Refusal& refusal) {
  if (is_library && is_device_runtime_library(image, name)) {
    has_device_runtime_ = true;
    return Added{};
  }
  // PTX need not end with a NUL here: its length is known.
  const std::string terminated(image);
  auto ptx = ptx_of_image(terminated.c_str(), terminated.size() + 1, architecture);
  if (!ptx) return ptx.error();
  if (const auto reason = refusal ? refusal(*ptx) : std::nullopt)
    return ImageFailure{ImageError::NoPtx, *reason};
  if (is_device_runtime_code(*ptx)) {
    has_device_runtime_ = true;
    return Added{};
  }
  std::string label =
      name != nullptr && *name != '\0' ? name : "input " + std::to_string(inputs_.size() + 1);
  calls_grid_barrier_ |= calls_grid_barrier(*ptx);
  inputs_.push_back({std::move(label), std::move(ptx).value()});
  return Added{};
}

base::Result<std::string, Diagnostics> LinkInputs::link() {
  if (inputs_.empty()) return std::string(".version 7.0\n.target sm_80\n.address_size 64\n");
  if (has_device_runtime_ && calls_grid_barrier_)
    inputs_.push_back({"libcudadevrt.a", std::string(grid_barrier_functions())});
  return ptx::link(inputs_, has_device_runtime_);
}

}  // namespace pycuda::cpu::ptx
