// SPDX-License-Identifier: MIT
// What code is compiled for: nvcc's names of architectures, and the choice among several.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pycuda::rtc {

/// `sm_90a` (real: machine code) or `compute_80` (virtual: PTX).
struct Architecture {
  bool real = true;
  int number = 0;      ///< 80 for 8.0, 103 for 10.3
  std::string suffix;  ///< "a", "f" or nothing

  std::string name() const;
  /// The same generation as machine code or as PTX.
  Architecture as_real(bool machine_code) const;
  friend bool operator==(const Architecture&, const Architecture&) = default;
};

/// Reads "sm_80", "compute_90a"; nothing for other text.
std::optional<Architecture> parse_architecture(std::string_view text);

/// The architectures that `-arch` and `-code`, or one `-gencode`, name together. None for "native",
/// "all" and "all-major", which leave the choice to the device.
base::Result<std::vector<Architecture>> named_architectures(std::string_view arch,
                                                            std::string_view code);

/// The one of several architectures whose image is loaded: as from a fat binary, machine code for
/// the device, else the newest PTX that it can take (the CPU driver any). Where none fits, and
/// where the device is unknown (capability 0), the last machine code. Nothing when nothing is
/// named.
std::optional<Architecture> choose_architecture(std::span<const Architecture> named, int capability,
                                                bool takes_any_ptx);

/// What the CPU driver's device is compiled for by default where that is more than its capability
/// says: PYCUDA_CPU_ARCH=90a. Nothing otherwise.
std::optional<Architecture> claimed_architecture(int capability);

}  // namespace pycuda::rtc
