// SPDX-License-Identifier: MIT
// Translates nvcc's options to NVRTC's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "rtc/architectures.h"

namespace pycuda::rtc {

/// What is left of nvcc's options when all that NVRTC does not know is dropped, mapped or refused.
struct Options {
  std::vector<std::string> compiler;         ///< for NVRTC as they are
  std::vector<std::string> hints;            ///< the same, for an NVRTC that knows them
  std::vector<std::string> include_folders;  ///< -I, then -isystem
  std::vector<std::string> pre_included;     ///< -include
  std::vector<Architecture> architectures;   ///< -arch, -code, every -gencode
  bool names_architecture = false;           ///< also by "native" or "all"
  bool ptxas_report = false;       ///< -Xptxas -v, -res-usage: the user wants the register counts
  std::vector<std::string> notes;  ///< a sentence for each option that was dropped
};

/// Translates by the table of `option_table.h`. Reads the files of -optf. The failure names the
/// option and says what to do instead. Options that are not in the table pass: NVRTC judges them,
/// and names what it does not know.
base::Result<Options> translate_options(std::span<const std::string> nvcc_options);

}  // namespace pycuda::rtc
