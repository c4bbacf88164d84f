// SPDX-License-Identifier: MIT
// Runs nvcc as a program: if the caller asks for it, and for sources with host
// code.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace pycuda::rtc {

/// A folder under the temporary folder, removed with its contents when the object dies unless
/// `keep()` was said.
class ScratchFolder {
 public:
  /// Throws std::filesystem::filesystem_error.
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }
  void keep() { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

/// What a finished program left.
struct ProgramOutput {
  int exit_status = 0;  ///< 128 + signal when it was killed
  std::string standard_output;
  std::string standard_error;
};

/// Runs a program in `folder` with its output caught, no shell between, and waits for it.
base::Result<ProgramOutput> run_program(const std::vector<std::string>& command,
                                        const std::filesystem::path& folder);

}  // namespace pycuda::rtc
