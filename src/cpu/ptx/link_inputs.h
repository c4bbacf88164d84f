// SPDX-License-Identifier: MIT
// The inputs of a link as programs hand them over: PTX, fat binaries, linked code, libcudadevrt.a.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cpu/ptx/fatbin.h"
#include "cpu/ptx/link.h"

namespace pycuda::cpu::ptx {

/// What `cuLinkAddData` and nvJitLink collect.
class LinkInputs {
 public:
  struct Added {};

  /// Why PTX is not taken; nothing: it is.
  using Refusal = std::function<std::optional<std::string>(std::string_view ptx)>;

  /// Takes the PTX out of an image. What `refusal` does not take is ImageError::NoPtx. `name` is
  /// for messages and may be null; `is_library` says that the program called it a library: the
  /// device run-time library's code is for GPUs, its functions are the driver's own.
  base::Result<Added, ImageFailure> add(std::string_view image, const char* name, bool is_library,
                                        std::uint32_t architecture, const Refusal& refusal = {});

  /// One module of all inputs, as text; of none, one without kernels.
  base::Result<std::string, Diagnostics> link();

  std::size_t size() const { return inputs_.size(); }

 private:
  std::vector<LinkInput> inputs_;
  bool has_device_runtime_ = false;
  bool calls_grid_barrier_ = false;
};

}  // namespace pycuda::cpu::ptx
