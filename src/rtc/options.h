// SPDX-License-Identifier: MIT
// nvcc's options, as programs write them, in NVRTC's terms.
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

/// What is left of nvcc's options when all that NVRTC does not know is dropped, translated or
/// refused.
struct Options {
  std::vector<std::string> compiler;         ///< for NVRTC as they are
  std::vector<std::string> include_folders;  ///< -I, then -isystem
  std::vector<std::string> pre_included;     ///< -include
  std::optional<Architecture>
      architecture;           ///< -arch, -code, -gencode together; the last -gencode wins
  bool ptxas_report = false;  ///< -Xptxas -v, -res-usage: the user wants the register counts
};

/// Translates. The failure names the option and says why it cannot be served. Options that are not
/// known here pass: NVRTC judges them, and names what it does not know.
base::Result<Options> translate_options(std::span<const std::string> nvcc_options);

/// What `arch=` and `code=` (either may be empty) ask for together; nothing when they leave it
/// open.
base::Result<std::optional<Architecture>> choose_architecture(std::string_view arch,
                                                              std::string_view code);

}  // namespace pycuda::rtc
